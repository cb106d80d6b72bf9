"""Two values as printed: the same within a tolerance in SI, or why not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_papers.values.reading import Value, has_unit, read_value

REL_TOL = 1e-3
"""The tolerance of the paper on evidence verification: 0.1 % in SI."""


@dataclass(frozen=True)
class ComparedValues:
    """How two values compare.

    Attributes
    ----------
    same
        Whether they agree.
    deviation
        Largest relative deviation of a number in SI, None where they cannot be compared.
    reason
        Why they are not the same.
    equivalence
        What was assumed to compare them (``B = mu0 H``).
    """

    same: bool
    first: Value
    second: Value
    deviation: float | None = None
    reason: str = ""
    equivalence: str = ""


def compare_values(
    value: str, truth: str, rel_tol: float = REL_TOL, abs_tol: float | None = None, unit: str = ""
) -> ComparedValues:
    """Compare a value with a truth, both as printed.

    Parameters
    ----------
    rel_tol
        Relative to the truth, in SI; kelvin for temperatures, whatever they are written in.
    abs_tol
        In SI; needed where the truth is 0.
    unit
        Unit of a bare number, from the name of the property. Without it a bare number equals no value with a unit.

    Raises
    ------
    LabrigError
        If a text is no value, or a tolerance no number from 0 to 1 (`rel_tol`) or no positive one (`abs_tol`).
    """
    if not 0 <= rel_tol <= 1:
        raise LabrigError(f"A relative tolerance of {rel_tol}", where="rel_tol", expected="0 to 1")
    if abs_tol is not None and not 0 <= abs_tol < math.inf:
        raise LabrigError(
            f"An absolute tolerance of {abs_tol}", where="abs_tol", expected="a number from 0, in SI"
        )
    a, b = _with_unit(value, unit), _with_unit(truth, unit)
    if a.unit.dimension != b.unit.dimension:
        missing = not has_unit(a) or not has_unit(b)
        why = "one has no unit" if missing else f"{a.unit.dimension} and {b.unit.dimension}"
        return ComparedValues(False, a, b, reason=f"different dimensions: {why}")
    if bool(a.unit.per) != bool(b.unit.per):
        return ComparedValues(
            False, a, b, reason=f"per {a.unit.per or 'sample'} and per {b.unit.per or 'sample'}"
        )
    equivalence = "" if a.unit.equivalence == b.unit.equivalence else a.unit.equivalence or b.unit.equivalence
    if a.kind != b.kind:
        return ComparedValues(False, a, b, None, f"a {a.kind} and a {b.kind}", equivalence)
    if _bound(a.qualifier) != _bound(b.qualifier):
        return ComparedValues(
            False, a, b, None, f"bounds differ: {a.qualifier} and {b.qualifier}", equivalence
        )
    numbers, truths = a.si(), b.si()
    if a.kind == "list":
        numbers, truths = tuple(sorted(numbers)), tuple(sorted(truths))
    if len(numbers) != len(truths):
        return ComparedValues(False, a, b, None, f"{len(numbers)} and {len(truths)} values", equivalence)
    worst = 0.0
    for one, true in zip(numbers, truths, strict=True):
        difference = abs(one - true)
        if true == 0.0:
            if difference and abs_tol is None:
                return ComparedValues(
                    False, a, b, None, "the truth is 0: an absolute tolerance is needed", equivalence
                )
            if difference > (abs_tol or 0.0):
                return ComparedValues(False, a, b, None, f"differs from 0 by {difference:.3g}", equivalence)
            continue
        relative = difference / abs(true)
        if relative > rel_tol * (1 + 1e-9) and not (abs_tol is not None and difference <= abs_tol):
            return ComparedValues(
                False, a, b, relative, f"differs by {relative:.3g} of the truth", equivalence
            )
        worst = max(worst, relative)
    return ComparedValues(True, a, b, worst, "", equivalence)


def _with_unit(text: str, unit: str) -> Value:
    value = read_value(text)
    return read_value(f"{text} {unit}") if unit and not has_unit(value) else value


def _bound(qualifier: str) -> str:
    """Return the direction of a bound; an approximate value is none."""
    return qualifier[0] if qualifier[0] in "<>" else ""
