"""The published grader, read literally, but for its embedder and judge of names, whose place a list takes.

For each truth the best of the predictions of its name and material counts, for each prediction the best of its truths;
any number of a value may match, units are converted where both are in its table and else left out
(`published.numbers`), materials are resolved its way (`published.materials`), and a text is right that holds the other.
Evidence is not looked at. See docs/suites/supercon-grading.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from labrig_suites.supercon_extraction.grading.counts import Counts
from labrig_suites.supercon_extraction.grading.names import SameName, same_name
from labrig_suites.supercon_extraction.published.groups import same_number_of_group
from labrig_suites.supercon_extraction.published.materials import same_composition
from labrig_suites.supercon_extraction.published.numbers import same_number
from labrig_suites.supercon_extraction.rows import Predicted, Truth


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
    return same_composition(row.material, truth.material) and _value(truth, row.value)


def _value(truth: Truth, said: str) -> bool:
    if truth.rule == "formula":
        return same_composition(said, truth.value)
    if truth.rule == "space_group":
        return same_number_of_group(said, truth.value)
    if truth.rule == "categorical":
        one, other = said.strip().casefold(), truth.printed.casefold()
        return bool(one) and bool(other) and (one in other or other in one)
    return same_number(said, truth.printed.replace("Å", "A"))  # as its table and all of its truths write it
