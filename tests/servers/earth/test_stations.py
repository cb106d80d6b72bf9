"""Values at places that make no grid (CF chapter 9) are points for layers, and series for grids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyproj
import pytest
import xarray as xr

from labrig.errors import LabrigError
from labrig_earth.catalogue.scanning import entry_of
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_dataset, open_vector
from labrig_earth.data.stations import places_of
from labrig_earth.gis.features import read_features
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call

TIMES = pd.date_range("2020-01-01", periods=6)
VALUES = np.arange(18.0).reshape(3, 6)
NORTH, EAST = {"units": "degrees_north", "standard_name": "latitude"}, {"units": "degrees_east"}


def stations() -> Any:
    return xr.Dataset(
        {"t": (("station", "time"), VALUES, {"units": "degC"})},
        {
            "time": TIMES,
            "lat": ("station", [48.0, 50.0, 52.0], NORTH),
            "lon": ("station", [8.0, 9.0, 10.0], EAST),
            "alt": ("station", [100.0, 200.0, 300.0], {"units": "m", "standard_name": "height"}),
            "name": ("station", ["Ulm", "Fulda", "Celle"], {"cf_role": "timeseries_id"}),
        },
        {"featureType": "timeSeries"},
    )


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    stations().to_netcdf(tmp_path / "stations.nc")
    stations().isel(station=1).to_netcdf(tmp_path / "one.nc")

    def asked(operation: str, data: str, **arguments: Any) -> Result:
        return OPERATIONS[operation](Call({"data": (Place.of(tmp_path / data),)}, arguments, tmp_path))

    return asked


def test_stations_and_a_series_at_one_place_are_described(ask: Any, tmp_path: Path) -> None:
    many = ask("describe_data", "stations.nc").data
    assert many["places"] == {"count": 3, "dimension": "station", "names": ["Ulm", "Fulda", "Celle"]}
    assert many["extent"]["west_south_east_north"] == [8.0, 48.0, 10.0, 52.0]
    assert many["axes"] == {"time": "time"}
    assert ask("describe_data", "one.nc").data["place"] == {"latitude": 50.0, "longitude": 9.0}
    assert entry_of(Place.of(tmp_path / "stations.nc")).box == (8.0, 48.0, 10.0, 52.0)


def test_their_series_are_those_of_the_nearest_or_of_each(ask: Any) -> None:
    near = ask("extract", "stations.nc", point=[49.8, 9.1])
    values = {each.name: each.value for each in near.values}
    away = pyproj.Geod(ellps="WGS84").inv(9.1, 49.8, 9.0, 50.0)[2] / 1000
    assert values["distance_to_cell"] == pytest.approx(away, abs=0.001)
    assert [each.value for each in near.values if each.name == "t"] == VALUES[1].tolist()
    means = ask("aggregate", "stations.nc", over="time").values
    assert [(each.note, each.value) for each in means] == [("Ulm", 2.5), ("Fulda", 8.5), ("Celle", 14.5)]
    with pytest.raises(LabrigError, match="at places, not in cells"):
        ask("aggregate", "stations.nc", over="space")


def test_they_are_points_with_what_each_has_once(tmp_path: Path) -> None:
    stations().to_netcdf(tmp_path / "stations.nc")
    found = read_features(Place.of(tmp_path / "stations.nc"))
    assert [(point.x, point.y) for point in found.frame.geometry] == [(8, 48), (9, 50), (10, 52)]
    assert found.frame["name"].tolist() == ["Ulm", "Fulda", "Celle"]
    assert found.warnings[0].startswith("t over station, time was left out")


@pytest.mark.parametrize("kind", ["contiguous", "indexed"])
def test_each_sample_of_a_ragged_array_is_a_point(tmp_path: Path, kind: str) -> None:
    ragged = stations()[["lat", "lon", "name"]].assign(t=("obs", np.arange(6.0)))
    owners = [0, 0, 1, 2, 2, 2]
    if kind == "contiguous":
        ragged["rows"] = ("station", np.bincount(owners), {"sample_dimension": "obs"})
    else:
        ragged["owner"] = ("obs", owners, {"instance_dimension": "station"})
    ragged.to_netcdf(tmp_path / "ragged.nc")
    frame = open_vector(tmp_path / "ragged.nc")
    assert frame["t"].tolist() == list(range(6))
    assert frame.geometry.y.tolist() == [48.0, 48.0, 50.0, 52.0, 52.0, 52.0]
    assert frame["name"].tolist() == ["Ulm", "Ulm", "Fulda", "Celle", "Celle", "Celle"]


def test_a_grid_and_a_mesh_are_no_places(tmp_path: Path) -> None:
    grid = xr.Dataset(coords={"lat": ("lat", [0.0, 1.0], NORTH), "lon": ("lon", [0.0, 1.0], EAST)})
    assert places_of(grid) is None
    mesh = xr.Dataset(
        {"v": ("cell", [1.0, 2.0])},
        {
            "lat": ("cell", [0.0, 1.0], NORTH | {"bounds": "lat_bnds"}),
            "lon": ("cell", [0.0, 1.0], EAST),
            "lat_bnds": (("cell", "nv"), np.zeros((2, 3))),
        },
    )
    assert places_of(mesh) is None
    grid.assign(v=(("lat", "lon"), np.zeros((2, 2)))).to_netcdf(tmp_path / "grid.nc")
    assert places_of(open_dataset(tmp_path / "grid.nc")) is None
    with pytest.raises(LabrigError, match="This is netcdf"):
        open_vector(tmp_path / "grid.nc")
