"""The stage of satellite scenes: played over MCP at each level, and its truths computed again out of the files."""

from __future__ import annotations

import statistics
import tempfile
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig_harness import blobs
from labrig_harness.sample import Sample
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.lint import lint
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.making.sites import sites
from labrig_suites.terrabench.reckoning import places
from support.terrabench_runs import TERRA, full_marks, results_of, with_changed

PER_LEVEL = (2, 11, 20, 30)
"""Numbers of items, by level: one of each domain that has scenes; test_items plays two with a document."""
AREAS, NAMES = "gee_index_area_stats", ("B02", "B03", "B04", "B08", "B11", "B12", "SCL")
PAIRS = {"NDVI": (3, 2), "NDWI": (1, 3), "MNDWI": (1, 4), "NBR": (3, 5)}


def made(number: int) -> Sample:
    return make_item("scenes", number, f"scenes-{number}")


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("number", "arm"),
    [
        (PER_LEVEL[0], "agent-activation"),
        (PER_LEVEL[1], "agent-terra"),
        (PER_LEVEL[2], "agent-terra"),
        (PER_LEVEL[3], "agent-terra"),
    ],
)
def test_the_reference_has_full_marks_at_each_level(number: int, arm: str) -> None:
    sample = made(number)
    assert sample.labels["domain"] in sites() and lint(sample) == []
    full_marks(sample, suite.arm(arm), families=6)


@pytest.mark.accept
def test_a_corrupted_result_changes_the_answer() -> None:
    sample = made(PER_LEVEL[3])
    path = sample.truth["paths"][0]
    read = [places(each) for each in sample.truth["formulas"].values()]
    used = set().union(*(each for each in read if {path[place]["tool"] for place in each} == {AREAS}))
    assert len(used) == 8, "the box and three zones, in both periods"
    results = results_of(sample)
    solution = suite.solution(sample, TERRA)
    for place in used:
        assert solution.answer(with_changed(results, place)) != solution.answer(results), place


@pytest.mark.accept
def test_truths_come_out_of_the_files_by_another_way() -> None:
    for number in PER_LEVEL:
        sample = made(number)
        found = again(sample)
        rows = {row["key"]: row for row in sample.truth["fields"]}
        assert len(found) >= 4
        for key, value in found.items():
            assert value == pytest.approx(rows[key]["value"], rel=0, abs=rows[key]["abs_tol"]), key


def again(sample: Sample) -> dict[str, float]:
    """Return the numbers of the stage: cell by cell in plain Python, areas in a projection that keeps them."""
    import rasterio
    import xarray as xr
    from pyproj import Transformer

    site = sites()[sample.labels["domain"]]
    calls = [call["arguments"] for call in sample.truth["paths"][0] if call["tool"] == AREAS]
    with tempfile.TemporaryDirectory() as folder:
        blobs.place(sample.brief.files, Path(folder))
        scenes: dict[date, Any] = {}
        for path in sorted(Path(folder).glob("satellite/*.tif")):
            with rasterio.open(path) as file:
                assert file.descriptions == NAMES
                day = date.fromisoformat(file.tags()["TIFFTAG_DATETIME"][:10].replace(":", "-"))
                scenes[day] = file.read()
                transform, height, width = file.transform, file.height, file.width
        layer = xr.load_dataset(Path(folder) / "satellite/layer.nc")[site.layer].values
    equal_area = Transformer.from_crs("EPSG:4326", "EPSG:6933", always_xy=True)
    corners = [
        [equal_area.transform(*(transform @ (x, y))) for x in range(width + 1)] for y in range(height + 1)
    ]
    area = np.array(
        [
            [
                (corners[y][x + 1][0] - corners[y][x][0]) * (corners[y][x][1] - corners[y + 1][x][1]) / 1e4
                for x in range(width)
            ]
            for y in range(height)
        ]
    )

    def index(period: int) -> np.ndarray:
        start, end = (date.fromisoformat(calls[period][key]) for key in ("start_date", "end_date"))
        kept = [
            each
            for day, each in scenes.items()
            if start <= day < end and 100 * np.isin(each[6], (8, 9, 10)).mean() <= calls[period]["max_cloud"]
        ]
        assert len(kept) == 3
        found = np.full((height, width), np.nan)
        a, b = PAIRS[site.index]
        for y in range(height):
            for x in range(width):
                clear = [each for each in kept if each[6, y, x] in (4, 5, 6, 7, 11)]
                if clear:
                    one, two = (
                        statistics.median(float(each[band, y, x]) for each in clear) for band in (a, b)
                    )
                    found[y, x] = (one - two) / (one + two)
        return found

    before, after = index(0), index(1)
    ((name, limits),) = calls[0]["class_thresholds"].items()

    def hectares(values: np.ndarray, limit: float) -> float:
        return float(area[values >= limit if site.high else values <= limit].sum())

    def mean(values: np.ndarray, where: Any = ...) -> float:
        there = np.isfinite(values[where])
        return float((values[where][there] * area[where][there]).sum() / area[where][there].sum())

    def cells(box: list[float]) -> tuple[slice, slice]:
        (left, top), (right, bottom) = (~transform @ (box[1], box[0])), (~transform @ (box[3], box[2]))
        return slice(round(top), round(bottom)), slice(round(left), round(right))

    limit, lower = limits["min" if site.high else "max"], site.index.lower()
    found = {
        f"{lower}_second_period": mean(after),
        f"{name}_ha": hectares(after, limit),
        f"change_of_{name}_ha": hectares(after, limit) - hectares(before, limit),
    }
    level = sample.labels["level"]
    boxes = list({tuple(call["bbox"]): cells(call["bbox"]) for call in calls}.values())[1:]
    if level == "0":
        found["never_clear_ha"] = float(area[np.isnan(after)].sum())
    elif level == "1":
        x, y = [mean(layer.astype(float), each) for each in boxes], [mean(after, each) for each in boxes]
        found[f"{lower}_by_{site.layer}"] = statistics.linear_regression(x, y).slope
        found[f"{lower}_between_zones"] = max(abs(a - b) for a, b in combinations(y, 2))
    elif level == "2":
        other = calls[2]["class_thresholds"][name]["min" if site.high else "max"]
        found[f"{name}_by_other_limit_ha"] = hectares(after, other) - hectares(after, limit)
        (zone,) = boxes
        mended = after.copy()
        mended[zone] = np.where(np.isfinite(after[zone]), mean(before, zone), np.nan)
        found[f"{lower}_if_mended"] = mean(mended)
        both = hectares(after, limit)
        for values, sign in ((before, 1), (after, -1)):
            part = np.full_like(values, np.nan)
            part[zone] = values[zone]
            both += sign * hectares(part, limit)
        found[f"{name}_if_mended_ha"] = both
    else:
        changes = [mean(after, each) - mean(before, each) for each in boxes]
        worst = changes.index(min(changes))
        usual = statistics.mean(change for place, change in enumerate(changes) if place != worst)
        spared = after.copy()
        spared[boxes[worst]] += usual - changes[worst]
        found |= {"change_of_the_zone": changes[worst], f"{lower}_if_spared": mean(spared)}
    return found
