"""A coast of an item: its storms, assets and damage functions as files, and what is lost, by NumPy alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.world import Floats, World

NEEDS = "climada"
ASSETS, STORMS, DAMAGE = "data/assets.csv", "data/storms.json", "data/damage.json"
CELLS, SPACING, REACH_KM = 9, 0.1, 30.0
"""Centroids in a row, degrees between them, and how far from its asset a centroid may be."""
HOUSES, COUNT = 36, 26
"""Assets and storms."""
PERIODS = (10.0, 15.0, 20.0)
EARTH_KM = 6371.0
WINDS: Floats = np.arange(20.0, 95.0, 5.0)
SHAPE = 1.3
"""Holland's B, the peakedness of a storm's winds."""


@dataclass(frozen=True)
class Storms:
    """Storms: the greatest wind of each (storm, centroid), m/s, how often a year each comes, and centroids, degrees."""

    wind: Floats
    frequency: Floats
    latitude: Floats
    longitude: Floats

    def file(self) -> str:
        """Return the file of the storms."""
        return _json(
            hazard_type="TC",
            intensity_unit="m/s",
            latitude=self.latitude.tolist(),
            longitude=self.longitude.tolist(),
            events=[
                {"event_id": f"storm-{number}", "frequency_per_year": often, "intensity": winds}
                for number, (often, winds) in enumerate(
                    zip(self.frequency.tolist(), self.wind.tolist(), strict=True), 1
                )
            ],
        )


@dataclass(frozen=True)
class Assets:
    """Houses: what each is worth (USD; no number where none is stated), of which type each is, and where."""

    value: Floats
    types: tuple[str, ...]
    latitude: Floats
    longitude: Floats
    default: float

    def worth(self) -> Floats:
        """Return the values, with the one that is meant for houses that state none."""
        return np.where(np.isnan(self.value), self.default, self.value)

    def csv(self) -> str:
        """Return the file of the assets."""
        lines = ["asset_id,asset_type,latitude,longitude,value"]
        rows = zip(self.types, self.latitude, self.longitude, self.value, strict=True)
        for number, (kind, north, east, value) in enumerate(rows, 1):
            said = "" if np.isnan(value) else f"{value:.0f}"
            lines.append(f"house-{number},{kind},{north:.4f},{east:.4f},{said}")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Damage:
    """Damage functions by type of house: at `WINDS` the mean degree of damage and the share of houses that have any."""

    degree: dict[str, Floats]
    share: dict[str, Floats]

    def file(self) -> str:
        """Return the file of the functions."""
        return _json(
            hazard_type="TC",
            intensity_unit="m/s",
            functions={
                kind: {
                    "intensity": [0.0, *WINDS.tolist()],
                    "mdd": [0.0, *self.degree[kind].tolist()],
                    "paa": [0.0, *self.share[kind].tolist()],
                }
                for kind in self.degree
            },
            asset_types={kind: kind for kind in self.degree},
            max_centroid_distance_km=REACH_KM,
            return_periods_years=list(PERIODS),
        )


@dataclass(frozen=True)
class Coast:
    """A coast with its storms, houses and their damage."""

    storms: Storms
    assets: Assets
    damage: Damage


def losses(storms: Storms, assets: Assets, damage: Damage) -> Floats:
    """Return what each storm destroys, USD: the wind at the nearest centroid, through the function of the type."""
    north, east = np.radians(assets.latitude)[:, None], np.radians(assets.longitude)[:, None]
    up, over = np.radians(storms.latitude), np.radians(storms.longitude)
    half = np.sin((up - north) / 2) ** 2 + np.cos(up) * np.cos(north) * np.sin((over - east) / 2) ** 2
    away = 2 * EARTH_KM * np.arcsin(np.sqrt(half))
    if away.min(axis=1).max() > REACH_KM:
        raise ValueError("a house is far from every centroid")
    winds = storms.wind[:, away.argmin(axis=1)]
    lost = np.zeros(len(storms.wind))
    known = np.concatenate([[0.0], WINDS])
    for place, (kind, worth) in enumerate(zip(assets.types, assets.worth(), strict=True)):
        degree = np.interp(winds[:, place], known, np.concatenate([[0.0], damage.degree[kind]]))
        share = np.interp(winds[:, place], known, np.concatenate([[0.0], damage.share[kind]]))
        lost += worth * degree * share
    return lost


def annual(lost: Floats, frequency: Floats) -> float:
    """Return the loss that is to be expected in a year, USD."""
    return float(lost @ frequency)


def exceeded(lost: Floats, frequency: Floats, years: float) -> float:
    """Return the loss that is reached or exceeded once in so many years, linear in years between those of storms.

    Raises
    ------
    ValueError
        The storms say nothing about so many years.
    """
    order = np.argsort(-lost, kind="stable")
    period = 1 / np.cumsum(frequency[order])
    if not period[-1] < years < period[0]:
        raise ValueError(f"the storms come every {period[-1]:.3g} to {period[0]:.3g} years")
    return float(np.interp(years, period[::-1], lost[order][::-1]))


def make_coast(world: World, rng: np.random.Generator) -> Coast:
    """Return a coast: storms across it with gusts of the world's winds, houses of three types."""
    south, west = round(float(rng.uniform(13, 31)), 1), round(float(rng.uniform(-97, -61)), 1)
    rows, columns = np.divmod(np.arange(CELLS * CELLS), CELLS)
    latitude, longitude = (south + SPACING * rows).round(4), (west + SPACING * columns).round(4)
    hours: Floats = world.hours[2]
    winds = []
    for _ in range(COUNT):
        gusts = hours[rng.integers(len(hours))].reshape(-1)
        rough = 1 + 0.05 * ((gusts - gusts.mean()) / gusts.std()).clip(-2, 2)
        away = passing_km(latitude - south, longitude - west, rng)
        winds.append(
            blown(away, float(rng.uniform(28, 66)), float(rng.uniform(18, 42))) * _spread(rough, rng)
        )
    frequency = rng.uniform(0.002, 0.016, COUNT).round(5)
    storms = Storms(np.array(winds).round(2), frequency, latitude, longitude)
    near = rng.choice(CELLS * CELLS, HOUSES, replace=False)
    offsets = rng.uniform(-0.35, 0.35, (2, HOUSES)) * SPACING
    value = (rng.gamma(2.0, 400_000, HOUSES) + 80_000).round(-3)
    value[rng.choice(HOUSES, 5, replace=False)] = np.nan
    types = tuple(
        str(each) for each in rng.choice(["timber", "masonry", "concrete"], HOUSES, p=[0.5, 0.3, 0.2])
    )
    assets = Assets(
        value,
        types,
        (latitude[near] + offsets[0]).round(4),
        (longitude[near] + offsets[1]).round(4),
        float(rng.integers(30, 90) * 10_000),
    )
    half = {"timber": rng.uniform(52, 60), "masonry": rng.uniform(62, 72), "concrete": rng.uniform(76, 90)}
    return Coast(storms, assets, functions({kind: float(each) for kind, each in half.items()}))


