"""Files of a run of CLIMADA: what is read of them, what is refused, and what it gave held against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig.sideenv import setup, status
from labrig_earth.impact.risk.climada import CLIMADA, asked_of, case_of, impact_of
from labrig_earth.impact.risk.direct import at_periods, exceedance
from labrig_earth.impact.risk.setup import CLIMADA_ENV
from labrig_earth.impact.runs import require
from support.risk import ASSETS, DEPTH, given, river

ROWS = "event_id,frequency_per_year,latitude,longitude,intensity,hazard_type,intensity_unit\n"
CSV = (
    ROWS + "a,0.1,50.0,9.0,0.5,FL,m\na,0.1,50.01,9.0,0,FL,m\na,0.1,50.02,9.0,0,FL,m\nb,0.01,50.0,9.0,2,FL,m\n"
)


def event(**more: Any) -> dict[str, Any]:
    return river(events=[{"event_id": "a", "frequency_per_year": 0.1, "intensity": [1, 0, 0], **more}])


def function(**more: Any) -> dict[str, Any]:
    return {**DEPTH, "functions": {"wall": {"intensity": [0, 1, 6], "mdd": [0, 0.5, 1], **more}}}


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ((b"",), "bad_input", "no rows"),
        ((b"\xff\xfe",), "bad_input", "no CSV table"),
        ((b"{",), "bad_input", "no JSON"),
        ((b"[1]",), "bad_input", "no rows"),
        ((b'{"latitude": [' + b"[]," * 1_100_000 + b"[]]}",), "bad_input", "lists and objects; at most"),
        ((b'{"latitude": [' + b"0," * 8_100_000 + b"0]}",), "bad_input", "values; at most"),
        ((CSV.replace("b,0.01", "b" * 81 + ",0.01"),), "bad_input", "event_id has 81 characters"),
        ((river(), ASSETS.replace("mill", "m" * 130_000)), "bad_input", "exposure_id has 130,000 characters"),
        ((river(crs="EPSG:32632"),), "bad_input", "'EPSG:32632'"),
        ((CSV.replace("unit\n", "unit,crs\n").replace("FL,m", "FL,m,EPSG:3857"),), "bad_input", "'EPSG:3857'"),
        ((river(longitude=[369.0, 369.0, 369.0]),), "bad_input", "longitude is 369.0, and 2 others"),
        ((river(latitude=[True, 1, 2]),), "bad_input", "no list of numbers"),
        ((river(latitude=[50.0]),), "bad_input", "1 latitudes and 3 longitudes"),
        ((river(events=[]),), "bad_input", "0 events at 3 centroids"),
        ((river(event=[]),), "not_found", "events"),
        ((event(intensity=[-1, 0, 0]),), "bad_input", "intensity is -1.0"),
        ((event(intensity=[1, 0]),), "bad_input", "2 intensities for 3 centroids"),
        ((event(intensity=[0, 0, 0]),), "bad_input", "No event has an intensity above 0"),
        ((event(centroids=[3], intensity=[1]),), "bad_input", "centroids is 3.0"),
        ((event(centroids=[1, 1], intensity=[1, 1]),), "bad_input", "named twice"),
        ((event(frequency_per_year=0),), "bad_input", "frequency_per_year is 0"),
        ((event(frequency_per_year=True),), "bad_input", "no number"),
        ((event(return_period_years=10),), "not_found", "event_id"),
        ((river(events=river()["events"] * 2),), "bad_input", "'often' is there twice"),
        ((CSV.replace("b,0.01", "a,0.01"),), "bad_input", "'a' has two frequencies"),
        ((CSV + "b,0.01,50.0,9.0,2,FL,m\n",), "bad_input", "two intensities at one place"),
        ((CSV.replace("2,FL,m", "nan,FL,m"),), "bad_input", "intensity is nan"),
        ((CSV.replace("2,FL,m", "2,FL,feet"),), "bad_input", "'feet' and 'm'"),
        ((CSV.replace("2,FL,m", "2,FL"),), "bad_input", "6 cells"),
        ((ROWS.replace("event_id", "fraction") + "1,0.1,50,9,1,FL,m\n",), "bad_input", "no column event_id"),
        ((river(), ""), "bad_input", "no rows"),
        ((river(), ASSETS.replace("1000", "-1000")), "bad_input", "value is -1000"),
        ((river(), ASSETS.replace("1000", "much")), "bad_input", "'much' is no number"),
        ((river(), ASSETS.replace("1000", "")), "bad_input", "value is empty"),
        ((river(), ASSETS.replace("1000", "0").replace("400", "0")), "bad_input", "nothing is exposed"),
        ((river(), ASSETS.replace("barn", "mill")), "bad_input", "'mill' is there twice"),
        ((river(), ASSETS.replace("value_unit", "deductible")), "refused", "no effect"),
        ((river(), ASSETS.replace("400,EUR", "400,USD")), "bad_input", "'EUR' and 'USD'"),
        ((river(), ASSETS.replace("value_unit", "crs").replace("EUR", "EPSG:25832")), "bad_input", "EPSG:25832"),
        ((river(), ASSETS.replace("50.011,9.001", "9.001,50.011")), "bad_input", "1 of 3 assets, 28.6 % of the"),
        ((river(), ASSETS, b"{}"), "bad_input", "no hazard_type"),
        ((river(), ASSETS, {**DEPTH, "hazard_type": "TC"}), "bad_input", "'FL', that of the functions 'TC'"),
        ((river(), ASSETS, {**DEPTH, "intensity_unit": "cm"}), "bad_input", "'m', that of the functions 'cm'"),
        ((river(), ASSETS, {**DEPTH, "functions": {}}), "bad_input", "0 functions"),
        ((river(), ASSETS, function(mdd=[0, -0.1, 1])), "bad_input", "a loss is not negative"),
        ((river(), ASSETS, function(mdd=[0, 0.5, 1.5])), "bad_input", "is 1.5"),
        ((river(), ASSETS, function(mdd=[0, 1])), "bad_input", "list of 3 numbers"),
        ((river(), ASSETS, function(mdd=[0.2, 0.5, 1])), "bad_input", "lost at intensity 0"),
        ((river(), ASSETS, function(intensity=[0, 6, 1])), "bad_input", "Intensities fall"),
        ((river(), ASSETS, function(threshold=0.1)), "not_found", "intensity"),
        ((river(), ASSETS, {**DEPTH, "functions": {"w": {"form": "emanuel_2011"}}}), "bad_input", "not m"),
        ((river(), ASSETS.replace("value_unit", "impact_function_id")), "not_found", "EUR"),
        ((river(), ASSETS, {**DEPTH, "asset_types": {"house": "wal"}}), "not_found", "wall"),
        (
            (river(), ASSETS.replace("value_unit", "asset_type"), {**DEPTH, "asset_types": {"EU": "wall"}}),
            "not_found",
            "EU",
        ),
        (
            (river(), ASSETS, {**DEPTH, "functions": {**DEPTH["functions"], "b": DEPTH["functions"]["wall"]}}),
            "bad_input",
            "which of 2 functions",
        ),
        ((river(), ASSETS, {**DEPTH, "max_centroid_distance_km": 0.05}), "bad_input", "3 of 3 assets"),
        ((river(), ASSETS, {**DEPTH, "return_periods_years": [0]}), "bad_input", "is 0"),
    ],
)  # fmt: skip
def test_files_that_are_refused(files: tuple[Any, ...], code: str, said: str) -> None:
    with pytest.raises(LabrigError) as found:
        case_of(given(*files))
    assert found.value.code == code, found.value
    assert said in str(found.value), found.value


def test_a_table_and_json_are_the_same_events() -> None:
    first, second = case_of(given(CSV)), case_of(given(river(events=[
        {"event_id": "a", "frequency_per_year": 0.1, "intensity": [0.5, 0, 0]},
        {"event_id": "b", "frequency_per_year": 0.01, "intensity": [2, 0, 0]},
    ])))  # fmt: skip
    assert asked_of(first) == asked_of(second)
    assert any("2 of 6 pairs" in each for each in first.notes)


def test_what_is_assumed_is_said() -> None:
    far = ASSETS + "hut,55,9,100,EUR\n"
    case = case_of(given(river(), far, {**DEPTH, "outside": "no_impact"}))
    assert case.centroid.tolist() == [0, 1, 2, -1]
    notes = " ".join(case.notes)
    for said in ("1 of 4 assets have the value 0", "the one function, wall", "2.224 km", "hut is 55"):
        assert said in notes
    case = case_of(given(river(), ASSETS, function(mdd=[0, 0.5, 0.1], intensity=[0, 1, 2.5])))
    notes = " ".join(case.notes)
    assert "ends at 2.5 m, events reach 3" in notes
    assert "destroys less" in notes
    one = river(
        latitude=[50.0],
        longitude=[9.0],
        events=[{"event_id": "a", "frequency_per_year": 1, "intensity": [1]}],
    )
    with pytest.raises(LabrigError, match="one centroid"):
        case_of(given(one))


def test_functions_follow_types_of_assets() -> None:
    both = {
        **DEPTH,
        "functions": {**DEPTH["functions"], "none": {"intensity": [0, 9], "mdd": [0, 0]}},
        "asset_types": {"EUR": "none"},
    }
    case = case_of(given(river(), ASSETS.replace("value_unit", "asset_type"), both))
    assert set(case.names) == {"none"}


EVENTS = "event_id,frequency_per_year,event_impact\noften,0.1,75.0\nseldom,0.01,680.0\nnever,0.001,0.0\n"
OF_ASSETS = (
    "exposure_id,latitude,longitude,value,centroid,expected_annual_impact\n"
    "mill,50.001,9.001,1000.0,0,13.5\nbarn,50.011,9.001,400.0,1,0.8\ntower,50.021,9.001,0.0,2,0.0\n"
)
LEFT = {
    "impact_by_event.csv": EVENTS,
    "impact_by_asset.csv": OF_ASSETS,
    "risk_curve.csv": f"return_period_years,impact\n{1 / 0.111!r},0.0\n{1 / 0.11!r},75.0\n100.0,680.0\n",
}


def _left(**changed: Callable[[str], str]) -> dict[str, bytes]:
    files = {name: text.replace("13.5", repr(0.1 * 75 + 0.01 * 600)) for name, text in LEFT.items()}
    for name, change in changed.items():
        files[f"{name}.csv"] = change(files[f"{name}.csv"])
    return {name: text.encode() for name, text in files.items()}


def test_what_climada_gave_is_computed_again() -> None:
    found = impact_of(case_of(given(river())), {"aai_agg": 0.1 * 75 + 0.01 * 680}, _left())
    assert found.at_event.tolist() == [75, 680, 0]
    assert found.sample == "all 3 events and 3 assets"


@pytest.mark.parametrize(
    ("expected", "changed", "said"),
    [
        (14.3, {"impact_by_event": lambda text: text.replace("680.0", "679.0")}, "impacts by event differ"),
        (14.3, {"impact_by_event": lambda text: text.replace(",75.0", ",nan")}, "impacts by event differ"),
        (14.3, {"impact_by_event": lambda text: text.replace(",75.0", ",?")}, "no number"),
        (14.3, {"impact_by_event": lambda text: text.rpartition("never")[0]}, "other events"),
        (14.3, {"impact_by_asset": lambda text: text.replace(",0.8", ",0.9")}, "impacts by asset differ"),
        (14.3, {"impact_by_asset": lambda text: text.replace(".0,1,", ".0,0,")}, "other centroids"),
        (14.3, {"impact_by_asset": lambda text: text.replace(".0,2,", ".0,-1,")}, "other centroids"),
        (14.2, {}, "annual impact differ"),
        (14.3, {"risk_curve": lambda text: text.replace("100.0,680", "100.0,681")}, "curve differ"),
        (14.3, {"risk_curve": lambda text: text.replace("100.0,680", "99.0,680")}, "curve differ"),
    ],
)
def test_what_differs_from_a_direct_computation_is_an_error(
    expected: float, changed: dict[str, Callable[[str], str]], said: str
) -> None:
    with pytest.raises(LabrigError) as found:
        impact_of(case_of(given(river())), {"aai_agg": expected}, _left(**changed))
    assert found.value.code == "engine"
    assert said in str(found.value)


def test_a_curve_ends_where_the_events_end() -> None:
    curve = exceedance(np.array([5.0, 1.0, 3.0]), np.array([0.01, 0.5, 0.1]))
    assert curve.impact.tolist() == [1, 3, 5]
    assert curve.period == pytest.approx([1 / 0.61, 1 / 0.11, 100])
    assert at_periods(curve, (1, 100, 101)) == {100: 5}


def test_another_python_is_told_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    monkeypatch.setattr("platform.python_version", lambda: "3.13.1")
    assert status(CLIMADA_ENV).reason == "it is for Python >=3.11,<3.13, and this is 3.13.1"
    with pytest.raises(LabrigError, match="cannot be installed here: it is for Python") as found:
        setup(CLIMADA_ENV)
    assert found.value.code == "unavailable"
    with pytest.raises(LabrigError, match="is not available here: it is for Python"):
        require(CLIMADA)
    assert not list(tmp_path.iterdir())
