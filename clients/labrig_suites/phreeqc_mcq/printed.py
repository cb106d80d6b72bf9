"""Reading a number in PHREEQC's main output: the independent way, beside the double that makes the truth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from labrig_suites.phreeqc_mcq.scenario import Printed

HEADING = re.compile(r"^-{3,}([A-Za-z][^-\n]*(?:-[^-\n]+)*?)-{3,}$", re.MULTILINE)
INDENTED = re.compile(r"\s+\S")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def sections(text: str, name: str) -> list[str]:
    """Return the text of each section of a name, in order, each up to the next heading."""
    headings = list(HEADING.finditer(text))
    ends = [*(each.start() for each in headings[1:]), len(text)]
    return [
        text[heading.end() : end]
        for heading, end in zip(headings, ends, strict=False)
        if heading[1].strip() == name
    ]


def cells(text: str, printed: Printed) -> Iterator[str]:
    """Yield the number, as it is printed, of each line of a text that begins with the row."""
    row = printed.row.split()
    lines = text.splitlines()
    for n, line in enumerate(lines):
        words = line.split()
        if words[: len(row)] != row:
            continue
        if printed.counted:
            yield str(sum(1 for _ in takewhile(INDENTED.match, lines[n + 1 :])))
            continue
        found = numbers(words[len(row) :])
        if len(found) > printed.column:
            yield found[printed.column]


def numbers(words: Iterable[str]) -> list[str]:
    """Return what are numbers of the words of a line."""
    return [word for word in words if NUMBER.fullmatch(word)]


def cell(text: str, printed: Printed, state: int) -> str | None:
    """Return a number of a whole output as it is printed, in a state counted from the last; None where it has none."""
    found = sections(text, printed.section)
    return next(cells(found[state], printed), None) if -len(found) <= state < 0 else None


def value(text: str, printed: Printed, state: int) -> float | None:
    """Return the same as a number, in the unit of the options."""
    found = cell(text, printed, state)
    return None if found is None else in_unit(found, printed)


def in_unit(cell: str, printed: Printed) -> float:
    """Return a printed number in the unit of the options."""
    return float(cell) * printed.scale
