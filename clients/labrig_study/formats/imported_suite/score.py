"""The score of an imported record: what its log says, since the scorer itself is not there."""

from __future__ import annotations

import math
from typing import Any

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory

VERSION = "1"

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's correct, partial, incorrect and no answer, as its metric ``accuracy`` counts them."""
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def share(value: Any) -> float | None:
    """Return the value of a score as Inspect's ``accuracy`` counts it, None where that is no number in [0, 1].

    >>> [share(each) for each in ("C", "P", "I", True, 0.25, "0.5", "yes", 7, "good", {"a": 1}, None)]
    [1.0, 0.5, 0.0, 1.0, 0.25, 0.5, 1.0, None, None, None, None]
    """
    if isinstance(value, str):
        known = LETTERS.get(value, WORDS.get(value.casefold()))
        if known is not None:
            return known
    if not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0 <= number <= 1 else None


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Return the score of the first scorer of the log; `facts` holds those of all, by name.

    Raises
    ------
    LabrigError
        ``not_found``: if the log holds no score of this record that is a number in [0, 1]. To count it as wrong would
        be a result that Inspect did not give.
    """
    given = {
        name: each
        for name, each in trajectory.meta.get("scores", {}).items()
        if share(each["value"]) is not None
    }
    if not given:
        raise LabrigError(
            "The log holds no score of this sample that is a number in [0, 1]",
            try_="labrig import with --suite or --tasks",
            code="not_found",
        )
    values = {name: share(each["value"]) for name, each in given.items()}
    first = next(iter(given))
    answer = given[first]["answer"]
    value = values[first] or 0.0
    shown = "" if answer is None else str(answer)
    facts = {"scorers": values, "end": trajectory.end}
    return Score.of(sample, trajectory, value, value, shown, facts)
