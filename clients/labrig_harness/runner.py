"""Running a suite: one record per (item, arm, epoch), written whole or not at all."""

from __future__ import annotations

import asyncio
import json
import os
import posixpath
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labrig_harness import agents, outfolder
from labrig_harness.agent import Agent, ModelError, ServerError, StepLimit
from labrig_harness.recorder import RecordedTools
from labrig_harness.servers import Target
from labrig_harness.suite import Arm, Suite
from labrig_harness.task import Brief, Task
from labrig_harness.trajectory import OUTSIDE, EndReason, Submission, Trajectory


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


async def run(
    plan: RunPlan, out: Path, *, progress: Callable[[Trajectory], None] = lambda each: None
) -> list[Path]:
    """Run what is not recorded yet, or ended for reasons outside the agent, and return the records' folders."""
    tasks = outfolder.keep_tasks(out, plan.tasks)
    outfolder.sweep(out)
    by_id = {task.id: task for task in tasks}

    def solve(brief: Brief) -> Any:
        return plan.suite.solution(by_id[brief.id], plan.arm)

    about = {
        "suite": plan.suite.name,
        "suite_version": plan.suite.version,
        "arm": plan.arm.name,
        "agent": plan.agent,
        "seed": plan.seed,
        "epochs": plan.epochs,
        "tasks": outfolder.tasks_hash(tasks),
        "budget": {"max_steps": plan.arm.max_steps, "wall_s": plan.arm.wall_s},
    }
    outfolder.keep_run(out, plan.label, about)
    gate = asyncio.Semaphore(max(1, plan.jobs))

    async def one(task: Task, epoch: int) -> Path:
        folder = outfolder.record_folder(out, plan.label, task.id, epoch)
        attempts = _attempts(folder)
        if attempts is not None:
            agent = agents.make(plan.agent, seed=plan.seed, epoch=epoch, solve=solve)
            async with gate:
                progress(await run_item(agent, task, plan, epoch, folder, attempts))
        return folder

    async with asyncio.TaskGroup() as group:
        running = [group.create_task(one(task, epoch)) for task, epoch in plan.units()]
    return [each.result() for each in running]


def _attempts(folder: Path) -> int | None:
    """Return how often this record was tried in vain, or None if it is there and stands."""
    try:
        there = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return 0
    except (OSError, ValueError, TypeError, AttributeError):
        return None  # damaged: scoring names it, and running does not overwrite it
    return int(there.meta.get("attempts", 1)) if there.end in OUTSIDE else None


async def run_item(
    agent: Agent, task: Task, plan: RunPlan, epoch: int, folder: Path, attempts: int = 0
) -> Trajectory:
    """Run one item in a fresh workspace and write its record.

    The record is made in a folder beside its place and renamed at the end: a record that exists is whole.
    """
    arm = plan.arm
    making = outfolder.making(folder)
    workspace = Path(tempfile.mkdtemp(prefix=f"{outfolder.WORKSPACE}{os.getpid()}-"))
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
                "attempts": attempts + 1,
                "started": started.isoformat(timespec="milliseconds"),
                "duration_s": round(time.monotonic() - clock, 3),
            },
        )
        text = json.dumps(trajectory.to_dict(), ensure_ascii=False) + "\n"
        outfolder.write_atomically(making / "trajectory.json", text)
        if attempts:
            shutil.rmtree(folder, ignore_errors=True)
        outfolder.place(making, folder)
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
    except ServerError as error:
        return "server_error", str(error)
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
            written = posixpath.normpath(str(call.arguments.get("path", "")))
            if call.tool == "write_file" and written == brief.answer_file and not call.is_error:
                step = each.index
    return Submission(text, step)
