"""Quantities from others in the same file: which variables they need, how these are found, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.atmosphere import kinematics, moisture
from labrig_earth.atmosphere.levels import by_pressure
from labrig_earth.grids import heat, humidity, wind
from labrig_earth.grids.axes import variable_of
from labrig_earth.grids.sizes import MOST_MADE_BYTES, require_readable
from labrig_earth.grids.units import units_in

ROLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "u": (("eastward_wind",), ("u10", "u", "uas", "u100")),
    "v": (("northward_wind",), ("v10", "v", "vas", "v100")),
    "temperature": (("air_temperature",), ("t2m", "tas", "t", "temp", "temperature", "2m_temperature")),
    "dew_point": (
        ("dew_point_temperature",),
        ("d2m", "tdps", "dewpoint", "dew_point", "2m_dewpoint_temperature"),
    ),
    "humidity": (("relative_humidity",), ("r", "rh", "hurs", "r2", "relative_humidity")),
    "specific_humidity": (("specific_humidity",), ("q", "huss", "specific_humidity")),
    "pressure": (("surface_air_pressure", "air_pressure"), ("sp", "ps", "pressure", "surface_pressure")),
    "precipitation": (
        (
            *("precipitation_flux", "precipitation_amount", "rainfall_flux", "rainfall_amount"),
            *("lwe_precipitation_rate", "lwe_thickness_of_precipitation_amount"),
        ),
        ("pr", "tp", "precip", "precipitation", "rain", "rr", "total_precipitation"),
    ),
    "evaporation": (
        ("water_potential_evaporation_flux", "water_potential_evaporation_amount"),
        ("evspsblpot", "pet", "pev", "potential_evaporation"),
    ),
    "minimum": ((), ("tasmin", "tmin", "tn", "mn2t", "t2m_min")),
    "maximum": ((), ("tasmax", "tmax", "tx", "mx2t", "t2m_max")),
    "wind": (("wind_speed",), ("sfcwind", "wind_speed", "ws", "ws10", "si10", "fg")),
}
"""By role: CF standard names, then names of variables, by which it is found."""


@dataclass(frozen=True)
class Formula:
    """How a quantity comes from others.

    Attributes
    ----------
    needs
        Alternatives, each a tuple of roles; the first whose variables are there is taken.
    """

    needs: tuple[tuple[str, ...], ...]
    act: Callable[..., Any]
    said: str
    choices: tuple[str, ...] = ()


def _relative_humidity(given: Mapping[str, Any], formula: str) -> Any:
    if "dew_point" in given:
        return humidity.relative_humidity(given["temperature"], given["dew_point"], formula=formula)
    return humidity.humidity_of_specific(
        given["temperature"], given["specific_humidity"], given["pressure"], formula=formula
    )


def _moist(given: Mapping[str, Any], formula: str) -> Any:
    if "humidity" in given:
        return given["humidity"]
    return humidity.relative_humidity(given["temperature"], given["dew_point"], formula=formula)


def _turning(act: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula of derivatives, which holds a wind in memory."""

    def of(given: Mapping[str, Any], _: str) -> Any:
        for each in given.values():
            require_readable(each, what="A derivative", most=MOST_MADE_BYTES)
        return act(*(units_in(given[role], "m s-1").load() for role in ("u", "v")))

    return of


def _column(given: Mapping[str, Any], _: str) -> Any:
    return moisture.water_vapour(by_pressure(units_in(given["specific_humidity"], "kg kg-1"))[0])


def _transport(given: Mapping[str, Any], _: str) -> Any:
    q, _said = by_pressure(units_in(given["specific_humidity"], "kg kg-1"))
    u, v = (by_pressure(units_in(given[role], "m s-1"))[0] for role in ("u", "v"))
    return moisture.vapour_transport(q, u, v)[2]


