"""Quantities as expressions of PHREEQC's Basic, named as in `output.quantities` and in the same units.

Two more are what waterworks reckon in: ``hardness as CaCO3`` and ``alkalinity as CaCO3``, in mg/L.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from labrig.errors import LabrigError, over_limit, unknown_name
from labrig_phreeqc.output.quantities import parse_quantity, unit_of

MOST_NAME = 120
_CACO3_MG_MOL = 100_086.9
_PER_LITRE = f'*{_CACO3_MG_MOL!r}*TOT("water")/SOLN_VOL'
AS_CACO3 = {
    "hardness as CaCO3": f'(TOT("Ca")+TOT("Mg")){_PER_LITRE}',
    "alkalinity as CaCO3": f"ALK/2{_PER_LITRE}",
}
_VALUES = {
    "pH": '-LA("H+")',
    "pe": '-LA("e-")',
    "temperature": "TC",
    "pressure": "PRESSURE",
    "ionic strength": "MU",
    "alkalinity": "ALK",
    "charge error": "PERCENT_ERROR",
    "charge balance": "CHARGE_BALANCE",
    "conductance": "SC",
    "density": "RHO",
    "volume": "SOLN_VOL",
    "mass of water": 'TOT("water")',
    "activity of water": 'ACT("H2O")',
}
_KINDS = {
    "total": 'TOT("{}")',
    "m": 'MOL("{}")',
    "a": 'ACT("{}")',
    "lm": 'LM("{}")',
    "la": 'LA("{}")',
    "SI": 'SI("{}")',
    "moles": 'EQUI("{0}")+GAS("{0}")',
    "delta": 'EQUI_DELTA("{}")',
    "p": 'PR_P("{}")',
    "gas": 'GAS("{}")',
    "ss": 'S_S("{}")',
    "kin": 'KIN("{}")',
    "dk": 'KIN_DELTA("{}")',
}
_OF_PHASES = ("SI", "moles", "delta", "p", "gas")


def expression(name: str, phases: Collection[str], text: str = "") -> tuple[str, str, str]:
    """Return the name of a quantity, its expression and its unit.

    Parameters
    ----------
    phases
        Names that the database has.
    text
        The input, which may define more.

    Raises
    ------
    LabrigError
        For a quantity that no expression gives, or whose name is above `MOST_NAME`, and a phase that neither defines.
    """
    if len(name) > MOST_NAME:  # it heads a column, and is told in warnings
        raise over_limit("The name of a quantity is too long", MOST_NAME, "characters", where=repr(name[:40]))
    plain = " ".join(name.split()).casefold()
    for full, basic in AS_CACO3.items():
        if plain in (full.casefold(), "hardness" if full.startswith("hard") else ""):
            return full, basic, "mg/L"
    quantity = parse_quantity(name)
    if '"' in quantity.name or "\n" in quantity.name:
        raise LabrigError(
            "A name holds a quotation mark or a new line", where=repr(name), expected="SI(Calcite)"
        )
    if quantity.kind == "value" and quantity.name in _VALUES:
        return str(quantity), _VALUES[quantity.name], unit_of(quantity)
    if quantity.kind not in _KINDS:
        raise unknown_name("quantity", name, [*_VALUES, *AS_CACO3, "SI(Calcite)", "total Ca", "m(HCO3-)"])
    if quantity.kind in _OF_PHASES:
        require_phases([quantity.name], phases, text)
    return str(quantity), _KINDS[quantity.kind].format(quantity.name), unit_of(quantity)


def require_phases(names: Iterable[str], phases: Collection[str], text: str = "") -> None:
    """Refuse a phase that neither the database nor an input defines."""
    known = {each.casefold() for each in phases}
    for name in names:
        if name.casefold() not in known and name not in text:
            raise unknown_name("phase", name, phases)
