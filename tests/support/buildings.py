"""Weather and buildings that tests share: a year that is always the same, and what EnergyPlus's wheel carries."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from labrig.sideenv import status
from labrig_earth.impact.buildings.setup import ENERGYPLUS_ENV
from labrig_earth.impact.simulator import Given, Named

SIGMA = 5.670374e-8
DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@functools.cache
def installed() -> bool:
    """Tell whether EnergyPlus is there."""
    return status(ENERGYPLUS_ENV).state == "installed"


def needs_energyplus() -> None:
    """Skip a test where EnergyPlus is not installed."""
    if not installed():
        pytest.skip("EnergyPlus is not installed: labrig setup energyplus")


def wheel(pattern: str) -> Path:
    """Return a file of EnergyPlus's wheel."""
    (path,) = ENERGYPLUS_ENV.path.glob(f"lib/python3*/site-packages/pyenergyplus/data/{pattern}")
    return path


def steady_epw(outdoor_c: float = 0.0) -> bytes:
    """Return a year without sun and wind of one temperature, under a sky as warm as the air."""
    lines = [
        "LOCATION,Nowhere,-,-,made,999999,50.0,10.0,0.0,100.0",
        "DESIGN CONDITIONS,0",
        "TYPICAL/EXTREME PERIODS,0",
        "GROUND TEMPERATURES,0",
        "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0",
        "COMMENTS 1,made for a test",
        "COMMENTS 2,",
        "DATA PERIODS,1,1,Data,Sunday,1/1,12/31",
    ]
    sky = SIGMA * (outdoor_c + 273.15) ** 4
    rest = f"0,0,{sky:.1f},0,0,0,0,0,0,0,0,0.0,0,0,20,77777,9,999999999,0,0,0,88,0.2,0,0"
    for month, days in enumerate(DAYS, 1):
        for day in range(1, days + 1):
            for hour in range(1, 25):
                lines.append(f"2001,{month},{day},{hour},60,?,{outdoor_c},{outdoor_c - 9},50,101325,{rest}")
    return "\n".join(lines).encode()


def given(building: Any, weather: bytes, **options: Any) -> Given:
    """Return the files of a call; a building that is no bytes is a box by its numbers."""
    content = building if isinstance(building, bytes) else json.dumps(building).encode()
    files = {
        "building_idf_path": (Named("building", content),),
        "weather_epw_path": (Named("weather.epw", weather),),
    }
    return Given(files, options)
