"""What the columns of weather are: the unit in each name, what has been measured on Earth, and other names of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

BARE_WIND = "wind_m_s"
"""Says no height: it is taken for that of the tool that reads it, and the answer says so."""

WINDS: Mapping[int, str] = {2: "wind_2m_m_s", 10: "wind_10m_m_s"}


@dataclass(frozen=True)
class Column:
    """What a column may hold.

    Attributes
    ----------
    least, most
        What has been measured on Earth, rounded outwards; a value beyond it has another unit, or is a code for missing.
    unit
        For errors.
    """

    least: float
    most: float
    unit: str


COLUMNS: Mapping[str, Column] = {
    "tair_c": Column(-90, 60, "degC"),
    "tmin_c": Column(-90, 45, "degC"),
    "tmax_c": Column(-90, 60, "degC"),
    "rh_pct": Column(0, 105, "%"),
    "dew_point_c": Column(-100, 40, "degC"),
    "tdew_c": Column(-100, 40, "degC, of days"),
    "precipitation_mm": Column(0, 2_000, "mm"),
    "et0_mm": Column(0, 25, "mm"),
    "pressure_hpa": Column(310, 1_100, "hPa"),
    **{name: Column(0, 110, f"m/s at {height} m") for height, name in WINDS.items()},
    BARE_WIND: Column(0, 110, "m/s"),
    "wind_dir_deg": Column(0, 360, "degrees from north"),
    "srad_mj_m2": Column(0, 45, "MJ/m2/day"),
    "ghi_w_m2": Column(0, 1_500, "W/m2"),
    "dni_w_m2": Column(0, 1_400, "W/m2 on a plane that faces the sun"),
    "dhi_w_m2": Column(0, 900, "W/m2"),
    "ir_w_m2": Column(50, 700, "W/m2"),
    "solar_down_w_m2": Column(0, 1_500, "W/m2"),
    "solar_direct_w_m2": Column(0, 1_400, "W/m2 on the ground's plane"),
    "solar_up_w_m2": Column(0, 1_300, "W/m2"),
    "thermal_down_w_m2": Column(50, 700, "W/m2"),
    "thermal_up_w_m2": Column(50, 1_000, "W/m2"),
    "tmrt_c": Column(-100, 150, "degC"),
    "latitude": Column(-90, 90, "degrees north"),
    "longitude": Column(-180, 360, "degrees east"),
}

OTHER_NAMES: Mapping[str, str] = {
    "temperature_c": "tair_c",
    "t2m_c": "tair_c",
    "tmin": "tmin_c",
    "tmax": "tmax_c",
    "t2m_min_c": "tmin_c",
    "t2m_max_c": "tmax_c",
    "rh_percent": "rh_pct",
    "humidity_pct": "rh_pct",
    "precip_mm": "precipitation_mm",
    "prcp_mm": "precipitation_mm",
    "rain_mm": "precipitation_mm",
    "pr_mm": "precipitation_mm",
    "et0": "et0_mm",
    "eto_mm": "et0_mm",
    "srad": "srad_mj_m2",
    "solar_down_w_m2": "ghi_w_m2",
    "thermal_down_w_m2": "ir_w_m2",
}


def columns_of(*names: str) -> dict[str, Column]:
    """Return what some columns may hold, and that of wind by all its names."""
    return {name: COLUMNS[name] for name in (*names, *WINDS.values(), BARE_WIND)}


def known_name(name: str, known: Collection[str]) -> str:
    """Return the known name of a column for another name of it; one that has none stays."""
    plain = name.strip().lower()
    other = OTHER_NAMES.get(plain, plain)
    return other if plain not in known and other in known else plain
