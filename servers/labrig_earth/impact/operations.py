"""The operation ``plot_run``: what the archives of runs hold, as a picture of the sort that their tool has."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.impact.building import make_input
from labrig_earth.impact.crops.building import make_weather
from labrig_earth.impact.records import SUMMARY, Record, read_summary
from labrig_earth.impact.scenario.compiling import compile_scenario
from labrig_earth.results import Result
from labrig_earth.work.calls import Call, Operation

MOST_RUNS = 4

DRAWN_BY: Mapping[str, str] = {
    "impact_aquacrop_run": "labrig_earth.impact.crops.drawing",
    "impact_climada_run": "labrig_earth.impact.risk.drawing",
    "impact_dssat_run": "labrig_earth.impact.crops.drawing",
    "impact_energyplus_run": "labrig_earth.impact.buildings.drawing",
    "impact_health_erf": "labrig_earth.impact.health.drawing",
    "impact_health_utci": "labrig_earth.impact.health.drawing",
    "impact_sumo_run": "labrig_earth.impact.traffic.drawing",
}
"""Modules with ``figure(archives, options)``, from `Archive` and the options of a call to a figure and notes."""


@dataclass(frozen=True)
class Archive:
    """The folder of a run, and what it says of itself."""

    name: str
    folder: Path
    record: Record

    def bytes_of(self, path: str) -> bytes:
        """Return a file of the folder; ``not_found`` where it is not there."""
        try:
            return (self.folder / path).read_bytes()
        except OSError:
            raise LabrigError(f"The run has no {path}", where=self.name, code="not_found") from None


Draw = Callable[[Sequence[Archive], Mapping[str, Any]], tuple[Any, Sequence[str]]]


def plot_run(call: Call) -> Result:
    """Draw one to four runs of one tool. Arguments: ``options`` of that sort of picture."""
    from labrig.plotting import style

    places = call.inputs.get("runs", ())
    if not 1 <= len(places) <= MOST_RUNS:
        raise LabrigError(f"{len(places)} runs are given", where="runs", expected=f"1 to {MOST_RUNS}")
    archives = []
    for place in places:
        folder = Path(place.path)
        try:
            content = (folder / SUMMARY).read_bytes()
        except OSError:
            content = b""
        archives.append(Archive(place.name, folder, read_summary(content, place.name)))
    tools = {each.record.tool for each in archives}
    if len(tools) > 1:
        raise LabrigError(
            f"These are runs of {' and '.join(sorted(tools))}", where="runs", expected="one tool"
        )
    (tool,) = tools
    if tool not in DRAWN_BY:
        raise LabrigError(
            f"There is no picture of {tool}", where="runs", expected=", ".join(sorted(DRAWN_BY))
        )
    draw: Draw = importlib.import_module(DRAWN_BY[tool]).figure
    figure, notes = draw(archives, call.argument("options", {}))
    (call.scratch / "run.png").write_bytes(style.png(figure))
    return Result(
        method=f"drawn from {len(archives)} runs of {archives[0].record.version}",
        data={"notes": list(notes), "scenarios": [each.record.scenario for each in archives]},
        files=("run.png",),
    )


OPERATIONS: Mapping[str, Operation] = {
    "plot_run": plot_run,
    "make_weather": make_weather,
    "make_input": make_input,
    "compile_scenario": compile_scenario,
}
