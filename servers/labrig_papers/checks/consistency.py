"""Relations that the values of one superconductor keep to: flags with the numbers, and no correction.

A quote check finds an invented value; only physics finds a right quote with a wrong unit. Bounds are wide: they hold
for superconductors from aluminium to hydrides, and what passes them is not thereby right.

Sources: Tinkham, Introduction to Superconductivity (xi, kappa, BCS ratios); Werthamer, Helfand and Hohenberg 1966
(0.693 Tc |dHc2/dT|); Hu 1972 (Hc1 of kappa); Clogston 1962 and Chandrasekhar 1962 (1.84 T/K).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from labrig.errors import LabrigError, unknown_name
from labrig_papers.properties.matching import quantity_of
from labrig_papers.values.reading import read_value

PHI0 = 2.067833848e-15
"""Magnetic flux quantum (Wb), CODATA 2022."""
K_B = 1.380649e-23
LONGEST_NAME = 80
AVOGADRO = 6.02214076e23

Verdict = Literal["agrees", "flagged", "not_checked"]

QUANTITIES: dict[str, tuple[str, float, float]] = {
    "tc": ("temperature", 1e-4, 300.0),
    "hc2": ("magnetic_field", 1e-4, 500.0),
    "hc1": ("magnetic_field", 1e-6, 1.0),
    "slope": ("field_slope", 1e-4, 100.0),
    "xi": ("length", 2e-10, 2e-5),
    "lambda": ("length", 5e-9, 2e-5),
    "kappa": ("1", 1e-2, 1e3),
    "gamma": ("molar_heat_coefficient", 1e-5, 10.0),
    "delta_c": ("molar_heat", 1e-7, 100.0),
    "gap": ("energy", 1e-27, 2e-20),
    "gap_ratio": ("1", 1.0, 25.0),
    "jump_ratio": ("1", 0.1, 8.0),
    "density": ("density", 500.0, 25000.0),
    "a": ("length", 1.5e-10, 8e-9),
    "b": ("length", 1.5e-10, 8e-9),
    "c": ("length", 1.5e-10, 2e-8),
    "debye": ("temperature", 20.0, 2500.0),
    "jc": ("current_density", 1.0, 1e14),
}
"""What is checked: dimension, and the range in SI outside of which no superconductor is known."""

_SLIPS: dict[str, tuple[tuple[float, str], ...]] = {
    "temperature": ((1e3, "K and mK"),),
    "magnetic_field": ((10.0, "T and kOe (or kG)"), (1e3, "T and mT"), (1e4, "T and Oe (or G)")),
    "field_slope": ((10.0, "T/K and kOe/K"), (1e3, "T/K and mT/K"), (1e4, "T/K and Oe/K")),
    "length": ((10.0, "nm and Å"), (1e3, "nm and μm"), (1e4, "Å and μm"), (1e2, "nm and Å, twice")),
    "molar_heat_coefficient": ((1e3, "mJ and J"),),
    "molar_heat": ((1e3, "mJ and J"),),
    "energy": ((1e3, "meV and eV"), (11.604, "meV and K")),
    "density": ((1e3, "g/cm3 and kg/m3"),),
    "current_density": ((1e4, "A/cm2 and A/m2"), (1e3, "kA and A")),
}


@dataclass(frozen=True)
class Check:
    """One relation.

    Attributes
    ----------
    relation
        As a formula.
    verdict
        ``agrees``, ``flagged`` or ``not_checked`` (a value is missing, or is a bound, a range or a list).
    expected, found
        Numbers in `unit`.
    ratio
        found / expected.
    note
        What it means; where several may be wrong, none is named.
    slips
        Which value would agree if its unit were another.
    """

    relation: str
    verdict: Verdict
    expected: float | None = None
    found: float | None = None
    unit: str = ""
    ratio: float | None = None
    note: str = ""
    slips: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data; numbers with six digits, what is empty left out."""
        fields = {
            "relation": self.relation,
            "verdict": self.verdict,
            "expected": None if self.expected is None else float(f"{self.expected:.6g}"),
            "found": None if self.found is None else float(f"{self.found:.6g}"),
            "unit": self.unit,
            "ratio": None if self.ratio is None else float(f"{self.ratio:.6g}"),
            "note": self.note,
            "slips": list(self.slips),
        }
        return {key: each for key, each in fields.items() if each not in (None, "", [])}


