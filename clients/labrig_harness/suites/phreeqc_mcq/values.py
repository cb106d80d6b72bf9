"""The value of a scene: PHREEQC's own double, by SELECTED_OUTPUT, and whether refinement leaves it alone."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labrig_harness.suites.phreeqc_mcq.scenario import Quantity, Scene

if TYPE_CHECKING:
    from labrig_phreeqc.engine import Engine

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
    """

    value: float | None
    why: str = ""
    shift: float = 0.0
    output_chars: int = 0
    engine: dict[str, Any] | None = None


async def value(engine: Engine, scene: Scene) -> Value:
    """Run a scene, and its refinements."""
    from labrig_phreeqc.run import record

    stem, quantity = scene.stem, scene.quantity
    run = await engine.run(_punched(scene.build, quantity), database=scene.database)
    found, why = _read(run, scene.state)
    if found is None:
        return Value(None, why)
    if quantity.form == "ph" and abs(found) >= -ABSENT:  # the database has another name for H+
        return Value(None, f"no pH, but {found:g}")
    refined = stem.refined(scene.numbers, scene.states) or (TIGHT + scene.build,)
    last = (
        stem.refined_state(scene.numbers, scene.states)
        if stem.refined(scene.numbers, scene.states)
        else scene.state
    )
    again = await asyncio.gather(
        *(engine.run(_punched(text, quantity), database=scene.database) for text in refined)
    )
    shift = 0.0
    for each in again:
        other, why = _read(each, last)
        if other is None:
            return Value(None, f"refined: {why}")
        shift = max(shift, abs(other - found))
    return Value(found, "", shift, len(run.output), record(run))


def _punched(text: str, quantity: Quantity) -> str:
    return PUNCH.format(expression=quantity.punch) + text


def _read(run: Any, state: int) -> tuple[float | None, str]:
    if not run.solved:
        return None, f"{run.status}: {'; '.join(run.errors)[:300]}"
    rows = run.selected[0].rows if run.selected else []
    if not -len(rows) <= state < 0:
        return None, f"there is no state {state} of {len(rows)}"
    cell = rows[state][0]
    if not isinstance(cell, int | float) or not math.isfinite(cell) or cell <= ABSENT:
        return None, f"no value, but {cell!r}"
    return float(cell), ""
