"""Gridded fields as a map draws them: cells with edges, in degrees or in metres of their projection."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError

MOST_CELLS = 1_000_000
"""Cells that a page of 1,280 pixels can show; larger fields are made coarser by means of blocks."""
SQUARES = 400_000
"""Small squares that show cells with corners of their own: two pixels wide on a page."""


@dataclass(frozen=True)
class Cells:
    """A field of two dimensions.

    Attributes
    ----------
    values
        (y, x), NaN where missing.
    x_edges, y_edges
        One more than the cells, in degrees or metres.
    crs
        As text.
    geographic
        Whether the edges are degrees.
    label
        Of the colour bar: name and unit.
    notes
        What was done to it.
    """

    values: NDArray[np.float64]
    x_edges: NDArray[np.float64]
    y_edges: NDArray[np.float64]
    crs: str
    geographic: bool
    label: str
    notes: tuple[str, ...] = ()

    @property
    def centres(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Centres along x and y."""
        return (self.x_edges[1:] + self.x_edges[:-1]) / 2, (self.y_edges[1:] + self.y_edges[:-1]) / 2

    @property
    def box(self) -> tuple[float, float, float, float]:
        """(west, south, east, north) in degrees; east may be beyond 180."""
        west, south, east, north = _box(self.x_edges, self.y_edges)
        if self.geographic:
            turn = 360.0 if east > 360.0 else 0.0
            return west - turn, south, east - turn, north
        from pyproj import Transformer

        to_degrees = Transformer.from_crs(self.crs, "EPSG:4326", always_xy=True)
        found = tuple(map(float, to_degrees.transform_bounds(west, south, east, north)))
        return (
            (found[0], found[1], found[2], found[3]) if np.isfinite(found).all() else self._seen(to_degrees)
        )

    def _seen(self, to_degrees: Any) -> tuple[float, float, float, float]:
        """Return the box of the edges that lie on the Earth, where others do not, as around a full disk."""
        x, y = (
            edges[np.linspace(0, edges.size - 1, 65).astype(int)] for edges in (self.x_edges, self.y_edges)
        )
        longitude, latitude = to_degrees.transform(*np.meshgrid(x, y))
        known = np.isfinite(longitude) & np.isfinite(latitude)
        if not known.any():
            raise LabrigError("No cell of the field lies on the Earth", where="crs")
        longitude, latitude = longitude[known], latitude[known]
        middle = np.rad2deg(np.angle(np.exp(1j * np.deg2rad(longitude)).mean()))
        turned = (longitude - middle + 180.0) % 360.0 - 180.0
        west, east = (float(middle + each) for each in (turned.min(), turned.max()))
        return west, float(latitude.min()), east, float(latitude.max())


def _box(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float, float, float]:
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def cells_of(variable: Any, *, label: str = "", most: int = MOST_CELLS) -> Cells:
    """Return the cells of an `xarray.DataArray` of one horizontal field.

    Parameters
    ----------
    label
        In place of the variable's own name and unit.

    Raises
    ------
    LabrigError
        ``bad_input`` for further axes with more than one step.
    """
    from labrig_earth.grids.mesh import cells_axes

    axes = cells_axes(variable)
    if not axes.crs and not axes.geographic:
        raise LabrigError(
            "No CRS is stated: a map has no place for x and y",
            where=str(variable.name),
            try_='regrid_variable with crs, resolution and options={"source_crs": ..}, whose file can be drawn',
        )
    others = [dim for dim in variable.dims if dim not in axes.cell_dims]
    variable = variable.squeeze([dim for dim in others if variable.sizes[dim] == 1], drop=True)
    further = [str(dim) for dim in variable.dims if dim not in (axes.y, axes.x)]
    if further:
        sizes = ", ".join(f"{dim} ({variable.sizes[dim]})" for dim in further)
        raise LabrigError(
            f"A map shows one field, and this has {sizes} as well",
            where=str(variable.name),
            try_="select one step (start and end, level, member, band), or aggregate first",
        )
    if axes.curvilinear:
        return _of_polygons(variable, axes, label or _named(variable))
    variable = variable.transpose(axes.y, axes.x)
    notes: list[str] = []
    step = int(np.ceil((variable.size / most) ** 0.5))
    if step > 1:
        variable = variable.coarsen({axes.y: step, axes.x: step}, boundary="trim").mean(keep_attrs=True)
        notes.append(f"Means of {step} x {step} cells")
    x, y = (np.asarray(variable[name].values, dtype=float) for name in (axes.x, axes.y))
    values = np.asarray(variable.values, dtype=float)
    if axes.geographic:
        values, x = _turned(values, x)
    name = label or _named(variable)
    x_edges, y_edges = edges(x, axes.x), edges(y, axes.y)
    if axes.geographic:
        y_edges = np.clip(y_edges, -90, 90)
    return Cells(values, x_edges, y_edges, axes.crs or "EPSG:4326", axes.geographic, name, tuple(notes))


