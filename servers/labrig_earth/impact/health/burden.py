"""The burden of an exposure: rows of exposure, people and a baseline become attributable cases, with their interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.impact.health.response import attributable_fraction, lagged
from labrig_earth.impact.health.spec import Spec
from labrig_earth.impact.tables import read_table, within
from labrig_earth.impact.weather.quantities import Column
from labrig_earth.impact.weather.series import Series, read_series

Floats = NDArray[np.float64]

MOST_GROUPS = 2_000
MOST_PERSONS = 2e10
MOST_RATE = 100_000.0
LEAST = 1e-12
"""Above 0: a zone may hold a small part of a cell."""
RATE = "baseline_rate_per_100k"


@dataclass(frozen=True)
class Group:
    """People who share an exposure.

    Attributes
    ----------
    rate
        Their own baseline, cases per 100,000 persons and period; None for that of all.
    """

    name: str
    persons: float
    rate: float | None = None


@dataclass(frozen=True)
class Burden:
    """Cases by step.

    Attributes
    ----------
    times
        Of each step whose exposure, with its lags, is known.
    exposure, risk, fraction
        What acts, its relative risk, and the attributable fraction.
    baseline, cases, attributable
        Cases by the baseline that was given, cases with the exposure's effect, and what of them is due to it. The first
        two are the same where the baseline was observed.
    low, high
        Attributable cases at the bounds of the slope's interval; None where it has none.
    left_out
        Steps at the beginning that the lags leave out.
    """

    times: NDArray[np.datetime64]
    exposure: Floats
    risk: Floats
    fraction: Floats
    baseline: Floats
    cases: Floats
    attributable: Floats
    low: Floats | None
    high: Floats | None
    left_out: int
    notes: tuple[str, ...]


WITHOUT = "hours_without_utci"
"""Column of impact_health_utci's days."""


def read_groups(content: bytes, where: str) -> list[Group]:
    """Read people from a CSV file with ``persons``, and as it has them ``group`` and ``baseline_rate_per_100k``.

    Raises
    ------
    LabrigError
        For other columns, an invalid count or 0, a group that is there twice.
    """
    table = read_table(content, where, MOST_GROUPS)
    table.require_known(("group", "persons", RATE))
    if len(table) > 1 and "group" not in table.columns:
        raise LabrigError("There are several lines without a group", where=where, expected="group, persons")
    names = [name[:80] or "all" for name in table.columns.get("group", ("all",))]
    if len(set(names)) != len(names):
        raise LabrigError("A group is there twice", where=where, expected="each group once")
    persons = table.numbers("persons", LEAST, MOST_PERSONS, "persons, above 0")
    rates: Floats | Sequence[float] = [math.nan] * len(table)
    if RATE in table.columns:
        rates = table.values(RATE)
        known = ~np.isnan(rates)
        within(
            rates[known],
            RATE,
            LEAST,
            MOST_RATE,
            "cases, above 0",
            where,
            (),
            list(compress(table.lines, known)),
        )
    return [
        Group(name, float(count), None if math.isnan(rate) else float(rate))
        for name, count, rate in zip(names, persons, rates, strict=True)
    ]


def read_exposure(content: bytes, where: str, column: str, cases: str | None, step: str) -> Series:
    """Read rows of exposure, and of cases where a column has them; every step must be there.

    Parameters
    ----------
    column, cases
        Names of columns.
    step
        ``day``, ``month`` or ``year``: what a row stands for.
    """
    wide = Column(-1e6, 1e6, "units of the exposure")
    known = {column.lower(): wide}
    if cases:
        if cases == column:
            raise LabrigError(f"{cases} is to be exposure and cases", where=where, expected="two columns")
        known[cases.lower()] = Column(0, 1e9, "cases in a step")
    if column.lower().startswith("utci"):
        known[WITHOUT] = Column(0, 1e4, "hours")
    series = read_series(content, where, known, others=True, every=step)
    if WITHOUT in known and WITHOUT in series.columns:
        _require_whole(series, series.columns[WITHOUT])
    return series


def _require_whole(series: Series, without: Floats) -> None:
    """Refuse days of which some hours have no UTCI: what is known of the others is not the heat of the day."""
    lacking = np.flatnonzero(without > 0)
    if len(lacking):
        worst = int(without.argmax())
        raise LabrigError(
            f"{len(lacking)} of {len(without)} rows lack UTCI in some hours, up to {without[worst]:g} h on "
            f"{series.times[worst]}: what the other hours have may be far below the heat of the day",
            where=f"{series.where}, {WITHOUT}",
            expected="UTCI of all hours",
            try_="impact_health_utci says why it has none; wind below 0.5 m/s may be given to it as 0.5 (Broede et al. "
            "2012); or a series without these days",
        )


