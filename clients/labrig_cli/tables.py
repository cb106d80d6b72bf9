"""``tables``: the tables of the paper that a suite implements, recomputed from records."""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.tables.formulas import without_formula
from labrig.tables.writing import csv_text

if TYPE_CHECKING:
    from labrig_harness.suite import Table

PAPER = 240
"""Characters that the widest table takes."""

FORMATS = ("text", "markdown", "csv", "json")


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    tables = verbs.add_parser("tables", help="the tables of the suite's paper, by number, from records")
    tables.add_argument("out", type=Path, metavar="DIR")
    tables.add_argument(
        "--only", default="", metavar="N,N", help="only these tables, by number (default: all)"
    )
    tables.add_argument("--format", choices=FORMATS, default="text")
    tables.set_defaults(run=_print_tables)


def _print_tables(arguments: argparse.Namespace) -> int:
    from labrig_harness.records.scoring import paper_tables, score_folder
    from labrig_study.report.prose import readable
    from labrig_study.report.terminal import print_table, stdout_console

    scored = score_folder(arguments.out)
    if scored.suite.paper_tables is None:
        raise LabrigError(
            f"{scored.suite.name} implements no paper with tables",
            where=str(arguments.out),
            try_="labrig score",
        )
    made = _choose_tables(paper_tables(scored), arguments.only)
    for title, lines in (("Not scored", scored.skipped), ("Missing", scored.missing)):
        for line in lines:
            print(f"{title}: {readable(line)}", file=sys.stderr)
    if arguments.format == "json":
        print(json.dumps([asdict(each) for each in made], ensure_ascii=False, indent=1))
    elif arguments.format == "csv":
        print("\n".join(map(_write_csv, made)), end="")
    elif arguments.format == "markdown":
        print("\n".join(map(_write_markdown, made)), end="")
    else:
        # A table of a paper is wanted whole: only a terminal has an end.
        console = stdout_console(PAPER)
        for table in made:
            print_table(console, table, most_rows=None)
    return 0 if scored.whole else 1


def numbers(title: str) -> set[int]:
    """Return the numbers of a table's title.

    >>> sorted(numbers("Tables 10-13. Accuracy by output size")), numbers("Table 2. Kept")
    ([10, 11, 12, 13], {2})
    """
    found = re.match(r"Tables? (\d+)(?:-(\d+))?\.", title)
    return set(range(int(found[1]), int(found[2] or found[1]) + 1)) if found else set()


def _choose_tables(tables: list[Table], only: str) -> list[Table]:
    if not only:
        return tables
    try:
        wanted = {int(each) for each in only.split(",")}
    except ValueError:
        raise LabrigError("Tables are chosen by number", where=f"--only {only}", expected="2,18") from None
    known = set().union(*(numbers(each.title) for each in tables))
    if unknown := sorted(wanted - known):
        raise LabrigError(f"There is no table {unknown[0]}", where="--only", expected=f"1 to {max(known)}")
    return [each for each in tables if numbers(each.title) & wanted]


def _write_cell(value: Any) -> str:
    return "" if value is None else str(value)


def _write_csv(table: Table) -> str:
    rows = ([without_formula(_write_cell(value)) for value in row] for row in (table.columns, *table.rows))
    return csv_text([f"# {table.title}"], rows)


def _write_markdown(table: Table) -> str:
    def line(cells: Any) -> str:
        return "| " + " | ".join(_write_cell(each).replace("|", "\\|") for each in cells) + " |"

    lines = [f"**{table.title}**", ""]
    if table.rows:
        lines += [line(table.columns), line("---" for _ in table.columns), *map(line, table.rows), ""]
    return "\n".join([*lines, table.note, ""]) + "\n"
