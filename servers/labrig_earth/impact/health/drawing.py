"""Pictures of runs of health: hours of each category of UTCI as bars, and attributable cases with their interval.

Each run has a panel of its own, all with one scale: a baseline and its intervention are compared bar by bar. Many days
become weeks, months or years, so that no bar is narrower than a line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labrig.plotting.checks import Heading
from labrig_earth.impact.health.utci import CATEGORIES, EDGES_C
from labrig_earth.impact.tables import Table, read_table
from labrig_earth.work.fields import Fields

if TYPE_CHECKING:
    from labrig_earth.impact.operations import Archive

Floats = NDArray[np.float64]

COLOURS = (
    *("#08306b", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0"),
    *("#b8d8a8", "#fee08b", "#f79454", "#d73027", "#7a0177"),
)
"""From extreme cold to extreme heat, no stress in green; lightness falls towards both ends."""

NO_UTCI = "#c4c4c4"
MOST_BARS = 60
MISSING = "no UTCI"


def binned(dates: Sequence[str], values: Floats) -> tuple[list[str], Floats, str]:
    """Sum rows over days, weeks, months or years: the shortest of which there are at most `MOST_BARS`.

    Parameters
    ----------
    values
        (row, what is stacked).

    Returns
    -------
    labels, sums, name of the period
    """
    days = np.array(dates, dtype="datetime64[D]")
    keys = {"day": days, "week": days.astype("datetime64[W]").astype("datetime64[D]")}
    keys |= {"month": days.astype("datetime64[M]"), "year": days.astype("datetime64[Y]")}
    name = next((name for name, key in keys.items() if len(np.unique(key)) <= MOST_BARS), "year")
    labels, places = np.unique(keys[name], return_inverse=True)
    sums = np.zeros((len(labels), values.shape[1]))
    np.add.at(sums, places, values)
    return [str(label) for label in labels], sums, name


def bounds_of(place: int) -> str:
    """Return the range of a category for a legend, degC."""
    if place == 0:
        return f"< {EDGES_C[0]:g}"
    if place == len(EDGES_C):
        return f"≥ {EDGES_C[-1]:g}"
    return f"{EDGES_C[place - 1]:g} to {EDGES_C[place]:g}"


def figure(archives: Sequence[Archive], options: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return the picture of runs of one tool.

    Parameters
    ----------
    options
        ``title``.
    """
    asked = Fields(options, "options")
    title = asked.text("title", "", 120)
    asked.require_all_known()
    if archives[0].record.tool == "impact_health_utci":
        return _categories(archives, title or "Thermal stress: hours of each category of UTCI")
    return _cases(archives, title or "Cases that are due to the exposure")


def _page(archives: Sequence[Archive], title: str, notes: Sequence[str]) -> Any:
    from labrig.plotting import style

    versions = ", ".join(dict.fromkeys(each.record.version for each in archives))
    names = ", ".join(each.name for each in archives)
    page, _ = style.page(1.9 + 2.3 * len(archives), Heading(title, f"{versions}; {names}", tuple(notes)))
    return page


def _table(archive: Archive, name: str) -> Table:
    return read_table(archive.bytes_of(name), f"{archive.name}, {name}")


def _categories(archives: Sequence[Archive], title: str) -> tuple[Any, list[str]]:
    from labrig.plotting import style

    tables = [_table(each, "outputs/utci_daily.csv") for each in archives]
    names = [f"{name}_h" for name in CATEGORIES] + ["hours_without_utci"]
    sums = []
    for each in tables:
        sums.append(binned(each.texts("date"), np.array([each.numbers(name) for name in names]).T))
    shown = [place for place in range(len(names)) if any(found[:, place].any() for _, found, _ in sums)]
    notes = [f"Bars are {sums[0][2]}s by the clock of the file; a value on an edge is of the warmer category"]
    colours = (*COLOURS, NO_UTCI)
    labels = [f"{name.replace('_', ' ')} ({bounds_of(place)} °C)" for place, name in enumerate(CATEGORIES)]
    labels.append(MISSING)
    with style.house():
        page = _page(archives, title, notes)
        panels = page.subplots(len(archives), 1, sharex=False, sharey=True, squeeze=False)[:, 0]
        for panel, (ticks, found, _), archive in zip(panels, sums, archives, strict=True):
            base = np.zeros(len(ticks))
            for place in shown:
                panel.bar(
                    range(len(ticks)),
                    found[:, place],
                    bottom=base,
                    width=0.85,
                    color=colours[place],
                    edgecolor="white",
                    linewidth=0.3,
                    label=labels[place],
                )
                base += found[:, place]
            _ticks(panel, ticks)
            if sums[0][2] == "day":
                panel.set_yticks(range(0, 25, 6))
            panel.set_ylabel("hours")
            panel.set_title(style.fit(archive.record.scenario, 9.5, 6.5), loc="left", fontsize=9.5)
            panel.grid(axis="x", visible=False)
        handles, texts = panels[0].get_legend_handles_labels()
        page.legend(handles[::-1], texts[::-1], loc="outside right upper", fontsize=7.5)
    return page, notes


def _cases(archives: Sequence[Archive], title: str) -> tuple[Any, list[str]]:
    from labrig.plotting import style

    tables = [_table(each, "outputs/attributable_timeseries.csv") for each in archives]
    columns = ("attributable_cases", "attributable_cases_low", "attributable_cases_high")
    sums = []
    for each in tables:
        names = [name if name in each.columns else columns[0] for name in columns]
        sums.append(binned(each.texts("date"), np.array([each.numbers(name) for name in names]).T))
    known = all(columns[1] in each.columns for each in tables)
    notes = [
        f"Bars are {sums[0][2]}s" + ("; lines are at the bounds of the slope's interval" if known else "")
    ]
    with style.house():
        page = _page(archives, title, notes)
        panels = page.subplots(len(archives), 1, sharex=False, sharey=True, squeeze=False)[:, 0]
        for place, (panel, (ticks, found, _), archive) in enumerate(zip(panels, sums, archives, strict=True)):
            panel.bar(range(len(ticks)), found[:, 0], width=0.8, color=style.COLOURS[place])
            if known:
                low, high = np.minimum(found[:, 1], found[:, 2]), np.maximum(found[:, 1], found[:, 2])
                panel.vlines(range(len(ticks)), low, high, color=style.INK, linewidth=1.0)
            _ticks(panel, ticks)
            panel.set_ylabel("cases")
            panel.set_title(style.fit(archive.record.scenario, 9.5, 6.5), loc="left", fontsize=9.5)
            panel.grid(axis="x", visible=False)
    return page, notes


def _ticks(panel: Any, labels: Sequence[str]) -> None:
    most = 8 if len(labels[0]) < 8 else 5  # days are longer words than months, and a legend narrows the panel
    step = max(1, -(-len(labels) // most))
    panel.set_xticks(range(0, len(labels), step), labels[::step], fontsize=8)
    panel.set_xlim(-0.6, len(labels) - 0.4)
