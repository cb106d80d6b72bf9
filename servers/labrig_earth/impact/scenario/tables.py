"""Daily and hourly CSV files of a scenario: cells that change are written anew, all others stay as they are written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.impact.crops import weather as crops
from labrig_earth.impact.health import stress
from labrig_earth.impact.scenario import warming
from labrig_earth.impact.scenario.closure import Closure
from labrig_earth.impact.scenario.perturbation import RELATIVE_HUMIDITY, WET_DAYS, Perturbation
from labrig_earth.impact.scenario.rain import changed_rain
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.tables import MISSING, Row, read_rows
from labrig_earth.impact.weather import hours as epw_hours
from labrig_earth.impact.weather.moisture import dew_point, saturated
from labrig_earth.impact.weather.quantities import BARE_WIND, WINDS, known_name
from labrig_earth.impact.weather.series import DAY_S, Series, read_series
from labrig_earth.impact.weather.wind import wind_at

Floats = NDArray[np.float64]
Days = NDArray[np.datetime64]

DECIMALS = 4
ET0_PERCENT_PER_K = {True: (1.5, 4.0), False: (2.5, 9.0)}
"""Of FAO-56 per K at constant relative humidity, and at constant vapour pressure. For 2 K it is 4 to 6 % and 6 to 11 %
in temperate and warm places; in cool and humid ones it is up to 7 % and 16 %, since there the air lacks little."""


@dataclass(frozen=True)
class Site:
    """Where the weather is: degrees north, metres; None where nobody said."""

    latitude: float | None
    elevation_m: float


@dataclass(frozen=True)
class Changed:
    """An input as the scenario has it.

    Attributes
    ----------
    content
        The file.
    days, means_c
        Its days, and the mean temperature of each before the perturbation.
    """

    content: bytes
    days: Days
    means_c: Floats


def daily(named: Named, asked: Perturbation, site: Site, seed: int, told: Closure) -> Changed:
    """Perturb the daily weather of crops.

    Raises
    ------
    LabrigError
        What `read_weather` refuses, before and after; for ``et0_mm`` without a latitude.
    """
    read = crops.read_weather(named.content, named.name, crops.MOST_FILLED_DAYS)  # they stay gaps in the file
    table = Cells.of(named, crops.KNOWN)
    days = np.array(read.dates(), dtype="datetime64[D]")
    before = dict(read.columns)
    after = _days_changed(before, days, asked, site, seed, told)
    content = table.written(after, before)
    crops.read_weather(content, f"{named.name} of the scenario", crops.MOST_FILLED_DAYS)
    return Changed(content, days, (before["tmin_c"] + before["tmax_c"]) / 2)


def timeseries(named: Named, asked: Perturbation, site: Site, seed: int, told: Closure) -> Changed:
    """Perturb a year of hours or days for ``weather_to_epw``."""
    read = read_series(named.content, named.name, epw_hours.KNOWN)
    table = Cells.of(named, epw_hours.KNOWN)
    before = dict(read.columns)
    if read.step_s == DAY_S:
        days = read.days()
        after = _days_changed(before, days, asked, site, seed, told)
        means = (before["tmin_c"] + before["tmax_c"]) / 2 if {"tmin_c", "tmax_c"} <= before.keys() else None
    else:
        after, days, means = _hours_changed(read, before, asked, seed, told)
    content = table.written(after, before)
    read_series(content, f"{named.name} of the scenario", epw_hours.KNOWN)
    return Changed(content, days, np.array([]) if means is None else means)


def met(named: Named, asked: Perturbation, site: Site, seed: int, told: Closure) -> Changed:
    """Perturb the hours of weather for thermal stress."""
    del site
    read = read_series(named.content, named.name, stress.KNOWN)
    table = Cells.of(named, stress.KNOWN)
    before = dict(read.columns)
    after, days, means = _hours_changed(read, before, asked, seed, told)
    content = table.written(after, before)
    stress.read_stress(content, f"{named.name} of the scenario")
    return Changed(content, days, means)


def _days_changed(
    before: Mapping[str, Floats], days: Days, asked: Perturbation, site: Site, seed: int, told: Closure
) -> dict[str, Floats]:
    after = dict(before)
    warmer = asked.warmer_k
    if warmer:
        for name in ("tmin_c", "tmax_c"):
            if name not in before:
                raise LabrigError(f"There is no column {name}", where=told.name)
            after[name] = before[name] + warmer
        mean = (before["tmin_c"] + before["tmax_c"]) / 2
        told.changed("daily mean of tmin_c and tmax_c", "K", mean, mean + warmer)
        told.means["temperature_k"] = float(np.nanmean((after["tmin_c"] + after["tmax_c"]) / 2 - mean))
        _moisture(before, after, mean, ("tdew_c", "rh_pct"), asked, told)
        if "et0_mm" in before:
            after["et0_mm"] = _et0(before, days, asked, site, told)
        if "srad_mj_m2" in before:
            told.left.append("srad_mj_m2: clouds and radiation stay")
    if asked.precipitation_percent and "precipitation_mm" in before:
        after["precipitation_mm"] = _rain(before["precipitation_mm"], days, asked, seed, told)
    if any(name in before for name in (*WINDS.values(), BARE_WIND)):
        told.left.append("wind: it stays")
    _counted(before, after, told)
    return after


def _et0(before: Mapping[str, Floats], days: Days, asked: Perturbation, site: Site, told: Closure) -> Floats:
    if site.latitude is None:
        raise LabrigError(
            "The weather has et0_mm, which follows from temperature and humidity, and the latitude is not known",
            where=told.name,
            expected='options {"latitude": 48.5, "elevation_m": 400}, or a treatment or an EPW that says it',
        )
    used = {name: values for name, values in before.items() if name in crops.KNOWN and name != "et0_mm"}
    used, winds = wind_at(2, used, epw_hours.BARE_M, told.name)
    told.assumed += winds
    first: date = days[0].item()
    found, notes = warming.warmed_et0(
        before["et0_mm"],
        crops.Weather(first, used),
        site.latitude,
        site.elevation_m,
        asked.warmer_k,
        asked.humidity,
    )
    said = f"; {', '.join(notes)}" if notes else ""
    told.assumed.append(
        f"et0_mm: the file's own, times the change of FAO-56 Penman-Monteith at {site.latitude:g} degrees north, "
        f"{site.elevation_m:g} m{said}"
    )
    told.changed("et0_mm", "mm", before["et0_mm"], found, total=True)
    within_band(told, before["et0_mm"], found, asked)
    return found


def within_band(told: Closure, before: Floats, after: Floats, asked: Perturbation) -> None:
    """Check the change of evapotranspiration against what FAO-56 gives for so many K."""
    percent = 100 * float(after.sum() - before.sum()) / float(before.sum()) if before.sum() else 0.0
    least, most = (each * asked.warmer_k for each in ET0_PERCENT_PER_K[asked.humidity == RELATIVE_HUMIDITY])
    least, most = min(least, most), max(least, most)
    told.holds(
        f"et0 changes by {least:+.1f} to {most:+.1f} %, as FAO-56 has it for {asked.warmer_k:+g} K at "
        f"{asked.humidity.replace('_', ' ')}",
        least <= percent <= most,
        f"{percent:+.2f} %",
    )


def _moisture(
    before: Mapping[str, Floats],
    after: dict[str, Floats],
    air: Floats,
    names: tuple[str, str],
    asked: Perturbation,
    told: Closure,
) -> None:
    """Change dew point and relative humidity as the rule says; both are checked against each other and the air."""
    dew_name, humidity_name = names
    warmer, rule = asked.warmer_k, asked.humidity
    if dew_name in before:
        dew = before[dew_name]
        after[dew_name] = warming.warmed_dew(dew, air, warmer, rule)
        told.changed(dew_name, "K", dew, after[dew_name])
        cut = int(
            (warming.warmed_vapour(saturated(dew), air, warmer, rule) < 0.9999 * _held(dew, air, asked)).sum()
        )
        told.holds(
            "the dew point is not above the air's temperature",
            not (after[dew_name] > air + warmer + 1e-6).any(),
            f"at least {float(np.nanmin(air + warmer - after[dew_name])):.2f} K below it"
            + (f"; {cut} rows condense" if cut else ""),
        )
    if humidity_name in before:
        humidity = before[humidity_name]
        after[humidity_name] = warming.warmed_humidity(humidity, air, warmer, rule)
        told.changed(humidity_name, "%", humidity, after[humidity_name])
    if dew_name not in before and humidity_name not in before:
        told.left.append("humidity: the file has none")
        return
    vapour = [
        saturated(each[dew_name])
        if dew_name in each
        else np.maximum(saturated(over) * each[humidity_name] / 100, warming.LEAST_VAPOUR_HPA)
        for each, over in ((before, air), (after, air + warmer))
    ]
    if rule == RELATIVE_HUMIDITY:
        held = [100 * each / saturated(over) for each, over in zip(vapour, (air, air + warmer), strict=True)]
        told.means["relative_humidity_pct"] = float(np.nanmean(held[1] - held[0]))
        told.holds(
            "relative humidity stays",
            bool(np.nanmax(np.abs(held[1] - np.minimum(held[0], 100.0))) <= 0.05),
            f"{np.nanmean(held[0]):.2f} % before, {np.nanmean(held[1]):.2f} % after",
        )
    else:
        told.means["vapour_pressure_percent"] = float(
            100 * (np.nanmean(vapour[1]) / np.nanmean(vapour[0]) - 1)
        )
        kept = np.minimum(vapour[0], saturated(air + warmer))
        told.holds(
            "vapour pressure stays, but where it condenses",
            bool(np.nanmax(np.abs(vapour[1] / kept - 1)) <= 1e-3),
            f"{np.nanmean(vapour[0]):.3f} hPa before, {np.nanmean(vapour[1]):.3f} hPa after",
        )


def _held(dew: Floats, air: Floats, asked: Perturbation) -> Floats:
    """Return the vapour pressure that the rule asks for, hPa, before any condenses."""
    vapour = saturated(dew)
    if asked.humidity == RELATIVE_HUMIDITY:
        vapour = vapour * saturated(air + asked.warmer_k) / saturated(air)
    found: Floats = vapour
    return found


def _rain(rain: Floats, days: Days, asked: Perturbation, seed: int, told: Closure) -> Floats:
    years = days.astype("datetime64[Y]").astype(np.int64)
    found = changed_rain(rain, years, asked.precipitation_percent, asked.precipitation_as, seed)
    told.changed("precipitation_mm", "mm", rain, found, total=True)
    total, now = float(rain.sum()), float(found.sum())
    percent = 100 * (now - total) / total if total else 0.0
    told.holds(
        f"precipitation changes by {asked.precipitation_percent:+g} % in each year",
        total == 0 or abs(percent - asked.precipitation_percent) < 0.01,
        f"{total:.1f} to {now:.1f} mm ({percent:+.3f} %); {int((rain > 0).sum())} to {int((found > 0).sum())} wet rows",
    )
    if asked.precipitation_as == WET_DAYS:
        told.assumed.append(f"wet days that become dry are drawn with seed {seed}")
        told.left.append("radiation, humidity and the range of temperature of days that became dry")
    return found


def _hours_changed(
    read: Series, before: Mapping[str, Floats], asked: Perturbation, seed: int, told: Closure
) -> tuple[dict[str, Floats], Days, Floats]:
    after = dict(before)
    warmer = asked.warmer_k
    air = read.column("tair_c", "temperature of the air, degC")
    if warmer:
        after["tair_c"] = air + warmer
        told.changed("tair_c", "K", air, after["tair_c"])
        told.means["temperature_k"] = float(np.mean(after["tair_c"] - air))
        _moisture(before, after, air, ("dew_point_c", "rh_pct"), asked, told)
        dew = [
            each["dew_point_c"]
            if "dew_point_c" in each
            else dew_point(np.maximum(saturated(over) * each["rh_pct"] / 100, warming.LEAST_VAPOUR_HPA))
            for each, over in ((before, air), (after, air + warmer))
            if "dew_point_c" in each or "rh_pct" in each
        ]
        for name in ("ir_w_m2", "thermal_down_w_m2"):
            if name in before and len(dew) == 2:
                after[name] = warming.warmed_sky(before[name], air, dew[0], warmer, dew[1])
                told.changed(name, "W/m2", before[name], after[name])
        if "thermal_up_w_m2" in before:
            after["thermal_up_w_m2"] = warming.warmed_ground(before["thermal_up_w_m2"], warmer)
            told.changed("thermal_up_w_m2", "W/m2", before["thermal_up_w_m2"], after["thermal_up_w_m2"])
            told.assumed.append("the ground warms as the air does")
        if "tmrt_c" in before:
            after["tmrt_c"] = warming.warmed_radiant(before["tmrt_c"], air, warmer)
            told.changed("tmrt_c", "K", before["tmrt_c"], after["tmrt_c"])
            told.assumed.append(
                "surroundings that radiate on a person warm as the air does, the sun's part stays"
            )
    days = read.days()
    if asked.precipitation_percent and "precipitation_mm" in before:
        after["precipitation_mm"] = _rain_of_hours(before["precipitation_mm"], days, asked, seed, told)
    told.left.append("sun and wind: they stay")
    _counted(before, after, told)
    each_day, place = np.unique(days, return_inverse=True)
    means = np.bincount(place, air) / np.bincount(place)
    return after, each_day, means


def _rain_of_hours(rain: Floats, days: Days, asked: Perturbation, seed: int, told: Closure) -> Floats:
    """Change the rain of whole days, and keep how it falls within each."""
    each_day, place = np.unique(days, return_inverse=True)
    sums = np.bincount(place, rain).astype(float)
    found = _rain(sums, each_day, asked, seed, told)
    share = np.divide(found, sums, out=np.ones_like(sums), where=sums > 0)
    changed: Floats = rain * share[place]
    return changed


def _counted(before: Mapping[str, Floats], after: Mapping[str, Floats], told: Closure) -> None:
    first = len(next(iter(before.values())))
    told.holds(
        "the number of rows stays", all(len(each) == first for each in after.values()), f"{first:,} rows"
    )


@dataclass(frozen=True)
class Cells:
    """The cells of a CSV file, as they are written."""

    head: list[str]
    names: list[str]
    rows: list[Row]

    @classmethod
    def of(cls, named: Named, known: Collection[str] = ()) -> Cells:
        """Return the cells of a file, and its columns by their known names."""
        head, rows = read_rows(named.content, named.name)
        return cls(head, [known_name(each, known) for each in head], rows)

    def written(self, after: Mapping[str, Floats], before: Mapping[str, Floats]) -> bytes:
        """Return the file with the cells of columns that changed; a cell without a value stays without."""
        changed = {name for name, values in after.items() if values is not before[name]}
        for name in changed:
            place = self.names.index(name)
            for (_, row), value in zip(self.rows, after[name], strict=True):
                if row[place].strip().lower() not in MISSING:
                    row[place] = repr(round(float(value), DECIMALS) + 0.0)
        return csv_text(self.head, (row for _, row in self.rows)).encode()
