"""Impact functions: which share of a value an intensity destroys; tables, or Emanuel's curve of winds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.tables import Floats
from labrig_earth.work.fields import Fields, read_object

MOST_FUNCTIONS, MOST_POINTS = 500, 2_000
MOST_PERIODS = 40
PERIODS_YEARS = (2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0)
EMANUEL = "emanuel_2011"
WINDS_M_S = np.arange(0.0, 121.0)
"""At which CLIMADA tabulates Emanuel's curve here; between them it is linear."""


@dataclass(frozen=True)
class Function:
    """An impact function.

    Attributes
    ----------
    intensity, mdd, paa
        Mean degree of damage, and share of assets affected, both 0 to 1, at rising intensities.
    emanuel
        ``v_thresh_m_s``, ``v_half_m_s`` and ``scale`` of a function that CLIMADA makes itself; empty for a table.
    """

    intensity: Floats
    mdd: Floats
    paa: Floats
    emanuel: Mapping[str, float]

    def share(self, intensity: Floats) -> Floats:
        """Return the share of the value that is lost; beyond the last intensity it stays."""
        degree = np.interp(intensity, self.intensity, self.mdd)
        if (self.paa == 1).all():
            return degree
        return degree * np.interp(intensity, self.intensity, self.paa)


@dataclass(frozen=True)
class Functions:
    """The functions of a run, and how assets are brought to them.

    Attributes
    ----------
    asset_types
        Name of the function by the type of an asset.
    most_km
        Farthest centroid that an asset may take; None for one that follows from the centroids.
    outside
        What becomes of an asset without a centroid: ``refused``, or ``no_impact``.
    periods
        Return periods of the curve that are reported, years.
    """

    kind: str
    unit: str
    by_name: Mapping[str, Function]
    asset_types: Mapping[str, str]
    most_km: float | None
    outside: str
    periods: tuple[float, ...]
    notes: tuple[str, ...]


def emanuel(wind_m_s: Floats, v_thresh: float, v_half: float, scale: float = 1.0) -> Floats:
    """Return the damage of a wind: x^3 / (1 + x^3) of the wind above the threshold over that of half damage.

    Emanuel, K. (2011), Global warming effects on U.S. hurricane damage, Weather, Climate, and Society 3, 261-268.
    """
    above = np.maximum(wind_m_s - v_thresh, 0.0) / (v_half - v_thresh)
    return scale * above**3 / (1.0 + above**3)


def read_functions(named: Named) -> Functions:
    """Read impact functions.

    ``hazard_type``, ``intensity_unit``, ``functions`` {name: {``intensity``, ``mdd``, ``paa`` (1)} or {``form``:
    ``emanuel_2011``, ``v_thresh_m_s`` (25.7), ``v_half_m_s``, ``scale`` (1)}}; ``asset_types`` {type: name},
    ``max_centroid_distance_km``, ``outside`` (refused, no_impact), ``return_periods_years``.

    Raises
    ------
    LabrigError
        For a share out of 0 to 1 (a negative loss), one above 0 where there is no hazard, intensities that fall.
    """
    fields = read_object(named.content, named.name)
    kind, unit = fields.text("hazard_type"), fields.text("intensity_unit")
    notes: list[str] = []
    given = fields.fields("functions")
    if not 1 <= len(given.raw()) <= MOST_FUNCTIONS:
        raise LabrigError(
            f"There are {len(given.raw())} functions",
            where=given.where,
            expected=f"1 to {MOST_FUNCTIONS}, by their names",
        )
    functions = {name: _function(name, given.fields(name), unit, notes) for name in given.raw()}
    types = fields.any("asset_types", {})
    if not isinstance(types, dict):
        raise LabrigError("asset_types is no object", where=named.name, expected='{"residential": "wood"}')
    for asset_type, name in types.items():
        if name not in functions:
            raise unknown_name(
                "impact function", str(name), functions, where=f"asset_types, {asset_type[:60]}"
            )
    most_km = (
        fields.number("max_centroid_distance_km", 0, 20_100, "km")
        if fields.has("max_centroid_distance_km")
        else None
    )
    outside = fields.choice("outside", ("refused", "no_impact"), "refused")
    periods = (
        tuple(fields.numbers("return_periods_years", 1e-3, 1e7, "years", (1, MOST_PERIODS)))
        if fields.has("return_periods_years")
        else PERIODS_YEARS
    )
    fields.text("note", "", most=300)
    fields.require_all_known()
    return Functions(
        kind, unit, functions, types, most_km, outside, tuple(sorted(set(periods))), tuple(notes)
    )


