"""The published grader, read literally, but for its embedder and judge of names, whose place a list takes.

For each truth the best of the predictions of its name and material counts, for each prediction the best of its truths;
any number of a value may match, units are converted where both are in its table and else left out, and a text is right
that holds the other. Evidence is not looked at. See docs/suites/supercon-grading.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from labrig_suites.supercon_extraction.grading.counts import Counts
from labrig_suites.supercon_extraction.grading.formulas import almost_equal
from labrig_suites.supercon_extraction.grading.names import SameName, same_name
from labrig_suites.supercon_extraction.grading.symmetry import same_group
from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.grading.units import read_unit, to_si
from labrig_suites.supercon_extraction.grading.values import NUMBERS, read_value
from labrig_suites.supercon_extraction.rows import Predicted, Truth

TOLERANCE = 0.001
KNOWN = frozenset(
    [
        "K",
        "T",
        "Oe",
        "Å",
        "nm",
        "GPa",
        "g/cm^3",
        "meV",
        "%",
        "mJ/mol K^2",
        "Ω cm",
        "μΩ cm",
        "A/cm^2",
        "T/K",
        "V/K",
    ]
)
"""Units that its table of conversions has; those of a prediction that are not there (mK, km) make numbers bare."""


def grade(truths: Sequence[Truth], said: Sequence[Predicted], same: SameName = same_name) -> Counts:
    """Count truths that have a right prediction, and predictions that have a right truth."""
    right = [[n for n, row in enumerate(said) if _right(truth, row, same)] for truth in truths]
    return Counts(
        found=sum(map(bool, right)),
        truths=len(truths),
        right=len({n for near in right for n in near}),
        said=len(said),
    )


def _right(truth: Truth, row: Predicted, same: SameName) -> bool:
    if not row.name or not same(row.name, truth.name, truth.also):
        return False
    return almost_equal(row.material, truth.material) and _value(truth, row.value)


def _value(truth: Truth, said: str) -> bool:
    if truth.rule == "formula":
        return almost_equal(said, truth.value)
    if truth.rule == "space_group":
        return same_group(said, truth.value)
    if truth.rule == "categorical":
        one, other = said.strip().casefold(), truth.value.strip().casefold()
        return bool(one) and bool(other) and (one in other or other in one)
    true = read_value(truth.printed)
    if true is None:
        return False
    (wanted, *_), numbers = true.numbers, _numbers(said)
    read = read_value(said)
    if read is not None and true.unit is not None and read.written in KNOWN and true.written in KNOWN:
        unit = read_unit(read.written)
        converted = to_si(read.numbers[0], unit, true.unit.dimension) if unit is not None else None
        in_si = to_si(wanted, true.unit, true.unit.dimension)
        return converted is not None and in_si is not None and _close(converted, in_si)
    return any(_close(number, wanted) for number in numbers)


def _close(said: float, true: float) -> bool:
    return abs(said - true) <= TOLERANCE * max(abs(said), abs(true))


def _numbers(text: str) -> list[float]:
    read = read_value(text)
    first = [read.numbers[0]] if read is not None else []
    return first + [float(each.replace(",", "")) for each in NUMBERS.findall(signs(text))[:1000]]
