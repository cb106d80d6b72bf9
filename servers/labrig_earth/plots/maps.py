"""A map: a field, arrows, and layers of features, with coast lines, a labelled grid, and a colour bar with its unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.gis.boxes import wrapped
from labrig_earth.natural_earth import shapes
from labrig_earth.plots.colours import Colours, class_colours, colours_for, extend_of
from labrig_earth.plots.fields import Cells, cells_near, with_unit
from labrig_earth.plots.layers import WGS84, Layer, draw_layers, frame_box
from labrig_earth.plots.overlays import Contours, Overlay, draw_overlays
from labrig_earth.plots.projections import Box, Window, no_downloads, window_of

LAND, SEA, LINE = "#efece4", "#dfe9f0", "#4a4a4a"
MOST_ARROWS = 24
"""Arrows along the longer side."""
COARSE_ABOVE_DEGREES = 120
"""Lines at 1:110m are half a degree off, which a page shows of anything smaller."""
DISK_DEGREES = 120
"""A geostationary satellite sees 162 degrees from limb to limb."""
SEAM = 0.25
"""A cell that is wider than this part of the map lies on both of its edges."""
COAST_ABOVE_DEGREES = 0.5
"""Coast lines at 1:50m have errors of kilometres and would mislead on a map of a town."""


@dataclass(frozen=True)
class Arrows:
    """A field of vectors: components along x (east) and y (north) of one grid, and their unit."""

    u: Cells
    v: Cells
    name: str
    unit: str


def map_figure(
    heading: Heading,
    *,
    field: Cells | None = None,
    colours: Colours | None = None,
    classes: dict[int, str] | None = None,
    arrows: Arrows | None = None,
    layers: Sequence[Layer] = (),
    overlays: Sequence[Overlay] = (),
    box: Box | None = None,
    projection: str = "auto",
) -> Any:
    """Return a map as a matplotlib figure.

    Parameters
    ----------
    field
        Drawn as cells; `colours` are chosen from its values where None is given.
    classes
        Names of whole numbers: the field is one of classes, with a legend in place of a colour bar.
    arrows
        Vectors, thinned to about `MOST_ARROWS` along the longer side.
    layers
        Drawn over the field in their order.
    overlays
        Contours and hatching, of fields of degrees or of the map's own projection.
    box
        (west, south, east, north) in degrees; by default what field and layers cover, with a margin around layers.
    projection
        As `projections.window_of`.

    Raises
    ------
    LabrigError
        ``bad_input`` for nothing to draw, a box outside the field, invalid limits and projections.
    """
    from labrig.plotting import style

    no_downloads()
    if field is None and arrows is None and not layers and not overlays:
        raise LabrigError("There is nothing to draw", where="data", expected="a field, arrows or layers")
    shown = box or _extent(field, arrows, layers, overlays)
    if projection == "auto" and box is None and field is not None and not field.geographic:
        projection = _of_cap(shown)
    window = window_of(shown, projection)
    if projection == "auto" and box is None and field is not None and _is_disk(field):
        window = replace(window, projection=_transform_of(field), name="geostationary", whole=True)
    elif (
        box is None
        and field is not None
        and window.metres is not None
        and _transform_of(field) == window.projection
    ):
        (left, right), (bottom, top) = (
            (float(e.min()), float(e.max())) for e in (field.x_edges, field.y_edges)
        )
        window = replace(window, metres=(left, right, bottom, top))
    notes = list(dict.fromkeys(note for cells in _all_cells(field, overlays) for note in cells.notes))
    if box is not None and field is not None:
        _require_overlap(field.box, window.box)
    if field is not None and not window.whole:
        field = cells_near(field, window.box, _margin(window))
    with style.house():
        drawn = _colours(field, colours, classes)
        filled = next((layer for layer in layers if layer.style == "values"), None)
        wide = style.WIDTH - 0.9 - (0.95 if (drawn is not None or filled is not None) else 0)
        height = min(max(wide * window.aspect, 2.2), 8.0)
        extra = 0.32 * (
            1 + (max(len(layers), len(classes or {})) + (arrows is not None) + _entries(overlays) - 1) // 3
        )
        figure, _ = style.page(height + 1.0 + extra, heading, [*notes, f"Projection: {window.name}"])
        axes = figure.add_subplot(projection=window.projection)
        _frame(axes, window)
        _ground(axes, window)
        handles: list[Any] = []
        if field is not None:
            handles += _draw_field(figure, axes, field, drawn, classes)
        if filled is not None:
            _draw_values(figure, axes, filled)
        crs, transform = _system(window)
        handles += draw_overlays(axes, overlays, _transform_of)
        handles += draw_layers(axes, [layer for layer in layers if layer.style != "values"], crs, transform)
        if arrows is not None:
            _draw_arrows(axes, arrows, window)
        _grid(axes, window)
        if window.metres is not None:
            _scale_bar(axes, window.metres)
        if handles:
            _legend(figure, axes, handles)
    return figure


def _all_cells(field: Cells | None, overlays: Sequence[Overlay]) -> list[Cells]:
    """Return the field and those of the overlays."""
    over = [
        one for each in overlays for one in (each.fields if isinstance(each, Contours) else (each.field,))
    ]
    return [*((field,) if field is not None else ()), *over]


def _entries(overlays: Sequence[Overlay]) -> int:
    """Return how many entries of a legend overlays have."""
    return sum(
        (len(each.levels) + 2 if len(each.fields) > 1 else 0) if isinstance(each, Contours) else 1
        for each in overlays
    )


def _extent(
    field: Cells | None, arrows: Arrows | None, layers: Sequence[Layer], overlays: Sequence[Overlay]
) -> Box:
    """Return what is to be seen: the field, else the arrows, else the layers with a margin of 6 %."""
    cells: list[Cells] = [
        *((arrows.u,) if arrows is not None and field is None else ()),
        *_all_cells(field, overlays),
    ]
    if cells:
        return cells[0].box
    west, south, east, north = frame_box([layer.frame for layer in layers])
    margin_x, margin_y = max((east - west) * 0.06, 0.002), max((north - south) * 0.06, 0.002)
    west, south, east, north = (
        west - margin_x,
        max(south - margin_y, -90),
        east + margin_x,
        min(north + margin_y, 90),
    )
    if east - west >= 360:
        return -180.0, south, 180.0, north
    turn = 360.0 if east > 360 else 0.0  # around the antimeridian
    return west - turn, south, east - turn, north


def _of_cap(box: Box) -> str:
    """Return the projection of a grid of a projection: polar around a pole on its side of the equator, else auto."""
    west, south, east, north = box
    if east - west < 300:
        return "auto"
    return (
        "polar_north"
        if north > 89 and south >= 0
        else "polar_south"
        if south < -89 and north <= 0
        else "auto"
    )


def _is_disk(field: Cells) -> bool:
    """Tell whether a field is what a geostationary satellite sees, from limb to limb: a disk in its own projection."""
    from pyproj import CRS

    west, south, east, north = field.box
    return (
        not field.geographic
        and min(east - west, north - south) > DISK_DEGREES
        and CRS.from_user_input(field.crs).to_cf().get("grid_mapping_name") == "geostationary"
    )


def _require_overlap(field: Box, box: Box) -> None:
    shifts = (-360, 0, 360)
    if (
        any(field[0] < box[2] + turn and box[0] + turn < field[2] for turn in shifts)
        and field[1] < box[3]
        and box[1] < field[3]
    ):
        return
    raise LabrigError(
        "The box lies outside the field",
        where="bbox",
        expected=f"within {field[0]:.2f} to {field[2]:.2f} E, {field[1]:.2f} to {field[3]:.2f} N",
    )


def _frame(axes: Any, window: Window) -> None:
    """Set what of the projection is seen."""
    import cartopy.crs as ccrs

    if window.whole:
        axes.set_global()
    elif window.metres is not None:
        left, right, bottom, top = window.metres
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
    else:
        west, south, east, north = window.box
        axes.set_extent((west, east, south, north), crs=ccrs.PlateCarree())
    axes.spines["geo"].set_linewidth(0.8)
    axes.spines["geo"].set_edgecolor("#555555")


def _ground(axes: Any, window: Window) -> None:
    """Draw land, coast lines and borders from Natural Earth."""
    import cartopy.crs as ccrs

    west, south, east, north = window.box
    size = max(east - west, north - south)
    if size < COAST_ABOVE_DEGREES:
        axes.set_facecolor("white")
        return
    scale: shapes.Scale = "110m" if size > COARSE_ABOVE_DEGREES else "50m"
    plain = ccrs.PlateCarree()
    axes.set_facecolor(SEA)
    axes.add_geometries(
        _near(shapes.land(scale), window), crs=plain, facecolor=LAND, edgecolor="none", zorder=0.5
    )
    for lines, width, colour in ((shapes.coast(scale), 0.8, LINE), (shapes.borders(scale), 0.45, "#777777")):
        axes.add_geometries(
            _near(lines, window), crs=plain, facecolor="none", edgecolor=colour, linewidth=width, zorder=2.5
        )


def _near(shape: Any, window: Window) -> list[Any]:
    """Return the parts of a shape around the window, so that little has to be projected."""
    from shapely import box

    west, south, east, north = window.box
    if window.whole or east - west > 180:
        return list(shape.geoms)
    margin = _margin(window)
    frames = [
        box(west - margin + turn, max(south - margin, -90), east + margin + turn, min(north + margin, 90))
        for turn in (-360, 0, 360)
    ]
    parts = [shape.intersection(frame) for frame in frames if frame.intersects(shape)]
    return [
        piece
        for part in parts
        for piece in getattr(part, "geoms", [part])
        if not piece.is_empty and piece.geom_type != "Point"
    ]


def _margin(window: Window) -> float:
    """Return how many degrees beyond its box a map may show in its corners."""
    west, south, east, north = window.box
    return max(east - west, north - south) * 0.5 + 2


def _colours(field: Cells | None, colours: Colours | None, classes: dict[int, str] | None) -> Colours | None:
    if field is None or classes:
        return None
    return colours or colours_for(field.values, what=field.label)


def _draw_field(
    figure: Any, axes: Any, field: Cells, colours: Colours | None, classes: dict[int, str] | None
) -> list[Any]:
    """Draw the cells; return what a legend shows of classes."""
    import matplotlib
    from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize
    from matplotlib.patches import Patch

    values = np.ma.masked_invalid(field.values)
    if colours is None:
        named = sorted(classes or {})
        picked = class_colours([(classes or {})[number] for number in named])
        places = np.full(field.values.shape, np.nan)
        for place, number in enumerate(named):
            places[field.values == number] = place
        norm = BoundaryNorm(np.arange(len(named) + 1) - 0.5, len(named))
        _cells(axes, field, np.ma.masked_invalid(places), cmap=ListedColormap(picked), norm=norm)
        return [
            Patch(facecolor=colour, label=(classes or {})[number])
            for number, colour in zip(named, picked, strict=True)
        ]
    palette = matplotlib.colormaps[colours.name].copy()
    palette.set_bad("#00000000")
    mesh = _cells(axes, field, values, cmap=palette, norm=Normalize(colours.low, colours.high))
    _bar(figure, axes, mesh, field.label, extend_of(field.values, colours.low, colours.high))
    return []


def _cells(axes: Any, field: Cells, values: Any, **look: Any) -> Any:
    """Draw cells: those of the map's own projection as an image, which has no seams."""
    transform = _transform_of(field)
    x, y = field.x_edges, field.y_edges
    even = all(np.allclose(np.diff(edge), edge[1] - edge[0], rtol=1e-3) for edge in (x, y))
    if even and not field.geographic and transform == axes.projection:
        origin = "upper" if y[0] > y[-1] else "lower"
        limits = axes.get_xlim(), axes.get_ylim()
        shown = axes.imshow(
            values if x[0] < x[-1] else values[:, ::-1], extent=(x.min(), x.max(), y.min(), y.max()), origin=origin,
            transform=transform, interpolation="nearest", zorder=1, **look,
        )  # fmt: skip
        axes.set_xlim(*limits[0])
        axes.set_ylim(*limits[1])
        return shown
    if not field.geographic:
        x, y, seams = _on_map(axes.projection, transform, x, y)
        values, transform = np.ma.masked_where(seams, values), axes.projection
    return axes.pcolormesh(x, y, values, transform=transform, shading="flat", zorder=1, **look)