def cells_near(cells: Cells, box: tuple[float, float, float, float], margin: float) -> Cells:
    """Return the cells within some degrees of a box, from west to east across any meridian.

    What lies opposite the middle of an azimuthal map would else be drawn around all of it, and be seen where the cells
    before it are missing.
    """
    west, south, east, north = box
    x, y = cells.centres
    rows = np.flatnonzero((y >= south - margin) & (y <= north + margin))
    ahead = (x - (west - margin)) % 360.0
    columns = np.flatnonzero(ahead <= east - west + 2 * margin)
    if not cells.geographic or min(rows.size, columns.size) < 2:
        return cells
    columns = columns[np.argsort(ahead[columns])]
    sizes = np.diff(cells.x_edges)[columns]
    starts = west - margin + ahead[columns] - sizes / 2
    gaps = starts[1:] - (starts + sizes)[:-1]
    if east - west + 2 * margin >= 360.0 or np.abs(gaps).max() > 0.5 * sizes.max():
        columns, x_edges = np.arange(x.size), cells.x_edges
    else:
        x_edges = np.append(starts, starts[-1] + sizes[-1])
    y_edges = cells.y_edges[rows[0] : rows[-1] + 2]
    return replace(cells, values=cells.values[rows][:, columns], x_edges=x_edges, y_edges=y_edges)


def _of_polygons(variable: Any, axes: Any, label: str) -> Cells:
    """Return cells with corners of their own as the small squares of latitude and longitude whose centres they hold."""
    from labrig_earth.grids.mesh import cells_at, extent_of, sheet_of

    sheet = sheet_of(variable, axes)
    west, south, east, north = extent_of(sheet)
    step = ((east - west) * (north - south) / SQUARES) ** 0.5
    columns, rows = (max(2, round(each / step)) for each in (east - west, north - south))
    x_edges, y_edges = np.linspace(west, east, columns + 1), np.linspace(south, north, rows + 1)
    x, y = np.meshgrid((x_edges[1:] + x_edges[:-1]) / 2, (y_edges[1:] + y_edges[:-1]) / 2)
    place = cells_at(sheet, x, y)
    values = np.asarray(variable.transpose(*axes.cell_dims).values, dtype=float).ravel()
    return Cells(np.where(place >= 0, values[place], np.nan), x_edges, y_edges, "EPSG:4326", True, label)


def edges(centres: NDArray[np.float64], name: str = "axis") -> NDArray[np.float64]:
    """Return the edges between centres; those at the ends are as far out as their neighbours are in."""
    if len(centres) < 2:
        raise LabrigError("A map needs at least two cells each way", where=name, try_="widen the box")
    middles = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middles[0]], middles, [2 * centres[-1] - middles[-1]]])


def _turned(
    values: NDArray[np.float64], x: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return columns from west to east; a field round the globe begins at -180."""
    if len(x) > 1 and x[1] < x[0]:
        values, x = values[:, ::-1], x[::-1]
    if x.max() - x.min() + (x[1] - x[0] if len(x) > 1 else 0) > 359.9 and x.max() > 180:
        places = np.where(x >= 180, x - 360, x)
        order = np.argsort(places)
        values, x = values[:, order], places[order]
    elif x.min() >= 180:
        x = x - 360
    return values, x


def _named(variable: Any) -> str:
    """Return name and unit for a colour bar."""
    long = variable.attrs.get("long_name")
    name = (
        long
        if isinstance(long, str) and long
        else str(variable.attrs.get("standard_name", "")).replace("_", " ")
    )
    return with_unit(name or str(variable.name or ""), str(variable.attrs.get("units", "")))


def with_unit(name: str, unit: str) -> str:
    """Return ``name (unit)`` with exponents above the line: ``Wind (m s⁻¹)``; a dimensionless quantity has none."""
    from labrig.plotting.style import SUPERSCRIPTS

    unit = unit.strip()
    if not unit or unit.casefold() in ("1", "dimensionless"):
        return name
    raised = re.sub(
        r"(?<=[A-Za-z])([+-]?\d+)(?![A-Za-z])", lambda match: match[1].translate(SUPERSCRIPTS), unit
    )
    plain = {"degC": "°C", "degree_Celsius": "°C", "celsius": "°C"}.get(unit, raised.replace("**", ""))
    return f"{name} ({'µ' + plain[1:] if plain.startswith('ug') else plain})"
