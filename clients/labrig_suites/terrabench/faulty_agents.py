"""Agents that play the reference over MCP with one fault each, so that records show which metric names which fault.

================ ==========================================================================================
agent            fault
================ ==========================================================================================
wrong-tool       every second call is one of another family
wrong-order      the calls in reverse
wrong-window     periods end five days early
wrong-unit       every number a thousand times too large
swapped-box      latitudes and longitudes change places
no-sidecar       the answer is text alone
own-tolerance    numbers are off, and a tolerance of 1e9 is claimed
extra-key        a sixth key in every field
proxy            no simulator is run: its numbers come of a rule of thumb
unknown-tools    a tool that nobody offers before each call
stopped          the first half of the calls
================ ==========================================================================================
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import partial
from typing import Any

from labrig_harness.agent import AgentSpec, Bench
from labrig_harness.agents.own_code import OwnCode, commit
from labrig_harness.sample import SampleInput
from labrig_harness.suite import MakeAgent, Solution, Unsolvable
from labrig_suites.terrabench.metrics.families import family_of, is_meta
from labrig_suites.terrabench.score import SIMULATION

Call = tuple[str, dict[str, Any]]
Rows = list[dict[str, Any]]
FILE = "data/days.nc"
POINT = [{"id": "a", "lat": 48.0, "lon": 12.0}]


class Faulty(OwnCode):
    """Plays the reference with one fault.

    Attributes
    ----------
    solve
        Set by the harness: gives the reference solution of an item.
    """

    solve: Callable[[SampleInput], Solution]

    def __init__(self, fault: str) -> None:
        self.fault = fault

    async def run(self, bench: Bench) -> None:
        """Play the calls, changed as the fault says, and commit the answer, changed as it says."""
        solution = self.solve(bench.brief)
        places = list(range(len(solution.calls)))
        if self.fault == "stopped":
            places = places[: len(places) // 2]
        if self.fault == "wrong-order":
            meta = [place for place in places if is_meta(solution.calls[place].tool)]
            places = meta + [place for place in reversed(places) if place not in meta]
        results = [""] * len(solution.calls)
        for place in places:
            call = solution.calls[place]
            try:
                arguments = call.bind(results)
            except Unsolvable:
                continue
            if is_meta(call.tool):
                made: Call | None = (call.tool, arguments)
            else:
                made = CALLS.get(self.fault, _same)(place, (call.tool, arguments))
            if made is None:
                continue
            if self.fault == "unknown-tools":
                await bench.call("no_such_tool", {})
            results[place] = (await bench.call(*made)).text
        try:
            rows = json.loads(solution.answer(results))
        except Unsolvable:
            rows = []
        if self.fault == "no-sidecar":
            bench.turn(f"The numbers are {', '.join(str(each['value']) for each in rows)}.")
            return
        if self.fault == "proxy":
            rows = _with_proxies(rows, bench.brief)
        await commit(bench, json.dumps(ANSWERS.get(self.fault, _unchanged)(rows)))


def _same(place: int, call: Call) -> Call | None:
    return call


def _foreign(place: int, call: Call) -> Call | None:
    """Return a call of another family in place of every second one."""
    if place % 2 == 0:
        return call
    if family_of(call[0]) == "GIS / OSM":
        return "inspect_netcdf", {"netcdf_path": FILE}
    return "gis_distance_matrix", {"origins": POINT, "destinations": POINT}


def _window(place: int, call: Call) -> Call | None:
    tool, arguments = call
    if "end_time" not in arguments:
        return call
    end = date.fromisoformat(arguments["end_time"]) - timedelta(days=5)
    return tool, {**arguments, "end_time": str(end)}


def _swapped(place: int, call: Call) -> Call | None:
    """Return a call whose box has latitudes where longitudes are wanted."""
    tool, arguments = call
    changed = dict(arguments)
    if "lat_range" in arguments:
        changed |= {"lat_range": arguments["lon_range"], "lon_range": arguments["lat_range"]}
    if "region" in arguments:
        north, west, south, east = arguments["region"]
        changed["region"] = [east, south, west, north]
    if "geometry" in arguments:
        south, west, north, east = arguments["geometry"]["bbox"]
        changed["geometry"] = {"bbox": [west, south, east, north]}
    return tool, changed


def _without_engine(place: int, call: Call) -> Call | None:
    return None if family_of(call[0]) == SIMULATION else call


def _unchanged(rows: Rows) -> Rows:
    return rows


def _thousandfold(rows: Rows) -> Rows:
    return [{**each, "value": each["value"] and 1_000 * each["value"]} for each in rows]


def _off(rows: Rows) -> Rows:
    return [{**each, "value": each["value"] and 1.3 * each["value"] + 1, "abs_tol": 1e9} for each in rows]


def _sixth(rows: Rows) -> Rows:
    return [{**each, "unit": "as asked"} for each in rows]


def _with_proxies(rows: Rows, brief: SampleInput) -> Rows:
    """Return the rows with the fields of an engine answered by a rule: mean air temperature, or 1 % of the people."""
    air = _column(brief, "data/met_1.csv", "tair_c")
    people = _column(brief, "data/people.csv", "persons")
    for row in rows:
        if row["value"] is None:
            felt = row["key"].startswith("utci") and air
            row["value"] = sum(air) / len(air) if felt else 0.01 * sum(people)
    return rows


def _column(brief: SampleInput, path: str, name: str) -> list[float]:
    content = brief.files.get(path, "")
    text = content if isinstance(content, str) else content.read().decode()
    return [float(row[name]) for row in csv.DictReader(io.StringIO(text))]


CALLS: Mapping[str, Callable[[int, Call], Call | None]] = {
    "wrong-tool": _foreign,
    "wrong-window": _window,
    "swapped-box": _swapped,
    "proxy": _without_engine,
}
ANSWERS: Mapping[str, Callable[[Rows], Rows]] = {
    "wrong-unit": _thousandfold,
    "own-tolerance": _off,
    "extra-key": _sixth,
}
FAULTS = (
    *("wrong-tool", "wrong-order", "wrong-window", "wrong-unit", "swapped-box", "no-sidecar"),
    *("own-tolerance", "extra-key", "proxy", "unknown-tools", "stopped"),
)


def _made(fault: str, spec: AgentSpec, seed: str) -> Faulty:
    return Faulty(fault)


AGENTS: Mapping[str, MakeAgent] = {fault: partial(_made, fault) for fault in FAULTS}
