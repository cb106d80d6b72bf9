"""The picture of runs of SUMO: where time is lost on the roads, a map for each run, and by how much trips are delayed.

Where all runs have closed or slow roads, it is what these add to the undisturbed ones; all maps have one scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.impact.tables import read_table
from labrig_earth.impact.traffic.accounting import DISTURBED, UNDISTURBED, added_s, read_legs
from labrig_earth.work.fields import Fields

if TYPE_CHECKING:
    from labrig_earth.impact.operations import Archive

Floats = NDArray[np.float64]
EDGES, TRIPS = "outputs/edges.csv", "outputs/trips.csv"


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a run.

    Attributes
    ----------
    lines
        A line of each edge, (point, 2) in metres.
    lost_h
        Vehicle hours that are lost on each edge, or that the disruption adds, mean over seeds.
    closed
        Whether each edge is closed.
    delays_s
        Of each trip of all seeds, in order: time lost, or what the disruption adds.
    """

    lines: Sequence[Floats]
    lost_h: Floats
    closed: NDArray[np.bool_]
    delays_s: Floats


def is_disturbed(edges: bytes) -> bool:
    """Return whether a run has disturbed roads."""
    return b"disturbed_time_loss_s" in edges.split(b"\n", 1)[0].replace(b"undisturbed", b"")


def read(edges: bytes, trips: bytes, where: str, *, added: bool) -> Drawn:
    """Read the tables of a run; ``bad_input`` for those of another kind.

    Parameters
    ----------
    added
        What the disruption adds, not what is lost in all.
    """
    table = read_table(edges, f"{where}, {EDGES}")
    last = DISTURBED if is_disturbed(edges) else UNDISTURBED
    lost = table.numbers(f"{last}_time_loss_s")
    if added:
        lost -= table.numbers(f"{UNDISTURBED}_time_loss_s")
    legs = read_legs(trips)
    delays = [
        added_s(legs[seed, UNDISTURBED], each)[0] if added else (each.waited_s + each.lost_s)[each.finished]
        for (seed, roads), each in legs.items()
        if roads == last
    ]
    try:
        lines = [
            np.array([[float(each) for each in point.split(",")[:2]] for point in shape.split()])
            for shape in table.texts("shape")
        ]
        if any(line.ndim != 2 or len(line) < 2 for line in lines):
            raise ValueError
    except ValueError:
        raise LabrigError("This is no shape of a road", where=table.where, expected="x,y x,y ..") from None
    closed = np.array(table.texts("closed")) == "1"
    return Drawn(lines, lost / 3600, closed, np.sort(np.concatenate(delays)))


def figure(archives: Sequence[Archive], options: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return maps of lost time and the distribution of delays. ``options``: ``title``."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import TwoSlopeNorm

    from labrig.plotting import style

    given = Fields(options, "options")
    title = given.text("title", "", most=120) or "Time lost on the roads, and delays of trips"
    given.require_all_known()
    added = all(is_disturbed(each.bytes_of(EDGES)) for each in archives)
    runs = [
        (each, read(each.bytes_of(EDGES), each.bytes_of(TRIPS), each.name, added=added)) for each in archives
    ]
    names = style.distinct([each.record.scenario for each, _ in runs], 32)
    what = "added by the disruption" if added else "lost against free driving"
    notes = [f"Time {what}, mean over seeds on the map; every trip of every seed below"]
    if any(drawn.closed.any() for _, drawn in runs):
        notes.append("Closed roads are dashed in black; trips that are cancelled have no delay")
    most = max(float(np.abs(drawn.lost_h).max()) for _, drawn in runs) or 1.0
    versions = ", ".join(dict.fromkeys(each.record.version for each, _ in runs))
    source = f"{versions}; {', '.join(each.name for each, _ in runs)}"
    with style.house():
        page, _ = style.page(6.2, Heading(title, source, tuple(notes)))
        parts: Any = page.subfigures(2, 1, height_ratios=(1.6, 1))
        above, below = parts
        maps = np.atleast_1d(above.subplots(1, len(runs), sharex=True, sharey=True))
        spread = below.subplots()
        shown = None
        for place, (name, (_, drawn)) in enumerate(zip(names, runs, strict=True)):
            axes = maps[place]
            width = 0.6 + 3.4 * np.sqrt(np.abs(drawn.lost_h) / most)
            order = np.argsort(np.abs(drawn.lost_h))
            shown = LineCollection(
                [drawn.lines[index] for index in order],
                linewidths=width[order],
                array=drawn.lost_h[order],
                cmap="RdBu_r" if added else "YlOrRd",
                norm=TwoSlopeNorm(0, -most, most) if added else None,
                capstyle="round",
            )
            if not added:
                shown.set_clim(0, most)
            axes.add_collection(LineCollection(drawn.lines, linewidths=0.5, colors="#b0b0b0", zorder=0))
            axes.add_collection(shown)
            shut = [line for line, closed in zip(drawn.lines, drawn.closed, strict=True) if closed]
            axes.add_collection(
                LineCollection(shut, linewidths=1.6, colors="black", linestyles=(0, (2, 1.2)))
            )
            axes.autoscale_view()
            axes.set_aspect("equal")
            axes.set_title(name, fontsize=9)
            axes.set_xlabel("East (m)")
            style.linear(axes, "x")
            style.linear(axes, "y")
            percent = 100 * (np.arange(len(drawn.delays_s)) + 1) / max(len(drawn.delays_s), 1)
            spread.step(drawn.delays_s, percent, where="post", color=style.COLOURS[place], label=name)
        maps[0].set_ylabel("North (m)")
        bar = above.colorbar(shown, ax=list(maps), shrink=0.85, aspect=28, pad=0.02)
        bar.set_label(f"Vehicle hours {'added' if added else 'lost'}")
        spread.set_xlabel(f"Travel time {what} (s)")
        spread.set_ylabel("Trips (%), cumulative")
        spread.set_ylim(0, 100)
        if added:
            spread.axvline(0, color="#808080", linewidth=0.6)
        spread.legend(loc="lower right")
        style.linear(spread, "x")
    return page, notes
