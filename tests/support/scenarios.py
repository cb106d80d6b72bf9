"""One made place of which tests have every input: hours, days and an EPW file of one air, roads, a field, a house."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from labrig_earth.impact.weather.epw import write_epw
from labrig_earth.impact.weather.hours import Place, read_hours
from labrig_earth.impact.weather.sun import extraterrestrial, sunlit
from support.crops import SILT_LOAM, treatment
from support.risk import ASSETS, DEPTH, river
from support.traffic import edge

LATITUDE, LONGITUDE, ELEVATION = 41.0, -93.0, 300.0
SIGMA = 5.670374e-8
YEAR = 2001


def buck(celsius: Any) -> Any:
    """Return the saturation vapour pressure, hPa, by Buck (1981): another formula than the server's."""
    return 6.1121 * np.exp((18.678 - celsius / 234.5) * celsius / (257.14 + celsius))


def et0(low: Any, high: Any, dew: Any, wind_2m: Any, sun_mj: Any, day: Any) -> Any:
    """Return FAO-56 Penman-Monteith, mm/day, written here once more."""

    def pressure(celsius: Any) -> Any:
        return 0.6108 * np.exp(17.27 * celsius / (celsius + 237.3))

    mean = (low + high) / 2
    distance = 1 + 0.033 * np.cos(2 * math.pi * day / 365)
    tilt = 0.409 * np.sin(2 * math.pi * day / 365 - 1.39)
    phi = math.radians(LATITUDE)
    sunset = np.arccos(-np.tan(phi) * np.tan(tilt))
    above = 37.586 * distance * (
        sunset * np.sin(phi) * np.sin(tilt) + np.cos(phi) * np.cos(tilt) * np.sin(sunset)
    )  # fmt: skip
    cloud = 1.35 * np.clip(sun_mj / ((0.75 + 2e-5 * ELEVATION) * above), 0.3, 1) - 0.35
    thermal = 4.903e-9 * ((low + 273.16) ** 4 + (high + 273.16) ** 4) / 2
    net = 0.77 * sun_mj - thermal * (0.34 - 0.14 * np.sqrt(pressure(dew))) * cloud
    slope = 4098 * pressure(mean) / (mean + 237.3) ** 2
    gamma = 0.000665 * 101.3 * ((293 - 0.0065 * ELEVATION) / 293) ** 5.26
    deficit = (pressure(low) + pressure(high)) / 2 - pressure(dew)
    return np.maximum(
        (0.408 * slope * net + gamma * 900 / (mean + 273) * wind_2m * deficit)
        / (slope + gamma * (1 + 0.34 * wind_2m)),
        0,
    )


@functools.cache
def weather() -> dict[str, Any]:
    """Return a year of hours of the place (air_c, dew_c, humidity_pct, wind_10m_m_s, ghi, sky), in its standard
    time.
    """
    hour = np.arange(1, 8761)
    ends = np.datetime64(f"{YEAR}-01-01", "s") + hour * np.timedelta64(3600, "s")
    day = (hour - 1) // 24
    season = np.cos(2 * math.pi * (day - 200) / 365)
    air = 14 + 11 * season + 3 * np.sin(day * 1.7) + 5.5 * np.cos(2 * math.pi * (hour - 15) / 24)
    humidity = np.clip(55 - 14 * np.cos(2 * math.pi * (hour - 15) / 24) + 8 * np.sin(day * 0.9), 20, 99)
    utc = ends + np.timedelta64(6 * 3600, "s")
    height, lit = sunlit(utc, 3600, LATITUDE, LONGITUDE)
    clear = 0.5 + 0.2 * np.sin(day * 0.9 + 2)
    logarithm = np.log(humidity / 100) + 17.62 * air / (243.12 + air)
    return {
        "ends": ends,
        "air_c": air,
        "humidity_pct": humidity,
        "dew_c": 243.12 * logarithm / (17.62 - logarithm),
        "wind_10m_m_s": 2.4 + np.sin(day * 2.1),
        "ghi": extraterrestrial(utc) * height * lit * clear,
        "sky": 0.84 * SIGMA * (air + 273.15) ** 4,
        "height": height,
    }


def hours_csv() -> bytes:
    """Return the hours as ``weather_to_epw`` takes them."""
    at = weather()
    lines = ["time,tair_c,rh_pct,wind_10m_m_s,ghi_w_m2,ir_w_m2"]
    columns = [at[name] for name in ("air_c", "humidity_pct", "wind_10m_m_s", "ghi", "sky")]
    for row, when in enumerate(at["ends"]):
        lines.append(f"{str(when)[:16]}," + ",".join(f"{each[row]:.2f}" for each in columns))
    return "\n".join(lines).encode()


@functools.cache
def epw() -> bytes:
    """Return the year as an EPW file."""
    place = Place(LATITUDE, LONGITUDE, -6, ELEVATION)
    return write_epw(read_hours(hours_csv(), "hours.csv", place), "Made", "-", "made for tests").encode()


