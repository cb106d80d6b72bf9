"""Features on a map: styles are told apart without colour as well, by hatching, width or dashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig.plotting.style import COLOURS, INK, MARKERS

STYLES = ("area", "outline", "hazard", "line", "route", "closed_route", "points", "values")
MOST_LAYERS = 8
WGS84 = "EPSG:4326"


@dataclass(frozen=True)
class Layer:
    """Features to draw.

    Attributes
    ----------
    frame
        `geopandas.GeoDataFrame` with a reference system.
    style
        One of `STYLES`: ``hazard`` is hatched blue, ``route`` a broad line, ``closed_route`` a dashed one, ``values``
        fills areas by a column.
    label
        For the legend; empty for none.
    column, unit
        Of ``values``.
    """

    frame: Any
    style: str
    label: str = ""
    column: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise unknown_name("style", self.style, STYLES, where="style")
        if self.style == "values":
            if self.column not in self.frame.columns:
                raise unknown_name(
                    "column", self.column, [str(each) for each in self.frame.columns], where="column"
                )
            if self.frame[self.column].dtype.kind not in "iuf":
                raise LabrigError(
                    f"{self.column} holds no numbers", where="column", expected="a column of numbers"
                )


def draw_layers(axes: Any, layers: list[Layer], crs: Any, transform: Any) -> list[Any]:
    """Draw layers in their order, and return what a legend shows of them.

    Parameters
    ----------
    crs, transform
        The reference system that features are brought into (pyproj), and the same as cartopy has it.
    """
    handles: list[Any] = []
    colour = 0
    marks = 0
    for layer in layers:
        frame = layer.frame.to_crs(crs)
        if layer.style in ("area", "line", "points"):
            drawn = COLOURS[(colour + 2) % len(COLOURS)]
            colour += 1
        else:
            drawn = ""
        handle = _draw(axes, frame, layer, drawn, transform, marks)
        marks += layer.style == "points"
        if handle is not None and layer.label:
            handles.append(handle)
    return handles


def _draw(axes: Any, frame: Any, layer: Layer, colour: str, transform: Any, number: int) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    areas: dict[str, dict[str, Any]] = {
        "area": {"facecolor": (colour, 0.35), "edgecolor": colour, "linewidth": 0.8},
        "outline": {"facecolor": "none", "edgecolor": INK, "linewidth": 0.7},
        "hazard": {"facecolor": ("#56B4E9", 0.45), "edgecolor": "#0072B2", "linewidth": 1.0, "hatch": "///"},
    }
    if len(frame) > 500:  # a town: edges would hide what they enclose
        areas["area"]["linewidth"] = 0.2
    lines: dict[str, dict[str, Any]] = {
        "line": {"color": colour, "linewidth": 1.2},
        "route": {"color": "#D55E00", "linewidth": 3.0},
        "closed_route": {"color": INK, "linewidth": 1.8, "linestyle": (0, (4, 2))},
        "outline": {"color": "#8a8a8a", "linewidth": 0.7},
    }
    kinds = set(frame.geometry.geom_type.str.replace("Multi", ""))
    if layer.style == "points" or kinds == {"Point"}:
        points = frame.geometry.representative_point()
        marker = MARKERS[number % len(MARKERS)]
        colour = colour or INK
        look: dict[str, Any] = {
            "marker": marker,
            "linestyle": "none",
            "color": colour,
            "markeredgecolor": "white",
            "markersize": 7,
        }
        axes.plot(points.x, points.y, transform=transform, zorder=8, label=layer.label, **look)
        return Line2D([], [], label=layer.label, **look)
    if "LineString" in kinds:
        look = lines.get(layer.style, lines["outline"])
        order = {"route": 7, "closed_route": 6}.get(layer.style, 4)
        if layer.style == "route":  # a white edge lifts it from what lies below
            _add(axes, frame.geometry, transform, order, facecolor="none", edgecolor="white", linewidth=5.0)
        style = {key: value for key, value in look.items() if key != "color"}
        _add(axes, frame.geometry, transform, order, facecolor="none", edgecolor=look["color"], **style)
        return Line2D([], [], label=layer.label, **look)
    look = areas.get(layer.style, areas["outline"])
    _add(axes, frame.geometry, transform, 5 if layer.style == "hazard" else 3, **look)
    return Patch(label=layer.label, **look)


def _add(axes: Any, shapes: Any, transform: Any, order: int, **look: Any) -> None:
    axes.add_geometries(shapes, crs=transform, zorder=order, **look)


def frame_box(frames: list[Any]) -> tuple[float, float, float, float]:
    """Return (west, south, east, north) of frames in degrees; across the antimeridian east is beyond 180."""
    from shapely import union_all
    from shapely.geometry import GeometryCollection

    from labrig_earth.natural_earth.regions import narrow_bounds

    parts = [shape for frame in frames for shape in frame.to_crs(WGS84).geometry if not shape.is_empty]
    if not parts:
        raise LabrigError(
            "There is nothing to draw: the layers have no features", where="layers", code="not_found"
        )
    pieces = [piece for part in parts for piece in getattr(part, "geoms", [part])]
    west, south, east, north = narrow_bounds(
        GeometryCollection(pieces) if len(pieces) < 5000 else union_all(pieces).envelope
    )
    return west, south, east + 360 if east < west else east, north
