"""Any arguments get a result or a refusal that says what was wrong; nothing else comes out of an operation."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_earth.catalogue.operations import OPERATIONS as CATALOGUE
from labrig_earth.catalogue.static import entry_of_item
from labrig_earth.data.formats import Place
from labrig_earth.gis.operations import OPERATIONS as GIS
from labrig_earth.plots.operations import OPERATIONS as PLOTS
from labrig_earth.satellite.operations import OPERATIONS as SATELLITE
from labrig_earth.work.calls import Call

ALL = {
    **GIS,
    **SATELLITE,
    **PLOTS,
    "find_data": CATALOGUE["find_data"],
}  # the others are given a line to the network
FILES = (
    *(
        "town/town.osm.pbf",
        "town/buildings.gpkg",
        "town/flood.gpkg",
        "town/districts.geojson",
        "terrain/dem.tif",
    ),
    *(
        "scenes/2022-06-18.tif",
        "scenes/2022-06-18_SCL.tif",
        "climate/daily.nc",
        "tables/crops.csv",
        "air/hourly.zarr",
    ),
)
ROLES = ("data", "other", "before", "polygons", "layers", "catalogues")
STREETS, LAYERS, SCENE, GRIDS = FILES[:1], FILES[1:4], FILES[5:7], (*FILES[4:5], *FILES[7:8], *FILES[9:])
FITTING: dict[str, dict[str, tuple[str, ...]]] = {
    **{name: {"data": LAYERS, "other": LAYERS} for name in GIS},
    **{name: {"data": STREETS, "other": LAYERS} for name in ("gis_route", "gis_reach")},
    "index": {"data": SCENE, "polygons": LAYERS},
    "index_change": {"data": SCENE, "before": SCENE, "polygons": LAYERS},
    "plot_map": {"data": GRIDS, "layers": LAYERS},
    "plot_series": {"data": GRIDS},
    "find_data": {"data": FILES},
}

JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-400, 400), st.floats(allow_nan=False), st.text(max_size=6)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
KNOWN: dict[str, st.SearchStrategy[Any]] = {
    "where": st.sampled_from(
        [{"use": "residential"}, {"highway": True}, {"floors": {">=": 2}}, {"amenity": ["school"]}]
    ),
    "bbox": st.lists(st.floats(-400, 400), min_size=4, max_size=4),
    "region": st.sampled_from(["Germany", "Fiji", "Europe", "Nowhere"]),
    "start": st.sampled_from([[12.71, 48.284], [12.718, 48.286], [48.2, 12.7], "2018"]),
    "end": st.sampled_from([[12.718, 48.286], [200, 91], "2019-02"]),
    "size": st.floats(-1e6, 1e6),
    "unit": st.sampled_from(["m", "km", "degrees", "K"]),
    "how": st.sampled_from(["union", "difference", "intersection"]),
    "index": st.sampled_from(["ndvi", "EVI", "nbr"]),
    "variable": st.sampled_from(["t2m", "tp", "o3", "nothing"]),
    "select": st.sampled_from(
        [{"start": "2018-07-25", "end": "2018-07-25"}, {"box": [10, 46, 12, 48]}, {"level": 1}]
    ),
    "vectors": st.sampled_from([["u10", "v10"], ["u10"]]),
    "styles": st.lists(
        st.fixed_dictionaries({"style": st.sampled_from(["hazard", "route", "values", "x"])}), max_size=2
    ),
    "minutes": st.floats(-1, 300),
    **dict.fromkeys(("layer", "crs", "sums", "by", "mode", "speeds", "within_m", "most", "dissolve"), JSON),
    **dict.fromkeys(
        ("bands", "scale", "offset", "keep", "mask", "above", "threshold", "names", "text"), JSON
    ),
    **dict.fromkeys(
        ("projection", "colours", "low", "high", "classes", "title", "prefixes", "other_where"), JSON
    ),
}


@pytest.mark.accept
@given(data=st.data())
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_arguments_get_a_result_or_a_refusal(world: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(ALL)))
    if data.draw(st.integers(0, 4)):
        several = name in ("index", "index_change", "plot_series", "find_data")
        roles = {
            role: data.draw(
                st.lists(st.sampled_from(files), min_size=1, max_size=2 if several else 1, unique=True)
            )
            for role, files in FITTING[name].items()
        }
    else:
        any_of = st.lists(st.sampled_from(FILES), max_size=2)
        roles = data.draw(st.dictionaries(st.sampled_from(ROLES), any_of, max_size=3))
    right = data.draw(st.sets(st.sampled_from(sorted(KNOWN)), max_size=6))
    arguments = {key: data.draw(KNOWN[key]) for key in sorted(right)}
    wrong = data.draw(st.dictionaries(st.sampled_from(sorted(KNOWN)), JSON, max_size=1))
    inputs = {role: tuple(Place.of(world / file) for file in files) for role, files in roles.items()}
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = ALL[name](Call(inputs, {**arguments, **wrong}, Path(scratch)))
        except LabrigError as error:
            assert error.what and error.code != "internal"
        else:
            event(f"{name}: a result")
            assert all((Path(scratch) / file).exists() for file in result.files)


@given(JSON, JSON, JSON)
@settings(max_examples=100, deadline=None)
def test_any_item_of_a_service_is_an_entry_or_none(assets: Any, properties: Any, asset: Any) -> None:
    for fields in ({"assets": assets, "properties": properties}, {"assets": {"a": asset}, "bbox": assets}):
        found = entry_of_item(fields, source="x")
        assert found is None or found.where.startswith("http")
    whole = {
        "href": "https://example.org/a.tif",
        "roles": asset,
        "eo:bands": assets,
        "type": properties,
        "title": asset,
    }
    found = entry_of_item(
        {"id": asset, "assets": {"a": whole}, "properties": properties, "bbox": assets}, source="x"
    )
    assert found is not None and found.where == "https://example.org/a.tif"
