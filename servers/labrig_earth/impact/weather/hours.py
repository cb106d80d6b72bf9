"""Hours of weather as an EPW file needs them, from hours or from days; each that is made says how.

From days (``tmin_c``, ``tmax_c``, ``rh_pct`` or ``tdew_c``, ``wind_10m_m_s`` or ``wind_2m_m_s``, ``srad_mj_m2``):
temperature is a half cosine from the minimum at 6 h to the maximum at 15 h, and one to the next day's minimum; vapour
pressure is constant through the day, by the dew point or by the mean humidity at the mean temperature, and condenses
where the air is colder; wind is constant; radiation follows the height of the sun, with the day's sum conserved.
Diffuse radiation is Erbs et al. (1982, Solar Energy 28, 293) where the file has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.weather.moisture import dew_point, pressure_at, saturated
from labrig_earth.impact.weather.quantities import Column, columns_of
from labrig_earth.impact.weather.series import DAY_S, HOUR_S, Series, read_series, require_order
from labrig_earth.impact.weather.sun import extraterrestrial, sunlit
from labrig_earth.impact.weather.wind import wind_at

Floats = NDArray[np.float64]

MIN_AT_H, MAX_AT_H = 6, 15
BARE_M = 10
"""Wind without a height is at 10 m, as that of EPW files."""
EXPECTED_WIND = "wind_10m_m_s (wind at 10 m, m/s) or wind_2m_m_s"

LEAST_VAPOUR_HPA = 0.01
LEAST_COS = 0.05
YEAR_HOURS, YEAR_DAYS = 8760, 365
MOST_CLEARNESS = 1.0

KNOWN: Mapping[str, Column] = {
    **columns_of(
        *(
            "tmin_c",
            "tmax_c",
            "rh_pct",
            "dew_point_c",
            "tdew_c",
            "wind_dir_deg",
            "pressure_hpa",
            "srad_mj_m2",
        ),
        *("ghi_w_m2", "dni_w_m2", "dhi_w_m2", "ir_w_m2", "precipitation_mm", "et0_mm"),
    ),
    "tair_c": Column(-70, 60, "degC, as EPW files have it"),
    "wind_2m_m_s": Column(0, 30, "m/s at 2 m"),
    **{name: Column(0, 40, "m/s at 10 m, as EPW files have it") for name in ("wind_10m_m_s", "wind_m_s")},
}


@dataclass(frozen=True)
class Place:
    """Where the weather is: degrees north and east, hours that the standard time is ahead of UTC, metres."""

    latitude: float
    longitude: float
    timezone_h: float
    elevation_m: float

    def require_possible(self) -> None:
        """Raise LabrigError for an invalid place, or a time zone that is not near its longitude."""
        for name, value, least, most, unit in (
            ("latitude", self.latitude, -90, 90, "degrees north"),
            ("longitude", self.longitude, -180, 180, "degrees east"),
            ("timezone", self.timezone_h, -12, 14, "hours ahead of UTC"),
            ("elevation_m", self.elevation_m, -450, 6000, "m"),
        ):
            if not least <= value <= most:
                raise LabrigError(f"{name} is {value:g}", where=name, expected=f"{least} to {most} {unit}")
        if abs((self.longitude / 15 - self.timezone_h + 12) % 24 - 12) > 3.5:
            raise LabrigError(
                f"The time zone is {self.timezone_h:+g} h at {self.longitude:g} degrees east",
                where="timezone",
                expected=f"about {self.longitude / 15:+.0f} h: the sun would stand at noon in the night",
            )


@dataclass(frozen=True)
class Hours:
    """8,760 hours of one year, in the standard time of the place, each the one that ends.

    Attributes
    ----------
    year
        Of the rows.
    air_c, dew_c, humidity_pct, pressure_pa, wind_10m_m_s
        At the end of the hour.
    ghi, dni, dhi
        Mean over the hour, W/m2.
    outside_horizontal, outside_normal
        Outside the atmosphere, W/m2.
    wind_dir_deg, infrared
        None where the file has none.
    """

    year: int
    place: Place
    air_c: Floats
    dew_c: Floats
    humidity_pct: Floats
    pressure_pa: Floats
    wind_10m_m_s: Floats
    ghi: Floats
    dni: Floats
    dhi: Floats
    outside_horizontal: Floats
    outside_normal: Floats
    wind_dir_deg: Floats | None
    infrared: Floats | None
    notes: tuple[str, ...]


def read_hours(content: bytes, where: str, place: Place) -> Hours:
    """Read a year of hours, or of days, from a CSV file.

    Parameters
    ----------
    content
        CSV. Hours: ``time``, ``tair_c``, ``rh_pct`` or ``dew_point_c``, ``wind_10m_m_s`` or ``wind_2m_m_s``,
        ``ghi_w_m2`` (mean over the hour that ends), and as it has them ``dni_w_m2`` with ``dhi_w_m2``, ``ir_w_m2``,
        ``pressure_hpa``, ``wind_dir_deg``. Days: as this module says. Times without an offset are in the standard time
        of the place.

    Raises
    ------
    LabrigError
        For what `read_series` refuses, rows that are not those of one whole year, and weather without humidity, wind or
        radiation: none of them is made up.
    """
    place.require_possible()
    series = read_series(content, where, KNOWN)
    columns, notes = wind_at(10, series.columns, BARE_M, where)
    series = replace(series, columns=columns)
    if series.step_s == HOUR_S:
        return _of_hours(series, place, list(notes))
    if series.step_s == DAY_S:
        return _of_days(series, place, list(notes))
    raise LabrigError(
        "There is one row" if series.step_s == 0 else f"A row is {series.step_s / HOUR_S:g} h",
        where=where,
        expected="hours, or days",
    )


def _of_hours(series: Series, place: Place, notes: list[str]) -> Hours:
    local = series.times
    if series.utc:
        local = local + np.timedelta64(round(place.timezone_h * HOUR_S), "s")
        notes.append(f"UTC moved by {place.timezone_h:+g} h to the standard time of the place")
    # An hour is named by its end: the row of 00:00 is hour 24 of the day before.
    began = local - np.timedelta64(HOUR_S, "s")
    middle = local[len(local) // 2].astype("datetime64[Y]")
    year = int(middle.astype(int)) + 1970
    keep = np.ones(len(local), bool)
    length = YEAR_HOURS + 24 * _leap(year)
    if len(local) != length:
        raise LabrigError(
            f"There are {len(local):,} hours, and {year} has {length:,}",
            where=series.where,
            expected="every hour of one year",
        )
    if _leap(year):
        keep = began.astype("datetime64[D]") != np.datetime64(f"{year}-02-29")
        notes.append(f"{year} is a leap year: 29 February is left out, since an EPW file has 8,760 hours")
    hour = ((began - middle.astype("datetime64[s]")).astype(np.int64) // HOUR_S) % length
    early = int(
        ((began < middle.astype("datetime64[s]")) | (began >= (middle + 1).astype("datetime64[s]"))).sum()
    )
    if early > 24:
        raise LabrigError(
            f"The rows are from {local[0]} to {local[-1]}, in the standard time of the place",
            where=series.where,
            expected=f"one calendar year, such as {year}-01-01T01:00 to {year + 1}-01-01T00:00",
        )
    if early:
        notes.append(f"{early} hours at the turn of the year stand at the other end of it")
    order = np.argsort(hour, kind="stable")
    order = order[keep[order]]
    ends = middle.astype("datetime64[s]") + (hour[order] + 1) * np.timedelta64(HOUR_S, "s")

    def of(name: str, why: str = "") -> Floats:
        found: Floats = series.column(name, why)[order]
        return found

    air = of("tair_c", "temperature of the air, degC")
    humidity = _humidity(series, order, air, notes)
    ghi = of("ghi_w_m2", "global radiation on the ground's plane, W/m2, mean over the hour that ends")
    dni_dhi = None
    if "dni_w_m2" in series.columns or "dhi_w_m2" in series.columns:
        dni_dhi = (
            of("dni_w_m2", "dni_w_m2 and dhi_w_m2, or neither"),
            of("dhi_w_m2", "dni_w_m2 and dhi_w_m2, or neither"),
        )
    return _whole(
        series,
        place,
        year,
        ends,
        air,
        humidity,
        of("wind_10m_m_s", EXPECTED_WIND),
        ghi,
        dni_dhi,
        of("pressure_hpa") * 100 if "pressure_hpa" in series.columns else None,
        of("wind_dir_deg") if "wind_dir_deg" in series.columns else None,
        of("ir_w_m2") if "ir_w_m2" in series.columns else None,
        notes,
    )


def _of_days(series: Series, place: Place, notes: list[str]) -> Hours:
    if series.utc:
        raise LabrigError(
            "Days have a clock", where=series.where, expected="dates, in the standard time of the place"
        )
    year = int(series.times[0].astype("datetime64[Y]").astype(int)) + 1970
    length = YEAR_DAYS + _leap(year)
    first = np.datetime64(f"{year}-01-01", "s")
    if len(series.times) != length or series.times[0] != first:
        raise LabrigError(
            f"There are {len(series.times):,} days from {series.days()[0]}",
            where=series.where,
            expected=f"the {length} days of one year, from {year}-01-01",
        )
    notes.append(
        "hours were made of days: half cosines between minima at 6 h and maxima at 15 h, constant vapour and wind"
    )
    keep = np.ones(length, bool)
    if _leap(year):
        keep = series.days() != np.datetime64(f"{year}-02-29")
        notes.append(f"{year} is a leap year: 29 February is left out, since an EPW file has 8,760 hours")
    low = series.column("tmin_c", "tmin_c, tmax_c, degC")[keep]
    high = series.column("tmax_c", "tmin_c, tmax_c, degC")[keep]
    require_order(series.columns, series.times, series.where)
    vapour = np.maximum(_vapour_of_days(series, (low + high) / 2, keep), LEAST_VAPOUR_HPA)
    air = half_cosines(low, high)
    of_air = saturated(air)
    humidity = 100 * np.minimum(np.repeat(vapour, 24), of_air) / of_air
    wind = np.repeat(series.column("wind_10m_m_s", EXPECTED_WIND)[keep], 24)
    starts = series.times[keep]
    ends = (starts[:, None] + (np.arange(24) + 1) * np.timedelta64(HOUR_S, "s")).ravel()
    day_sum = series.column("srad_mj_m2", "global radiation of each day, MJ/m2")[keep]
    ghi = radiation_of_days(ends, day_sum, place, series.where, starts)
    return _whole(series, place, year, ends, air, humidity, wind, ghi, None, None, None, None, notes)


def _vapour_of_days(series: Series, mean_c: Floats, keep: NDArray[np.bool_]) -> Floats:
    """Return the vapour pressure of each day, hPa, by its mean humidity or its dew point."""
    has_humidity, has_dew = "rh_pct" in series.columns, "tdew_c" in series.columns
    if has_humidity == has_dew:
        raise LabrigError(
            "Humidity is there twice" if has_dew else "There is no column rh_pct",
            where=series.where,
            expected="mean humidity of each day (rh_pct, %) or its dew point (tdew_c, degC), one of them",
        )
    if has_humidity:
        found: Floats = saturated(mean_c) * np.minimum(series.column("rh_pct")[keep], 100.0) / 100
        return found
    return saturated(series.column("tdew_c")[keep])


def half_cosines(low: Floats, high: Floats) -> Floats:
    """Return temperatures at the end of each hour, from minima at 6 h and maxima at 15 h of each day.

    Before the first minimum the day before is taken to be as the first, after the last maximum the next as the last.
    """
    knots = np.stack([low, high], axis=1).ravel()
    when = (np.arange(len(low))[:, None] * 24 + np.array([MIN_AT_H, MAX_AT_H])).ravel()
    knots = np.concatenate(([high[0]], knots, [low[-1]]))
    when = np.concatenate(([MAX_AT_H - 24], when, [24 * len(low) + MIN_AT_H]))
    hour = np.arange(1, 24 * len(low) + 1)
    place = np.searchsorted(when, hour, side="left") - 1
    part = (hour - when[place]) / (when[place + 1] - when[place])
    found: Floats = knots[place] + (knots[place + 1] - knots[place]) * (1 - np.cos(np.pi * part)) / 2
    return found


def radiation_of_days(
    ends: NDArray[np.datetime64], sums: Floats, place: Place, where: str, starts: NDArray[np.datetime64]
) -> Floats:
    """Return the global radiation of each hour, W/m2, along the height of the sun; each day keeps its sum (MJ/m2).

    Raises
    ------
    LabrigError
        For a day with more than arrives outside the atmosphere: another unit, or another place.
    """
    utc = ends - np.timedelta64(round(place.timezone_h * HOUR_S), "s")
    height, lit = sunlit(utc, HOUR_S, place.latitude, place.longitude)
    outside = (extraterrestrial(utc) * height * lit).reshape(-1, 24)
    most = outside.sum(axis=1) * HOUR_S / 1e6
    wrong = np.flatnonzero(sums > most * MOST_CLEARNESS + 0.05)
    if len(wrong):
        first = int(wrong[0])
        raise LabrigError(
            f"srad_mj_m2 is {sums[first]:g} on {starts[first].astype('datetime64[D]')}, and on {len(wrong)} days more "
            f"than arrives outside the atmosphere ({most[first]:.1f})",
            where=where,
            expected="MJ/m2/day at this latitude",
        )
    share = np.divide(sums, most, out=np.zeros_like(sums), where=most > 0)
    found: Floats = (outside * share[:, None]).ravel()
    return found


def erbs(ghi: Floats, outside_horizontal: Floats) -> Floats:
    """Return the diffuse part of global radiation, W/m2, by the clearness index (Erbs et al. 1982)."""
    clearness = np.clip(
        np.divide(ghi, outside_horizontal, out=np.zeros_like(ghi), where=outside_horizontal > 0), 0, 1
    )
    middle = (
        0.9511 - 0.1604 * clearness + 4.388 * clearness**2 - 16.638 * clearness**3 + 12.336 * clearness**4
    )
    part = np.where(clearness <= 0.22, 1 - 0.09 * clearness, np.where(clearness <= 0.8, middle, 0.165))
    found: Floats = ghi * part
    return found


def _humidity(series: Series, order: NDArray[np.int64], air: Floats, notes: list[str]) -> Floats:
    has_humidity, has_dew = "rh_pct" in series.columns, "dew_point_c" in series.columns
    if has_humidity == has_dew:
        raise LabrigError(
            "Humidity is there twice" if has_dew else "There is no humidity",
            where=series.where,
            expected="rh_pct (%) or dew_point_c (degC), one of them",
        )
    if has_dew:
        dew = series.column("dew_point_c")[order]
        if (dew > air + 0.5).any():
            raise LabrigError(
                f"The dew point is above the air's temperature in {int((dew > air + 0.5).sum())} hours",
                where=series.where,
                expected="a dew point that is not",
            )
        found: Floats = 100 * saturated(dew) / saturated(air)
    else:
        found = series.column("rh_pct")[order]
    above = int((found > 100).sum())
    if above:
        notes.append(f"humidity above 100 % taken as 100 % in {above} hours")
    return np.minimum(found, 100.0)


def _whole(
    series: Series,
    place: Place,
    year: int,
    ends: NDArray[np.datetime64],
    air: Floats,
    humidity: Floats,
    wind: Floats,
    ghi: Floats,
    dni_dhi: tuple[Floats, Floats] | None,
    pressure: Floats | None,
    direction: Floats | None,
    infrared: Floats | None,
    notes: list[str],
) -> Hours:
    """Return the hours with what follows from them, after checks of the sun."""
    utc = ends - np.timedelta64(round(place.timezone_h * HOUR_S), "s")
    height, lit = sunlit(utc, HOUR_S, place.latitude, place.longitude)
    normal = np.where(lit > 0, extraterrestrial(utc), 0.0)
    horizontal = normal * height * lit
    at_night = np.flatnonzero((ghi > 5) & (lit == 0))
    if len(at_night) > 20:
        raise LabrigError(
            f"There is radiation in {len(at_night)} hours in which the sun is below the horizon",
            where=series.where,
            expected="hours that end at their time, in the standard time of the place or with an offset from UTC",
            try_="check timezone, longitude and the clock of the file",
        )
    if dni_dhi is None:
        dhi = erbs(ghi, horizontal)
        beam = np.where(height < LEAST_COS, 0.0, ghi - dhi)
        dni = np.divide(
            beam, height * lit, out=np.zeros_like(beam), where=(beam > 0) & (height * lit >= LEAST_COS)
        )
        dni = np.minimum(dni, normal)
        dhi = np.maximum(ghi - dni * height * lit, 0.0)
        notes.append("diffuse and direct radiation by Erbs et al. (1982)")
    else:
        dni, dhi = dni_dhi
    if pressure is None:
        pressure = np.full_like(air, pressure_at(place.elevation_m))
        notes.append(f"pressure of the standard atmosphere at {place.elevation_m:g} m")
    vapour = np.maximum(saturated(air) * humidity / 100, LEAST_VAPOUR_HPA)
    if direction is None:
        notes.append("wind direction is missing (999)")
    if infrared is None:
        notes.append("infrared from the sky is missing (9999): EnergyPlus computes it")
    return Hours(
        year=year,
        place=place,
        air_c=air,
        dew_c=np.minimum(dew_point(vapour), air),
        humidity_pct=humidity,
        pressure_pa=pressure,
        wind_10m_m_s=wind,
        ghi=ghi,
        dni=dni,
        dhi=dhi,
        outside_horizontal=horizontal,
        outside_normal=normal,
        wind_dir_deg=direction,
        infrared=infrared,
        notes=tuple(notes),
    )


def _leap(year: int) -> int:
    return int((year % 4 == 0 and year % 100 != 0) or year % 400 == 0)
