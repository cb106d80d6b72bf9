"""One quantity over two parameters, as colours with contour lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from labrig.errors import LabrigError
from labrig.plotting import checks, style
from labrig_phreeqc.plots import notation

_ZERO_UNITS = ("log10(IAP/K)",)
"""Quantities whose 0 divides two things: its contour is drawn heavier."""


def figure(data: dict[str, Any]) -> Figure:
    """Draw a map.

    Parameters
    ----------
    data
        ``x``, ``y`` and ``z``: ``{"name": str, "unit": str, "values": [...]}``, one row each; z may be null. x and y
        are those of a grid, in any order. ``title``, ``source`` (str) and ``notes`` (list of str) may be left out.

    Raises
    ------
    LabrigError
        For rows that are no grid of two values or more along each axis, and a z without any value.
    """
    checks.record(data, "", ("x", "y", "z"), checks.HEADING)
    heading = checks.heading(data)
    columns = {}
    for each in ("x", "y", "z"):
        checks.record(data[each], each, ("name", "unit", "values"))
        columns[each] = checks.numbers(data[each]["values"], f"{each}.values", null=each == "z")
    x, y, z = columns.values()
    checks.same_length(len(y), "y.values", len(x), "x.values")
    checks.same_length(len(z), "z.values", len(x), "x.values")
    xs, column = np.unique(x, return_inverse=True)
    ys, row = np.unique(y, return_inverse=True)
    if len(xs) < 2 or len(ys) < 2 or len(set(zip(column, row, strict=True))) != len(x):
        raise LabrigError(
            f"{len(x)} rows are no grid of {len(xs)} by {len(ys)} values",
            where="x, y",
            expected="each pair once, two values or more of each",
            try_="sweep_parameters with parameter_2",
        )
    grid = np.full((len(ys), len(xs)), np.nan)
    grid[row, column] = z
    if not np.isfinite(grid).any():
        raise checks.nothing("z")
    labels = {each: _label(data[each]) for each in columns}
    with style.house():
        sheet, _ = style.page(5.6, heading, style.glyph_notes(labels.values()))
        axes = sheet.subplots()
        axes.grid(False)
        drawn = axes.pcolormesh(xs, ys, grid, shading="nearest", cmap="cividis")
        if np.nanmin(grid) < np.nanmax(grid):
            lines = axes.contour(xs, ys, grid, levels=8, colors="white", linewidths=0.7)
            axes.clabel(lines, fontsize=7.5)
            if data["z"]["unit"] in _ZERO_UNITS and np.nanmin(grid) < 0 < np.nanmax(grid):
                axes.contour(xs, ys, grid, levels=[0], colors="white", linewidths=2)
        axes.set(xlabel=labels["x"], ylabel=labels["y"])
        sheet.colorbar(drawn, ax=axes, label=labels["z"])
        return sheet


def _label(column: dict[str, Any]) -> str:
    name = style.short(notation.quantity(checks.text(column["name"], "name")), 60)
    unit = notation.unit(checks.text(column["unit"], "unit", empty=True))
    return f"{name}, {unit}" if unit else name
