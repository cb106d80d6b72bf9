"""Trips added up: every trip that was demanded is finished, cancelled or unfinished, and only the same trips compare.

The mean over those who arrived falls when roads are closed and others give up, so what a disruption adds is the mean
of differences trip by trip, over those that finish on undisturbed and on disturbed roads under the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.tables import read_table

Numbers = NDArray[np.float64]
UNDISTURBED, DISTURBED = "undisturbed", "disturbed"


@dataclass(frozen=True)
class Legs:
    """The trips of one seed on one state of the roads; arrays have one entry a trip.

    Attributes
    ----------
    names
        Ids of the trips.
    waited_s
        From the planned to the actual departure: a full road lets nobody in.
    driven_s
        From the departure to the arrival.
    lost_s
        Lost on the way against the desired speed (SUMO's timeLoss).
    route_m
        Length that was driven.
    finished
        Whether it arrived.
    """

    names: tuple[str, ...]
    waited_s: Numbers
    driven_s: Numbers
    lost_s: Numbers
    route_m: Numbers
    finished: NDArray[np.bool_]

    @property
    def travelled_s(self) -> Numbers:
        """From the planned departure to the arrival."""
        return self.waited_s + self.driven_s


def read_legs(content: bytes) -> dict[tuple[int, str], Legs]:
    """Read ``trips.csv`` of a run, by seed and state of the roads."""
    table = read_table(content, "trips.csv")
    keys = list(zip(table.numbers("seed").astype(int).tolist(), table.texts("roads"), strict=True))
    names, finished = table.texts("trip"), table.texts("finished")
    waited, driven = table.values("departure_delay_s"), table.values("duration_s")
    lost, route = table.values("time_loss_s"), table.values("route_m")
    found = {}
    for key in dict.fromkeys(keys):
        rows = [row for row, of in enumerate(keys) if of == key]
        there = np.array([finished[row] == "1" for row in rows], dtype=bool)
        mine = tuple(names[row] for row in rows)
        found[key] = Legs(mine, waited[rows], driven[rows], lost[rows], route[rows], there)
    return found


def require_accounted(
    case: Mapping[str, Any], legs: Mapping[tuple[int, str], Legs], roads: str, going: Sequence[str]
) -> tuple[str, ...]:
    """Check that no trip is lost, and return those for which there is no way.

    Parameters
    ----------
    case
        What the engine counted (``routes``, ``unroutable``, ``cut``, ``crossing``, ``runs``).
    going
        Trips that were given to it.

    Raises
    ------
    LabrigError
        ``engine`` for a trip that was cut, lost or counted twice, or a way over a closed edge.
    """
    for what in ("cut", "crossing"):
        if case[what]:
            raise LabrigError(
                f"SUMO's router left {len(case[what])} trips {what} on {roads} roads, such as {case[what][0]}",
                where="duarouter",
                code="engine",
            )
    unroutable = tuple(case["unroutable"])
    wanted = set(going) - set(unroutable)
    for run in case["runs"]:
        mine = legs.get((run["seed"], roads))
        names = mine.names if mine is not None else ()
        finished = int(mine.finished.sum()) if mine is not None else 0
        stuck = run["running"] + run["waiting"]
        if set(names) != wanted or len(names) != len(wanted) or run["loaded"] != len(wanted):
            raise LabrigError(
                f"{len(wanted)} trips were to go, SUMO loaded {run['loaded']} and reported {len(names)}",
                where=f"{roads} roads, seed {run['seed']}",
                code="engine",
            )
        if finished + stuck != len(wanted):
            raise LabrigError(
                f"{len(wanted)} trips are not {finished} finished and {stuck} unfinished",
                where=f"{roads} roads, seed {run['seed']}",
                code="engine",
            )
    return unroutable


def require_flowing(case: Mapping[str, Any], roads: str, trips: int, most_share: float) -> list[str]:
    """Return a warning where trips were stuck, which makes the means those of who came through.

    Raises
    ------
    LabrigError
        Where more than `most_share` of the trips of a seed were unfinished or moved past a jam.
    """
    worst = max(case["runs"], key=lambda run: run["running"] + run["waiting"] + run["teleports"])
    unfinished, teleports = worst["running"] + worst["waiting"], worst["teleports"]
    if not unfinished + teleports:
        return []
    said = (
        f"on {roads} roads, seed {worst['seed']}, {unfinished} of {trips} trips are unfinished at the end "
        f"and {teleports} times a vehicle was moved past a jam"
    )
    if unfinished + teleports > most_share * trips:
        raise LabrigError(
            f"The traffic is stuck: {said}",
            where="disruptions_path, most_stuck_share",
            expected=f"at most {most_share:g} of the trips: a mean over the others would be that of survivors",
            try_="fewer trips, a later end_s, a rerouting_share, or a most_stuck_share that you can answer for",
        )
    return [f"{said}: means are over those that finished"]


@dataclass(frozen=True)
class Totals:
    """A run added up.

    Attributes
    ----------
    rows
        A row for each seed, by the names of `metrics`.
    """

    metrics: Mapping[str, Metric]
    derived: Mapping[str, Metric]
    rows: Sequence[Mapping[str, Any]]


UNITS: Mapping[str, str] = {
    "avg_travel_time_s": "s",
    "p95_travel_time_s": "s",
    "avg_departure_delay_s": "s",
    "total_delay_h": "h",
    "added_travel_time_s": "s",
    "total_added_delay_h": "h",
    "trips_finished": "trips",
    "trips_unfinished": "trips",
    "teleports": "1",
    "throughput_per_h": "trips/h",
}
"""Numbers of a seed. Travel times are from the planned departure to the arrival."""


def totals(
    legs: Mapping[tuple[int, str], Legs],
    cases: Mapping[str, Mapping[str, Any]],
    *,
    departs_s: Mapping[str, float],
) -> Totals:
    """Add a run up: the mean over seeds, and the standard error of what the disruption adds.

    Parameters
    ----------
    departs_s
        When each trip that was demanded is to depart, by its name.
    """
    demanded = len(departs_s)
    last = DISTURBED if DISTURBED in cases else UNDISTURBED
    rows = []
    paired_counts = []
    before_means = []
    for run in cases[last]["runs"]:
        seed = run["seed"]
        now, before = legs[seed, last], legs[seed, UNDISTURBED]
        mine = now.travelled_s[now.finished]
        if not len(mine):
            raise LabrigError("No trip arrived", where=f"seed {seed}", expected="trips that can finish")
        added, base = added_s(before, now)
        paired_counts.append(len(added))
        before_means.append(float(base.mean()) if len(base) else math.nan)
        spent = math.fsum(now.waited_s[now.finished]) + math.fsum(now.lost_s[now.finished])
        left = np.array([departs_s[name] for name in now.names])
        hours = (float((left + now.travelled_s)[now.finished].max()) - float(left.min())) / 3600
        rows.append(
            {
                "unit": f"seed {seed}",
                "avg_travel_time_s": float(mine.mean()),
                "p95_travel_time_s": float(np.percentile(mine, 95)),
                "avg_departure_delay_s": float(now.waited_s[now.finished].mean()),
                "total_delay_h": spent / 3600,
                "added_travel_time_s": float(added.mean()) if len(added) else 0.0,
                "total_added_delay_h": math.fsum(added) / 3600,
                "trips_finished": len(mine),
                "trips_unfinished": len(now.names) - len(mine),
                "teleports": run["teleports"],
                "throughput_per_h": len(mine) / hours,
            }
        )
    cancelled = demanded - len(legs[cases[last]["runs"][0]["seed"], last].names)
    metrics = {
        name: Metric(math.fsum(row[name] for row in rows) / len(rows), unit) for name, unit in UNITS.items()
    }
    metrics["trips_demanded"] = Metric(demanded, "trips")
    metrics["trips_cancelled"] = Metric(cancelled, "trips")
    derived = {
        "cancelled_share": Metric(cancelled / demanded, "1"),
        "avg_speed_m_s": Metric(_speed(legs, last), "m/s"),
        "seeds": Metric(len(rows), "1"),
    }
    if last == DISTURBED:
        derived["paired_trips"] = Metric(sum(paired_counts) / len(rows), "trips")
        derived["undisturbed_travel_time_s"] = Metric(_mean(before_means), "s")
        derived["added_travel_time_standard_error_s"] = Metric(
            _standard_error([row["added_travel_time_s"] for row in rows]),
            "s",
        )
    return Totals(metrics, derived, rows)


def added_s(before: Legs, now: Legs) -> tuple[Numbers, Numbers]:
    """Return what each trip that finished in both takes longer, and what it took before, seconds."""
    place = {name: index for index, name in enumerate(before.names)}
    pairs = [
        (place[name], index)
        for index, name in enumerate(now.names)
        if now.finished[index] and name in place and before.finished[place[name]]
    ]
    first = np.array([pair[0] for pair in pairs], dtype=int)
    second = np.array([pair[1] for pair in pairs], dtype=int)
    base = before.travelled_s[first]
    return now.travelled_s[second] - base, base


def _speed(legs: Mapping[tuple[int, str], Legs], roads: str) -> float:
    mine = [each for (_, name), each in legs.items() if name == roads]
    metres = math.fsum(float(each.route_m[each.finished].sum()) for each in mine)
    return metres / math.fsum(float(each.driven_s[each.finished].sum()) for each in mine)


def _mean(values: Sequence[float]) -> float | None:
    known = [each for each in values if math.isfinite(each)]
    return math.fsum(known) / len(known) if known else None


def _standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of a mean, None for fewer than two."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