def check_consistency(
    values: Mapping[str, str],
    formula: str = "",
    z: int | None = None,
    angles: tuple[float, float, float] = (90.0, 90.0, 90.0),
) -> tuple[Check, ...]:
    """Check the values of one sample (and one direction of the field) against each other.

    Parameters
    ----------
    values
        Values as printed, by the names of `QUANTITIES` or others that mean the same:
        ``{"tc": "36.9(2) K", "hc2": "54 T", "xi": "2.5 nm"}``. hc2, hc1, xi and lambda are those at 0 K.
    formula, z
        Of the unit cell, for the density; a tetragonal cell has no b, a cubic one neither b nor c.
    angles
        alpha, beta and gamma of the cell in degrees; a hexagonal one has 90, 90, 120.

    Returns
    -------
    tuple of Check
        Ranges first, then relations; those without their values are ``not_checked``.

    Raises
    ------
    LabrigError
        If a name is unknown, a value cannot be read or has another dimension, or z is no number from 1 to 200.
    """
    if z is not None and not (isinstance(z, int) and 1 <= z <= 200):
        raise LabrigError(f"Z is {z!r}", where="z", expected="formula units in the cell, 1 to 200")
    cosines = [math.cos(math.radians(angle)) for angle in angles]
    apart = len(cosines) == 3 and all(0 < angle < 180 for angle in angles)
    if not apart or not 1 - sum(each**2 for each in cosines) + 2 * math.prod(cosines) > 1e-6:
        raise LabrigError(
            f"No cell has the angles {angles}", where="angles", expected="three angles in degrees"
        )
    si: dict[str, float] = {}
    checks: list[Check] = []
    for given, text in values.items():
        name = _meant(str(given))
        if name not in QUANTITIES:
            raise unknown_name("quantity", str(given)[:60], QUANTITIES, where="values")
        if name in si:
            raise LabrigError(
                f"{given!r} is given twice", where="values", expected=f"one value of {name}, of one sample"
            )
        number = _number(name, text)
        if number is None:
            checks.append(
                Check(
                    f"{name} within known superconductors", "not_checked", note="a bound, a range or a list"
                )
            )
            continue
        si[name] = number
        checks.append(_in_range(name, number))
    checks += [
        _kappa(si), _xi(si), _hc1(si), _hc1_of_lengths(si), _whh(si), _pauli(si), _jump(si), _gap(si),
        _density(si, formula, z, angles),
    ]  # fmt: skip
    return tuple(checks)


_NAMES = {
    "critical_temperature": "tc",
    "upper_critical_field": "hc2",
    "lower_critical_field": "hc1",
    "upper_field_slope": "slope",
    "coherence_length": "xi",
    "penetration_depth": "lambda",
    "gl_parameter": "kappa",
    "electronic_heat": "gamma",
    "heat_jump": "delta_c",
    "energy_gap": "gap",
    "gap_ratio": "gap_ratio",
    "normalized_jump": "jump_ratio",
    "density": "density",
    "debye_temperature": "debye",
    "critical_current_density": "jc",
}


def _meant(name: str) -> str:
    """Return the name of `QUANTITIES` that another name of the quantity means: Hc2, dHc2/dT, coherence length."""
    if name.casefold() in QUANTITIES:
        return name.casefold()
    return _NAMES.get(quantity_of(name).lstrip("!"), name) if len(name) <= LONGEST_NAME else name


