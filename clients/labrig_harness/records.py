"""Reading an output folder back, and scoring it from its records alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.runner import write_atomically
from labrig_harness.suite import Score, Suite, Table
from labrig_harness.task import Task
from labrig_harness.trajectory import SCHEMA, Trajectory


@dataclass(frozen=True)
class Scored:
    """An output folder, read and scored.

    Attributes
    ----------
    skipped
        Records that could not be read, each with the reason.
    """

    suite: Suite
    tasks: dict[str, Task]
    trajectories: list[Trajectory]
    folders: list[Path]
    scores: list[Score]
    tables: list[Table]
    skipped: list[str]


def read_tasks(out: Path) -> list[Task]:
    """Return the tasks of an output folder.

    Raises
    ------
    LabrigError
        If there is no ``tasks.jsonl``, or a line of it is not a task.
    """
    path = out / "tasks.jsonl"
    if not path.is_file():
        raise LabrigError(
            "This is not an output folder of labrig run",
            where=str(out),
            expected="a folder with tasks.jsonl",
            code="not_found",
        )
    tasks = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            tasks.append(Task.from_dict(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            raise LabrigError(f"This line is not a task: {error}", where=f"{path.name}:{number}") from error
    if not tasks:
        raise LabrigError("The folder holds no task", where=str(path))
    return tasks


def read_trajectories(out: Path, skipped: list[str]) -> Iterator[tuple[Path, Trajectory]]:
    """Yield the folder and trajectory of every record; what cannot be read is added to `skipped`."""
    for path in sorted(out.glob("*/*/epoch*/trajectory.json")):
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            if fields["schema"] != SCHEMA:
                raise ValueError(f"schema {fields['schema']!r}, not {SCHEMA}")
            yield path.parent, Trajectory.from_dict(fields)
        except (ValueError, TypeError, KeyError, OSError) as error:
            skipped.append(f"{path.relative_to(out)}: {type(error).__name__}: {error}")


def score_folder(out: Path) -> Scored:
    """Score every record of an output folder and write ``scores.jsonl``."""
    tasks = {task.id: task for task in read_tasks(out)}
    suite = suites.load(next(iter(tasks.values())).suite)
    skipped: list[str] = []
    folders, trajectories, scores = [], [], []
    for folder, trajectory in read_trajectories(out, skipped):
        if trajectory.task not in tasks:
            skipped.append(f"{folder.relative_to(out)}: its task {trajectory.task} is not in tasks.jsonl")
            continue
        folders.append(folder)
        trajectories.append(trajectory)
        scores.append(suite.score(tasks[trajectory.task], trajectory))
    tables = suite.tables(tasks.values(), scores)
    header = {"suite": suite.name, "suite_version": suite.version, "scorer_version": suite.scorer_version}
    lines = [json.dumps({**header, **asdict(score)}, ensure_ascii=False) for score in scores]
    write_atomically(out / "scores.jsonl", "".join(line + "\n" for line in lines))
    return Scored(suite, tasks, trajectories, folders, scores, tables, skipped)
