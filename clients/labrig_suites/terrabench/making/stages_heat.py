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
        plan.files[f"data/met_{number + 1}.csv"] = hours.csv()
        result = plan.call(
            "impact_health_utci",
            met_timeseries_path=f"data/met_{number + 1}.csv",
            strong_stress_threshold_c=32.0,
            run_id=f"heat-{number + 1}",
        )
        made.append((hours, result))
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


def response(plan: Plan, case: Case, hours: Hours | None, doses: int = 0) -> None:
    """What an exposure costs; from level 2 on with less of it; at level 3 had there been less, given the count.

    Parameters
    ----------
    doses
        Scenarios with more and more of the exposure taken away, each by a run of its own.
    """
    rng, level = case.rng, case.level
    before = _exposure(plan, case, hours)
    start = round(float(np.quantile(before.values, rng.uniform(0.05, 0.3))), 1)
    most = LARGEST_LOG_RISK / (HIGH * (float(before.values.max()) - start))
    slope = min(round(float(rng.uniform(0.006, 0.03)), 4), math.floor(most * 1e4) / 1e4)
    persons = int(rng.integers(40, 900)) * 1000
    rate = round(float(rng.uniform(300, 1500)), 1)
    plan.files["data/people.csv"] = f"persons\n{persons}\n"
    spec = {
        "form": "log_linear",
        "beta": slope,
        "beta_ci": [round(slope * 0.6, 6), round(slope * HIGH, 6)],
        "reference_exposure": start,
        "exposure_unit": "ug m-3" if case.domain.name == DUST else "degC UTCI, daily maximum",
        "outcome": "admissions",
        "step": "day",
        "baseline_period": "year",
        "baseline": "observed",
    }
    plan.files["data/response.json"] = json.dumps(spec) + "\n"

    def applied(exposure: Exposure, spec_path: str, base: float | Found) -> Result:
        return plan.call(
            "impact_health_erf",
            exposure_series_path=exposure.path,
            population_exposed_path="data/people.csv",
            erf_spec_path=spec_path,
            baseline_rate_per_100k=base,
            exposure_column=exposure.column,
        )

    def risks(exposure: Exposure, warmer: float = 0.0) -> Floats:
        found: Floats = np.exp(slope * np.maximum(exposure.values + warmer - start, 0))
        return found

    year = int(before.first[:4])
    daily = rate / 1e5 * persons / (366 if year % 4 == 0 else 365)

    def due(warmer: float = 0.0, exposure: Exposure = before) -> float:
        risk = risks(exposure, warmer)
        return float((daily * (risk - 1) / risk).sum())

    first = applied(before, "data/response.json", rate)
    what = (
        "daily PM2.5 of data/exposure.csv"
        if case.domain.name == DUST
        else "daily maxima of UTCI at the first place"
    )
    plan.questions.append(
        f"Apply the exposure response of data/response.json to the {what}, for the {case.domain.people} of "
        f"data/people.csv, with {rate:g} admissions per 100,000 persons and year as counted."
    )
    plan.ask(
        "attributable_admissions",
        "admissions due to the exposure in these days",
        due(),
        first.at("metrics", "attributable_cases", "value") * 1.0,
        _felt(before, due),
    )
    plan.steps.append("The exposure response as counted.")
    if doses:
        _doses(plan, case, before, hours, doses, (applied, rate, first), due)
    if level < 2:
        return
    share = round(float(rng.uniform(0.2, 0.6)), 2)
    after, shaded = _less(plan, hours, before, share, "less" if hours is None else "shaded")
    if shaded is not None:
        plan.ask(
            "utci_mean_shaded_c",
            "mean UTCI of all hours at the first place with the intervention, degC",
            shaded[0].utci().mean(),
            shaded[1].at("metrics", "utci_mean_c", "value") * 1.0,
            PUBLISHED,
        )

    def avoided(warmer: float = 0.0) -> float:
        return due(warmer) - due(warmer, after)

    second = applied(after, "data/response.json", rate)
    plan.questions.append(
        f"Intervention: {_how(case, share)} Apply the same response with the same rate to this exposure."
    )
    plan.ask(
        "admissions_avoided",
        "attributable admissions without the intervention minus those with it",
        avoided(),
        first.at("metrics", "attributable_cases", "value")
        - second.at("metrics", "attributable_cases", "value"),
        _felt(before, avoided),
    )
    plan.steps.append("The exposure with the intervention, and its response.")
    if level == 3:
        _had_there_been(plan, case, applied, spec, before, after, first, (daily, rate), risks)


