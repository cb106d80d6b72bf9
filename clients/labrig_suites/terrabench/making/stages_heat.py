"""Stages of heat and health: UTCI by the hour, what an exposure costs, with less of it, and had there been less."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.hours import Hours, make_hours
from labrig_suites.terrabench.making.plan import Found, Number, Plan, Result, Tolerance
from labrig_suites.terrabench.making.stages_town import SHARE, near
from labrig_suites.terrabench.making.world import Floats

PUBLISHED = Tolerance(
    0.05, "methods: formulas of vapour pressure change it by less; published values have 0.1 K"
)
DUST = "Air quality"
HIGH, LARGEST_LOG_RISK = 1.4, 4.0
"""The upper end of a slope by the slope itself; the logarithm of a risk that it comes to (a response takes up to 5)."""
UTCI_COLUMN = "utci_max_c"
CASES = ("metrics", "attributable_cases", "value")


@dataclass(frozen=True)
class Exposure:
    """A daily exposure: its file, the column, and what is in it."""

    path: str
    column: str
    first: str
    values: Floats


def heat(plan: Plan, case: Case, places: int) -> list[Hours]:
    """UTCI at places: mean, 95th percentile, and how they differ."""
    made: list[tuple[Hours, Result]] = []
    names = [box.name for box in case.grids.boxes[:places]]
    for number, _ in enumerate(names):
        hours = make_hours(case.world, case.rng)
        made.append((hours, _utci(plan, hours, str(number + 1), f"heat-{number + 1}")))
    listed = ", ".join(f"data/met_{n + 1}.csv ({name})" for n, name in enumerate(names))
    plan.questions.append(
        f"Compute the Universal Thermal Climate Index hour by hour from {listed}; vapour pressure is that over water."
    )
    hours, result = made[0]
    plan.ask(
        "utci_mean_c",
        f"mean UTCI of all hours at the first place ({names[0]}), degC",
        hours.utci().mean(),
        result.at("metrics", "utci_mean_c", "value") * 1.0,
        PUBLISHED,
    )
    plan.ask(
        "utci_highest_c",
        f"highest UTCI of an hour at the last place ({names[-1]}), degC",
        made[-1][0].utci().max(),
        made[-1][1].at("metrics", "utci_max_c", "value") * 1.0,
        PUBLISHED,
    )
    plan.steps.append("UTCI of every place by the engine; means and maxima.")
    return [each for each, _ in made]


def _utci(plan: Plan, hours: Hours, name: str, run: str) -> Result:
    """Have UTCI computed from a file of hours."""
    plan.files[f"data/met_{name}.csv"] = hours.csv()
    return plan.call(
        "impact_health_utci",
        met_timeseries_path=f"data/met_{name}.csv",
        strong_stress_threshold_c=32.0,
        run_id=run,
    )


def response(plan: Plan, case: Case, hours: Hours | None, doses: int = 0) -> None:
    """What an exposure costs; from level 2 on with less of it; at level 3 had there been less, given the count.

    Parameters
    ----------
    doses
        Scenarios with more and more of the exposure taken away, each by a run of its own.
    """
    stage = _Response(plan, case, hours)
    stage.as_counted()
    if doses:
        stage.take_away(doses)
    if case.level >= 2:
        after = stage.intervene()
        if case.level == 3:
            stage.had_there_been(after)


class _Response:
    """The calls of an item on a response to an exposure, and what is true.

    Attributes
    ----------
    before
        The exposure as it was.
    slope, start
        Of the logarithm of the risk, and the exposure above which it rises.
    rate, daily
        Admissions as counted: per 100,000 persons and year, and of all persons a day.
    """

    def __init__(self, plan: Plan, case: Case, hours: Hours | None) -> None:
        self.plan, self.case, self.hours = plan, case, hours
        rng, self.before = case.rng, _exposure(plan, case, hours)
        self.start = round(float(np.quantile(self.before.values, rng.uniform(0.05, 0.3))), 1)
        most = LARGEST_LOG_RISK / (HIGH * (float(self.before.values.max()) - self.start))
        self.slope = min(round(float(rng.uniform(0.006, 0.03)), 4), math.floor(most * 1e4) / 1e4)
        persons = int(rng.integers(40, 900)) * 1000
        self.rate = round(float(rng.uniform(300, 1500)), 1)
        year = int(self.before.first[:4])
        self.daily = self.rate / 1e5 * persons / (366 if year % 4 == 0 else 365)
        plan.files["data/people.csv"] = f"persons\n{persons}\n"
        self.spec = {
            "form": "log_linear",
            "beta": self.slope,
            "beta_ci": [round(self.slope * 0.6, 6), round(self.slope * HIGH, 6)],
            "reference_exposure": self.start,
            "exposure_unit": "ug m-3" if case.domain.name == DUST else "degC UTCI, daily maximum",
            "outcome": "admissions",
            "step": "day",
            "baseline_period": "year",
            "baseline": "observed",
        }
        plan.files["data/response.json"] = json.dumps(self.spec) + "\n"

    def applied(self, exposure: Exposure, base: float | Found, spec: str = "data/response.json") -> Result:
        """Have a response applied to an exposure, with a rate of admissions."""
        return self.plan.call(
            "impact_health_erf",
            exposure_series_path=exposure.path,
            population_exposed_path="data/people.csv",
            erf_spec_path=spec,
            baseline_rate_per_100k=base,
            exposure_column=exposure.column,
        )

    def ask(self, key: str, about: str, number: Number, true: Callable[[float], float]) -> None:
        """Ask for what follows from the exposure; `true` gives it for an exposure higher by so much."""
        self.plan.ask(key, about, true(0.0), number, _felt(self.before, true))

    def risks(self, exposure: Exposure, warmer: float) -> Floats:
        """Return the relative risk of each day."""
        found: Floats = np.exp(self.slope * np.maximum(exposure.values + warmer - self.start, 0))
        return found

    def due(self, exposure: Exposure, warmer: float) -> float:
        """Return the admissions that are due to an exposure."""
        risk = self.risks(exposure, warmer)
        return float((self.daily * (risk - 1) / risk).sum())

    def as_counted(self) -> None:
        """The admissions due to the exposure as it was."""
        plan, case = self.plan, self.case
        self.first = self.applied(self.before, self.rate)
        what = (
            "daily PM2.5 of data/exposure.csv"
            if case.domain.name == DUST
            else "daily maxima of UTCI at the first place"
        )
        plan.questions.append(
            f"Apply the exposure response of data/response.json to the {what}, for the {case.domain.people} of "
            f"data/people.csv, with {self.rate:g} admissions per 100,000 persons and year as counted."
        )
        self.ask(
            "attributable_admissions",
            "admissions due to the exposure in these days",
            self.first.at(*CASES) * 1.0,
            lambda warmer: self.due(self.before, warmer),
        )
        plan.steps.append("The exposure response as counted.")

    def take_away(self, doses: int) -> None:
        """Take more and more of the exposure away, and say what the first and the last step are worth."""
        plan, hours = self.plan, self.hours
        shares = [round(float(each), 2) for each in np.sort(self.case.rng.uniform(0.1, 0.9, doses))]
        found = []
        for number, share in enumerate(shares, 1):
            after, _ = _less(plan, hours, self.before, share, f"step_{number}")
            found.append((after, self.applied(after, self.rate)))
        paths = ", ".join(f"data/{_FILES[hours is None]}_step_{number}.csv" for number in range(1, doses + 1))
        plan.questions.append(
            f"Scenarios: take {', '.join(f'{100 * each:g} %' for each in shares)} of "
            f"{'the dust' if hours is None else 'the excess of the mean radiant over the air temperature'} away "
            f"({paths}), and apply the same response with the same rate to each."
        )
        (once, result_once), (last, result) = found[0], found[-1]
        self.ask(
            "avoided_in_the_last_scenario",
            "attributable admissions as it was minus those of the last scenario",
            self.first.at(*CASES) - result.at(*CASES),
            lambda warmer: self.due(self.before, warmer) - self.due(last, warmer),
        )
        if doses > 1:
            self.ask(
                "avoided_between_scenarios",
                "attributable admissions of the first scenario minus those of the last",
                result_once.at(*CASES) - result.at(*CASES),
                lambda warmer: self.due(once, warmer) - self.due(last, warmer),
            )
        plan.steps.append("Each scenario: the exposure by the engine, and its response.")

    def intervene(self) -> Exposure:
        """The admissions avoided by an intervention; return the exposure with it."""
        plan, hours = self.plan, self.hours
        share = round(float(self.case.rng.uniform(0.2, 0.6)), 2)
        after, shaded = _less(plan, hours, self.before, share, "less" if hours is None else "shaded")
        if shaded is not None:
            plan.ask(
                "utci_mean_shaded_c",
                "mean UTCI of all hours at the first place with the intervention, degC",
                shaded[0].utci().mean(),
                shaded[1].at("metrics", "utci_mean_c", "value") * 1.0,
                PUBLISHED,
            )
        second = self.applied(after, self.rate)
        plan.questions.append(
            f"Intervention: {_how(self.case, share)} Apply the same response with the same rate to this exposure."
        )
        self.ask(
            "admissions_avoided",
            "attributable admissions without the intervention minus those with it",
            self.first.at(*CASES) - second.at(*CASES),
            lambda warmer: self.due(self.before, warmer) - self.due(after, warmer),
        )
        plan.steps.append("The exposure with the intervention, and its response.")
        return after

    def had_there_been(self, after: Exposure) -> None:
        """Condition the rate on what was counted, and go through the days again with less exposure."""
        plan, before, rate = self.plan, self.before, self.rate
        expected = self.daily * len(before.values)
        counted = round(expected * float(self.case.rng.uniform(1.1, 1.9)), 1)
        unexposed_spec = "data/response_unexposed.json"
        plan.files[unexposed_spec] = json.dumps(self.spec | {"baseline": "unexposed"}) + "\n"

        def unexposed(warmer: float) -> float:
            return counted * float((1 / self.risks(before, warmer)).mean())

        def would(warmer: float) -> float:
            return unexposed(warmer) * float(self.risks(after, warmer).mean())

        true_rate = rate * counted / expected
        scaled = Number(rate * counted) / self.first.at("metrics", "baseline_cases", "value")
        given = self.applied(before, Found(scaled, true_rate))
        left = Number(1.0) - given.at("metrics", "attributable_fraction", "value")
        base = Found(scaled * left, true_rate * unexposed(0.0) / counted)
        due = self.applied(after, base, unexposed_spec).at(*CASES)
        plan.questions.append(
            f"Counterfactual: {counted:g} admissions were in fact counted in these days. Scale the rate so that the "
            "days have that many as counted; take away those due to the exposure and spread the rest evenly over the "
            "days, as the rate without exposure. With that rate, how many admissions would there have been with the "
            "exposure of the intervention (unexposed admissions times relative risk)?"
        )
        self.ask(
            "admissions_had_there_been",
            "admissions that there would have been in these days",
            Number(counted) * left + due,
            would,
        )
        self.ask(
            "excess_had_there_been",
            "those of them that are due to the exposure",
            due * 1.0,
            lambda warmer: would(warmer) - unexposed(warmer),
        )
        plan.steps.append(
            "Scale the rate to what was counted; the rate without exposure; the days again with less."
        )


def _felt(exposure: Exposure, number: Callable[[float], float]) -> Tolerance:
    """Return a tolerance for what follows from an exposure: of UTCI, what 0.05 K more of it would change."""
    value = number(0.0)
    if exposure.column != UTCI_COLUMN:
        return near(value, "rounding of the exposure and of rates")
    moved = max(abs(number(shift) - value) for shift in (-PUBLISHED.absolute, PUBLISHED.absolute))
    return Tolerance(
        max(moved, SHARE * abs(value)), "methods: what 0.05 K of UTCI change, the least 0.4 % of the value"
    )


def _exposure(plan: Plan, case: Case, hours: Hours | None) -> Exposure:
    if hours is not None:
        path = "data/simulators/impact_health_utci/heat-1/utci_daily.csv"
        return Exposure(path, UTCI_COLUMN, hours.first, hours.highest())
    days = int(case.rng.integers(40, 75))
    middle = case.rng.uniform(14, 40)
    values = (middle * np.exp(0.4 * case.rng.standard_normal(days))).round(2)
    first = f"{int(case.rng.integers(2015, 2021))}-0{int(case.rng.integers(5, 8))}-01"
    plan.files["data/exposure.csv"] = _days(first, values)
    return Exposure("data/exposure.csv", "exposure", first, values)


_FILES = ("met", "exposure")
"""Stems of the files of hours, and of a daily exposure."""


def _less(
    plan: Plan, hours: Hours | None, before: Exposure, share: float, name: str
) -> tuple[Exposure, tuple[Hours, Result] | None]:
    """Return a daily exposure with a share of it taken away; that of hours is computed by the engine first."""
    if hours is None:
        values = (before.values * (1 - share)).round(2)
        path = f"data/exposure_{name}.csv"
        plan.files[path] = _days(before.first, values)
        return Exposure(path, "exposure", before.first, values), None
    shaded = hours.shaded(share)
    run = f"heat-{name.replace('_', '-')}"
    result = _utci(plan, shaded, name, run)
    path = f"data/simulators/impact_health_utci/{run}/utci_daily.csv"
    return Exposure(path, UTCI_COLUMN, shaded.first, shaded.highest()), (shaded, result)


def _how(case: Case, share: float) -> str:
    if case.domain.name == DUST:
        return f"filters take {100 * share:g} % of the dust away (data/exposure_less.csv)."
    return (
        f"awnings take {100 * share:g} % of the excess of the mean radiant over the air temperature away in the sun "
        "(data/met_shaded.csv has the first place's hours so)."
    )


def _days(first: str, values: Floats) -> str:
    when = np.datetime64(first) + np.arange(len(values))
    rows = "".join(f"{day},{value:.2f}\n" for day, value in zip(when, values, strict=True))
    return f"date,exposure\n{rows}"