def burden(spec: Spec, series: Series, column: str, baseline: Floats) -> Burden:
    """Return the cases of each step that are due to the exposure.

    Parameters
    ----------
    column
        Of the exposure.
    baseline
        Cases of each step of the series, all groups together (`baseline_of`).

    Raises
    ------
    LabrigError
        For a missing exposure, and a relative risk beyond what such studies find.
    """
    response = spec.response
    exposure = lagged(series.column(column), response.lags)
    left_out = len(series.times) - len(exposure)
    given = baseline[left_out:]
    risk = response.relative_risk(exposure)
    fraction = attributable_fraction(risk)
    cases = given if spec.baseline == "observed" else given * risk
    bounds: list[Floats | None] = []
    for slope in (response.low, response.high):
        if slope is None:
            bounds.append(None)
            continue
        at_bound = response.relative_risk(exposure, slope)
        of = given if spec.baseline == "observed" else given * at_bound
        bounds.append(of * attributable_fraction(at_bound))
    notes = []
    if left_out:
        notes.append(f"the first {left_out} days are left out: their exposure reaches before the series")
    if float(exposure.max()) <= response.reference and response.excess_only:
        notes.append(
            f"the exposure is never above {response.reference:g} {spec.exposure_unit}: nothing is due to it"
        )
    return Burden(
        series.times[left_out:],
        exposure,
        risk,
        fraction,
        given,
        cases,
        cases * fraction,
        bounds[0],
        bounds[1],
        left_out,
        tuple(notes),
    )


def baseline_of(
    spec: Spec, times: NDArray[np.datetime64], groups: Sequence[Group], rate: float | None
) -> Floats:
    """Return the cases of each step: persons times the rate, by the length of the step in its year or month.

    Parameters
    ----------
    rate
        Cases per 100,000 persons in `Spec.baseline_period`, for groups without one of their own.

    Raises
    ------
    LabrigError
        Where a rate or its period is not given: 200 deaths in a year and in a day are two things.
    """
    if spec.baseline_period is None:
        raise LabrigError(
            "The spec does not say over which period the baseline rate counts cases",
            where="baseline_period",
            expected="day, month or year",
        )
    total = 0.0
    for group in groups:
        of = group.rate if group.rate is not None else rate
        if of is None:
            raise LabrigError(
                f"There is no baseline rate of {group.name}",
                where="baseline_rate_per_100k",
                expected="cases per 100,000 persons in baseline_period: an argument, a column of the population file, "
                "or a column of cases (baseline_cases_column)",
                try_="none is assumed: attributable cases are proportional to it",
            )
        if not 0 < of <= MOST_RATE:
            raise LabrigError(
                f"baseline_rate_per_100k is {of:g}",
                where=group.name,
                expected=f"above 0, at most {MOST_RATE:g}",
            )
        total += group.persons * of / 100_000
    found: Floats = total * _parts(times, spec.step, spec.baseline_period)
    return found


def _parts(times: NDArray[np.datetime64], step: str, period: str) -> Floats:
    """Return how many periods each step is: a day of a leap year is 1/366 year."""
    letters = {"day": "D", "month": "M", "year": "Y"}

    def days(unit: str) -> Floats:
        first = times.astype(f"datetime64[{letters[unit]}]")
        length = (first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")
        found: Floats = length.astype(float)
        return found

    return days(step) / days(period)


def rows_of(found: Burden) -> list[dict[str, Any]]:
    """Return one row a step."""
    rows = []
    for place, when in enumerate(found.times):
        row: dict[str, Any] = {
            "date": str(when.astype("datetime64[D]")),
            "exposure": float(found.exposure[place]),
            "rr": float(found.risk[place]),
            "af": float(found.fraction[place]),
            "baseline_cases": float(found.baseline[place]),
            "attributable_cases": float(found.attributable[place]),
        }
        if found.low is not None and found.high is not None:
            row["attributable_cases_low"] = float(found.low[place])
            row["attributable_cases_high"] = float(found.high[place])
        rows.append(row)
    return rows


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, numbers as the shortest text that reads back the same."""
    return csv_text(rows[0], (row.values() for row in rows))


def require_one_baseline(cases: str, rate: float | None, groups: Sequence[Group]) -> None:
    """Refuse two baselines for one thing: which of them counts would not be seen."""
    given = [
        name
        for name, there in (
            ("baseline_cases_column", bool(cases)),
            ("baseline_rate_per_100k", rate is not None),
            (
                "baseline_rate_per_100k of the population file",
                all(group.rate is not None for group in groups),
            ),
        )
        if there
    ]
    if len(given) > 1:
        raise LabrigError(
            "The baseline is given twice: " + " and ".join(given), where="baseline", expected="one of them"
        )


def totals(found: Burden, persons: float) -> dict[str, float | None]:
    """Return sums over all steps, and the fraction of all cases that is due to the exposure."""
    cases = float(found.cases.sum())
    attributable = float(found.attributable.sum())
    return {
        "attributable_cases": attributable,
        "attributable_cases_low": None if found.low is None else float(found.low.sum()),
        "attributable_cases_high": None if found.high is None else float(found.high.sum()),
        "attributable_fraction": attributable / cases if cases > 0 else None,
        "baseline_cases": float(found.baseline.sum()),
        "cases": cases,
        "persons": persons,
        "attributable_per_100k": attributable / persons * 100_000,
        "exposure_mean": float(found.exposure.mean()),
        "rr_mean": float(found.risk.mean()),
        "rr_max": float(found.risk.max()),
        "steps": float(len(found.times)),
        "steps_with_effect": float((found.risk != 1).sum()),
    }
