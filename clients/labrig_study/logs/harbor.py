"""Trials of Harbor: the folder of one says which task its trajectory is of, and what its verifier found.

The verifier of The Amazing Agent Race also says which answer it read, in ``verifier/reward.json``.

A job is ``JOB/TRIAL/result.json`` (``task_name``, ``verifier_result.rewards``, ``exception_info``), and beside it
``agent/trajectory.json`` in ATIF. All other files of a trial are what this one was made of.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from labrig_programs.reading import aar_tools
from labrig_programs.reading.building import Json, table, word
from labrig_programs.reading.lines import parse
from labrig_programs.reading.read_run import ReadRun

RESULT, TRAJECTORY = "result.json", "trajectory.json"
REWARD = "verifier/reward.json"
DEEPEST = 4
"""Folders above a file in which the result of its trial is looked for."""
MOST_BYTES = 1 << 24


def trial_of(file: Path) -> Json:
    """Return the result of the trial that a file is of, with the answer that its verifier read; or an empty object."""
    for folder in list(file.absolute().parents)[:DEEPEST]:
        found = _read_object(folder / RESULT)
        if word(found.get("task_name")) and "trial_name" in found:
            return {**found, "agent_answer": _read_object(folder / REWARD).get("agent_answer")}
    return {}


def _read_object(path: Path) -> Json:
    """Return the JSON object of a file; an empty one for a link, a large file, and what holds none."""
    if not path.is_file() or path.is_symlink():
        return {}
    return _read_once(path, path.stat().st_size, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read_once(path: Path, size: int, changed_ns: int) -> Json:
    """Return what a file holds, each once: all files beside it ask for it."""
    try:
        return table(parse(path.read_bytes())) if size < MOST_BYTES else {}
    except (ValueError, RecursionError):
        return {}


def is_beside(file: Path) -> bool:
    """Return whether a file is of a trial whose trajectory is another file, or of the job itself."""
    if file.name == TRAJECTORY and file.parent.name == "agent":
        return False
    if trial_of(file):
        return any((folder / "agent" / TRAJECTORY).is_file() for folder in list(file.parents)[:DEEPEST])
    job = file.parent
    return file.name in (RESULT, "config.json", "lock.json") and any(job.glob(f"*/agent/{TRAJECTORY}"))


def add_trial(run: ReadRun, trial: Json) -> ReadRun:
    """Return a run with the task of its trial, the rewards of the verifier as scores, and why the agent was ended."""
    verified = table(trial.get("verifier_result"))
    given: dict[str, Any] = table(verified.get("rewards")) or {
        name: value for name, value in verified.items() if name == "reward"
    }
    scores = {name: {"value": value, "answer": None} for name, value in given.items()}
    ended = table(trial.get("exception_info"))
    kind = word(ended.get("exception_type"))
    if kind.startswith("AgentTimeout"):
        run = replace(run, end="wall_limit", end_detail=kind)
    elif kind:
        detail = f"{kind}: {word(ended.get('exception_message'))}"[:2_000]
        run = replace(run, end="agent_error", end_detail=detail)
    if isinstance(answer := trial.get("agent_answer"), str):
        run = aar_tools.unfold(replace(run, committed=answer))
    meta = {**run.meta, "trial": word(trial.get("trial_name")), **({"scores": scores} if scores else {})}
    organisation, _, name = word(trial["task_name"]).rpartition("/")
    # A task of ours (`labrig_study.bridges.harbor`) is called after its sample.
    item = name if organisation.startswith("labrig-") else word(trial["task_name"])
    return replace(run, item=run.item or item, meta=meta)
