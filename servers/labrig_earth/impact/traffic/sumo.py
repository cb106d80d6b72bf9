"""A run of SUMO: trips on undisturbed and on disturbed roads under the same seeds, and every trip accounted for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator
from labrig_earth.impact.traffic.accounting import (
    DISTURBED,
    UNDISTURBED,
    Totals,
    read_legs,
    require_accounted,
    require_flowing,
    totals,
)
from labrig_earth.impact.traffic.demand import Demand, read_demand
from labrig_earth.impact.traffic.disruptions import Disruption, Disturbed, disturbed, read_disruptions
from labrig_earth.impact.traffic.network import Network, read_network
from labrig_earth.impact.traffic.setup import SUMO_ENV

SUMO = Engine("sumo", "SUMO", "sumo_engine", SUMO_ENV, programs=True)


@dataclass(frozen=True)
class Case:
    """The files of a run, read and checked."""

    network: Network
    demand: Demand
    disruption: Disruption
    changed: Disturbed

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, assumed or changed."""
        found = list(self.network.notes)
        if self.changed.cancelled:
            found.append(
                f"{len(self.changed.cancelled)} of {len(self.demand.trips)} trips begin or end on a closed edge "
                "and are cancelled"
            )
        if self.changed.rerouted:
            found.append(
                f"{len(self.changed.rerouted)} given routes are closed: those trips take the quickest other way"
            )
        if self.disruption.seeds < 10:
            found.append(
                f"{self.disruption.seeds} seeds say little of how sure a difference is; ten or more do"
            )
        return tuple(found)


def case_of(given: Given) -> Case:
    """Read and check the files of a call."""
    network = read_network(given.one("network_path"))
    demand = read_demand(given.one("routes_path"), network)
    disruption = read_disruptions(given.one("disruptions_path"), network, demand)
    changed = disturbed(demand, disruption)
    if not changed.trips:
        raise LabrigError(
            "Every trip begins or ends on a closed edge",
            where=given.one("disruptions_path").name,
            expected="roads on which some trips are left",
        )
    return Case(network, demand, disruption, changed)


def asked_of(case: Case, seed: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the arguments and the files of the engine."""
    inputs = {**case.network.files, f"{UNDISTURBED}.rou.xml": case.demand.xml(case.demand.trips)}
    if case.disruption.disturbs:
        inputs[f"{DISTURBED}.rou.xml"] = case.demand.xml(case.changed.trips, case.changed.rerouted)
    arguments = {
        "disturbed": case.disruption.disturbs,
        "closed": sorted(case.disruption.closed),
        "factors": dict(sorted(case.disruption.factors.items())),
        "seeds": [(seed + number) % 2**31 for number in range(case.disruption.seeds)],
        "end_s": case.disruption.end_s,
        "rerouting_share": case.disruption.rerouting_share,
    }
    return arguments, inputs


def added_up(case: Case, result: Mapping[str, Any], trips: bytes) -> tuple[Totals, list[str]]:
    """Return a run added up, with what is to be told of it.

    Raises
    ------
    LabrigError
        ``bad_input`` for a trip that has no way on undisturbed roads, and for stuck traffic; ``engine`` for a trip that
        is lost.
    """
    legs = read_legs(trips)
    cases = result["cases"]
    all_trips = [each.name for each in case.demand.trips]
    lost = require_accounted(cases[UNDISTURBED], legs, UNDISTURBED, all_trips)
    if lost:
        raise LabrigError(
            f"There is no way for {len(lost)} of {len(all_trips)} trips, such as {', '.join(lost[:5])}",
            where="routes_path",
            expected="trips whose vehicles may drive from their first edge to their last",
        )
    told = []
    share = case.disruption.most_stuck_share
    for roads in cases:
        if roads == DISTURBED:
            going = [each.name for each in case.changed.trips]
            cut_off = require_accounted(cases[roads], legs, roads, going)
            if cut_off:
                told.append(f"{len(cut_off)} trips have no way past what is closed, and are cancelled")
            if len(cut_off) == len(going):
                raise LabrigError(
                    "No trip has a way past what is closed", where="disruptions_path, closed_edges"
                )
        told += require_flowing(cases[roads], roads, len(all_trips), share)
    return totals(legs, cases, departs_s={each.name: each.depart_s for each in case.demand.trips}), told


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run SUMO on the files of a call.

    Raises
    ------
    LabrigError
        What `case_of`, the engine and `added_up` refuse.
    """
    case = await in_thread(case_of, given)
    arguments, inputs = asked_of(case, how.seed)
    async with how.engines.run(SUMO, arguments, inputs, allowed=how.allowed, seed=how.seed) as run:
        trips = run.folder / "outputs" / "trips.csv"
        found, told = await in_thread(lambda: added_up(case, run.result, trips.read_bytes()))
        yield Simulation(
            version=run.version,
            metrics=found.metrics,
            derived=found.derived,
            units=found.rows,
            time=("T0S", f"T{case.disruption.end_s:g}S", "PT1S"),
            warnings=(*case.notes, *told, *run.warnings),
            text=_said(found),
            folder=run.folder,
            wall_s=run.wall_s,
        )


def _said(found: Totals) -> str:
    value = {name: each.value or 0 for name, each in {**found.metrics, **found.derived}.items()}
    text = (
        f"{value['trips_demanded']} trips over {value['seeds']} seeds: {value['trips_finished']:g} finished, "
        f"{value['trips_cancelled']} cancelled, {value['trips_unfinished']:g} unfinished; "
        f"{value['avg_travel_time_s']:.1f} s on average, 95 % below {value['p95_travel_time_s']:.1f} s"
    )
    if "paired_trips" not in value:
        return text
    error = value["added_travel_time_standard_error_s"]
    return (
        f"{text}; the {value['paired_trips']:g} trips that are in both take {value['added_travel_time_s']:+.1f} s "
        f"longer than on undisturbed roads (standard error over seeds {error:.1f} s)"
    )


FILES: Mapping[str, str] = {
    "network_path": "network of SUMO (.net.xml, lights of fixed times), or JSON: nodes [{id, x, y (m), type}], edges "
    "[{id, from, to, speed_m_s, lanes, length_m, priority}], one for each direction",
    "routes_path": "CSV: id, depart_s, from, to (edges); or SUMO's routes: vType (numbers, vClass), trip, vehicle with "
    "route; flows are refused",
    "disruptions_path": "JSON: closed_edges [edge], speed_factors {edge: 0.05 to 2}, seeds (10), end_s (last "
    "departure + 7200 s), rerouting_share (0), most_stuck_share (0: unfinished or teleported trips are an error)",
}

SIMULATOR = Simulator(
    tool="impact_sumo_run",
    engine=SUMO,
    backends=("sumo",),
    files=FILES,
    run=simulate,
    check=lambda given: case_of(given).notes,
)
