"""The quantity that a text names, of those that a value of a dimension and unit may be of."""

from __future__ import annotations

import re
from functools import lru_cache

from labrig_papers.properties.listing import aliases, key, properties
from labrig_papers.properties.matching import fits


@lru_cache(maxsize=1)
def without_unit() -> frozenset[str]:
    """Return the quantities whose values have no unit."""
    own = {each.quantity for each in properties() if each.dimension == "1"}
    return frozenset(
        own
        | {
            "normalized_jump",
            "residual_resistivity_ratio",
            "gl_parameter",
            "electron_phonon_coupling",
            "anisotropy",
            "figure_of_merit",
            "effective_mass",
            "gruneisen_parameter",
            "dielectric_constant",
            "refractive_index",
            "ph",
            "coulomb_pseudopotential",
        }
    )


@lru_cache(maxsize=1)
def _named() -> re.Pattern[str]:
    names = sorted((alias for alias in aliases() if alias), key=len, reverse=True)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, names))})(?=s?(?![a-z0-9]))")


_NOT_SUPERCONDUCTING = re.compile(
    r"\bno (?:\w+ ){0,2}(?:superconduct\w*|transition)\b|\bnot superconduct\w*|\bnon-?superconduct\w*"
    r"|\babsence of superconduct\w*",
    re.IGNORECASE,
)
_AXIS = re.compile(
    r"(?<![A-Za-z])[abc]\s?(?:[=≈~]|is|of)\s*$|(?<![A-Za-z])[abc] (?:and|,) [abc] (?:=|are|of)\s*$"
)
_CHANGE = re.compile(
    r"\b(?:increas|decreas|rais|lower|reduc|suppress|enhanc|shift|rise|rose|drop|fall|fell|differ|widen|chang)\w*"
    r"\s(?:\w+\s){0,2}by\s*$",
    re.IGNORECASE,
)
"""What is said of a change is no value of the quantity."""
_KAPPA = re.compile(r"κ(?:_\{[^}]*\})?(?:\(0\))?\s?[=≈~∼]\s?$")
_OF_MAGNETS = re.compile(
    r"(?i:\bcurie|\bferromagnet\w*).*T_\{?C\}?(?![A-Za-z])[^A-Za-z]*(?:is|of)?\s*$", re.DOTALL
)
"""T_C behind the name of Curie; T_c is that of superconductors."""
_MU_STAR = re.compile(r"μ\s?\^?\{?\s?[*∗⋆]\s?\}?\s?[=≈~∼]\s?$")
_AT = re.compile(r"\b(?:at|near|above|below)\s?(?:T\s?[=≈~∼]\s?)?$")
BOUND = re.compile(r"(?:above|below|near)\s", re.IGNORECASE)
_FROM_TC = re.compile(
    r"\b(?:from|above|below|through|across|near|around|at) (?:the )?(?:T_?\{?[cC]\}?(?![A-Za-z])|transition)"
    r"(?:(?!\b(?:is|of|was|are)\b)[^.;=≈~∼]){0,30}\b(?:down to|up to|to|at)\s*$"
    r"|T_?\{?[cC]\}?(?![A-Za-z])\s?[<≤≲]\s?T\s?$"
)
"""Where a temperature is that of a step of the work, and T_{c} where it began: cooled from above T_{c} to 1.7 K; or
where it ends a range that T_{c} begins: T_{c} < T < 240 K."""
_OF_LIGHT = re.compile(r"\bwavelength|\bradiation\b|K_?\{?α", re.IGNORECASE)
_AXIS_HEAD = re.compile(r"\s*[abc]\s*[(\[,]")
_POINTS = re.compile(r"\b(?:midpoint|onset|zero[ -]resistance)\b", re.IGNORECASE)
_OF_PERCENT = frozenset({"meissner_fraction", "isotope_ratio", "elongation", "porosity"})
_SPELLED = re.compile(r"(?<![\w\\])(?:rho|kappa|sigma|xi|lambda|gamma|Delta|theta|Theta|chi)(?=[\s_(\[,]|$)")
_GAP = re.compile(
    r"^\s*\\?(?:[Δ∆]|Delta)(?:_\{?\w{1,3}\}?)?(?:\(0\))?\s*[(\[,]|[Δ∆](?:_\{?\w{1,3}\}?)?\s?[=≈~∼]\s?$"
)
_ALONE = {
    "thermopower": "thermopower",
    "thermal_conductivity": "thermal_conductivity",
    "resistivity": "resistivity",
    "conductivity": "electrical_conductivity",
    "mobility": "hall_mobility",
    "hall_coefficient": "hall_coefficient",
}
"""Dimensions that one quantity alone has."""


