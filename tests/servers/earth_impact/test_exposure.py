"""Exposure responses against closed forms, worked examples and numbers that are summed by hand; refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.health.burden import Burden, baseline_of, burden, read_exposure, read_groups, totals
from labrig_earth.impact.health.response import Response, interval_of, lagged, slope_of
from labrig_earth.impact.health.spec import read_spec
from support.health import spec_json


def ran(
    exposure: str,
    *,
    persons: str = "persons\n500000\n",
    rate: float | None = 900.0,
    cases: str = "",
    **spec: Any,
) -> Burden:
    """Return the burden of a series."""
    read = read_spec(spec_json(**spec), "spec.json")
    series = read_exposure(exposure.encode(), "exposure.csv", "exposure", cases, read.step)
    groups = read_groups(persons.encode(), "population.csv")
    baseline = series.column(cases) if cases else baseline_of(read, series.times, groups, rate)
    return burden(read, series, "exposure", baseline)


def days(*values: float, start: str = "2019-07-01") -> str:
    first = np.datetime64(start)
    return "date,exposure\n" + "".join(f"{first + n},{value}\n" for n, value in enumerate(values))


def test_a_worked_example_in_the_manner_of_airq() -> None:
    """PM2.5 of 15 ug/m3 against 5 (WHO, 2021), RR 1.08 (1.06 to 1.09) per 10, 1 million people, 800 deaths per 100,000.

    8000 (1 - 1 / 1.08) = 592.59; 8000 (1 - 1 / 1.06) = 452.83; 8000 (1 - 1 / 1.09) = 660.55.
    """
    found = ran(
        "date,exposure\n2019,15\n",
        persons="persons\n1000000\n",
        rate=800.0,
        beta=None,
        beta_ci=None,
        relative_risk=1.08,
        relative_risk_ci=[1.06, 1.09],
        per=10,
        reference_exposure=5,
        step="year",
    )
    numbers = totals(found, 1e6)
    assert numbers["attributable_cases"] == pytest.approx(8000 * (1 - 1 / 1.08), rel=1e-12)
    assert numbers["attributable_cases_low"] == pytest.approx(452.830, abs=0.001)
    assert numbers["attributable_cases_high"] == pytest.approx(660.550, abs=0.001)
    assert numbers["attributable_fraction"] == pytest.approx(0.074074, abs=1e-6)


def test_days_are_summed_one_by_one() -> None:
    values = [20.0, 26.0, 31.5, 24.0, 29.0]
    found = ran(days(*values))
    a_day = 500_000 * 900 / 100_000 / 365
    by_hand = [a_day * (1 - math.exp(-0.02 * max(value - 25, 0))) for value in values]
    assert found.attributable == pytest.approx(by_hand, rel=1e-12)
    assert totals(found, 5e5)["attributable_cases"] == pytest.approx(math.fsum(by_hand))
    assert found.low is not None and found.high is not None
    assert (found.low <= found.attributable).all() and (found.attributable <= found.high).all()


def test_the_year_of_a_day_counts() -> None:
    """A day of a leap year has 1/366 of the deaths of the year."""
    common, leap = ran(days(30.0)), ran(days(30.0, start="2020-07-01"))
    assert leap.attributable[0] / common.attributable[0] == pytest.approx(365 / 366)
    monthly = ran(days(30.0, start="2020-02-01"), baseline_period="month", rate=75.0)
    assert monthly.baseline[0] == pytest.approx(500_000 * 75 / 100_000 / 29)


def test_forms() -> None:
    x = np.array([20.0, 25.0, 35.0])
    assert Response("log_linear", 0.02, 25.0).relative_risk(x) == pytest.approx([1, 1, math.exp(0.2)])
    assert Response("linear", 0.02, 25.0).relative_risk(x) == pytest.approx([1, 1, 1.2])
    assert Response("threshold", 0.02, 30.0).relative_risk(x) == pytest.approx([1, 1, math.exp(0.1)])
    signed = Response("log_linear", 0.02, 25.0, excess_only=False).relative_risk(x)
    assert signed == pytest.approx([math.exp(-0.1), 1, math.exp(0.2)])
    assert slope_of(1.2, 10, "linear") == pytest.approx(0.02)
    assert slope_of(1.2, 10, "log_linear") == pytest.approx(math.log(1.2) / 10)
    assert interval_of(0.02, 0.005, 0.95) == pytest.approx((0.02 - 1.959964 * 0.005, 0.02 + 1.959964 * 0.005))


def test_lags_reach_back_and_leave_out_what_they_cannot_know() -> None:
    values = np.array([10.0, 20.0, 30.0, 40.0])
    assert lagged(values, (0.5, 0.3, 0.2)) == pytest.approx(
        [0.5 * 30 + 0.3 * 20 + 0.2 * 10, 0.5 * 40 + 0.3 * 30 + 0.2 * 20]
    )
    found = ran(days(40, 20, 20, 20), lag_days=2)
    assert found.left_out == 2 and len(found.exposure) == 2
    assert found.exposure[0] == pytest.approx(80 / 3)  # the hot day still acts two days later
    assert found.attributable[0] > 0 and found.attributable[1] == 0


def test_two_baselines() -> None:
    """Of people who are not exposed the same rate means more cases: B (RR - 1) in place of B (1 - 1 / RR)."""
    observed, unexposed = ran(days(35.0)), ran(days(35.0), baseline="unexposed")
    rr = math.exp(0.2)
    assert unexposed.attributable[0] / observed.attributable[0] == pytest.approx(rr)
    assert unexposed.cases[0] == pytest.approx(observed.cases[0] * rr)
    numbers = totals(unexposed, 5e5)
    assert numbers["attributable_fraction"] == pytest.approx((rr - 1) / rr)


def test_counted_cases_and_groups() -> None:
    text = "date,exposure,deaths\n2019-07-01,35,12\n2019-07-02,20,10\n"
    found = ran(text, cases="deaths")
    assert found.attributable == pytest.approx([12 * (1 - math.exp(-0.2)), 0])
    groups = "group,persons,baseline_rate_per_100k\nyoung,400000,100\nold,100000,4000\n"
    by_group = ran(days(35.0), persons=groups, rate=None)
    assert by_group.baseline[0] == pytest.approx((400 + 4000) / 365)


def test_a_protective_effect() -> None:
    found = ran(days(35.0), beta=-0.02, beta_ci=[-0.03, -0.01], effect="protective")
    assert found.attributable[0] < 0


@pytest.mark.parametrize(
    "spec, said",
    [
        ({"beta": -0.02, "beta_ci": [-0.03, -0.01]}, "is to be harmful"),
        ({"effect": "protective"}, "is to be protective"),
        ({"beta": 0.0}, "The slope is 0"),
        ({"beta_ci": [0.03, 0.05]}, "does not hold the slope"),
        ({"beta": None}, "no slope"),
        ({"relative_risk": 1.1, "per": 10}, "stated twice"),
        ({"beta": 2.0, "beta_ci": None}, r"exp\(20\)"),
        ({"form": "logistic"}, "form"),
        ({"baseline_period": None}, "over which period"),
        ({"lag_days": 9}, "lags reach over 10"),
        ({"lag_weights": [0.5, 0.4]}, "sum to 0.9"),
        ({"lagdays": 2}, "field"),
        ({"step": "month"}, "no beginning of a month"),
        ({"form": "threshold", "excess_only": False}, "no effect below"),
    ],
)
def test_specs_that_are_refused(spec: dict[str, Any], said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        ran(days(30.0, 35.0), **spec)


@pytest.mark.parametrize(
    "exposure, persons, rate, said",
    [
        (days(30, 31), "persons\n1000\n", None, "no baseline rate"),
        (days(30, 31), "persons\n1000\n", -5.0, "baseline_rate_per_100k is -5"),
        ("date,exposure\n2019-07-01,30\n2019-07-03,31\n", "persons\n1000\n", 900.0, "1 days are missing"),
        ("date,exposure\n2019-07-01,30\n2019-07-02,\n", "persons\n1000\n", 900.0, "missing in 1 of 2"),
        ("date,heat\n2019-07-01,30\n", "persons\n1000\n", 900.0, "no column exposure"),
        (days(30), "persons\n-1\n", 900.0, "persons is -1"),
        (days(30), "people\n1000\n", 900.0, "not known"),
        (days(30), "persons\n1000\n2000\n", 900.0, "without a group"),
    ],
)
def test_files_that_are_refused(exposure: str, persons: str, rate: float | None, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        ran(exposure, persons=persons, rate=rate)


def test_days_that_lack_hours_of_utci_are_no_exposure() -> None:
    """Calm hot hours have no UTCI, and the rest of such a day says nothing of its heat."""
    head, days = "date,utci_max_c,hours_without_utci", ("2021-07-01,24.3,8", "2021-07-02,36,0")
    with pytest.raises(
        LabrigError, match=r"1 of 2 rows lack UTCI in some hours, up to 8 h on 2021-07-01"
    ) as refused:
        read_exposure("\n".join((head, *days)).encode(), "utci_daily.csv", "utci_max_c", None, "day")
    assert "0.5 m/s" in str(refused.value)
    whole = "\n".join((head, days[1], "2021-07-03,35,0")).encode()
    assert list(read_exposure(whole, "utci_daily.csv", "utci_max_c", None, "day").column("utci_max_c")) == [
        36,
        35,
    ]
    other = "date,tmax_c,hours_without_utci\n2021-07-01,40,8\n2021-07-02,36,0\n"
    assert list(read_exposure(other.encode(), "x", "tmax_c", None, "day").column("tmax_c")) == [40, 36]
