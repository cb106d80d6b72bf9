"""Indices of scenes against NumPy on the raw numbers and against what was planted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st
from rasterio.transform import from_origin

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_raster
from labrig_earth.results import Result
from labrig_earth.satellite.indices import INDICES
from labrig_earth.satellite.operations import OPERATIONS
from labrig_earth.satellite.scene import common_name
from labrig_earth.satellite.tallies import Tally
from labrig_earth.work.calls import Call

BEFORE = ("scenes/2020-06-13.tif", "scenes/2020-06-13_SCL.tif")
AFTER = ("scenes/2022-06-18.tif", "scenes/2022-06-18_SCL.tif")


def _run(
    operation: str, top: Path, scratch: Path, inputs: dict[str, tuple[str, ...]], **arguments: Any
) -> Result:
    places = {role: tuple(Place.of(top / name) for name in names) for role, names in inputs.items()}
    return OPERATIONS[operation](Call(places, arguments, scratch))


def _value(result: Result, name: str) -> float:
    return next(float(each.value) for each in result.values if each.name == name)


def _write(
    path: Path, bands: Any, *, names: tuple[str, ...] = (), crs: str = "EPSG:32633", **more: Any
) -> Path:
    bands = np.asarray(bands)
    step = more.pop("step", 10)
    corner = more.pop("corner", (500_000, 5_000_000))
    tags, scales, offsets = more.pop("tags", {}), more.pop("scale", None), more.pop("offset", 0.0)
    with rasterio.open(
        path, "w", driver="GTiff", count=len(bands), height=bands.shape[1], width=bands.shape[2], dtype=bands.dtype,
        crs=crs, transform=from_origin(*corner, step, step), **more,
    ) as file:  # fmt: skip
        file.write(bands)
        if names:
            file.descriptions = names
        if scales is not None:
            file.scales, file.offsets = (scales,) * len(bands), (offsets,) * len(bands)
        file.update_tags(**tags)
    return path


def test_ndvi_of_the_made_scene_is_exact_and_its_file_clean(
    world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    planted = truth["scenes"]["by_date"]["2022-06-18"]
    found = _run(
        "index", world, tmp_path, {"data": AFTER, "polygons": ("scenes/field.gpkg",)}, index="NDVI", above=0.5
    )
    assert _value(found, "mean of NDVI") == pytest.approx(planted["mean_ndvi_of_clear_cells"], abs=1e-6)
    assert found.valid_cells == planted["clear_cells_10_m"]
    assert found.data["polygons"][0]["mean"] == pytest.approx(truth["scenes"]["field"]["after"], abs=1e-6)
    assert found.data["polygons"][0]["count"] == planted["clear_cells_10_m_of_field"]
    assert (
        "stored * 0.0001 -0.1, applied once" in found.assumed[0]
        and "SCL: cells of 20 taken to 10" in found.assumed[1]
    )
    assert "synthetic" in found.warnings[0]

    with rasterio.open(world / AFTER[0]) as file, rasterio.open(world / AFTER[1]) as classes:
        raw, scl = file.read().astype(float), np.kron(classes.read(1), np.ones((2, 2)))
    clear = np.isin(scl, (4, 5, 6, 7, 11)) & (raw[0] > 0)
    ndvi = (raw[3] - raw[2]) / (raw[3] + raw[2] - 2000)
    with rasterio.open(tmp_path / "NDVI.tif") as file:
        kept = file.read(1, masked=True)
        assert file.crs.to_epsg() == 32633 and file.nodata == -9999 and file.descriptions == ("NDVI",)
        assert file.scales == (1.0,) and file.offsets == (0.0,)
    assert (kept.mask == ~clear).all()
    assert kept.data[clear] == pytest.approx(ndvi[clear], abs=1e-6)
    assert _value(found, "area with NDVI above 0.5") == 100 * (ndvi[clear] > 0.5).sum()
    clean = {
        "AREA_OR_POINT",
        "long_name",
        "source",
        "labrig_synthetic",
        "scale_factor",
        "add_offset",
        "_FillValue",
    }
    assert set(open_raster(tmp_path / "NDVI.tif").attrs) <= clean


def test_the_step_of_the_field_is_found_between_two_dates(
    world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    inputs = {"before": BEFORE, "data": AFTER, "polygons": ("scenes/field.gpkg",)}
    found = _run("index_change", world, tmp_path, inputs, index="ndvi", threshold=0.2)
    field = truth["scenes"]["field"]
    assert found.data["polygons"][0]["mean"] == pytest.approx(field["after"] - field["before"], abs=1e-6)
    assert _value(found, "area that fell by more than 0.2") == 100 * found.data["polygons"][0]["count"]
    assert _value(found, "area that rose by more than 0.2") == 0
    with pytest.raises(LabrigError, match="above 0"):
        _run("index_change", world, tmp_path, inputs, index="ndvi", threshold=-1)


def test_each_index_by_hand() -> None:
    bands = {"blue": 0.05, "green": 0.08, "red": 0.06, "nir": 0.4, "swir1": 0.2, "swir2": 0.1}
    by_hand = {
        "ndvi": 0.34 / 0.46, "ndwi": -0.32 / 0.48, "mndwi": -0.12 / 0.28, "ndmi": 0.2 / 0.6, "nbr": 0.3 / 0.5,
        "ndbi": -0.2 / 0.6,
        "ndsi": -0.12 / 0.28, "evi": 2.5 * 0.34 / (0.4 + 0.36 - 0.375 + 1), "evi2": 2.5 * 0.34 / (0.4 + 0.144 + 1),
        "savi": 1.5 * 0.34 / 0.96,
    }  # fmt: skip
    assert by_hand.keys() == INDICES.keys()
    for name, wanted in by_hand.items():
        index = INDICES[name]
        found = index.compute(*(np.array([bands[band], np.nan]) for band in index.bands))
        assert found[0] == pytest.approx(wanted) and np.isnan(found[1]), name


def test_numbers_whose_scale_is_not_known_are_refused_where_it_matters(tmp_path: Path) -> None:
    bands = np.full((3, 4, 4), 1500, "u2")
    named = ("B02", "B04", "B08")
    for name, tags, index, said in (
        ("plain.tif", {}, "evi", "states no scale"),
        ("new.tif", {"PROCESSING_BASELINE": "05.09"}, "ndvi", "adds 1000"),
    ):
        _write(tmp_path / name, bands, names=named, tags=tags)
        with pytest.raises(LabrigError, match=said):
            _run("index", tmp_path, tmp_path, {"data": (name,)}, index=index)
        given = _run("index", tmp_path, tmp_path, {"data": (name,)}, index=index, scale=1e-4, offset=-0.1)
        assert _value(given, f"mean of {index.upper()}") == 0
    _write(tmp_path / "float.tif", bands.astype("f4") / 1e4, names=named, scale=1e-4)
    with pytest.raises(LabrigError, match="already fractions"):
        _run("index", tmp_path, tmp_path, {"data": ("float.tif",)}, index="ndvi")
    old = _run("index", tmp_path, tmp_path, {"data": ("plain.tif",)}, index="ndvi")
    assert "as they are stored" in old.assumed[0] and "no cloud mask" in old.warnings[0]


def test_bands_by_number_by_file_and_of_another_resolution(tmp_path: Path) -> None:
    nir, red = np.full((1, 4, 4), 3000, "u2"), np.full((1, 4, 4), 1000, "u2")
    _write(tmp_path / "two.tif", np.concatenate([red, nir]))
    with pytest.raises(LabrigError, match="no band nir or red"):
        _run("index", tmp_path, tmp_path, {"data": ("two.tif",)}, index="ndvi")
    with pytest.raises(LabrigError, match="no band 3"):
        _run("index", tmp_path, tmp_path, {"data": ("two.tif",)}, index="ndvi", bands={"red": 1, "nir": 3})
    by_number = _run(
        "index", tmp_path, tmp_path, {"data": ("two.tif",)}, index="ndvi", bands={"red": 1, "nir": 2}
    )
    assert _value(by_number, "mean of NDVI") == 0.5
    _write(tmp_path / "LC09_193026_SR_B5.TIF", nir)
    _write(tmp_path / "LC09_193026_SR_B4.TIF", red[:, :2, :2], step=20)
    files = ("LC09_193026_SR_B5.TIF", "LC09_193026_SR_B4.TIF")
    by_file = _run("index", tmp_path, tmp_path, {"data": files}, index="ndvi")
    assert _value(by_file, "mean of NDVI") == 0.5 and by_file.valid_cells == 16
    assert "red: cells of 20 taken to 10 by the nearest" in by_file.assumed
    for text, name in (
        ("B04", "red"),
        ("T33UUP_20220618_B8A_20m", "nir08"),
        ("SCL", "scl"),
        ("B4", ""),
        ("CB042", ""),
    ):
        assert common_name(text, "x.tif", 1) == name


def test_missing_and_negative_cells_do_not_count(tmp_path: Path) -> None:
    red = np.array([[[1000, 1200, 0, 900]]], "u2")
    nir = np.array([[[1500, 1800, 2000, 800]]], "u2")
    _write(
        tmp_path / "s.tif",
        np.concatenate([red, nir]),
        names=("B04", "B08"),
        nodata=0,
        scale=1e-4,
        offset=-0.1,
    )
    found = _run("index", tmp_path, tmp_path, {"data": ("s.tif",)}, index="ndvi")
    assert (found.cells, found.valid_cells) == (4, 2)  # no data; a sum below 0
    assert _value(found, "valid fraction") == 0.5
    assert _value(found, "mean of NDVI") == pytest.approx((1.0 + 0.06 / 0.1) / 2)


def test_areas_in_degrees_are_those_on_the_ellipsoid(tmp_path: Path) -> None:
    bands = np.stack([np.full((10, 10), 1000, "u2"), np.full((10, 10), 3000, "u2")])
    _write(tmp_path / "d.tif", bands, names=("red", "nir"), crs="EPSG:4326", corner=(10, 60), step=1.0)
    found = _run("index", tmp_path, tmp_path, {"data": ("d.tif",)}, index="ndvi", above=0)
    a, e2 = 6378137.0, 0.00669437999014
    e = math.sqrt(e2)

    def q(lat: float) -> float:  # Snyder (1987), eq. 3-12
        s = math.sin(math.radians(lat))
        return (1 - e2) * (s / (1 - e2 * s * s) - math.log((1 - e * s) / (1 + e * s)) / (2 * e))

    closed_form = a * a / 2 * math.radians(10) * (q(60) - q(50))
    assert _value(found, "area with NDVI above 0") == pytest.approx(
        closed_form, rel=1e-4
    )  # edges are geodesics


def test_scenes_of_two_places_share_no_cell(tmp_path: Path) -> None:
    bands = np.stack([np.full((4, 4), 1000, "u2"), np.full((4, 4), 3000, "u2")])
    for name, corner in (("a.tif", (500_000, 5_000_000)), ("b.tif", (600_000, 5_000_000))):
        _write(tmp_path / name, bands, names=("red", "nir"), corner=corner, nodata=0)
    found = _run("index_change", tmp_path, tmp_path, {"before": ("a.tif",), "data": ("b.tif",)}, index="ndvi")
    assert found.valid_cells == 0 and any("one place" in warning for warning in found.warnings)
    (tmp_path / "text.tif").write_text("a,b\n1,2\n")
    for wrong in ({"data": ("text.tif",)}, {"data": ()}):
        with pytest.raises(LabrigError):
            _run("index", tmp_path, tmp_path, wrong, index="ndvi")


@given(
    st.lists(
        st.lists(st.one_of(st.floats(-1, 1), st.just(float("nan"))), min_size=1, max_size=30),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=40, deadline=None)
def test_statistics_of_pieces_are_those_of_the_whole(pieces: list[list[float]]) -> None:
    tally = Tally(-1, 1)
    for piece in pieces:
        tally.add(np.array(piece))
    whole = np.concatenate([np.array(piece) for piece in pieces])
    good = whole[~np.isnan(whole)]
    assert (tally.cells, tally.valid) == (len(whole), len(good))
    if len(good):
        assert tally.mean == pytest.approx(good.mean(), abs=1e-12)
        assert tally.std == pytest.approx(good.std(), abs=1e-9)
        for part in (5, 50, 95):
            exact = np.percentile(good, part, method="inverted_cdf")
            assert tally.percentile(part) == pytest.approx(exact, abs=2.1e-4)
    else:
        assert tally.summary() == {}
