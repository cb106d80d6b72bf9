"""Stiff diagrams: the major ions of each water as a polygon, many of them on one scale.

Source: Stiff (1951), The interpretation of chemical water analysis by means of patterns, Journal of Petroleum
Technology 3(10), 15-17.
"""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from labrig.plotting import checks, style
from labrig_phreeqc.plots import notation
from labrig_phreeqc.plots.water import ANIONS, CATIONS, Water, read_waters

MAX_SAMPLES = 24
ROWS = (  # from the top: cations to the left, anions to the right
    (("Na", "K"), ("Cl",)),
    (("Ca",), ("HCO3", "CO3")),
    (("Mg",), ("SO4",)),
)

_ROW_HEIGHT = {1: 2.6, 2: 2.0, 3: 1.6, 4: 1.45}  # inches, by how many stand side by side


def polygon(water: Water) -> list[tuple[float, float]]:
    """Return the corners of the polygon, cations downwards and anions back up, closed.

    Returns
    -------
    list of (x, y)
        x in the unit of the water, negative for cations; y is 2, 1 or 0 for the rows from the top.
    """
    left = [(-water.sum(*cations), 2.0 - row) for row, (cations, _) in enumerate(ROWS)]
    right = [(water.sum(*anions), 2.0 - row) for row, (_, anions) in enumerate(ROWS)]
    return [*left, *reversed(right), left[0]]


def figure(data: dict[str, Any]) -> Figure:
    """Draw Stiff diagrams.

    Parameters
    ----------
    data
        ``samples``: ``[{"name": str, "meq": {"Ca": float, ...}}, ...]``, at most `MAX_SAMPLES`; ``meq`` has the
        milliequivalents of Ca, Mg, Na, HCO3, SO4 and Cl, and may have K, CO3 (counted as none if left out), NO3, F
        and Br (not drawn, said below); group and tds are not drawn. ``unit`` is "meq/L" if left out. ``title``,
        ``source`` (str) and ``notes`` (list of str) may be left out.

    Returns
    -------
    Figure
        In the order of the samples, by rows; the sums of cations and anions stand below each name.

    Raises
    ------
    LabrigError
        For unknown, missing or negative ions, a water without cations or anions, more than `MAX_SAMPLES`.
    """
    checks.record(data, "", ("samples",), (*checks.HEADING, "unit"))
    heading = checks.heading(data)
    unit = style.short(checks.text(data.get("unit", "meq/L"), "unit"), 20)
    waters = read_waters(data["samples"], MAX_SAMPLES, f"draw them {MAX_SAMPLES} at a time", ("group", "tds"))
    notes = [f"Left the cations, right the anions; Σ their sums in {unit}"]
    notes += [
        f"Not drawn: {notation.ION_NAMES[ion]}, up to {most:.3g} {unit}"
        for ion in ("NO3", "F", "Br")
        if (most := max(water.sum(ion) for water in waters))
    ]
    reach = max(abs(x) for water in waters for x, _ in polygon(water))
    across = len(waters) if len(waters) <= 3 else 2 if len(waters) == 4 else 3 if len(waters) <= 9 else 4
    down = math.ceil(len(waters) / across)
    with style.house():
        room = (style.WIDTH - 2.0) / across - 0.1
        names = [
            style.fit(name, 8.5, room) for name in style.distinct([w.name for w in waters], int(15 * room))
        ]
        sheet, _ = style.page(_ROW_HEIGHT[across] * down + 1.1, heading, [*notes, *style.glyph_notes(names)])
        places = sheet.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        for n, axes in enumerate(places.flat):
            if n >= len(waters):
                axes.set_axis_off()
                continue
            _draw(axes, waters[n], names[n], reach)
            lowest = n + across >= len(waters)
            axes.tick_params(axis="x", labelbottom=lowest)
            axes.set_xlabel(unit if lowest else "", fontsize=8)
            if n % across == 0:
                _name_rows(axes, 0)
            if (n + 1) % across == 0 or n + 1 == len(waters):
                _name_rows(axes, 1, in_layout=(n + 1) % across == 0)
        return sheet


def _draw(axes: Axes, water: Water, name: str, reach: float) -> None:
    """Draw one polygon."""
    xs, ys = zip(*polygon(water), strict=True)
    axes.fill(xs, ys, facecolor=style.COLOURS[4], alpha=0.55, zorder=2)
    axes.plot(xs, ys, color=style.COLOURS[0], linewidth=1.2, solid_joinstyle="miter", zorder=3)
    axes.axvline(0, color=style.INK, linewidth=0.8, zorder=4)
    axes.set(xlim=(-1.08 * reach, 1.08 * reach), ylim=(-0.35, 2.35))
    axes.set_yticks([0, 1, 2], labels=[])
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10], symmetric=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{abs(value):g}"))
    axes.set_title(name, fontsize=8.5, pad=13)
    sums = f"Σ {water.sum(*CATIONS):.3g}  |  {water.sum(*ANIONS):.3g}"
    axes.text(
        0.5, 1.02, sums, transform=axes.transAxes, fontsize=7, color=style.FAINT, ha="center", va="bottom"
    )


def _name_rows(axes: Axes, side: int, in_layout: bool = True) -> None:
    """Write the ions beside the rows, 0: left, 1: right; what is not in the layout pushes nothing away."""
    for row, ions in enumerate(ROWS):
        axes.annotate(
            " + ".join(notation.ION_NAMES[ion] for ion in ions[side]),
            (side, 2.0 - row),
            xycoords=("axes fraction", "data"),
            xytext=(5 if side else -5, 0),
            textcoords="offset points",
            fontsize=8,
            ha="left" if side else "right",
            va="center",
        ).set_in_layout(in_layout)
