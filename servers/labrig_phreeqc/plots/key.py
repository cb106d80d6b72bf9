"""The key of a picture of waters: their groups, or the samples themselves, each with its look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from labrig.plotting import style
from labrig_phreeqc.plots.water import Water

MAX_GROUPS = 8
MAX_NAMED = 16
"""Without groups, up to so many samples are told apart by name."""


class Entry(NamedTuple):
    """A group (or a sample that is told by name) and how it looks."""

    name: str
    colour: str
    marker: str
    filled: bool = True


def make_key(waters: Sequence[Water]) -> tuple[list[Entry], list[int]]:
    """Return the key, and for every water the place of its group in the key."""
    if any(water.group is not None for water in waters):
        of = [water.group for water in waters]
        counts = Counter(group for group in of if group is not None)
        first = [group for group, _ in counts.most_common(MAX_GROUPS)]
        names = [style.fit(name, 8.5, 1.5) for name in style.distinct(first, 20)]
        key = [
            Entry(f"{name} ({counts[group]})", style.COLOURS[n], style.MARKERS[n])
            for n, (group, name) in enumerate(zip(first, names, strict=True))
        ]
        if rest := len(of) - sum(counts[group] for group in first):
            others = len(counts) - len(first)
            what = f"{others} other groups" if others else "no group"
            key.append(Entry(f"{what} ({rest})", style.OTHER, "."))
        return key, [first.index(group) if group in first else len(first) for group in of]
    if len(waters) <= MAX_NAMED:
        names = [style.fit(name, 8.5, 1.7) for name in style.distinct([water.name for water in waters], 24)]
        n = len(style.COLOURS)
        key = [Entry(name, style.COLOURS[i % n], style.MARKERS[i % n], i < n) for i, name in enumerate(names)]
        return key, list(range(len(waters)))
    return [Entry(f"{len(waters)} samples", style.COLOURS[0], "o")], [0] * len(waters)


def point_look(entry: Entry, many: int) -> dict[str, Any]:
    """Return how the points of an entry look, beside how many others."""
    return {
        "marker": entry.marker,
        "facecolor": entry.colour if entry.filled else "white",
        "edgecolor": "white" if entry.filled and many <= 150 else entry.colour,
        "linewidth": 0.5 if entry.filled else 1.2,
        "alpha": 0.95 if many <= 25 else 0.75 if many <= 150 else 0.6 if many <= 1000 else 0.3,
        "zorder": 3,
    }


def point_size(many: int) -> float:
    """Return the area of a point beside how many others."""
    return 44.0 if many <= 25 else 24.0 if many <= 150 else 12.0 if many <= 1000 else 6.0


def key_look(entry: Entry) -> dict[str, Any]:
    """Return how an entry looks in a legend."""
    return {
        "marker": entry.marker,
        "markersize": 6.5,
        "markerfacecolor": entry.colour if entry.filled else "white",
        "markeredgecolor": entry.colour,
    }
