"""True values of an item of terrabench found a second time: out of its question and its files, by nothing of Labrig.

What generates an item computes its truth on the arrays that it writes; here files are read back, and numbers, boxes and
periods are taken from the words of the question. Keys that are not known here are left out: satellite scenes, hours of
a reanalysis, UTCI, health and simulators have second computations in tests of their own.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as tree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from pyproj import Geod, Transformer

GEOD = Geod(ellps="WGS84")
BOX = r"the ([a-z-]+(?: (?!the )[a-z-]+)*) \((-?[\d.]+) to (-?[\d.]+) N, (-?[\d.]+) to (-?[\d.]+) E\)"
SUMMER_DAYS = {2: 30, 3: 31, 4: 31}
"""By the month of a forecast that starts in May: June, July, August."""


class Item:
    """An item in its folder, and the words of its question."""

    def __init__(self, prompt: str, folder: Path) -> None:
        self.prompt, self.folder = prompt, folder
        self.boxes = {name: tuple(map(float, sides)) for name, *sides in re.findall(BOX, prompt)}
        self.days = self._field("days")
        self.hindcast = self._field("hindcast").rename(forecast_reference_time="year", forecastMonth="lead")
        self.forecast = self._field("forecast").squeeze("forecast_reference_time", drop=True)
        self.forecast = self.forecast.rename(forecastMonth="lead")
        observed = self._field("observed")
        when = observed.indexes["time"]
        parts = [
            observed[when.month == month].assign_coords(time=sorted(set(when.year))) for month in (5, 6, 7, 8)
        ]
        self.observed = xr.concat(parts, "lead").assign_coords(lead=[1, 2, 3, 4]).rename(time="year")
        self.hindcast = self.hindcast.assign_coords(year=self.observed.year.values)

    def _field(self, name: str) -> xr.DataArray:
        (variable,) = (data := xr.load_dataset(self.folder / f"data/{name}.nc")).data_vars
        return data[variable].astype("f8")

    def inside(self, field: xr.DataArray, name: str) -> xr.DataArray:
        """Return the cells whose centres lie in a named box."""
        south, north, west, east = self.boxes[name]
        rows = (field.latitude >= south) & (field.latitude <= north)
        columns = (field.longitude >= west) & (field.longitude <= east)
        return field.isel(latitude=np.flatnonzero(rows), longitude=np.flatnonzero(columns))

    def season(self, field: xr.DataArray) -> xr.DataArray:
        """Return the means of June to August, months weighted by their days."""
        weights = xr.DataArray(list(SUMMER_DAYS.values()), {"lead": list(SUMMER_DAYS)}, ["lead"])
        return field.sel(lead=list(SUMMER_DAYS)).weighted(weights).mean("lead")

    def corrected(self) -> xr.DataArray:
        """Return the corrected monthly forecast."""
        modelled, observed = self.hindcast.mean(["year", "number"]), self.observed.mean("year")
        if "multiplying by the ratio" in self.prompt:
            return self.forecast * (observed / modelled)
        assert "adding the difference" in self.prompt
        return self.forecast + (observed - modelled)

    def period(self, number: int) -> xr.DataArray:
        """Return the days of a numbered period."""
        found = re.search(rf"period {number} \((\S+) to (\S+)\)", self.prompt)
        assert found is not None
        return self.days.sel(time=slice(*found.groups()))


def windows(item: Item) -> dict[str, float]:
    """Return the numbers of boxes and periods of days."""
    asked = re.search(r"From data/days\.nc take .*", item.prompt)
    if asked is None:
        return {}
    names = [name for name, *_ in re.findall(BOX, asked[0])]
    periods = len(re.findall(r"period \d \(", asked[0]))
    cut = {(name, n): item.inside(item.period(n), name) for name in names for n in range(1, periods + 1)}
    one, two = names[:2]
    found = {
        f"{_key(one)}_minus_{_key(two)}": cut[one, 1].mean() - cut[two, 1].mean(),
        "highest_day": max(float(each.max()) for each in cut.values()),
    }
    if periods > 1:
        found["change_between_periods"] = cut[names[-1], 2].mean() - cut[names[-1], 1].mean()
        found["variability"] = cut[one, 2].std()
    return {key: float(value) for key, value in found.items()}


def seasons(item: Item) -> dict[str, float]:
    """Return seasonal means held against each other, and the shares beyond the terciles."""
    hindcast, forecast, observed = map(item.season, (item.hindcast, item.forecast, item.observed))
    middle = hindcast.mean("number")
    error = middle - observed
    upper = hindcast.stack(all=("year", "number")).quantile(2 / 3, "all")
    above = (forecast > upper).mean("number")
    return {
        "hindcast_minus_observed": float(hindcast.mean() - observed.mean()),
        "forecast_minus_hindcast": float(forecast.mean() - hindcast.mean()),
        "again_season": float(hindcast.mean() - observed.mean()),
        "hindcast_rmse": float(((error**2).mean()) ** 0.5),
        "hindcast_mae": float(abs(error).mean()),
        "hindcast_correlation": float(xr.corr(middle, observed)),
        **{f"above_tercile_{_key(name)}": float(item.inside(above, name).mean()) for name in item.boxes},
    }


def months(item: Item) -> dict[str, float]:
    """Return the numbers of the corrected forecast and its ensemble."""
    if "Correct the monthly forecast" not in item.prompt:
        return {}
    corrected = item.corrected()
    found = {
        "monthly_bias": item.hindcast.mean() - item.observed.mean(),
        "correction_of_the_mean": corrected.mean() - item.forecast.mean(),
        "mean_spread": corrected.std("number").mean(),
    }
    limit = re.search(r"the share of members at or above (-?[\d.]+(?:e-?\d+)?)", item.prompt)
    reached = (corrected >= np.float32(limit[1])).mean("number") if limit else None
    for name in item.boxes:
        key, inside = _key(name), item.inside(corrected, name)
        found |= {f"corrected_{key}": inside.mean(), f"highest_mean_{key}": inside.mean("number").max()}
        if reached is not None:
            found |= {
                "mean_probability": reached.mean(),
                f"probability_{key}": item.inside(reached, name).mean(),
            }
    if sigma := re.search(r"a Gaussian of ([\d.]+) cells", item.prompt):
        smoothed = _smoothed(
            corrected.mean("number").transpose("lead", "latitude", "longitude"), float(sigma[1])
        )
        found["smoothed_range"] = smoothed.max() - smoothed.min()
    return {key: float(value) for key, value in found.items()}


def _smoothed(field: xr.DataArray, sigma: float) -> np.ndarray[Any, Any]:
    """Return a field smoothed along rows and columns by weights of a normal density, edges repeated."""
    reach = int(3 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    values = field.values
    for axis in (1, 2):
        wide = np.pad(values, [(reach, reach) if each == axis else (0, 0) for each in range(3)], mode="edge")
        values = np.apply_along_axis(lambda line: np.convolve(line, weights, "valid"), axis, wide)
    return values


def maps(item: Item) -> dict[str, float]:
    """Return the contrast of the mean of the days."""
    mean = item.days.mean("time")
    return {"contrast_of_the_map": float(mean.max() - mean.min())}


def report(item: Item) -> dict[str, float]:
    """Return the numbers of the report's table by its method."""
    path = item.folder / "data/report.pdf"
    if not path.is_file():
        return {}
    import pypdf

    text = " ".join(" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages)
    span = re.search(r"days from (\S+) to ([\d-]+)", text)
    limit = re.search(r"at or above (-?[\d.]+)", text)
    assert span is not None and limit is not None, text
    asked = re.search(r"the highest day of .*?, the seasons", item.prompt)
    assert asked is not None
    names = [name for name, *_ in re.findall(BOX, asked[0])]
    days = item.days.sel(time=slice(*span.groups()))
    return {
        **{f"again_{_key(name)}": float(item.inside(days, name).mean()) for name in names},
        "again_highest": float(item.inside(days, names[0]).max()),
        "again_share": float((item.forecast >= np.float32(limit[1])).mean()),
    }


def town(item: Item) -> dict[str, float]:
    """Return what stands in the zone and how long its streets are, measured in a projection of the town."""
    import pyogrio
    from shapely import LineString, box, transform, unary_union
    from shapely.geometry import shape

    zone_file = json.loads((item.folder / "town/zone.geojson").read_text())
    zone = unary_union([shape(each["geometry"]) for each in zone_file["features"]])
    lon, lat = zone.centroid.coords[0]
    flat = Transformer.from_crs(
        4326, f"+proj=laea +lat_0={lat} +lon_0={lon} +datum=WGS84", always_xy=True
    ).transform
    buildings = pyogrio.read_dataframe(item.folder / "town/buildings.gpkg").to_crs(4326)
    ground = sum(
        transform(each.intersection(zone), flat, interleaved=False).area for each in buildings.geometry
    )
    said = re.search(r"the box from (\S+) to (\S+) N and from (\S+) to (\S+) E", item.prompt)
    assert said is not None
    south, north, west, east = map(float, said.groups())
    osm = tree.parse(item.folder / "town/town.osm").getroot()
    nodes = {
        each.get("id"): (float(each.get("lon", "")), float(each.get("lat", ""))) for each in osm.iter("node")
    }
    whole = within = 0.0
    for way in osm.iter("way"):
        tags = {each.get("k"): each.get("v") for each in way.iter("tag")}
        places = [nodes[each.get("ref")] for each in way.iter("nd")]
        if "highway" in tags and tags.get("area") != "yes" and len(places) > 1:
            line = LineString(places)
            if line.intersects(box(west, south, east, north)):
                whole += transform(line, flat, interleaved=False).length
                within += transform(line.intersection(zone), flat, interleaved=False).length
    return {
        "built_ground_m2": ground,
        "streets_in_zone_km": within / 1e3,
        "streets_in_zone_share": within / whole,
    }


def distances(item: Item) -> dict[str, float]:
    """Return distances of sites to the nearer shelter."""
    places = re.findall(r"(site|shelter)-\d+ at (-?[\d.]+) N (-?[\d.]+) E", item.prompt)
    points = {
        kind: [(float(x), float(y)) for each, y, x in places if each == kind] for kind in ("site", "shelter")
    }
    if not points["site"]:
        return {}
    nearest = [min(GEOD.inv(*one, *two)[2] for two in points["shelter"]) / 1e3 for one in points["site"]]
    return {"mean_distance_km": sum(nearest) / len(nearest), "longest_distance_km": max(nearest)}


PARTS: tuple[Callable[[Item], dict[str, float]], ...] = (
    windows,
    seasons,
    months,
    maps,
    report,
    town,
    distances,
)


def recomputed(prompt: str, folder: Path) -> dict[str, float]:
    """Return every number that is known here, by the key that it would have; some are not asked for."""
    item = Item(prompt, folder)
    return {key: value for part in PARTS for key, value in part(item).items()}


def _key(name: str) -> str:
    return re.sub(r"\W+", "_", name)
