"""The trilinear diagram of Piper: major ions in percent of milliequivalents.

Source: Piper (1944), A graphic procedure in the geochemical interpretation of water-analyses, Transactions of the
American Geophysical Union 25, 914-928.

The plane of the diagram: both triangles have sides of 100 (percent) and stand on y = 0, the one of the cations from
x = 0, the one of the anions from x = 100 + `GAP`; the diamond stands above the gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from labrig.plotting import checks, style
from labrig.plotting.checks import Numbers
from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.plots import notation
from labrig_phreeqc.plots.key import Entry, key_look, make_key, point_look, point_size
from labrig_phreeqc.plots.water import Water, read_waters

GAP = 30.0
HEIGHT = 50 * 3**0.5
"""Of a triangle."""
HIGH = (2 + GAP / 100) * HEIGHT
"""Of the top of the diamond."""
MAX_SAMPLES = 20_000

Point = tuple[float, float]


class Percent(NamedTuple):
    """Waters in percent: the first three of the sum of the cations, the others of that of the anions.

    Na includes K, HCO3 includes CO3, and Cl the monovalent anions of strong acids: NO3, F and Br.
    """

    Ca: Numbers
    Mg: Numbers
    Na: Numbers
    HCO3: Numbers
    SO4: Numbers
    Cl: Numbers


def percent(waters: Sequence[Water]) -> Percent:
    """Return the composition of waters in percent of milliequivalents."""
    cations = np.array([[w.sum("Ca"), w.sum("Mg"), w.sum("Na", "K")] for w in waters])
    anions = np.array([[w.sum("HCO3", "CO3"), w.sum("SO4"), w.sum("Cl", "NO3", "F", "Br")] for w in waters])
    parts = [100 * ions / ions.sum(axis=1, keepdims=True) for ions in (cations, anions)]
    return Percent(*np.hstack(parts).T)


def cation_point(water: Percent) -> tuple[Numbers, Numbers]:
    """Return x, y in the triangle of the cations: Ca lower left, Mg on top, Na + K lower right."""
    return water.Na + water.Mg / 2, water.Mg / 100 * HEIGHT


def anion_point(water: Percent) -> tuple[Numbers, Numbers]:
    """Return x, y in the triangle of the anions: HCO3 + CO3 lower left, SO4 on top, Cl lower right."""
    return 100 + GAP + water.Cl + water.SO4 / 2, water.SO4 / 100 * HEIGHT


def diamond_point(water: Percent) -> tuple[Numbers, Numbers]:
    """Return x, y in the diamond.

    Notes
    -----
    Where the line through the cation point that is parallel to the left side of its triangle, y = √3 (x - Na),
    meets the line through the anion point parallel to the right side of the other, y = √3 (100 + GAP + Cl + SO4 - x).
    """
    strong = water.Cl + water.SO4
    return (water.Na + 100 + GAP + strong) / 2, (100 + GAP + strong - water.Na) / 100 * HEIGHT


def figure(data: dict[str, Any]) -> Figure:
    """Draw a Piper diagram.

    Parameters
    ----------
    data
        ``samples``: ``[{"name": str, "meq": {"Ca": float, ...}, "group": str or null, "tds": mg/L or null}, ...]``;
        ``meq`` has milliequivalents (per L or per kg) of Ca, Mg, Na, HCO3, SO4 and Cl, and may have K, CO3, NO3, F
        and Br (counted as none if left out); group and tds may be left out. ``title``, ``source`` (str), ``notes``
        (list of str) and ``facies`` (bool: name the corners of the diamond, as is the rule) may be left out.

    Returns
    -------
    Figure
        The `key.MAX_GROUPS` largest groups have colours, the others are grey; without groups up to
        `key.MAX_NAMED` samples have colours of their own. Where samples have a TDS, the area in the diamond is
        proportional to it.

    Raises
    ------
    LabrigError
        For unknown, missing or negative ions, a water without cations or anions, more than `MAX_SAMPLES`.
    """
    checks.record(data, "", ("samples",), (*checks.HEADING, "facies"))
    heading = checks.heading(data)
    facies = checks.flag(data.get("facies", True), "facies")
    waters = read_waters(data["samples"], MAX_SAMPLES, "draw fewer samples", ("group", "tds"))
    with style.house():
        key, entries = make_key(waters)
        notes = [*_notes(waters), *style.glyph_notes(entry.name for entry in key)]
        sheet, rect = style.page(7.6, heading, notes)
        sheet.set_layout_engine("none")
        axes = sheet.add_axes(rect)
        axes.set_axis_off()
        axes.set_aspect("equal", anchor="C")
        axes.set(xlim=(-16, 100 + GAP + 116), ylim=(-14, HIGH + 7))
        for side in _sides(" + ".join(["Cl⁻", *_others(waters)])):
            _draw_side(axes, side)
        if facies:
            _name_facies(axes)
        _draw_points(axes, waters, key, entries)
        return sheet


def _notes(waters: Sequence[Water]) -> Iterable[str]:
    off = sum(abs(water.imbalance) > CHARGE_ERROR_PERCENT for water in waters)
    if off:
        yield f"Charge imbalance above {CHARGE_ERROR_PERCENT:g} % in {off} of {len(waters)} samples"
    without = sum(water.tds is None for water in waters)
    if 0 < without < len(waters):
        yield f"Crosses in the diamond: no TDS, {without} of {len(waters)} samples"


def _others(waters: Sequence[Water]) -> list[str]:
    """Return the ions that are counted with chloride."""
    return [notation.ION_NAMES[ion] for ion in ("NO3", "F", "Br") if any(water.sum(ion) for water in waters)]


class _Side(NamedTuple):
    """A side with its scale: where it is 0 and 100, and the same for the far ends of its grid lines.

    A name that is shared with the side across the gap stands half way to it.
    """

    name: str
    zero: Point
    hundred: Point
    far_zero: Point
    far_hundred: Point
    shared: bool = False


def _sides(chloride: str) -> list[_Side]:
    """Return the sides of triangles and diamond; a scale grows towards the corner where its ions are everything.

    Those of the diamond that face a triangle have the scale and the name of the side they face.
    """
    ca, na, mg = (0.0, 0.0), (100.0, 0.0), (50.0, HEIGHT)
    hco3, cl, so4 = (100 + GAP, 0.0), (200 + GAP, 0.0), (150 + GAP, HEIGHT)
    middle, low = 100 + GAP / 2, GAP / 100 * HEIGHT
    west, north = (middle - 50, low + HEIGHT), (middle, low + 2 * HEIGHT)
    east, south = (middle + 50, low + HEIGHT), (middle, low)
    return [
        _Side("Ca²⁺", na, ca, mg, ca),
        _Side("Mg²⁺", ca, mg, na, mg),
        _Side("Na⁺ + K⁺", mg, na, ca, na, shared=True),
        _Side(chloride, hco3, cl, so4, cl),
        _Side("SO₄²⁻", cl, so4, hco3, so4),
        _Side("HCO₃⁻ + CO₃²⁻", so4, hco3, cl, hco3, shared=True),
        _Side(f"SO₄²⁻ + {chloride}", west, north, south, east),
        _Side("Ca²⁺ + Mg²⁺", east, north, south, west),
        _Side("", west, south, north, east),
        _Side("", east, south, north, west),
    ]


def _draw_side(axes: Axes, side: _Side) -> None:
    """Draw a side, its grid, its numbers (each where its grid line would go on) and its name with an arrow."""
    zero, hundred, far_zero, far_hundred = map(np.array, side[1:5])
    axes.plot(*zip(zero, hundred, strict=True), color="#444444", linewidth=1.0, zorder=2)
    for value in (20, 40, 60, 80):
        near = zero + (hundred - zero) * value / 100
        far = far_zero + (far_hundred - far_zero) * value / 100
        outward = (near - far) / np.hypot(*(near - far))
        axes.plot(*zip(near + 1.2 * outward, far, strict=True), color=style.GRID, linewidth=0.6, zorder=1)
        x, y = near + 4.2 * outward
        axes.text(x, y, str(value), fontsize=7, color=style.FAINT, ha="center", va="center")
    if not side.name:
        return
    along = (hundred - zero) / np.hypot(*(hundred - zero))
    outward = np.array([-along[1], along[0]])
    if outward @ (zero - far_zero) < 0:
        outward = -outward
    forward = along[0] > 0
    angle = np.degrees(np.arctan2(*(along if forward else -along)[::-1]))
    across = np.array([np.sign(outward[0]), 3**0.5]) * GAP / 4
    x, y = (zero + hundred) / 2 + (across if side.shared else 10 * outward)
    name = f"{side.name}  →" if forward else f"←  {side.name}"
    axes.text(x, y, name, fontsize=9, rotation=angle, rotation_mode="anchor", ha="center", va="center")


def _name_facies(axes: Axes) -> None:
    """Name the waters of the corners of the diamond, outside, where no point lies."""
    middle, low = 100 + GAP / 2, GAP / 100 * HEIGHT
    look: dict[str, Any] = {"fontsize": 8, "style": "italic", "color": "#8a8a8a"}
    axes.text(middle - 53, low + HEIGHT, "Ca–HCO₃", ha="right", va="center", **look)
    axes.text(middle + 53, low + HEIGHT, "Na–Cl", ha="left", va="center", **look)
    axes.text(middle, HIGH + 2, "Ca–Cl, Ca–SO₄", ha="center", va="bottom", **look)
    axes.text(middle, low - 2, "Na–HCO₃", ha="center", va="top", **look)


def _draw_points(axes: Axes, waters: Sequence[Water], key: Sequence[Entry], entries: Sequence[int]) -> None:
    """Draw every water three times, and the keys to colours and sizes."""
    shares = percent(waters)
    many = len(waters)
    size = point_size(many)
    tds = np.array([np.nan if water.tds is None else water.tds for water in waters])
    sized = bool(np.nanmax(tds) > 0) if np.isfinite(tds).any() else False
    areas = np.clip(5 * size * tds / np.nanmax(tds), size / 6, None) if sized else np.full(many, size)
    order = np.argsort(-np.nan_to_num(areas), kind="stable")  # small ones on top
    of = np.array(entries)[order]
    areas = areas[order]
    shares = Percent(*(each[order] for each in shares))
    handles = []
    for place, entry in enumerate(key):
        look = point_look(entry, many)
        mine = of == place
        for point in (cation_point, anion_point):
            xs, ys = point(shares)
            axes.scatter(xs[mine], ys[mine], s=size, **look)
        xs, ys = diamond_point(shares)
        known = mine & np.isfinite(areas)
        axes.scatter(xs[known], ys[known], s=areas[known], **look)
        unknown = mine & ~np.isfinite(areas)
        axes.scatter(xs[unknown], ys[unknown], s=size, marker="x", color=entry.colour, linewidth=1, zorder=4)
        handles.append(Line2D([], [], linestyle="none", label=entry.name, **key_look(entry)))
    axes.add_artist(axes.legend(handles=handles, loc="upper right", handletextpad=0.3))
    if sized:
        greatest = float(np.nanmax(tds))
        first = _round_below(greatest)
        circles = [
            Line2D(
                [],
                [],
                linestyle="none",
                marker="o",
                markersize=float(np.sqrt(5 * size * value / greatest)),
                markerfacecolor="none",
                markeredgecolor=style.FAINT,
                label=f"{value:,.0f}" if value >= 1 else f"{value:g}",
            )
            for value in (first, _round_below(first / 2), _round_below(first / 8))
        ]
        axes.legend(
            handles=circles,
            loc="upper left",
            title="TDS (mg/L)",
            title_fontsize=8.5,
            labelspacing=1.0,
            alignment="left",
        )


def _round_below(value: float) -> float:
    """Return the greatest of ..., 1, 2, 5, 10, 20, ... that is not above a value."""
    power = 10 ** np.floor(np.log10(value))
    return float(power * max(step for step in (1, 2, 5) if step * power <= value * 1.0001))
