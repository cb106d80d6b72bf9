"""Values at places that make no grid: stations, profiles, tracks, one series (CF chapter 9, discrete samplings).

Latitude and longitude share a dimension, or have none; cells of a mesh do so too, but have corners or a topology.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.corners import CORNER

NAMES = {"latitude": ("latitude", "lat"), "longitude": ("longitude", "lon", "lng")}
UNITS = {
    "latitude": ("degrees_north", "degree_north", "degreesn"),
    "longitude": ("degrees_east", "degree_east", "degreese"),
}
ROLES = ("timeseries_id", "profile_id", "trajectory_id")
LEFT_OUT = "labrig_left_out"
"""Attribute of a frame: variables that have further axes than that of the places."""


@dataclass(frozen=True)
class Places:
    """Where values are.

    Attributes
    ----------
    dim
        Dimension of the places; empty for one place.
    latitude, longitude
        Names of their coordinates.
    """

    dim: str
    latitude: str
    longitude: str


def places_of(data: Any) -> Places | None:
    """Return the places at which a dataset has its values; None for one on a grid or a mesh, or nowhere."""
    latitude, longitude = (_coordinate(data, kind) for kind in NAMES)
    if not latitude or not longitude:
        return None
    dims = data[latitude].dims
    if len(dims) > 1 or dims != data[longitude].dims:
        return None
    variables = {**data.coords, **getattr(data, "data_vars", {})}
    if data[latitude].attrs.get("bounds") in variables or any(
        each.attrs.get("cf_role") == "mesh_topology" or CORNER in each.attrs for each in variables.values()
    ):
        return None
    return Places(str(dims[0]) if dims else "", latitude, longitude)


def _coordinate(data: Any, kind: str) -> str:
    named = {str(name): data[name] for name in (*data.coords, *getattr(data, "data_vars", ()))}
    stated = [name for name, each in named.items() if each.attrs.get("standard_name") == kind]
    by_unit = [
        name for name, each in named.items() if str(each.attrs.get("units", "")).lower() in UNITS[kind]
    ]
    by_name = [name for name in named if name.lower() in NAMES[kind]]
    return next(iter([*stated, *by_unit, *by_name]), "")


def with_names(data: Any) -> Any:
    """Return a dataset whose places are called by their names, where it has some and no index for them."""
    places = places_of(data)
    if places is None or not places.dim or places.dim in data.coords:
        return data
    names = next(
        (
            each
            for each in {**data.coords, **data.data_vars}.values()
            if each.attrs.get("cf_role") in ROLES and each.dims == (places.dim,)
        ),
        None,
    )
    return data if names is None else data.assign_coords({places.dim: (places.dim, _texts(names.values))})


def nearest_place(
    data: Any, places: Places, latitude: float, longitude: float
) -> tuple[Any, float, float, float]:
    """Return the values at the nearest place, its latitude and longitude, and how far it is, km on the ellipsoid."""
    import pyproj

    y, x = (
        np.atleast_1d(np.asarray(data[name].values, "f8")) for name in (places.latitude, places.longitude)
    )
    known = np.isfinite(y) & np.isfinite(x)
    if not known.any():
        raise LabrigError("No place has coordinates", where=places.latitude)
    away = np.full(y.shape, np.inf)
    geod = pyproj.Geod(ellps="WGS84")
    count = int(known.sum())
    away[known] = geod.inv(np.full(count, longitude), np.full(count, latitude), x[known], y[known])[2]
    number = int(away.argmin())
    found = data.isel({places.dim: number}, drop=True) if places.dim else data
    return found, float(y[number]), float(x[number]), float(away[number]) / 1000.0


def frame_of(data: Any, places: Places) -> Any:
    """Return the places as a `geopandas.GeoDataFrame`: points, with what has one value at each as columns.

    Of ragged arrays (``sample_dimension``, ``instance_dimension``) each sample is a point.
    """
    import geopandas as gpd

    data, places = of_samples(data, places)
    dims = (places.dim,) if places.dim else ()
    variables = {str(name): each for name, each in {**data.coords, **data.data_vars}.items()}
    at_places = {name: each for name, each in variables.items() if each.dims == dims}
    columns = {
        name: np.atleast_1d(_texts(each.values)) for name, each in at_places.items()
        if name not in (places.latitude, places.longitude) and "grid_mapping_name" not in each.attrs
    }  # fmt: skip
    y, x = (
        np.atleast_1d(np.asarray(data[name].values, "f8")) for name in (places.latitude, places.longitude)
    )
    frame = gpd.GeoDataFrame(columns, geometry=gpd.points_from_xy(x, y), crs="EPSG:4326")
    frame.loc[~(np.isfinite(x) & np.isfinite(y)), frame.geometry.name] = None
    further = [name for name, each in variables.items() if set(dims) < set(each.dims)]
    if further:
        frame.attrs[LEFT_OUT] = ", ".join(
            f"{name} over {', '.join(map(str, variables[name].dims))}" for name in further
        )
    return frame


def of_samples(data: Any, places: Places) -> tuple[Any, Places]:
    """Return a dataset whose places are those of the samples, where it counts or numbers them (CF 9.3.3, 9.3.4)."""
    for name, each in {**data.coords, **data.data_vars}.items():
        if sample := each.attrs.get("sample_dimension"):
            owners = np.repeat(np.arange(each.size), np.asarray(each.values, int))
        elif each.attrs.get("instance_dimension") == places.dim:
            (sample,), owners = each.dims, np.asarray(each.values, int)
        else:
            continue
        if sample not in data.dims or owners.size != data.sizes[sample]:
            raise LabrigError(f"{name} does not fit the samples that it orders", where=str(name))
        per_place = [
            key for key, other in data.variables.items() if other.dims == (places.dim,) and key != name
        ]
        moved = {
            key: (sample, data[key].values[owners], data[key].attrs) for key in per_place if key != places.dim
        }
        return data.drop_vars([*per_place, name]).assign_coords(moved), Places(
            str(sample), places.latitude, places.longitude
        )
    return data, places


def _texts(values: Any) -> Any:
    """Return bytes as text, and other values as they are."""
    if values.dtype.kind != "S" and values.dtype != object:
        return values
    texts = [
        each.decode("utf-8", "replace").strip() if isinstance(each, bytes) else each
        for each in values.ravel()
    ]
    return np.array(texts, dtype=object).reshape(values.shape)
