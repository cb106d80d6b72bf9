"""The score of a science-gym item: the two grades of its answer, and what the tables count.

``compat`` is the published grader read literally, ``strict`` the one that should have been: `grading`. Neither asks how
an answer was found; tool calls stand beside it.
"""

from __future__ import annotations

from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.science_gym import grading
from labrig_suites.science_gym.question import EXPECTED

VERSION = f"1.{grading.VERSION}"
"""Of this module and of the graders."""

PYTHON = "run_python_code"


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one item.

    Parameters
    ----------
    sample
        Its truth holds ``expected``, the fields of `question.Expected`; its labels ``category``, ``type``, ``style``.
    trajectory
        Its submission is the last JSON object of the last message (channel ``json``); where there is none the whole
        message is graded.
    """
    expected = EXPECTED.validate_python(sample.truth["expected"])
    submission = trajectory.submission
    text = submission.text if submission else None
    grade = grading.grade(expected, text, last_message(trajectory), sample.brief.prompt)
    tokens = trajectory.tokens
    facts: dict[str, Any] = {
        "committed": submission is not None,
        "abstained": grade.abstains_strict,
        "abstained_compat": grade.abstains_compat,
        "impossible": expected.kind == "impossible",
        "reason": expected.reason,
        "category": sample.labels.get("category", ""),
        "type": sample.labels.get("type", ""),
        "style": sample.labels.get("style", ""),
        "reads": grade.strict_reads,
        "reads_compat": grade.compat_reads,
        "end": trajectory.end,
        "steps": len(trajectory.turns),
        "calls": len(trajectory.calls),
        "python_runs": sum(call.tool == PYTHON and call.record >= 0 for call in trajectory.calls),
        "tokens": {"input": tokens.input, "cached": tokens.cache_read, "output": tokens.output}
        if tokens.measured
        else None,
        "model": trajectory.model,
        "wall_s": float(trajectory.meta.get("duration_s", 0.0)),
    }
    return Score.of(sample, trajectory, float(grade.strict), float(grade.compat), grade.strict_reads, facts)


def last_message(trajectory: Trajectory) -> str:
    """Return the last text of the agent, where the channel ``json`` looks; empty where it said nothing."""
    return next((step.text for step in reversed(trajectory.turns) if step.text.strip()), "")
