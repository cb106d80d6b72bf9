"""A field of an item: its weather, soil, crop and managements as files, and what AquaCrop says without a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.crop_engine import CASES
from labrig_suites.terrabench.making.engines import answered
from labrig_suites.terrabench.making.world import Floats, World

NEEDS = "crops"
CROPS = {"Maize": "05-01", "Wheat": "03-15", "Potato": "04-25", "Sorghum": "05-05", "Sunflower": "04-25"}
SOILS = ("SandyLoam", "LoamySand", "Loam", "SiltLoam")
START, END = "03-01", "12-15"


@dataclass(frozen=True)
class Field:
    """A field; weather in rows of date, lowest and highest temperature (degC), rain and reference ET (mm)."""

    year: int
    weather: tuple[tuple[str, float, float, float, float], ...]
    crop: str
    soil: str

    def csv(self) -> str:
        """Return the file of the weather."""
        rows = "".join(f"{day},{a:.2f},{b:.2f},{c:.2f},{d:.2f}\n" for day, a, b, c, d in self.weather)
        return f"date,tmin_c,tmax_c,precipitation_mm,et0_mm\n{rows}"

    def files(self) -> dict[str, str]:
        """Return weather, soil and crop."""
        return {
            "data/weather.csv": self.csv(),
            "data/soil.json": json.dumps({"type": self.soil}) + "\n",
            "data/crop.json": json.dumps({"name": self.crop, "planting": CROPS[self.crop]}) + "\n",
        }

    def management(self, water_percent: int, events: Sequence[tuple[str, float]]) -> str:
        """Return the file of a management."""
        plan: dict[str, Any] = {
            "start": f"{self.year}-{START}",
            "end": f"{self.year}-{END}",
            "initial_water": {"percent_of_available": water_percent},
        }
        if events:
            plan["irrigation"] = {
                "method": "schedule",
                "events": [{"date": day, "mm": mm} for day, mm in events],
            }
        return json.dumps(plan) + "\n"

    def case(self, water_percent: int, events: Sequence[tuple[str, float]]) -> dict[str, Any]:
        """Return the same as a case of `labrig_suites.terrabench.making.crop_engine`."""
        return {
            "weather": self.weather,
            "crop": self.crop,
            "soil": self.soil,
            "planting": CROPS[self.crop],
            "start": f"{self.year}-{START}",
            "end": f"{self.year}-{END}",
            "water_percent": water_percent,
            "events": list(events),
        }


def make_field(world: World, rng: np.random.Generator) -> Field:
    """Return a field: a year of the world's temperatures, a dry year's rain, and evapotranspiration by Hargreaves."""
    rows, columns = world.days.shape[1:]
    start = int(rng.integers(0, world.days.shape[0] - 365) // 365 * 365)
    mean: Floats = world.days[start : start + 365, rng.integers(rows), rng.integers(columns)] - 273.15
    mean = mean + rng.uniform(0, 4)
    half = rng.uniform(4, 7, 365)
    low, high = mean - half, mean + half
    wet = rng.uniform(size=365) < rng.uniform(0.12, 0.22)
    rain = np.where(wet, rng.gamma(0.8, rng.uniform(5, 9), 365), 0)
    day = np.arange(1, 366)
    radiation = 8.0 + 7.5 * np.cos(2 * np.pi * (day - 172) / 365)
    et0 = (0.0023 * radiation * (mean + 17.8).clip(0) * np.sqrt(high - low)).clip(0.2)
    year = int(rng.choice([2013, 2014, 2015, 2017, 2018, 2019]))
    dates = np.datetime64(f"{year}-01-01") + np.arange(365)
    table = zip(dates, low.round(2), high.round(2), rain.round(2), et0.round(2), strict=True)
    weather = tuple((str(when), *(float(each) for each in values)) for when, *values in table)
    crop, soil = str(rng.choice(list(CROPS))), str(rng.choice(SOILS))
    return Field(year, weather, crop, soil)  # type: ignore[arg-type]


def seasons(cases: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
    """Return what AquaCrop says of cases, in the Python of ``labrig setup crops``.

    Raises what `labrig_suites.terrabench.making.engines.answered` raises.
    """
    from labrig_earth.impact.crops.setup import CROPS as ENGINES

    script = Path(__file__).with_name("crop_engine.py")
    found: list[dict[str, float]] = answered(ENGINES, NEEDS, script, "AquaCrop", {CASES: list(cases)})
    return found
