"""Running a suite: one record per (item, arm, epoch), written whole or not at all."""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labrig import __version__
from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig_harness import agents
from labrig_harness.agent import Agent, ModelError, StepLimit
from labrig_harness.recorder import RecordedTools
from labrig_harness.servers import Target
from labrig_harness.suite import Arm, Suite
from labrig_harness.task import Brief, Task
from labrig_harness.trajectory import EndReason, Submission, Trajectory

SCHEMA = "labrig.run/1"


@dataclass(frozen=True)
class RunPlan:
    """What is to be run: every combination of `tasks` and epochs, on one arm with one agent."""

    suite: Suite
    arm: Arm
    agent: str
    tasks: tuple[Task, ...]
    seed: int
    epochs: int
    jobs: int

    @property
    def label(self) -> str:
        """Folder name of this run within an output folder."""
        return f"{self.arm.name}.{self.agent}"

    def units(self) -> list[tuple[Task, int]]:
        """Return (task, epoch) pairs in the order they are started."""
        return [(task, epoch) for epoch in range(self.epochs) for task in self.tasks]


def record_folder(out: Path, label: str, item: str, epoch: int) -> Path:
    """Return the folder of one record."""
    return out / label / item / f"epoch{epoch}"


def write_tasks(out: Path, tasks: Sequence[Task], suite: Suite) -> None:
    """Write the tasks with their truths beside the records, for scoring.

    Raises
    ------
    LabrigError
        If the folder already holds another set of tasks: scores would not be comparable.
    """
    out.mkdir(parents=True, exist_ok=True)
    body = "".join(json.dumps(task.to_dict(), ensure_ascii=False) + "\n" for task in tasks)
    path = out / "tasks.jsonl"
    if path.exists() and path.read_text(encoding="utf-8") != body:
        raise LabrigError(
            "The output folder holds records of other tasks",
            where=str(out),
            expected=f"an empty folder, or one made with the same items of {suite.name} and the same seed",
            try_="another --out",
        )
    write_atomically(path, body)


async def run(
    plan: RunPlan, out: Path, *, progress: Callable[[Trajectory], None] = lambda each: None
) -> list[Path]:
    """Run what is not recorded yet and return the folders of all records."""
    write_tasks(out, plan.tasks, plan.suite)
    by_id = {task.id: task for task in plan.tasks}

    def solve(brief: Brief) -> Any:
        return plan.suite.solution(by_id[brief.id], plan.arm)

    about = {
        "schema": SCHEMA,
        "suite": plan.suite.name,
        "suite_version": plan.suite.version,
        "arm": plan.arm.name,
        "agent": plan.agent,
        "seed": plan.seed,
        "epochs": plan.epochs,
        "tasks": content_hash([task.to_dict() for task in plan.tasks]),
        "budget": {"max_steps": plan.arm.max_steps, "wall_s": plan.arm.wall_s},
        "versions": {"labrig": __version__},
    }
    write_atomically(out / plan.label / "run.json", json.dumps(about, indent=1) + "\n")
    gate = asyncio.Semaphore(max(1, plan.jobs))

    async def one(task: Task, epoch: int) -> Path:
        folder = record_folder(out, plan.label, task.id, epoch)
        if (folder / "trajectory.json").exists():
            return folder
        agent = agents.make(plan.agent, seed=plan.seed, epoch=epoch, solve=solve)
        async with gate:
            trajectory = await run_item(agent, task, plan, epoch, folder)
        progress(trajectory)
        return folder

    async with asyncio.TaskGroup() as group:
        running = [group.create_task(one(task, epoch)) for task, epoch in plan.units()]
    return [each.result() for each in running]


async def run_item(agent: Agent, task: Task, plan: RunPlan, epoch: int, folder: Path) -> Trajectory:
    """Run one item in a fresh workspace and write its record.

    The record is made in a folder beside its place and renamed at the end: a record that exists is whole.
    """
    arm = plan.arm
    making = folder.parent / f".making-{secrets.token_hex(4)}"
    making.mkdir(parents=True)
    workspace = Path(tempfile.mkdtemp(prefix="labrig-item-"))
    started, clock = datetime.now(UTC), time.monotonic()
    try:
        for path, text in task.brief.files.items():
            (workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace / path).write_text(text, encoding="utf-8")
        options = replace(arm.serve, workspace=workspace)
        async with RecordedTools(Target(name=arm.server), options, making, max_steps=arm.max_steps) as tools:
            reason, detail = await _ended(agent, task.brief, tools, arm.wall_s)
        submission = read_submission(workspace, task.brief, tools)
        if reason == "answered" and submission is None:
            reason = "no_answer"
        trajectory = Trajectory(
            task=task.id,
            suite=plan.suite.name,
            agent=plan.agent,
            arm=arm.name,
            epoch=epoch,
            seed=plan.seed,
            steps=tuple(tools.steps),
            submission=submission,
            end=reason,
            end_detail=detail,
            versions=tools.versions,
            meta={
                "started": started.isoformat(timespec="milliseconds"),
                "duration_s": round(time.monotonic() - clock, 3),
            },
        )
        write_atomically(
            making / "trajectory.json", json.dumps(trajectory.to_dict(), ensure_ascii=False) + "\n"
        )
        making.replace(folder)
        return trajectory
    finally:
        shutil.rmtree(workspace, ignore_errors=True)
        shutil.rmtree(making, ignore_errors=True)


async def _ended(agent: Agent, brief: Brief, tools: RecordedTools, wall_s: float) -> tuple[EndReason, str]:
    """Run the agent to its end and say why it ended."""
    try:
        async with asyncio.timeout(wall_s):
            await agent.run(brief, tools)
    except TimeoutError:
        return "wall_limit", f"{wall_s:g} s"
    except StepLimit as error:
        return "step_limit", str(error)
    except ModelError as error:
        return "model_error", str(error)
    except Exception as error:
        return "agent_error", f"{type(error).__name__}: {error}"
    return "answered", ""


def read_submission(workspace: Path, brief: Brief, tools: RecordedTools) -> Submission | None:
    """Read the answer channel ``file``: the text as it lies there, and the step that wrote it last."""
    path = workspace / brief.answer_file
    if path.is_symlink() or not path.is_file():
        return None
    text = path.read_bytes()[:65536].decode("utf-8", errors="replace")
    step = -1
    for each in tools.steps:
        for call in each.calls:
            if (
                call.tool == "write_file"
                and call.arguments.get("path") == brief.answer_file
                and not call.is_error
            ):
                step = each.index
    return Submission(text, step)


def write_atomically(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
