"""The grader as it should be: one prediction for one truth, all of it right, and proved by a quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labrig_suites.supercon_extraction.grading.assignment import matched
from labrig_suites.supercon_extraction.grading.counts import Counts
from labrig_suites.supercon_extraction.grading.evidence import grounded, holds
from labrig_suites.supercon_extraction.grading.formulas import same_material
from labrig_suites.supercon_extraction.grading.names import SameName, key, same_name
from labrig_suites.supercon_extraction.grading.symmetry import same_group
from labrig_suites.supercon_extraction.grading.text import bare
from labrig_suites.supercon_extraction.grading.values import equal, read_value, with_unit
from labrig_suites.supercon_extraction.rows import Predicted, Truth

TOLERANCES = (0.001, 0.01, 0.1)
MOST_CONSIDERED = 10_000


@dataclass(frozen=True)
class Grade:
    """What a paper's predictions are worth.

    Attributes
    ----------
    proved
        Right at 0.1 %, and the quote stands on the named page and holds the value: the score is its F1.
    values
        Right at each tolerance, whatever the quote.
    pairs
        Property and material alone (the paper's property-material match).
    quoted
        Predictions whose quote stands on the page they name, of all; None where the pages are not known.
    """

    proved: Counts
    values: tuple[Counts, ...]
    pairs: Counts
    quoted: int | None


def grade(
    truths: Sequence[Truth],
    said: Sequence[Predicted],
    pages: Sequence[str] | None = None,
    same: SameName = same_name,
) -> Grade:
    """Grade the predictions of a paper.

    Parameters
    ----------
    pages
        Text of each page; None where it is not known, and evidence is then not asked for.
    same
        Judge of names.
    """
    pairs = [[n for n, row in enumerate(said) if _pair(truth, row, same)] for truth in truths]

    def kept(right: Sequence[Sequence[int]]) -> Counts:
        found = len(matched(right))
        return Counts(found, len(truths), found, len(said))

    by_tolerance = [
        [
            [n for n in near if same_value(truth, said[n], tolerance)]
            for truth, near in zip(truths, pairs, strict=True)
        ]
        for tolerance in TOLERANCES
    ]
    proved = by_tolerance[0]
    quoted = None
    if pages is not None:
        on = {n for n, row in enumerate(said) if grounded(row.quote, row.page, pages)}
        quoted = len(on)
        proved = [
            [n for n in near if n in on and _shows(truth, said[n])]
            for truth, near in zip(truths, proved, strict=True)
        ]
    return Grade(kept(proved), tuple(map(kept, by_tolerance)), kept(pairs), quoted)


def _pair(truth: Truth, row: Predicted, same: SameName) -> bool:
    """Tell whether a prediction is of this property of this material, sample and condition."""
    if not row.name or not same(row.name, truth.name, truth.also):
        return False
    if not same_material(row.material, truth.material):
        return False
    if truth.sample and row.sample and key(row.sample) != key(truth.sample):
        return False
    return all(_agrees(row.conditions.get(name, ""), wanted) for name, wanted in truth.conditions.items())


def _agrees(said: str, wanted: str) -> bool:
    """Tell whether a condition is the true one, or is not said."""
    if not said.strip():
        return True
    one, other = read_value(said), read_value(wanted)
    if one is None or other is None:
        return bare(said) == bare(wanted)
    return equal(one, other, 0.001)


def same_value(truth: Truth, row: Predicted, tolerance: float) -> bool:
    """Tell whether a prediction has the true value, by the rule of the truth."""
    if truth.rule == "formula":
        return same_material(row.value, truth.value)
    if truth.rule == "space_group":
        return same_group(row.value, truth.value)
    if truth.rule == "categorical":
        return bool(bare(truth.value)) and bare(row.value) == bare(truth.value)
    said, true = with_unit(row.value, row.unit), with_unit(truth.value, truth.unit)
    return said is not None and true is not None and equal(said, true, tolerance)


def _shows(truth: Truth, row: Predicted) -> bool:
    """Tell whether the quote holds the value; that of a figure is read off it, and its caption is quoted."""
    if truth.places and all(place.source == "figure" for place in truth.places):
        return row.source == "figure"
    return holds(row.quote, truth.value)
