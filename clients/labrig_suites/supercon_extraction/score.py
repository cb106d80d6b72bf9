"""The score of a paper: F1 of what was extracted, by the definition as it should be and by the published one.

``strict`` is the F1 of predictions that are right at 0.1 % and proved by a quote (`grading.strict`); ``compat`` is the
F1 of the published rules (`grading.literal`). Names are compared as the paper does where a judge gave verdicts
(`judging`), else by a list: the fact ``names`` says which, and with a list a score is not the paper's. Values that
stand in a figure alone are asked by neither: the facts ``figures`` and ``figures_read`` count them.
"""

from __future__ import annotations

from typing import Any

from labrig_harness.records import verdicts
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.supercon_extraction.grading import literal, strict
from labrig_suites.supercon_extraction.grading.counts import Counts
from labrig_suites.supercon_extraction.grading.kinds import count_kinds
from labrig_suites.supercon_extraction.grading.names import same_name
from labrig_suites.supercon_extraction.grading.payload import read_payload
from labrig_suites.supercon_extraction.judging import judged_name
from labrig_suites.supercon_extraction.rows import truths

VERSION = "3"
MEASURES = ("f1", "f1_1", "f1_10", "pm", "precision", "recall", "compat_recall")
"""Facts of a paper in [0, 1]; 0 where nothing could be read."""


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one paper.

    Parameters
    ----------
    sample
        Its truth holds ``rows`` (`rows.Truth`) and ``pages``, the text of each page, or None where it is not known.
    trajectory
        Its submission is JSON in the form of the paper's task, from a file or the last message.
    """
    rows = truths().validate_python(sample.truth["rows"])
    pages = sample.truth.get("pages")
    submission = trajectory.submission
    said = read_payload(submission.text if submission else None)
    said_by = verdicts.of(trajectory)
    facts: dict[str, Any] = {
        "committed": submission is not None,
        "read": said is not None,
        "names": said_by.by if said_by is not None else "list",
        "truths": len(rows),
        "figures": sum(row.in_figure for row in rows),
        "said": len(said or ()),
        "level": sample.labels.get("level", ""),
        "field": sample.labels.get("field", ""),
        "variant": sample.labels.get("variant", ""),
        "evidence": "asked" if pages is not None else "unknown",
        "end": trajectory.end,
        "steps": len(trajectory.turns),
        "calls": len(trajectory.calls),
        "model": trajectory.model,
        "tokens": trajectory.tokens.total if trajectory.tokens.measured else None,
        "cost": trajectory.cost.amount if trajectory.cost is not None else None,
    }
    if said is None:
        nothing = Counts(0, len(rows), 0, 0)
        facts |= dict.fromkeys(MEASURES, 0.0)
        return _score(
            sample,
            trajectory,
            0.0,
            0.0,
            "",
            facts | _counts(nothing, nothing) | {"quoted": None, "kinds": {"missed": len(rows)}},
        )
    graded = strict.grade(rows, said, pages)
    asked_of = [row for number, row in enumerate(said) if number not in graded.of_figures]
    published = literal.grade(
        [row for row in rows if not row.in_figure],
        asked_of,
        judged_name(said_by) if said_by is not None else same_name,
    )
    exact, near, rough = graded.values
    facts |= {
        "f1": round(exact.f1, 6),
        "f1_1": round(near.f1, 6),
        "f1_10": round(rough.f1, 6),
        "pm": round(graded.pairs.f1, 6),
        "precision": round(exact.precision, 6),
        "recall": round(exact.recall, 6),
        "compat_recall": round(published.recall, 6),
        "quoted": graded.quoted,
        "kinds": count_kinds([row for row in rows if not row.in_figure], asked_of, pages),
        **_counts(graded.proved, graded.drawn),
    }
    asked = len(rows) - facts["figures"]
    answer = f"{graded.proved.found} of {asked} proved, {exact.found} right, {len(said)} said"
    return _score(sample, trajectory, round(graded.proved.f1, 6), round(published.f1, 6), answer, facts)


def _counts(proved: Counts, drawn: Counts) -> dict[str, Any]:
    return {"proved": proved.found, "figures_read": drawn.found}


def _score(
    sample: Sample,
    trajectory: Trajectory,
    by_strict: float,
    by_compat: float,
    answer: str,
    facts: dict[str, Any],
) -> Score:
    return Score.of(sample, trajectory, by_strict, by_compat, answer, facts)
