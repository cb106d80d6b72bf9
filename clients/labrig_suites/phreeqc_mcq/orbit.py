"""Four options that tell nothing: the values of a scene and of the three that come of missing two of its switches.

An item is drawn as a scene with all switches at random, and two of them, each with another state, are those that may be
missed. The options are the values of the four scenes: none, one, the other, both missed. Had any of the other three
been drawn, the same four values would have come with the same probability, for the states of a switch are equally
likely, the numbers do not depend on them, and what is thrown away is thrown away for reasons that look at all four
alike.
So any of the four may be made the truth, and a set deals that out: each rank among the four comes equally often.
A reader who sees options only finds each to be the truth one time in four, and no classifier can learn more: it is a
property of the draw and not of the stems (`attack` tries nevertheless).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from labrig_suites.phreeqc_mcq.scenario import FIELD, Quantity, Scene, Stem, Switch
from labrig_suites.phreeqc_mcq.values import Value, plain, refined

if TYPE_CHECKING:
    from labrig_phreeqc.engine.engine import Engine

ATTEMPTS = 80
SMALLEST_SHARE = 0.1
"""Of the distance of options that refinement may move a value by."""
LEAST_CHARS, MOST_CHARS = 251_000, 100_000
"""What a large output exceeds, and a small one does not: 250,000, and the echo of the lines that punch the value."""


@dataclass(frozen=True)
class Missed:
    """A switch that was missed: which, the state that was modelled, what that is called."""

    switch: str
    state: str
    kind: str
    diagnosis: str


@dataclass(frozen=True)
class Option:
    """A value and how one comes to it; no switch is missed for the truth."""

    scene: Scene
    computed: Value
    missed: tuple[Missed, ...]

    @property
    def value(self) -> float:
        """The number."""
        assert self.computed.value is not None  # `fault` lets no other through
        return self.computed.value


@dataclass(frozen=True)
class Drawn:
    """A scene with its four options, the truth first."""

    scene: Scene
    options: tuple[Option, ...]


def draw(stem: Stem, draws: random.Random) -> tuple[tuple[Scene, ...], tuple[Switch, Switch]]:
    """Return a scene and those that come of missing the first, the second, and both of two switches; and these.

    The place of a scene is a number of two bits, the first for the first switch: two scenes differ in the switches
    whose bits differ.
    """
    numbers = stem.draw(draws)
    asked = draws.choice(stem.quantities).name
    states = {switch.name: draws.choice(switch.states) for switch in stem.switches}
    scene = Scene(stem, numbers, {**states, FIELD: asked})
    first, second = draws.sample(stem.switches_of(asked), 2)
    scenes = [scene]
    for switch in (first, second):
        other = draws.choice([each for each in switch.states if each != scene.states[switch.name]])
        scenes += [each.missing(switch.name, other) for each in scenes]
    return tuple(scenes), (first, second)


def told(
    scenes: Sequence[Scene], switches: Sequence[Switch], values: Sequence[Value], truth: int
) -> tuple[Option, ...]:
    """Return the four scenes as options of one of them, that one first: what is missed by each that is meant so."""
    options = []
    for place in sorted(range(len(scenes)), key=lambda place: place ^ truth):
        missed = (
            _miss(switch, scenes[place].states[switch.name])
            for bit, switch in enumerate(switches)
            if (place ^ truth) >> bit & 1
        )
        options.append(Option(scenes[place], values[place], tuple(missed)))
    return tuple(options)


def _miss(switch: Switch, state: str) -> Missed:
    return Missed(switch.name, state, switch.kind, switch.mistakes[state])


async def item(
    engine: Engine, stem: Stem, draws: random.Random, rank: int | None = None
) -> tuple[Drawn | None, list[str]]:
    """Draw until four options are far enough apart and settled; return them, and why earlier draws were not taken.

    Parameters
    ----------
    rank
        Which of the four is to be the truth, by value, from 0 for the smallest; None for the one that was drawn.
        Since each might have been drawn, a set may choose, and have every rank equally often.
    """
    reasons: list[str] = []
    for _ in range(ATTEMPTS):
        scenes, switches = draw(stem, draws)
        values = await asyncio.gather(*(plain(engine, each) for each in scenes))
        why = fault(stem, scenes, values)
        if not why:
            values = await asyncio.gather(*map(partial(refined, engine), scenes, values))
            why = fault(stem, scenes, values)
        if not why:
            by_value = sorted(range(len(scenes)), key=lambda place: values[place].value or 0.0)
            truth = 0 if rank is None else by_value[rank]
            return Drawn(scenes[truth], told(scenes, switches, values, truth)), reasons
        reasons.append(why)
    return None, reasons


def _as_printed(quantity: Quantity, value: Value) -> bool:
    """Whether the main output, which is all that an agent reads, gives the option that is made of the value.

    The water that a mineral brings shifts a transfer of an inverse model, and the mole balance in Basic does not know
    of it: where the transfer is small, that is more than options may be apart.
    """
    if value.value is None or value.printed is None:
        return False
    return quantity.same(value.printed, float(quantity.show(value.value).split()[0]))


def fault(stem: Stem, scenes: Sequence[Scene], values: Sequence[Value]) -> str:
    """Return why four scenes do not make an item, or an empty text; the order of the scenes does not matter."""
    for value in values:
        if value.value is None:
            return value.why
        if value.output_chars > MOST_CHARS if not stem.large else value.output_chars < LEAST_CHARS:
            return f"an output of {value.output_chars:,} characters"
    quantity = scenes[0].quantity  # of one form and unit in all four
    if not all(_as_printed(quantity, value) for value in values):
        return "a value that is printed otherwise"
    found = [each.value for each in values if each.value is not None]
    shown = [float(quantity.show(each).split()[0]) for each in found]  # rounding takes from a distance, too
    if min(quantity.gap(*pair) for values in (found, shown) for pair in combinations(values, 2)) < 1 - 1e-9:
        return "options too close"
    distance = min(abs(a - b) for a, b in combinations(found, 2))
    if max(each.shift for each in values) > SMALLEST_SHARE * distance:
        return "a value that changes with refinement"
    return ""