def _number(name: str, text: str) -> float | None:
    value = read_value(text)
    dimension = QUANTITIES[name][0]
    given = value.unit.dimension
    if given == "temperature" and dimension == "energy":  # a gap in kelvin
        return None if value.value is None else value.si()[0] * K_B
    if given != dimension:
        raise LabrigError(
            f"{name} = {text[:60]!r} is of dimension {given}",
            where="values",
            expected=f"a value of {dimension} with its unit",
        )
    if value.value is None or value.qualifier[0] in "<>":
        return None
    return abs(value.si()[0])


def _in_range(name: str, number: float) -> Check:
    dimension, low, high = QUANTITIES[name]
    relation = f"{name} within known superconductors"
    if low <= number <= high:
        return Check(relation, "agrees", found=number)
    slips = tuple(
        f"{name}: {units}"
        for factor, units in _SLIPS.get(dimension, ())
        if low <= number * factor <= high or low <= number / factor <= high
    )
    bound = low if number < low else high
    return Check(
        relation, "flagged", bound, number, "SI", None, f"outside of {low:g} to {high:g} in SI", slips
    )


def _judged(
    relation: str,
    expected: float,
    found: float,
    unit: str,
    low: float,
    high: float,
    powers: Mapping[str, float],
    note: str = "",
) -> Check:
    """Return the verdict on found / expected; `powers` say how that ratio goes with each value that it is made of."""
    ratio = found / expected if expected else math.inf
    if low <= ratio <= high:
        return Check(relation, "agrees", expected, found, unit, ratio, note)
    slips = []
    for name, power in powers.items():
        needed = ratio ** (-1 / power) if 0 < ratio < math.inf else 0.0
        for factor, units in _SLIPS.get(QUANTITIES[name][0], ()):
            for each in (factor, 1 / factor):
                corrected = ratio * each**power
                if low <= corrected <= high and needed and abs(math.log10(needed / each)) < 0.35:
                    slips.append(f"{name}: {units}")
    return Check(
        relation,
        "flagged",
        expected,
        found,
        unit,
        ratio,
        note or "the values do not fit each other",
        tuple(dict.fromkeys(slips)),
    )


def _missing(relation: str, si: Mapping[str, float], *names: str) -> Check | None:
    absent = [name for name in names if not si.get(name)]
    return Check(relation, "not_checked", note="without " + ", ".join(absent)) if absent else None


def _kappa(si: Mapping[str, float]) -> Check:
    relation = "kappa = lambda / xi"
    if missing := _missing(relation, si, "kappa", "lambda", "xi"):
        return missing
    powers = {"lambda": -1.0, "xi": 1.0}
    return _judged(relation, si["lambda"] / si["xi"], si["kappa"], "1", 0.6, 1.7, powers)


def _xi(si: Mapping[str, float]) -> Check:
    relation = "xi = sqrt(Phi0 / (2 pi Hc2))"
    if missing := _missing(relation, si, "hc2", "xi"):
        return missing
    expected = math.sqrt(PHI0 / (2 * math.pi * si["hc2"]))
    return _judged(relation, expected, si["xi"], "m", 0.6, 1.7, {"xi": 1.0, "hc2": 0.5})


def _hc1(si: Mapping[str, float]) -> Check:
    relation = "Hc1 < Hc2"
    if missing := _missing(relation, si, "hc1", "hc2"):
        return missing
    if si["hc1"] < si["hc2"]:
        return Check(relation, "agrees", si["hc2"], si["hc1"], "T", si["hc1"] / si["hc2"])
    slips = tuple(f"{name}: {units}" for name in ("hc1", "hc2") for _, units in _SLIPS["magnetic_field"])
    return Check(
        relation, "flagged", si["hc2"], si["hc1"], "T", si["hc1"] / si["hc2"], "Hc1 is not below Hc2", slips
    )


