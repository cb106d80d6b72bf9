"""The value of a scene: PHREEQC's own double, by SELECTED_OUTPUT, and whether refinement leaves it alone."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from labrig_suites.phreeqc_mcq import printed
from labrig_suites.phreeqc_mcq.scenario import Printed, Scene

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


async def value(engine: Engine, scene: Scene) -> Value:
    """Run a scene, and its refinements."""
    return await refined(engine, scene, await plain(engine, scene))


async def plain(engine: Engine, scene: Scene) -> Value:
    """Run a scene as it is."""
    where = scene.quantity.printed
    found = await punched(engine, scene.build, scene.quantity.punch, scene.database, scene.state, where)
    if found.value is not None and scene.quantity.form == "ph" and abs(found.value) >= -ABSENT:
        # the database has another name for H+
        return replace(found, value=None, why=f"{found.value:g} instead of a pH")
    return found


async def punched(
    engine: Engine, build: str, expression: str, database: str, state: int, where: Printed | None = None
) -> Value:
    """Run an input; return what a Basic expression gives in a state, counted from the last, and what is printed."""
    from labrig_phreeqc.engine.run import record

    run = await engine.run(_punching(build, expression), database=database)
    found, why = _read(run, state)
    shown = printed.value(run.output, where, state) if where else None
    return Value(found, why, 0.0, len(run.output), record(run), shown)


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
        other, why = _read(run, state)
        if other is None:
            return replace(found, value=None, why=f"refined: {why}")
        shift = max(shift, abs(other - found.value))
    return replace(found, shift=shift)


def _punching(text: str, expression: str) -> str:
    return PUNCH.format(expression=expression) + text


def _read(run: Any, state: int) -> tuple[float | None, str]:
    if not run.solved:
        return None, f"{run.status}: {'; '.join(run.errors)[:300]}"
    rows = run.selected[0].rows if run.selected else []
    if not -len(rows) <= state < 0:
        return None, f"there is no state {state} of {len(rows)}"
    cell = rows[state][0]
    if not isinstance(cell, int | float) or not math.isfinite(cell) or cell <= ABSENT:
        return None, f"{cell!r} instead of a value"
    return float(cell), ""
