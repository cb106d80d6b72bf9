"""The diagram of Durov: cations and anions as triangles, and a square in which each water is one point.

Source: Durov (1948), Natural waters and graphical representation of their composition, Doklady Akademii Nauk SSSR 59,
87-90; Lloyd and Heathcote (1985), Natural Inorganic Hydrochemistry in Relation to Groundwater.

The plane: the square is 0 to 100 both ways. The triangle of the cations stands on its left side, that of the anions on
its upper one; a water's point in the square lies straight across from both of its points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from labrig.plotting import checks, style
from labrig.plotting.checks import Numbers
from labrig_phreeqc.plots.key import key_look, make_key, point_look, point_size
from labrig_phreeqc.plots.piper import HEIGHT, MAX_SAMPLES, Percent, percent
from labrig_phreeqc.plots.water import read_waters


def cation_point(water: Percent) -> tuple[Numbers, Numbers]:
    """Return x, y in the triangle of the cations: Na + K below, Ca above, Mg to the left."""
    return -water.Mg / 100 * HEIGHT, water.Ca + water.Mg / 2


def anion_point(water: Percent) -> tuple[Numbers, Numbers]:
    """Return x, y in the triangle of the anions: HCO3 to the left, Cl to the right, SO4 on top."""
    return water.Cl + water.SO4 / 2, 100 + water.SO4 / 100 * HEIGHT


def square_point(water: Percent) -> tuple[Numbers, Numbers]:
    """Return x, y in the square: x of the anions, y of the cations."""
    return anion_point(water)[0], cation_point(water)[1]


def figure(data: dict[str, Any]) -> Figure:
    """Draw a Durov diagram; data as those of `piper.figure`, of which group is drawn and tds is not."""
    checks.record(data, "", ("samples",), checks.HEADING)
    heading = checks.heading(data)
    waters = read_waters(data["samples"], MAX_SAMPLES, "draw fewer samples", ("group", "tds"))
    with style.house():
        key, entries = make_key(waters)
        notes = ["In percent of milliequivalents; NO3, F and Br count as Cl"]
        sheet, rect = style.page(7.4, heading, [*notes, *style.glyph_notes(entry.name for entry in key)])
        sheet.set_layout_engine("none")
        axes = sheet.add_axes(rect)
        axes.set_axis_off()
        axes.set_aspect("equal", anchor="C")
        axes.set(xlim=(-HEIGHT - 24, 160), ylim=(-14, 100 + HEIGHT + 12))
        _draw_frame(axes)
        shares, of, handles = percent(waters), np.array(entries), []
        for place, entry in enumerate(key):
            for point in (cation_point, anion_point, square_point):
                xs, ys = point(shares)
                axes.scatter(
                    xs[of == place],
                    ys[of == place],
                    s=point_size(len(waters)),
                    **point_look(entry, len(waters)),
                )
            handles.append(Line2D([], [], linestyle="none", label=entry.name, **key_look(entry)))
        axes.legend(handles=handles, loc="upper right", handletextpad=0.3)
        return sheet


def _draw_frame(axes: Axes) -> None:
    """Draw square and triangles with their grids and the names of their corners."""
    for value in (25, 50, 75):
        axes.plot([0, 100], [value, value], color=style.GRID, linewidth=0.6, zorder=1)
        axes.plot([value, value], [0, 100], color=style.GRID, linewidth=0.6, zorder=1)
        part = np.array([value / 100, 1 - value / 100])
        for point in (cation_point, anion_point):
            for first, second, third in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                ends = np.zeros((2, 3))
                ends[:, first] = 100 * part[0]
                ends[0, second] = ends[1, third] = 100 * part[1]
                axes.plot(*point(Percent(*ends.T, *ends.T)), color=style.GRID, linewidth=0.6, zorder=1)
    left, top = (-HEIGHT, 50), (50, 100 + HEIGHT)
    for line in (
        [(0, 0), (100, 0), (100, 100), (0, 100), (0, 0)],
        [(0, 0), left, (0, 100)],
        [(0, 100), top, (100, 100)],
    ):
        axes.plot(*zip(*line, strict=True), color="#444444", linewidth=1.0, zorder=2)
    for x, y, name, ha, va in (
        (-2, -2, "Na⁺ + K⁺", "right", "top"),
        (left[0] - 2, 50, "Mg²⁺", "right", "center"),
        (-3, 103, "Ca²⁺,  HCO₃⁻ + CO₃²⁻", "right", "bottom"),
        (50, top[1] + 2, "SO₄²⁻", "center", "bottom"),
        (103, 103, "Cl⁻", "left", "bottom"),
    ):
        axes.text(x, y, name, fontsize=9, ha=ha, va=va)
