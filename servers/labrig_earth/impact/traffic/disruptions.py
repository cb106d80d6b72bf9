"""What disturbs the traffic of a run, how often it is repeated, and what may be left open at its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, over_limit
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.traffic.demand import Demand, Trip
from labrig_earth.impact.traffic.network import Network
from labrig_earth.work.fields import read_object

SEEDS, MOST_SEEDS = 10, 40
MOST_RUNS = 400_000
"""Trips times seeds."""

AFTER_S = 7_200.0
MOST_S = 8 * 86_400.0


@dataclass(frozen=True)
class Disruption:
    """A disruption, checked against the network.

    Attributes
    ----------
    closed
        Edges on which nobody may drive.
    factors
        Speed limits times these, by edge.
    seeds
        How many seeds are simulated, from that of the run upward.
    end_s
        When the simulation ends.
    rerouting_share
        Share of drivers who look for the quickest way by the speeds of now, each minute.
    most_stuck_share
        Share of the trips that may be unfinished or moved past a jam (teleported) at the end of a seed.
    """

    closed: frozenset[str]
    factors: Mapping[str, float]
    seeds: int
    end_s: float
    rerouting_share: float
    most_stuck_share: float

    @property
    def disturbs(self) -> bool:
        """Whether there is anything to compare with undisturbed roads."""
        return bool(self.closed or self.factors)


def read_disruptions(named: Named, network: Network, demand: Demand) -> Disruption:
    """Read a disruption: ``closed_edges``, ``speed_factors``, ``seeds``, ``end_s``, shares.

    Raises
    ------
    LabrigError
        For edges that are not there, numbers out of range, fields nobody knows.
    """
    fields = read_object(named.content, named.name)
    closed = fields.any("closed_edges", [])
    if not isinstance(closed, list) or not all(isinstance(each, str) for each in closed):
        raise LabrigError("closed_edges is no list of edges", where=named.name, expected='["edge", ...]')
    factors = _factors(fields.any("speed_factors", {}), named.name)
    for edge in (*closed, *factors):
        network.require(edge, named.name)
    both = sorted(set(closed) & set(factors))
    if both:
        raise LabrigError(
            f"{both[0]} is closed, and has a speed", where=named.name, expected="one of the two"
        )
    last = demand.trips[-1].depart_s
    found = Disruption(
        frozenset(closed),
        factors,
        fields.whole("seeds", 1, MOST_SEEDS, "seeds", SEEDS),
        fields.number("end_s", last + 1, MOST_S, "s, after the last departure", last + AFTER_S),
        fields.number("rerouting_share", 0, 1, "1", 0.0),
        fields.number("most_stuck_share", 0, 1, "1", 0.0),
    )
    fields.text("note", "", most=300)
    fields.require_all_known()
    if found.seeds * len(demand.trips) > MOST_RUNS:
        raise over_limit(
            f"{found.seeds} seeds of {len(demand.trips):,} trips are too many",
            MOST_RUNS,
            "trips in all",
            where=named.name,
        )
    return found


def _factors(value: Any, where: str) -> dict[str, float]:
    if not isinstance(value, dict):
        raise LabrigError("speed_factors is no object", where=where, expected='{"edge": 0.5}')
    for edge, factor in value.items():
        if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0.05 <= factor <= 2:
            raise LabrigError(
                f"The speed factor of {edge[:80]} is {factor!r}"[:200], where=where, expected="0.05 to 2"
            )
    return {str(edge): float(factor) for edge, factor in value.items()}


@dataclass(frozen=True)
class Disturbed:
    """The demand on disturbed roads.

    Attributes
    ----------
    trips
        Those that can depart and arrive.
    cancelled
        Those that begin or end on a closed edge.
    rerouted
        Those whose given route is closed: they take the quickest other way.
    """

    trips: tuple[Trip, ...]
    cancelled: tuple[str, ...]
    rerouted: frozenset[str]


def disturbed(demand: Demand, disruption: Disruption) -> Disturbed:
    """Tell what becomes of the trips.

    SUMO's router would cut a trip that ends on a closed edge to one of a single edge, in silence.
    """
    closed = disruption.closed
    stay = tuple(each for each in demand.trips if each.start not in closed and each.end not in closed)
    going = {each.name for each in stay}
    return Disturbed(
        stay,
        tuple(each.name for each in demand.trips if each.name not in going),
        frozenset(each.name for each in stay if closed.intersection(each.route)),
    )
