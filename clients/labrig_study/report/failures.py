"""How records fail: each falls into one outcome, and may carry any number of troubles on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labrig_harness.records.scoring import Record
from labrig_study.report.leaderboard import Row
from labrig_study.report.prose import readable
from labrig_study.report.runs import score_of
from labrig_study.report.truth import Truth

OUTCOMES = {
    "right": "right",
    "compat": "right by compat only",
    "partly": "partly right",
    "wrong": "wrong",
    "unreadable": "answer not readable",
    "steps": "no answer: step limit",
    "limit": "no answer: time, token or cost limit",
    "refused": "the model declined",
    "silent": "stopped without an answer",
    "agent": "the agent program failed",
}
"""In this order; a record is the first that holds of a committed answer, else the reason why there is none."""

MOST_DIAGNOSES = 12
"""Diagnoses listed; the rest is counted."""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of a run's records, which add up to `n`, and the troubles, which do not.

    Attributes
    ----------
    faults
        Mistakes of the model in calls and replies, by kind.
    faulty, failed, cut, retried
        Records with a mistake of the model; with a call that the server answered by an error; with a result that
        reached the model in part; that took more than one attempt.
    limited
        Records that ended at a limit though they had committed an answer.
    """

    row: Row
    n: int
    counts: Mapping[str, int]
    faults: Mapping[str, int]
    faulty: int
    failed: int
    cut: int
    retried: int
    limited: int


def outcome(record: Record) -> str:
    """Return the key of `OUTCOMES` that a record falls into."""
    score = score_of(record)
    if score.strict >= 1:
        return "right"
    if record.committed:
        if score.strict > 0:
            return "partly"
        if score.compat >= 1:
            return "compat"
        return "wrong" if score.answer else "unreadable"
    if record.end == "step_limit":
        return "steps"
    if record.end in ("wall_limit", "token_limit", "cost_limit"):
        return "limit"
    return {"refused": "refused", "agent_error": "agent"}.get(record.end, "silent")


def outcomes(rows: Sequence[Row]) -> list[Outcomes]:
    """Return the outcomes of each run."""
    return [_count_outcomes(row) for row in rows]


def _count_outcomes(row: Row) -> Outcomes:
    records = row.run.records
    faults: Counter[str] = Counter()
    for record in records:
        faults.update(record.faults)
    counts = Counter(map(outcome, records))
    return Outcomes(
        row=row,
        n=len(records),
        counts={name: counts[name] for name in OUTCOMES},
        faults=dict(faults.most_common()),
        faulty=sum(bool(each.faults) for each in records),
        failed=sum(each.failed_calls > 0 for each in records),
        cut=sum(each.cut > 0 for each in records),
        retried=sum(each.attempts > 1 for each in records),
        limited=sum(each.committed and each.end.endswith("_limit") for each in records),
    )


def diagnosis_of(record: Record, truth: Truth) -> str:
    """Return why a wrong answer is wrong, where the scorer or the task's options tell."""
    score = score_of(record)
    if score.strict > 0 or not record.committed:
        return ""
    return readable(str(score.facts.get("diagnosis") or truth.diagnosis(score.answer)))


def diagnoses(rows: Sequence[Row], truths: Mapping[str, Truth]) -> list[tuple[str, tuple[int, ...]]]:
    """Return for each diagnosis of wrong answers how often each run has it, the most frequent first."""
    found: dict[str, Counter[int]] = {}
    for row in rows:
        for record in row.run.records:
            if outcome(record) == "wrong":
                why = diagnosis_of(record, truths[record.task]) or "no diagnosis"
                found.setdefault(why, Counter())[row.number] += 1
    ordered = sorted(found.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    made = [(why, tuple(counts[row.number] for row in rows)) for why, counts in ordered[:MOST_DIAGNOSES]]
    if rest := ordered[MOST_DIAGNOSES:]:
        made.append(
            (f"{len(rest)} others", tuple(sum(counts[row.number] for _, counts in rest) for row in rows))
        )
    return made
