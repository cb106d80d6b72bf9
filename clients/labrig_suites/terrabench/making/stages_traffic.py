"""Stages of streets: a rush as it was, with a bridge closed, with a pontoon laid, and had the pontoon been there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.plan import Number, Plan, Result, Tolerance, combined
from labrig_suites.terrabench.making.traffic import (
    BRIDGES,
    NEEDS,
    PONTOON,
    Quarter,
    Roads,
    Took,
    make_quarter,
    runs,
)

ERRORS = 5
WHY = f"times of trips are rounded to SUMO's step of 1 s: {ERRORS} standard errors of their mean"
APART_S, BESIDE_S, DRAWS = 2.5, 0.8, 20
"""By how much mean travel times differ at least; how far off an observed one lies at most, s; draws to get there."""

NOW = Roads("now")
FILES = {"now": "data/roads.json", PONTOON: f"data/roads_{PONTOON}.json"}


def rush(plan: Plan, case: Case) -> None:
    """A rush over three bridges; from level 1 with one closed, at 2 with a pontoon and high water, at 3 conditioned."""
    quarter, states, true = _drawn(case)
    plan.needs.add(NEEDS)
    plan.files |= {FILES["now"]: quarter.network(), "data/trips.rou.xml": quarter.routes()}
    if case.level >= 2:
        plan.files[FILES[PONTOON]] = quarter.with_pontoon().network()
    results: dict[str, Result] = {}
    for name, roads in states.items():
        path = disruption(roads)
        plan.files[path] = roads.file()
        results[name] = plan.call(
            "impact_sumo_run",
            network_path=FILES[roads.network],
            routes_path="data/trips.rou.xml",
            disruptions_path=path,
            run_id=f"rush-{name}",
        )
    tell = _Rush(plan, results, true)
    plan.questions.append(
        f"Run SUMO on the streets of {FILES['now']} with the {len(quarter.trips)} trips of data/trips.rou.xml and "
        f"{disruption(NOW)}, in which nothing is closed; travel times are from the planned departure to the arrival."
    )
    tell.ask(
        "travel_time_s",
        "mean travel time of that run, s",
        true["open"].mean_s,
        tell.mean("open") * 1.0,
    )
    plan.steps.append("The rush as it was, by the engine.")
    if case.level == 0:
        _observation(plan, tell)
    if case.level == 1:
        _association(plan, tell, states["shut"])
    if case.level == 2:
        _intervention(plan, tell, states)
    if case.level == 3:
        _counterfactual(plan, tell, case)


def disruption(roads: Roads) -> str:
    """Return the path of the file of a disruption; that of a closed bridge is the same with the pontoon."""
    name = "_".join(each for each in (roads.shut, roads.slow and "high_water") if each)
    return f"data/closed_{name}.json" if name else "data/closed_none.json"


class _Rush:
    """Asks for numbers of runs."""

    def __init__(self, plan: Plan, results: Mapping[str, Result], true: Mapping[str, Took]) -> None:
        self.plan, self.results, self.true = plan, results, true

    def mean(self, name: str) -> Number:
        """Return the mean travel time of a run as a formula."""
        return self.results[name].at("metrics", "avg_travel_time_s", "value")

    @property
    def tolerance_s(self) -> float:
        """Return the tolerance of a mean over trips, each of which is rounded (variance of a step: a twelfth), s."""
        return ERRORS / math.sqrt(12 * len(self.true["open"].seconds))

    def ask(self, key: str, about: str, value: float, number: Number) -> None:
        """Ask for a time in seconds."""
        self.plan.ask(key, about, value, number, Tolerance(self.tolerance_s, WHY))

    def more(self, key: str, about: str, one: str, other: str) -> None:
        """Ask by how much the mean travel time of one run is above that of another."""
        self.ask(
            key, about, self.true[one].mean_s - self.true[other].mean_s, self.mean(one) - self.mean(other)
        )

    def hours(self, key: str, about: str, value: float, number: Number) -> None:
        """Ask for hours of all trips together."""
        trips = len(self.true["open"].seconds)
        self.plan.ask(key, about, value, number, Tolerance(self.tolerance_s * trips / 3600, WHY))


def _observation(plan: Plan, tell: _Rush) -> None:
    tell.hours(
        "time_lost_h",
        "hours that all trips together waited to depart and lost on the way against a free road",
        tell.true["open"].lost_h,
        tell.results["open"].at("metrics", "total_delay_h", "value") * 1.0,
    )


def _association(plan: Plan, tell: _Rush, shut: Roads) -> None:
    plan.questions.append(
        f"Run it with {disruption(shut)}, too: the {shut.shut} bridge is closed both ways, and everybody goes round."
    )
    tell.more(
        "closure_adds_s", "mean travel time with the bridge closed minus that without, s", "shut", "open"
    )
    tell.hours(
        "closure_adds_h",
        "what the closure adds to the travel times of all trips together, h",
        float((tell.true["shut"].travelled - tell.true["open"].travelled).sum()) / 3600,
        tell.results["shut"].at("metrics", "total_added_delay_h", "value") * 1.0,
    )
    plan.steps.append("The rush with a bridge closed.")


def _intervention(plan: Plan, tell: _Rush, states: Mapping[str, Roads]) -> None:
    shut, high = states["shut"], states["high"]
    plan.questions.append(
        f"Intervention: close the {shut.shut} bridge ({disruption(shut)}), and lay a pontoon bridge ({FILES[PONTOON]} "
        f"has it); do both also in high water, when the {high.slow} bridge may only be driven at {high.factor:g} of "
        f"its limit ({disruption(high)})."
    )
    closure = "mean travel time with the closure"
    tell.more("closure_adds_s", f"{closure} minus that of the first run, s", "shut", "open")
    tell.more("pontoon_saves_s", f"{closure} minus that with the pontoon, too, s", "shut", "pontoon")
    tell.more("pontoon_saves_in_high_water_s", "the same in high water, s", "high", "high-pontoon")
    plan.steps.append(
        "A bridge closed, with and without the pontoon, in high water and without: four runs more."
    )


def _counterfactual(plan: Plan, tell: _Rush, case: Case) -> None:
    """Find the closed bridge by the travel time that was observed; then lay the pontoon."""
    names = list(BRIDGES)
    chosen = names[int(case.rng.integers(len(names)))]
    observed = round(tell.true[chosen].mean_s + float(case.rng.uniform(-BESIDE_S, BESIDE_S)), 2)
    files = ", ".join(disruption(Roads("now", name)) for name in names)
    plan.questions.append(
        f"Counterfactual: one bridge was closed, and trips in fact took {observed:g} s on average. Of {files} take the "
        "one whose mean travel time is nearest to that, and say how long trips would have taken had the pontoon of "
        f"{FILES[PONTOON]} been there."
    )
    shut = [tell.mean(name) for name in names]
    would = combined("nearest", observed, *shut, *(tell.mean(f"{name}-pontoon") for name in names))
    true = tell.true[f"{chosen}-pontoon"].mean_s
    tell.ask(
        "travel_time_had_there_been_s", "mean travel time that there would have been, s", true, would * 1.0
    )
    tell.ask(
        "saved_had_there_been_s",
        "mean travel time with the closure that was taken minus that, s",
        tell.true[chosen].mean_s - true,
        combined("nearest", observed, *shut, *shut) - would,
    )
    plan.skipped += [tell.results[f"{name}-pontoon"].place for name in names if name != chosen]
    plan.steps.append(
        "Every bridge closed in turn; the one nearest to what was observed; that one with the pontoon."
    )


def _drawn(case: Case) -> tuple[Quarter, dict[str, Roads], dict[str, Took]]:
    """Return streets on which everybody arrives, what is done to them, and what trips took; times are not alike."""
    for _ in range(DRAWS):
        quarter = make_quarter(case.rng)
        states = _states(case)
        networks = {"now": quarter, PONTOON: quarter.with_pontoon()}
        true = dict(zip(states, runs(networks, list(states.values())), strict=True))
        if not any(each.stuck for each in true.values()) and _told_apart(true):
            break
    return quarter, states, true


def _states(case: Case) -> dict[str, Roads]:
    """Return states of the roads by the names of their runs."""
    shut, slow = (str(each) for each in case.rng.permutation(list(BRIDGES))[:2])
    factor = round(float(case.rng.uniform(0.2, 0.4)), 2)
    by_level: dict[int, dict[str, Roads]] = {
        0: {},
        1: {"shut": Roads("now", shut)},
        2: {
            "shut": Roads("now", shut),
            "pontoon": Roads(PONTOON, shut),
            "high": Roads("now", shut, slow, factor),
            "high-pontoon": Roads(PONTOON, shut, slow, factor),
        },
        3: {name: Roads("now", name) for name in BRIDGES}
        | {f"{name}-pontoon": Roads(PONTOON, name) for name in BRIDGES},
    }
    return {"open": NOW} | by_level[case.level]


def _told_apart(true: Mapping[str, Took]) -> bool:
    """Tell whether what is asked for as a difference is one, and candidates differ in what is observed."""
    pairs = [("shut", "open"), ("shut", "pontoon"), ("high", "high-pontoon")]
    pairs += [(name, f"{name}-pontoon") for name in BRIDGES]
    known = [(one, other) for one, other in pairs if one in true and other in true]
    means = sorted(true[name].mean_s for name in BRIDGES if name in true)
    gaps = [true[one].mean_s - true[other].mean_s for one, other in known]
    return min([*gaps, *(b - a for a, b in pairwise(means))], default=APART_S) >= APART_S
