"""Reading an output folder back, and scoring it from its records alone.

A record is read, checked against itself, scored and let go: what stays in memory is a summary of each, so that
ten thousand of them fit. Many records are shared out among processes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig_harness import suites
from labrig_harness.endings import OUTSIDE
from labrig_harness.grounding.outcomes import grounded
from labrig_harness.records import outfolder, verdicts
from labrig_harness.records.chosen import chosen_of, titled
from labrig_harness.records.verify import contradiction
from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Suite, Table
from labrig_harness.trajectory import Cost, Submission, Tokens, ToolCall, Trajectory

CHUNK = 100
"""Records that a process takes at a time."""

ALONE = 400
"""Up to this many records one process is quicker than starting others."""


@dataclass(frozen=True)
class Record:
    """What is known of a record once it is scored; the trajectory itself stays in its folder.

    Attributes
    ----------
    steps
        Turns of the agent.
    faults
        Mistakes of the model by kind, those in calls included.
    cut
        Calls whose result reached the model in part, as its own log shows.
    result_bytes
        Bytes of all results.
    model_s, waited_s, tools_s
        Of `duration_s`, the seconds of the model's replies (None where the agent's log does not tell), those in which
        its service had asked to wait, and those of tool calls, which may overlap.
    submission
        The answer as committed, up to `SHOWN` characters; None for none.
    grounding
        How the answer took a changed result (`labrig_harness.grounding.outcomes`); empty in a run without a change.
    score
        None for an item without a truth.
    """

    folder: Path
    task: str
    arm: str
    agent: str
    epoch: int
    seed: int
    end: str
    end_detail: str
    steps: int
    calls: int
    failed_calls: int
    result_bytes: int
    cut: int
    faults: dict[str, int]
    tokens: Tokens
    cost: Cost | None
    submission: str | None
    model: str
    confinement: str
    perturbation: dict[str, Any] | None
    grounding: str
    versions: dict[str, str]
    started: str
    duration_s: float
    model_s: float | None
    waited_s: float
    tools_s: float
    attempts: int
    score: Score | None

    @property
    def run(self) -> str:
        """The name of its run: the folder it lies in."""
        return self.folder.parent.parent.name

    @property
    def committed(self) -> bool:
        """Whether an answer was committed."""
        return self.submission is not None

    def trajectory(self) -> Trajectory:
        """Read the trajectory from its folder."""
        text = (self.folder / "trajectory.json").read_text(encoding="utf-8")
        return Trajectory.from_dict(json.loads(text))


SHOWN = 2000


class EndedOutside(str):
    """Why a record does not stand that ended for a reason outside the agent."""

    __slots__ = ()


class _OutsideError(LabrigError):
    pass


def summary(folder: Path, trajectory: Trajectory, score: Score | None, grounding: str = "") -> Record:
    """Return what is kept of a trajectory."""
    calls = trajectory.calls
    faults = Counter(str(fault) for step in trajectory.steps for fault in step.faults)
    faults.update(str(call.fault) for call in calls if call.fault)
    submission = trajectory.submission
    return Record(
        folder=folder,
        task=trajectory.task,
        arm=trajectory.arm,
        agent=trajectory.agent,
        epoch=trajectory.epoch,
        seed=trajectory.seed,
        end=trajectory.end,
        end_detail=trajectory.end_detail[:SHOWN],
        steps=len(trajectory.turns),
        calls=len(calls),
        failed_calls=sum(call.is_error for call in calls),
        result_bytes=sum(call.result_bytes for call in calls),
        cut=sum(bool(call.meta.get("cut")) for call in calls),
        faults=dict(faults),
        tokens=trajectory.tokens,
        cost=trajectory.cost,
        submission=submission.text[:SHOWN] if submission is not None else None,
        model=trajectory.model,
        confinement=trajectory.confinement,
        perturbation=trajectory.perturbation,
        grounding=grounding,
        versions=trajectory.versions,
        started=str(trajectory.meta.get("started", "")),
        duration_s=float(trajectory.meta.get("duration_s", 0.0)),
        model_s=_add_times(step.meta.get("model_s") for step in trajectory.turns),
        waited_s=_add_times(
            retry.get("waited_s")
            for step in trajectory.turns
            for retry in step.meta.get("retries", ())
            if isinstance(retry, dict)
        )
        or 0.0,
        tools_s=_add_times(call.meta.get("duration_s") for call in calls) or 0.0,
        attempts=1 + len(trajectory.meta.get("attempts", ())),
        score=score,
    )


def _add_times(seconds: Iterable[Any]) -> float | None:
    """Return the sum of the times that are known; None where none is."""
    known = [each for each in seconds if isinstance(each, int | float)]
    return sum(known) if known else None


def grounding(suite: Suite, sample: Sample, trajectory: Trajectory, score: Score | None) -> str:
    """Return how the answer took a changed result, empty in a run without a change.

    The record's truth and expectation are submissions of the reference: the scorer reads them as it read the answer.
    """
    about = trajectory.perturbation
    if about is None:
        return ""

    def read(text: str) -> str:
        played = replace(trajectory, submission=Submission(text, -1))
        return suite.score(sample, played).answer or text if text else ""

    if score is None:
        return grounded(trajectory, "").outcome
    read_by_scorer = {name: read(str(about.get(name, ""))) for name in ("truth", "expected")}
    return grounded(replace(trajectory, perturbation={**about, **read_by_scorer}), score.answer).outcome


@dataclass(frozen=True)
class Scored:
    """An output folder, read and scored.

    Attributes
    ----------
    records
        In the order of run, item and epoch; those of items without a truth have no score.
    skipped
        Records that are not scored, each with the reason: unreadable, or in contradiction with themselves.
    missing
        What a run should have and has not, a line for each run: a score over fewer items is not a comparison.
    unwhole
        The runs that `skipped` and `missing` speak of.
    chosen
        What a preset left out of each run, in words; empty for a run without one.
    outside
        By run, the records of `skipped` that ended for reasons outside the agent.
    """

    suite: Suite
    tasks: dict[str, Sample]
    records: list[Record]
    tables: list[Table]
    skipped: list[str]
    missing: list[str] = field(default_factory=list)
    unwhole: frozenset[str] = frozenset()
    chosen: Mapping[str, str] = field(default_factory=dict)
    outside: Mapping[str, int] = field(default_factory=dict)

    @property
    def scores(self) -> list[Score]:
        """The scores of the records that have one."""
        return [record.score for record in self.records if record.score is not None]

    @property
    def whole(self) -> bool:
        """Whether every record that should be there is there and scored."""
        return not (self.skipped or self.missing)

    def whole_runs(self, labels: Collection[str]) -> bool:
        """Return the same for some runs of the folder alone."""
        return self.unwhole.isdisjoint(labels)


def score_folder(out: Path) -> Scored:
    """Score every record of an output folder, and write ``scores.jsonl`` where the folder can be written.

    Raises
    ------
    LabrigError
        If the folder holds no tasks, or those of a suite that is not installed or has another version.
    """
    samples, suite = read_suite(out)
    skipped: list[str] = []
    missing: list[str] = []
    unwhole: set[str] = set()
    chosen: dict[str, str] = {}
    outside: Counter[str] = Counter()
    records = list(_read_records(out, suite, samples, skipped, missing, unwhole, chosen, outside))
    header = {"suite": suite.name, "suite_version": suite.version, "scorer_version": suite.scorer_version}
    lines = [
        outfolder.json_text({**header, "run": record.run, **asdict(record.score)})
        for record in records
        if record.score is not None
    ]
    with contextlib.suppress(OSError):  # a folder that cannot be written can still be scored
        outfolder.write_atomically(out / "scores.jsonl", "".join(line + "\n" for line in lines))
    tables = titled(suite.tables(samples.values(), _select_unchanged(records)), chosen)
    return Scored(suite, samples, records, tables, skipped, missing, frozenset(unwhole), chosen, outside)


def paper_tables(scored: Scored) -> list[Table]:
    """Return the tables of the suite's paper, by number; none where it implements no paper."""
    if scored.suite.paper_tables is None:
        return []
    made = scored.suite.paper_tables(list(scored.tasks.values()), _select_unchanged(scored.records))
    return titled(made, scored.chosen)


