"""The leaderboard and the suite's tables on a console."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table as Grid
from rich.text import Text

from labrig_harness.records import Scored
from labrig_harness.report.leaderboard import Row, leaderboard
from labrig_harness.report.prose import percent, readable
from labrig_harness.report.tabular import Column, columns
from labrig_harness.suite import Table

_COLUMNS = ("arm", "agent", "n", "strict %", "95 % CI", "compat %", "commit", "steps")


SHORT_CELL = 20
"""Cells up to this many characters are never broken."""

MOST_ROWS = 16
"""Longer tables are cut on a console; the report holds them whole."""


def print_scores(scored: Scored, console: Console) -> None:
    """Print the suite's tables, then the records that could not be read, and last the leaderboard."""
    for table in scored.tables:
        if table.rows:
            _print(console, table)
    for title, lines in (("Not scored", scored.skipped), ("Missing", scored.missing)):
        if lines:
            console.print(Text(f"{title}: {len(lines)}", style="bold"))
            for line in lines:
                console.print(Text(f"  {readable(line)}"))
    suite = scored.suite
    title = f"{suite.name} {suite.version} (scorer {suite.scorer_version})"
    rows = leaderboard(scored)
    if rows:
        _print(console, Table(title, _COLUMNS, tuple(map(_cells, rows))))
    else:
        console.print(Text(readable(f"{title}: no record to score")))


def _cells(row: Row) -> tuple[Any, ...]:
    interval = "–".join(percent(end) for end in row.interval) if row.interval else None
    share = f"{row.committed}/{row.n}"
    return (
        row.arm,
        row.agent,
        row.n,
        percent(row.strict),
        interval,
        percent(row.compat),
        share,
        f"{row.steps:.1f}",
    )


def _print(console: Console, table: Table) -> None:
    """Print a table as `Text`, never as markup: what is printed was written by others.

    No number is ever cut: where the console is too narrow, columns are left out from the right, and named.
    """
    made = columns(table)
    widths = [_width(each) for each in made]
    shown = len(made)
    while shown > 1 and sum(widths[:shown]) + 2 * shown > console.width:
        shown -= 1
    grid = Grid(title=Text(readable(table.title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    grid.collapse_padding = True
    for each, width in zip(made[:shown], widths, strict=False):
        justify: JustifyMethod = "right" if each.numeric else "left"
        grid.add_column(Text(each.name), justify=justify, overflow="fold", min_width=width)
    for row in list(zip(*(each.cells for each in made[:shown]), strict=True))[:MOST_ROWS]:
        grid.add_row(*map(Text, row))
    console.print(grid)
    if shown < len(made):
        left_out = ", ".join(each.name for each in made[shown:])
        console.print(Text(f"left out for want of width: {left_out}", style="dim"))
    if len(table.rows) > MOST_ROWS:
        console.print(
            Text(f"... {len(table.rows) - MOST_ROWS} more rows, all of them in the report", style="dim")
        )
    if table.note:
        console.print(Text(readable(table.note), style="dim"))


def _width(column: Column) -> int:
    """Return the least width of a column: numbers and short cells whole, prose at least `SHORT_CELL`."""
    longest = max(map(len, column.cells), default=0)
    return max(
        longest if column.numeric or longest <= SHORT_CELL else SHORT_CELL, min(len(column.name), SHORT_CELL)
    )
