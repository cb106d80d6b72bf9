"""Hours of weather for heat stress, out of the hot spell of the world, and the numbers that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labrig_suites.terrabench.making.world import Floats, World


@dataclass(frozen=True)
class Hours:
    """Hours as their file holds them, from midnight UTC of `first` on.

    Attributes
    ----------
    air, humidity, wind, radiant
        degC, % over water, m/s at 10 m, degC (mean radiant temperature).
    """

    first: str
    air: Floats
    humidity: Floats
    wind: Floats
    radiant: Floats

    def csv(self) -> str:
        """Return the file."""
        when = np.datetime64(f"{self.first}T00:00") + np.arange(len(self.air)) * np.timedelta64(1, "h")
        lines = ["time,tair_c,rh_pct,wind_10m_m_s,tmrt_c"]
        for hour, *values in zip(when, self.air, self.humidity, self.wind, self.radiant, strict=True):
            lines.append(f"{hour}Z," + ",".join(f"{each:.2f}" for each in values))
        return "\n".join(lines) + "\n"

    def utci(self) -> Floats:
        """Return UTCI by hour, degC: the polynomial of Broede et al. (2012), and vapour pressure over water."""
        import thermofeel

        vapour = self.humidity / 100 * saturation_hpa(self.air)
        kelvin = thermofeel.calculate_utci(
            t2_k=self.air + 273.15, va=self.wind, mrt=self.radiant + 273.15, ehPa=vapour
        )
        return np.asarray(kelvin) - 273.15

    def highest(self) -> Floats:
        """Return the highest UTCI of each day, degC."""
        found: Floats = self.utci().reshape(-1, 24).max(axis=1)
        return found

    def shaded(self, share: float) -> Hours:
        """Return the hours with this share of the excess of the radiant over the air temperature taken away in sun."""
        excess = self.radiant - self.air
        radiant = (self.air + np.where(excess > 0, (1 - share) * excess, excess)).round(2)
        return Hours(self.first, self.air, self.humidity, self.wind, radiant)


def saturation_hpa(air_c: Floats) -> Floats:
    """Return the saturation vapour pressure over water, hPa: Magnus' formula (WMO No. 8, 2018, Annex 4.B)."""
    found: Floats = 6.112 * np.exp(17.62 * air_c / (243.12 + air_c))
    return found


def make_hours(world: World, rng: np.random.Generator) -> Hours:
    """Return hours of a place: a cell of the world's hot spell, shifted and windier or calmer."""
    rows, columns = world.hours.shape[2:]
    air_k, dew_k, wind, sun = world.hours[:, :, rng.integers(rows), rng.integers(columns)]
    count = 24 * int(rng.integers(10, 16))
    shift = rng.uniform(-9, 4)
    air = (air_k[:count] - 273.15 + shift).round(2)
    humidity = (100 * saturation_hpa(dew_k[:count] - 273.15) / saturation_hpa(air_k[:count] - 273.15)).clip(
        20, 98
    )
    humidity = (humidity * rng.uniform(0.8, 1.0)).round(2)
    speed = (wind[:count] * rng.uniform(0.6, 1.2)).clip(0.6, 16).round(2)
    radiant = (air + sun[:count] * rng.uniform(0.02, 0.045) - rng.uniform(0, 3)).round(2)
    month, day = int(rng.integers(6, 9)), int(rng.integers(1, 14))
    return Hours(f"{int(rng.integers(2015, 2021))}-{month:02d}-{day:02d}", air, humidity, speed, radiant)