def name_before(text: str, dimension: str, unit: str) -> str:
    """Return the quantity that is named last in a text, of those that a unit may be of."""
    if dimension == "length" and (_AXIS.search(text) or _AXIS_HEAD.match(text)):
        return "lattice_constant"
    if _CHANGE.search(text):
        return ""
    if dimension == "1" and _KAPPA.search(text):
        return "gl_parameter"
    if dimension == "1" and _MU_STAR.search(text):
        return "coulomb_pseudopotential"
    if dimension == "temperature" and _FROM_TC.search(text):
        return ""
    if dimension == "temperature" and _NOT_SUPERCONDUCTING.search(text):
        return "lowest_temperature"
    if dimension == "length" and _OF_LIGHT.search(text):
        return ""
    text = _SPELLED.sub(lambda letter: "\\" + letter[0], text)
    if dimension == "energy" and _GAP.search(text):
        return "energy_gap"
    # Of H^{∥c}_{c2} and H_{c2}^{c} the raised part is a condition: the name is H_{c2}.
    plain = re.sub(r"(?<=[A-Za-zΔ∆])\^\{[^{}]*\}(?=_\{)", "", text.replace("’", "'"))
    plain = re.sub(r"(_\{[^{}]*\})\^\{[^{}]*\}", r"\1", plain)
    plain = re.sub(r"(?<=[ρS])_\{\d{1,3}(?: ?K)?\}", "", plain)  # of ρ_{300} the index is a condition
    named = [aliases()[each.group(0)].lstrip("!") for each in _named().finditer(key(plain))]
    at = (
        dimension == "temperature" and _AT.search(text) is not None
    )  # of "a gap of 1.5 meV at 2 K" 2 K is no gap
    fitting = (
        each
        for each in reversed(named)
        if may_be(each, dimension) and not (at and "temperature" not in _dimensions_of(each))
    )
    name = next((each for each in fitting if unit != "%" or each in _OF_PERCENT), "")
    if name == "critical_temperature" and _OF_MAGNETS.search(text):
        return "curie_temperature"
    if name == "thermodynamic_critical_field" and re.search(r"\bcoerciv", text):
        return "coercivity"  # both are written H_c
    if not name and dimension == "temperature_per_pressure" and "critical_temperature" in named:
        return "tc_by_pressure"
    if not name and dimension == "energy" and re.search(r"\bgaps?\b", text):
        return "energy_gap"
    if not name and dimension == "temperature" and re.search(r"\bwidth\b", text):
        return "transition_width"
    name = name or _ALONE.get(dimension, "")
    return name or ("critical_temperature" if dimension == "temperature" and _POINTS.search(text) else "")


@lru_cache(maxsize=1)
def _dimensions() -> dict[str, frozenset[str]]:
    """Return the dimensions that the values of each quantity of the list have."""
    found: dict[str, set[str]] = {}
    for each in properties():
        found.setdefault(each.quantity, set()).add(each.dimension)
    return {quantity: frozenset(each) for quantity, each in found.items()}


