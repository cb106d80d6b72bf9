"""Yields of crops by district and year, which follow the rain of the season by slopes that are known exactly."""

from __future__ import annotations

import numpy as np

from labrig_earth.world.sizes import Size
from labrig_earth.world.writing import Folder

DISTRICTS = ("North-east", "North-west", "South-east", "South-west")
SLOPES = {"wheat": 0.010, "maize": 0.016}
"""Tonnes per hectare and millimetre of rain from April to July."""


def write_tables(folder: Folder, size: Size, rng: np.random.Generator) -> None:
    """Write crops.csv: district, year, crop, area, rain, yield."""
    years = np.arange(2021 - size.years, 2021)
    lines = ["district,year,crop,area_ha,rain_apr_jul_mm,yield_t_ha,origin"]
    for district in DISTRICTS:
        rain = rng.normal(260, 50, len(years)).round(1)
        for crop, slope in SLOPES.items():
            centred = rain - rain.mean()
            noise = 0.25 * rng.standard_normal(len(years))
            noise -= noise.mean()
            noise -= centred * (noise @ centred) / (centred @ centred)
            area = rng.integers(200, 900, len(years))
            for year, hectares, mm, tonnes in zip(
                years, area, rain, 5.5 + slope * centred + noise, strict=True
            ):
                row = f"{district},{year},{crop},{hectares},{mm:.1f},{tonnes:.6f}"
                lines.append(f"{row},{folder.label.replace(',', ';')}")
    folder.text("tables/crops.csv", "\n".join(lines) + "\n")
    folder.truth["tables/crops.csv"] = {
        "slope_t_ha_per_mm": SLOPES,
        "slope_method": "ordinary least squares of yield on rain, each district and crop",
    }
