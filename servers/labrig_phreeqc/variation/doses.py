"""The dose at which a quantity has a value: the range is searched evenly, then ever closer about the first crossing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labrig_phreeqc.variation.points import Point, Question, evenly
from labrig_phreeqc.variation.treatment import DOSE

SEARCHED = 21
_CLOSER = 9
_ROUNDS = 12
TOLERANCE = 1e-5
"""Of a value (pH, saturation index), or of its size where that is greater than 1."""


@dataclass(frozen=True)
class Dose:
    """The first dose in a range at which a quantity has a value.

    Attributes
    ----------
    found
        The point of that dose; None where the quantity does not have the value in the range.
    curve
        The points of the even search.
    jump
        The values on both sides, where the quantity jumps over the value and does not have it.
    again
        Between which other doses it has the value once more.
    """

    found: Point | None
    curve: Sequence[Point]
    jump: tuple[float, float] | None = None
    again: Sequence[tuple[float, float]] = ()


async def find_dose(
    question: Question,
    quantity: str,
    target: float,
    least: float,
    most: float,
    progress: Callable[..., None] = lambda *_: None,
) -> Dose:
    """Return the first dose from `least` to `most` at which a quantity of the question is `target`.

    Notes
    -----
    Between two of the `SEARCHED` doses a quantity may have the value twice; that is not seen.
    """

    def off(point: Point) -> float:
        value = point.values[quantity]
        assert value is not None  # only points that have one are compared
        return value - target

    async def solved(doses: Sequence[float], tell: Callable[..., None]) -> list[Point]:
        found = await question.points(({DOSE: each} for each in doses), tell)
        return [each for each in found if each.values.get(quantity) is not None]

    every = await question.points(({DOSE: each} for each in evenly(least, most, SEARCHED)), progress)
    known = [each for each in every if each.values.get(quantity) is not None]
    pairs = [(a, b) for a, b in pairwise(known) if off(a) * off(b) <= 0 and off(b) != 0]
    if known and off(known[0]) == 0:
        pairs = [(known[0], known[0]), *(pair for pair in pairs if pair[0] is not known[0])]
    elif known and off(known[-1]) == 0:
        pairs.append((known[-1], known[-1]))
    if not pairs:
        return Dose(None, every)
    again = [(a.parameters[DOSE], b.parameters[DOSE]) for a, b in pairs[1:]]
    low, high = pairs[0]
    near = TOLERANCE * max(1.0, abs(target))
    for turn in range(_ROUNDS):
        nearest = min((low, high), key=lambda point: abs(off(point)))
        if abs(off(nearest)) <= near:
            return Dose(nearest, every, again=again)
        progress(None, f"closer about the value, round {turn + 1}")
        inner = evenly(low.parameters[DOSE], high.parameters[DOSE], _CLOSER + 2)[1:-1]
        line = [low, *await solved(inner, lambda *_: None), high]
        low, high = next((a, b) for a, b in pairwise(line) if off(a) * off(b) <= 0)
    return Dose(high, every, (off(low) + target, off(high) + target), again)
