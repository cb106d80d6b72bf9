"""Maps and series: what is drawn lies where it should, in its colour; nothing overlaps, nothing is fetched."""

from __future__ import annotations

import io
import socket
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from shapely.geometry import LineString, Point, box

from labrig.errors import LabrigError
from labrig.plotting import style
from labrig.plotting.checks import Heading
from labrig_earth.data.formats import Place
from labrig_earth.gis.features import write_features
from labrig_earth.plots.colours import class_colours, colours_for
from labrig_earth.plots.fields import cells_of, edges, with_unit
from labrig_earth.plots.layers import Layer
from labrig_earth.plots.maps import _extent, _on_map, map_figure
from labrig_earth.plots.operations import OPERATIONS
from labrig_earth.plots.projections import window_of
from labrig_earth.plots.series import Line, series_figure
from labrig_earth.results import Result
from labrig_earth.work.calls import Call

HEADING = Heading("A title", "a file.nc", ("A note",))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever asks the network fails."""

    def refuse(*_: Any) -> None:
        raise AssertionError("a picture asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def _run(operation: str, scratch: Path, inputs: dict[str, tuple[Path, ...]], **arguments: Any) -> Result:
    places = {role: tuple(Place.of(path) for path in paths) for role, paths in inputs.items()}
    return OPERATIONS[operation](Call(places, arguments, scratch))


def _field(lon: Any, lat: Any, at: tuple[float, float]) -> xr.DataArray:
    """A field of 0 with a 1 in the cell at (lon, lat)."""
    values = np.zeros((len(lat), len(lon)))
    values[np.abs(lat - at[1]).argmin(), np.abs((lon - at[0] + 180) % 360 - 180).argmin()] = 1
    return xr.DataArray(
        values,
        {"lat": ("lat", lat, {"units": "degrees_north"}), "lon": ("lon", lon, {"units": "degrees_east"})},
        name="x",
        attrs={"units": "m s-1", "long_name": "Speed"},
    )


@pytest.mark.parametrize(
    ("projection", "longitudes", "at"),
    [
        ("equal_area", np.arange(0, 50, 5.0), (20.0, 35.0)),
        pytest.param("robinson", np.arange(0, 360, 10.0), (-60.0, 25.0), marks=pytest.mark.accept),
        pytest.param("auto", np.arange(-170, 190, 10.0), (130.0, -45.0), marks=pytest.mark.accept),
        pytest.param("mercator", np.arange(160, 200, 5.0), (-175.0, 15.0), marks=pytest.mark.accept),
    ],
)  # fmt: skip
def test_a_cell_is_drawn_where_it_lies(projection: str, longitudes: Any, at: tuple[float, float]) -> None:
    import cartopy.crs as ccrs

    latitudes = np.arange(75, -76, -10.0) if longitudes[-1] - longitudes[0] > 200 else np.arange(55, 4, -10.0)
    figure = map_figure(HEADING, field=cells_of(_field(longitudes, latitudes, at)), projection=projection)
    with Image.open(io.BytesIO(style.png(figure))) as image:
        pixels = np.asarray(image.convert("RGB"))
    axes, bar = figure.axes
    assert bar.get_ylabel() == "Speed (m s⁻¹)"
    yellow, purple = np.array([253, 231, 37]), np.array([68, 1, 84])  # ends of viridis

    def colour(lon: float, lat: float) -> Any:
        x, y = axes.transData.transform(axes.projection.transform_point(lon, lat, ccrs.PlateCarree()))
        return pixels[round(pixels.shape[0] - y), round(x)].astype(int)

    assert np.abs(colour(at[0] + 1, at[1] + 1) - yellow).max() < 12
    assert np.abs(colour(at[0] - 9, at[1] + 1) - purple).max() < 12


@pytest.mark.accept
def test_nothing_of_a_full_map_overlaps_or_leaves_the_page() -> None:
    lon, lat = np.arange(0, 20, 1.0), np.arange(56, 40, -1.0)
    streets = gpd.GeoDataFrame(
        {"v": [1.0, 2.0]},
        geometry=[LineString([(1, 42), (19, 55)]), LineString([(2, 50), (9, 50)])],
        crs=4326,
    )
    layers = [
        Layer(streets, "route", "the quickest way"),
        Layer(gpd.GeoDataFrame(geometry=[box(5, 45, 8, 48)], crs=4326), "hazard", "flood"),
        Layer(gpd.GeoDataFrame(geometry=[Point(10, 50)], crs=4326), "points", "gauges"),
        Layer(gpd.GeoDataFrame(geometry=[box(11, 45, 13, 48)], crs=4326), "area", "areas"),
    ]
    heading = Heading(
        "A long title " * 10, "a file with a long name.nc " * 3, ("A note that runs on and on. " * 6,)
    )
    figure = map_figure(heading, field=cells_of(_field(lon, lat, (5, 50))), layers=layers)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    axes, bar = figure.axes
    boxes = [text.get_window_extent(renderer) for text in figure.texts]
    boxes += [
        axes.get_legend().get_window_extent(renderer),
        axes.get_window_extent(renderer),
        bar.get_tightbbox(renderer),
    ]
    page = figure.bbox
    for place, one in enumerate(boxes):
        assert (
            page.x0 - 1 <= one.x0
            and one.x1 <= page.x1 + 1
            and page.y0 - 1 <= one.y0
            and one.y1 <= page.y1 + 1
        ), place
        for other in boxes[place + 1 :]:
            assert not (
                one.x0 < other.x1 - 1
                and other.x0 < one.x1 - 1
                and one.y0 < other.y1 - 1
                and other.y0 < one.y1 - 1
            )
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "the quickest way",
        "flood",
        "gauges",
        "areas",
    ]


@pytest.mark.accept
def test_maps_of_files_say_what_they_show(world: Path, tmp_path: Path) -> None:
    daily = {"data": (world / "climate/daily.nc",)}
    day = {"start": "2018-07-25", "end": "2018-07-25"}
    found = _run(
        "plot_map",
        tmp_path,
        daily,
        variable="t2m",
        select=day,
        unit="degC",
        vectors=["u10", "v10"],
        title="Heat",
    )
    first = (tmp_path / found.files[0]).read_bytes()
    with xr.open_dataset(world / "climate/daily.nc", engine="netcdf4") as data:
        wanted = data.t2m.sel(time="2018-07-25").values - 273.15
    values = {each.name: each.value for each in found.values}
    assert values["greatest value shown"] == pytest.approx(float(wanted.max()), abs=1e-3)
    assert any("synthetic" in warning for warning in found.warnings) and "2018-07-25" in " ".join(
        found.data["notes"]
    )
    assert first.startswith(b"\x89PNG")
    with pytest.raises(LabrigError, match="select one step"):
        _run("plot_map", tmp_path, daily, variable="t2m")
    with pytest.raises(LabrigError, match="outside the field"):
        _run("plot_map", tmp_path, daily, variable="t2m", select=day, bbox=[100, 10, 120, 30])
    with pytest.raises(LabrigError, match="two components"):
        _run("plot_map", tmp_path, daily, vectors=["u10"], select=day)


@pytest.mark.accept
def test_the_same_map_has_the_same_bytes(world: Path, tmp_path: Path) -> None:
    day = {"start": "2018-07-25", "end": "2018-07-25"}
    pictures = []
    for _ in range(2):
        _run("plot_map", tmp_path, {"data": (world / "climate/daily.nc",)}, variable="t2m", select=day)
        pictures.append((tmp_path / "map.png").read_bytes())
    assert pictures[0] == pictures[1]


@pytest.mark.accept
def test_classes_and_layers_of_the_town(world: Path, tmp_path: Path) -> None:
    scl = {"data": (world / "scenes/2022-06-18_SCL.tif",), "layers": (world / "scenes/field.gpkg",)}
    names = {"4": "vegetation", "5": "not vegetated", "6": "water", "9": "cloud"}
    _run("plot_map", tmp_path, scl, classes=names, styles=[{"style": "outline", "label": "field"}])
    with Image.open(tmp_path / "map.png") as image:
        colours = {colour for _, colour in image.convert("RGB").getcolors(10**6) or ()}
    assert {(217, 183, 126), (0, 158, 115), (0, 114, 178), (201, 201, 201)} <= colours
    assert class_colours(["cloud", "high cloud", "water"])[1] not in ("#c9c9c9", "#0072B2")

    write_features(
        gpd.GeoDataFrame(
            {"kind": ["route"]}, geometry=[LineString([(12.71, 48.283), (12.718, 48.287)])], crs=4326
        ),
        tmp_path,
        "r.gpkg",
    )
    layers = (
        world / "town/town.osm",
        world / "town/flood.gpkg",
        tmp_path / "r.gpkg",
        world / "town/buildings.gpkg",
    )
    styles = [
        {"where": {"highway": True}, "label": "streets"}, {"style": "hazard", "label": "flood"}, {"style": "route"},
        {"style": "values", "column": "residents", "unit": "1"},
    ]  # fmt: skip
    found = _run("plot_map", tmp_path, {"layers": layers}, styles=styles, title="Town")
    assert found.files == ("map.png",) and "town.osm" in found.source
    for wrong, said in (
        ({"style": "hazzard"}, "hazard"),
        ({"style": "values", "column": "use"}, "no numbers"),
        ({"style": "values"}, "column"),
    ):
        with pytest.raises(LabrigError, match=said):
            _run("plot_map", tmp_path, {"layers": (world / "town/buildings.gpkg",)}, styles=[wrong])
    with pytest.raises(LabrigError, match="nothing to draw"):
        _run("plot_map", tmp_path, {})


def test_windows_are_what_their_boxes_need() -> None:
    assert window_of((12.7, 48.2, 12.8, 48.3)).name == "UTM zone 33N"
    assert window_of((-180, -90, 180, 90)).name == "Robinson"
    assert window_of((-180, 60, 180, 90)).name == "polar stereographic"
    assert window_of((-110, -56, -80, -40)).name == "Lambert azimuthal equal-area around 48 S, 95 W"
    assert window_of((174, -20, -178, -12)).box == (174, -20, 182, -12)
    for name, box_, said in (
        ("lambertt", (0, 40, 20, 56), "lambert"),
        ("polar_north", (0, -40, 20, 56), "one side"),
    ):
        with pytest.raises(LabrigError, match=said):
            window_of(box_, name)


def test_layers_on_both_sides_of_the_antimeridian_have_a_window() -> None:
    import geopandas as gpd
    from shapely.geometry import Point

    def window(*longitudes: float) -> Any:
        points = gpd.GeoDataFrame(
            geometry=[Point(each, 10 * n) for n, each in enumerate(longitudes)], crs=4326
        )
        return _extent(None, None, [Layer(points, "points")], [])

    west, _, east, _ = window(165, -100, -30, 50)
    assert -215 < west < -195 and 50 < east < 70
    assert window(*range(-180, 180, 5))[::2] == (-180, 180)


def test_limits_of_colours() -> None:
    values = np.array([-1.0, 3.0, np.nan])
    found = colours_for(values, what="temperature anomaly")
    assert (found.low, found.high, found.diverging, found.extend) == (-3, 3, True, "neither")
    plain = colours_for(values, what="temperature", low=0)
    assert (plain.low, plain.high, plain.name, plain.extend) == (0, 3, "viridis", "min")
    assert colours_for(values, what="Terrain height").name == "viridis"
    assert colours_for(np.array([5.0, 5.0])).low < 5 < colours_for(np.array([5.0, 5.0])).high
    for wrong, said in (({"name": "jet"}, "colour map"), ({"low": 3.0, "high": 1.0}, "Limits")):
        with pytest.raises(LabrigError, match=said):
            colours_for(values, **wrong)  # type: ignore[arg-type]
    with pytest.raises(LabrigError, match="all cells are missing"):
        colours_for(np.array([np.nan]))
    assert edges(np.array([1.0, 2.0, 4.0])).tolist() == [0.5, 1.5, 3.0, 5.0]
    assert with_unit("PM2.5", "ug m-3") == "PM2.5 (µg m⁻³)" and with_unit("NDVI", "1") == "NDVI"


def test_a_series_has_its_line_band_and_threshold(world: Path, tmp_path: Path) -> None:
    times = np.arange("2020-01-01", "2020-03-01", dtype="datetime64[D]")
    values = np.sin(np.arange(60) / 9)
    values[20:25] = np.nan
    line = Line("model", times, values, values - 1, values + 1, "spread")
    figure = series_figure(HEADING, [line], "Speed (m s⁻¹)", threshold=0.5, threshold_name="limit")
    axes = figure.axes[0]
    assert axes.get_ylabel() == "Speed (m s⁻¹)" and axes.get_xlabel() == "Date"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["spread", "model", "limit"]
    drawn = axes.lines[0].get_ydata()
    assert np.isnan(drawn[20:25]).all() and len(drawn) == 60
    assert style.png(figure).startswith(b"\x89PNG")
    for wrong, said in (
        ([], "no line"), ([line] * 9, "told apart"), ([Line("a", times[::-1], values)], "do not increase"),
        ([Line("a", times, np.full(60, np.nan))], "all are missing"), ([Line("a", times[:5], values)], "5 times"),
    ):  # fmt: skip
        with pytest.raises(LabrigError, match=said):
            series_figure(HEADING, wrong, "x")

    with xr.open_dataset(world / "forecast/forecast.nc", engine="netcdf4") as data:
        point = data.t2m.isel(start=0, latitude=0, longitude=0).drop_vars("start").rename(lead="time")
        point["time"] = ("time", times[: point.sizes["time"]], {"standard_name": "time"})
        point.load().to_netcdf(tmp_path / "members.nc")
    found = _run("plot_series", tmp_path, {"data": (tmp_path / "members.nc",)}, unit="degC", title="Members")
    assert {each.name for each in found.values} >= {"mean of median"}
    with pytest.raises(LabrigError, match="extract a point"):
        _run("plot_series", tmp_path, {"data": (world / "climate/daily.nc",)}, variable="t2m")


def _around_the_pole(side: int = 60) -> xr.DataArray:
    """A field on the grid of NSIDC's sea ice: polar stereographic, 45 W downwards."""
    metres = {"units": "m"}
    x, y = np.linspace(-3.8e6, 3.7e6, side), np.linspace(5.8e6, -5.3e6, side)
    field = xr.DataArray(
        np.add.outer(y, x),
        {"y": ("y", y, metres), "x": ("x", x, metres)},
        ("y", "x"),
        name="ice",
        attrs={
            "units": "1",
            "long_name": "A name of a variable that is far longer than the height of a low map " * 2,
        },
    )
    return field.rio.write_crs("EPSG:3413")


