"""How well the audit does on records: what it finds of what a program corrupted, and what it blames falsely."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from labrig_harness.suite import Table
from labrig_study.audit.auditing import Audit
from labrig_study.audit.corrupting import WAYS, Corrupted
from labrig_study.cells import bounds, percent
from labrig_study.statistics.proportions import wilson


@dataclass(frozen=True)
class Found:
    """What an audit found in a corrupted answer.

    Attributes
    ----------
    caught
        Whether it flags the place that was changed.
    false
        How many other places it flags.
    """

    change: Corrupted
    caught: bool
    false: int


def judge(change: Corrupted, audit: Audit) -> Found:
    """Compare an audit with what was changed."""
    blamed = [
        (each.start, each.start + len(each.text)) for each in audit.flagged
    ]  # a quotation holds what it holds
    blamed += [(each.start, each.start) for each in audit.undone]
    caught = [span for span in blamed if span[0] <= change.end and span[1] >= change.start - 12]
    return Found(change, bool(caught), len(blamed) - len(caught))


COLUMNS = ("way", "corrupted", "found", "recall %", "95 % CI")


def table_of(found: Sequence[Found], clean: Sequence[Audit]) -> Table:
    """Return recall by way of corruption, and the precision of all that was flagged.

    Parameters
    ----------
    clean
        Audits of answers as they were: all that is flagged there counts as false.
    """
    asked, caught = (
        Counter(each.change.way for each in found),
        Counter(each.change.way for each in found if each.caught),
    )
    rows = [_row(way, asked[way], caught[way]) for way in WAYS if asked[way]]
    right = sum(caught.values())
    false = sum(each.false for each in found) + sum(len(each.flagged) + len(each.undone) for each in clean)
    rows.append(_row("all", len(found), right))
    accused = sum(bool(each.flagged or each.undone) for each in clean)
    low, high = wilson(right, right + false)
    return Table(
        "What the audit finds",
        COLUMNS,
        tuple(rows),
        f"{len(found) + len(clean)} answers, {len(found)} of them corrupted. Precision of what was flagged: "
        f"{percent(right, right + false)} % {bounds((low, high))} ({right} of {right + false} places). "
        f"{accused} of the {len(clean)} answers that were left as they were have something flagged; it may be right.",
    )


def _row(way: str, many: int, found: int) -> tuple[str | int | float | None, ...]:
    return way, many, found, percent(found, many), bounds(wilson(found, many))


def spread(ways: Sequence[str], many: int, draw: random.Random) -> list[str]:
    """Return so many ways, each as often as the others, in a drawn order."""
    dealt = [ways[n % len(ways)] for n in range(many)]
    draw.shuffle(dealt)
    return dealt
