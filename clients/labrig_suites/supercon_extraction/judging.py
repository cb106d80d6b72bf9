"""Names compared as in the paper's appendix C: an embedder proposes the nearest, a model judges each pair.

A pair of names is judged once a paper, with the quote of the first row that has the name and the unit of the truth; the
published code judges each pair of rows. Names that are equal but for case and marks are not asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

from labrig_harness.records.verdicts import Verdicts
from labrig_harness.sample import Sample
from labrig_harness.suite import Judging, Question
from labrig_harness.trajectory import Trajectory
from labrig_suites.supercon_extraction.grading.names import MOST_CHARS, SameName, key
from labrig_suites.supercon_extraction.grading.payload import read_payload
from labrig_suites.supercon_extraction.rows import Predicted, Truth, truths

MOST_NAMES = 200
"""Names of an answer that a judge is asked about: a list has 97, and each costs six questions at most."""


def judged_name(said_by: Verdicts) -> SameName:
    """Return what compares names by verdicts; a pair that was not judged is the same where the names are equal."""

    def same(said: str, true: str, also: Sequence[str] = ()) -> bool:
        return key(said) == key(true) or said_by.yes(pair_key(said, true))

    return same


def pair_key(said: str, true: str) -> str:
    """Return what the verdict on a pair of names is kept under."""
    return json.dumps([said[:MOST_CHARS], true[:MOST_CHARS]], ensure_ascii=False)


def _rows(sample: Sample, trajectory: Trajectory) -> tuple[dict[str, Predicted], dict[str, Truth]]:
    """Return the first row of each name that was said, and of each that is true."""
    submission = trajectory.submission
    said = read_payload(submission.text if submission else None) or []
    by_name = {row.name[:MOST_CHARS]: row for row in reversed(said) if row.name}
    known = {row.name: row for row in reversed(truths().validate_python(sample.truth["rows"]))}
    return dict(list(reversed(by_name.items()))[:MOST_NAMES]), dict(reversed(known.items()))


def _names(sample: Sample, trajectory: Trajectory) -> tuple[list[str], list[str]]:
    said, known = _rows(sample, trajectory)
    return [*said], [*known]


def _ask(sample: Sample, trajectory: Trajectory, pairs: Sequence[tuple[str, str]]) -> list[Question]:
    said, known = _rows(sample, trajectory)
    form = files(__package__).joinpath("judge.md").read_text("utf-8")

    def question(name: str, true: str) -> Question:
        words = {
            "said": name,
            "quote": said[name].quote[:MOST_CHARS],
            "true": true,
            "unit": known[true].unit,
        }
        shown = {each: json.dumps(word, ensure_ascii=False) for each, word in words.items()}
        return Question(pair_key(name, true), form.format(**shown))

    return [question(name, true) for name, true in pairs if key(name) != key(true)]


JUDGING = Judging(_names, _ask)
