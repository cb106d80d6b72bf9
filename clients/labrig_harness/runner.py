"""Running a suite: one record per (item, arm, epoch), written whole or not at all."""

from __future__ import annotations

import asyncio
import errno
import json
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig_harness import agents, outfolder
from labrig_harness.agent import (
    Agent,
    AgentSpec,
    CostLimit,
    ModelError,
    RateLimited,
    Refused,
    ServerError,
    StepLimit,
    TokenLimit,
)
from labrig_harness.bench import WorkBench
from labrig_harness.channels import read_submission, submitted
from labrig_harness.grounding.perturb import AUTO, Declared, parse
from labrig_harness.recording.call_store import LIVE, REPLAY, CallStore
from labrig_harness.suite import Arm, Solution, Suite
from labrig_harness.task import Brief, Task
from labrig_harness.trajectory import OUTSIDE, EndReason, Trajectory

FIRST_WAIT_S, LONGEST_WAIT_S = 5.0, 300.0
"""Back-off after a rate limit that does not say how long to wait: doubled each time, up to the longest."""


@dataclass(frozen=True)
class RunPlan:
    """What is to be run: every combination of `tasks` and epochs, on one arm with one agent.

    Attributes
    ----------
    jobs
        Items at a time.
    retries
        Times an item is tried again in the same run when the model's service asked to wait.
    calls
        Mode of the recording proxy (``live``, ``record``, ``replay``, ``refresh``) and its store.
    perturb
        A declared change of one tool result, or empty: see `labrig_harness.grounding.perturb`.
    """

    suite: Suite
    arm: Arm
    agent: AgentSpec
    tasks: tuple[Task, ...]
    seed: int = 0
    epochs: int = 1
    jobs: int = 2
    retries: int = 4
    calls: str = "live"
    store: str = ""
    perturb: str = ""

    @property
    def label(self) -> str:
        """Folder name of this run within an output folder."""
        perturbed = f".{outfolder.safe(self.perturb)}" if self.perturb else ""
        return f"{self.arm.name}.{outfolder.safe(self.agent.label)}{perturbed}"

    def units(self) -> list[tuple[Task, int]]:
        """Return (task, epoch) pairs in the order they are started."""
        return [(task, epoch) for epoch in range(self.epochs) for task in self.tasks]

    def make_agent(self, epoch: int) -> Agent:
        """Return the agent of one record."""
        by_id = {task.id: task for task in self.tasks}

        def solve(brief: Brief) -> Solution:
            return self.suite.solution(by_id[brief.id], self.arm)

        return agents.make(self.agent, seed=self.seed, epoch=epoch, solve=solve)

    def check(self) -> None:
        """Raise a LabrigError when this agent cannot run in this arm here, or what is asked for cannot be read."""
        if self.perturb and self.perturb != AUTO:
            parse(self.perturb)
        if self.calls != LIVE:
            CallStore.open(Path(self.store), mode=self.calls)
        self.make_agent(0).accept(self.arm)
        if self.arm.sandbox and self.calls != REPLAY:
            from labrig.sandbox.environment import find

            find(self.arm.sandbox)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``run.json`` holds: all that is needed to go on with the run."""
        return {
            "suite": self.suite.name,
            "suite_version": self.suite.version,
            "arm": self.arm.name,
            "budget": self.arm.budget(),
            "agent": asdict(self.agent),
            "seed": self.seed,
            "epochs": self.epochs,
            "calls": self.calls,
            "store": self.store,
            "perturb": self.perturb,
            "http_mode": self.arm.serve.http_mode,
            "ledger": str(self.arm.serve.ledger or ""),
        }

    @classmethod
    def from_dict(
        cls, about: dict[str, Any], suite: Suite, tasks: tuple[Task, ...], jobs: int = 2
    ) -> RunPlan:
        """Rebuild a plan from ``run.json`` and the tasks beside it."""
        spec = dict(about["agent"])
        spec["command"] = tuple(spec.get("command", ()))
        arm = suite.arm(about["arm"])
        ledger = Path(about["ledger"]) if about.get("ledger") else None
        served = replace(arm.serve, http_mode=str(about.get("http_mode", "")), ledger=ledger)
        return cls(
            suite=suite,
            arm=replace(arm, serve=served, **about["budget"]),
            agent=AgentSpec(**spec),
            tasks=tasks,
            seed=int(about["seed"]),
            epochs=int(about["epochs"]),
            jobs=jobs,
            calls=str(about.get("calls", "live")),
            store=str(about.get("store", "")),
            perturb=str(about.get("perturb", "")),
        )


@dataclass
class Attempts:
    """Earlier attempts at one record, which ended for reasons outside the agent."""

    earlier: list[dict[str, Any]] = field(default_factory=list)

    def add(self, failed: Trajectory) -> None:
        """Take a failed attempt over: what it ended by and what it used is not forgotten."""
        self.earlier = [*failed.meta.get("attempts", ()), _summary(failed)]


def _summary(failed: Trajectory) -> dict[str, Any]:
    return {
        "end": failed.end,
        "end_detail": failed.end_detail,
        "tokens": asdict(failed.tokens),
        "started": failed.meta.get("started"),
        "duration_s": failed.meta.get("duration_s"),
    }


async def run(
    plan: RunPlan, out: Path, *, progress: Callable[[Trajectory], None] = lambda each: None
) -> list[Path]:
    """Run what is not recorded yet, or ended for reasons outside the agent, and return the records' folders."""
    plan = prepare(plan, out)
    gate = asyncio.Semaphore(max(1, plan.jobs))

    async def one(task: Task, epoch: int) -> Path:
        folder = outfolder.record_folder(out, plan.label, task.id, epoch)
        async with gate:
            done = await run_unit(plan, task, epoch, folder)
        if done is not None:
            progress(done)
        return folder

    async with asyncio.TaskGroup() as group:
        running = [group.create_task(one(task, epoch)) for task, epoch in plan.units()]
    return [each.result() for each in running]


