"""Predicted and reference calls, paired in their order by dynamic programming.

A pair is a predicted and a reference call that match: ``exact``, the same tool (or one that the reference says is as
good), or ``group``, tools of the same family. Pairs do not cross. Of all such pairings that one is taken which has the
most pairs, of those the most exact ones, of those the most alike arguments; where all of that is equal, the earliest
calls are paired. So a call that was made again with better arguments counts by its better form.

The cost is the product of the two lengths, in time and (a byte each) in memory. Arguments are looked at while there are
at most `MOST_COMPARED` ways to pair calls of one tool; beyond, the earliest calls are paired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from labrig_suites.terrabench.metrics.arguments import similarity
from labrig_suites.terrabench.metrics.calls import Made
from labrig_suites.terrabench.metrics.families import Grouping, family_of

By = Literal["exact", "group"]

MOST_COMPARED = 40_000
"""Comparisons of arguments, some 2 s: 200 calls of one tool against 200."""

_FINE = 1_000
"""Steps in which the likeness of arguments is counted when pairings are compared."""


@dataclass(frozen=True)
class Pair:
    """A predicted and a reference call that match, by their places (0-based), and how."""

    predicted: int
    reference: int
    exact: bool


def align(
    predicted: Sequence[Made],
    reference: Sequence[Made],
    by: By = "group",
    *,
    grouping: Grouping = "paper",
    likeness: Callable[[Made, Made], float] | None = None,
) -> list[Pair]:
    """Pair calls in their order, as the head of this module says.

    Parameters
    ----------
    predicted, reference
        Calls that count: valid ones.
    by
        ``exact``: the same tool alone; ``group``: also tools of one family.
    grouping
        Families of the paper or groups of the public code.
    likeness
        How alike the arguments of a pair are, in [0, 1]; `similarity` where there is none given.

    Returns
    -------
    list of Pair
        In order of both sides.
    """
    alike = likeness or _likeness
    if comparisons(predicted, reference) > MOST_COMPARED:
        alike = _equal
    pair_worth = (len(reference) + 1) ** 2 * (_FINE + 1)
    exact_worth = (len(reference) + 1) * (_FINE + 1)
    mine = [family_of(each.tool, grouping) for each in predicted]
    theirs = [family_of(each.tool, grouping) for each in reference]
    worth = [0] * (len(reference) + 1)
    moves = []
    for row, call in enumerate(predicted):
        above = worth
        worth = [0] * (len(reference) + 1)
        move = bytearray(len(reference))
        best = 0
        for column, wanted in enumerate(reference):
            # 1: the reference's call has no partner, 2: the predicted one has none, 3: they are a pair.
            choice = 1
            if above[column + 1] >= best:
                best, choice = above[column + 1], 2
            same = call.tool == wanted.tool or call.tool in wanted.instead
            if same or (by == "group" and mine[row] == theirs[column]):
                gain = above[column] + pair_worth
                if same:
                    gain += exact_worth + round(_FINE * alike(call, wanted))
                if gain > best:
                    best, choice = gain, 3
            worth[column + 1] = best
            move[column] = choice
        moves.append(move)
    pairs = []
    row, column = len(predicted), len(reference)
    while row and column:
        choice = moves[row - 1][column - 1]
        if choice == 3:
            call, wanted = predicted[row - 1], reference[column - 1]
            same = call.tool == wanted.tool or call.tool in wanted.instead
            pairs.append(Pair(row - 1, column - 1, same))
            row, column = row - 1, column - 1
        elif choice == 2:
            row -= 1
        else:
            column -= 1
    return pairs[::-1]


def comparisons(predicted: Sequence[Made], reference: Sequence[Made]) -> int:
    """Return how many pairs of one tool there are."""
    made = Counter(each.tool for each in predicted)
    return sum(made[tool] for each in reference for tool in {each.tool, *each.instead})


def _likeness(mine: Made, theirs: Made) -> float:
    return similarity(mine.arguments, theirs.arguments, theirs.kinds)


def _equal(mine: Made, theirs: Made) -> float:
    return 0.0


def followed(reference: Sequence[Made], predicted: Sequence[Made]) -> list[Made]:
    """Return the reference in that order, of those it allows, in which the predicted calls come.

    A call whose `after` is None comes after all before it, so a reference that says nothing stays as it is. Of the
    calls that may come next, the one is taken whose tool was predicted first (each predicted call stands for one);
    what was never predicted comes as soon as it may, in the reference's order.
    """
    if all(each.after is None for each in reference):
        return list(reference)
    waits = [set(range(place) if each.after is None else each.after) for place, each in enumerate(reference)]
    when = _when(reference, predicted)
    left, order = set(range(len(reference))), []
    done: set[int] = set()
    while left:
        free = [place for place in sorted(left) if waits[place] <= done]
        order.append(min(free, key=lambda place: (when[place], place)))
        left.discard(order[-1])
        done.add(order[-1])
    places = {old: new for new, old in enumerate(order)}
    return [
        replace(
            reference[old],
            after=None
            if reference[old].after is None
            else tuple(places[each] for each in reference[old].after or ()),
        )
        for old in order
    ]


def _when(reference: Sequence[Made], predicted: Sequence[Made]) -> list[int]:
    """Return for each call of the reference the place of the predicted call that stands for it, -1 for none."""
    alike = _likeness if comparisons(predicted, reference) <= MOST_COMPARED else _equal
    taken: set[int] = set()
    found = []
    for wanted in reference:
        fitting = [
            place
            for place, call in enumerate(predicted)
            if place not in taken and (call.tool == wanted.tool or call.tool in wanted.instead)
        ]
        best = max(fitting, key=lambda place: (alike(predicted[place], wanted), -place), default=-1)
        taken.add(best)
        found.append(best)
    return found
