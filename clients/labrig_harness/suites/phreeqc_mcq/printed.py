"""Reading a number in PHREEQC's main output: the independent way, beside the double that makes the truth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from labrig_harness.suites.phreeqc_mcq.scenario import Printed

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


def number(section: str, printed: Printed) -> float | None:
    """Return a number of a section, in the unit of the options, or None where it has none."""
    return next(found(section, printed), None)


def found(text: str, printed: Printed) -> Iterator[float]:
    """Yield the number of each line of a text that begins with the row, in the unit of the options."""
    row = printed.row.split()
    lines = text.splitlines()
    for n, line in enumerate(lines):
        words = line.split()
        if words[: len(row)] != row:
            continue
        if printed.counted:
            yield sum(1 for _ in takewhile(INDENTED.match, lines[n + 1 :]))
            continue
        cells = numbers(words[len(row) :])
        if len(cells) > printed.column:
            yield cells[printed.column] * printed.scale


def numbers(words: Iterable[str]) -> list[float]:
    """Return what are numbers of the words of a line."""
    return [float(each) for each in words if NUMBER.fullmatch(each)]


def value(text: str, printed: Printed, state: int) -> float | None:
    """Return a number of a whole output, in the state counted from the last."""
    found = sections(text, printed.section)
    return number(found[state], printed) if -len(found) <= state < 0 else None