def _select_unchanged(records: Iterable[Record]) -> list[Score]:
    """Return the scores of runs whose results nobody changed: a perturbed one shares arm and agent with the plain one,
    and its accuracy means something else.
    """
    return [each.score for each in records if each.score is not None and each.perturbation is None]


def read_suite(out: Path) -> tuple[dict[str, Sample], Suite]:
    """Return the samples of a folder by their ids, and their suite; the LabrigError is that of `score_folder`."""
    samples = {sample.id: sample for sample in outfolder.read_tasks(out)}
    first = next(iter(samples.values()))
    suite = suites.load(first.suite)
    if first.suite_version in suite.earlier:
        suite = replace(suite, version=first.suite_version)  # a title or a comparison names what was run
    if suite.version != first.suite_version:
        raise LabrigError(
            f"These records are of {suite.name} {first.suite_version}; installed is {suite.version}",
            where=str(out),
            try_="the release of labrig that run.json names",
        )
    return samples, suite


REMAKE = "Try: remove this folder, then labrig resume (a run) or labrig import (a log)"


def _read_records(
    out: Path,
    suite: Suite,
    samples: dict[str, Sample],
    skipped: list[str],
    missing: list[str],
    unwhole: set[str],
    chosen: dict[str, str],
    outside: Counter[str],
) -> Iterator[Record]:
    """Yield the records that stand; say of the others why they do not, and what a preset left out of each run."""
    hashes = {None: outfolder.tasks_hash(list(samples.values()))}
    paths: list[tuple[str, Path]] = []
    expected: dict[str, int] = {}
    epochs: dict[str, int] = {}
    for label in sorted(
        {path.parts[-4] for path in out.glob("*/*/epoch*/trajectory.json")} | {*outfolder.labels(out)}
    ):
        try:
            about = outfolder.read_run(out, label)
            count = about.get("count")
            if count not in hashes:
                hashes[count] = outfolder.tasks_hash(list(samples.values())[:count])
            if about.get("tasks") != hashes[count]:
                raise LabrigError("tasks.jsonl is not what was run: its hash differs", where=label)
        except LabrigError as error:
            skipped.append(str(error))
            unwhole.add(label)
            continue
        epochs[label] = int(about.get("epochs", 1))
        chosen[label] = chosen_of(about)
        expected[label] = len(about["items"] if "items" in about else [*samples][:count]) * epochs[label]
        paths += [(label, path) for path in sorted((out / label).glob("*/epoch*/trajectory.json"))]
    counts: Counter[str] = Counter()
    for (label, path), found in zip(paths, _read_all(out, suite, samples, paths), strict=True):
        if isinstance(found, Record) and found.epoch >= epochs[label]:
            found = f"it is one more than the epochs of run.json ({epochs[label]})"
        if isinstance(found, Record):
            counts[label] += 1
            yield found
        else:
            skipped.append(f"{path.parent.relative_to(out)}: {found.rstrip('.')}. {REMAKE}")
            unwhole.add(label)
            outside[label] += isinstance(found, EndedOutside)
    for label, wanted in expected.items():
        if counts[label] < wanted:
            missing.append(f"{label}: {wanted - counts[label]} of {wanted} records are missing")
            unwhole.add(label)


