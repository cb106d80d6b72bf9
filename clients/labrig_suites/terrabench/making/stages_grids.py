"""Stages over fields that are there: what is in the files, means of boxes and periods, seasons."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.grids import LENGTHS, Box
from labrig_suites.terrabench.making.plan import Plan, Result, Tolerance, combined
from labrig_suites.terrabench.making.world import Floats

SUMMER = slice(1, 4)
"""June to August among the months of a forecast."""


def rounding(case: Case, share: float = 0.002) -> Tolerance:
    """Return what the order of sums and 32 bits may change, with room: a small part of the observed scatter."""
    return Tolerance(
        share * case.grids.scatter,
        f"rounding and order of sums: {100 * share:g} % of the standard deviation of what was observed",
    )


def cells_of(box: Box) -> dict[str, Any]:
    """Return the arguments with which `read_netcdf_data` takes the statistics of a box and lists no value."""
    return {"lat_range": [box.south, box.north], "lon_range": [box.west, box.east], "sample_limit": 0}


def look(plan: Plan, case: Case) -> None:
    """Say what is in the files; nothing is asked."""
    plan.call("describe_netcdf_variables", netcdf_path="data/hindcast.nc")
    plan.call("inspect_netcdf", netcdf_path="data/forecast.nc")
    plan.call("inspect_netcdf", netcdf_path="data/days.nc")
    plan.steps.append(
        "Describe the hindcast; inspect the forecast and the days: variables, axes, units, periods."
    )


def windows(plan: Plan, case: Case, boxes: int, periods: int) -> None:
    """Means and maxima of boxes over periods of the summer that was observed day by day."""
    grids, rng = case.grids, case.rng
    first = date(grids.year, 5, 1)
    spans = []
    for number in range(periods):
        start = int(rng.integers(0, 25)) + 60 * number
        spans.append((start, start + int(rng.integers(18, 36))))
    read: dict[tuple[int, int], Result] = {}
    true: dict[tuple[int, int], Floats] = {}
    for one, box in enumerate(grids.boxes[:boxes]):
        for two, (start, end) in enumerate(spans):
            read[one, two] = plan.call(
                "read_netcdf_data",
                netcdf_path="data/days.nc",
                variable=case.domain.variable,
                start_time=str(first + timedelta(days=start)),
                end_time=str(first + timedelta(days=end)),
                **cells_of(box),
            )
            rows, columns = grids.inside(box, days=True)
            true[one, two] = grids.days[start : end + 1, rows, columns]
    shown = [f"{first + timedelta(days=start)} to {first + timedelta(days=end)}" for start, end in spans]
    names = [box.said for box in grids.boxes[:boxes]]
    plan.questions.append(
        f"From data/days.nc take {case.domain.long_name} in {_listed(names)}, in "
        f"{_listed([f'period {place + 1} ({each})' for place, each in enumerate(shown)])}; "
        "first and last day count, and each cell and day counts once."
    )
    unit = case.domain.unit
    a, b = grids.boxes[:2]
    plan.ask(
        f"{a.key}_minus_{b.key}",
        f"mean of the {a.name} minus that of the {b.name} in period 1, {unit}",
        true[0, 0].mean() - true[1, 0].mean(),
        read[0, 0].at("stats", "mean") - read[1, 0].at("stats", "mean"),
        rounding(case),
    )
    plan.ask(
        "highest_day",
        f"highest value of a day and cell in any of these boxes and periods, {unit}",
        max(float(each.max()) for each in true.values()),
        combined("max", *(each.at("stats", "max") for each in read.values())),
        rounding(case),
    )
    if periods > 1:
        last = boxes - 1
        plan.ask(
            "change_between_periods",
            f"mean of the {grids.boxes[last].name} in period 2 minus that in period 1, {unit}",
            true[last, 1].mean() - true[last, 0].mean(),
            read[last, 1].at("stats", "mean") - read[last, 0].at("stats", "mean"),
            rounding(case),
        )
        plan.ask(
            "variability",
            f"standard deviation of the {a.name} in period 2 over days and cells (divided by their number), {unit}",
            true[0, 1].std(),
            read[0, 1].at("stats", "std") * 1.0,
            rounding(case, 0.001),
        )
    plan.steps.append("Read each box in each period; keep mean, maximum and standard deviation.")


def seasons(plan: Plan, case: Case) -> None:
    """June to August of hindcast, forecast and observations."""
    plan.call(
        "standardize_seasonal_files",
        paths=["data/hindcast.nc", "data/forecast.nc"],
        output_dir="work/standard",
    )
    made = {}
    for name, path in (
        ("hindcast", "work/standard/hindcast.nc"),
        ("forecast", "work/standard/forecast.nc"),
        ("observed", "data/observed.nc"),
    ):
        made[name] = plan.call(
            "aggregate_to_season",
            path=path,
            agg="mean",
            season_def="JJA",
            variable=case.domain.variable,
            output_path=f"work/{name}_jja.nc",
        )
    plan.kept |= made
    hindcast, forecast, observed = summers(case)
    plan.questions.append(
        "Make seasonal means of June to August, months weighted by their days, of the hindcast (data/hindcast.nc, "
        "starts on 1 May), the forecast (data/forecast.nc) and the observations (data/observed.nc)."
    )
    unit = case.domain.unit
    plan.ask(
        "hindcast_minus_observed",
        f"mean over all years, members and cells of the hindcast's season minus that of the observations, {unit}",
        hindcast.mean() - observed.mean(),
        made["hindcast"].at("mean") - made["observed"].at("mean"),
        rounding(case),
    )
    plan.ask(
        "forecast_minus_hindcast",
        f"mean over members and cells of the forecast's season minus that of the hindcast, {unit}",
        forecast.mean() - hindcast.mean(),
        made["forecast"].at("mean") - made["hindcast"].at("mean"),
        rounding(case),
    )
    plan.steps.append(
        "Make the files alike; seasonal means of June to August of hindcast, forecast, observations."
    )


def summers(case: Case) -> tuple[Floats, Floats, Floats]:
    """Return the means of June to August: (year, member, row, column), (member, ..), (year, ..)."""
    weights = LENGTHS[SUMMER] / LENGTHS[SUMMER].sum()
    grids = case.grids
    return (
        np.tensordot(grids.hindcast[:, SUMMER], weights, (1, 0)),
        np.tensordot(grids.forecast[SUMMER], weights, (0, 0)),
        np.tensordot(grids.observed[:, SUMMER], weights, (1, 0)),
    )


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def draw(plan: Plan, case: Case) -> None:
    """A map of the mean of the days, and its largest contrast."""
    grids = case.grids
    made = plan.call(
        "plot_region_map",
        netcdf_path="data/days.nc",
        variable=case.domain.variable,
        aggregate="mean",
        output_dir="maps",
        filename="days.png",
    )
    field = grids.days.mean(axis=0)
    plan.questions.append("Draw a map of the mean of data/days.nc over all its days.")
    plan.ask(
        "contrast_of_the_map",
        f"highest minus lowest mean of a cell on that map, {case.domain.unit}",
        field.max() - field.min(),
        made.at("max") - made.at("min"),
        rounding(case),
    )
    plan.steps.append("Draw the mean of the days.")
