"""Lines and hatching over the field of a map: contours, also of each member of an ensemble, and where a field is high.

Hatching and lines are black or of the palette of the house, so that they are seen on every colour map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit
from labrig.plotting.style import COLOURS, INK
from labrig_earth.plots.fields import Cells

MOST_LEVELS = 8
MOST_LINES = 2_000_000
"""Cells of all fields together whose contours are drawn."""
HATCHES = ("///", "\\\\\\", "xxx", "...", "+++", "|||", "---", "ooo", "***")


@dataclass(frozen=True)
class Contours:
    """Contours of one or more fields on one grid, a colour for each level where there are several fields.

    Attributes
    ----------
    fields
        One, or the members of an ensemble; their mean is drawn as a broad line.
    levels
        Rising, in the unit of the fields.
    unit
        Of the levels, for the legend.
    colours
        Of the levels, in place of those of the house.
    """

    fields: tuple[Cells, ...]
    levels: tuple[float, ...]
    unit: str = ""
    colours: tuple[str, ...] = ()
    linewidth: float = 0.8
    alpha: float = 0.8

    def __post_init__(self) -> None:
        if not 1 <= len(self.levels) <= MOST_LEVELS:
            raise LabrigError(
                f"{len(self.levels)} levels",
                where="contour_levels",
                expected=f"1 to {MOST_LEVELS}, which can be told apart",
            )
        if list(self.levels) != sorted(set(self.levels)):
            raise LabrigError("The levels do not rise", where="contour_levels", try_="each once, sorted")
        if sum(field.values.size for field in self.fields) > MOST_LINES:
            raise over_limit(
                "More cells than contours are drawn of",
                MOST_LINES,
                "of all members together",
                where="member_paths",
                try_="a coarser grid, by harmonize_grid",
            )


@dataclass(frozen=True)
class Hatched:
    """Where a field is at or above a threshold.

    Attributes
    ----------
    pattern
        One of `HATCHES`, or another one of matplotlib.
    label
        For the legend.
    """

    field: Cells
    threshold: float
    pattern: str
    label: str

    def __post_init__(self) -> None:
        if not self.pattern or len(self.pattern) > 8 or set(self.pattern) - set("/\\|-+xoO.*"):
            raise LabrigError(
                f"{self.pattern[:20]!r} is no pattern", where="hatch_pattern", expected=", ".join(HATCHES)
            )

    @property
    def share(self) -> float:
        """Part of the cells with a value that are hatched, 0 to 1; each cell counts once."""
        there = np.isfinite(self.field.values)
        return float((self.field.values[there] >= self.threshold).mean()) if there.any() else 0.0


Overlay = Contours | Hatched


def round_levels(fields: Sequence[Cells], most: int = 4) -> tuple[float, ...]:
    """Return up to `most` round levels between the least and the greatest value of fields.

    Raises
    ------
    LabrigError
        ``bad_input`` for fields of one value, which have no contours.
    """
    from matplotlib.ticker import MaxNLocator

    low = min(float(np.nanmin(field.values)) for field in fields)
    high = max(float(np.nanmax(field.values)) for field in fields)
    if not low < high:
        raise LabrigError(f"All values are {low:g}, so there is no contour", where="member_paths")
    ticks: Any = MaxNLocator(most + 1, steps=[1, 2, 5, 10]).tick_values(low, high)
    found = [float(f"{each:.10g}") for each in ticks if low < each < high]
    middle = len(found) // 2
    start = max(0, middle - most // 2)
    return tuple(found[start : start + most]) or (float(f"{(low + high) / 2:.4g}"),)


def crossed(field: Cells, level: float) -> bool:
    """Return whether a field has values on both sides of a level, so that it has a contour."""
    values = field.values[np.isfinite(field.values)]
    return bool((values < level).any() and (values >= level).any())


def draw_overlays(axes: Any, overlays: Sequence[Overlay], transform_of: Any) -> list[Any]:
    """Draw overlays in their order, and return what a legend shows of them.

    Parameters
    ----------
    transform_of
        Gives the reference system of cells as cartopy has it.
    """
    handles: list[Any] = []
    for each in overlays:
        handles += (
            _contours(axes, each, transform_of)
            if isinstance(each, Contours)
            else _hatched(axes, each, transform_of)
        )
    return handles


def _contours(axes: Any, contours: Contours, transform_of: Any) -> list[Any]:
    from matplotlib.lines import Line2D

    several = len(contours.fields) > 1
    colours = list(contours.colours) or (list(COLOURS) if several else [INK])
    colours = [colours[place % len(colours)] for place in range(len(contours.levels))]
    look = {"levels": list(contours.levels), "colors": colours, "zorder": 4}
    width, alpha = contours.linewidth, contours.alpha
    for field in contours.fields:
        x, y = field.centres
        there = np.ma.masked_invalid(field.values)
        shown = axes.contour(
            x, y, there, transform=transform_of(field), linewidths=width, alpha=alpha, **look
        )
    if not several:
        axes.clabel(shown, fontsize=7, fmt=lambda level: f"{level:g}")
        return []
    mean = np.ma.masked_invalid(np.mean([field.values for field in contours.fields], axis=0))
    axes.contour(x, y, mean, transform=transform_of(field), linewidths=width * 3, **look)
    drawn = [
        Line2D([], [], color=colour, linewidth=1.6, label=f"{level:g} {contours.unit}".strip())
        for level, colour in zip(contours.levels, colours, strict=True)
    ]
    members = f"each of {len(contours.fields)} members"
    return [
        *drawn,
        Line2D([], [], color=INK, linewidth=width, alpha=alpha, label=members),
        Line2D([], [], color=INK, linewidth=width * 3, label="their mean"),
    ]


def _hatched(axes: Any, hatched: Hatched, transform_of: Any) -> list[Any]:
    from matplotlib.patches import Patch

    if not hatched.share:
        return []
    x, y = hatched.field.centres
    high = np.where(np.nan_to_num(hatched.field.values, nan=-np.inf) >= hatched.threshold, 1.0, 0.0)
    drawn = axes.contourf(
        x, y, high, levels=[0.5, 1.5], colors="none", hatches=[hatched.pattern], zorder=3,
        transform=transform_of(hatched.field),
    )  # fmt: skip
    drawn.set_edgecolor(INK)
    drawn.set_linewidth(0.0)
    return [Patch(facecolor="white", edgecolor=INK, hatch=hatched.pattern, label=hatched.label)]