def _read_all(
    out: Path, suite: Suite, samples: dict[str, Sample], paths: Sequence[tuple[str, Path]]
) -> Iterable[Record | str]:
    """Read and score records, in order; each is a `Record`, or the reason why it does not stand."""
    workers = min(os.cpu_count() or 1, 8)
    if len(paths) <= ALONE or workers == 1:
        yield from (read_record(suite, samples, label, path) for label, path in paths)
        return
    waiting = iter(paths)
    chunks = iter(lambda: list(islice(waiting, CHUNK)), [])
    # Spawned, not forked: the caller may have threads.
    with ProcessPoolExecutor(workers, get_context("spawn"), _open_folder, (str(out),)) as pool:
        for chunk in pool.map(_read_chunk, chunks):
            yield from chunk


_opened: tuple[dict[str, Sample], Suite]


def _open_folder(out: str) -> None:
    global _opened  # what a worker process works on for its whole life
    _opened = read_suite(Path(out))


def _read_chunk(paths: Sequence[tuple[str, Path]]) -> list[Record | str]:
    samples, suite = _opened
    return [read_record(suite, samples, label, path) for label, path in paths]


def read_record(suite: Suite, samples: dict[str, Sample], label: str, path: Path) -> Record | str:
    """Read, check and score one record, or return why it does not stand."""
    try:
        trajectory = _require_standing(path, label, samples)
        sample = samples[trajectory.task]
        if (said := verdicts.read(path.parent)) is not None:
            verdicts.check(said, trajectory)
            trajectory = replace(trajectory, meta={**trajectory.meta, verdicts.META: said})
        score = _score_record(suite, sample, trajectory, path.parent) if sample.truth else None
        return summary(path.parent, trajectory, score, grounding(suite, sample, trajectory, score))
    except (ValueError, TypeError, AttributeError, OSError, LabrigError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        return EndedOutside(why) if isinstance(error, _OutsideError) else why


def _score_record(suite: Suite, sample: Sample, trajectory: Trajectory, folder: Path) -> Score:
    """Score a trajectory; facts that the texts of its results hold are added to those of the score."""
    score = suite.score(sample, trajectory)
    if suite.evidence is None:
        return score
    log = CallLog(folder)
    records = list(log)

    def text_of(call: ToolCall) -> str:
        if call.record < 0 or not call.result:
            return ""
        parts = log.result(records[call.record]).get("content", ())
        return "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")

    return replace(score, facts=score.facts | suite.evidence(sample, trajectory, text_of))


def _require_standing(path: Path, label: str, samples: dict[str, Sample]) -> Trajectory:
    """Read one record; a LabrigError says why it does not stand."""
    trajectory = Trajectory.from_dict(json.loads(path.read_text(encoding="utf-8")))
    if trajectory.task not in samples:
        raise LabrigError(f"its task {trajectory.task} is not in tasks.jsonl")
    run = f"{trajectory.arm}.{outfolder.safe(trajectory.agent)}"
    place = (trajectory.task, f"epoch{trajectory.epoch}")
    # A perturbed run has the change in its label, too.
    if (label != run and not label.startswith(f"{run}.")) or place != path.parts[-3:-1]:
        raise LabrigError(f"it belongs to {'/'.join((run, *place))}")
    if trajectory.end in OUTSIDE:
        raise _OutsideError(f"it ended by {trajectory.end} ({trajectory.end_detail}): run again")
    asked, prompt = trajectory.steps[:1], redact(samples[trajectory.task].brief.prompt.rstrip())
    told = asked and asked[0].source == "user" and "imported" not in trajectory.meta
    if told and not asked[0].text.startswith(prompt):
        raise LabrigError("its prompt is not the sample's")
    if problem := contradiction(path.parent, trajectory):
        raise LabrigError(problem)
    return trajectory
