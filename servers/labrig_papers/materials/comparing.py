"""Two compositions, independent of how many formula units they are written for."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_papers.materials.formulas import Formula, normalize_formula


@dataclass(frozen=True)
class Compared:
    """How two compositions compare.

    Attributes
    ----------
    same
        Whether they agree within the tolerance, have the same isotopes, and both are resolved.
    max_deviation
        Largest difference of an amount, in atoms per formula unit of the second; None where one is unresolved.
    element
        Where it is.
    scale
        Formula units of the second in one of the first.
    reason
        Why they are not the same.
    """

    same: bool
    first: Formula
    second: Formula
    tolerance: float
    max_deviation: float | None = None
    element: str = ""
    scale: float = 1.0
    reason: str = ""


def compare_formulas(first: str, second: str, tolerance: float = 0.005) -> Compared:
    """Compare two formulas as printed.

    Parameters
    ----------
    tolerance
        Largest difference of any amount, in atoms per formula unit of the second, after the first was scaled by the
        median of the ratios of amounts: O6.93 and O7 differ by 0.07, Sr0.15 and Sr0.16 by 0.01.

    Raises
    ------
    LabrigError
        If a text is empty, or the tolerance is no number from 0 to 10.
    """
    if not 0 <= tolerance <= 10:
        raise LabrigError(
            f"A tolerance of {tolerance}", where="tolerance", expected="0 to 10 atoms per formula unit"
        )
    a, b = normalize_formula(first), normalize_formula(second)
    unresolved = next((each for each in (a, b) if each.status == "unresolved"), None)
    if unresolved is not None:
        return Compared(False, a, b, tolerance, reason=f"{unresolved.text!r}: {unresolved.why}")
    elements = sorted({*a.composition, *b.composition})
    ratios = [
        a.composition[each] / b.composition[each]
        for each in elements
        if each in a.composition and each in b.composition
    ]
    if not ratios:
        return Compared(False, a, b, tolerance, reason="they have no element in common")
    scale = statistics.median_low(ratios)
    differences = {
        each: a.composition.get(each, 0.0) / scale - b.composition.get(each, 0.0) for each in elements
    }
    worst = max(elements, key=lambda each: abs(differences[each]))
    deviation = round(abs(differences[worst]), 9)
    same = deviation <= tolerance + 1e-9
    reason = "" if same else f"{worst} differs by {deviation:.4g} per formula unit"
    if dict(a.isotopes) != dict(b.isotopes):
        same, reason = False, f"isotopes differ: {dict(a.isotopes)} and {dict(b.isotopes)}"
    return Compared(same, a, b, tolerance, deviation, worst, round(scale, 9), reason)