def _doses(
    plan: Plan,
    case: Case,
    before: Exposure,
    hours: Hours | None,
    doses: int,
    asked: tuple[Callable[[Exposure, str, float | Found], Result], float, Result],
    due: Callable[[float, Exposure], float],
) -> None:
    """Take more and more of the exposure away, and say what the first and the last step are worth."""
    applied, rate, first = asked
    shares = [round(float(each), 2) for each in np.sort(case.rng.uniform(0.1, 0.9, doses))]
    found = []
    for number, share in enumerate(shares, 1):
        after, _ = _less(plan, hours, before, share, f"step_{number}")
        found.append((after, applied(after, "data/response.json", rate)))
    paths = ", ".join(f"data/{_FILES[hours is None]}_step_{number}.csv" for number in range(1, doses + 1))
    plan.questions.append(
        f"Scenarios: take {', '.join(f'{100 * each:g} %' for each in shares)} of "
        f"{'the dust' if hours is None else 'the excess of the mean radiant over the air temperature'} away "
        f"({paths}), and apply the same response with the same rate to each."
    )
    last, result = found[-1]

    def saved(warmer: float = 0.0) -> float:
        return due(warmer, before) - due(warmer, last)

    cases = ("metrics", "attributable_cases", "value")
    plan.ask(
        "avoided_in_the_last_scenario",
        "attributable admissions as it was minus those of the last scenario",
        saved(),
        first.at(*cases) - result.at(*cases),
        _felt(before, saved),
    )
    if doses > 1:
        once = found[0][0]

        def step(warmer: float = 0.0) -> float:
            return due(warmer, once) - due(warmer, last)

        plan.ask(
            "avoided_between_scenarios",
            "attributable admissions of the first scenario minus those of the last",
            step(),
            found[0][1].at(*cases) - result.at(*cases),
            _felt(before, step),
        )
    plan.steps.append("Each scenario: the exposure by the engine, and its response.")


def _had_there_been(
    plan: Plan,
    case: Case,
    applied: Callable[[Exposure, str, float | Found], Result],
    spec: dict[str, object],
    before: Exposure,
    after: Exposure,
    first: Result,
    rates: tuple[float, float],
    risks: Callable[[Exposure, float], Floats],
) -> None:
    """Condition the rate on what was counted, and go through the days again with less exposure."""
    daily, rate = rates
    expected = daily * len(before.values)
    counted = round(expected * float(case.rng.uniform(1.1, 1.9)), 1)
    plan.files["data/response_unexposed.json"] = json.dumps(spec | {"baseline": "unexposed"}) + "\n"

    def unexposed(warmer: float = 0.0) -> float:
        return counted * float((1 / risks(before, warmer)).mean())

    def would(warmer: float = 0.0) -> float:
        return unexposed(warmer) * float(risks(after, warmer).mean())

    true_rate = rate * counted / expected
    scaled = Number(rate * counted) / first.at("metrics", "baseline_cases", "value")
    given = applied(before, "data/response.json", Found(scaled, true_rate))
    left = Number(1.0) - given.at("metrics", "attributable_fraction", "value")
    base = Found(scaled * left, true_rate * unexposed() / counted)
    due = applied(after, "data/response_unexposed.json", base).at("metrics", "attributable_cases", "value")
    plan.questions.append(
        f"Counterfactual: {counted:g} admissions were in fact counted in these days. Scale the rate so that the "
        "days have that many as counted; take away those due to the exposure and spread the rest evenly over the "
        "days, as the rate without exposure. With that rate, how many admissions would there have been with the "
        "exposure of the intervention (unexposed admissions times relative risk)?"
    )
    plan.ask(
        "admissions_had_there_been",
        "admissions that there would have been in these days",
        would(),
        Number(counted) * left + due,
        _felt(before, would),
    )

    def excess(warmer: float = 0.0) -> float:
        return would(warmer) - unexposed(warmer)

    plan.ask(
        "excess_had_there_been",
        "those of them that are due to the exposure",
        excess(),
        due * 1.0,
        _felt(before, excess),
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
    plan.files[f"data/met_{name}.csv"] = shaded.csv()
    run = f"heat-{name.replace('_', '-')}"
    result = plan.call(
        "impact_health_utci",
        met_timeseries_path=f"data/met_{name}.csv",
        strong_stress_threshold_c=32.0,
        run_id=run,
    )
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
