"""Four options that tell nothing: the values of a scene and of the three that come of missing two of its switches.

An item is drawn as a scene with all switches at random, and two of them, each with another state, are those that may be
missed. The options are the values of the four scenes: none, one, the other, both missed. Had any of the other three
been drawn, the same four values would have come with the same probability, for the states of a switch are equally
likely, the numbers do not depend on them, and what is thrown away is thrown away for reasons that look at all four
alike.
So whoever sees options only finds each to be the truth one time in four, and no classifier can learn more: it is a
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

from labrig_harness.suites.phreeqc_mcq.scenario import FIELD, Scene, Stem, Switch
from labrig_harness.suites.phreeqc_mcq.values import Value, plain, refined

if TYPE_CHECKING:
    from labrig_phreeqc.engine import Engine

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


def draw(stem: Stem, draws: random.Random) -> tuple[Scene, tuple[tuple[Scene, tuple[Missed, ...]], ...]]:
    """Return a scene, and it with those that come of missing two of its switches."""
    numbers = stem.draw(draws)
    asked = draws.choice(stem.quantities).name
    states = {switch.name: draws.choice(switch.states) for switch in stem.switches}
    scene = Scene(stem, numbers, {**states, FIELD: asked})
    first, second = (
        (switch, draws.choice([each for each in switch.states if each != scene.states[switch.name]]))
        for switch in draws.sample(stem.switches_of(asked), 2)
    )
    scenes = []
    for missed in ((), (first,), (second,), (first, second)):
        other = scene
        for switch, state in missed:
            other = other.missing(switch.name, state)
        scenes.append((other, tuple(_missed(switch, state) for switch, state in missed)))
    return scene, tuple(scenes)


def _missed(switch: Switch, state: str) -> Missed:
    return Missed(switch.name, state, switch.kind, switch.mistakes[state])


async def item(engine: Engine, stem: Stem, draws: random.Random) -> tuple[Drawn | None, list[str]]:
    """Draw until four options are far enough apart and settled; return them, and why earlier draws were not taken."""
    reasons: list[str] = []
    for _ in range(ATTEMPTS):
        scene, scenes = draw(stem, draws)
        four = [each for each, _ in scenes]
        values = await asyncio.gather(*(plain(engine, each) for each in four))
        why = fault(stem, four, values)
        if not why:
            values = await asyncio.gather(*map(partial(refined, engine), four, values))
            why = fault(stem, four, values)
        if not why:
            options = tuple(
                Option(each, found, missed) for (each, missed), found in zip(scenes, values, strict=True)
            )
            return Drawn(scene, options), reasons
        reasons.append(why)
    return None, reasons


def fault(stem: Stem, scenes: Sequence[Scene], values: Sequence[Value]) -> str:
    """Return why four scenes do not make an item, or an empty text; the order of the scenes does not matter."""
    for each in values:
        if each.value is None:
            return each.why
        if each.output_chars > MOST_CHARS if not stem.large else each.output_chars < LEAST_CHARS:
            return f"an output of {each.output_chars:,} characters"
    quantity = scenes[0].quantity  # of one form and unit in all four
    found = [each.value for each in values if each.value is not None]
    shown = [float(quantity.show(each).split()[0]) for each in found]  # rounding takes from a distance, too
    if min(quantity.gap(*pair) for values in (found, shown) for pair in combinations(values, 2)) < 1 - 1e-9:
        return "options too close"
    distance = min(abs(a - b) for a, b in combinations(found, 2))
    if max(each.shift for each in values) > SMALLEST_SHARE * distance:
        return "a value that refinement moves"
    return ""
