"""The picture of runs of EnergyPlus: heating and cooling of each day through the year, and the mean day of hours.

Runs lie over each other, a colour each; heating is drawn upward, cooling downward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.impact.buildings.balance import Floats, read_columns
from labrig_earth.work.fields import Fields

if TYPE_CHECKING:
    from labrig_earth.impact.operations import Archive

HOURLY = "outputs/hourly.csv"
HEATING, COOLING = "heating_energytransfer_kwh", "cooling_energytransfer_kwh"
TOTAL = ("electricity_facility_kwh", "naturalgas_facility_kwh", "districtheatingwater_facility_kwh",
         "districtcooling_facility_kwh")  # fmt: skip


def read(content: bytes, where: str) -> dict[str, Floats]:
    """Return the hours of a run in whole days, shape (day, 24); ``bad_input`` for a table of another kind."""
    columns = read_columns(content, f"{where}, {HOURLY}")
    if "outdoor_c" not in columns:
        raise LabrigError("This is no run of EnergyPlus", where=where)
    hours = len(columns["outdoor_c"])
    none = np.zeros(hours)
    shown = {name: columns.get(name, none) for name in (HEATING, COOLING)}
    shown["total"] = np.sum([columns.get(name, none) for name in TOTAL], axis=0)
    return {name: values[: hours // 24 * 24].reshape(-1, 24) for name, values in shown.items() if hours >= 24}


def figure(archives: Sequence[Archive], options: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return the picture of runs. ``options``: ``title``."""
    from labrig.plotting import style

    given = Fields(options, "options")
    title = given.text("title", "", most=120) or "Loads of a building through the year and the day"
    given.require_all_known()
    runs = [(each, read(each.bytes_of(HOURLY), each.name)) for each in archives]
    if any(not hours for _, hours in runs):
        raise LabrigError("A run has no whole day", where="runs", expected="runs of at least 24 hours")
    names = style.distinct([each.record.scenario for each, _ in runs], 40)
    notes = ["Heating upward, cooling downward: heat that is given to and taken from rooms; below, all energy that "
             "comes into the building, mean of each hour of the day"]  # fmt: skip
    versions = ", ".join(dict.fromkeys(each.record.version for each, _ in runs))
    with style.house():
        page, _ = style.page(
            5.2, Heading(title, f"{versions}; {', '.join(each.name for each, _ in runs)}", tuple(notes))
        )
        year, day = page.subplots(2, 1, height_ratios=(1.6, 1))
        for place, (name, (_, hours)) in enumerate(zip(names, runs, strict=True)):
            colour = style.COLOURS[place]
            days = np.arange(1, len(hours[HEATING]) + 1)
            year.step(days, hours[HEATING].sum(axis=1), where="mid", color=colour, label=name, linewidth=0.9)
            year.step(days, -hours[COOLING].sum(axis=1), where="mid", color=colour, linewidth=0.9)
            day.step(
                np.arange(25),
                np.append(hours["total"].mean(axis=0), hours["total"][:, -1].mean()),
                where="post",
                color=colour,
            )
        year.axhline(0, color="#808080", linewidth=0.6)
        year.set_ylabel("Heating, cooling\n(kWh a day)")
        year.set_xlabel("Day of the run")
        year.legend(loc="upper center", ncols=2)
        day.set_ylabel("All energy (kW)")
        day.set_xlabel("Hour of the day")
        day.set_xlim(0, 24)
        day.set_xticks(range(0, 25, 3))
        day.set_ylim(bottom=0)
        for axes in (year, day):
            style.linear(axes, "y")
        year.margins(x=0.01)
    return page, notes
