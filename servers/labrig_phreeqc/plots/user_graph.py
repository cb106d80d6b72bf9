"""The chart of a USER_GRAPH: axes, scales, colours and symbols as the input says, ours where it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import is_color_like
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from labrig.plotting import checks, style
from labrig.plotting.checks import Numbers

MAX_CURVES = 200
NAMED = 28
"""Names in the legend, beyond which it says how many there are."""
MARKED = 60
"""A curve of at most so many points has symbols where the input says nothing of them."""
MOST_TICKS = 40
_HEIGHT = 4.9
_SYMBOLS = {
    "square": "s",
    "diamond": "D",
    "triangle": "^",
    "circle": "o",
    "xcross": "x",
    "plus": "+",
    "star": "*",
    "triangledown": "v",
    "hdash": "_",
    "vdash": "|",
    "none": "none",
}
_SIZE, _POINTS_PER_SIZE = 6.0, 0.8
"""PHREEQC's symbol size where none is said, and points of ours for one of its."""


@dataclass(frozen=True)
class _Axis:
    label: str
    least: float | None
    most: float | None
    major: float | None
    logarithmic: bool


@dataclass(frozen=True)
class _Curve:
    name: str
    x: Numbers
    y: Numbers
    colour: str
    marker: str
    size: float
    width: float
    second: bool


def figure(data: dict[str, Any]) -> Figure:
    """Draw a chart.

    Parameters
    ----------
    data
        ``axes``: of ``x``, ``y`` and ``y2`` ``{"label": str, "least", "most", "major": number or null,
        "logarithmic": bool}``. ``curves``: ``[{"name": str, "x": [number or null, ..], "y": alike, "colour": str,
        "symbol": str, "size": number or null, "width": number or null, "second": bool}, ..]``; null is a gap.
        ``title``, ``source`` (str) and ``notes`` (list of str) may be left out.
    """
    checks.record(data, "", ("axes", "curves"), checks.HEADING)
    said = checks.record(data["axes"], "axes", ("x", "y", "y2"))
    axes = {name: _read_axis(said[name], f"axes.{name}") for name in ("x", "y", "y2")}
    given = checks.rows(data["curves"], "curves", 1, MAX_CURVES, "draw one chart of several")
    found = [_read(each, place) for place, each in enumerate(given)]
    heading = checks.heading(data)
    notes = []
    for which in ("x", "y"):
        lost = sum(
            int((getattr(each, which) <= 0).sum())
            for each in found
            if axes["y2" if which == "y" and each.second else which].logarithmic
        )
        if lost:
            notes.append(f"{lost} values of 0 or less have no place on the logarithmic {which} axis")
    with style.house():
        notes += style.glyph_notes(each.name for each in found)
        sheet, _ = style.page(_HEIGHT, heading, notes)
        first = sheet.subplots()
        second = first.twinx() if any(each.second for each in found) else None
        drawn: dict[tuple[Any, ...], Any] = {}
        for each in found:
            on = second if each.second and second is not None else first
            (line,) = _draw(on, each)
            drawn.setdefault((each.name, each.colour, each.marker, each.width, each.second), line)
        _set_axis(first, "x", axes["x"])
        _set_axis(first, "y", axes["y"])
        if second is not None:
            second.spines["right"].set_visible(True)
            second.grid(False)
            _set_axis(second, "y", axes["y2"])
        if len(drawn) > 1 or not axes["y"].label:
            _legend(sheet, drawn, second is not None)
        return sheet


def _read_axis(value: Any, where: str) -> _Axis:
    checks.record(value, where, ("label", "least", "most", "major", "logarithmic"))
    least, most, major = (
        None if value[key] is None else checks.number(value[key], f"{where}.{key}")
        for key in ("least", "most", "major")
    )
    label = checks.text(value["label"], f"{where}.label", empty=True)
    return _Axis(label, least, most, major, checks.flag(value["logarithmic"], f"{where}.logarithmic"))


def _read(value: Any, place: int) -> _Curve:
    where = f"curves[{place}]"
    checks.record(value, where, ("name", "x", "y", "colour", "symbol", "size", "width", "second"))
    x, y = (checks.numbers(value[axis], f"{where}.{axis}") for axis in "xy")
    checks.same_length(len(y), f"{where}.y", len(x), f"{where}.x")
    colour = checks.text(value["colour"], f"{where}.colour", empty=True).casefold()
    symbol = checks.text(value["symbol"], f"{where}.symbol", empty=True).casefold()
    size = _SIZE if value["size"] is None else checks.number(value["size"], f"{where}.size", 0, 100)
    width = 1.0 if value["width"] is None else checks.number(value["width"], f"{where}.width", 0, 100)
    ours = style.MARKERS[place % len(style.MARKERS)] if len(x) <= MARKED or width == 0 else "none"
    return _Curve(
        checks.text(value["name"], f"{where}.name", empty=True),
        x,
        y,
        colour if is_color_like(colour) else style.COLOURS[place % len(style.COLOURS)],
        "none" if size == 0 else _SYMBOLS.get(symbol, ours),
        size * _POINTS_PER_SIZE,
        width,
        checks.flag(value["second"], f"{where}.second"),
    )


def _draw(axes: Axes, curve: _Curve) -> Any:
    return axes.plot(
        curve.x,
        curve.y,
        color=curve.colour,
        linestyle="-" if curve.width else "none",
        linewidth=1.3 * curve.width,
        marker=curve.marker,
        markersize=curve.size,
        markeredgewidth=1.2 if curve.marker in "x+_|" else 0,
        dashes=(5, 2) if curve.second and curve.width else (None, None),
    )


def _set_axis(axes: Axes, which: str, said: _Axis) -> None:
    """Set an axis up as the input says; what it leaves out is the data's."""
    least, most = said.least, said.most
    if said.logarithmic:
        style.logarithmic(axes, which)
        least, most = (None if end is not None and end <= 0 else end for end in (least, most))
    else:
        style.linear(axes, which)
    ends = getattr(axes, f"get_{which}lim")()
    low, high = (own if end is None else end for end, own in zip((least, most), ends, strict=True))
    if high - low > 1e-9 * max(abs(low), abs(high)):
        getattr(axes, f"set_{which}lim")(low, high)
        if said.major and not said.logarithmic and 0 < (high - low) / said.major <= MOST_TICKS:
            getattr(axes, f"{which}axis").set_major_locator(MultipleLocator(said.major))
    room = 6.0 if which == "x" else _HEIGHT - 1.2
    getattr(axes, f"set_{which}label")("\n".join(style.wrap(said.label, 9.5, room, most=2)))


def _legend(sheet: Figure, drawn: dict[tuple[Any, ...], Any], has_second: bool) -> None:
    names = [f"{style.plain(key[0])}{' (right)' if has_second and key[-1] else ''}" for key in drawn]
    shown = [style.fit(name, 8.5, 2.1) for name in names[:NAMED]]
    if len(names) > NAMED:
        shown[-1] = f"and {len(names) - NAMED + 1} more"
    lines = list(drawn.values())[:NAMED]
    sheet.legend(lines, shown, loc="outside right upper", borderaxespad=0.3, handlelength=2.4)