def prepare(plan: RunPlan, out: Path) -> RunPlan:
    """Make the output folder ready for a plan; the tasks that are there already are taken in place of its own."""
    folders = (outfolder.record_folder(out, plan.label, task.id, epoch) for task, epoch in plan.units())
    if any(missing(folder) is not None for folder in folders):  # a run that is whole needs no key, no program
        plan.check()
    plan = replace(plan, tasks=tuple(outfolder.keep_tasks(out, plan.tasks)))
    outfolder.sweep(out)
    outfolder.keep_run(
        out, plan.label, {**plan.to_dict(), "tasks": outfolder.tasks_hash(plan.tasks), "label": plan.label}
    )
    return plan


async def run_unit(plan: RunPlan, task: Task, epoch: int, folder: Path) -> Trajectory | None:
    """Run one record unless it is there and stands; wait and try again while the model's service asks to.

    Returns
    -------
    Trajectory or None
        What was recorded, or None where the record stood already.
    """
    attempts = missing(folder)
    if attempts is None:
        return None
    for wait in _waits(plan.retries):
        agent = plan.make_agent(epoch)
        done, seconds = await run_item(agent, task, plan, epoch, folder, attempts)
        if seconds is None or wait is None:
            break
        attempts.add(done)
        await asyncio.sleep(max(seconds, wait * (0.5 + random.random() / 2)))
    return done


def _waits(retries: int) -> list[float | None]:
    """Return the waits between attempts; None after the last one."""
    return [*(min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**n) for n in range(retries)), None]


def missing(folder: Path) -> Attempts | None:
    """Return the attempts made so far at a record that is still to be made, or None if it is there and stands."""
    attempts = Attempts()
    try:
        there = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return attempts
    except (OSError, ValueError, TypeError, AttributeError):
        return None  # damaged: scoring names it, and running does not overwrite it
    if there.end not in OUTSIDE:
        return None
    attempts.add(there)
    return attempts