def _hc1_of_lengths(si: Mapping[str, float]) -> Check:
    relation = "Hc1 = Phi0 (ln kappa + 0.5) / (4 pi lambda^2)"
    if missing := _missing(relation, si, "hc1", "lambda", "xi"):
        return missing
    kappa = si["lambda"] / si["xi"]
    if kappa < 1:
        return Check(relation, "not_checked", note="lambda is below xi: no superconductor of type II")
    expected = PHI0 * (math.log(kappa) + 0.5) / (4 * math.pi * si["lambda"] ** 2)
    note = "a sample's shape lowers the field of first penetration, pinning raises it"
    return _judged(relation, expected, si["hc1"], "T", 0.2, 4.0, {"hc1": 1.0, "lambda": 2.0}, note)


def _whh(si: Mapping[str, float]) -> Check:
    relation = "Hc2 = 0.693 Tc |dHc2/dT|"
    if missing := _missing(relation, si, "tc", "slope", "hc2"):
        return missing
    expected = 0.693 * si["tc"] * si["slope"]
    powers = {"hc2": 1.0, "slope": -1.0, "tc": -1.0}
    return _judged(
        relation, expected, si["hc2"], "T", 0.3, 2.5, powers, "a limit by spin lowers Hc2, two bands raise it"
    )


def _pauli(si: Mapping[str, float]) -> Check:
    relation = "Hc2 below the Pauli limit, 1.84 T/K Tc"
    if missing := _missing(relation, si, "tc", "hc2"):
        return missing
    expected = 1.84 * si["tc"]
    ratio = si["hc2"] / expected
    note = "above the limit, which strong spin-orbit coupling and triplet pairs allow" if ratio > 1 else ""
    return _judged(relation, expected, si["hc2"], "T", 0.0, 6.0, {"hc2": 1.0, "tc": -1.0}, note)


def _jump(si: Mapping[str, float]) -> Check:
    relation = "dC / (gamma Tc) near 1.43"
    if "jump_ratio" in si and not all(name in si for name in ("delta_c", "gamma", "tc")):
        return _judged(relation, 1.43, si["jump_ratio"], "1", 0.15, 3.5, {})
    if missing := _missing(relation, si, "delta_c", "gamma", "tc"):
        return missing
    found = si["delta_c"] / (si["gamma"] * si["tc"])
    return _judged(relation, 1.43, found, "1", 0.15, 3.5, {"delta_c": 1.0, "gamma": -1.0, "tc": -1.0})


def _gap(si: Mapping[str, float]) -> Check:
    relation = "2 Delta / (k Tc) near 3.53"
    if "gap_ratio" in si and not all(name in si for name in ("gap", "tc")):
        return _judged(relation, 3.53, si["gap_ratio"], "1", 0.45, 4.5, {})
    if missing := _missing(relation, si, "gap", "tc"):
        return missing
    return _judged(relation, 3.53, 2 * si["gap"] / (K_B * si["tc"]), "1", 0.45, 4.5, {"gap": 1.0, "tc": -1.0})


def _density(
    si: Mapping[str, float], formula: str, z: int | None, angles: tuple[float, float, float]
) -> Check:
    relation = "density = Z M / (N_A V)"
    if missing := _missing(relation, si, "density", "a"):
        return missing
    if not formula or z is None:
        return Check(relation, "not_checked", note="without formula and Z")
    from labrig_papers.materials.formulas import normalize_formula

    read = normalize_formula(formula)
    if not read.composition:
        return Check(relation, "not_checked", note=f"{formula!r}: {read.why}")
    from pymatgen.core import Composition

    mass = float(Composition(dict(read.composition)).weight) * 1e-3 / AVOGADRO
    alpha, beta, gamma = (math.cos(math.radians(angle)) for angle in angles)
    skew = 1 - alpha**2 - beta**2 - gamma**2 + 2 * alpha * beta * gamma
    volume = si["a"] * si.get("b", si["a"]) * si.get("c", si["a"]) * math.sqrt(skew)
    note = (
        f"Z = {z}, angles {', '.join(f'{angle:g}' for angle in angles)} degrees; a porous sample is lighter"
    )
    powers = {"density": 1.0, "a": 3.0}
    return _judged(relation, z * mass / volume, si["density"], "kg m^-3", 0.5, 1.12, powers, note)