def test_a_grid_around_a_pole_is_drawn_around_it_and_elsewhere_has_no_cell_across_the_map() -> None:
    import cartopy.crs as ccrs
    import rioxarray  # noqa: F401 - brings the accessor

    cells = cells_of(_around_the_pole())
    assert isinstance(map_figure(HEADING, field=cells).axes[0].projection, ccrs.NorthPolarStereo)
    x, _, seams = _on_map(ccrs.Robinson(), ccrs.Projection("EPSG:3413"), cells.x_edges, cells.y_edges)
    corners = np.stack([x[:-1, :-1], x[:-1, 1:], x[1:, :-1], x[1:, 1:]])
    wide = np.ptp(corners, axis=0)
    assert 0 < seams.sum() < 0.05 * seams.size and wide[seams].max() > 2e7
    assert wide[~seams].max() < 8e6 and np.median(wide[~seams]) < 1e6


def test_the_name_beside_the_colours_of_a_low_map_ends_within_the_page() -> None:
    lon, lat = np.arange(0, 60, 2.0), np.arange(-4, 6, 2.0)
    field = _field(lon, lat, (20.0, 0.0)).assign_attrs(
        long_name="A name that is far longer than a low map " * 3
    )
    figure = map_figure(HEADING, field=cells_of(field))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    shown = figure.axes[1].yaxis.label.get_window_extent(canvas.get_renderer())
    assert shown.y0 >= 0 and shown.y1 <= figure.bbox.height


def test_a_field_at_a_time_that_states_no_unit_is_drawn_with_its_number(tmp_path: Path) -> None:
    axis = ("time", np.array([7], "i4"), {"axis": "T", "standard_name": "time"})
    field = _field(np.arange(0, 50, 5.0), np.arange(30, 60, 5.0), (20.0, 35.0))
    field.expand_dims("time").assign_coords(time=axis).to_netcdf(tmp_path / "steps.nc")
    made = _run("plot_map", tmp_path, {"data": (tmp_path / "steps.nc",)})
    assert "time 7" in made.data["notes"]