def _on_map(projection: Any, transform: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return corners of a projected grid on the map, and which cells lie on its seam or beyond it: these are not drawn,
    since they would be drawn across all of it."""
    points = projection.transform_points(transform, *np.meshgrid(x, y))[..., :2]
    known = np.isfinite(points).all(axis=-1)
    points = np.where(known[..., None], points, 0.0)
    corners = np.stack([points[:-1, :-1], points[:-1, 1:], points[1:, :-1], points[1:, 1:]])
    wide = (np.ptp(corners, axis=0) > SEAM * np.ptp([projection.x_limits, projection.y_limits], axis=1)).any(
        axis=-1
    )
    unknown = ~(known[:-1, :-1] & known[:-1, 1:] & known[1:, :-1] & known[1:, 1:])
    return points[..., 0], points[..., 1], wide | unknown


def _legend(figure: Any, axes: Any, handles: list[Any]) -> None:
    """Put a legend below the map and its labels; the layout of the page makes room for it."""
    from matplotlib.transforms import ScaledTranslation

    below = axes.transAxes + ScaledTranslation(0, -24 / 72, figure.dpi_scale_trans)
    columns = 2 if len(handles) == 4 else min(len(handles), 3)
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, ncols=columns
    )


def _draw_values(figure: Any, axes: Any, layer: Layer) -> None:
    """Fill areas by a column."""
    import cartopy.crs as ccrs
    import matplotlib
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    frame = layer.frame.to_crs(WGS84)
    label = with_unit(layer.label or layer.column, layer.unit)
    colours = colours_for(frame[layer.column], what=label)
    shown = ScalarMappable(Normalize(colours.low, colours.high), matplotlib.colormaps[colours.name])
    for shape, value in zip(frame.geometry, frame[layer.column], strict=True):
        look: dict[str, Any] = (
            {"facecolor": shown.to_rgba(value)} if value == value else {"facecolor": "white", "hatch": "xx"}
        )
        axes.add_geometries([shape], crs=ccrs.PlateCarree(), edgecolor=LINE, linewidth=0.6, zorder=2, **look)
    _bar(figure, axes, shown, label, colours.extend)


def _bar(figure: Any, axes: Any, shown: Any, label: str, extend: str) -> None:
    from labrig.plotting.style import fit

    bar = figure.colorbar(shown, ax=axes, extend=extend, shrink=0.85, aspect=28, pad=0.02)
    bar.set_label(fit(label, 9.0, min(4.0, figure.get_figheight() - 1.3)))
    bar.outline.set_linewidth(0.6)
    bar.ax.tick_params(labelsize=8, length=3)


def _draw_arrows(axes: Any, arrows: Arrows, window: Window) -> None:
    """Draw vectors, and one of a stated length as their key."""
    x, y = arrows.u.centres
    step = max(1, -(-max(len(x), len(y)) // MOST_ARROWS))
    u, v = arrows.u.values[::step, ::step], arrows.v.values[::step, ::step]
    speed = np.hypot(u, v)
    if not np.isfinite(speed).any():
        raise LabrigError("There is no arrow to draw: all cells are missing", where="vectors")
    usual = float(np.nanpercentile(speed, 90)) or 1.0
    key = float(f"{usual:.1g}")
    transform = _transform_of(arrows.u)
    look: dict[str, Any] = {"width": 0.0026, "color": "#1a1a1a", "zorder": 6, "pivot": "middle"}
    shown = axes.quiver(x[::step], y[::step], u, v, transform=transform, scale=usual * 22, **look)
    label = f"{arrows.name} {key:g} {_bare(arrows.unit)}"
    axes.quiverkey(
        shown, 0.86, 1.025, key, label, labelpos="E", coordinates="axes", fontproperties={"size": 8}
    )


def _bare(unit: str) -> str:
    """Return a unit with exponents above the line."""
    return with_unit("", unit).strip(" ()")


def _grid(axes: Any, window: Window) -> None:
    """Draw meridians and parallels, labelled at the left and below."""
    import matplotlib.ticker as ticker
    from cartopy.mpl.ticker import LatitudeFormatter, LongitudeFormatter

    lines = axes.gridlines(
        draw_labels=True,
        linewidth=0.4,
        color="#9a9a9a",
        linestyle=(0, (3, 3)),
        x_inline=False,
        y_inline=False,
        zorder=3.5,
    )
    lines.top_labels = lines.right_labels = False
    lines.rotate_labels = False
    lines.xlabel_style = lines.ylabel_style = {"size": 8, "color": "#333333"}
    if window.metres is not None:
        size = max(window.box[2] - window.box[0], window.box[3] - window.box[1])
        digits = 3 if size < 0.05 else 2 if size < 0.5 else 1
        lines.xformatter = LongitudeFormatter(number_format=f".{digits}f", dms=False)
        lines.yformatter = LatitudeFormatter(number_format=f".{digits}f", dms=False)
        lines.xlocator = lines.ylocator = ticker.MaxNLocator(6, steps=[1, 2, 5, 10])
        return
    lines.xformatter = LongitudeFormatter(dateline_direction_label=False, zero_direction_label=False)
    lines.yformatter = LatitudeFormatter()
    west, south, east, north = window.box
    if not window.whole and east - west < 300:
        ticks = ticker.MaxNLocator(6, steps=[1, 2, 3, 5, 6, 10])
        lines.xlocator = ticker.FixedLocator(
            sorted({wrapped(float(each)) for each in ticks.tick_values(west, east)})
        )
        lines.ylocator = ticker.FixedLocator([float(each) for each in ticks.tick_values(south, north)])


def _scale_bar(axes: Any, metres: Box) -> None:
    """Draw a bar of a round length in the lower left corner."""
    left, right, bottom, top = metres
    wanted = (right - left) / 5
    exponent = 10 ** np.floor(np.log10(wanted))
    length = float(max(step * exponent for step in (1, 2, 5) if step * exponent <= wanted))
    x, y = left + (right - left) * 0.04, bottom + (top - bottom) * 0.05
    axes.plot([x, x + length], [y, y], color="white", linewidth=6, solid_capstyle="butt", zorder=9)
    axes.plot([x, x + length], [y, y], color="black", linewidth=2.5, solid_capstyle="butt", zorder=10)
    text = f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"
    axes.text(
        x + length / 2, y + (top - bottom) * 0.015, text, ha="center", va="bottom", fontsize=8, zorder=10,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1},
    )  # fmt: skip


def _system(window: Window) -> tuple[Any, Any]:
    """Return the system that features are brought into, as pyproj and as cartopy have it."""
    import cartopy.crs as ccrs
    from pyproj import CRS

    if window.metres is not None:
        return CRS.from_user_input(window.projection), window.projection
    return CRS.from_epsg(4326), ccrs.PlateCarree()


def _transform_of(cells: Cells) -> Any:
    """Return the system of the cells as cartopy has it."""
    import cartopy.crs as ccrs
    from pyproj import CRS

    if cells.geographic:
        return ccrs.PlateCarree()
    crs = CRS.from_user_input(cells.crs)
    if (mapping := crs.to_cf()).get("grid_mapping_name") == "geostationary":  # it knows where the limb is
        return ccrs.Geostationary(
            mapping["longitude_of_projection_origin"],
            mapping["perspective_point_height"],
            sweep_axis=mapping["sweep_angle_axis"],
            globe=ccrs.Globe(
                semimajor_axis=mapping["semi_major_axis"],
                semiminor_axis=mapping["semi_minor_axis"],
                ellipse=None,
            ),
        )
    zone = crs.utm_zone
    if zone:
        return ccrs.UTM(int(zone[:-1]), southern_hemisphere=zone.endswith("S"))
    return ccrs.Projection(crs)
