"""EPW files of a scenario: dry bulb, dew point, humidity and the sky's radiation of each hour; the header's ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig_earth.impact.scenario import warming
from labrig_earth.impact.scenario.closure import Closure
from labrig_earth.impact.scenario.perturbation import RELATIVE_HUMIDITY, Perturbation
from labrig_earth.impact.scenario.tables import Changed, Site
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.weather.epw import (
    DEW_POINT,
    DRY_BULB,
    HEADER,
    HUMIDITY,
    INFRARED,
    Epw,
    read_epw,
)
from labrig_earth.impact.weather.moisture import dew_point, saturated

Floats = NDArray[np.float64]

DESIGN, GROUND, COMMENT = 1, 3, 5
"""Lines of the header."""

RAIN = 33
MISSING_INFRARED, MISSING_RAIN = 9999.0, 999.0
PLACES = {DRY_BULB: 2, DEW_POINT: 2, HUMIDITY: 1, INFRARED: 1, RAIN: 2}
"""Decimals of each field."""


@dataclass(frozen=True)
class _Air:
    """The air of each hour; dew point and humidity are NaN where the file has neither."""

    air_c: Floats
    dew_c: Floats
    humidity_pct: Floats


def epw(named: Named, asked: Perturbation, site: Site, seed: int, told: Closure) -> Changed:
    """Perturb an EPW file; fields that are missing stay missing.

    Raises
    ------
    LabrigError
        What `read_epw` refuses, before and after.
    """
    del site, seed
    read = read_epw(named.content, named.name)
    lines = named.content.decode("utf-8", "replace").splitlines()
    head = lines[: len(HEADER)]
    rows = [line.split(",") for line in lines[len(HEADER) :] if line.strip()]
    columns = _columns(read, asked, told)
    for place, values in columns.items():
        digits = PLACES[place]
        for row, value in zip(rows, values, strict=True):
            if not np.isnan(value):
                row[place] = f"{value:.{digits}f}"
    if asked.warmer_k:
        _header(head, asked, told)
    head[COMMENT] += f" | scenario: {asked.said}".replace(",", ";")
    content = ("\n".join([*head, *(",".join(row) for row in rows)]) + "\n").encode()
    back = read_epw(content, f"{named.name} of the scenario").numbers
    for place, values in columns.items():
        off = float(np.nanmax(np.abs(back[:, place] - values))) if not np.isnan(values).all() else 0.0
        told.holds(
            f"field {place + 1} reads back as it was written",
            off <= 0.51 * 10.0 ** -PLACES[place],
            f"{off:.4f} off",
        )
    told.holds("the number of hours stays", len(back) == len(read.numbers), f"{len(back):,} hours")
    dates = [f"{int(row[0]):04}-{int(row[1]):02}-{int(row[2]):02}" for row in rows[::24]]
    return Changed(
        content,
        np.array(dates, dtype="datetime64[D]"),
        read.numbers[:, DRY_BULB].reshape(-1, 24).mean(axis=1),
    )


def _columns(read: Epw, asked: Perturbation, told: Closure) -> dict[int, Floats]:
    """Return the fields that change, by their place; NaN where nothing is written."""
    found: dict[int, Floats] = {}
    numbers, warmer = read.numbers, asked.warmer_k
    if warmer:
        before, after = _air(numbers, asked)
        found[DRY_BULB] = after.air_c
        told.changed("dry bulb", "K", before.air_c, after.air_c)
        told.means["temperature_k"] = float(np.mean(after.air_c - before.air_c))
        for place, what, unit, values in (
            (DEW_POINT, "dew point", "K", after.dew_c),
            (HUMIDITY, "relative humidity", "%", after.humidity_pct),
        ):
            there = ~np.isnan(numbers[:, place])
            if there.any():
                found[place] = np.where(there, values, np.nan)
                told.changed(what, unit, numbers[:, place], found[place])
        _moist(before, after, asked, told)
        sky = np.where(numbers[:, INFRARED] >= MISSING_INFRARED, np.nan, numbers[:, INFRARED])
        known = ~np.isnan(sky) & (sky > 0) & ~np.isnan(before.dew_c)
        if known.any():
            warmed = warming.warmed_sky(sky, before.air_c, before.dew_c, warmer, after.dew_c)
            found[INFRARED] = np.where(known, warmed, np.nan)
            told.changed("infrared from the sky", "W/m2", np.where(known, sky, np.nan), found[INFRARED])
        if not known.all():
            told.left.append(
                f"infrared from the sky: missing in {int((~known).sum()):,} hours, in which EnergyPlus "
                "computes it of the warmer air"
            )
        told.left.append("sun, wind, pressure, sky cover and snow: they stay")
    if asked.precipitation_percent and numbers.shape[1] > RAIN:
        rain = np.where(numbers[:, RAIN] >= MISSING_RAIN, np.nan, numbers[:, RAIN])
        if np.nansum(rain) > 0:
            found[RAIN] = rain * (1 + asked.precipitation_percent / 100)
            told.changed("liquid precipitation", "mm", rain, found[RAIN], total=True)
            told.assumed.append(
                "each wet hour by the same factor: a building does not feel on which days rain falls"
            )
        else:
            told.left.append("precipitation: the file has none")
    return found


def _air(numbers: Floats, asked: Perturbation) -> tuple[_Air, _Air]:
    """Return the air before and after; where one of dew point and humidity is missing, it follows from the other."""
    air, dew, humidity = (numbers[:, place] for place in (DRY_BULB, DEW_POINT, HUMIDITY))
    of_humidity = dew_point(np.maximum(saturated(air) * humidity / 100, warming.LEAST_VAPOUR_HPA))
    dew = np.where(np.isnan(dew), of_humidity, np.minimum(dew, air))
    humidity = np.where(np.isnan(humidity), 100 * saturated(dew) / saturated(air), humidity)
    warmer, rule = asked.warmer_k, asked.humidity
    after = _Air(
        air + warmer,
        warming.warmed_dew(dew, air, warmer, rule),
        warming.warmed_humidity(humidity, air, warmer, rule),
    )
    return _Air(air, dew, humidity), after


def _moist(before: _Air, after: _Air, asked: Perturbation, told: Closure) -> None:
    if np.isnan(before.dew_c).all():
        told.left.append("humidity: the file has none")
        return
    told.holds(
        "the dew point is not above the dry bulb",
        not (after.dew_c > after.air_c + 1e-6).any(),
        f"at least {float(np.nanmin(after.air_c - after.dew_c)):.2f} K below it",
    )
    vapour = [saturated(each.dew_c) for each in (before, after)]
    held = [100 * of / saturated(each.air_c) for of, each in zip(vapour, (before, after), strict=True)]
    if asked.humidity == RELATIVE_HUMIDITY:
        told.means["relative_humidity_pct"] = float(np.nanmean(held[1] - held[0]))
        told.holds(
            "relative humidity stays",
            bool(np.nanmax(np.abs(held[1] - held[0])) <= 0.05),
            f"{np.nanmean(held[0]):.2f} % before, {np.nanmean(held[1]):.2f} % after",
        )
    else:
        told.means["vapour_pressure_percent"] = float(
            100 * (np.nanmean(vapour[1]) / np.nanmean(vapour[0]) - 1)
        )
        kept = np.minimum(vapour[0], saturated(after.air_c))
        told.holds(
            "vapour pressure stays, but where it condenses",
            bool(np.nanmax(np.abs(vapour[1] / kept - 1)) <= 1e-3),
            f"{np.nanmean(vapour[0]):.3f} hPa before, {np.nanmean(vapour[1]):.3f} hPa after",
        )


def _header(head: list[str], asked: Perturbation, told: Closure) -> None:
    """Take out what is of a past climate, and warm the ground; in place."""
    if head[DESIGN].split(",")[1:2] not in ([], ["0"]):
        told.left.append("the header's design conditions: statistics of a past climate, taken out")
        head[DESIGN] = "DESIGN CONDITIONS,0"
    cells = head[GROUND].split(",")
    depths = int(cells[1]) if len(cells) > 1 and cells[1].strip().isdigit() else 0
    warmed = 0
    for depth in range(depths):
        for place in range(2 + 16 * depth + 4, 2 + 16 * depth + 16):
            if place < len(cells) and cells[place].strip():
                try:
                    cells[place] = f"{float(cells[place]) + asked.warmer_k:.2f}"
                except ValueError:
                    continue
                warmed += 1
    if warmed:
        head[GROUND] = ",".join(cells)
        told.changes.append(
            {"what": f"{warmed} ground temperatures of the header", "by": asked.warmer_k, "unit": "K"}
        )
        told.assumed.append("the ground has warmed as much as the air, as it does over decades")
