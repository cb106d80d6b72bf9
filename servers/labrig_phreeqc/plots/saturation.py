"""Saturation indices of many waters: a row for each phase, a dot for each water."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation

from labrig.plotting import checks, style
from labrig.plotting.checks import Numbers
from labrig_phreeqc.plots import notation

MAX_PHASES = 40
MAX_NAMED = 12
"""Up to so many samples are told apart by name."""
BOXED = 5
"""From so many values on, a row has a box of the quartiles."""
_GOLDEN = 0.6180339887498949


def figure(data: dict[str, Any]) -> Figure:
    """Draw saturation indices by phase.

    Parameters
    ----------
    data
        ``samples``: names (list of str). ``phases``: ``[{"name": str, "SI": [number or null, ...]}, ...]``, one
        saturation index (log10 IAP/K) for every sample, null where there is none. ``title``, ``source`` (str) and
        ``notes`` (list of str) may be left out.

    Returns
    -------
    Figure
        Phases by their median, the greatest on top, those without any value last. A box is the quartiles (linear
        interpolation) with the median; up to `MAX_NAMED` samples have colours of their own.

    Raises
    ------
    LabrigError
        For more than `MAX_PHASES` phases, lengths that differ, numbers that are not finite, no value at all.
    """
    checks.record(data, "", ("phases", "samples"), checks.HEADING)
    heading = checks.heading(data)
    samples = [
        checks.text(name, f"samples[{n}]") for n, name in enumerate(checks.rows(data["samples"], "samples"))
    ]
    listed = checks.rows(
        data["phases"], "phases", 1, MAX_PHASES, f"draw at most {MAX_PHASES} phases at a time"
    )
    checks.points(len(listed) * len(samples))
    phases: list[tuple[str, Numbers]] = []
    for n, phase in enumerate(listed):
        checks.record(phase, f"phases[{n}]", ("name", "SI"))
        values = checks.numbers(phase["SI"], f"phases[{n}].SI", all_null=True)
        checks.same_length(len(values), f"phases[{n}].SI", len(samples), "samples")
        phases.append((checks.text(phase["name"], f"phases[{n}].name"), values))
    if all(np.isnan(values).all() for _, values in phases):
        raise checks.nothing("phases")
    phases.sort(
        key=lambda phase: (np.isnan(phase[1]).all(), -_median(phase[1]))
    )  # stable: equal ones as given

    named = len(samples) <= MAX_NAMED
    with style.house():
        names = [style.fit(name, 8.5, 1.8) for name in style.distinct(samples, 24)] if named else []
        rows = [notation.formula(style.fit(name, 9.5, 1.8)) for name, _ in phases]
        across = (
            max(1, min(4, int(6.2 / (0.4 + max(style.inches(name, 8.5) for name in names))))) if named else 1
        )
        below = 0.17 * -(-len(samples) // across) + 0.1 if named else 0.0
        height = max(0.9, (0.27 if len(phases) <= 24 else 0.21) * len(phases)) + 1.6 + below
        sheet, _ = style.page(height, heading, style.glyph_notes([*names, *rows]))
        axes = sheet.subplots()
        _scale(axes, np.concatenate([values for _, values in phases]), len(phases))
        for row, (_, values) in enumerate(phases):
            _draw_row(axes, row, values, named)
        axes.set_yticks(range(len(phases)), labels=rows)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("Saturation index, log₁₀(IAP/K)")
        if any(np.isnan(values).any() for _, values in phases):
            _count(axes, phases, len(samples))
        if named:
            handles = [
                Line2D([], [], linestyle="none", label=name, **_look(place))
                for place, name in enumerate(names)
            ]
            under = axes.transAxes + ScaledTranslation(0, -0.45, sheet.dpi_scale_trans)
            axes.legend(
                handles=handles,
                loc="upper center",
                bbox_to_anchor=(0.5, 0),
                bbox_transform=under,
                ncols=across,
                handletextpad=0.2,
            )
        return sheet


def _median(values: Numbers) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else 0.0


def _scale(axes: Axes, values: Numbers, rows: int) -> None:
    """Set the limits, with room on both sides of zero for the words that say what they mean."""
    low, high = min(0.0, float(np.nanmin(values))), max(0.0, float(np.nanmax(values)))
    span = max(high - low, 0.5)
    low, high = min(low - 0.04 * span, -0.2 * span), max(high + 0.04 * span, 0.2 * span)
    axes.set(xlim=(low, high), ylim=(rows - 0.5, -0.5))
    style.linear(axes, "x")
    axes.axvspan(low, 0, color=style.COLOURS[0], alpha=0.05, linewidth=0, zorder=0)
    axes.axvspan(0, high, color=style.COLOURS[1], alpha=0.05, linewidth=0, zorder=0)
    axes.axvline(0, color=style.INK, linewidth=1.0, zorder=1.5)
    for side, words in ((-1, "←  undersaturated"), (1, "supersaturated  →")):
        axes.annotate(
            words,
            (0, 1),
            xycoords=("data", "axes fraction"),
            xytext=(6 * side, 4),
            textcoords="offset points",
            ha="right" if side < 0 else "left",
            fontsize=8.5,
            color=style.FAINT,
        )


def _draw_row(axes: Axes, row: int, values: Numbers, named: bool) -> None:
    known = np.isfinite(values)
    count = int(known.sum())
    if not count:
        axes.annotate(
            "no value", (0, row), xytext=(6, 0), textcoords="offset points", va="center", color=style.FAINT
        )
        return
    if count >= BOXED:
        low, middle, high = np.percentile(values[known], [25, 50, 75])
        box: dict[str, Any] = {"xy": (low, row - 0.34), "width": high - low, "height": 0.68}
        axes.add_patch(Rectangle(**box, facecolor="#c8c8c8", alpha=0.5, linewidth=0, zorder=2))
        axes.add_patch(Rectangle(**box, facecolor="none", edgecolor="#444444", linewidth=0.8, zorder=4))
        axes.plot([middle] * 2, [row - 0.34, row + 0.34], color=style.INK, linewidth=1.8, zorder=4)
    if named:
        for place in np.flatnonzero(known):
            axes.plot(values[place], row, linestyle="none", zorder=3, alpha=0.95, **_look(int(place)))
        return
    places = np.arange(len(values))[known]
    spread = ((places * _GOLDEN) % 1 - 0.5) * 0.5  # even, and the same each time
    size, alpha = (14.0, 0.7) if count <= 100 else (6.0, 0.45) if count <= 1000 else (2.5, 0.25)
    axes.scatter(
        values[known], row + spread, s=size, color=style.COLOURS[0], alpha=alpha, linewidth=0, zorder=3
    )


def _look(place: int) -> dict[str, Any]:
    colours = len(style.COLOURS)
    colour = style.COLOURS[place % colours]
    return {
        "marker": style.MARKERS[place % colours],
        "markersize": 5.5,
        "markerfacecolor": colour if place < colours else "white",
        "markeredgecolor": "white" if place < colours else colour,
        "markeredgewidth": 0.4 if place < colours else 1.1,
    }


def _count(axes: Axes, phases: list[tuple[str, Numbers]], samples: int) -> None:
    """Write at the right how many samples have a value."""
    right: dict[str, Any] = {"textcoords": "offset points", "fontsize": 7.5, "color": style.FAINT}
    axes.annotate(f"n of {samples}", (1, 1), xycoords="axes fraction", xytext=(4, 5), **right)
    for row, (_, values) in enumerate(phases):
        count = str(int(np.isfinite(values).sum()))
        axes.annotate(
            count, (1, row), xycoords=("axes fraction", "data"), xytext=(4, 0), va="center", **right
        )
