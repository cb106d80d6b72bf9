"""The score of a question with lettered options: a pure function of task and trajectory.

Two definitions of right, by the same parser:

``compat``
    that of PHREEQC-MCQ-200 (section 3.1): the agent commits "a file containing only the letter (A, B, C, or
    D); missing or unparseable final-answer files count as incorrect". Nothing else is looked at.
``strict``
    the same letter, and at least one successful execute_phreeqc in the steps up to the one that committed
    it. The benchmark is to measure what an agent computes; a letter without a run behind it is a guess,
    right one time in four. An answer file that no write_file made (a SELECTED_OUTPUT can make one) has no
    such step and is not strict. Arms without tools (``direct``, ``cot``) have nothing to run: there strict is compat.

They differ for a run whose only call is ``write_file("final_answer.txt", "C")`` where C is right: compat 1,
strict 0. So does a run that writes the letter first and executes PHREEQC afterwards. Strict does not
judge whether the run that was made was the right one; the diagnosis table does that for wrong answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Submission, ToolCall, Trajectory

VERSION = "2"
"""Of scorer and parser together."""

WITHOUT_TOOLS = ("direct", "cot")
EXECUTE = "execute_phreeqc"
READ = "read_file"
_LETTER = re.compile(r"[A-D]")


def parse(text: str) -> str:
    """Return the committed letter, or an empty text when the file holds anything but one letter.

    White space around the letter and its case do not matter, everything else does.

    >>> parse(" b\\n"), parse("AB"), parse("The answer is A"), parse("A.")
    ('B', '', '', '')
    """
    letter = text.strip().upper()
    return letter if _LETTER.fullmatch(letter) else ""


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one item.

    Parameters
    ----------
    sample
        Its truth holds ``answer`` and, by letter, the options with their diagnoses.
    """
    submission = trajectory.submission
    answer = parse(submission.text) if submission is not None else ""
    right = answer != "" and answer == sample.truth["answer"]
    executions = [call for call in trajectory.calls if call.tool == EXECUTE]
    grounded = trajectory.arm in WITHOUT_TOOLS or any(
        ran(each) for each in _before_commit(trajectory, submission)
    )
    chosen = sample.truth.get("options", {}).get(answer, {})
    facts: dict[str, Any] = {
        "stem": sample.labels.get("stem", ""),
        "committed": submission is not None,
        "parsed": answer != "",
        "end": trajectory.end,
        "steps": len(trajectory.turns),
        "executions": len(executions),
        "failed_executions": sum(not ran(each) for each in executions),
        "grounded": grounded,
        "reads": sum(call.tool == READ for call in trajectory.calls),
        "result_bytes": sum(call.result_bytes for call in trajectory.calls),
        "diagnosis": _diagnosis(chosen),
    }
    return Score.of(sample, trajectory, float(right and grounded), float(right), answer, facts)


def _diagnosis(chosen: dict[str, Any]) -> str:
    """Return the mistake that leads to the chosen option, and how many others lead there too."""
    also = len(chosen.get("also", ()))
    return str(chosen.get("diagnosis", "")) + (f" (or one of {also} more)" if also else "")


def _before_commit(trajectory: Trajectory, submission: Submission | None) -> Iterable[ToolCall]:
    """Return the calls up to the committing step; none where that step is not known."""
    if submission is None or submission.step < 0:
        return []
    return [call for step in trajectory.steps if step.index <= submission.step for call in step.calls]


def ran(call: ToolCall) -> bool:
    """Return whether a call is an execution of PHREEQC that went well."""
    return call.tool == EXECUTE and call.succeeded
