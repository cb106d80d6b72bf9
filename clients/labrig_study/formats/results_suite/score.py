"""The score of a row of a published table.

``compat``
    what the table says: its flag. Where it has none, as strict.
``strict``
    whether the prediction equals the truth, both normalised (`normalised`). Where either is missing, the flag.

The two disagree where a table counts something else than equality (a tolerance, a judge), or has a mistake:
`facts` says so, and a table of the report counts it.
"""

from __future__ import annotations

import json
import unicodedata

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory

VERSION = "1"


def normalised(text: str) -> str:
    """Return a text as answers are compared: Unicode NFKC, case folded, white space joined, without wrapping.

    Quotes, brackets, asterisks and a full stop around it do not matter. Numbers are compared by value.

    >>> normalised(" **(B).** "), normalised("1.50"), normalised("Calcite  scale")
    ('b', '1.5', 'calcite scale')
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    plain = plain.strip("\"'`*()[]{}. ") or plain
    try:
        return repr(float(plain))
    except ValueError:
        return plain


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one row.

    Parameters
    ----------
    sample
        Its truth holds ``answer`` where the table has a truth.
    trajectory
        Its first step is the row, as JSON.
    """
    row = json.loads(trajectory.steps[0].text) if trajectory.steps else {}
    flag, predicted, truth = row.get("correct"), row.get("prediction"), sample.truth.get("answer")
    equal = (
        normalised(predicted) == normalised(truth) if predicted is not None and truth is not None else None
    )
    if equal is None and truth is not None and flag is None:
        equal = False  # no prediction: nothing was answered
    strict = bool(flag if equal is None else equal)
    compat = bool(strict if flag is None else flag)
    facts = {
        "committed": predicted is not None or flag is not None,
        "disagree": flag is not None and equal is not None and flag != equal,
        "end": trajectory.end,
        **({"cluster": sample.labels["cluster"]} if "cluster" in sample.labels else {}),
    }
    return Score.of(sample, trajectory, float(strict), float(compat), predicted or "", facts)
