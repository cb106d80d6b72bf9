"""The leaderboard, the suite's tables and comparisons on a console."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table as Grid
from rich.text import Text

from labrig_harness.records.chosen import titled
from labrig_harness.records.scoring import Scored
from labrig_harness.suite import Table
from labrig_study.report.errors import error_table
from labrig_study.report.evidence import evidence
from labrig_study.report.leaderboard import WITHOUT, Row, leaderboard
from labrig_study.report.passes import pass_table
from labrig_study.report.prose import percent, readable
from labrig_study.report.runs import runs_of
from labrig_study.report.tabular import Column, columns
from labrig_study.report.words import amount, share, size, span
from labrig_study.statistics import has_statistics

REACHED = ("arm", "agent", "n", "strict %", "95 % CI", "from", "compat %", "commit", "if commit")
TOOK = ("arm", "agent", "steps", "tokens in", "out", "cost", "median s", "result", "failed calls")
SURE = ("arm", "agent", "Wilson", "over clusters", "clusters", "design effect", "detectable")

WIDTH = 120
"""Characters of a line where standard output is no terminal."""

SHORT_CELL = 20
"""Cells up to this many characters are never broken."""

MOST_ROWS = 16
"""Longer tables are cut on a console; the report holds them whole."""


def stdout_console(width: int = WIDTH) -> Console:
    """Return a console on stdout; where that is not a terminal, wide enough for the tables."""
    return Console(width=None if sys.stdout.isatty() else width)


def print_scores(scored: Scored, console: Console) -> None:
    """Print the suite's tables, then the records that could not be read, and last the leaderboard."""
    for table in scored.tables:
        if table.rows:
            print_table(console, table)
    changed = evidence(runs_of(scored))
    if changed is not None:
        print_table(console, titled([changed], scored.chosen)[0])
    for title, lines in (("Not scored", scored.skipped), ("Missing", scored.missing)):
        if lines:
            console.print(Text(f"{title}: {len(lines)}", style="bold"))
            for line in lines:
                console.print(Text(f"  {readable(line)}"))
    _say_unranked(scored, console)
    for more in (error_table(scored), pass_table(scored)):
        if more is not None:
            print_table(console, more)
    suite = scored.suite
    title = f"{suite.name} {suite.version} (scorer {suite.scorer_version})"
    rows = leaderboard(scored)
    if not rows:
        console.print(Text(readable(f"{title}: no record to score")))
        return
    reached = tuple(_fill_reached(row, len(scored.tasks)) for row in rows)
    tables = [Table("What it took, per record", TOOK, tuple(map(_fill_took, rows)), _say_costs(rows))]
    if any(row.clustered for row in rows):
        tables.append(
            Table("How sure the accuracies are", SURE, tuple(map(_fill_sure, rows)), _say_remarks(rows))
        )
    tables.append(Table(title, REACHED, reached, _say_intervals(rows)))
    for table in titled(tables, scored.chosen):
        print_table(console, table)


def _say_unranked(scored: Scored, console: Console) -> None:
    changed = [run.name for run in runs_of(scored) if run.changed]
    unscored = sum(each.score is None for each in scored.records)
    if unscored:
        console.print(Text(f"Records of samples without a truth, which have no score: {unscored}"))
    for name in changed:
        console.print(Text(readable(f"Not ranked, its results were changed: {name}")))


def _fill_reached(row: Row, items: int) -> tuple[Any, ...]:
    interval = "–".join(percent(end) for end in row.interval) if row.interval else None
    return (
        row.arm,
        row.agent,
        f"{row.items}{f' of {items}' * (row.items < items)}{f' ({row.n})' * (row.n != row.items)}",
        percent(row.strict),
        interval,
        row.method,
        percent(row.compat),
        None if row.committed is None else f"{row.committed}/{row.n}",
        share(row.given_commit),
    )


def _fill_took(row: Row) -> tuple[Any, ...]:
    cost = row.cost
    return (
        row.arm,
        row.agent,
        None if row.steps is None else f"{row.steps:.1f}",
        amount(row.tokens_in) if row.tokens_in is not None else None,
        amount(row.tokens_out) if row.tokens_out is not None else None,
        None
        if cost is None
        else "mixed"
        if cost.amount is None
        else f"{'≥ ' * cost.least}{cost.amount:.4g} {cost.currency}",
        None if row.wall_s is None else f"{row.wall_s:.1f}",
        size(row.result_bytes),
        f"{row.failed_calls}/{row.calls}",
    )


def _fill_sure(row: Row) -> tuple[Any, ...]:
    resampled, design = row.resampled, row.design
    return (
        row.arm,
        row.agent,
        span(row.wilson) if row.wilson else None,
        span(resampled.interval) if resampled and resampled.interval else None,
        row.clusters,
        f"{design.deff:.2f}" if design and design.deff is not None else None,
        None if row.detectable is None else f"{100 * row.detectable:.1f} points",
    )


def _say_costs(rows: Sequence[Row]) -> str:
    tables = sorted({row.cost.table for row in rows if row.cost})
    some = [row for row in rows if 0 < row.tokens_known < row.n]
    said = ["– is not reported."]
    if some:
        said.append("Tokens are means over the records that report them.")
    if tables:
        said.append(f"Costs are by {'; '.join(tables)}.")
    if any(row.cost and row.cost.least for row in rows):
        said.append("≥: not all tokens were reported.")
    return " ".join(said)


def _say_remarks(rows: Sequence[Row]) -> str:
    said = dict.fromkeys(row.remark for row in rows if row.remark)
    head = "95 % intervals of strict. detectable: between two runs like this one on samples of their own, 4 times in 5."
    return " ".join([head, *(f"{each[:1].upper()}{each[1:]}." for each in said)])


def _say_intervals(rows: Sequence[Row]) -> str:
    if not has_statistics():
        return f"Wilson intervals, samples as independent; {WITHOUT}"
    return "Epochs are averaged within a sample." if any(row.epochs > 1 for row in rows) else ""


def print_table(console: Console, table: Table, most_rows: int | None = MOST_ROWS) -> None:
    """Print a table as `Text`, never as markup: what is printed was written by others.

    No number is ever cut: where the console is too narrow, columns are left out from the right, and named.
    """
    made = columns(table)
    widths = [_measure_width(each) for each in made]
    shown = len(made)
    while shown > 1 and sum(widths[:shown]) + 2 * shown > console.width:
        shown -= 1
    grid = Grid(title=Text(readable(table.title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    grid.collapse_padding = True
    for column, width in zip(made[:shown], widths, strict=False):
        justify: JustifyMethod = "right" if column.numeric else "left"
        grid.add_column(Text(column.name), justify=justify, overflow="fold", min_width=width)
    for row in list(zip(*(each.cells for each in made[:shown]), strict=True))[:most_rows]:
        grid.add_row(*map(Text, row))
    console.print(grid)
    if shown < len(made):
        left_out = ", ".join(each.name for each in made[shown:])
        console.print(Text(f"left out for want of width: {left_out}", style="dim"))
    if most_rows is not None and len(table.rows) > most_rows:
        console.print(
            Text(f"... {len(table.rows) - most_rows} more rows, all of them in the report", style="dim")
        )
    if table.note:
        console.print(Text(readable(table.note), style="dim"))


def _measure_width(column: Column) -> int:
    """Return the least width of a column: numbers and short cells whole, prose at least `SHORT_CELL`."""
    longest = max(map(len, column.cells), default=0)
    return max(
        longest if column.numeric or longest <= SHORT_CELL else SHORT_CELL, min(len(column.name), SHORT_CELL)
    )
