"""Going on with the runs of an output folder, from what it holds: run.json and tasks.jsonl."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness import outfolder, suites
from labrig_harness.runner import RunPlan


def plans(out: Path, labels: Sequence[str], *, jobs: int = 2) -> list[RunPlan]:
    """Return the plans of runs as they were started.

    Raises
    ------
    LabrigError
        If the folder holds no run, or one that this version cannot go on with.
    """
    tasks = tuple(outfolder.read_tasks(out))
    suite = suites.load(tasks[0].suite)
    if suite.version != tasks[0].suite_version:
        raise LabrigError(
            f"These runs are of {suite.name} {tasks[0].suite_version}; installed is {suite.version}",
            where=str(out),
            try_="the release of labrig that run.json names",
        )
    found = []
    for label in labels:
        about = outfolder.read_run(out, label)
        try:
            found.append(RunPlan.from_dict(about, suite, tasks, jobs))
        except (KeyError, TypeError, ValueError) as error:
            raise LabrigError(f"run.json cannot be used: {error!r}", where=label) from error
    if not found:
        raise LabrigError("The folder holds no run", where=str(out), expected="<run>/run.json")
    return found
