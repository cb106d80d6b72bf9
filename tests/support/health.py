"""Made files for tools of heat and health: hours of weather, exposures, specs."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from labrig_earth.impact.weather.sun import sunlit


def met_csv(*, days: int, peak_c: float = 34.0, radiation: bool = False, start: str = "2019-07-24") -> bytes:
    """Return hours of clear summer weather at 48 N, 10 E, times in UTC: warmest in the afternoon, 2 m/s, 50 %."""
    hours = np.datetime64(f"{start}T00:00", "s") + np.arange(24 * days) * np.timedelta64(3600, "s")
    height, lit = sunlit(hours, 3600, 48.0, 10.0)
    lines = []
    for row, when in enumerate(hours):
        hour = row % 24
        air = peak_c - 7 + 7 * math.cos(2 * math.pi * (hour - 14) / 24)
        direct = 850.0 * float(height[row] * lit[row])
        cells = [f"{str(when)[:16]}Z", f"{air:.2f}", "50.0", "2.0"]
        if radiation:
            down = direct + 100 * float(height[row] > 0)
            thermal = [5.67e-8 * (air + 273.15 - 18) ** 4, 5.67e-8 * (air + 273.15 + 8 * height[row]) ** 4]
            cells += [f"{each:.2f}" for each in (down, direct, 0.2 * down, *thermal)] + ["48.0", "10.0"]
        else:
            cells.append(f"{air + (25 * height[row] if height[row] > 0 else -3):.2f}")
        lines.append(",".join(cells))
    fluxes = (
        "solar_down_w_m2,solar_direct_w_m2,solar_up_w_m2,thermal_down_w_m2,thermal_up_w_m2,latitude,longitude"
    )
    head = f"time,tair_c,rh_pct,wind_10m_m_s,{fluxes if radiation else 'tmrt_c'}"
    return ("\n".join([head, *lines]) + "\n").encode()


def spec_json(**changes: Any) -> bytes:
    """Return a spec of an exposure response; a change to None leaves its field out."""
    spec = {
        "form": "log_linear",
        "beta": 0.02,
        "beta_ci": [0.01, 0.03],
        "reference_exposure": 25.0,
        "exposure_unit": "degC",
        "outcome": "deaths of all causes",
        "step": "day",
        "baseline_period": "year",
        "baseline": "observed",
    } | changes
    return json.dumps({name: value for name, value in spec.items() if value is not None}).encode()


def months_csv(year: int) -> bytes:
    """Return twelve months of a temperate climate, each of the columns that months can have but ``wet_days``."""
    lines = ["month,tmin_c,tmax_c,precip_mm,et0_mm,srad_mj_m2,rh_pct,wind_10m_m_s"]
    for month in range(1, 13):
        warm = -math.cos((month - 0.7) / 12 * 2 * math.pi)
        lines.append(
            f"{year}-{month:02},{4 + 8 * warm:.2f},{13 + 11 * warm:.2f},{60 + 3 * month},{60 + 45 * warm:.1f},"
            f"{11 + 8 * warm:.2f},{97 if month == 12 else 70 - 5 * warm:.1f},{2.5 + month / 20:.2f}"
        )
    return ("\n".join(lines) + "\n").encode()
