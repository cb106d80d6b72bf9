"""Values along time as lines, with bands around them (an ensemble, a spread) and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, over_limit
from labrig.plotting.checks import Heading

MOST_LINES = 8
MOST_POINTS = 500_000


@dataclass(frozen=True)
class Line:
    """One line.

    Attributes
    ----------
    times
        ``datetime64`` along the axis, increasing.
    values
        As long; NaN is a gap.
    low, high
        Bounds of a band, or None.
    band
        What the band is, for the legend: ``10 to 90 % of 15 members``.
    """

    name: str
    times: NDArray[np.datetime64]
    values: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    band: str = ""


def series_figure(
    heading: Heading,
    lines: Sequence[Line],
    label: str,
    *,
    threshold: float | None = None,
    threshold_name: str = "",
) -> Any:
    """Return a time series as a matplotlib figure.

    Parameters
    ----------
    label
        Of the vertical axis: the quantity with its unit. All lines share it.
    threshold, threshold_name
        A horizontal line.

    Raises
    ------
    LabrigError
        ``bad_input`` for no line, no value, or times that do not increase; ``limit`` above `MOST_LINES`, `MOST_POINTS`.
    """
    from matplotlib.transforms import ScaledTranslation

    from labrig.plotting import style

    _check(lines)
    with style.house():
        figure, _ = style.page(4.2, heading)
        axes = figure.add_subplot()
        for place, line in enumerate(lines):
            colour = style.COLOURS[place]
            short = len(line.times) <= 40
            dashes = style.DASHES[(place // 4) % len(style.DASHES)]
            if line.low is not None and line.high is not None:
                name = line.band or None
                axes.fill_between(
                    line.times,
                    line.low,
                    line.high,
                    color=colour,
                    alpha=0.22,
                    linewidth=0,
                    label=name,
                    zorder=2,
                )
            look: dict[str, Any] = {
                "color": colour,
                "linewidth": 1.6 if short else 1.1,
                "markersize": 4,
                "zorder": 3,
            }
            marker = style.MARKERS[place] if short else None
            axes.plot(line.times, line.values, dashes, label=line.name or None, marker=marker, **look)
        if threshold is not None:
            text = threshold_name or f"{threshold:g}"
            axes.axhline(
                threshold, color=style.INK, linewidth=1.0, linestyle=(0, (5, 3)), label=text, zorder=2.5
            )
        _time_axis(axes, lines)
        style.linear(axes, "y")
        axes.set_ylabel(style.fit(label, 9.5, 3.4))
        axes.margins(x=0.01)
        count = len(axes.get_legend_handles_labels()[1])
        if count > 1:
            below = axes.transAxes + ScaledTranslation(0, -38 / 72, figure.dpi_scale_trans)
            axes.legend(
                loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, ncols=min(count, 4)
            )
    return figure


def _time_axis(axes: Any, lines: Sequence[Line]) -> None:
    """Set up dates in ISO order, as fine as the span needs; the axis says that they are UTC where there are hours."""
    from matplotlib import dates as typed

    dates: Any = typed

    ends = [line.times.astype("datetime64[s]") for line in lines]
    days = float((max(each[-1] for each in ends) - min(each[0] for each in ends)) / np.timedelta64(1, "D"))
    form = "%Y" if days > 1100 else "%Y-%m" if days > 200 else "%Y-%m-%d" if days > 3 else "%m-%d %H:%M"
    axes.xaxis.set_major_locator(dates.AutoDateLocator(minticks=3, maxticks=8))
    axes.xaxis.set_major_formatter(dates.DateFormatter(form))
    hours = any(bool((each != each.astype("datetime64[D]")).any()) for each in ends)
    axes.set_xlabel("Time (UTC)" if hours else "Date")


def _check(lines: Sequence[Line]) -> None:
    if not lines:
        raise LabrigError("There is no line to draw", where="lines")
    if len(lines) > MOST_LINES:
        raise LabrigError(
            f"{len(lines)} lines cannot be told apart",
            where="lines",
            expected=f"at most {MOST_LINES}",
            try_="draw some of them, or their mean with a band",
            code="limit",
        )
    if sum(len(line.times) for line in lines) > MOST_POINTS:
        raise over_limit(
            "More points than a page can show", MOST_POINTS, where="lines", try_="aggregate first"
        )
    for line in lines:
        if len(line.times) != len(line.values):
            raise LabrigError(
                f"{line.name} has {len(line.values)} values and {len(line.times)} times", where=line.name
            )
        if len(line.times) > 1 and bool(
            (np.diff(line.times.astype("datetime64[s]").astype(np.int64)) <= 0).any()
        ):
            raise LabrigError(f"The times of {line.name} do not increase", where=line.name, try_="sort them")
        if not np.isfinite(line.values).any():
            raise LabrigError(f"{line.name} has no value: all are missing", where=line.name)
