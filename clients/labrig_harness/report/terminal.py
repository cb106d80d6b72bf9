"""The leaderboard and the suite's tables on a console."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from labrig_harness.records import Scored
from labrig_harness.report.leaderboard import Row, leaderboard
from labrig_harness.report.prose import looks_numeric, percent, plain, readable

_COLUMNS = ("arm", "agent", "n", "strict %", "95 % interval", "compat %", "committed", "mean steps")


def print_scores(scored: Scored, console: Console) -> None:
    """Print the leaderboard, then the suite's tables, then the records that could not be read."""
    suite = scored.suite
    title = f"{suite.name} {suite.version} (scorer {suite.scorer_version})"
    rows = leaderboard(scored)
    if rows:
        console.print(_table(title, _COLUMNS, [_cells(row) for row in rows]))
    else:
        console.print(Text(f"{title}: no record to score"))
    for table in scored.tables:
        console.print(_table(table.title, table.columns, table.rows))
        if table.note:
            console.print(Text(readable(table.note), style="dim"))
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


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Return a table of `Text`, never of markup: what is printed was written by others."""
    table = Table(title=Text(readable(title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    body = [list(row) for row in rows]
    for index, column in enumerate(columns):
        cells = [row[index] for row in body if index < len(row)]
        right = bool(cells) and all(looks_numeric(cell) for cell in cells)
        table.add_column(Text(readable(column)), justify="right" if right else "left")
    for row in body:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table
