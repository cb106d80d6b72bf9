"""A farm of an item: weather with sunshine, a soil by layers and treatments as files, and what DSSAT says of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.dssat_engine import FARMS
from labrig_suites.terrabench.making.engines import answered
from labrig_suites.terrabench.making.world import Floats, World

NEEDS = "crops"
WEATHER, SOIL, CULTIVAR = "data/weather_farm.csv", "data/profile.json", "data/cultivar.json"
CULTIVARS = {
    "Maize": ("990002", "990003", "IB0001", "IB0011", "IB0012", "IB0024"),
    "Sorghum": ("IB0026", "IB0027", "IB0028", "IB0030"),
}
START = "04-01"
THICK_M = (0.1, 0.2, 0.3, 0.4, 0.5)
SOLAR = 1367.0
"""Solar constant, W/m2."""

Days = tuple[tuple[str, float, float, float, float], ...]


@dataclass(frozen=True)
class Treatment:
    """What is done to a field: sowing and what comes on top of what is there, and what the soil holds at first.

    Attributes
    ----------
    sown
        Day of sowing.
    water_percent
        First water, of what plants can take up.
    nitrate_ppm
        Nitrogen as nitrate in the soil at the start, mg/kg.
    irrigation
        Days with mm.
    nitrogen
        Days with kg/ha.
    """

    sown: str
    water_percent: float
    nitrate_ppm: float
    irrigation: tuple[tuple[str, float], ...] = ()
    nitrogen: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Farm:
    """A farm; weather in rows of day, lowest and highest temperature (degC), rain (mm) and sunshine (MJ/m2).

    Attributes
    ----------
    layers
        Of the soil, from the top, as its file has them.
    plants_m2
        Plants on a square metre.
    """

    year: int
    weather: Days
    layers: tuple[dict[str, float], ...]
    curve_number: float
    crop: str
    cultivar: str
    plants_m2: float
    latitude: float
    longitude: float
    elevation_m: float

    def files(self) -> dict[str, str]:
        """Return weather, soil and cultivar."""
        return {
            WEATHER: csv_of(self.weather),
            SOIL: json.dumps(self._soil()) + "\n",
            CULTIVAR: json.dumps({"crop": self.crop, "cultivar": self.cultivar}) + "\n",
        }

    def treatment(self, treated: Treatment) -> str:
        """Return the file of a treatment."""
        tav, amp = self._climate()
        return (
            json.dumps(
                {
                    "site": self._site(),
                    "start": f"{self.year}-{START}",
                    "planting": self._planting(treated),
                    "initial": {
                        "percent_of_available": treated.water_percent,
                        "nitrate_ppm": treated.nitrate_ppm,
                        "ammonium_ppm": 0.5,
                    },
                    "irrigation": [{"date": day, "mm": mm} for day, mm in treated.irrigation],
                    "fertilizer": [
                        {"date": day, "n_kg_ha": amount, "depth_cm": 5} for day, amount in treated.nitrogen
                    ],
                    "tav_c": tav,
                    "amp_k": amp,
                }
            )
            + "\n"
        )

    def case(self, treated: Treatment, weather: Days | None = None) -> dict[str, Any]:
        """Return the same as a farm of `labrig_suites.terrabench.making.dssat_engine`."""
        tav, amp = self._climate()
        share = treated.water_percent / 100
        return {
            "crop": self.crop,
            "cultivar": self.cultivar,
            "site": self._site(),
            "start": f"{self.year}-{START}",
            "planting": self._planting(treated),
            "soil": self._soil(),
            "bottoms_cm": [100 * float(each) for each in np.cumsum(THICK_M)],
            "water": [
                each["wilting_point"] + share * (each["field_capacity"] - each["wilting_point"])
                for each in self.layers
            ],
            "nitrate": treated.nitrate_ppm,
            "ammonium": 0.5,
            "irrigation": list(treated.irrigation),
            "fertilizer": [(day, amount, 5.0) for day, amount in treated.nitrogen],
            "weather": weather or self.weather,
            "tav_c": tav,
            "amp_k": amp,
        }

    def _site(self) -> dict[str, float]:
        return {
            "latitude": self.latitude,
            "longitude": self.longitude,
            "elevation_m": self.elevation_m,
        }

    def _planting(self, treated: Treatment) -> dict[str, Any]:
        return {"date": treated.sown, "plants_m2": self.plants_m2, "row_cm": 75, "depth_cm": 5}

    def _soil(self) -> dict[str, Any]:
        return {
            "layers": list(self.layers),
            "albedo": 0.14,
            "evaporation_limit_mm": 6.0,
            "drainage_rate": 0.4,
            "curve_number": self.curve_number,
            "mineralization_factor": 1.0,
            "fertility_factor": 1.0,
        }

    def _climate(self) -> tuple[float, float]:
        """Return mean temperature of the year and the range of its months, degC and K, of the year as it was."""
        months = np.array([int(day[5:7]) for day, *_ in self.weather])
        mean = np.array([(low + high) / 2 for _, low, high, _, _ in self.weather])
        monthly = [float(mean[months == month].mean()) for month in range(1, 13)]
        return round(float(np.mean(monthly)), 1), round(max(monthly) - min(monthly), 1)


def make_farm(world: World, rng: np.random.Generator) -> Farm:
    """Return a farm: a year of the world's temperatures, rain, sunshine above cloud and rain, and a loam."""
    rows, columns = world.days.shape[1:]
    start = int(rng.integers(0, world.days.shape[0] - 365) // 365 * 365)
    mean: Floats = world.days[start : start + 365, rng.integers(rows), rng.integers(columns)] - 273.15
    mean = mean + rng.uniform(2, 6)
    half = rng.uniform(4, 6.5, 365)
    wet = rng.uniform(size=365) < rng.uniform(0.14, 0.26)
    rain = np.where(wet, rng.gamma(0.8, rng.uniform(7, 11), 365), 0)
    latitude = round(float(rng.uniform(38, 48)), 2)
    clear = np.where(wet, rng.uniform(0.25, 0.45, 365), rng.uniform(0.5, 0.72, 365))
    year = int(rng.choice([2013, 2014, 2015, 2017, 2018, 2019]))
    dates = np.datetime64(f"{year}-01-01") + np.arange(365)
    columns_of = (mean - half, mean + half, rain, clear * above_mj(latitude))
    table = zip(dates, *(each.round(1) for each in columns_of), strict=True)
    weather = tuple((str(when), *(float(each) for each in values)) for when, *values in table)
    crop = str(rng.choice(list(CULTIVARS)))
    return Farm(
        year,
        weather,  # type: ignore[arg-type]
        _layers(rng),
        float(rng.integers(65, 82)),
        crop,
        str(rng.choice(CULTIVARS[crop])),
        round(float(rng.uniform(6, 9)), 1) if crop == "Maize" else float(rng.integers(12, 19)),
        latitude,
        round(float(rng.uniform(-5, 25)), 2),
        float(rng.integers(40, 500)),
    )


def above_mj(latitude: float) -> Floats:
    """Return what the sun gives above the air on each day of a year, MJ/m2.

    Allen et al. (1998), FAO Irrigation and Drainage Paper 56, Eq. 21, 23 to 25.
    """
    turn = 2 * np.pi * np.arange(1, 366) / 365
    phi, tilt = np.radians(latitude), 0.409 * np.sin(turn - 1.39)
    sunset = np.arccos(-np.tan(phi) * np.tan(tilt))
    lit = sunset * np.sin(phi) * np.sin(tilt) + np.cos(phi) * np.cos(tilt) * np.sin(sunset)
    return np.asarray(SOLAR * 86_400 / 1e6 / np.pi * (1 + 0.033 * np.cos(turn)) * lit)


def csv_of(weather: Days) -> str:
    """Return the file of a year of weather."""
    rows = "".join(
        f"{day},{low:.1f},{high:.1f},{rain:.1f},{sun:.1f}\n" for day, low, high, rain, sun in weather
    )
    return f"date,tmin_c,tmax_c,precipitation_mm,srad_mj_m2\n{rows}"


def warmer(weather: Days, warmth: float) -> Days:
    """Return a year that is warmer by so many K, with the same rain and sunshine."""
    return tuple(
        (day, round(low + warmth, 1), round(high + warmth, 1), rain, sun)
        for day, low, high, rain, sun in weather
    )


def seasons(cases: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
    """Return what DSSAT says of farms, in the Python of ``labrig setup crops``.

    Raises what `labrig_suites.terrabench.making.engines.answered` raises.
    """
    from labrig_earth.impact.crops.setup import CROPS as ENGINES

    script = Path(__file__).with_name("dssat_engine.py")
    found: list[dict[str, float]] = answered(ENGINES, NEEDS, script, "DSSAT", {FARMS: list(cases)})
    return found


def _layers(rng: np.random.Generator) -> tuple[dict[str, float], ...]:
    """Return layers of a loam: the deeper, the less carbon and roots."""
    low, more = float(rng.uniform(0.09, 0.14)), float(rng.uniform(0.12, 0.17))
    clay, silt = float(rng.integers(14, 28)), float(rng.integers(38, 60))
    carbon, dense = float(rng.uniform(0.9, 1.6)), float(rng.uniform(1.28, 1.4))
    ksat = 240 * round(float(rng.uniform(0.6, 2.4)), 2)
    found = []
    for number, thick in enumerate(THICK_M):
        found.append(
            {
                "thickness_m": thick,
                "wilting_point": round(low, 3),
                "field_capacity": round(low + more, 3),
                "saturation": round(0.47 - 0.01 * number, 3),
                "ksat_mm_day": round(ksat, 1),
                "bulk_density_g_cm3": round(dense + 0.03 * number, 2),
                "organic_carbon_percent": round(carbon * 0.65**number, 2),
                "clay_percent": clay,
                "silt_percent": silt,
                "ph": 6.5,
                "root_factor": (1.0, 0.7, 0.4, 0.2, 0.1)[number],
            }
        )
    return tuple(found)
