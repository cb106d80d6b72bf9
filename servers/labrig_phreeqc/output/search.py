"""Search a PHREEQC output, and read a section or a state of it.

`search_output` finds a string or a regular expression and says in which state each hit lies; `read_section` gives the
exact lines of a state or of one of its tables. Lines are counted as in `outline_output`: from 1, split at line feeds.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.output.outline import Outline, Section, State, find_state
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.outline_text import SHORT_NAMES

MATCHED_CHARS = 2_000
"""A regular expression sees so many characters of each line."""
SHOWN_CHARS = 240
"""Hits and context lines are shown up to this length, around the match."""
REGEX_S = 5.0
"""Seconds that a regular expression may take for a whole output."""
MAX_HITS = 1_000
MAX_CONTEXT = 50
_MAX_PATTERN = 1_000
_MAX_CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches.

    Attributes
    ----------
    line
        Its number.
    text
        The line; a long one is cut around the match, with dots.
    state
        Label of the state it lies in, with its simulation: ``sim 2 step 4``. None outside of all states.
    before, after
        Context lines, nearest to the hit last and first.
    """

    line: int
    text: str
    state: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found.

    Attributes
    ----------
    total
        Lines that match in the whole output, shown or not.
    hits
        Those shown, in printed order.
    next_line
        Where to go on: the next line that matches, as `from_line`; None if the last one is shown.
    """

    total: int
    hits: tuple[Hit, ...]
    next_line: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """Exact lines of an output: those of a state, or of a section of it."""

    label: str
    simulation: int
    section: str | None
    first: int
    last: int
    text: str


def search_output(
    text: str,
    pattern: str,
    *,
    context: int = 2,
    regex: bool = False,
    limit: int = 20,
    ignore_case: bool = False,
    from_line: int = 1,
    tree: Outline | None = None,
) -> Hits:
    """Find the lines that contain a string, or a match of a regular expression.

    Parameters
    ----------
    text
        PHREEQC output, or any text.
    pattern
        A string to find as it is, or with `regex` a regular expression of Python.
    context
        Lines shown before and after each hit, 0 to `MAX_CONTEXT`.
    regex
        Whether `pattern` is a regular expression. It is matched line by line, against the first
        `MATCHED_CHARS` characters of each; ``^`` and ``$`` are the ends of what is left of the line.
    limit
        Hits shown, 1 to `MAX_HITS`.
    ignore_case
        Whether case is ignored. In chemistry it matters: Co is not CO.
    from_line
        Hits before this line are counted, not shown.
    tree
        The outline of the text, if it is at hand.

    Raises
    ------
    LabrigError
        For a pattern that is empty, spans lines or does not compile, numbers out of range, and (``limit``) a
        regular expression that takes longer than `REGEX_S` seconds. It runs in a process of its own,
        which is ended then, because some expressions take exponential time.
    """
    _check(pattern, context, limit, from_line)
    tree = tree or outline_output(text)
    lines = text.split("\n")
    if regex:
        total, found = _matches(pattern, ignore_case, text, from_line, limit + 1)
    else:
        total, found = _occurrences(pattern, ignore_case, lines, from_line, limit + 1)
    firsts = [state.first for state in tree.states]
    hits = []
    for number, start in found[:limit]:
        at = number - 1
        before = tuple(_shown(line) for line in lines[max(0, at - context) : at])
        after = tuple(_shown(line) for line in lines[at + 1 : at + 1 + context])
        hits.append(Hit(number, _shown(lines[at], start), _state_at(tree, firsts, number), before, after))
    return Hits(total, tuple(hits), found[limit][0] if len(found) > limit else None)


def read_section(text: str, tree: Outline, state_query: str | int, section: str | None = None) -> Passage:
    """Return the exact lines of a state, or of one of its sections.

    Parameters
    ----------
    text
        The output.
    tree
        Its outline.
    state_query
        As for `find_state`: a line number (``700``, ``"L700"``) or words (``"step 4"``, ``"sim 2 cell 3"``).
        The section may stand at the end: ``"step 4 SI"``, ``"step 4 Saturation indices"``.
    section
        A printed name, or its short form in outlines (``SI``, ``comp``, ``desc``, ``species``, ``phases``,
        ``gas`` ...), case ignored. ``head`` is what comes before the first section: what is used, reaction,
        kinetics. None is the whole state.

    Returns
    -------
    Passage
        A run of sections of the same name is given as a whole.

    Raises
    ------
    LabrigError
        For words that fit no state or section, or several states; these are listed.
    """
    found = find_state(tree, state_query)
    words = str(state_query).split()
    if not found and section is None:
        for cut in range(len(words) - 1, 0, -1):
            tail = " ".join(words[cut:])
            candidates = find_state(tree, " ".join(words[:cut]))
            if any(_section(state, tail) for state in candidates):
                found, section = candidates, tail
                break
    state = _only(found, state_query, tree)
    name, first, last = None, state.first, state.last
    if section is not None:
        chosen = _section(state, section)
        if chosen is None:
            raise unknown_name(
                "section",
                section,
                [each.name for each in _sections(state)],
                where=f"{_label(state)}, section",
            )
        name, first, last = chosen.name, chosen.first, chosen.last
    return Passage(
        state.label, state.simulation, name, first, last, "\n".join(text.split("\n")[first - 1 : last])
    )


# ---------------------------------------------------------------------------------------------- states and sections


def _label(state: State) -> str:
    return f"sim {state.simulation} {state.label}"


def _state_at(tree: Outline, firsts: Sequence[int], line: int) -> str | None:
    place = bisect_right(firsts, line) - 1
    if place < 0 or line > tree.states[place].last:
        return None
    return _label(tree.states[place])


def _only(found: Sequence[State], query: str | int, tree: Outline) -> State:
    if len(found) == 1:
        return found[0]
    if not found:
        labels = [_label(state) for state in tree.states]
        error = unknown_name("state", str(query), labels, where="state")
        if not error.expected:
            error.expected = (
                f"one of the {len(labels)} states, such as {labels[0]}" if labels else "no state here"
            )
        raise error
    shown = [f"{_label(state)} L{state.first}-{state.last}" for state in found[:_MAX_CANDIDATES]]
    more = len(found) - len(shown)
    raise LabrigError(
        f"{query!r} fits {len(found)} states",
        where="state",
        expected="one of " + ", ".join(shown) + (f" and {more} more" if more else ""),
        try_=f"its simulation too (sim {found[0].simulation} ...), or its line: L{found[0].first}",
    )


def _sections(state: State) -> list[Section]:
    sections = list(state.sections)
    if sections and sections[0].first > state.first:
        sections.insert(0, Section("head", state.first, sections[0].first - 1))
    return sections


def _section(state: State, words: str) -> Section | None:
    """Return the section of that name, short name, or beginning of a name if only one fits."""
    wanted = " ".join(words.split()).casefold()
    sections = _sections(state)
    for section in sections:
        if wanted in (section.name.casefold(), SHORT_NAMES.get(section.name, section.name).casefold()):
            return section
    fitting = [each for each in sections if wanted and each.name.casefold().startswith(wanted)]
    return fitting[0] if len({each.name for each in fitting}) == 1 else None


# ---------------------------------------------------------------------------------------------------- matching


def _check(pattern: str, context: int, limit: int, from_line: int) -> None:
    if not pattern or len(pattern) > _MAX_PATTERN or "\n" in pattern or "\0" in pattern:
        raise LabrigError(
            "The pattern cannot be searched for",
            where="pattern",
            expected=f"1 to {_MAX_PATTERN} characters without line feed or NUL; lines are searched one by one",
        )
    for name, value, low, high in (
        ("context", context, 0, MAX_CONTEXT),
        ("limit", limit, 1, MAX_HITS),
        ("from_line", from_line, 1, None),
    ):
        if value < low or (high is not None and value > high):
            raise LabrigError(
                f"{name} is {value}", where=name, expected=f"{low} to {high}" if high else f"at least {low}"
            )


def _occurrences(
    pattern: str, ignore_case: bool, lines: Sequence[str], from_line: int, limit: int
) -> tuple[int, list[tuple[int, int]]]:
    """Return how many lines contain a string, and number and place of those to be shown."""
    total, found = 0, list[tuple[int, int]]()
    wanted = pattern.casefold() if ignore_case else pattern
    for number, line in enumerate(lines, 1):
        start = (line.casefold() if ignore_case else line).find(wanted)
        if start >= 0:
            total += 1
            if number >= from_line and len(found) < limit:
                found.append((number, start))
    return total, found


# Reads a line of settings and the text; writes what `_occurrences` returns. It knows nothing of Labrig.
# The pipe whose number it is given has no writer but Labrig: when that is gone, the kernel sends SIGIO, which ends it.
_MATCHER = """
import fcntl, json, os, re, select, signal, sys
lifeline = int(sys.argv[1])
signal.signal(signal.SIGIO, signal.SIG_DFL)
fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
if select.select([lifeline], [], [], 0)[0]:
    sys.exit(1)
