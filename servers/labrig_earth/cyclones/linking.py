"""Centres of successive times linked to tracks: each to the nearest storm, or all at once by least cost.

The cost of a link (after Hodges 1994, Mon. Wea. Rev. 122, 2573, with the weights of TerraAgent's public code) adds the
squares of distance, change of speed, change of heading, change of vorticity and change of pressure, each over its own
scale. A storm of one centre has no speed or heading yet, and its first link no cost of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from labrig_earth.cyclones.centres import Centre

MODES = ("greedy", "hungarian")
FAR = 1e12


@dataclass(frozen=True)
class Costs:
    """Weights of the terms of a cost, and their scales.

    Attributes
    ----------
    w_d, w_u, w_alpha, w_zeta, w_p
        Of distance, speed, heading, vorticity and pressure.
    u_ref
        km/h.
    zeta_ref
        s-1.
    p_ref
        hPa.
    """

    w_d: float = 1.0
    w_u: float = 0.3
    w_alpha: float = 0.2
    w_zeta: float = 0.5
    w_p: float = 0.2
    u_ref: float = 50.0
    zeta_ref: float = 5e-5
    p_ref: float = 15.0


@dataclass
class Track:
    """A storm: its centres, and the steps of time and hours at which they are."""

    steps: list[int] = field(default_factory=list)
    hours: list[float] = field(default_factory=list)
    centres: list[Centre] = field(default_factory=list)

    def add(self, step: int, hour: float, centre: Centre) -> None:
        """Go on to a centre."""
        self.steps.append(step)
        self.hours.append(hour)
        self.centres.append(centre)

    def motion(self) -> tuple[float, float] | None:
        """Return speed (km/h) and heading (degrees) between the last two centres; None for a storm of one."""
        if len(self.centres) < 2:
            return None
        distance, heading = _way(self.centres[-2], self.centres[-1])
        return distance / (self.hours[-1] - self.hours[-2]), heading


def link(
    centres: Sequence[Sequence[Centre]],
    hours: Sequence[float],
    *,
    mode: str = "greedy",
    gate_km: float = 500.0,
    cutoff: float = 5.0,
    costs: Costs = Costs(),
) -> list[Track]:
    """Return the tracks of all centres, in the order in which they begin; a centre belongs to one track.

    Parameters
    ----------
    centres
        By time, the deepest first.
    hours
        Of the times, rising.
    mode
        ``greedy``: each centre goes to the nearest storm of the time before that none has taken. ``hungarian``: the
        links of least total cost.
    gate_km
        No link is longer.
    cutoff
        No link of ``hungarian`` costs more.
    """
    tracks: list[Track] = []
    active: list[Track] = []
    for step, (found, hour) in enumerate(zip(centres, hours, strict=True)):
        if mode == "greedy":
            links = _nearest(active, found, gate_km)
        else:
            links = _least_cost(active, found, hour, gate_km, cutoff, costs)
        now: list[Track] = []
        for number, centre in enumerate(found):
            track = active[links[number]] if number in links else Track()
            if number not in links:
                tracks.append(track)
            track.add(step, hour, centre)
            now.append(track)
        active = now
    return tracks


def _nearest(active: Sequence[Track], found: Sequence[Centre], gate_km: float) -> dict[int, int]:
    """Return for centres the numbers of the storms that they go on."""
    links: dict[int, int] = {}
    free = set(range(len(active)))
    for number, centre in enumerate(found):
        near = {each: _way(active[each].centres[-1], centre)[0] for each in sorted(free)}
        near = {each: distance for each, distance in near.items() if distance <= gate_km}
        if near:
            links[number] = min(near, key=lambda each: near[each])
            free.discard(links[number])
    return links


def _least_cost(
    active: Sequence[Track], found: Sequence[Centre], hour: float, gate_km: float, cutoff: float, costs: Costs
) -> dict[int, int]:
    from scipy.optimize import linear_sum_assignment

    if not active or not found:
        return {}
    table = np.full((len(active), len(found)), FAR)
    for row, track in enumerate(active):
        motion = track.motion()
        for column, centre in enumerate(found):
            distance, heading = _way(track.centres[-1], centre)
            if distance <= gate_km:
                speed = distance / (hour - track.hours[-1])
                table[row, column] = _cost(
                    track.centres[-1], centre, distance, speed, heading, motion, gate_km, costs
                )
    rows, columns = linear_sum_assignment(table)
    return {
        int(column): int(row)
        for row, column in zip(rows, columns, strict=True)
        if table[row, column] <= min(cutoff, FAR / 2)
    }


def _cost(
    last: Centre,
    centre: Centre,
    distance: float,
    speed: float,
    heading: float,
    motion: tuple[float, float] | None,
    gate_km: float,
    costs: Costs,
) -> float:
    cost = costs.w_d * (distance / gate_km) ** 2
    cost += costs.w_zeta * ((centre.vorticity - last.vorticity) / costs.zeta_ref) ** 2
    cost += costs.w_p * ((centre.pressure_hpa - last.pressure_hpa) / costs.p_ref) ** 2
    if motion is not None:
        turned = abs((heading - motion[1] + 180.0) % 360.0 - 180.0) if distance > 0 else 0.0
        cost += costs.w_u * ((speed - motion[0]) / costs.u_ref) ** 2 + costs.w_alpha * (turned / 180.0) ** 2
    return cost


@lru_cache(maxsize=1)
def _ground() -> Any:
    from labrig_earth.gis.measuring import ellipsoid

    return ellipsoid()


def _way(one: Centre, other: Centre) -> tuple[float, float]:
    """Return distance (km) and heading (degrees from north) between two centres on the ellipsoid."""
    heading, _, metres = _ground().inv(one.longitude, one.latitude, other.longitude, other.latitude)
    return float(metres) / 1000.0, float(heading)
