"""The six process metrics and ToolUseScore (section 4.3.1, Appendix D.1, Eq. 3 to 7).

=================== ==========================================================================================
InstAcc             valid calls / calls made
ToolCallSuccessRate successful calls / calls made
ToolAcc             calls of the reference that have a partner, by tool or family / calls of the reference
CategoryF1          F1 of the two multisets of families
ArgAcc              likeness of arguments, mean over the pairs of the alignment (`over="pairs"`, as published)
OrderScore          `labrig_suites.terrabench.metrics.order`
ToolUseScore        .30 ToolAcc + .15 InstAcc + .20 ArgAcc + .15 CategoryF1 + .15 OrderScore + .05 ToolCallSuccessRate
=================== ==========================================================================================

Valid calls alone are aligned and counted by family. Who made no call gets 0 in all of it. A reference without a valid
call asks for none: a run without any then gets 1 in all of it, and a run with some gets what its own calls are worth in
InstAcc and ToolCallSuccessRate, and 0 in the rest.

ArgAcc over pairs rewards whoever makes one right call and no other. ``over="reference"`` divides by the calls of the
reference, so what was never called counts 0; ToolUseScore is then not the published one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from labrig_study.statistics.checking import one_of
from labrig_suites.terrabench.metrics.alignment import Pair, align, followed
from labrig_suites.terrabench.metrics.arguments import f1, similarity_parts
from labrig_suites.terrabench.metrics.calls import Made
from labrig_suites.terrabench.metrics.families import Grouping, family_of
from labrig_suites.terrabench.metrics.order import Order, order_score

WEIGHTS = {
    "ToolAcc": 0.30,
    "InstAcc": 0.15,
    "ArgAcc": 0.20,
    "CategoryF1": 0.15,
    "OrderScore": 0.15,
    "ToolCallSuccessRate": 0.05,
}
"""The published weights; they add up to 1."""

ArgOver = Literal["pairs", "reference"]


@dataclass(frozen=True)
class Process:
    """The process metrics of a run, each in [0, 1].

    Attributes
    ----------
    metrics
        By the paper's names: the six of `WEIGHTS`, and ``ToolUseScore``.
    exact
        The share of the reference's calls that have a partner of the very tool, in an alignment by tool alone.
    keys, values
        The two halves of ArgAcc.
    order
        The three parts of OrderScore.
    pairs
        The alignment that ToolAcc and ArgAcc rest on, by places in the valid calls and in the reference.
    made, valid, succeeded, wanted
        Numbers of calls: made, valid, successful, of the reference.
    path
        Which of the accepted paths this was scored against (0-based).
    """

    metrics: dict[str, float]
    exact: float
    keys: float
    values: float
    order: Order
    pairs: tuple[Pair, ...]
    made: int
    valid: int
    succeeded: int
    wanted: int
    path: int = 0

    @property
    def score(self) -> float:
        """ToolUseScore."""
        return self.metrics["ToolUseScore"]


def tool_use_score(metrics: dict[str, float]) -> float:
    """Return ToolUseScore (Eq. 7) of the six metrics by name."""
    return sum(weight * metrics[name] for name, weight in WEIGHTS.items())


def process(
    predicted: Sequence[Made],
    paths: Sequence[Sequence[Made]],
    *,
    over: ArgOver = "pairs",
    grouping: Grouping = "paper",
) -> Process:
    """Score the calls of a run against the accepted paths of an item; the best ToolUseScore counts.

    Parameters
    ----------
    predicted
        Calls that are no meta calls, in their order.
    paths
        At least one way to solve the item, as reference calls. A path that says which of its calls must come after
        which (`Made.after`) is tried in its own order and in that allowed one which the run went.
    over
        What ArgAcc is a mean over.

    Raises
    ------
    ValueError
        If there is no path.
    """
    one_of(over, get_args(ArgOver), "over")
    if not paths:
        raise ValueError("paths is empty: an item has at least one way to solve it")
    valid = [each for each in predicted if each.valid]
    best: Process | None = None
    for number, path in enumerate(paths):
        known: dict[tuple[int, int], tuple[float, float]] = {}
        ways = [list(path)]
        if any(each.after is not None for each in path):
            ways.append(followed(path, valid))
        for way in ways:
            found = _process(predicted, valid, way, number, over, grouping, known)
            if best is None or found.score > best.score + 1e-12:
                best = found
    assert best is not None
    return best


def _process(
    predicted: Sequence[Made],
    valid: Sequence[Made],
    wanted: Sequence[Made],
    number: int,
    over: ArgOver,
    grouping: Grouping,
    known: dict[tuple[int, int], tuple[float, float]],
) -> Process:
    def parts(mine: Made, theirs: Made) -> tuple[float, float]:
        place = (id(mine.arguments), id(theirs.arguments))
        if place not in known:
            known[place] = similarity_parts(mine.arguments, theirs.arguments, theirs.kinds)
        return known[place]

    def likeness(mine: Made, theirs: Made) -> float:
        keys, values = parts(mine, theirs)
        return (keys + values) / 2

    made, succeeded = len(predicted), sum(each.valid and each.success for each in predicted)
    nothing = float(not made and not wanted)  # nothing was asked for, and nothing done
    pairs = align(valid, wanted, "group", grouping=grouping, likeness=likeness)
    exact = align(valid, wanted, "exact", grouping=grouping, likeness=likeness)
    of_pairs = [parts(valid[each.predicted], wanted[each.reference]) for each in pairs]
    size = len(pairs) if over == "pairs" else len(wanted)
    keys = sum(each[0] for each in of_pairs) / size if size else nothing
    values = sum(each[1] for each in of_pairs) / size if size else nothing
    mine = [family_of(each.tool, grouping) for each in valid]
    theirs = [family_of(each.tool, grouping) for each in wanted]
    # A run without a valid call did nothing: where something was made, an empty multiset equals no other.
    order = order_score(mine, theirs) if mine or theirs or not made else Order(0.0, 0.0, 0.0)
    metrics = {
        "InstAcc": len(valid) / made if made else nothing,
        "ToolCallSuccessRate": succeeded / made if made else nothing,
        "ToolAcc": len(pairs) / len(wanted) if wanted else nothing,
        "CategoryF1": f1(Counter(mine), Counter(theirs)) if mine or theirs or not made else 0.0,
        "ArgAcc": (keys + values) / 2,
        "OrderScore": order.score,
    }
    metrics["ToolUseScore"] = tool_use_score(metrics)
    return Process(
        metrics=metrics,
        exact=len(exact) / len(wanted) if wanted else nothing,
        keys=keys,
        values=values,
        order=order,
        pairs=tuple(pairs),
        made=made,
        valid=len(valid),
        succeeded=succeeded,
        wanted=len(wanted),
        path=number,
    )
