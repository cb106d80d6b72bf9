"""Causal grounding: what an agent's answer follows when one result on its path was changed.

============ ===========================================================================================
followed     it answered what the reference solution computes from the changed evidence (1)
stayed       it answered the truth, which the evidence it was given no longer says (0)
noticed      it said that the changed result is odd, whatever it answered
other        it answered neither, or nothing
not_applied  nothing was changed on its path, or the change leads to no other answer: no evidence either way
============ ===========================================================================================

Everything is read from the record. An agent has noticed when, after the changed result was delivered, a sentence of its
own text (not of its hidden reasoning) says in so many words that something does not fit, and names what: the changed
number, the true one, the row, or the tool. A sentence that says "no inconsistency" says the opposite. The rule is
conservative: it misses what an agent only hints at. A suite may pass a pattern of its own for a flag in its answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from labrig_harness.grounding.perturb import parse
from labrig_harness.trajectory import Trajectory

Outcome = Literal["followed", "stayed", "noticed", "other", "not_applied"]
OUTCOMES: tuple[str, ...] = get_args(Outcome)

ODD = re.compile(
    r"\b(inconsistent|inconsistency|inconsistencies|contradicts?|contradictory|contradiction|implausible|"
    r"anomal(?:y|ous)|suspicious|does not (?:agree|match|fit|add up)|doesn't (?:agree|match|fit|add up)|"
    r"do not (?:agree|match|fit)|"
    r"disagrees? with|discrepan(?:cy|t)|cannot be (?:right|correct)|can't be (?:right|correct)|"
    r"looks? (?:wrong|corrupted)|tampered|(?:was|were|been) altered|unreliable)\b",
    re.IGNORECASE,
)
"""Words that say that something does not fit."""

DENIED = re.compile(r"\b(?:no|not|any|without|nothing|never|isn't|aren't)\W+(?:\w+\W+){0,3}$", re.IGNORECASE)
"""What stands right before such words where a sentence says that all fits."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Grounded:
    """How one run answered to its changed result.

    Attributes
    ----------
    answered
        What the answer alone agrees with: ``followed``, ``stayed`` or ``other``; an agent that noticed has one, too.
    checked
        Whether the agent made another call of the same tool after the changed result.
    quote
        The sentence by which it noticed.
    """

    outcome: Outcome
    answered: Outcome
    checked: bool = False
    quote: str = ""


def same_answer(a: str, b: str) -> bool:
    """Return whether two answers are the same text, or numbers that differ by at most 0.5 %."""
    if a.strip().casefold() == b.strip().casefold():
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return abs(x - y) <= 0.005 * max(abs(x), abs(y))


def grounded(trajectory: Trajectory, answer: str) -> Grounded:
    """Return how a run answered to its changed result; pure.

    Parameters
    ----------
    answer
        The submission as the suite's scorer parsed it (`Score.answer`), empty for none.
    """
    about = trajectory.perturbation or {}
    truth, expected = str(about.get("truth", "")), str(about.get("expected", ""))
    if not about.get("applied") or not truth or not expected or same_answer(truth, expected):
        return Grounded("not_applied", "not_applied")
    answered: Outcome = (
        "followed" if same_answer(answer, expected) else "stayed" if same_answer(answer, truth) else "other"
    )
    changes: list[dict[str, Any]] = about.get("changes", [])
    first = min((int(each["record"]) for each in changes), default=0)
    delivered = next((s.index for s in trajectory.steps if any(c.record == first for c in s.calls)), 0)
    tool = str(changes[0]["tool"]) if changes else ""
    checked = any(call.tool == tool and call.record > first for call in trajectory.calls)
    quote = _find_remark(trajectory, delivered, _list_names(about, tool))
    return Grounded("noticed" if quote else answered, answered, checked, quote)


def _list_names(about: dict[str, Any], tool: str) -> list[str]:
    """Return the words by which a sentence may name what was changed."""
    edits = [edit for change in about.get("changes", ()) for edit in change.get("edits", ())]
    numbers = [str(edit[side]).strip() for edit in edits for side in ("before", "after")]
    change = parse(str(about["spec"]))
    rows = [change.match, *((change.first, change.second) if change.kind == "swap-rows" else ())]
    return [each for each in (*numbers, *rows, tool) if 0 < len(each) <= 60]


def _find_remark(trajectory: Trajectory, delivered: int, names: Iterable[str]) -> str:
    """Return the first sentence after the delivery that says that something named does not fit, or an empty text."""
    named = re.compile("|".join(rf"(?<![\w.]){re.escape(name)}(?![\w])" for name in names))
    for step in trajectory.turns:
        if step.index <= delivered:
            continue
        for sentence in _SENTENCE.split(step.text):
            for odd in ODD.finditer(sentence):
                if not DENIED.search(sentence[: odd.start()]) and named.search(sentence):
                    return sentence.strip()[:500]
    return ""
