"""The grader as it should be: one prediction for one truth, all of it right, and proved by a quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from labrig_suites.supercon_extraction.grading.assignment import matched
from labrig_suites.supercon_extraction.grading.counts import Counts
from labrig_suites.supercon_extraction.grading.evidence import grounded, holds
from labrig_suites.supercon_extraction.grading.formulas import same_material
from labrig_suites.supercon_extraction.grading.names import SameName, key, same_name
from labrig_suites.supercon_extraction.grading.symmetry import same_group
from labrig_suites.supercon_extraction.grading.text import bare
from labrig_suites.supercon_extraction.grading.units import LENGTH, read_unit
from labrig_suites.supercon_extraction.grading.values import equal, read_value, with_unit
from labrig_suites.supercon_extraction.published.properties import find
from labrig_suites.supercon_extraction.published.units import read_written
from labrig_suites.supercon_extraction.rows import Predicted, Truth

TOLERANCES = (0.001, 0.01, 0.1)


@dataclass(frozen=True)
class Grade:
    """What a paper's predictions are worth.

    Values that stand in a figure alone are told apart: they are in no count but `drawn`, and a prediction that is right
    about one neither helps nor costs in the others.

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
    drawn
        Values that stand in a figure alone, read off it: right at 0.1 %, said to be of a figure, its caption or other
        text of its page quoted.
    of_figures
        Predictions with a right value of one of those, whatever they quote.
    """

    proved: Counts
    values: tuple[Counts, ...]
    pairs: Counts
    quoted: int | None
    drawn: Counts
    of_figures: frozenset[int]


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
    """
    every = range(len(said))
    pairs = [[n for n in every if is_pair(truth, said[n], same)] for truth in truths]
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
        on = {n for n in every if grounded(said[n].quote, said[n].page, pages)}
        quoted = len(on)
        proved = [
            [n for n in near if n in on and proves(truth, said[n])]
            for truth, near in zip(truths, proved, strict=True)
        ]
    figures = [truth.in_figure for truth in truths]
    drawn = len(matched([near for near, figure in zip(proved, figures, strict=True) if figure]))
    seen = matched([near for near, figure in zip(by_tolerance[0], figures, strict=True) if figure])
    return Grade(
        _kept(proved, figures, len(said)),
        tuple(_kept(right, figures, len(said)) for right in by_tolerance),
        _kept(pairs, figures, len(said)),
        quoted,
        Counts(drawn, sum(figures), drawn, len(said)),
        frozenset(seen.values()),
    )


def _kept(right: Sequence[Sequence[int]], figures: Sequence[bool], said: int) -> Counts:
    """Return the counts over values that stand in text; what is right about the others does not count as said."""
    found = len(matched([near for near, figure in zip(right, figures, strict=True) if not figure]))
    drawn = len(matched([near for near, figure in zip(right, figures, strict=True) if figure]))
    return Counts(found, figures.count(False), found, said - drawn)


def is_pair(truth: Truth, row: Predicted, same: SameName) -> bool:
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
    unit, named = read_unit(truth.unit), find(truth.name)
    length = unit.dimension == LENGTH if unit and truth.unit != "A" else named is not None and named.si == "m"
    read = partial(read_written, length=length)
    said, true = with_unit(row.value, row.unit, read), with_unit(truth.value, truth.unit, read)
    return said is not None and true is not None and equal(said, true, tolerance)


def proves(truth: Truth, row: Predicted) -> bool:
    """Tell whether a quote holds the value; one that stands in a figure alone is of that figure, on its page."""
    if truth.in_figure:
        return row.source == "figure" and row.page in {place.page for place in truth.places}
    return holds(row.quote, truth.value)
