"""Predominance by pH and pe: fields of species and solids, with the limits of water."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from labrig.errors import LabrigError
from labrig.plotting import checks, style
from labrig_phreeqc.plots import notation

_SPECIES = ("#DCEBF5", "#FBE6D3", "#DDF1EA", "#FDF3D6", "#EAF5FC", "#F6E7F0", "#E8E8E8", "#F1EEDC")
_SOLIDS = ("#C9A66B", "#B5651D", "#D9B382", "#A0785A", "#E0C097", "#8C6A4F")
_VOLT_PE = 8.314462618 * np.log(10) / 96485.33212
"""Eh is this by kelvin and pe."""
NAMED = 0.012
"""A field of at least this share of the diagram has its name in it; smaller ones are in the legend."""


_FINE = 8
"""Points of a cell along each axis, so that borders run along its edges."""


def _between(values: checks.Numbers) -> checks.Numbers:
    """Return the places of the fine points of evenly spaced cells."""
    step = (values[-1] - values[0]) / (len(values) - 1)
    inside = (np.arange(_FINE) + 0.5) / _FINE - 0.5
    found: checks.Numbers = (values[:, None] + step * inside[None, :]).ravel()
    return found


def figure(data: dict[str, Any]) -> Figure:
    """Draw a predominance diagram.

    Parameters
    ----------
    data
        ``pH``, ``pe``: ascending numbers. ``names``: a row for each pe of a name for each pH, "" where there is none.
        ``water``: the same of numbers or null, above 0 where water splits. ``solids``: which names are solids.
        ``temperature``: degC. ``title``, ``source`` (str) and ``notes`` (list of str) may be left out.
    """
    checks.record(data, "", ("pH", "pe", "names", "water", "solids", "temperature"), checks.HEADING)
    heading = checks.heading(data)
    pH, pe = (checks.numbers(data[each], each, null=False) for each in ("pH", "pe"))
    if len(pH) < 2 or len(pe) < 2 or (np.diff(pH) <= 0).any() or (np.diff(pe) <= 0).any():
        raise LabrigError(
            "The axes are none", where="pH, pe", expected="two or more ascending numbers of each"
        )
    rows: list[list[Any]] = []
    water: list[list[Any]] = []
    for key, found in (("names", rows), ("water", water)):
        listed = checks.rows(data[key], key, len(pe), len(pe))
        found += [checks.rows(row, f"{key}[{place}]", len(pH), len(pH)) for place, row in enumerate(listed)]
    split = np.nan_to_num(np.array([checks.numbers(row, "water", all_null=True) for row in water]), nan=-1.0)
    solids = [checks.text(each, "solids") for each in checks.rows(data["solids"], "solids", 0)]
    temperature = checks.number(data["temperature"], "temperature")
    names = list(dict.fromkeys(checks.text(name, "names", empty=True) for row in rows for name in row))
    number = {name: place for place, name in enumerate(names)}
    grid = np.array([[number[name] for name in row] for row in rows])
    colours, counts = [], [0, 0]
    for name in names:
        solid = name in solids
        palette = _SOLIDS if solid else _SPECIES
        colours.append(palette[counts[solid] % len(palette)] if name else "#ffffff")
        counts[solid] += 1
    with style.house():
        shown = {name: notation.formula(style.short(name, 30)) for name in names if name}
        sheet, _ = style.page(6.4, heading, style.glyph_notes(shown.values()))
        axes = sheet.subplots()
        axes.grid(False)
        axes.pcolormesh(
            pH, pe, grid, shading="nearest", cmap=ListedColormap(colours), vmin=-0.5, vmax=len(names) - 0.5
        )
        fine = np.kron(grid, np.ones((_FINE, _FINE), dtype=int))
        axis = [_between(each) for each in (pH, pe)]
        for place in range(len(names)):
            if (grid == place).any() and (grid != place).any():
                axes.contour(
                    *axis, (fine == place).astype(float), levels=[0.5], colors=style.INK, linewidths=0.8
                )
        if (split > 0).any():
            # over the fields, whose cells go on a little beyond the limit of water
            axes.contourf(pH, pe, split, levels=[0, np.inf], colors=["#e3e3e3"], zorder=3)
            axes.contour(
                pH, pe, split, levels=[0], colors=style.FAINT, linewidths=1.2, linestyles="--", zorder=4
            )
        small = []
        for name, text in shown.items():
            at = np.argwhere((grid == number[name]) & (split <= 0))
            if not len(at):
                continue
            if len(at) < NAMED * grid.size:
                small.append(Patch(facecolor=colours[number[name]], edgecolor=style.INK, label=text))
                continue
            # the point of the field nearest to its middle, for a field that is bent about another
            middle = at[np.argmin(((at - at.mean(axis=0)) ** 2).sum(axis=1))]
            axes.text(pH[middle[1]], pe[middle[0]], text, ha="center", va="center", fontsize=9, zorder=5)
        if small:
            axes.legend(handles=small, loc="upper left", bbox_to_anchor=(1.12, 1))
        axes.set(xlabel="pH", ylabel="pe", xlim=(pH[0], pH[-1]), ylim=(pe[0], pe[-1]))
        volts = _VOLT_PE * (temperature + 273.15)
        axes.secondary_yaxis("right", functions=(lambda v: v * volts, lambda v: v / volts)).set_ylabel(
            "Eh, V"
        )
        return sheet
