"""The stage of hours of a reanalysis: played over MCP at each level, and its truths computed again out of the files."""

from __future__ import annotations

import gzip
import json
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from labrig_harness import blobs
from labrig_harness.sample import Sample
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.lint import lint
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.making.reanalysis import spells
from labrig_suites.terrabench.reckoning import places
from labrig_suites.terrabench.solution import GROUPS
from support.places import PROJECT
from support.terrabench_runs import TERRA, full_marks, results_of, with_changed

PER_LEVEL = (0, 13, 17, 31)
"""Numbers of items, by level: one of each domain that has hours of a reanalysis."""
DOCUMENT = 71
"""One of level 0 with a document."""
OUTLINES = PROJECT / "servers/labrig_earth/natural_earth/natural_earth_50m.geojson.gz"


def made(number: int) -> Sample:
    return make_item("hours", number, f"hours-{number}")


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("number", "arm"),
    [
        (DOCUMENT, "agent-documents"),
        (PER_LEVEL[1], "agent-activation"),
        (PER_LEVEL[2], "agent-terra"),
        (PER_LEVEL[3], "agent-terra"),
    ],
)
def test_the_reference_has_full_marks_at_each_level(number: int, arm: str) -> None:
    sample = made(number)
    assert sample.labels["domain"] in spells() and lint(sample) == []
    full_marks(sample, suite.arm(arm), families=6)


@pytest.mark.accept
def test_a_corrupted_result_changes_the_answer_and_the_box_of_the_country_comes_out_of_a_result() -> None:
    sample = made(PER_LEVEL[3])
    path, bound = sample.truth["paths"][0], sample.truth["bound"]
    mine = {
        place for place, call in enumerate(path)
        if call["tool"] in ("region_reduce", "count_era5_events", "build_era5_climatology", "temporal_aggregate")
        or call["arguments"].get("netcdf_path") == "work/daily.nc" or call["tool"].startswith("composite")
    }  # fmt: skip
    used = mine & set().union(*(places(each) for each in sample.truth["formulas"].values()))
    assert len(used) == 8
    results = results_of(sample)
    solution = suite.solution(sample, TERRA)
    for place in used:
        assert solution.answer(with_changed(results, place)) != solution.answer(results), place
    (reading,) = [int(place) for place, each in bound.items() if "lat_range" in each]
    (box,) = [place for place, call in enumerate(path) if call["tool"] == "gis_resolve_region"]
    call = solution.calls[reading]
    changed = with_changed(results, box)
    assert call.bind(results)["lat_range"] == pytest.approx(path[reading]["arguments"]["lat_range"], abs=1e-6)
    assert call.bind(changed)["lat_range"] != call.bind(results)["lat_range"]
    assert {"era5_obs", "basic", "satellite"} <= set(GROUPS)


@pytest.mark.accept
def test_truths_come_out_of_the_files_by_another_way() -> None:
    for number in PER_LEVEL:
        sample = made(number)
        rows = {row["key"]: row for row in sample.truth["fields"]}
        found = again(sample)
        assert len(found) >= 5
        for key, value in found.items():
            assert value == pytest.approx(rows[key]["value"], rel=0, abs=rows[key]["abs_tol"]), key


