"""The tasks of a page, each with its records column by column."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labrig_harness.blobs import Blob
from labrig_harness.records import scoring as records
from labrig_harness.records.scoring import Scored
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_study.report.evidence import SAID
from labrig_study.report.failures import diagnosis_of
from labrig_study.report.prose import Prose, readable
from labrig_study.report.reading import ReadStep, read_steps
from labrig_study.report.runs import Run
from labrig_study.report.truth import Truth, truth_of

SHARED = 300
"""Characters from which a text that comes again is a link to where it came first."""

Link = Callable[[records.Record], str]
"""Where a record lies, as a link from the page."""


@dataclass(frozen=True)
class Record:
    """One record of the page.

    Attributes
    ----------
    of
        What is known of it without its steps.
    verdict
        ``right``, ``partly right``, ``wrong`` or ``not committed``, by the strict score; ``not scored`` for an item
        without a truth.
    place
        Its folder, relative to the output folder.
    href
        A link to it, or empty.
    evidence
        How the answer took a changed result, in words; empty in a run without one.
    """

    anchor: str
    of: records.Record
    run: Run
    place: str
    href: str
    verdict: str
    answer: str
    diagnosis: str
    evidence: str
    submission: Prose | None
    commit_step: int
    settings: str
    steps: tuple[ReadStep, ...]

    @property
    def name(self) -> str:
        """How the page calls it."""
        return f"{self.run.name}, epoch {self.of.epoch}"

    @property
    def score(self) -> Score | None:
        """Its score."""
        return self.of.score

    @property
    def words(self) -> str:
        """The verdict in words, with that of compat where it is another."""
        if self.score is None or self.score.strict == self.score.compat:
            return self.verdict
        return f"{self.verdict} by strict, {self.score.compat:.0%} by compat"


@dataclass(frozen=True)
class Item:
    """One task of the page, with its records column by column."""

    anchor: str
    task: Sample
    truth: Truth
    prompt: Prose
    files: tuple[tuple[str, Prose], ...]
    cells: tuple[tuple[Record, ...], ...]

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All its records."""
        return tuple(record for cell in self.cells for record in cell)

    @property
    def kind(self) -> str:
        """``even`` when all scored records are right, ``split`` when only some are, else ``missed``."""
        right = [record.verdict == "right" for record in self._counting]
        return "even" if all(right) and right else "split" if any(right) else "missed"

    @property
    def tally(self) -> str:
        """Right of scored records."""
        right = [record.verdict == "right" for record in self._counting]
        return f"{sum(right)}/{len(right)}" if right else "–"

    @property
    def _counting(self) -> list[Record]:
        """The scored records of runs whose results nobody changed."""
        return [record for record in self.records if record.score is not None and not record.run.changed]


class Anchors:
    """Names of places on the page: readable, stable, and never twice the same."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, *parts: Any) -> str:
        """Return an anchor made of `parts`."""
        base = "-".join(re.sub(r"[^A-Za-z0-9_.]+", "-", str(part)) for part in parts)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name


def items_of(scored: Scored, runs: list[Run], most: int, link: Link | None) -> list[Item]:
    anchors = Anchors()
    cells: dict[tuple[str, str], list[Record]] = {}
    truths = {name: truth_of(sample) for name, sample in scored.tasks.items()}
    for run in runs:
        for kept in sorted((*run.records, *run.unscored), key=lambda record: (record.task, record.epoch)):
            href = link(kept) if link else ""
            record = record_of(anchors, kept, run, scored.tasks[kept.task], truths[kept.task], href, most)
            cells.setdefault((kept.task, run.label), []).append(record)
    return [
        Item(
            anchor=anchors.of("i", name),
            task=sample,
            truth=truths[name],
            prompt=Prose.of(sample.brief.prompt),
            files=files_of(sample, most),
            cells=tuple(tuple(cells.get((name, run.label), ())) for run in runs),
        )
        for name, sample in scored.tasks.items()
    ]


def record_of(
    anchors: Anchors, of: records.Record, run: Run, sample: Sample, truth: Truth, href: str, most: int
) -> Record:
    """Read one record for the page; its trajectory is let go again. With `most` below 0 it is not read at all."""
    each = _read_trajectory(of) if most >= 0 else None
    submission = each.submission if each else None
    text = submission.text if submission else of.submission
    return Record(
        anchor=anchors.of("r", *((of.arm, of.agent) if not run.changed else (run.label,)), of.task, of.epoch),
        of=of,
        run=run,
        place="/".join(of.folder.parts[-3:]),
        href=href,
        verdict=name_verdict(of),
        answer=readable(of.score.answer) if of.score else "",
        diagnosis=diagnosis_of(of, truth) if of.score else "",
        evidence=SAID.get(of.grounding, of.grounding) if run.changed else "",
        submission=None if text is None else Prose.of(text, max(most, SHARED)),
        commit_step=submission.step if submission else -1,
        settings=_join_pairs(each.settings) if each else "",
        steps=read_steps(of.folder, each, sample.brief.prompt, most) if each else (),
    )


def files_of(sample: Sample, most: int) -> tuple[tuple[str, Prose], ...]:
    return tuple(
        (readable(path), Prose.of(_describe_file(file), most)) for path, file in sample.brief.files.items()
    )


def _describe_file(file: str | Blob) -> str:
    return f"{file.size:,} bytes, sha256 {file.sha256}" if isinstance(file, Blob) else file


def _read_trajectory(of: records.Record) -> Trajectory | None:
    """Read a trajectory; None where it has gone since it was scored."""
    try:
        return of.trajectory()
    except (OSError, ValueError):
        return None


def _join_pairs(values: Mapping[str, Any]) -> str:
    return readable(", ".join(f"{name} {value}" for name, value in values.items()))


def name_verdict(of: records.Record) -> str:
    """Return the verdict on a record: see `Record.verdict`."""
    if of.score is None:
        return "not scored"
    if not of.committed:
        return "not committed"
    return "right" if of.score.strict >= 1 else "partly right" if of.score.strict > 0 else "wrong"
