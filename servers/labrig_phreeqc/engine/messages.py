"""PHREEQC's errors and warnings as single messages, each with the input line it is about.

PHREEQC prints a message after the echo of the line it was reading. Two warnings matter more than they look,
because the run goes on without the data and reports success: a line under no keyword (a misspelt
keyword) and an element that the database lacks (its concentration becomes zero). They come first.
"""

from __future__ import annotations

import re

from labrig_phreeqc.input.statements import Statement, statements

UNKNOWN_KEYWORD = "Unknown input, no keyword has been specified"
DROPPED_ELEMENT = "Could not find element in database"
MAX_MESSAGES = 40
_SEARCHES = 200
_COMPUTING = re.compile(r"iterations|converge|numerical|viscosity")
"""Words of messages that are about a calculation, and no line; an echo before them stands there by chance."""
_NOT_IN_DATABASE = re.compile(r"(?:not found|not find element) in database, (\S+?)\.?(?:\s|$)")


def is_ignored_input(message: str) -> bool:
    """Return whether a warning says that part of the input had no effect."""
    return message.startswith((UNKNOWN_KEYWORD, DROPPED_ELEMENT))


def _rank(message: str) -> int:
    """Misspelt keywords first: a whole block may hang on one."""
    return 0 if message.startswith(UNKNOWN_KEYWORD) else 1 if message.startswith(DROPPED_ELEMENT) else 2


def split_messages(raw: str, mark: str, text: str, output: str) -> list[str]:
    """Return the distinct messages of an error or warning text, most telling first.

    Parameters
    ----------
    raw
        The text of ``GetErrorString`` or ``GetWarningString``.
    mark
        ``ERROR`` or ``WARNING``.
    text
        The input, for line numbers.
    output
        The main output, in which PHREEQC echoes the line before the message.
    """
    if not raw.strip():
        return []
    places, words = _places(text)
    counted: dict[str, int] = {}
    echoes = _Echoes(output, mark)
    for message in _separate(raw, mark):
        if (
            counted and _one_line(message.partition("#")[0]) in places
        ):  # an error repeats the line as a message of its own
            last = next(reversed(counted))
            if "(line" not in last and counted[last] == 1:
                del counted[last]
                place = _place(message, places, last)
                counted[f"{last} ({place})" if place else last] = 1
            continue
        absent = _NOT_IN_DATABASE.search(message)
        if absent:
            where = _lines(words.get(absent[1], []))
        else:
            echo = "" if _COMPUTING.search(message) else echoes.before(message)
            where = _place(echo, places, message) if echo else ""
        whole = f"{_one_line(message)} ({where})" if where else _one_line(message)
        counted[whole] = counted.get(whole, 0) + 1
    ordered = sorted(counted, key=_rank)
    shown = [f"{each} [{counted[each]} times]" if counted[each] > 1 else each for each in ordered]
    hidden = len(shown) - MAX_MESSAGES
    return [*shown[:MAX_MESSAGES], f"... and {hidden} more messages"] if hidden > 0 else shown


def _separate(raw: str, mark: str) -> list[str]:
    """Split at lines that begin with the mark; other lines continue a message."""
    messages: list[list[str]] = []
    for line in raw.splitlines():
        if line.startswith(f"{mark}:"):
            messages.append([line.removeprefix(f"{mark}:").strip()])
        elif line.strip():
            if not messages:
                messages.append([])
            messages[-1].append(line.strip())
    return ["\n".join(lines) for lines in messages]


def _one_line(message: str) -> str:
    return " ".join(message.split())


_Places = dict[str, list[Statement]]


def _places(text: str) -> tuple[_Places, _Places]:
    """Return the statements of the input by their text, and by their first word.

    Keywords and the last statement have no place: a message after their echo is about what came before.
    """
    whole: _Places = {}
    first: _Places = {}
    for statement in statements(text):
        kept = [] if statement.is_keyword else [statement]
        whole.setdefault(_one_line(statement.text), []).extend(kept)
        first.setdefault(statement.first, []).extend(kept)
        last = statement
    if whole:
        whole[_one_line(last.text)] = []
    return whole, first


def _place(echo: str, places: _Places, message: str) -> str:
    """Say which line a message after an echo is about; several, where several read so."""
    shown = _one_line(echo.partition("#")[0])
    found = places.get(shown)
    if found is None:
        return f"line reads: {shown[:120]}"
    if message.startswith(UNKNOWN_KEYWORD):  # only a line that stands under no keyword can be meant
        found = [each for each in found if each.block in ("", "END")] or found
    return _lines(found)


def _lines(found: list[Statement]) -> str:
    if not found:
        return ""
    numbers = ", ".join(str(each.line) for each in found[:3]) + (", ..." if len(found) > 3 else "")
    return f"line{'s' if len(found) > 1 else ''} {numbers}: {found[0].text[:120]}"


class _Echoes:
    """The echoed input lines that stand directly before a message in the output."""

    def __init__(self, output: str, mark: str) -> None:
        self._output = output
        self._mark = mark
        self._position: dict[str, int] = {}
        self._searches = 0

    def before(self, message: str) -> str:
        """Return the echo before the next occurrence of a message, or an empty string."""
        needle = f"\n{self._mark}: {message.partition(chr(10))[0]}"
        self._searches += 1
        found = -1
        if self._searches <= _SEARCHES:
            found = self._output.find(needle, self._position.get(needle, 0))
        if found < 0:
            return ""
        self._position[needle] = found + len(needle)
        line = self._output[self._output.rfind("\n", 0, found) + 1 : found]
        return line.strip() if line.startswith("\t") else ""
