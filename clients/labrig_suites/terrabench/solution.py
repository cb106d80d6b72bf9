"""The reference solution: the calls of the canonical trace, and every number out of their results.

No true value is looked at: a field is a formula over results (`labrig_suites.terrabench.reckoning`), and so is an
argument that depends on an earlier result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.terrabench.arms import ACTIVATED
from labrig_suites.terrabench.making.plan import significant
from labrig_suites.terrabench.metrics.families import DOCUMENTS, family_of
from labrig_suites.terrabench.reckoning import Formula, reckoned, told

SWITCH = "reset_equipped_tools"
GROUPS = ("core", "ensemble_verify", "visualization", "geo_osm", "seasonal", "satellite", "era5_obs", "basic")


def solution(sample: Sample, arm: Arm) -> Solution:
    """Return the reference solution of an item of ours in an arm with the published tools.

    Raises
    ------
    Unsolvable
        For a published item, whose trace was played on live services, for an arm without the toolset terra, and for an
        item with a document in an arm without papers.
    """
    formulas = formulas_of(sample, arm)
    return played(sample.truth["paths"][0], sample.truth["bound"], formulas, arm)


def formulas_of(sample: Sample, arm: Arm) -> Mapping[str, Formula]:
    """Return the formulas of the fields, in their order; Unsolvable where the item or the arm has no reference."""
    if "formulas" not in sample.truth:
        raise Unsolvable("a published item says which calls were made, not how its numbers come out of them")
    if arm.server and "terra" not in arm.serve.toolsets:
        raise Unsolvable("the reference uses the toolset terra")
    reads = any(family_of(call["tool"]) == DOCUMENTS for call in sample.truth["paths"][0])
    if reads and "papers" not in arm.served:
        raise Unsolvable("the reference reads a document, and the arm has no server of papers")
    found: Mapping[str, Formula] = sample.truth["formulas"]
    return found


def played(
    path: Sequence[Mapping[str, Any]],
    bound: Mapping[str, Mapping[str, Formula | list[Formula]]],
    formulas: Mapping[str, Formula],
    arm: Arm,
) -> Solution:
    """Return the solution of a list of calls; in the arm that switches groups on, that is its first call."""
    first = [Call(SWITCH, dict.fromkeys(GROUPS, True))] if arm.name == ACTIVATED else []
    skip = len(first)
    calls = [
        Call(row["tool"], _arguments(row["arguments"], bound.get(str(place), {}), skip))
        for place, row in enumerate(path)
    ]
    return Solution((*first, *calls), lambda results: answer(formulas, results[skip:]))


def answer(formulas: Mapping[str, Formula], results: Sequence[str]) -> str:
    """Return the sidecar; a field whose results do not hold it is null.

    Raises
    ------
    Unsolvable
        Where no field comes out of the results.
    """
    rows: list[dict[str, Any]] = []
    for key, formula in formulas.items():
        try:
            value: float | None = significant(reckoned(formula, results))
        except (Unsolvable, LookupError):
            value = None
        rows.append({"key": key, "value": value, "abs_tol": 0, "rel_tol": 0, "floor_scale": 0})
    if all(each["value"] is None for each in rows):
        raise Unsolvable("no field comes out of the results")
    return json.dumps(rows)


def _arguments(
    plain: Mapping[str, Any], bound: Mapping[str, Formula | list[Formula]], skip: int
) -> dict[str, Any] | Callable[[Sequence[str]], dict[str, Any]]:
    if not bound:
        return dict(plain)
    return lambda results: {
        **plain,
        **{name: _bound(plain[name], formula, results[skip:]) for name, formula in bound.items()},
    }


def _bound(plain: Any, formula: Formula | list[Formula], results: Sequence[str]) -> float | str | list[float]:
    """Return an argument out of results: words where the canonical trace has words, else a number or several."""
    if isinstance(formula, list):
        return [significant(reckoned(each, results)) for each in formula]
    if isinstance(plain, str) and not isinstance(formula, int | float):
        return told(formula, results)
    return significant(reckoned(formula, results))
