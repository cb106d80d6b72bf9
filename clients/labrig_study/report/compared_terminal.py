"""A comparison on a console, in words that a reader needs no manual for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from labrig_harness.suite import Table
from labrig_study.report.compared import arm_lines, paired_lines
from labrig_study.report.prose import readable
from labrig_study.report.terminal import print_table
from labrig_study.report.words import findings

if TYPE_CHECKING:
    from labrig_study.statistics.comparison import Comparison


def print_comparison(
    comparison: Comparison, a: str, b: str, console: Console, notes: Sequence[str] = ()
) -> None:
    """Print a comparison.

    Parameters
    ----------
    a, b
        What the runs are called.
    notes
        Caveats beside those of the comparison itself.
    """
    for letter, name in (("A", a), ("B", b)):
        console.print(Text(readable(f"{letter}  {name}"), style="bold"))
    arms = tuple(arm_lines(comparison))
    print_table(console, Table("Each run over all of its own samples", ("quantity", "A", "B"), arms))
    for heading, lines in paired_lines(comparison):
        rows = tuple((line.name, line.value, line.about) for line in lines)
        print_table(console, Table(heading, ("quantity", "value", "what it is"), rows))
    for sentence in findings(comparison):
        console.print(Text(readable(sentence)))
        console.print()
    for note in (*notes, *comparison.notes):
        console.print(Text(f"- {readable(note)}", style="dim"))
