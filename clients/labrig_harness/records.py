"""Reading an output folder back, and scoring it from its records alone."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness import outfolder, suites
from labrig_harness.suite import Score, Suite, Table
from labrig_harness.task import Task
from labrig_harness.trajectory import OUTSIDE, Trajectory
from labrig_harness.verify import contradiction


@dataclass(frozen=True)
class Scored:
    """An output folder, read and scored.

    Attributes
    ----------
    skipped
        Records that are not scored, each with the reason: unreadable, or in contradiction with themselves.
    missing
        What a run should have and has not, a line for each run: a score over fewer items is no comparison.
    """

    suite: Suite
    tasks: dict[str, Task]
    trajectories: list[Trajectory]
    folders: list[Path]
    scores: list[Score]
    tables: list[Table]
    skipped: list[str]
    missing: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every record that should be there is there and scored."""
        return not (self.skipped or self.missing)


def score_folder(out: Path) -> Scored:
    """Score every record of an output folder, and write ``scores.jsonl`` where the folder can be written.

    Raises
    ------
    LabrigError
        If the folder holds no tasks, or those of a suite that is not installed or has another version.
    """
    tasks = {task.id: task for task in outfolder.read_tasks(out)}
    first = next(iter(tasks.values()))
    suite = suites.load(first.suite)
    if suite.version != first.suite_version:
        raise LabrigError(
            f"These records are of {suite.name} {first.suite_version}; installed is {suite.version}",
            where=str(out),
            try_="the release of labrig that run.json names",
        )
    skipped: list[str] = []
    missing: list[str] = []
    found = list(_records(out, tasks, skipped, missing))
    scores = [suite.score(tasks[each.task], each) for _, each in found]
    tables = suite.tables(tasks.values(), scores)
    header = {"suite": suite.name, "suite_version": suite.version, "scorer_version": suite.scorer_version}
    lines = [json.dumps({**header, **asdict(score)}, ensure_ascii=False) for score in scores]
    with contextlib.suppress(OSError):  # a folder that cannot be written can still be scored
        outfolder.write_atomically(out / "scores.jsonl", "".join(line + "\n" for line in lines))
    return Scored(
        suite,
        tasks,
        [trajectory for _, trajectory in found],
        [folder for folder, _ in found],
        scores,
        tables,
        skipped,
        missing,
    )


def _records(
    out: Path, tasks: dict[str, Task], skipped: list[str], missing: list[str]
) -> Iterator[tuple[Path, Trajectory]]:
    """Yield the records that stand; say of the others why they do not."""
    truth = outfolder.tasks_hash(list(tasks.values()))
    for label in outfolder.labels(out):
        try:
            about = outfolder.read_run(out, label)
            if about.get("tasks") != truth:
                raise LabrigError("tasks.jsonl is not what was run: its hash differs", where=label)
        except LabrigError as error:
            skipped.append(str(error))
            continue
        count = 0
        for path in sorted((out / label).glob("*/epoch*/trajectory.json")):
            try:
                trajectory = _read(path, label, tasks)
            except (ValueError, TypeError, AttributeError, OSError, LabrigError) as error:
                reason = str(error).splitlines()[0] if str(error) else type(error).__name__
                skipped.append(f"{path.parent.relative_to(out)}: {reason}")
                continue
            count += 1
            yield path.parent, trajectory
        expected = len(tasks) * int(about.get("epochs", 1))
        if count < expected:
            missing.append(f"{label}: {expected - count} of {expected} records")


def _read(path: Path, label: str, tasks: dict[str, Task]) -> Trajectory:
    """Read one record; a LabrigError says why it does not stand."""
    trajectory = Trajectory.from_dict(json.loads(path.read_text(encoding="utf-8")))
    if trajectory.task not in tasks:
        raise LabrigError(f"its task {trajectory.task} is not in tasks.jsonl")
    place = (f"{trajectory.arm}.{trajectory.agent}", trajectory.task, f"epoch{trajectory.epoch}")
    if (label, path.parent.parent.name, path.parent.name) != place:
        raise LabrigError(f"it belongs to {'/'.join(place)}")
    if trajectory.end in OUTSIDE:
        raise LabrigError(f"it ended by {trajectory.end} ({trajectory.end_detail}): run again")
    if problem := contradiction(path.parent, trajectory):
        raise LabrigError(problem)
    return trajectory