_MOIST = (("temperature", "humidity"), ("temperature", "dew_point"))
_FORMULAS = tuple(humidity.FORMULAS)
FORMULAS: dict[str, Formula] = {
    "wind_speed": Formula(
        (("u", "v"),), lambda g, _: wind.wind_speed(g["u"], g["v"]), "square root of u2 + v2"
    ),
    "wind_direction": Formula(
        (("u", "v"),),
        lambda g, _: wind.wind_direction(g["u"], g["v"]),
        "whence the wind blows, clockwise from north",
    ),
    "relative_humidity": Formula(
        (("temperature", "dew_point"), ("temperature", "specific_humidity", "pressure")),
        _relative_humidity,
        "ratio of vapour pressures over water",
        _FORMULAS,
    ),
    "dew_point": Formula(
        (("temperature", "humidity"),),
        lambda g, formula: humidity.dew_point(g["temperature"], g["humidity"], formula=formula),
        "inverse of the saturation vapour pressure over water",
        _FORMULAS,
    ),
    "vapour_pressure": Formula(
        (("dew_point",),),
        lambda g, formula: humidity.vapour_pressure(g["dew_point"], formula=formula),
        "saturation vapour pressure at the dew point",
        _FORMULAS,
    ),
    "vapour_pressure_deficit": Formula(
        (("temperature", "dew_point"),),
        lambda g, formula: humidity.vapour_pressure_deficit(
            g["temperature"], g["dew_point"], formula=formula
        ),
        "saturation less actual vapour pressure",
        _FORMULAS,
    ),
    "specific_humidity": Formula(
        (("dew_point", "pressure"),),
        lambda g, formula: humidity.specific_humidity(g["dew_point"], g["pressure"], formula=formula),
        "from vapour pressure and pressure",
        _FORMULAS,
    ),
    "vorticity": Formula(
        (("u", "v"),), _turning(kinematics.vorticity), "on the sphere, centred differences of second order"
    ),
    "divergence": Formula(
        (("u", "v"),), _turning(kinematics.divergence), "on the sphere, centred differences of second order"
    ),
    "water_vapour": Formula(
        (("specific_humidity",),), _column, "1/g times the integral over the levels, trapezoidal rule"
    ),
    "vapour_transport": Formula(
        (("specific_humidity", "u", "v"),),
        _transport,
        "size of 1/g times the integral of q (u, v) over the levels, trapezoidal rule",
    ),
    "heat_index": Formula(
        _MOIST,
        lambda g, formula: heat.heat_index(g["temperature"], _moist(g, formula)),
        "Rothfusz (1990) with the adjustments of the US National Weather Service",
        _FORMULAS,
    ),
    "wet_bulb": Formula(
        _MOIST,
        lambda g, formula: heat.wet_bulb(g["temperature"], _moist(g, formula)),
        "Stull (2011), at about 1013 hPa, -20 to 50 degC and 5 to 99 %; missing outside",
        _FORMULAS,
    ),
}


def derived(
    data: Any, what: str, names: Mapping[str, str], formula: str = ""
) -> tuple[Any, str, tuple[str, ...]]:
    """Return a quantity from variables of a dataset, how it was computed, and warnings.

    Parameters
    ----------
    data
        `xarray.Dataset`.
    what
        One of `FORMULAS`.
    names
        Names of variables by role (`ROLES`), where they are not found by themselves.
    formula
        Of the saturation vapour pressure: magnus (default), bolton or buck.

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown quantity or variable; ``bad_input`` for what is missing, with all alternatives.
    """
    if what not in FORMULAS:
        raise unknown_name("quantity", what, FORMULAS, where="what")
    wanted = FORMULAS[what]
    found = roles_of(data, what, wanted.needs, names)
    roles = tuple(found)
    if formula and formula not in wanted.choices:
        raise LabrigError(
            f"{what} has no formula {formula!r}",
            where="formula",
            expected=", ".join(wanted.choices) or "no formula",
        )
    chosen = formula or "magnus"
    given = {role: data[found[role]] for role in roles}
    result = wanted.act(given, chosen)
    said = f"{what} from {', '.join(found[role] for role in roles)}: {wanted.said}"
    uses_vapour = wanted.choices and (roles != ("temperature", "humidity") or what == "dew_point")
    said += f"; saturation vapour pressure by {chosen}" if uses_vapour else ""
    warnings = [heat.outside_heat_index(given["temperature"])] if what == "heat_index" else []
    if what in ("water_vapour", "vapour_transport"):
        warnings += by_pressure(given["specific_humidity"])[1]
    if uses_vapour:
        warnings.append(humidity.beyond_range(given.get("temperature", given.get("dew_point")), chosen))
    return result, said, tuple(filter(None, warnings))


def roles_of(
    data: Any, what: str, needs: tuple[tuple[str, ...], ...], names: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables by role of the first alternative of a quantity whose variables are there, if there is one
    of those with all roles that the caller names.

    Raises
    ------
    LabrigError
        As `derived`.
    """
    for role in names:
        if role not in ROLES:
            raise unknown_name("role", role, ROLES, where="variables")
    found = {role: name for role in ROLES if (name := _name_of(data, role, names))}
    there = sorted(
        (each for each in needs if all(role in found for role in each)),
        key=lambda each: not set(names) <= set(each),
    )
    roles = there[0] if there else None
    if roles is None:
        alternatives = " or ".join(" and ".join(each) for each in needs)
        raise LabrigError(
            f"{what} needs {alternatives}",
            where="variables",
            expected="roles that are found by name or standard name: "
            + (", ".join(sorted(found)) or "none is here"),
            try_="variables={"
            + ", ".join(f'"{role}": "NAME"' for role in needs[0])
            + "}; the file has "
            + ", ".join(map(str, list(data.data_vars)[:30])),
        )
    return {role: found[role] for role in roles}


def _name_of(data: Any, role: str, names: Mapping[str, str]) -> str:
    if role in names:
        return str(variable_of(data, names[role]).name)
    standards, known = ROLES[role]
    by_standard = [str(name) for name in data.data_vars if data[name].attrs.get("standard_name") in standards]
    if len(by_standard) == 1:
        return by_standard[0]
    folded = {str(name).casefold(): str(name) for name in data.data_vars}
    return next((folded[name] for name in known if name in folded), "")