def met_csv(first_day: int = 190, days: int = 21) -> bytes:
    """Return some weeks of the hours as ``impact_health_utci`` takes them, with a made radiant temperature."""
    at = weather()
    lines = ["time,tair_c,rh_pct,wind_10m_m_s,tmrt_c"]
    for row in range(24 * first_day, 24 * (first_day + days)):
        radiant = at["air_c"][row] + (24 * at["height"][row] if at["height"][row] > 0 else -3)
        cells = (at["air_c"][row], at["humidity_pct"][row], at["wind_10m_m_s"][row], radiant)
        lines.append(f"{str(at['ends'][row])[:16]}," + ",".join(f"{each:.2f}" for each in cells))
    return "\n".join(lines).encode()


@functools.cache
def daily_csv() -> bytes:
    """Return the year as days, as crops take them, with evapotranspiration."""
    at = weather()
    air = at["air_c"].reshape(-1, 24)
    day = np.arange(365)
    wet = (day * 7) % 11 < 3
    columns = {
        "tmin_c": air.min(axis=1),
        "tmax_c": air.max(axis=1),
        "precipitation_mm": np.where(wet, 4 + 5 * np.abs(np.sin(day)), 0),
        "srad_mj_m2": at["ghi"].reshape(-1, 24).sum(axis=1) * 3600 / 1e6,
        "tdew_c": at["dew_c"].reshape(-1, 24).mean(axis=1),
        "wind_2m_m_s": at["wind_10m_m_s"].reshape(-1, 24).mean(axis=1) * 0.748,
    }
    columns = {name: np.round(values, 3) for name, values in columns.items()}
    columns["et0_mm"] = np.round(
        et0(
            columns["tmin_c"],
            columns["tmax_c"],
            columns["tdew_c"],
            columns["wind_2m_m_s"],
            columns["srad_mj_m2"],
            day + 1,
        ),
        4,
    )
    lines = ["date," + ",".join(columns)]
    for place in day:
        when = np.datetime64(f"{YEAR}-01-01") + place
        lines.append(f"{when}," + ",".join(repr(float(each[place])) for each in columns.values()))
    return "\n".join(lines).encode()


BRIDGES: dict[str, Any] = {
    "nodes": [
        {"id": name, "x": x, "y": y}
        for name, x, y in (("w", 0, 0), ("a", 1000, 0), ("b", 1600, 0), ("e", 2600, 0), ("n", 1300, 1500))
    ],
    "edges": [
        edge("wa", "w", "a"),
        edge("aw", "a", "w"),
        edge("bridge", "a", "b"),
        edge("bridge-back", "b", "a"),
        edge("be", "b", "e"),
        edge("eb", "e", "b"),
        edge("an", "a", "n"),
        edge("na", "n", "a"),
        edge("nb", "n", "b"),
        edge("bn", "b", "n"),
    ],
}
"""Two banks, a short bridge between them, and a long way round."""


def trips(count: int = 40) -> bytes:
    """Return trips over the river in both directions."""
    rows = ["id,depart_s,from,to"]
    rows += [f"t{n},{6 * n},{'wa,be' if n % 2 else 'eb,aw'}" for n in range(count)]
    return "\n".join(rows).encode()


FILES: dict[str, str] = {
    "weather_daily_path": "weather.csv",
    "soil_path": "soil.json",
    "crop_path": "maize.json",
    "management_path": "rainfed.json",
    "soil_profile_path": "profile.json",
    "cultivar_path": "cultivar.json",
    "treatment_path": "treatment.json",
    "weather_epw_path": "place.epw",
    "building_idf_path": "house.json",
    "network_path": "roads.json",
    "routes_path": "trips.csv",
    "met_timeseries_path": "met.csv",
    "hazard_event_set_path": "river.json",
    "exposure_path": "assets.csv",
    "impact_functions_path": "depth.json",
}
"""Names of all inputs of the place, by the arguments of the simulators."""


def lay_out(folder: Path) -> dict[str, str]:
    """Write all inputs of the place, and return their names by argument."""
    contents: dict[str, Any] = {
        "weather_daily_path": daily_csv(),
        "soil_path": {"type": "SandyLoam"},
        "crop_path": {"name": "Maize", "planting": "05-01"},
        "management_path": {"start": "2001-04-01", "end": "2001-12-15"},
        "soil_profile_path": SILT_LOAM,
        "cultivar_path": {"crop": "Maize", "cultivar": "IB0012"},
        "treatment_path": treatment(),
        "weather_epw_path": epw(),
        "building_idf_path": {"insulation_r_m2k_w": 2.0, "window_share": 0.2},
        "network_path": BRIDGES,
        "routes_path": trips(),
        "met_timeseries_path": met_csv(),
        "hazard_event_set_path": river(),
        "exposure_path": ASSETS.encode(),
        "impact_functions_path": DEPTH,
    }
    for role, content in contents.items():
        written = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / FILES[role]).write_bytes(written)
    return dict(FILES)