def functions(half: dict[str, float]) -> Damage:
    """Return damage functions of types by the wind that destroys half, m/s: Emanuel's cubic curve from 24 m/s on.

    Emanuel, K. (2011), Global warming effects on U.S. hurricane damage, Weather, Climate, and Society 3, 261-268.
    """
    above = {kind: ((WINDS - 24).clip(0) / (each - 24)) ** 3 for kind, each in half.items()}
    return Damage(
        {kind: (each / (1 + each)).round(4) for kind, each in above.items()},
        {kind: ((WINDS - 22) / (0.7 * half[kind])).clip(0, 1).round(3) for kind in half},
    )


def stronger(damage: Damage, factor: float) -> Damage:
    """Return the functions of houses that stand winds stronger by a factor."""
    known = np.concatenate([[0.0], WINDS])

    def moved(rows: dict[str, Floats], digits: int) -> dict[str, Floats]:
        return {
            kind: np.interp(WINDS / factor, known, np.concatenate([[0.0], each])).round(digits)
            for kind, each in rows.items()
        }

    return Damage(moved(damage.degree, 4), moved(damage.share, 3))


def blown(away_km: Floats, most: float, radius_km: float) -> Floats:
    """Return winds so far from a track, m/s: greatest at a radius, less within and beyond it.

    Holland, G. J. (1980), An analytic model of the wind and pressure profiles in hurricanes, Monthly Weather Review
    108, 1212-1218, without its Coriolis terms.
    """
    ratio = (radius_km / np.maximum(away_km, 1.0)) ** SHAPE
    return np.asarray(most * np.sqrt(ratio * np.exp(1 - ratio)))


def passing_km(north: Floats, east: Floats, rng: np.random.Generator) -> Floats:
    """Return how far places (degrees from the corner of the coast) are from the track of a storm, km."""
    turn = float(rng.uniform(0, np.pi))
    middle = SPACING * (CELLS - 1) / 2
    shift = float(rng.uniform(-0.5, 0.5))
    across = (north - middle) * np.cos(turn) - (east - middle) * np.sin(turn) - shift
    return np.asarray(np.abs(across) * np.radians(1) * EARTH_KM)


def one(storms: Storms, wind: Floats) -> Storms:
    """Return a single storm at the same centroids, once a year."""
    return replace(storms, wind=wind[None].round(2), frequency=np.array([1.0]))


def _spread(rough: Floats, rng: np.random.Generator) -> Floats:
    """Return a factor for each centroid, drawn from those of the world's cells."""
    return np.asarray(rng.choice(rough, CELLS * CELLS))


def _json(**fields: Any) -> str:
    return json.dumps(fields) + "\n"