def again(sample: Sample) -> dict[str, float]:
    """Return the numbers of the stage: days by their clock, a country by points in it, events one by one."""
    import rasterio
    import xarray as xr
    from shapely import contains_xy
    from shapely.geometry import shape

    spell = spells()[sample.labels["domain"]]
    calls = [(call["tool"], call["arguments"]) for call in sample.truth["paths"][0]]
    asked = dict(reversed(calls))
    counts = [arguments for tool, arguments in calls if tool == "count_era5_events"]
    shares = [
        arguments["threshold"] for tool, arguments in calls if "area_frac" in arguments.get("stats", ())
    ]
    name = f"{spell.field}_{spell.daily}"
    with tempfile.TemporaryDirectory() as folder:
        blobs.place(sample.brief.files, Path(folder))
        hours = xr.load_dataset(Path(folder) / "reanalysis/hours.nc").astype("f8")
        network = xr.load_dataset(Path(folder) / "reanalysis/network.nc")[name].astype("f8")
        summers = xr.load_dataset(Path(folder) / "reanalysis/summers.nc")[name].astype("f8")
        with rasterio.open(Path(folder) / "satellite/picture.tif") as file:
            xs = [file.xy(0, column)[0] for column in range(file.width)]
            ys = [file.xy(row, 0)[1] for row in range(file.height)]
    field = hours.t2m if spell.field == "t2m" else (hours.u10**2 + hours.v10**2) ** 0.5
    by_day: dict[object, list[np.ndarray]] = {}
    for when, values in zip(hours.time.values.astype("M8[s]").astype(datetime), field.values, strict=True):
        by_day.setdefault((when - timedelta(hours=6)).date(), []).append(values)
    assert {len(each) for each in by_day.values()} == {24}
    days = np.array([getattr(np.array(each), spell.daily)(axis=0) for each in by_day.values()])

    with gzip.open(OUTLINES, "rt", encoding="utf-8") as file:
        known = json.load(file)["features"]
    country = asked["gis_resolve_region"]["place_query"]
    outline = next(shape(each["geometry"]) for each in known if each["properties"].get("name") == country)
    lat, lon = hours.latitude.values, hours.longitude.values
    inner = (np.arange(60) + 0.5) / 60 - 0.5
    parts = np.array(
        [
            [
                contains_xy(outline, *np.meshgrid(x + inner, y + inner)).mean() * np.cos(np.radians(y))
                for x in lon
            ]
            for y in lat
        ]
    )

    def inside(values: np.ndarray) -> float:
        return float((values.mean(axis=0) * parts).sum() / parts.sum())

    west, south, east, north = outline.bounds
    box = days[:, (lat > south) & (lat < north)][:, :, (lon > west) & (lon < east)]
    nearest = xr.DataArray(days.mean(axis=0), {"y": lat, "x": lon}, ("y", "x")).sel(
        y=ys, x=xs, method="nearest"
    )

    def events(values: np.ndarray, limit: float) -> int:
        return sum(
            each >= limit if spell.beyond == ">=" else each <= limit for each in values.ravel().tolist()
        )

    limit = counts[0]["threshold"]
    found = {
        "days_in_the_country": inside(days),
        "highest_in_the_box": float(box.max()),
        "days_in_the_box": float(box.mean()),
        "under_the_picture": float(nearest.mean() - days.mean()),
        spell.key: events(field.values, limit),
    }
    level = sample.labels["level"]
    if level == "1":
        both = np.array([days.ravel(), network.values.ravel()])
        found |= {
            "network_correlation": float(np.cov(both)[0, 1] / both.std(axis=1, ddof=1).prod()),
            "network_rmse": float(np.linalg.norm(both[0] - both[1]) / both.shape[1] ** 0.5),
            "days_minus_network": float(both[0].mean() - both[1].mean()),
        }
    elif level == "2":
        after = _changed(field.values, shares, spell.added, spell.beyond)
        found[f"change_of_{spell.key}"] = events(after, limit) - events(field.values, limit)
        later = _changed(days, shares, spell.added, spell.beyond)
        found["change_of_share"] = inside((later >= shares[0]).astype(float)) - inside(
            (days >= shares[0]).astype(float)
        )
    elif level == "3":
        value, moved = (each["threshold"] for each in counts[1:])
        years = {int(year): part.values for year, part in summers.groupby("time.year")}
        worst = max(years, key=lambda year: events(years[year], value))
        after = _changed(years[worst], [value, moved], spell.added, spell.beyond)
        months = summers.groupby("time.month").mean(...)
        found |= {
            "august_minus_june": float(months.sel(month=8) - months.sel(month=6)),
            "most_in_a_year": events(years[worst], value),
            "had_the_year_been_changed": events(after, value),
        }
    return found


def _changed(values: np.ndarray, limits: list[float], added: float, beyond: str) -> np.ndarray:
    """Return values after a change, whose size the limits after and before it tell."""
    if added:
        return values + round(limits[0] - limits[1], 1)
    share = round(limits[0] / limits[1] - 1, 3)
    assert 0.05 < abs(share) < 0.2 and (share > 0) == (beyond == "<=")
    return values * (1 + share)
