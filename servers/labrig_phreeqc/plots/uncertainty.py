"""How sure a saturation index is: its distribution by database, and what its variance comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labrig.errors import LabrigError
from labrig.plotting import checks, style
from labrig.plotting.checks import Numbers
from labrig_phreeqc.plots import notation

MAX_DATABASES = 12
MAX_SHARES = 20
FEW = 12
"""Fewer values than these are drawn one by one, not as a histogram."""
MOST_BINS = 60


@dataclass(frozen=True)
class _Result:
    phase: str
    members: dict[str, Numbers]
    nominal: dict[str, float]
    median: float
    interval: tuple[float, float]
    level: float
    share_above_zero: float
    shares: dict[str, float]


def figure(data: dict[str, Any]) -> Figure:
    """Draw the uncertainty of a saturation index.

    Parameters
    ----------
    data
        ``phase``: its name. ``members``: ``{"phreeqc.dat": [SI, ...], ...}``, the saturation indices (log10 IAP/K)
        computed with each database. Of all of them together: ``median``, ``interval`` ``[low, high]``, ``level``
        (the probability of the interval, 0 to 1), ``share_above_zero`` (0 to 1). ``shares``: parts of the variance by
        their cause, ``{"analysis": 0.6, ...}``, each 0 to 1, together at most 1; empty where there is no variance.
        ``nominal``: the result without perturbation by database. Nominal, ``title``, ``source`` (str) and ``notes``
        (list of str) may be left out.

    Returns
    -------
    Figure
        Left a histogram for each database, scaled to its own height, and the median with its interval; right the
        shares, the greatest on top, and what they leave of the variance.

    Raises
    ------
    LabrigError
        For numbers that are not finite or contradict each other, more than `MAX_DATABASES` or `MAX_SHARES`.
    """
    required = ("phase", "members", "median", "interval", "level", "share_above_zero", "shares")
    checks.record(data, "", required, (*checks.HEADING, "nominal"))
    heading = checks.heading(data)
    result = _read(data)
    with style.house():
        rows = max(len(result.members), 0.55 * len(result.shares), 2)
        names = [*result.members, *result.shares, result.phase]
        notes = ["Diamonds: nominal result, nothing perturbed"] if result.nominal else []
        sheet, _ = style.page(0.62 * rows + 2.0, heading, [*notes, *style.glyph_notes(names)])
        if result.shares:
            left, right = sheet.subplots(1, 2, width_ratios=[1.9, 1])
            _draw_shares(right, result.shares)
        else:
            left = sheet.subplots()
        _draw_members(left, result)
        return sheet


def _read(data: dict[str, Any]) -> _Result:
    given = checks.mapping(data["members"], "members", 1, MAX_DATABASES)
    members = {
        name: checks.numbers(values, f"members[{name!r}]", null=False) for name, values in given.items()
    }
    checks.points(sum(map(len, members.values())))
    nominal = {
        name: checks.number(value, f"nominal[{name!r}]")
        for name, value in checks.mapping(data.get("nominal", {}), "nominal", 0, MAX_DATABASES).items()
    }
    for name in nominal:
        if name not in members:
            raise LabrigError(
                f"{name!r} has a nominal value and no members", where="nominal", expected=", ".join(members)
            )
    shares = {
        cause: checks.number(value, f"shares[{cause!r}]", 0, 1)
        for cause, value in checks.mapping(data["shares"], "shares", 0, MAX_SHARES).items()
    }
    if sum(shares.values()) > 1.005:
        raise LabrigError(
            f"The shares of the variance add up to {sum(shares.values()):.4g}",
            where="shares",
            expected="at most 1",
        )
    ends = checks.rows(data["interval"], "interval", 2, 2)
    low, high = (checks.number(end, f"interval[{n}]") for n, end in enumerate(ends))
    median = checks.number(data["median"], "median")
    if not low <= median <= high:
        raise LabrigError(
            f"The median {median:g} lies outside the interval {low:g} to {high:g}",
            where="interval",
            expected="[low, high] around the median",
        )
    return _Result(
        checks.text(data["phase"], "phase"),
        members,
        nominal,
        median,
        (low, high),
        checks.number(data["level"], "level", 0, 1),
        checks.number(data["share_above_zero"], "share_above_zero", 0, 1),
        shares,
    )


def _draw_members(axes: Axes, result: _Result) -> None:
    """Draw a row for each database, each scaled to its own height, and one for all together."""
    low, high = _limits(result)
    bottom = len(result.members)
    axes.axvspan(*result.interval, color="#b8b8b8", alpha=0.3, linewidth=0, zorder=0)
    axes.axvline(result.median, color=style.FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
    labels = []
    for row, (name, values) in enumerate(result.members.items()):
        colour = style.COLOURS[row % len(style.COLOURS)]
        if len(values) >= FEW and np.ptp(values) > 1e-9 * max(1.0, np.abs(values).max()):
            counts, edges = np.histogram(values, min(MOST_BINS, max(8, round(2 * len(values) ** (1 / 3)))))
            tops = row - 0.8 * counts / counts.max()
            axes.stairs(tops, edges, baseline=row, fill=True, color=colour, alpha=0.6, zorder=2)
        else:
            axes.vlines(np.unique(values), row - 0.5, row, color=colour, linewidth=1.3, zorder=3)
        axes.plot([low, high], [row, row], color=style.GRID, linewidth=0.6, zorder=1)
        if name in result.nominal:
            axes.plot(
                result.nominal[name], row, marker="D", markersize=5, color=style.INK, clip_on=False, zorder=5
            )
        labels.append(f"{style.fit(name, 8.5, 1.3)}\nn = {len(values)}")
    axes.plot(
        result.interval, [bottom - 0.3] * 2, color=style.INK, linewidth=2.2, solid_capstyle="butt", zorder=4
    )
    axes.plot(result.median, bottom - 0.3, marker="o", markersize=6, color=style.INK, zorder=5)
    axes.set_yticks([row - 0.3 for row in range(bottom + 1)], labels=[*labels, "all together"])
    axes.tick_params(axis="y", length=0, labelsize=8.5)
    axes.grid(False, axis="y")
    axes.set(xlim=(low, high), ylim=(bottom + 0.05, -1))
    style.linear(axes, "x")
    _label_zero(axes, result, low, high)
    axes.set_xlabel(
        f"Saturation index of {notation.formula(style.fit(result.phase, 9.5, 1.4))}, log₁₀(IAP/K)\n"
        f"median {_figures(result.median)}, {100 * result.level:g} % interval "
        f"{_figures(result.interval[0])} to {_figures(result.interval[1])}"
    )


def _limits(result: _Result) -> tuple[float, float]:
    """Return the ends of the axis: zero is on it unless it is further away than the results are wide."""
    parts = [*result.members.values(), np.array([*result.interval, *result.nominal.values()])]
    low, high = min(float(each.min()) for each in parts), max(float(each.max()) for each in parts)
    span = max(high - low, 0.1, 1e-9 * max(abs(low), abs(high)))  # PHREEQC prints two decimals
    if -2 * span <= low and high <= 2 * span:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = max(0.06 * (high - low), (span - (high - low)) / 2)
    return low - margin, high + margin


def _label_zero(axes: Axes, result: _Result, low: float, high: float) -> None:
    """Draw the line at zero with the shares on both sides of it; where it is off the axis, say so."""
    above, below = _percent(result.share_above_zero), _percent(1 - result.share_above_zero)
    if low < 0 < high:
        axes.axvline(0, color=style.INK, linewidth=1.0, zorder=1.5)
    words = [f"←  SI ≤ 0: {below}", f"SI > 0: {above}  →"]
    if high <= 0:
        words[1] += "  (0 is off the axis)"
    if low >= 0:
        words[0] = "(0 is off the axis)  " + words[0]
    for place, align, text in zip((0.0, 1.0), ("left", "right"), words, strict=True):
        axes.text(
            place,
            1.01,
            text,
            transform=axes.transAxes,
            ha=align,
            va="bottom",
            fontsize=8.5,
            color=style.FAINT,
        )


def _draw_shares(axes: Axes, shares: dict[str, float]) -> None:
    """Draw the shares of the variance as bars, the greatest on top; what they leave is a grey one, the last."""
    ordered = sorted(shares.items(), key=lambda share: -share[1])
    bars = [(style.fit(cause, 8.5, 1.3), 100 * share, style.COLOURS[0]) for cause, share in ordered]
    rest = 1 - sum(shares.values())
    if rest > 0.005:
        bars.append(("not attributed", 100 * rest, style.OTHER))
    names, widths, colours = zip(*bars, strict=True)
    axes.barh(range(len(bars)), widths, height=0.62, color=colours, zorder=2)
    for row, width in enumerate(widths):
        axes.annotate(
            _percent(width / 100),
            (width, row),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.set_yticks(range(len(bars)), labels=names)
    axes.tick_params(axis="y", length=0, labelsize=8.5)
    axes.grid(False, axis="y")
    axes.set(xlim=(0, 1.3 * max(*widths, 10)), ylim=(max(len(bars), 3) - 0.4, -0.6))
    style.linear(axes, "x")
    axes.set_xlabel("Share of the variance (%)")


def _percent(share: float) -> str:
    """Return a share in percent, which is 0 or 100 only where it is nothing or everything."""
    value = 100 * share
    if 0 < value < 1 or 99 < value < 100:
        return "< 0.1 %" if value < 0.1 else "> 99.9 %" if value > 99.9 else f"{value:.1f} %"
    return f"{value:.0f} %"


def _figures(value: float) -> str:
    """Return an index with two decimals, as PHREEQC prints it; smaller ones with more."""
    return (f"{value:.2f}" if abs(value) >= 0.1 or not value else f"{value:.2g}").replace("-", "−")
