"""The score of a question of a file: a pure function of sample and trajectory.

``compat``
    the answer is right, by the kind of the question (`answers`).
``strict``
    the same, and what the question asserts of the calls holds (`calls`).

They differ for a right answer that was guessed where the question wants a call of a tool.
"""

from __future__ import annotations

from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.questions.answers import JUDGES, UNREADABLE, first_line, is_abstention
from labrig_suites.questions.calls import failed_rules

VERSION = "2"
"""Of scorer and parsers together."""

_SHOWN = 200


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one question."""
    truth, submission = sample.truth, trajectory.submission
    text = submission.text if submission is not None else ""
    abstained = is_abstention(text)
    if submission is None:
        why = "nothing was committed"
    elif abstained and truth["kind"] != "abstain":
        why = "abstained where there is an answer"
    else:
        why = JUDGES[truth["kind"]](text, truth)
    failed = failed_rules(truth["calls"], trajectory.calls)
    readable = submission is not None and not why.startswith(UNREADABLE)
    facts: dict[str, Any] = {
        "kind": truth["kind"],
        "committed": submission is not None,
        "readable": readable,
        "abstained": abstained,
        "false_completion": bool(why) and submission is not None and not abstained,
        "why": why,
        "failed_calls": failed,
        "end": trajectory.end,
        "steps": len(trajectory.turns),
        "calls": len(trajectory.calls),
    }
    right = not why
    answer = "ABSTAIN" if abstained else first_line(text)[:_SHOWN]
    return Score.of(sample, trajectory, float(right and not failed), float(right), answer, facts)
