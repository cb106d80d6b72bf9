"""JSON files of a scenario: sowing, carbon dioxide, closed roads. Other fields stay as they are written."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.impact.scenario.closure import Closure
from labrig_earth.impact.scenario.perturbation import Perturbation
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.traffic.disruptions import SEEDS
from labrig_earth.work.fields import read_object

LEAST_SEEDS = 10


def written(said: dict[str, Any]) -> bytes:
    """Return an object as a JSON file."""
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()


def crop(named: Named, asked: Perturbation, told: Closure) -> bytes:
    """Shift the planting of AquaCrop's crop (MM-DD, each year)."""
    said = read_object(named.content, named.name).raw()
    if asked.planting_shift_days:
        before = str(said.get("planting", ""))
        try:
            day = date.fromisoformat(f"2001-{before.replace('/', '-')}") + timedelta(
                days=asked.planting_shift_days
            )
        except ValueError:
            raise LabrigError(
                f"planting is {before!r}", where=named.name, expected="month and day, such as 05-01"
            ) from None
        said["planting"] = f"{day.month:02}-{day.day:02}"
        told.set("planting", before, said["planting"])
        if said.get("harvest"):
            told.left.append("harvest: the day that the file states")
    return written(said)


def treatment(named: Named, asked: Perturbation, told: Closure) -> bytes:
    """Shift the planting of DSSAT's treatment, warm the climate that it states, and set carbon dioxide."""
    said = read_object(named.content, named.name).raw()
    if asked.planting_shift_days:
        planting = said.get("planting")
        try:
            before = date.fromisoformat(planting["date"])  # type: ignore[index]
        except (TypeError, KeyError, ValueError):
            raise LabrigError(
                "The treatment has no planting date",
                where=named.name,
                expected='"planting": {"date": "2001-05-01"}',
            ) from None
        after = before + timedelta(days=asked.planting_shift_days)
        said["planting"] = {**said["planting"], "date": after.isoformat()}
        told.set("planting, date", before.isoformat(), after.isoformat())
        start = said.get("start")
        if isinstance(start, str) and start > after.isoformat():
            raise LabrigError(
                f"Planting would be on {after}, before the run starts on {start}",
                where=named.name,
                expected="an earlier start in the baseline's treatment",
            )
        if said.get("irrigation") or said.get("fertilizer"):
            told.left.append("irrigation and fertilizer: on the days that the file states")
    if asked.warmer_k and isinstance(said.get("tav_c"), (int, float)) and not isinstance(said["tav_c"], bool):
        before_c = float(said["tav_c"])
        said["tav_c"] = round(before_c + asked.warmer_k, 3)
        told.set("tav_c", before_c, said["tav_c"])
    _carbon(said, asked, told)
    return written(said)


def management(named: Named, asked: Perturbation, told: Closure) -> bytes:
    """Set carbon dioxide in AquaCrop's management."""
    said = read_object(named.content, named.name).raw()
    _carbon(said, asked, told)
    return written(said)


def _carbon(said: dict[str, Any], asked: Perturbation, told: Closure) -> None:
    if asked.co2_ppm is not None:
        told.set("co2_ppm", said.get("co2_ppm", "of the engine"), asked.co2_ppm)
        said["co2_ppm"] = asked.co2_ppm
    elif asked.warmer_k:
        told.left.append("carbon dioxide: as in the baseline (perturbation, co2_ppm)")


def disruptions(named: Named, asked: Perturbation, told: Closure) -> bytes:
    """Close edges, beside those that are closed in the baseline."""
    said = read_object(named.content, named.name).raw()
    before = said.get("closed_edges", [])
    if not isinstance(before, list) or not all(isinstance(each, str) for each in before):
        raise LabrigError("closed_edges is no list of edges", where=named.name, expected='["edge", ...]')
    new = [each for each in asked.closed_edges if each not in before]
    if asked.closed_edges and not new:
        raise LabrigError(
            "All edges of the scenario are closed in the baseline as well",
            where="perturbation, closed_edges",
            expected="an edge that is open there",
        )
    said["closed_edges"] = [*before, *new]
    factors = said.get("speed_factors")
    if isinstance(factors, dict):
        said["speed_factors"] = {edge: factor for edge, factor in factors.items() if edge not in new}
    if new:
        told.set("closed_edges", before, said["closed_edges"])
    seeds = said.get("seeds", SEEDS)
    told.holds(
        f"traffic is simulated with at least {LEAST_SEEDS} seeds",
        isinstance(seeds, int) and seeds >= LEAST_SEEDS,
        f"{seeds} seeds",
    )
    return written(said)
