"""The score of a material: 0, 1 or 2, by the published definition and by the one that asks for evidence.

``compat`` is the published one: 2 for the class and any value within 0.1 % of the truth, 1 for the class alone, 0 for
anything else, Unknown included. ``strict`` gives 2 only where every value is one that papers state, that of the truth
among them, and a cited paper of the truth holds the quote. Both are halved, so that they lie in [0, 1]. A material that
nobody tested is in no published set: there Unknown is right by both, and anything else wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from labrig.former_names import name_today
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.precedent_search.citing import cited, proved
from labrig_suites.precedent_search.payload import Claimed, read_answer

VERSION = "1"
TOLERANCE = 1e-3
"""Relative to the larger of two values."""
CATEGORIES = ("correct", "partial", "not attempted", "incorrect", "failed")


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one material.

    Parameters
    ----------
    sample
        Its truth holds ``answer``, ``kelvin`` (that of the published truth first) and ``sources``, each with ``doi``,
        ``title`` and ``text``, which is None where it is not known.
    trajectory
        Its submission is JSON in the published form, from a file or the last message.
    """
    truth = sample.truth
    submission = trajectory.submission
    said = read_answer(submission.text if submission else None)
    compat, strict = _published(truth, said), _strict(truth, said)
    by = cited(said.sources if said else (), truth["sources"])
    facts: dict[str, Any] = {
        "committed": submission is not None,
        "read": said is not None,
        "truth": truth["answer"],
        "said": said.claim if said else "",
        "values": sum(map(len, said.kelvin)) if said else 0,
        "score": compat,
        "score_strict": strict,
        "category": category(truth["answer"], said, compat),
        "category_strict": category(truth["answer"], said, strict),
        "broken": bool(said and said.broken),
        **{f"cited_{name}": found for name, found in by.items()},
        "proved": bool(said and proved(said.sources, truth["sources"], truth["kelvin"])),
        "kind": sample.labels.get("kind", ""),
        "end": trajectory.end,
        "steps": len(trajectory.turns),
        "calls": len(trajectory.calls),
        "tools": dict(sorted(Counter(name_today(call.tool) for call in trajectory.calls).items())),
        "model": trajectory.model,
        "effort": str(trajectory.settings.get("effort", "")),
        "tokens": trajectory.tokens.total if trajectory.tokens.measured else None,
        "cost": trajectory.cost.amount if trajectory.cost is not None else None,
    }
    shown = said.claim + "".join(f" {value:g} K" for value in _flat(said)[:8]) if said else ""
    return Score.of(sample, trajectory, strict / 2, compat / 2, shown, facts)


def category(truth: str, said: Claimed | None, points: int) -> str:
    """Return one of `CATEGORIES`."""
    if said is None:
        return "failed"
    if said.claim == "Unknown" and truth != "Unknown":
        return "not attempted"
    return ("incorrect", "partial", "correct")[points]


def _published(truth: dict[str, Any], said: Claimed | None) -> int:
    if said is None or said.claim != truth["answer"]:
        return 0
    if truth["answer"] == "Unknown":
        return 2
    return 2 if any(same(value, truth["kelvin"][0]) for value in _flat(said)) else 1


def _strict(truth: dict[str, Any], said: Claimed | None) -> int:
    if said is None or said.claim != truth["answer"] or (truth["answer"] == "Unknown" and said.broken):
        return 0
    if truth["answer"] == "Unknown":
        return 2
    known: Sequence[float] = truth["kelvin"]
    values = _flat(said)
    right = any(same(value, known[0]) for value in values) and all(
        any(same(value, each) for each in known) for value in values
    )
    one_each = all(len(each) == 1 for each in said.kelvin)
    return (
        2 if right and one_each and not said.broken and proved(said.sources, truth["sources"], known) else 1
    )


def same(one: float, other: float) -> bool:
    """Tell whether two temperatures are within 0.1 % of the larger."""
    return abs(one - other) <= TOLERANCE * max(one, other)


def _flat(said: Claimed) -> list[float]:
    return [value for each in said.kelvin for value in each]
