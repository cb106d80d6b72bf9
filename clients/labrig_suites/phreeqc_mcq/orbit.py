"""Four options that tell nothing: the values of a scene and of the three that come of missing two of its switches.

An item is drawn as a scene with all switches at random, and two of them, each with another state, are those that may be
missed. The options are the values of the four scenes: none, one, the other, both missed. Had any of the other three
been drawn, the same four values would have come with the same probability, for the states of a switch are equally
likely, the numbers do not depend on them, and what is thrown away is thrown away for reasons that look at all four
alike.
So any of the four may be made the truth, and a set deals that out: each rank among the four comes equally often.
A reader who sees options only finds each to be the truth one time in four, and no classifier can learn more: it is a
property of the draw and not of the stems (`attack` tries nevertheless).

Answers in words (`judged`) are often the same in the four. There all scenes of the numbers are run, those without a
clear answer are left out, four of the different answers are drawn, and then which of the four is the truth: so it is
again any of them with the same probability. The scene is one that has this answer, and each wrong option is told by the
scene that has it and differs from the truth in the fewest switches.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING

from labrig_suites.phreeqc_mcq.scenario import FIELD, Quantity, Scene, Stem, Switch
from labrig_suites.phreeqc_mcq.values import Value, plain, refined

if TYPE_CHECKING:
    from labrig_phreeqc.engine.engine import Engine

ATTEMPTS = 80
SMALLEST_SHARE = 0.1
"""Of the distance of options that refinement may move a value by."""
SCENES_AT_ONCE = 8
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


def draw(
    stem: Stem, draws: random.Random, within: Sequence[Switch] = ()
) -> tuple[tuple[Scene, ...], tuple[Switch, Switch]]:
    """Return a scene and those that come of missing the first, the second, and both of two switches; and these.

    The place of a scene is a number of two bits, the first for the first switch: two scenes differ in the switches
    whose bits differ. Both are `within` the switches that are given, of none, those that the quantity has.
    """
    numbers = stem.draw(draws)
    asked = draws.choice(stem.quantities).name
    states = {switch.name: draws.choice(switch.states) for switch in stem.switches}
    scene = Scene(stem, numbers, {**states, FIELD: asked})
    first, second = draws.sample(within or stem.switches_of(asked), 2)
    scenes = [scene]
    for switch in (first, second):
        other = draws.choice([each for each in switch.states if each != scene.states[switch.name]])
        scenes += [each.missing(switch.name, other) for each in scenes]
    return tuple(scenes), (first, second)


def _ranked(values: Sequence[Value]) -> list[int]:
    """Return the places of values, that of the smallest first."""
    return sorted(range(len(values)), key=lambda place: values[place].value or 0.0)


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
            truth = 0 if rank is None else _ranked(values)[rank]
            return Drawn(scenes[truth], told(scenes, switches, values, truth)), reasons
        reasons.append(why)
    return None, reasons


async def items_of_scenario(
    engine: Engine, stem: Stem, draws: random.Random, count: int, rank: int | None = None
) -> tuple[list[Drawn], list[str]]:
    """Draw until so many questions about the same four scenes make items: all of one truth, read in one output.

    `rank` is that of the first question. The others have the same truth, which is any of the four with the same
    probability, so their options tell no more than those of an item alone.
    """
    reasons: list[str] = []
    for _ in range(ATTEMPTS):
        scenes, switches = draw(stem, draws, within=stem.switches)
        asked = draws.sample(stem.quantities, len(stem.quantities))
        found: list[tuple[list[Scene], list[Value]]] = []
        for quantity in asked:
            meant = [each.missing(FIELD, quantity.name) for each in scenes]
            values = await asyncio.gather(*(plain(engine, each) for each in meant))
            why = fault(stem, meant, values)
            if not why:
                values = await asyncio.gather(*map(partial(refined, engine), meant, values))
                why = fault(stem, meant, values)
            if why:
                reasons.append(why)
            else:
                found.append((meant, values))
            if len(found) == count:
                truth = _ranked(found[0][1])[rank] if rank is not None else 0
                return [
                    Drawn(each[truth], told(each, switches, values, truth)) for each, values in found
                ], reasons
    return [], reasons


async def item_in_words(
    engine: Engine, stem: Stem, draws: random.Random, rank: int | None = None
) -> tuple[Drawn | None, list[str]]:
    """Draw until four different answers in words are there; return as `item` does, `rank` by the answers' codes."""
    reasons: list[str] = []
    for _ in range(ATTEMPTS):
        numbers, asked = stem.draw(draws), draws.choice(stem.judged).name
        scenes = [
            Scene(
                stem,
                numbers,
                {**dict(zip((each.name for each in stem.switches), states, strict=True)), FIELD: asked},
            )
            for states in product(*(each.states for each in stem.switches))
        ]
        clear = await _clear_answers(engine, scenes)
        answers = sorted({found.value for _, found in clear if found.value is not None})
        if len(answers) < 4:
            reasons.append(f"{len(answers)} clear answers")
            continue
        chosen = sorted(draws.sample(answers, 4))
        answer = chosen[draws.randrange(4) if rank is None else rank]
        truth, found = draws.choice([each for each in clear if each[1].value == answer])
        options = [Option(truth, found, ())]
        for other in chosen:
            if other != answer:
                near = min(
                    (each for each in clear if each[1].value == other),
                    key=lambda each: len(_differ(truth, each[0])),
                )
                options.append(Option(*near, tuple(_differ(truth, near[0]))))
        return Drawn(truth, tuple(options)), reasons
    return None, reasons


async def _clear_answers(engine: Engine, scenes: Sequence[Scene]) -> list[tuple[Scene, Value]]:
    """Return the scenes whose answer is clear, printed, and the same after refinement, with it."""
    gate = asyncio.Semaphore(SCENES_AT_ONCE)

    async def answer(scene: Scene) -> tuple[Scene, Value]:
        async with gate:
            found = await plain(engine, scene)
            if found.value is None or found.printed != found.value or found.output_chars > MOST_CHARS:
                return scene, replace(found, value=None)
            settled = await refined(engine, scene, found)
        return scene, replace(settled, value=None if settled.shift else settled.value)

    return [each for each in await asyncio.gather(*map(answer, scenes)) if each[1].value is not None]


def _differ(truth: Scene, other: Scene) -> list[Missed]:
    """Return the switches that are missed by who models another scene."""
    return [
        _miss(switch, other.states[switch.name])
        for switch in truth.stem.switches
        if other.states[switch.name] != truth.states[switch.name]
    ]


def _as_printed(quantity: Quantity, value: Value) -> bool:
    """Whether the main output, which is all that an agent reads, gives the option that is made of the value.

    The water that a mineral brings shifts a transfer of an inverse model, and the mole balance in Basic does not know
    of it: where the transfer is small, that is more than options may be apart.
    """
    if value.value is None or value.printed is None:
        return False
    return quantity.same(value.printed, quantity.rounded(value.value))


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
    shown = [quantity.rounded(each) for each in found]  # rounding takes from a distance, too
    if min(quantity.gap(*pair) for values in (found, shown) for pair in combinations(values, 2)) < 1 - 1e-9:
        return "options too close"
    distance = min(abs(a - b) for a, b in combinations(found, 2))
    if max(each.shift for each in values) > SMALLEST_SHARE * distance:
        return "a value that changes with refinement"
    return ""
