"""The value of a scene: PHREEQC's own double, by SELECTED_OUTPUT, and whether refinement leaves it alone."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from labrig_suites.phreeqc_mcq import printed
from labrig_suites.phreeqc_mcq.scenario import Scene

if TYPE_CHECKING:
    from labrig_phreeqc.engine.engine import Engine

ABSENT = -99.0
"""PHREEQC's SI of a phase whose elements are absent is -99.99 or -999.999."""
TIGHT = "KNOBS\n    -convergence_tolerance 1e-10\n    -iterations 400\n"
"""The default is 1e-8; what changes with it is not settled."""
PUNCH = """\
SELECTED_OUTPUT 1
    -reset false
    -high_precision true
USER_PUNCH 1
    -headings value
    -start
10 PUNCH {expression}
    -end
"""


@dataclass(frozen=True)
class Value:
    """What a scene gives.

    Attributes
    ----------
    value
        None where the scene has none, and `why` says so.
    shift
        The largest change by refinement.
    output_chars
        Length of the main output.
    printed
        The same value as the main output prints it; None where it does not.
    """

    value: float | None
    why: str = ""
    shift: float = 0.0
    output_chars: int = 0
    engine: dict[str, Any] | None = None
    printed: float | None = None
    parts: tuple[float | None, ...] = ()
    """The numbers that an answer in words is judged by."""


async def value(engine: Engine, scene: Scene) -> Value:
    """Run a scene, and its refinements."""
    return await refined(engine, scene, await plain(engine, scene))


async def plain(engine: Engine, scene: Scene) -> Value:
    """Run a scene as it is."""
    from labrig_phreeqc.engine.run import record

    asked = scene.quantity
    run = await engine.run(_punching(scene.build, asked.punch), database=scene.database)
    parts, why = _read(run, scene.read_states)
    shown = [
        printed.value(run.output, part.printed, state) for state in scene.read_states for part in asked.parts
    ]
    found = _judge(scene, parts, why)
    value = replace(found, output_chars=len(run.output), engine=record(run), printed=asked.judge(shown))
    if found.value is not None and asked.form == "ph" and abs(found.value) >= -ABSENT:
        # the database has another name for H+
        return replace(value, value=None, why=f"{found.value:g} instead of a pH")
    return value


async def punched(engine: Engine, build: str, expression: str, database: str, state: int) -> Value:
    """Run an input; return what a Basic expression gives in a state, counted from the last."""
    from labrig_phreeqc.engine.run import record

    run = await engine.run(_punching(build, expression), database=database)
    (found,), why = _read(run, (state,))
    return Value(found, why, 0.0, len(run.output), record(run))


async def refined(engine: Engine, scene: Scene, found: Value) -> Value:
    """Run the refinements of a scene and return its value with the largest change."""
    if found.value is None:
        return found
    stem = scene.stem
    builds, state = stem.refined(scene.numbers, scene.states), scene.state
    if builds:
        state = stem.refined_state(scene.numbers, scene.states)
    runs = await asyncio.gather(
        *(
            engine.run(_punching(text, scene.quantity.punch), database=scene.database)
            for text in builds or (TIGHT + scene.build,)
        )
    )
    shift = 0.0
    for run in runs:
        other = _judge(scene, *_read(run, scene.quantity.states(scene.numbers, scene.states, state)))
        if other.value is None:
            return replace(found, value=None, why=f"refined: {other.why}")
        shift = max(shift, abs(other.value - found.value))
    return replace(found, shift=shift)


def _judge(scene: Scene, parts: Sequence[float | None], why: str) -> Value:
    """Return the value of what was read; where that is one number, `why` says what it lacks."""
    value = scene.quantity.judge(parts) if parts else None
    return Value(value, "" if value is not None else why or "an answer that is not clear", parts=tuple(parts))


def _punching(text: str, expression: str) -> str:
    return PUNCH.format(expression=expression) + text


def _read(run: Any, states: Sequence[int]) -> tuple[list[float | None], str]:
    """Return the numbers of a row for each state, None for one that is no value, and why the last of these is none."""
    if not run.solved:
        return [None], f"{run.status}: {'; '.join(run.errors)[:300]}"
    rows = run.selected[0].rows if run.selected else []
    if min(states) < -len(rows) or max(states) >= 0:
        return [None], f"there is no state {min(states)} of {len(rows)}"
    found: list[float | None] = []
    why = ""
    for cell in (each for state in states for each in rows[state]):
        if isinstance(cell, int | float) and math.isfinite(cell) and cell > ABSENT:
            found.append(float(cell))
        else:
            found.append(None)
            why = f"{cell!r} instead of a value"
    return found, why
