"""Quantities along steps, time, distance or any other axis: stacked panels, one for each unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.plotting import checks, style
from labrig.plotting.checks import Numbers
from labrig_phreeqc.plots import notation

MAX_PANELS = 4
MAX_ALL_LINES = 48
MAX_LINES = len(style.COLOURS) * len(style.DASHES)
"""Lines of one panel that colour and dashes can tell apart."""
SPAN = (1e3, 1e10)
"""Greatest over least value of a panel that is drawn logarithmically."""
MARKED = 60
"""Up to as many points each is marked."""
MAX_NAMES = 25
"""Labels on an axis of names."""
Indices = NDArray[np.intp]
_SI = "log10(IAP/K)"


@dataclass(frozen=True)
class _Line:
    name: str
    unit: str
    values: Numbers

    @property
    def base(self) -> str:
        """The name of the quantity, without what tells several lines of it apart, as in ``pH, cell 3``."""
        return self.name.split(", ")[0]


@dataclass(frozen=True)
class _Horizontal:
    """The axis below: positions, and if it is one of names all of them, though not all may find a place."""

    label: str
    values: Numbers
    names: tuple[str, ...] = ()
    logarithmic: bool = False


def figure(data: dict[str, Any]) -> Figure:
    """Draw series.

    Parameters
    ----------
    data
        ``x``: ``{"name": str, "unit": str, "values": [...]}``, numbers or texts, none of them null.
        ``lines``: ``[{"name": str, "unit": str, "values": [number or null, ...]}, ...]``, each as long as x, names and
        units as in `labrig_phreeqc.output.series`. ``title``, ``source`` (str) and ``notes`` (list of str, above the
        source) may be left out.

    Returns
    -------
    Figure
        Lines of one unit share a panel (pH and pe have one of their own); at null a line has a gap. A panel
        whose values are not negative and span three to ten decades is logarithmic, its zeros (to PHREEQC,
        anything below about 1e-40) are triangles at the lower edge; below what more decades would show lies
        what transport leaves of nothing. Where x turns back, as from one profile to the next, the line begins
        anew.

    Raises
    ------
    LabrigError
        For more than `MAX_PANELS` units, `MAX_LINES` lines of one unit or `MAX_ALL_LINES`, lengths that differ, numbers
        that are not finite, and lines without any value.
    """
    checks.record(data, "", ("x", "lines"), checks.HEADING)
    lines = _lines(data["lines"], data["x"])
    x = _horizontal(data["x"])
    panels: dict[str, list[_Line]] = {}
    for line in lines:
        key = "pH, pe" if line.base in ("pH", "pe") and line.unit in ("", "1") else notation.unit(line.unit)
        panels.setdefault(key, []).append(line)
    if len(panels) > MAX_PANELS:
        raise LabrigError(
            f"The lines have {len(panels)} units, and each takes a panel: {', '.join(map(repr, panels))}",
            where="lines",
            expected=f"at most {MAX_PANELS} units",
            try_="draw several pictures",
        )
    for key, group in panels.items():
        if len(group) > MAX_LINES:
            raise LabrigError(
                f"{len(group)} lines share the unit {key!r}",
                where="lines",
                expected=f"at most {MAX_LINES}",
                try_="draw several pictures",
            )
    starts = _starts(x)
    heading = checks.heading(data)
    notes = _zero_note(panels)
    if starts is None:
        notes.append(f"{x.label} is in no order, so the points are not joined")
    elif len(starts):
        notes.append(f"Where {x.label} turns back ({len(starts)} ×), the lines begin anew")
    with style.house():
        heights = [max(2.0 if len(panels) > 1 else 3.6, 0.5 + 0.17 * len(group)) for group in panels.values()]
        names_room = 0.9 if x.names else 0.0
        notes += style.glyph_notes([*_thinned(x)[1], *(line.name for line in lines)])
        sheet, _ = style.page(sum(heights) + 1.3 + names_room, heading, notes)
        axes = sheet.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for place, (key, group) in zip(axes, panels.items(), strict=True):
            _panel(place, key, group, x, starts)
        _label_horizontal(axes[-1], x)
        return sheet


def _lines(value: Any, x: Any) -> list[_Line]:
    checks.record(x, "x", ("name", "unit", "values"))
    count = len(checks.rows(x["values"], "x.values"))
    found = []
    listed = checks.rows(value, "lines", 1, MAX_ALL_LINES, "draw several pictures")
    checks.points(count * len(listed))
    for place, line in enumerate(listed):
        where = f"lines[{place}]"
        checks.record(line, where, ("name", "unit", "values"))
        name = checks.text(line["name"], f"{where}.name")
        values = checks.numbers(line["values"], f"{where}.values")
        checks.same_length(len(values), f"{where}.values", count, "x.values")
        found.append(_Line(name, checks.text(line["unit"], f"{where}.unit", empty=True), values))
    return found


def _horizontal(x: dict[str, Any]) -> _Horizontal:
    name = style.short(notation.quantity(checks.text(x["name"], "x.name")), 60)
    unit = notation.unit(checks.text(x["unit"], "x.unit", empty=True))
    label = f"{name} ({unit})" if unit else name
    if any(isinstance(each, str) for each in x["values"]):
        names = tuple(checks.text(each, f"x.values[{n}]", empty=True) for n, each in enumerate(x["values"]))
        return _Horizontal(label, np.arange(len(names), dtype=np.float64), names)
    values = checks.numbers(x["values"], "x.values", null=False)
    return _Horizontal(label, values, logarithmic=_is_geometric(values))


def _is_geometric(x: Numbers) -> bool:
    """Whether x spans over three decades with most of its values in the lowest tenth: times, not step numbers."""
    if x.min() <= 0 or x.max() / x.min() <= 1000:
        return False
    return bool(np.median(x) < x.min() + 0.1 * (x.max() - x.min()))


def _starts(x: _Horizontal) -> Indices | None:
    """Return where lines begin anew; None where x is in no order at all."""
    steps = np.sign(np.diff(x.values))
    main = 1.0 if (steps > 0).sum() >= (steps < 0).sum() else -1.0
    back = np.flatnonzero(steps == -main) + 1
    return None if len(back) * 3 > len(x.values) else back


def _is_logarithmic(key: str, group: list[_Line]) -> bool:
    values = np.concatenate([line.values for line in group])
    values = values[np.isfinite(values)]
    positive = values[values > 0]
    if key == "pH, pe" or key.startswith("log₁₀") or values.min() < 0 or not len(positive):
        return False
    return bool(SPAN[0] < positive.max() / positive.min() < SPAN[1])


def _zero_note(panels: dict[str, list[_Line]]) -> list[str]:
    zeros = sum(
        int((line.values == 0).sum())
        for key, group in panels.items()
        if _is_logarithmic(key, group)
        for line in group
    )
    if not zeros:
        return []
    return [
        f"Triangles at the lower edge are values of 0 ({zeros}), for which a logarithmic axis has no place"
    ]


def _panel(axes: Axes, key: str, group: list[_Line], x: _Horizontal, starts: Indices | None) -> None:
    logarithmic = _is_logarithmic(key, group)
    if logarithmic:
        style.logarithmic(axes, "y")
    else:
        style.linear(axes, "y")
    if group[0].unit == _SI:
        axes.axhline(0, color=style.INK, linewidth=0.9, linestyle=(0, (5, 3)), zorder=1.5)
    names = style.distinct([notation.quantity(line.name) for line in group], 34)
    for place, (line, name) in enumerate(zip(group, names, strict=True)):
        colour = style.COLOURS[place % len(style.COLOURS)]
        dashes = style.DASHES[place // len(style.COLOURS)]
        marker = style.MARKERS[place % len(style.MARKERS)]
        values = np.where(line.values > 0, line.values, np.nan) if logarithmic else line.values
        xs, ys = x.values, values
        if starts is not None and len(starts):
            xs, ys = np.insert(xs, starts, np.nan), np.insert(ys, starts, np.nan)
        marked = starts is None or len(x.values) <= MARKED
        axes.plot(
            xs,
            ys,
            color=colour,
            linestyle="none" if starts is None else dashes,
            linewidth=0.6 if x.names and marked else 1.5,  # between samples there is nothing to interpolate
            marker=marker if marked else "none",
            markersize=4.2 if len(x.values) <= MARKED else 2.2,
            markeredgewidth=0,
            label=style.fit(name, 8.5, 2.2),
            clip_on=True,
        )
        if not marked:  # a point between two gaps has no line
            solid = np.isfinite(ys) & np.isfinite(xs)
            alone = solid & ~np.r_[False, solid[:-1]] & ~np.r_[solid[1:], False]
            axes.plot(xs[alone], ys[alone], color=colour, linestyle="none", marker=".", markersize=5)
        if logarithmic and (zeros := line.values == 0).any():
            axes.plot(
                x.values[zeros],
                np.full(int(zeros.sum()), 0.02),
                transform=axes.get_xaxis_transform(),
                color=colour,
                linestyle="none",
                marker="v",
                markersize=5,
                markerfacecolor="none",
                clip_on=False,
            )
    axes.set_ylabel(_label(key, group))
    if len(group) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.005, 1.02), borderaxespad=0.2)


def _label(key: str, group: list[_Line]) -> str:
    if key == "pH, pe":
        return ", ".join(dict.fromkeys(line.base for line in group))
    if group[0].unit == _SI and len(group) > 1:
        return "SI, " + key
    unit = style.fit(key, 9.5, 1.7) if style.plain(key) else ""
    if len(group) > 1:
        return unit
    name = style.fit(notation.quantity(group[0].name), 9.5, 1.9)
    if not unit:
        return name
    return f"{name}\n{unit}" if unit.startswith("log") else f"{name}\n({unit})"


def _thinned(x: _Horizontal) -> tuple[list[int], list[str]]:
    """Return places that can be labelled, evenly spaced, and their labels."""
    places = list(range(0, len(x.names), max(1, -(-len(x.names) // MAX_NAMES))))
    return places, [style.fit(x.names[place], 8.5, 1.7) for place in places]


def _label_horizontal(axes: Axes, x: _Horizontal) -> None:
    axes.set_xlabel(style.fit(x.label, 9.5, 5.0))
    if x.names:
        places, names = _thinned(x)
        flat = len(x.names) <= 12 and max(map(style.columns, names)) * len(names) <= 80
        axes.set_xticks(
            places,
            names,
            rotation=0 if flat else 60,
            rotation_mode="anchor",
            horizontalalignment="center" if flat else "right",
            fontsize=8.5,
        )
        axes.set_xlim(-0.5, len(x.names) - 0.5)
    elif x.logarithmic:
        style.logarithmic(axes, "x")
    else:
        style.linear(axes, "x", integer=bool((x.values == np.round(x.values)).all()))
        if (x.values == x.values[0]).all():
            axes.xaxis.set_major_locator(FixedLocator([x.values[0]]))
