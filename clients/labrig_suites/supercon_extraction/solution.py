"""The reference solution: pages as marked text, and tables cell by cell, through tools of the papers server alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.supercon_extraction.grading.text import bare, signs
from labrig_suites.supercon_extraction.items import FILE
from labrig_suites.supercon_extraction.reading import Stated, answer, continued, materials, pages_of, stated
from labrig_suites.supercon_extraction.targets import FIELDS, field

READS, TABLES = 3, 2
"""Calls for pages, which are enough for the longest made paper, and for its tables."""


def read_pages(arm: Arm, **arguments: str) -> list[Call]:
    """Return calls that read a paper to its end; those beyond it repeat the first.

    Raises
    ------
    Unsolvable
        For an arm without the papers server.
    """
    if arm.server != "papers":
        raise Unsolvable(f"no solution for the arm {arm.name}")

    def following(results: Sequence[str]) -> dict[str, Any]:
        return {"path": FILE, **arguments, **(continued(results[-1]) if results else {})}

    return [Call("read_pages", following) for _ in range(READS)]


def field_of(sample: Sample) -> str:
    """Return the field of a made paper; an Unsolvable says that a published one has none."""
    name = sample.labels.get("field", "")
    if name not in FIELDS or sample.labels.get("level") == "published":
        raise Unsolvable("no solution for a paper that was not made here")
    return name


def solution(sample: Sample, arm: Arm) -> Solution:
    """Return the reference solution of a paper; the truth is not looked at.

    Raises
    ------
    Unsolvable
        For an arm without the papers server, and for a published paper.
    """
    name = field_of(sample)
    listed = Call("read_table", {"path": FILE})
    tables = [Call("read_table", _nth_table(number)) for number in range(TABLES)]

    def conclude(results: Sequence[str]) -> str:
        pages = pages_of(results[:READS])
        found = [each for number, text in pages.items() for each in stated(text, number, name, plain=False)]
        for result in dict.fromkeys(results[READS + 1 :]):
            found += cells(result, name)
        return answer(found, materials(pages.values()))

    return Solution((*read_pages(arm), listed, *tables), conclude)


def _nth_table(number: int) -> Any:
    def arguments(results: Sequence[str]) -> dict[str, Any]:
        names = re.findall(r'"table": "([^"]+)"', results[READS])
        return {"path": FILE, **({"table": names[number]} if number < len(names) else {})}

    return arguments


def cells(result: str, name: str) -> list[Stated]:
    """Return what a table states: heads name the property and its unit, first cells the sample."""
    page, columns, rows = (_data(result, each) for each in ("page", "columns", "rows"))
    if not isinstance(page, int) or not isinstance(columns, list) or not isinstance(rows, list):
        return []
    by_head = {bare(target.head): target for target in field(name).targets if target.head}
    found = []
    for row in rows:
        first, *others = row["cells"]
        for column, cell in zip(columns[1:], others, strict=True):
            head = re.sub(r"\s*\([^()]*\)$", "", column["name"]) if column.get("unit") else column["name"]
            target = by_head.get(bare(head))
            if target is not None and re.search(r"\d", cell):
                value = f"{signs(cell)} {signs(column.get('unit', ''))}".strip()
                found.append(Stated(target, signs(first), value, page, row["quote"], "table"))
    return found


def _data(result: str, name: str) -> Any:
    line = re.search(rf"^{name}: (.+)$", result, re.MULTILINE)
    if line is None:
        return None
    try:
        return json.loads(line[1])
    except ValueError:
        return None
