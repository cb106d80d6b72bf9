"""The picture of runs of crops: biomass and yield through a season, water stress below, and the water that came.

Runs lie over each other, a colour each: a baseline and its intervention are told apart at every day. Days are counted
from planting, so that seasons of other years compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.impact.tables import read_table
from labrig_earth.work.fields import Fields

if TYPE_CHECKING:
    from labrig_earth.impact.operations import Archive

MOST_SEASONS = 500
NEEDED = ("biomass_t_ha", "yield_t_ha", "water_stress", "precipitation_mm", "irrigation_mm")


def season_of(content: bytes, season: int, where: str) -> dict[str, NDArray[np.float64]]:
    """Return the columns of one season of a daily table, with ``day`` after planting.

    Raises
    ------
    LabrigError
        ``not_found`` for a season that is not in it; ``bad_input`` for a table of another kind.
    """
    table = read_table(content, where)
    seasons, days = table.numbers("season"), table.numbers("day_after_planting")
    mine = (seasons == season) & (days > 0)
    if not mine.any():
        known = seasons[days > 0]
        raise LabrigError(
            f"There is no season {season}",
            where=where,
            expected=f"{known.min():g} to {known.max():g}" if len(known) else "",
            code="not_found",
        )
    return {"day": days[mine], **{name: table.numbers(name)[mine] for name in NEEDED}}


def figure(archives: Sequence[Archive], options: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return the picture of one season of each run.

    Parameters
    ----------
    options
        ``season`` (from 1), ``member`` (0 is the first weather), ``title``.
    """
    from labrig.plotting import style

    asked = Fields(options, "options")
    season, member = (
        asked.whole("season", 1, MOST_SEASONS, "", 1),
        asked.whole("member", 0, MOST_SEASONS, "", 0),
    )
    title = asked.text("title", "", 120) or "Biomass, yield and water stress of a season"
    asked.require_all_known()
    file = "outputs/weather_daily.csv" if member == 0 else f"outputs/member_{member:03}_daily.csv"
    curves = [(each, season_of(each.bytes_of(file), season, each.name)) for each in archives]
    names = style.distinct([each.record.scenario for each, _ in curves], 40)
    versions = ", ".join(dict.fromkeys(each.record.version for each, _ in curves))
    notes = [f"Season {season}, day 1 is the day of planting; rain and irrigation are summed from there"]
    with style.house():
        page, _ = style.page(
            5.6, Heading(title, f"{versions}; {', '.join(each.name for each, _ in curves)}", tuple(notes))
        )
        growth, stress, water = page.subplots(3, 1, sharex=True, height_ratios=(3, 1.2, 1.4))
        for place, (name, (_, days)) in enumerate(zip(names, curves, strict=True)):
            colour = style.COLOURS[place]
            growth.plot(days["day"], days["biomass_t_ha"], "--", color=colour, label=f"{name}: biomass")
            growth.plot(days["day"], days["yield_t_ha"], "-", color=colour, label=f"{name}: yield")
            stress.fill_between(days["day"], 0, days["water_stress"], color=colour, alpha=0.35, linewidth=0)
            stress.plot(days["day"], days["water_stress"], color=colour, linewidth=0.9)
            came = np.cumsum(days["precipitation_mm"] + days["irrigation_mm"])
            water.plot(days["day"], came, color=colour)
        growth.set_ylabel("Dry matter (t/ha)")
        growth.legend(loc="upper left", ncols=1 if len(curves) < 3 else 2)
        growth.set_ylim(bottom=0)
        stress.set_ylim(0, 1)
        stress.set_ylabel("Water\nstress (1)")
        water.set_ylabel("Rain and\nirrigation (mm)")
        water.set_ylim(bottom=0)
        water.set_xlabel("Days after planting")
        for axes in (growth, water):
            style.linear(axes, "y")
        water.margins(x=0.01)
    return page, notes
