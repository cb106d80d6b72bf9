"""Design days of an IDF or a DDY file in a warmer world: the maximum dry bulb, and the humidity of that air."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.impact.buildings.idf import read_idf, write_idf
from labrig_earth.impact.scenario import warming
from labrig_earth.impact.scenario.closure import Closure
from labrig_earth.impact.scenario.perturbation import Perturbation
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.weather.moisture import dew_point, saturated

MAXIMUM, CONDITION, BULB, RATIO, ENTHALPY, PRESSURE = 5, 9, 10, 12, 13, 15
"""Fields of SizingPeriod:DesignDay, from 1 (the manual's "Input Output Reference"); an object's class is field 0."""

STANDARD_PA = 101_325.0
MOLES = 0.621945
"""Of water vapour to dry air, by mass (ASHRAE Fundamentals)."""

GROUND = re.compile(r"site:groundtemperature:", re.I)


def is_box(named: Named) -> bool:
    """Tell whether a building is a JSON box by its numbers, which has no design days."""
    return named.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


def design_days(named: Named, asked: Perturbation, told: Closure) -> bytes:
    """Return an IDF whose design days are those of the warmer world; all else stays.

    Raises
    ------
    LabrigError
        What `read_idf` refuses; for a design day whose numbers are none.
    """
    ddy = not re.search(rb"^\s*version\s*,", named.content, re.I | re.M)
    objects = read_idf(b"Version,25.2;\n" + named.content if ddy else named.content, named.name)
    count = 0
    for each in objects:
        if each[0].lower() == "sizingperiod:designday" and asked.warmer_k:
            _warm(each, asked, told, named.name)
            count += 1
        elif GROUND.match(each[0]):
            told.left.append(f"{each[0]}: the building's own, which it keeps")
    if not count:
        told.left.append("there are no design days" if asked.warmer_k else "nothing of it is perturbed")
    return write_idf(objects[1:] if ddy else objects)


def _warm(day: list[str], asked: Perturbation, told: Closure, where: str) -> None:
    """Warm a design day in place."""
    day.extend([""] * (PRESSURE + 1 - len(day)))
    name = day[1] or "design day"

    def number(place: int, default: float | None = None) -> float:
        try:
            return float(day[place]) if day[place] or default is None else default
        except ValueError:
            raise LabrigError(
                f"{day[place]!r} is no number", where=f"{where}, {name}, field {place}"
            ) from None

    air = number(MAXIMUM)
    pressure = number(PRESSURE, STANDARD_PA)
    condition = day[CONDITION].lower() or "wetbulb"
    warmer = air + asked.warmer_k
    vapour = _vapour(condition, air, pressure, number)
    day[MAXIMUM] = f"{warmer:.2f}"
    told.set(f"{name}: maximum dry bulb, degC", round(air, 2), round(warmer, 2))
    if vapour is None:
        told.left.append(f"{name}: its humidity is by {day[CONDITION] or 'a schedule'}, which stays as it is")
        return
    after = float(
        warming.warmed_vapour(np.array([vapour]), np.array([air]), asked.warmer_k, asked.humidity)[0]
    )
    place, value, unit = _said(condition, warmer, pressure, after)
    told.set(f"{name}: {day[CONDITION] or 'WetBulb'}, {unit}", day[place], value)
    day[place] = value
    dew = float(dew_point(np.array([after]))[0])
    told.holds(
        f"{name}: the dew point is not above the dry bulb",
        dew <= warmer + 1e-6,
        f"{dew:.2f} in {warmer:.2f} degC",
    )


def _vapour(condition: str, air: float, pressure: float, number: Callable[[int], float]) -> float | None:
    """Return the vapour pressure of a design day, hPa; None where a schedule says its humidity."""
    if condition.startswith("wetbulb"):
        wet = number(BULB)
        found = float(saturated(np.array([wet]))[0]) - _psychrometric(wet) * pressure / 100 * (air - wet)
    elif condition == "dewpoint":
        found = float(saturated(np.array([number(BULB)]))[0])
    elif condition == "humidityratio":
        ratio = number(RATIO)
        found = ratio * pressure / 100 / (MOLES + ratio)
    elif condition == "enthalpy":
        ratio = (number(ENTHALPY) / 1000 - 1.006 * air) / (2501 + 1.86 * air)
        found = ratio * pressure / 100 / (MOLES + ratio)
    else:
        return None
    return max(found, warming.LEAST_VAPOUR_HPA)


def _said(condition: str, air: float, pressure: float, vapour: float) -> tuple[int, str, str]:
    """Return where a vapour pressure stands in a design day, its value as the condition has it, and the unit."""
    ratio = MOLES * vapour / (pressure / 100 - vapour)
    if condition == "dewpoint":
        return BULB, f"{float(dew_point(np.array([vapour]))[0]):.2f}", "degC"
    if condition == "humidityratio":
        return RATIO, f"{ratio:.6f}", "kg/kg"
    if condition == "enthalpy":
        return ENTHALPY, f"{1000 * (1.006 * air + ratio * (2501 + 1.86 * air)):.0f}", "J/kg"
    return BULB, f"{_wet_bulb(air, pressure, vapour):.2f}", "degC"


def _psychrometric(wet_c: float) -> float:
    """Return the coefficient of a ventilated psychrometer, 1/K (WMO-No. 8, annex 4.B)."""
    return 6.53e-4 * (1 + 0.000944 * wet_c)


def _wet_bulb(air_c: float, pressure: float, vapour_hpa: float) -> float:
    """Return the wet bulb, degC, by halving an interval."""
    low, high = -60.0, air_c
    while high - low > 1e-4:
        middle = (low + high) / 2
        over = float(saturated(np.array([middle]))[0]) - _psychrometric(middle) * pressure / 100 * (
            air_c - middle
        )
        low, high = (low, middle) if over > vapour_hpa else (middle, high)
    return math.fsum((low, high)) / 2
