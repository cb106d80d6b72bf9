"""The score of an item: Hit@tol, with all other metrics as facts.

``strict`` is Hit@tol with the tolerance of Eq. 9 and fields aligned by key. ``compat`` is Hit@tol of the public code.
How the tools were used stands in the facts under the paper's names (``metrics``), with NumScore and Hit@tol as the
paper aligns fields; ``answers`` has both by each of the three tolerances, ``compat`` what the public code computes.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from labrig.former_names import name_today
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.terrabench.metrics.answers import Answers, Rule, aligned, answers, plain_number
from labrig_suites.terrabench.metrics.boundaries import boundaries
from labrig_suites.terrabench.metrics.calls import Made, made_of
from labrig_suites.terrabench.metrics.compat import answers_compat, process_compat
from labrig_suites.terrabench.metrics.families import family_of
from labrig_suites.terrabench.metrics.process import Process, process
from labrig_suites.terrabench.metrics.sidecar import MOST_CHARS, Sidecar, read_sidecar
from labrig_suites.terrabench.metrics.texts import likeness
from labrig_suites.terrabench.truth import ItemTruth, truth_of

VERSION = "1"
RULE: Rule = "eq9"
SIMULATION = "Simulation"


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one item.

    Parameters
    ----------
    sample
        Its truth is that of `labrig_suites.terrabench.truth`.
    trajectory
        Its submission is the sidecar: what stands between ``<final_json>`` and ``</final_json>``.
    """
    truth = truth_of(sample)
    text = trajectory.submission.text if trajectory.submission else ""
    sidecar = read_sidecar(text)
    made = made_of(trajectory, truth.offered)
    used = process(made, truth.paths)
    by_rule = {rule: answers(sidecar.fields, truth.fields, rule=rule) for rule in get_args(Rule)}
    strict = answers(sidecar.fields, truth.fields, rule=RULE, fields="key")
    found = by_rule[RULE]
    public = answers_compat(_document(text), truth.fields)
    crossed = boundaries(trajectory, truth.offered)
    valid = [each for each in made if each.valid]
    said = likeness(_last_words(trajectory), truth.message) if truth.message else None
    facts: dict[str, Any] = {
        **{name: sample.labels.get(name, "") for name in ("track", "level", "domain")},
        "metrics": {**used.metrics, "NumScore": found.num, "Hit@tol": found.hit},
        "parts": {
            "exact": used.exact,
            "keys": used.keys,
            "values": used.values,
            "unique": used.order.unique,
            "any_order": used.order.any_order,
            "same_order": used.order.same_order,
        },
        "answers": {rule: [each.hit, each.num] for rule, each in by_rule.items()},
        "fields": dict(Counter(each.how for each in found.fields)),
        "missed": sum(
            not each.hit and each.how in ("outside", "unreadable", "missing") for each in found.fields
        ),
        "committed": trajectory.submission is not None,
        "answered": any(each is not None for each in sidecar.fields),
        "schema": sidecar.valid,
        "problems": list(sidecar.problems[:3]),
        "calls": {"made": used.made, "valid": used.valid, "succeeded": used.succeeded, "wanted": used.wanted},
        "families": dict(Counter(family_of(each.tool) for each in valid)),
        "path": used.path,
        "simulators": _simulators(truth, used, valid),
        "document": [len(truth.document), _copied(truth, sidecar, found)],
        "boundaries": crossed.accuracy,
        "guardrails": crossed.kept,
        "words": [said.words, said.order] if said else None,
        "compat": {**_compat(trajectory, sample), "NumScore": public, "Hit@tol": public},
        "end": trajectory.end,
        "steps": len(trajectory.turns),
        "model": trajectory.model,
        "wall_s": _seconds(trajectory.meta.get("duration_s")),
        "tokens": trajectory.tokens.total if trajectory.tokens.measured else None,
    }
    return Score.of(sample, trajectory, strict.hit, public, text[:2_000], facts)


def _simulators(truth: ItemTruth, used: Process, valid: Sequence[Made]) -> list[int]:
    """Return how many simulations the path has, and how many of them were run as it has them."""
    ran = {pair.reference for pair in used.pairs if pair.exact and valid[pair.predicted].success}
    path = truth.paths[used.path]
    simulated = [place for place, each in enumerate(path) if family_of(each.tool) == SIMULATION]
    return [len(simulated), sum(place in ran for place in simulated)]


def _copied(truth: ItemTruth, sidecar: Sidecar, found: Answers) -> int:
    """Return how many values that are off are those that the document prints."""
    given = aligned(sidecar.fields, truth.fields, "paper")
    return sum(
        not field.hit and field.key in truth.document and _same(mine.value, truth.document[field.key])
        for field, mine in zip(found.fields, given, strict=True)
        if mine is not None
    )


def _compat(trajectory: Trajectory, sample: Sample) -> dict[str, float]:
    """Return the public code's process metrics: all calls, and the first path by its names, meta calls included."""
    calls = [(name_today(call.tool, call.arguments), not call.is_error) for call in trajectory.calls]
    return process_compat(
        calls, [name_today(each["tool"], each.get("arguments")) for each in sample.truth["paths"][0]]
    )


def _document(text: str) -> Any:
    """Return an answer as the public code reads it; null for what is no JSON."""
    try:
        return json.loads(text[:MOST_CHARS])
    except (ValueError, RecursionError):
        return None


def _last_words(trajectory: Trajectory) -> str:
    return next((step.text for step in reversed(trajectory.turns) if step.text.strip()), "")


def _same(value: Any, reported: Any) -> bool:
    mine, theirs = plain_number(value), plain_number(reported)
    if mine is None or theirs is None:
        return bool(value == reported)
    return math.isclose(mine, theirs, rel_tol=1e-9)


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
