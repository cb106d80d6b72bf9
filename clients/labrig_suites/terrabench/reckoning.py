"""Numbers of an answer as formulas over results: plain data, so that a truth can hold them and a solution reads them.

=============================== =====================================================================================
formula                         number
=============================== =====================================================================================
a number                        itself
{"of": 3, "at": ["stats", "x"]} what the JSON text of the fourth result has there; a number of `at` is a place in a list
{"of": 3, "find": "..."}         what the first group (or `group`) of a regular expression finds in the result's text
{"do": "sub", "with": [a, b]}   `OPERATIONS` of further formulas
=============================== =====================================================================================
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from labrig_harness.suite import Unsolvable

Formula = float | Mapping[str, Any]

OPERATIONS: Mapping[str, Callable[[list[float]], float]] = {
    "add": math.fsum,
    "sub": lambda values: values[0] - math.fsum(values[1:]),
    "mul": math.prod,
    "div": lambda values: values[0] / values[1],
    "mean": lambda values: math.fsum(values) / len(values),
    "max": max,
    "min": min,
    "nearest": lambda values: _nearest(values[0], values[1:]),
}
"""``nearest`` has a number, candidates, and a value for each: the value of the candidate nearest to the number."""


def reckoned(formula: Formula, results: Sequence[str]) -> float:
    """Return the number of a formula.

    Raises
    ------
    Unsolvable
        A result is no JSON, lacks what is looked for, or has no number there; a division by zero.
    """
    if isinstance(formula, int | float):
        return float(formula)
    if "find" in formula:
        try:
            return float(told(formula, results))
        except ValueError as error:
            raise Unsolvable(str(error)) from error
    if "of" in formula:
        return _picked(results[formula["of"]], formula["at"])
    values = [reckoned(each, results) for each in formula["with"]]
    try:
        return float(OPERATIONS[formula["do"]](values))
    except (ArithmeticError, LookupError, ValueError) as error:
        raise Unsolvable(f"{formula['do']} of {values}: {error}") from error


def _nearest(number: float, rest: list[float]) -> float:
    candidates, values = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    return values[min(range(len(candidates)), key=lambda place: abs(candidates[place] - number))]


def told(formula: Mapping[str, Any], results: Sequence[str]) -> str:
    """Return the words that a formula finds in the text of a result; Unsolvable where they are not there."""
    found = re.search(formula["find"], " ".join(results[formula["of"]].split()))
    if found is None:
        raise Unsolvable(f"nothing like {formula['find']} is in the result")
    words: str = found[formula.get("group", 1)]
    return words.rstrip(".")


def places(formula: Formula) -> set[int]:
    """Return the results that a formula reads."""
    if isinstance(formula, int | float):
        return set()
    if "of" in formula:
        return {formula["of"]}
    return {place for each in formula["with"] for place in places(each)}


def _picked(text: str, at: Sequence[str | int]) -> float:
    try:
        found: Any = json.loads(text)
        for step in at:
            found = found[step]
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise TypeError(f"{str(found)[:40]} is no number")
    except (ValueError, LookupError, TypeError) as error:
        raise Unsolvable(f"{'.'.join(map(str, at))}: {error}") from error
    return float(found)
