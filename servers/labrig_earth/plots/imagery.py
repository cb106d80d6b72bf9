"""A field in colours over a satellite picture, or beside it: the field's cells as they are, on the picture's grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.data.formats import Place, format_of
from labrig_earth.plots.colours import Colours, extend_of
from labrig_earth.plots.fields import Cells
from labrig_earth.results import SYNTHETIC, said_of

MOST_PIXELS = 1400
"""Along a side; a larger picture is thinned."""
STRETCH = (2, 98)
"""Percentiles of reflectance that become black and white."""


@dataclass(frozen=True)
class Picture:
    """A satellite picture.

    Attributes
    ----------
    pixels
        (y, x, 4), 0 to 1; the last is 0 where nothing is known.
    transform, crs
        Of rasterio.
    notes
        Which bands are shown, and how.
    """

    pixels: NDArray[np.float64]
    transform: Any
    crs: Any
    name: str
    notes: tuple[str, ...]

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """(left, right, bottom, top) in units of its system."""
        height, width = self.pixels.shape[:2]
        left, top = self.transform @ (0, 0)
        right, bottom = self.transform @ (width, height)
        return left, right, bottom, top

    @property
    def box(self) -> tuple[float, float, float, float]:
        """(west, south, east, north) in degrees."""
        from rasterio.warp import transform_bounds

        left, right, bottom, top = self.extent
        west, south, east, north = transform_bounds(self.crs, "EPSG:4326", left, bottom, right, top)
        return west, south, east, north


def read_picture(place: Place) -> Picture:
    """Return a GeoTIFF as a picture: red, green and blue by their names, else its first three bands, else in grey.

    Raises
    ------
    LabrigError
        ``bad_input`` for other files, without a reference system, turned against north, or without any value.
    """
    import rasterio

    if format_of(place) != "geotiff":
        raise LabrigError("The satellite picture is no GeoTIFF", where=place.name, expected="a GeoTIFF file")
    with rasterio.open(place.path, driver="GTiff") as file:
        if file.crs is None:
            raise LabrigError("The picture states no reference system", where=place.name)
        if file.transform.b or file.transform.d or file.transform.e >= 0:
            raise LabrigError(
                "Its rows do not run from north to south", where=place.name, try_="regrid_variable"
            )
        thinned = max(1.0, max(file.width, file.height) / MOST_PIXELS)
        shape = (max(1, round(file.height / thinned)), max(1, round(file.width / thinned)))
        names = [str(each or "").casefold() for each in file.descriptions]
        chosen = [names.index(each) + 1 for each in ("red", "green", "blue") if each in names]
        if len(chosen) < 3:
            chosen = [1, 2, 3] if file.count >= 3 else [1, 1, 1]
        values = file.read(chosen, out_shape=(3, *shape), masked=True).astype("f8").filled(np.nan)
        there = np.isfinite(values).all(axis=0) & (file.dataset_mask(out_shape=shape) > 0)
        bytes_ = all(file.dtypes[number - 1] == "uint8" for number in chosen)
        transform = file.transform @ file.transform.scale(file.width / shape[1], file.height / shape[0])
        crs, label = file.crs, file.tags().get(SYNTHETIC)
    if not there.any():
        raise LabrigError("Every cell is missing", where=place.name)
    low, high = (0.0, 255.0) if bytes_ else np.percentile(values[:, there], STRETCH)
    shown = np.clip((np.where(there, values, low) - low) / max(high - low, 1e-12), 0, 1)
    shown_bands = ", ".join(names[number - 1] or str(number) for number in chosen)
    stretched = "" if bytes_ else f" from {low:.3g} to {high:.3g}"
    notes = (f"Bands {shown_bands}{stretched}", *((said_of(label),) if label else ()))
    return Picture(np.dstack([*shown, there.astype(float)]), transform, crs, place.name, notes)


def onto(picture: Picture, cells: Cells) -> NDArray[np.float64]:
    """Return the value of the cell in which the middle of each pixel lies, (y, x); NaN outside of the field.

    Raises
    ------
    LabrigError
        ``bad_input`` where the two do not overlap.
    """
    from pyproj import Transformer

    height, width = picture.pixels.shape[:2]
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    x, y = picture.transform @ (columns, rows)
    to = Transformer.from_crs(picture.crs, cells.crs, always_xy=True)
    x, y = to.transform(x, y)
    if cells.geographic:
        x = cells.x_edges.min() + (x - cells.x_edges.min()) % 360
    column, row = (_places(edges, at) for edges, at in ((cells.x_edges, x), (cells.y_edges, y)))
    inside = (column >= 0) & (row >= 0)
    found = np.where(inside, cells.values[np.maximum(row, 0), np.maximum(column, 0)], np.nan)
    if not np.isfinite(found).any():
        said = [", ".join(f"{each:.3f}" for each in box) for box in (picture.box, cells.box)]
        raise LabrigError(
            "The field has no value where the picture lies",
            where=cells.label,
            expected=f"a field around {said[0]} (west, south, east, north); it covers {said[1]}",
        )
    return found


def _places(edges: NDArray[np.float64], at: Any) -> NDArray[np.int64]:
    """Return the number of the cell in which each coordinate lies; -1 outside."""
    falling = edges[0] > edges[-1]
    rising = edges[::-1] if falling else edges
    found = np.searchsorted(rising, at, side="right") - 1
    found = np.where((at < rising[0]) | (at >= rising[-1]), -1, found)
    return np.where(found < 0, -1, len(edges) - 2 - found) if falling else found


@dataclass(frozen=True)
class Panel:
    """One part of a figure: the picture, a field on its grid, or a field over the picture."""

    title: str
    values: NDArray[np.float64] | None = None
    colours: Colours | None = None
    label: str = ""
    alpha: float = 1.0
    below: bool = True
    """Whether the picture is seen below the field."""


def imagery_figure(heading: Heading, picture: Picture, panels: Sequence[Panel]) -> Any:
    """Return panels side by side as a matplotlib figure."""
    import matplotlib
    from matplotlib.colors import Normalize

    from labrig.plotting import style

    left, right, bottom, top = picture.extent
    middle = np.radians((bottom + top) / 2)
    aspect = (top - bottom) / (right - left) / (np.cos(middle) if picture.crs.is_geographic else 1.0)
    wide = (style.WIDTH - 0.4) / len(panels) - 1.2
    with style.house():
        figure, _ = style.page(min(max(wide * aspect, 1.6), 8.0) + 1.5, heading, picture.notes)
        for axes, panel in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True):
            if panel.below:
                axes.imshow(picture.pixels, extent=picture.extent, origin="upper", interpolation="nearest")
            if panel.values is not None and panel.colours is not None:
                colours = panel.colours
                mesh = axes.imshow(
                    np.ma.masked_invalid(panel.values), extent=picture.extent, origin="upper", alpha=panel.alpha,
                    cmap=matplotlib.colormaps[colours.name], norm=Normalize(colours.low, colours.high),
                    interpolation="nearest",
                )  # fmt: skip
                extend = extend_of(panel.values, colours.low, colours.high)
                bar = figure.colorbar(mesh, ax=axes, extend=extend, shrink=0.85, aspect=24, pad=0.02)
                bar.set_label(style.fit(panel.label, 9.0, 3.5))
                bar.ax.tick_params(labelsize=8, length=3)
            axes.set_aspect(1 / np.cos(middle) if picture.crs.is_geographic else 1.0)
            axes.set_title(style.fit(panel.title, 9.5, wide + 1.0), fontsize=9.5)
            axes.set_xticks([])
            axes.set_yticks([])
            for spine in axes.spines.values():
                spine.set_visible(True)
    return figure
