"""A water analysis as PHREEQC is given it: every constituent in moles, whatever unit the laboratory chose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Basis = Literal["L", "kgs", "kgw"]
"""What amounts refer to: a litre of solution, a kilogram of solution, a kilogram of water."""

HOT = 40.0
"""degC above which a water is taken to have been cooled before it was analysed: below, its density differs by 0.5 %."""

LABORATORY = 25.0
"""degC at which a laboratory measures out its litre, where the water was hot."""

DILUTE_G_PER_L = 5.0
"""Dissolved solids below which a litre of water weighs 1 kg within 0.4 % (NaCl at 25 degC), inside analytical error."""


@dataclass(frozen=True)
class Constituent:
    """One measured constituent.

    Attributes
    ----------
    element
        As PHREEQC names it in SOLUTION: ``Ca``, ``S(6)``, ``N(5)``, ``Alkalinity``.
    amount
        mmol per `Analysis.basis`; for ``Alkalinity`` meq.
    value, unit, formula
        As the laboratory reported it: 250, ``mg/L``, ``HCO3``. `formula` is empty where the unit is molar.
    censored
        The laboratory reported less than a limit; `amount` is what stands for it.
    relative_error
        Standard deviation of the measurement divided by its value, where the table states one.
    """

    element: str
    amount: float
    value: float
    unit: str
    formula: str = ""
    censored: bool = False
    relative_error: float | None = None


@dataclass(frozen=True)
class Analysis:
    """One water.

    Attributes
    ----------
    sample
        Its name.
    pH, temperature
        As measured, and degC; nan where it was not: such a water has an ion balance and no speciation.
    pe
        None where neither pe nor Eh was measured; PHREEQC then takes 4.
    density
        kg/L, or None where it was not measured; see `solution_block`.
    constituents
        By element.
    row
        Line of the table it came from, or 0.
    other
        What else the table says of it (group, depth, date), as text by column.
    carbonate
        meq per basis of the alkalinity that was reported as CO3; None where HCO3 and CO3 were not told apart.
    """

    sample: str
    pH: float
    temperature: float
    constituents: Mapping[str, Constituent]
    pe: float | None = None
    density: float | None = None
    basis: Basis = "L"
    row: int = 0
    other: Mapping[str, str] = field(default_factory=dict)
    carbonate: float | None = None

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """What is missing of pH and temperature, without which it cannot be speciated."""
        values = {"pH": self.pH, "temperature": self.temperature}
        return tuple(name for name, value in values.items() if math.isnan(value))


def cooled_for_analysis(analysis: Analysis) -> bool:
    """Tell whether amounts are per litre of a hot water, which the laboratory had cooled, of unknown density."""
    return analysis.basis == "L" and analysis.density is None and analysis.temperature > HOT


def solution_block(analysis: Analysis, number: int, *, density: str = "1") -> str:
    """Return the SOLUTION data block of an analysis.

    Parameters
    ----------
    number
        Its user number.
    density
        What stands for a density that was not measured, where amounts are per litre: ``1``, or ``1 calculate`` with a
        database that has molar volumes, so that PHREEQC iterates it.
    """
    lines = [
        f"SOLUTION {number}",
        f" units mmol/{analysis.basis}",
        f" temp {analysis.temperature!r}",
        f" pH {analysis.pH!r}",
    ]
    if analysis.pe is not None:
        lines.append(f" pe {analysis.pe!r}")
    if analysis.density is not None:
        lines.append(f" density {analysis.density!r}")
    elif analysis.basis == "L":
        lines.append(f" density {density}")
    for constituent in analysis.constituents.values():
        unit = f" meq/{analysis.basis}" if constituent.element == "Alkalinity" else ""
        lines.append(f" {constituent.element} {constituent.amount!r}{unit}")
    return "\n".join(lines)
