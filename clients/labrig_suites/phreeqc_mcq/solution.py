"""The reference solution: write the right input, run it, read one number in the printed output.

The answer comes from the results of the calls and the options of the prompt, and from nothing else. With a table of
contents it reads the one section that is meant; otherwise it reads the file, from its beginning, a piece at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.phreeqc_mcq import printed
from labrig_suites.phreeqc_mcq.scenario import Printed, Quantity, Scene
from labrig_suites.phreeqc_mcq.stems import find_stem

INPUT, RESULT = "input.pqi", "result.out"
MOST_PIECES = 12
OPTION = re.compile(r"^([A-D])\. (?:\D* )?(-?\d[\d.]*(?:e[-+]\d+)?)(?: .*)?$", re.MULTILINE)
WORDED = re.compile(r"^([A-D])\. (.*)$", re.MULTILINE)
STATUS = re.compile(r"^status: (\w+)$", re.MULTILINE)
SIZE = re.compile(r"^result\.out: (\d+) characters, (\d+) lines$", re.MULTILINE)
GO_ON = re.compile(r"\n\[\.\.\. cut at \d+ characters; go on with start_line (\d+) \.\.\.\]$")


def scene(sample: Sample) -> Scene:
    """Return the scene that an item is about.

    Raises
    ------
    Unsolvable
        For an item that was not generated here, or a stem that this version does not know.
    """
    stem = find_stem(sample.truth.get("stem"))
    if stem is None:
        raise Unsolvable(f"no reference solution for the stem {sample.truth.get('stem')!r}")
    return Scene(stem, sample.truth["numbers"], sample.truth["states"])


def solution(sample: Sample, arm: Arm) -> Solution:
    """Return the reference solution of an item under an arm's output protocol."""
    meant = scene(sample)
    run = (
        Call("write_file", {"path": INPUT, "content": meant.build}),
        Call("execute_phreeqc", {"input_path": INPUT, "database": meant.database}),
    )
    asked, prompt = meant.quantity, sample.brief.prompt
    read_from = [(part.printed, state) for state in meant.read_states for part in asked.parts]
    places = list(dict.fromkeys((where.section, state) for where, state in read_from))

    def choose(texts: Mapping[tuple[str, int], tuple[str, int]]) -> str:
        """Return the letter, from a text for each place and the state that is meant in it."""
        found = [_value(*texts[where.section, state], where, asked) for where, state in read_from]
        value = asked.judge(found)
        if value is None:
            raise Unsolvable(f"what was read gives no clear answer: {found}")
        if asked.form == "words":
            return worded(asked.show(value), prompt)
        return letter(value, lambda shown: asked.same(value, float(shown)), prompt)

    if (arm.serve.output or "toc") == "toc":

        def section(place: tuple[str, int]) -> Callable[[Sequence[str]], dict[str, Any]]:
            def arguments(results: Sequence[str]) -> dict[str, Any]:
                first, last = section_lines(executed(results), *place)
                return {"path": RESULT, "start_line": first, "end_line": last}

            return arguments

        def read(results: Sequence[str]) -> str:
            texts = results[2:]
            for (name, _), text in zip(places, texts, strict=True):
                first = printed.HEADING.match(text)
                if first is None or first[1].strip() != name or len(printed.HEADING.findall(text)) != 1:
                    raise Unsolvable(f"the text that was read is not one section {name!r}")
            return choose({place: (text, -1) for place, text in zip(places, texts, strict=True)})

        return Solution((*run, *(Call("read_file", section(place)) for place in places)), read)
    pieces = tuple(Call("read_file", _piece(n)) for n in range(MOST_PIECES if meant.stem.large else 2))

    def read_all(results: Sequence[str]) -> str:
        text = whole(results[2:])
        return choose({(name, state): (text, state) for name, state in places})

    return Solution((*run, *pieces), read_all)


def _value(text: str, state: int, where: Printed, asked: Quantity) -> float | None:
    """Return a number of a text; what an answer in words is judged by may be absent, another number may not."""
    if asked.form == "words":
        return printed.value(text, where, state)
    return printed.in_unit(cell(text, where, state), where)


def _piece(number: int) -> Callable[[Sequence[str]], dict[str, Any]]:
    """Return the arguments of the read that goes on where the one before was cut."""

    def arguments(results: Sequence[str]) -> dict[str, Any]:
        executed(results)
        if number == 0:
            return {"path": RESULT, "start_line": 1, "end_line": 10**9}
        cut = GO_ON.search(results[-1])
        return {"path": RESULT, "start_line": int(cut[1]) if cut else 1, "end_line": 10**9 if cut else 1}

    return arguments


def executed(results: Sequence[str]) -> str:
    """Return what the last execute_phreeqc returned, if the run went well."""
    text = next((each for each in reversed(results) if each.startswith("status: ")), "")
    status = STATUS.match(text)
    if status is None or status[1] not in ("ok", "ok_with_warnings"):
        raise Unsolvable(f"no run ended well: {text[:200]!r}")
    return text


def section_lines(text: str, name: str, state: int, among: Collection[str] = ()) -> tuple[int, int]:
    """Return the first and last line of a section of that name in a table of contents, counted from the last.

    `among` names what counts as a section, where a list has entries within sections, too; empty for all entries.
    """
    lists = [line for line in text.splitlines() if line.startswith("[{")]
    try:
        entries = [(int(each["line"]), str(each["section"])) for each in json.loads(lists[-1])]
        entries = [each for each in entries if not among or each[1] in among]
    except (IndexError, ValueError, TypeError, KeyError) as error:
        raise Unsolvable(f"no table of contents: {error}") from error
    starts = [n for n, (_, section) in enumerate(entries) if section == name]
    if not -len(starts) <= state < 0:
        raise Unsolvable(f"the table of contents has {len(starts)} sections {name!r}")
    n = starts[state]
    last = line_count(text)
    return entries[n][0], entries[n + 1][0] - 1 if n + 1 < len(entries) else last


def line_count(text: str) -> int:
    """Return the lines of the main output, of what execute_phreeqc returned."""
    size = SIZE.search(text)
    if size is None:
        raise Unsolvable("the size of result.out is not given")
    return int(size[2])


def whole(pieces: Sequence[str]) -> str:
    """Return a file from the pieces that were read, those after its end left out."""
    text: list[str] = []
    for piece in pieces:
        text.append(GO_ON.sub("", piece))
        if not GO_ON.search(piece):
            return "\n".join(text)
    raise Unsolvable(f"{RESULT} is larger than {len(pieces)} pieces")


def cell(text: str, where: Printed, state: int) -> str:
    """Return the number as it is printed."""
    found = printed.cell(text, where, state)
    if found is None:
        raise Unsolvable(f"no line {where.row!r} in section {where.section!r}, state {state}")
    return found


def worded(answer: str, prompt: str) -> str:
    """Return the option that says just this."""
    found = [name for name, text in WORDED.findall(prompt) if text == answer]
    if len(found) != 1:
        raise Unsolvable(f"{answer!r} is said by {len(found)} options")
    return str(found[0])


def letter(value: float, agrees: Callable[[str], bool], prompt: str) -> str:
    """Return the option that a number agrees with; `agrees` is given the number of an option, as it is shown."""
    options: dict[str, str] = dict(OPTION.findall(prompt))
    agreeing = [name for name, shown in options.items() if agrees(shown)]
    if len(agreeing) != 1:
        raise Unsolvable(f"{value:g} agrees with {len(agreeing)} of {len(options)} options")
    return agreeing[0]
