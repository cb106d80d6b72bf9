"""The leaderboard and the suite's tables on a console."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from labrig_harness.records import Scored
from labrig_harness.report.leaderboard import Row, leaderboard
from labrig_harness.report.prose import percent, readable
from labrig_harness.report.tabular import columns
from labrig_harness.suite import Table

_COLUMNS = ("arm", "agent", "n", "strict %", "95 % interval", "compat %", "committed", "mean steps")


def print_scores(scored: Scored, console: Console) -> None:
    """Print the leaderboard, then the suite's tables, then the records that could not be read."""
    suite = scored.suite
    title = f"{suite.name} {suite.version} (scorer {suite.scorer_version})"
    rows = leaderboard(scored)
    if rows:
        _print(console, Table(title, _COLUMNS, tuple(map(_cells, rows))))
    else:
        console.print(Text(readable(f"{title}: no record to score")))
    for table in scored.tables:
        _print(console, table)
    if scored.skipped:
        console.print(Text(f"Not read: {len(scored.skipped)}", style="bold"))
        for reason in scored.skipped:
            console.print(Text(f"  {readable(reason)}"))


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
    """Print a table as `Text`, never as markup: what is printed was written by others."""
    grid = Grid(title=Text(readable(table.title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    made = columns(table)
    for each in made:
        grid.add_column(Text(each.name), justify="right" if each.numeric else "left", overflow="fold")
    for row in zip(*(each.cells for each in made), strict=True):
        grid.add_row(*map(Text, row))
    console.print(grid)
    if table.note:
        console.print(Text(readable(table.note), style="dim"))
