"""The impact of events computed by NumPy from the checked inputs, apart from CLIMADA, and held against what it gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.risk.exposure import Exposure
from labrig_earth.impact.risk.functions import Function
from labrig_earth.impact.risk.hazard import Hazard
from labrig_earth.impact.tables import Floats

Indices = NDArray[np.int64]

EARTH_KM = 6371.0
"""Radius of the sphere that CLIMADA measures on."""

WHOLE = 2_000_000
"""Pairs of event and asset up to which all are computed again; beyond, a sample."""

SAMPLE = 64
RELATIVE = 1e-9
NEAR_KM = 1e-6


@dataclass(frozen=True)
class Curve:
    """How often an impact is exceeded: rising impacts, how often a year each is reached, and the years between."""

    impact: Floats
    frequency: Floats
    period: Floats


def nearest(hazard: Hazard, latitude: Floats, longitude: Floats) -> tuple[Indices, Floats]:
    """Return the nearest centroid of each place, and how far it is on the sphere, km."""
    from scipy.spatial import cKDTree

    chord, index = cKDTree(_on_sphere(hazard.latitude, hazard.longitude)).query(
        _on_sphere(latitude, longitude)
    )
    return np.asarray(index, dtype=np.int64), _km(np.asarray(chord))


def spacing_km(hazard: Hazard) -> float | None:
    """Return the median distance from a centroid to the nearest other one, km; None where there is but one."""
    from scipy.spatial import cKDTree

    points = np.unique(_on_sphere(hazard.latitude, hazard.longitude), axis=0)
    if len(points) < 2:
        return None
    chord, _ = cKDTree(points).query(points, k=2)
    return float(np.median(_km(chord[:, 1])))


def distance_km(hazard: Hazard, index: Indices, latitude: Floats, longitude: Floats) -> Floats:
    """Return how far each place is from a centroid, km."""
    there = _on_sphere(hazard.latitude[index], hazard.longitude[index])
    return _km(np.linalg.norm(there - _on_sphere(latitude, longitude), axis=1))


def impacts(
    hazard: Hazard, exposure: Exposure, share: Mapping[str, Function], names: tuple[str, ...],
    index: Indices, events: Indices, assets: Indices,
) -> Floats:  # fmt: skip
    """Return the impact of some events on some assets (event, asset); an asset without a centroid (-1) has none."""
    rows = hazard.intensity[events]
    found = np.zeros((len(events), len(assets)))
    for name in dict.fromkeys(names[asset] for asset in assets):
        mine = np.array([names[asset] == name for asset in assets]) & (index[assets] >= 0)
        dense = rows[:, index[assets[mine]]].toarray()
        found[:, mine] = share[name].share(dense) * exposure.value[assets[mine]]
    return found


def exceedance(at_event: Floats, frequency: Floats) -> Curve:
    """Return how often each impact is reached or exceeded: frequencies summed from the worst event downward."""
    order = np.lexsort((np.arange(len(at_event)), at_event))[::-1]
    often = np.cumsum(frequency[order])
    return Curve(at_event[order][::-1], often[::-1], 1 / often[::-1])


def at_periods(curve: Curve, periods: tuple[float, ...]) -> dict[float, float]:
    """Return the impact by return period, linear between those of events; none where no event reaches."""
    low, high = float(curve.period[0]), float(curve.period[-1])
    return {
        each: float(np.interp(each, curve.period, curve.impact))
        for each in periods
        if low * (1 - 1e-12) <= each <= high * (1 + 1e-12)
    }


def require_same(what: str, engine: Floats, direct: Floats, scale: float) -> float:
    """Return the largest difference relative to a scale; `LabrigError`, ``engine``, where it is not small."""
    apart = float(np.abs(engine - direct).max(initial=0.0)) / (scale or 1.0)
    if not apart <= RELATIVE:
        raise LabrigError(
            f"CLIMADA's {what} differ from a direct computation by {apart:.3g} of the largest",
            where="impact_climada_run",
            expected=f"at most {RELATIVE:g}",
            code="engine",
        )
    return apart


def sample_of(count: int, worst: int, whole: bool) -> Indices:
    """Return which of so many things are computed again: all, or some from first to last with the worst."""
    if whole:
        return np.arange(count)
    return np.unique([*np.linspace(0, count - 1, SAMPLE).round().astype(np.int64), worst])


def _on_sphere(latitude: Floats, longitude: Floats) -> Floats:
    north, east = np.radians(latitude), np.radians(longitude)
    return np.column_stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])


def _km(chord: Floats) -> Floats:
    return np.asarray(2 * EARTH_KM * np.arcsin(np.minimum(chord / 2, 1.0)))
