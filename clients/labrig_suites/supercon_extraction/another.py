"""A second solution: plain text without marks, tables as lines of it, their columns by the words of the caption."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Solution
from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.reading import (
    Stated,
    answer,
    materials,
    one_line,
    pages_of,
    stated,
    without_marks,
)
from labrig_suites.supercon_extraction.solution import field_of, read_pages
from labrig_suites.supercon_extraction.targets import field

CAPTION = re.compile(r"TABLE ([IV]+)\. Measured values of this work: (.*?)\. Numbers in brackets")
NO_UNIT = ("zt",)
_UNIT = re.compile(r"\(([^()]*[A-Za-zÅμΩ%][^()]*)\)")
_CELL = re.compile(r"-?\d+(?:\.\d+)?(?:\(\d+\))?")


def another(sample: Sample, arm: Arm) -> Solution:
    """Return a second solution of a paper.

    Raises
    ------
    Unsolvable
        For an arm without the papers server, and for a published paper.
    """
    name = field_of(sample)

    def conclude(results: Sequence[str]) -> str:
        pages = pages_of(results)
        found = []
        for number, text in pages.items():
            found += stated(text, number, name, plain=True)
            found += rows(text, number, name)
        return answer(found, materials(pages.values()))

    return Solution(tuple(read_pages(arm, format="plain")), conclude)


def rows(text: str, page: int, name: str) -> list[Stated]:
    """Return what lines of a material and numbers state, table by table in the order of the captions.

    A table has as many numbers in a line as its caption explains columns; the units stand in brackets above them.
    """
    told = {without_marks(target.head_about): target for target in field(name).targets if target.head}
    captions = [
        [told[part.partition(", ")[2]] for part in found[2].split("; ") if part.partition(", ")[2] in told]
        for found in CAPTION.finditer(without_marks(one_line(text)))
    ]
    found: list[Stated] = []
    for targets, (units, lines) in zip(captions, _blocks(text), strict=False):
        columns = iter(units)
        of_each = ["" if target.key in NO_UNIT else next(columns, "") for target in targets]
        for first, *cells in lines:
            quote = " ".join([first, *cells])
            found += [
                Stated(target, first, f"{cell} {unit}".strip(), page, quote, "table")
                for target, unit, cell in zip(targets, of_each, cells, strict=False)
            ]
    return found


def _blocks(text: str) -> list[tuple[list[str], list[list[str]]]]:
    """Return the lines of tables, each table with the units in the lines above it."""
    blocks: list[tuple[list[str], list[list[str]]]] = []
    head = ""
    inside = False
    for line in signs(text).splitlines():
        first, *cells = line.split() or [""]
        if len(cells) > 2 and re.match(r"[A-Z]", first) and all(map(_CELL.fullmatch, cells)):
            if not inside:
                blocks.append((_UNIT.findall(head), []))
            blocks[-1][1].append([first, *cells])
            inside, head = True, ""
        elif line.strip():
            # A head is the line above the rows, or two of them; what stands before it is the caption or the text.
            inside, head = False, line if re.match(r"\s*(?:Sample|Compound)\b", line) else ""
    return blocks
