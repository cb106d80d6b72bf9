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
    head = f"time,tair_c,rh_pct,wind_m_s,{fluxes if radiation else 'tmrt_c'}"
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