def _function(name: str, fields: Fields, unit: str, notes: list[str]) -> Function:
    fields.text("name", "")
    if fields.has("form"):
        return _of_emanuel(fields, unit)
    counts = (2, MOST_POINTS)
    intensity = np.array(fields.numbers("intensity", 0, 1e6, unit, counts))
    points = (len(intensity), len(intensity))
    mdd = np.array(fields.numbers("mdd", 0, 1, "of the value; a loss is not negative", points))
    paa = (
        np.array(fields.numbers("paa", 0, 1, "of the assets", points))
        if fields.has("paa")
        else np.ones(len(intensity))
    )
    fields.require_all_known()
    if (np.diff(intensity) < 0).any() or (intensity[2:] == intensity[:-2]).any():
        raise LabrigError(
            "Intensities fall, or one is there three times",
            where=fields.where,
            expected="rising intensities; two that are equal make a step",
        )
    found = Function(intensity, mdd, paa, {})
    none = float(found.share(np.zeros(1))[0])
    if none > 0:
        raise LabrigError(
            f"{none:.3g} of each value is lost at intensity 0: every event would destroy it everywhere",
            where=fields.where,
            expected="a function that begins at (0, 0)",
        )
    if (np.diff(found.share(intensity)) < 0).any():
        notes.append(f"function {name[:40]}: a stronger hazard destroys less in a part of it")
    return found


def _of_emanuel(fields: Fields, unit: str) -> Function:
    fields.choice("form", (EMANUEL,))
    if unit != "m/s":
        raise LabrigError(f"Emanuel's curve is of winds in m/s, not {unit}", where=fields.where)
    low = fields.number("v_thresh_m_s", 0, 100, "m/s", 25.7)
    half = fields.number("v_half_m_s", 0, 200, "m/s")
    scale = fields.number("scale", 1e-6, 1, "of the value", 1.0)
    fields.require_all_known()
    if half <= low:
        raise LabrigError(
            f"v_half_m_s is {half:g}, v_thresh_m_s {low:g}", where=fields.where, expected="the half above it"
        )
    return Function(
        WINDS_M_S,
        emanuel(WINDS_M_S, low, half, scale),
        np.ones(len(WINDS_M_S)),
        {"v_thresh_m_s": low, "v_half_m_s": half, "scale": scale},
    )


def names_of(functions: Functions, given: tuple[str, ...] | None, types: tuple[str, ...] | None) -> Any:
    """Return the name of the function of each asset, and what was assumed.

    Raises
    ------
    LabrigError
        ``not_found`` for a name or type without a function; ``bad_input`` where nothing says which of several it is.
    """
    known = functions.by_name
    if given is not None:
        for name in dict.fromkeys(given):
            if name not in known:
                raise unknown_name("impact function", name[:60], known, where="exposure, impact_function_id")
        return given, ()
    if types is not None and functions.asset_types:
        for each in dict.fromkeys(types):
            if each not in functions.asset_types:
                raise unknown_name(
                    "type in asset_types", each[:60], functions.asset_types, where="exposure, asset_type"
                )
        return tuple(functions.asset_types[each] for each in types), ()
    if len(known) > 1:
        raise LabrigError(
            f"Nothing says which of {len(known)} functions an asset follows",
            where="exposure",
            expected="impact_function_id in the exposure, or asset_type there and asset_types in the functions",
        )
    (name,) = known
    return name, (f"all assets follow the one function, {name[:40]}",)