settings, _, text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass").partition("\\n")
pattern, flags, first, limit, chars = json.loads(settings)
match = re.compile(pattern, flags).search
total, found = 0, []
for number, line in enumerate(text.split("\\n"), 1):
    hit = match(line.removesuffix("\\r")[:chars])
    if hit:
        total += 1
        if number >= first and len(found) < limit:
            found.append((number, hit.start()))
sys.stdout.write(json.dumps([total, found]))
"""


def _matches(
    pattern: str, ignore_case: bool, text: str, from_line: int, limit: int
) -> tuple[int, list[tuple[int, int]]]:
    """Return the same for a regular expression, found by a process that can be ended."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    try:
        re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise LabrigError(
            f"The regular expression does not compile: {error}",
            where="pattern",
            expected="a regular expression of Python",
            try_=f"regex=false to find it as it is, or {re.escape(pattern)}",
        ) from None
    settings = json.dumps([pattern, int(flags), from_line, limit, MATCHED_CHARS])
    lifeline, held = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-W", "ignore", "-c", _MATCHER, str(lifeline)],
            pass_fds=(lifeline,),
            input=f"{settings}\n{text}".encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=REGEX_S,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise LabrigError(
            f"The regular expression took longer than {REGEX_S:g} s",
            where="pattern",
            expected="an expression without repetitions inside repetitions",
            try_="regex=false, or a simpler expression",
            code="limit",
        ) from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise LabrigError("The search failed", where=reason, code="internal") from None
    finally:
        os.close(lifeline)
        os.close(held)
    total, found = json.loads(done.stdout)
    return total, [(number, start) for number, start in found]


def _shown(line: str, start: int = 0) -> str:
    line = line.removesuffix("\r")
    if len(line) <= SHOWN_CHARS:
        return line
    first = max(0, min(start - SHOWN_CHARS // 2, len(line) - SHOWN_CHARS))
    last = first + SHOWN_CHARS
    return "…" * (first > 0) + line[first:last] + "…" * (last < len(line))
