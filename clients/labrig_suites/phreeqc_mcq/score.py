"""The score of a phreeqc-mcq item, and where a wrong answer left the chain from question to letter.

``strict`` and ``compat`` are those of `labrig_suites.common.choice`: one letter, and for strict a run of
PHREEQC that went well before it. Beside them stands what the tables count.

The chain is that of PHREEQC-MCQ-200 (question 5 of its introduction): input, execution, navigation, answer. Where it
broke is read from the record and from the hidden diagnosis of the option that was chosen: an option that comes of a
switch missed in the model (`scenario.Kind`) breaks it at the input, one that comes of another step or field of the
right output at the navigation. `evidence` knows more, for it sees what the agent was shown.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Literal

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.common import choice as letters
from labrig_suites.common.choice import WITHOUT_TOOLS, ran
from labrig_suites.phreeqc_mcq.scenario import READING

VERSION = f"1.{letters.VERSION}"
"""Of this module and of the letters' scorer."""

Break = Literal["", "input", "execution", "navigation", "answer", "unknown"]
BREAKS: tuple[Break, ...] = ("input", "execution", "navigation", "answer", "unknown")


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one item.

    Parameters
    ----------
    sample
        Its truth holds ``answer``, and for generated items by letter the options with what was missed.
    """
    scored = letters.score(sample, trajectory)
    tokens = trajectory.tokens
    facts: dict[str, Any] = {
        "model": trajectory.model,
        "wall_s": float(trajectory.meta.get("duration_s", 0.0)),
        "tokens": {"input": tokens.input, "cached": tokens.cache_read, "output": tokens.output}
        if tokens.measured
        else None,
        "output_chars": None,
        "missed": [each["kind"] for each in option(sample, scored.answer).get("missed", ())],
        "break": "" if scored.compat else broken(sample, trajectory, scored.answer),
    }
    return replace(scored, facts=scored.facts | facts)


def option(sample: Sample, letter: str) -> dict[str, Any]:
    """Return what is hidden about an option; empty where nothing is known."""
    found: dict[str, Any] = sample.truth.get("options", {}).get(letter, {})
    return found


def broken(
    sample: Sample,
    trajectory: Trajectory,
    answer: str,
    shown: Collection[str] | None = None,
    looked: bool = False,
) -> Break:
    """Return where the chain broke in a record whose answer is wrong or missing; the first that holds:

    1. nothing ran: ``execution`` where an input was written, else ``input``;
    2. the chosen option comes of another step or field alone: ``navigation``;
    3. the right value was shown to the agent: ``answer``;
    4. the chosen option, or where its value was not shown another one that was, comes of a mistake in the model:
       ``input``, else ``navigation``;
    5. none of the four values was shown: ``input`` where the quantity was, or a whole output without it (the model has
       a mistake that no option names), else ``navigation`` (the place was never read).

    Parameters
    ----------
    shown
        Letters of the options whose values the agent was shown; None where that is not known.
    looked
        Whether it was shown the quantity at all, with whatever value, or the whole of an output.

    Returns
    -------
    Break
        Empty for an arm without tools; ``unknown`` where neither diagnosis nor what was shown decides.
    """
    if trajectory.arm in WITHOUT_TOOLS:
        return ""
    if not any(ran(call) for call in trajectory.calls):
        return "execution" if any(call.tool == letters.EXECUTE for call in trajectory.calls) else "input"
    if answer and _is_misread(sample, answer):
        return "navigation"
    if shown is None:
        return "input" if option(sample, answer).get("missed") else "unknown"
    if sample.truth["answer"] in shown:
        return "answer"
    followed = {answer} & set(shown) or set(shown)
    if followed:
        return "navigation" if all(_is_misread(sample, letter) for letter in followed) else "input"
    return "input" if looked else "navigation"


def _is_misread(sample: Sample, letter: str) -> bool:
    """Return whether an option comes of misreading alone."""
    missed = option(sample, letter).get("missed", ())
    return bool(missed) and all(each["kind"] in READING for each in missed)
