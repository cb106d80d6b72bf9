"""Group forecast_models, its tracks of cyclones: a table of centres and a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig.tables.writing import csv_text
from labrig_earth.atmosphere.kinematics import vorticity
from labrig_earth.atmosphere.levels import at_level, by_pressure
from labrig_earth.cyclones.centres import AROUND_KM, Centre, find_centres
from labrig_earth.cyclones.linking import Costs, Track, link
from labrig_earth.data.formats import Place
from labrig_earth.ensembles.members import MEMBER, TIME, X, Y, like, once, read_field
from labrig_earth.grids.axes import axes_of, goes_round
from labrig_earth.grids.reading import opened
from labrig_earth.grids.selecting import unbroken
from labrig_earth.grids.times import iso, require_times
from labrig_earth.grids.units import convert
from labrig_earth.plots.layers import MOST_LAYERS, WGS84, Layer
from labrig_earth.plots.maps import map_figure
from labrig_earth.results import Result
from labrig_earth.terra.arguments import forecast_models as arguments
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import make_result, number
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields

LEVEL_HPA = 850.0
COLUMNS = ("storm_id", "time", "lat", "lon", "msl_hPa", "zeta850_s-1", "ws10_ms", "ws10_max_ms")
MOST_SHOWN = 40


def run_tc_tracks_from_era5(call: Call, asked: arguments.RunTcTracksFromEra5) -> Result:
    """Find centres of cyclones at each time and link them to tracks."""
    mode, colour, reach = asked.linking_mode, asked.color_mode, asked.max_link_km
    least = asked.min_points or arguments.LEAST_POINTS
    gate = reach if asked.gate_km is None else asked.gate_km
    costs = read_costs(asked.cost_weights)
    pressure, u, v, wind, warnings = read_fields(call)
    turning = vorticity(u, v)
    pressure = like(unbroken(pressure, axes_of(pressure)), turning, where="surface_path", units=False)
    if wind is not None:
        wind = (
            like(unbroken(wind, axes_of(wind)), turning, where="surface_path", units=False)
            .transpose(*turning.dims)
            .values
        )
    times = once(turning, "pressure_path")
    hours = (times - times[0]) / np.timedelta64(1, "h")
    if (np.diff(hours) <= 0).any():
        raise LabrigError("Times do not rise", where="surface_path", expected="times in order")
    steps = np.diff(hours)
    if steps.size and steps.max() > 1.5 * np.median(steps):
        warnings.append(f"There is a gap of {steps.max():g} h between times: tracks may be linked across it")
    circle = goes_round(turning, axes_of(turning))
    found = [
        find_centres(
            pressure.transpose(*turning.dims).values[step], turning.values[step],
            np.asarray(turning[Y].values, "f8"), np.asarray(turning[X].values, "f8"),
            wind=None if wind is None else wind[step], goes_round=circle,
        )
        for step in range(times.size)
    ]  # fmt: skip
    tracks = link(
        found, [float(each) for each in hours], mode=mode, gate_km=gate, cutoff=asked.cost_cutoff, costs=costs
    )
    kept = [track for track in tracks if len(track.centres) >= least]
    if not kept:
        warnings.append(
            f"No track has {least} points; {sum(map(len, found))} centres were found at {times.size} times"
        )
    write_table(call, kept, times)
    draw_map(call, kept, times, turning, colour, mode, warnings)
    payload = {
        "ok": True,
        "tracks": len(kept),
        "fixes": sum(len(track.centres) for track in kept),
        "csv_path": f"{MARK}tc_tracks.csv",
        "png_path": f"{MARK}tc_tracks.png",
        "min_points": least,
        "max_link_km": reach,
        "linking_mode": mode,
        "candidates": sum(map(len, found)),
        "times": int(times.size),
        "storms": [describe_track(place, track, times) for place, track in enumerate(kept[:MOST_SHOWN], 1)],
    }
    method = (
        "centres: lows of mean sea level pressure of at most 1015 hPa with cyclonic vorticity at 850 hPa of at least "
        f"5e-5 s-1, signed by hemisphere, none at the edge of a box; links {mode}, at most {gate:g} km; ws10_max_ms "
        f"is the strongest wind within {AROUND_KM:g} km"
    )
    return make_result(
        payload,
        method=method,
        files=(f"{MARK}tc_tracks.csv", f"{MARK}tc_tracks.png"),
        warnings=tuple(warnings),
    )


def read_fields(call: Call) -> tuple[Any, Any, Any, Any, list[str]]:
    """Return pressure (hPa), the wind at 850 hPa and that at 10 m (m s-1, or None) over times, and warnings."""
    surface, levels = call.input("surface_path"), call.input("pressure_path")
    pressure, warnings = read_on_times(surface, "msl", "hPa")
    parts = []
    for name in ("u", "v"):
        field, said = read_on_times(levels, name, "m s-1")
        warnings += said
        parts.append(at_level(by_pressure(field)[0], LEVEL_HPA, where="pressure_path"))
    u, v = parts
    v = like(v, u, where="v of pressure_path")
    pressure = like(pressure, u, where="surface_path", units=False)
    there = {str(name) for name in opened(surface).data.data_vars}
    if not {"u10", "v10"} <= there and not {"10u", "10v"} <= there:
        return pressure, u, v, None, [*warnings, "The surface file has no wind at 10 m"]
    east, _ = read_on_times(surface, "u10", "m s-1")
    north, _ = read_on_times(surface, "v10", "m s-1")
    speed = np.hypot(east, like(north, east, where="v10"))
    return pressure, u, v, like(speed, u, where="surface_path", units=False), warnings


def read_on_times(place: Place, name: str, unit: str) -> tuple[Any, list[str]]:
    source = read_field(place, name)
    field = source.data
    require_times(field, TIME if TIME in field.dims else "")
    if MEMBER in field.dims:
        if field.sizes[MEMBER] > 1:
            raise LabrigError(
                f"{name} has {field.sizes[MEMBER]} members",
                where=place.name,
                expected="one",
                try_="select one",
            )
        field = field.isel({MEMBER: 0}, drop=True)
    stated = str(field.attrs.get("units", "")).strip()
    if not stated:
        raise LabrigError(f"{name} states no unit", where=place.name, expected=f"one that converts to {unit}")
    return convert(field, stated, unit)[0], list(source.warnings)


def read_costs(weights: Mapping[str, Any]) -> Costs:
    given = Fields(weights, "cost_weights")
    found = {
        each.name: given.number(each.name, 1e-12 if each.name.endswith("_ref") else 0.0, 1e12)
        for each in fields(Costs)
        if given.has(each.name)
    }
    given.require_all_known()
    return Costs(**found)


def write_table(call: Call, tracks: list[Track], times: Any) -> None:
    rows = []
    for storm, track in enumerate(tracks, 1):
        for step, centre in zip(track.steps, track.centres, strict=True):
            winds = ("" if each is None else f"{each:.2f}" for each in (centre.wind, centre.wind_around))
            place = (f"{centre.latitude:.4f}", f"{centre.longitude:.4f}")
            depth = (f"{centre.pressure_hpa:.2f}", f"{centre.vorticity:.4e}")
            rows.append((storm, iso(times[step]), *place, *depth, *winds))
    (call.scratch / "tc_tracks.csv").write_text(csv_text(COLUMNS, rows), encoding="utf-8")


def describe_track(storm: int, track: Track, times: Any) -> dict[str, Any]:
    deepest = min(track.centres, key=lambda each: each.pressure_hpa)
    winds = [each.wind_around for each in track.centres if each.wind_around is not None]
    return {
        "storm_id": storm,
        "points": len(track.centres),
        "first": iso(times[track.steps[0]]),
        "last": iso(times[track.steps[-1]]),
        "from": list_place(track.centres[0]),
        "to": list_place(track.centres[-1]),
        "min_msl_hPa": number(deepest.pressure_hpa),
        "max_ws10_ms": number(max(winds)) if winds else None,
    }


def list_place(centre: Centre) -> list[float | None]:
    return [number(centre.latitude), number(centre.longitude)]


def draw_map(
    call: Call, tracks: list[Track], times: Any, grid: Any, colour: str, mode: str, warnings: list[str]
) -> None:
    """Draw lines of the tracks and their first centres over land and sea."""
    import geopandas
    import shapely

    from labrig.plotting import style

    named = sorted(range(len(tracks)), key=lambda each: -len(tracks[each].centres))[: MOST_LAYERS - 2]
    layers: list[Layer] = []
    shapes = [_line(track) for track in tracks]
    if colour == "multi":
        for place in sorted(named):
            frame = geopandas.GeoDataFrame(geometry=[shapes[place]], crs=WGS84)
            layers.append(Layer(frame, "line", f"Storm {place + 1}"))
    others = [shape for place, shape in enumerate(shapes) if colour == "mono" or place not in named]
    if others:
        label = "Storms" if colour == "mono" else f"{len(others)} further storms"
        layers.append(Layer(geopandas.GeoDataFrame(geometry=others, crs=WGS84), "line", label))
    if tracks:
        firsts = [shapely.Point(track.centres[0].longitude, track.centres[0].latitude) for track in tracks]
        layers.append(Layer(geopandas.GeoDataFrame(geometry=firsts, crs=WGS84), "points", "First centre"))
    box = (
        float(grid[X].min()), float(grid[Y].min()), float(grid[X].max()), float(grid[Y].max())
    )  # fmt: skip
    if not layers:  # a map of the box alone says that nothing was found
        corners = geopandas.GeoDataFrame(geometry=[shapely.box(*box)], crs=WGS84)
        layers.append(Layer(corners, "outline", "No track"))
    heading = Heading(
        f"Tracks of cyclones, {iso(times[0])} to {iso(times[-1])}",
        f"{call.input('surface_path').name}, {call.input('pressure_path').name}",
        (f"Lows with cyclonic vorticity at 850 hPa, linked {mode}", *dict.fromkeys(warnings[:2])),
    )
    figure = map_figure(heading, layers=layers, box=box)
    (call.scratch / "tc_tracks.png").write_bytes(style.png(figure))


def _line(track: Track) -> Any:
    """Return a track as a line, cut where it crosses the antimeridian; as a point where it has one centre."""
    import shapely

    places = [(centre.longitude, centre.latitude) for centre in track.centres]
    if len(set(places)) == 1:
        return shapely.Point(places[0])
    parts: list[list[tuple[float, float]]] = [[places[0]]]
    for (west, south), (east, north) in pairwise(places):
        if abs(east - west) <= 180:
            parts[-1].append((east, north))
            continue
        edge = 180.0 if west > 0 else -180.0
        unrolled = east + 2 * edge
        share = (edge - west) / (unrolled - west)
        crossing = south + share * (north - south)
        parts[-1].append((edge, crossing))
        parts.append([(-edge, crossing), (east, north)])
    return shapely.MultiLineString([part for part in parts if len(part) > 1])
