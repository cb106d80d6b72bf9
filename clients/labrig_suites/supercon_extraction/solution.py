"""The reference solution: pages as marked text, and tables cell by cell, through tools of the papers server alone.

Where the server sees no grid, as in a table that stands sideways, or parts cells into two, its lines are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.common.answer_data import data
from labrig_suites.supercon_extraction.by_tools import by_tools
from labrig_suites.supercon_extraction.grading.text import bare, signs
from labrig_suites.supercon_extraction.items import FILE
from labrig_suites.supercon_extraction.making.long_papers import LEVEL as LONG
from labrig_suites.supercon_extraction.printed_rows import Block, blocks, captions, rows, taken_after
from labrig_suites.supercon_extraction.reading import (
    NUMBER,
    Stated,
    answer,
    continued,
    materials,
    pages_of,
    stated,
)
from labrig_suites.supercon_extraction.targets import FIELDS, field

READS, TABLES = 3, 3
"""Calls for pages, which are enough for the longest made paper, and for its tables."""
SURE = 0.8
"""Confidence below which the server says that a grid is uncertain."""


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

    Of a paper of level 5 it is the tools' own reading (`by_tools`), which is far from the truth.

    Raises
    ------
    Unsolvable
        For an arm without the papers server, and for a published paper.
    """
    name = field_of(sample)
    if sample.labels["level"] == str(LONG):
        return by_tools(sample, arm)
    listed = Call("read_table", {"path": FILE})
    tables = [Call("read_table", _nth_table(number, name)) for number in range(TABLES)]

    def conclude(results: Sequence[str]) -> str:
        pages = pages_of(results[:READS])
        found = [each for number, text in pages.items() for each in stated(text, number, name, plain=False)]
        for result in dict.fromkeys(results[READS + 1 :]):
            page = data(result, "page")
            if isinstance(page, int) and page in pages:
                found += cells(result, name, pages, page)
        gridded = {page for _, page in grids(results, name)}
        for page in captions(pages, name).keys() - gridded:
            found += rows(pages, page, name)
        return answer(found, materials(pages.values()))

    return Solution((*read_pages(arm), listed, *tables), conclude)


def _nth_table(number: int, name: str) -> Any:
    def arguments(results: Sequence[str]) -> dict[str, Any]:
        table, page = ([*grids(results, name), *[("", 0)] * TABLES])[number]
        return {"path": FILE, **({"table": table, "pages": str(page)} if table else {})}

    return arguments


def grids(results: Sequence[str], name: str) -> list[tuple[str, int]]:
    """Return names and pages of the tables that are read as grids.

    They are those of pages on which the server lists each table with all rows of its text, no cell in two, and a
    confidence of which it does not warn.
    """
    pages = pages_of(results[:READS])
    listed = {(each["table"], each["page"]): each for each in data(results[READS], "tables") or []}
    found = []
    for page in pages:
        there = blocks(pages, page, name)
        known = [(listed.get((f"TABLE {block.numeral}", page)), block) for block in there]
        if all(each is not None and _fits(each, block) for each, block in known):
            found += [(f"TABLE {block.numeral}", page) for block in there]
    return found


def _fits(listed: Mapping[str, Any], block: Block) -> bool:
    most = len(block.columns) + 2  # a label before them, and remarks behind
    whole = listed["rows"] == len(block.rows) and listed["columns"] <= most
    return bool(whole and listed["confidence"] >= SURE)


def cells(result: str, name: str, pages: Mapping[int, str], page: int) -> list[Stated]:
    """Return what a table states: heads name the property, first cells the sample.

    The unit stands in the head, in the cell, or in the caption; a cell with the letter of a note that says "taken from"
    is a value of others.
    """
    table, columns, table_rows = (data(result, each) for each in ("table", "columns", "rows"))
    if not isinstance(columns, list) or not isinstance(table_rows, list):
        return []
    by_head = {bare(target.head): target for target in field(name).targets if target.head}
    stated_columns = dict(captions(pages, name).get(page, [])).get(str(table).removeprefix("TABLE "), [])
    told = {column.target.key: column.unit for column in stated_columns}
    found = []
    for row in table_rows:
        first, *others = row["cells"]
        taken = taken_after(pages, page, row["quote"])
        for column, cell in zip(columns[1:], others, strict=True):
            unit = signs(column.get("unit", ""))
            unit = unit if re.search(r"[A-Za-zÅμΩ%]", unit) else ""  # the (0) of a head is no unit
            head = re.sub(r"\s*\([^()]*\)$", "", column["name"]) if unit else column["name"]
            target = by_head.get(bare(head))
            if target is None or not re.search(r"\d", cell):
                continue
            letter = re.search(r"\^\{([ab])\}", cell)
            if letter is None or letter[1] != taken:
                value = signs(re.sub(r"\^\{[ab]\}", "", cell))
                own = re.fullmatch(NUMBER, value) is None
                value = value if own else f"{value} {unit or told.get(target.key, '')}".strip()
                found.append(Stated(target, signs(first), value, page, row["quote"], "table"))
    return found