_HEATS = frozenset(
    {"molar_heat", "mass_heat", "volume_heat", "molar_heat_coefficient", "molar_phonon_coefficient"}
)
_OF_OTHERS: dict[str, frozenset[str]] = {
    "critical_current": frozenset({"current"}),
    "thermodynamic_critical_field": frozenset({"magnetic_field"}),
    "irreversibility_field": frozenset({"magnetic_field"}),
    "pauli_limit": frozenset({"magnetic_field"}),
    "sheet_resistance": frozenset({"resistance"}),
    "kondo_temperature": frozenset({"temperature"}),
    "mean_free_path": frozenset({"length"}),
    "plasma_frequency": frozenset({"frequency", "energy", "inverse_length"}),
    "fermi_velocity": frozenset({"velocity"}),
    "spin_density_wave_temperature": frozenset({"temperature"}),
    "pseudogap": frozenset({"energy", "temperature"}),
    "band_gap": frozenset({"energy"}),
    "heat_capacity": _HEATS,
    "thermal_expansion": frozenset({"inverse_temperature"}),
    "bulk_modulus": frozenset({"pressure"}),
    "hall_mobility": frozenset({"mobility"}),
    "power_factor": frozenset({"power_factor"}),
    "lorenz_number": frozenset({"lorenz_number"}),
    "electrical_conductivity": frozenset({"conductivity"}),
    "ionic_conductivity": frozenset({"conductivity"}),
    "thermal_diffusivity": frozenset({"diffusivity"}),
    "phonon_coefficient": frozenset({"molar_phonon_coefficient"}),
    "curie_weiss_temperature": frozenset({"temperature"}),
    "binding_energy": frozenset({"energy", "molar_energy"}),
    "elongation": frozenset({"fraction"}),
    "porosity": frozenset({"fraction", "volume_fraction"}),
    "activation_energy": frozenset({"energy", "molar_energy", "temperature"}),
    "surface_roughness": frozenset({"length"}),
    "fracture_strength": frozenset({"pressure"}),
    "fracture_toughness": frozenset({"fracture_toughness"}),
    "rashba_parameter": frozenset({"energy_length"}),
    "compressive_strength": frozenset({"pressure"}),
    "flexural_strength": frozenset({"pressure"}),
    "resistivity_coefficient": frozenset({"resistivity_coefficient"}),
    "melting_temperature": frozenset({"temperature"}),
    "glass_transition_temperature": frozenset({"temperature"}),
    "coercivity": frozenset({"magnetic_field"}),
    "remanence": frozenset({"magnetic_field", "magnetisation", "mass_magnetisation"}),
    "saturation_magnetisation": frozenset(
        {"magnetic_field", "magnetisation", "mass_magnetisation", "magnetic_moment", "molar_moment"}
    ),
    "yield_strength": frozenset({"pressure"}),
    "tensile_strength": frozenset({"pressure"}),
    "grain_size": frozenset({"length"}),
    "film_thickness": frozenset({"length"}),
    "surface_area": frozenset({"area_per_mass"}),
    "specific_capacity": frozenset({"charge_per_mass"}),
    "polarisation": frozenset({"polarisation"}),
    "piezoelectric_coefficient": frozenset({"piezoelectric_coefficient"}),
    "salinity": frozenset({"practical_salinity", "weight_fraction", "fraction"}),
}
"""Dimensions of quantities that the list of properties does not have."""


def _dimensions_of(quantity: str) -> frozenset[str]:
    """Return the dimensions that values of a quantity have, none where that is not known."""
    return _OF_OTHERS.get(quantity) or _dimensions().get(quantity) or frozenset()


def may_be(quantity: str, dimension: str) -> bool:
    """Tell whether a value of a dimension may be of a quantity: 3.78 Å is no space group, 2.1 T/K no temperature."""
    if quantity in without_unit():
        of_mass = quantity == "effective_mass" and dimension == "mass"  # in units of that of the electron
        return dimension in ("", "1", "fraction") or of_mass
    known_ones = _dimensions_of(quantity)
    if dimension == "energy" and known_ones:
        return "energy" in known_ones  # a gap may be printed in kelvin, a temperature not in meV
    return not known_ones or not dimension or any(fits(each, dimension) for each in known_ones)