async def run_item(
    agent: Agent, task: Task, plan: RunPlan, epoch: int, folder: Path, attempts: Attempts
) -> tuple[Trajectory, float | None]:
    """Run one item in a fresh workspace and write its record.

    The record is made in a folder beside its place and renamed at the end: a record that exists is whole.

    Returns
    -------
    tuple
        The trajectory, and the seconds to wait before another attempt where the service asked for it.
    """
    arm = plan.arm
    making = outfolder.making(folder)
    workspace = Path(tempfile.mkdtemp(prefix=outfolder.workspace_prefix()))
    started, clock = datetime.now(UTC), time.monotonic()
    try:
        for path, text in task.brief.files.items():
            (workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace / path).write_text(text, encoding="utf-8")
        declared = await _declared(plan, task)
        bench = WorkBench(
            task.brief, arm, making, workspace, calls=plan.calls, store=plan.store, perturb=declared
        )
        async with bench:
            reason, detail, wait = await _ended(agent, bench, arm.wall_s)
        steps = tuple(bench.steps)
        if bench.recorder.replays:  # no server ran that would have written a file
            submission = submitted(arm.channel, steps, task.brief.choices)
        else:
            submission = read_submission(
                arm.channel, workspace=workspace, steps=steps, choices=task.brief.choices
            )
        if reason == "answered" and submission is None:
            reason = "no_answer"
        trajectory = Trajectory(
            task=task.id,
            suite=plan.suite.name,
            agent=plan.agent.label,
            arm=arm.name,
            epoch=epoch,
            seed=plan.seed,
            steps=steps,
            submission=submission,
            end=reason,
            end_detail=detail,
            model=plan.agent.model,
            settings=plan.agent.settings,
            confinement=agent.confinement,
            perturbation=bench.recorder.perturbation,
            cost=bench.cost,
            versions={**bench.recorder.versions, **bench.versions},
            meta={
                "attempts": attempts.earlier,
                "started": started.isoformat(timespec="milliseconds"),
                "duration_s": round(time.monotonic() - clock, 3),
                **({"not_in_store": bench.recorder.unseen} if bench.recorder.unseen else {}),
                **({"notes": bench.recorder.notes} if bench.recorder.notes else {}),
            },
        )
        text = redact(outfolder.json_text(trajectory.to_dict())) + "\n"
        outfolder.write_atomically(making / "trajectory.json", text)
        outfolder.replace_failed(folder)
        outfolder.place(making, folder)
        return trajectory, wait
    finally:
        shutil.rmtree(workspace, ignore_errors=True)
        shutil.rmtree(making, ignore_errors=True)


async def _declared(plan: RunPlan, task: Task) -> Declared | None:
    """Return the change of one result that a perturbed run makes to this item."""
    if not plan.perturb:
        return None
    from labrig_harness.grounding.decisive import declare

    return await declare(plan.perturb, plan.suite, task, plan.arm, calls=plan.calls, store=plan.store)


async def _ended(agent: Agent, bench: WorkBench, wall_s: float) -> tuple[EndReason, str, float | None]:
    """Run the agent to its end; return why it ended, and how long to wait where that is worth while."""
    limits: dict[type[Exception], EndReason] = {
        StepLimit: "step_limit",
        TokenLimit: "token_limit",
        CostLimit: "cost_limit",
        Refused: "refused",
        ServerError: "server_error",
    }
    try:
        async with asyncio.timeout(wall_s):
            await agent.run(bench)
            bench.settle()
    except TimeoutError:
        return "wall_limit", f"{wall_s:g} s", None
    except tuple(limits) as error:
        return limits[type(error)], str(error), None
    except RateLimited as error:
        return "model_error", str(error), error.seconds or 0.0
    except ModelError as error:
        return "model_error", str(error), None
    except LabrigError as error:
        if error.code in ("refused", "unavailable"):
            raise  # no item of this run could be worked on
        return "agent_error", str(error), None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            raise  # the record cannot be kept: no end of the agent's
        return "agent_error", f"{type(error).__name__}: {error}", None
    except Exception as error:
        return "agent_error", f"{type(error).__name__}: {error}", None
    return "answered", "", None
