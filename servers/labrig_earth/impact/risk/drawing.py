"""The picture of runs of CLIMADA: what is lost in so many years, and which assets the expected loss is on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.impact.tables import read_table
from labrig_earth.work.fields import Fields

if TYPE_CHECKING:
    from labrig_earth.impact.operations import Archive

Floats = NDArray[np.float64]
CURVE, ASSETS = "outputs/risk_curve.csv", "outputs/impact_by_asset.csv"
SHOWN, MARKED = 10, 60
LEAST_YEARS, MOST_YEARS = 1e-6, 1e12


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a run: rising return periods with their impacts; assets from the largest expected loss down."""

    period: Floats
    impact: Floats
    names: Sequence[str]
    annual: Floats


def read(curve: bytes, assets: bytes, where: str) -> Drawn:
    """Read the tables of a run; ``bad_input`` for those of another kind."""
    points, rows = read_table(curve, f"{where}, {CURVE}"), read_table(assets, f"{where}, {ASSETS}")
    period, impact = points.numbers("return_period_years", LEAST_YEARS, MOST_YEARS), points.numbers("impact")
    annual, names = rows.numbers("expected_annual_impact"), rows.texts("exposure_id")
    order = np.argsort(-annual, kind="stable")
    along = np.argsort(period, kind="stable")
    return Drawn(period[along], impact[along], [names[place] for place in order], annual[order])


def figure(archives: Sequence[Archive], options: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return exceedance curves of all runs, and the expected loss of assets. ``options``: ``title``."""
    from labrig.plotting import style

    given = Fields(options, "options")
    title = given.text("title", "", most=120) or "What is lost, and how seldom"
    given.require_all_known()
    runs = [(each, read(each.bytes_of(CURVE), each.bytes_of(ASSETS), each.name)) for each in archives]
    units = {
        each.record.metrics["worst_event_impact"].unit
        for each, _ in runs
        if "worst_event_impact" in each.record.metrics
    }
    if len(units) != 1:
        raise LabrigError(
            f"The runs are in {' and '.join(sorted(units)) or 'no unit'}", where="runs", expected="one unit"
        )
    (unit,) = units
    names = style.distinct([each.record.scenario for each, _ in runs], 32)
    versions = ", ".join(dict.fromkeys(each.record.version for each, _ in runs))
    source = f"{versions}; {', '.join(each.name for each, _ in runs)}"
    notes = ["An impact is reached or exceeded once in so many years: a dot for each event"]
    worst = runs[0][1].names[:SHOWN]
    notes.append(
        f"Below: the {len(worst)} assets that lose most in the first run"
        if len(runs[0][1].names) > SHOWN
        else "Below: the assets"
    )
    with style.house():
        page, _ = style.page(5.6, Heading(title, source, tuple(notes)))
        parts: Any = page.subfigures(2, 1, height_ratios=(1.5, 1))
        above, below = parts
        curve, bars = above.subplots(), below.subplots()
        wide = 0.8 / len(runs)
        for place, (name, (_, drawn)) in enumerate(zip(names, runs, strict=True)):
            colour = style.COLOURS[place]
            every = drawn.period if len(drawn.period) <= MARKED else drawn.period[-1:]
            curve.plot(drawn.period, drawn.impact, color=colour, label=name)
            curve.plot(every, drawn.impact[-len(every) :], "o", color=colour, markersize=3.5)
            of = dict(zip(drawn.names, drawn.annual, strict=True))
            bars.bar(
                np.arange(len(worst)) + (place - (len(runs) - 1) / 2) * wide,
                [of.get(each, 0.0) for each in worst],
                wide,
                color=colour,
            )
        style.logarithmic(curve, "x")
        curve.xaxis.set_major_formatter(lambda years, _: f"{years:g}")
        curve.set_xlabel("Return period (years)")
        curve.set_ylabel(f"Impact of an event ({unit})")
        curve.set_ylim(bottom=0)
        curve.legend(loc="upper left")
        style.linear(curve, "y")
        bars.set_xticks(np.arange(len(worst)), [each[:14] for each in worst], rotation=30, ha="right")
        bars.set_ylabel(f"{unit}/year")
        bars.set_ylim(bottom=0)
        style.linear(bars, "y")
    return page, notes
