"""What a scenario changes, as a caller states it; whatever has two readings must be stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.work.fields import Fields

RELATIVE_HUMIDITY, VAPOUR_PRESSURE = "constant_relative_humidity", "constant_vapour_pressure"
HUMIDITY_RULES = (RELATIVE_HUMIDITY, VAPOUR_PRESSURE)
INTENSITY, WET_DAYS = "intensity", "wet_days"
MOST_CLOSED = 200


@dataclass(frozen=True)
class Perturbation:
    """A change of the world.

    Attributes
    ----------
    warmer_k
        Added to every temperature, K.
    humidity
        One of `HUMIDITY_RULES`; empty where no temperature changes.
    precipitation_percent
        Change of the sum of each calendar year, %.
    precipitation_as
        ``intensity`` (every wet day by the same factor) or ``wet_days`` (wet days become dry).
    closed_edges
        Edges of the road network on which nobody may drive.
    planting_shift_days
        Later (above 0) or earlier sowing, days.
    setpoints
        Arguments of EnergyPlus, degC.
    co2_ppm
        For the engines of crops; None leaves theirs.
    hazard_intensity_percent, hazard_frequency_percent
        Change of every event's intensity, and of how often it comes, %.
    """

    warmer_k: float = 0.0
    humidity: str = ""
    precipitation_percent: float = 0.0
    precipitation_as: str = ""
    closed_edges: tuple[str, ...] = ()
    planting_shift_days: int = 0
    setpoints: Mapping[str, float] | None = None
    co2_ppm: float | None = None
    hazard_intensity_percent: float = 0.0
    hazard_frequency_percent: float = 0.0

    @property
    def said(self) -> str:
        """The perturbation in a few words."""
        parts = []
        if self.warmer_k:
            parts.append(f"{self.warmer_k:+g} K at {self.humidity.replace('_', ' ')}")
        if self.precipitation_percent:
            parts.append(
                f"{self.precipitation_percent:+g} % precipitation by {self.precipitation_as.replace('_', ' ')}"
            )
        if self.closed_edges:
            parts.append(f"{len(self.closed_edges)} edges closed")
        if self.planting_shift_days:
            parts.append(f"planting {self.planting_shift_days:+d} days")
        parts += [f"{name} {value:g}" for name, value in (self.setpoints or {}).items()]
        if self.co2_ppm is not None:
            parts.append(f"{self.co2_ppm:g} ppm CO2")
        if self.hazard_intensity_percent:
            parts.append(f"event intensity {self.hazard_intensity_percent:+g} %")
        if self.hazard_frequency_percent:
            parts.append(f"event frequency {self.hazard_frequency_percent:+g} %")
        return ", ".join(parts)


def read_perturbation(fields: Mapping[str, Any]) -> Perturbation:
    """Read a perturbation.

    Raises
    ------
    LabrigError
        For a number out of its range, a change of temperature without a rule for humidity, one of precipitation without
        saying how, a field that nobody knows, and a perturbation that changes nothing.
    """
    asked = Fields(fields, "perturbation")
    warmer = asked.number("warmer_k", -10, 10, "K", 0.0)
    percent = asked.number("precipitation_percent", -95, 100, "%", 0.0)
    if warmer and not asked.has("humidity"):
        raise LabrigError(
            "The rule for humidity is not stated",
            where="perturbation, humidity",
            expected=" or ".join(HUMIDITY_RULES),
            try_="climate models keep relative humidity nearly constant over the sea and moist land",
        )
    if percent and not asked.has("precipitation_as"):
        raise LabrigError(
            "It is not stated how precipitation changes",
            where="perturbation, precipitation_as",
            expected="intensity (each wet day by the same factor) or wet_days (wet days become dry)",
        )
    found = Perturbation(
        warmer_k=warmer,
        humidity=asked.choice("humidity", HUMIDITY_RULES) if asked.has("humidity") else "",
        precipitation_percent=percent,
        precipitation_as=asked.choice("precipitation_as", (INTENSITY, WET_DAYS))
        if asked.has("precipitation_as")
        else "",
        closed_edges=_edges(asked.any("closed_edges", [])),
        planting_shift_days=asked.whole("planting_shift_days", -120, 120, "days", 0),
        setpoints={
            name: asked.number(name, least, most, "degC")
            for name, least, most in (("heating_setpoint_c", 5, 35), ("cooling_setpoint_c", 10, 45))
            if asked.has(name)
        },
        co2_ppm=asked.number("co2_ppm", 150, 2000, "ppm") if asked.has("co2_ppm") else None,
        hazard_intensity_percent=asked.number("hazard_intensity_percent", -95, 300, "%", 0.0),
        hazard_frequency_percent=asked.number("hazard_frequency_percent", -95, 900, "%", 0.0),
    )
    asked.require_all_known()
    if percent > 0 and found.precipitation_as == WET_DAYS:
        raise LabrigError(
            "wet_days takes wet days away, and more precipitation is asked for",
            where="perturbation, precipitation_as",
            expected="intensity for more precipitation",
        )
    if not found.said:
        raise LabrigError(
            "The perturbation changes nothing",
            where="perturbation",
            expected='such as {"warmer_k": 2, "humidity": "constant_relative_humidity"}',
        )
    return found


def _edges(value: Any) -> tuple[str, ...]:
    if (
        not isinstance(value, list)
        or len(value) > MOST_CLOSED
        or not all(isinstance(each, str) and 0 < len(each) <= 200 for each in value)
    ):
        raise LabrigError(
            "closed_edges is no list of edges",
            where="perturbation, closed_edges",
            expected=f'["edge", ...], at most {MOST_CLOSED}',
        )
    return tuple(dict.fromkeys(value))
