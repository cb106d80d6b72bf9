"""One record: a sample run in a fresh workspace, written whole or not at all."""

from __future__ import annotations

import asyncio
import errno
import random
import shutil
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig_harness import blobs
from labrig_harness.agent import Agent
from labrig_harness.arm import Arm
from labrig_harness.channels import read_submission, submitted
from labrig_harness.endings import (
    Ending,
    EndReason,
    RateLimited,
)
from labrig_harness.grounding.perturb import Declared
from labrig_harness.left_files import left_files
from labrig_harness.records import outfolder
from labrig_harness.run.attempts import Attempts, missing
from labrig_harness.run.bench import WorkBench
from labrig_harness.run.plan import RunPlan
from labrig_harness.sample import Sample
from labrig_harness.trajectory import Trajectory

FIRST_WAIT_S, LONGEST_WAIT_S = 5.0, 300.0
"""Back-off after a rate limit that does not say how long to wait: doubled each time, up to the longest."""


async def run_unit(plan: RunPlan, sample: Sample, epoch: int, folder: Path) -> Trajectory | None:
    """Run one record unless it is there and stands; wait and try again while the model's service asks to.

    Returns
    -------
    Trajectory or None
        What was recorded, or None where the record stood already.
    """
    attempts = missing(folder)
    if attempts is None:
        return None
    for wait in _list_waits(plan.retries):
        agent = plan.make_agent(epoch)
        done, seconds = await run_item(agent, sample, plan, epoch, folder, attempts)
        if seconds is None or wait is None:
            break
        attempts.add(done)
        await asyncio.sleep(max(seconds, wait * (0.5 + random.random() / 2)))
    return done


def _list_waits(retries: int) -> list[float | None]:
    """Return the waits between attempts; None after the last one."""
    return [*(min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**n) for n in range(retries)), None]


async def run_item(
    agent: Agent, sample: Sample, plan: RunPlan, epoch: int, folder: Path, attempts: Attempts
) -> tuple[Trajectory, float | None]:
    """Run one item in a fresh workspace and write its record.

    The record is made in a folder beside its place and renamed at the end: a record that exists is whole.

    Returns
    -------
    tuple
        The trajectory, and the seconds to wait before another attempt where the service asked for it.
    """
    arm = plan.arm_of(sample)
    making = outfolder.making(folder)
    workspace = Path(tempfile.mkdtemp(prefix=outfolder.workspace_prefix()))
    started, clock = datetime.now(UTC), time.monotonic()
    try:
        blobs.place(sample.brief.files, workspace)
        declared = await _declare_change(plan, sample, arm)
        bench = WorkBench(
            sample.brief, arm, making, workspace, calls=plan.calls, store=plan.store, perturb=declared
        )
        async with bench:
            reason, detail, wait = await _run_agent(agent, bench, arm.wall_s)
        steps = tuple(bench.steps)
        if bench.recorder.replays:  # no server ran that would have written a file
            submission = submitted(arm.channel, steps, sample.brief.choices)
        else:
            submission = read_submission(
                arm.channel, workspace=workspace, steps=steps, choices=sample.brief.choices
            )
        left, unlisted = left_files(workspace, sample.brief.files) if arm.left_files else ((), "")
        bench.recorder.note(unlisted)
        if reason == "answered" and submission is None:
            reason = "no_answer"
        trajectory = Trajectory(
            task=sample.id,
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
            versions={**bench.recorder.versions, **bench.versions, **plan.prompt_version},
            left=left,
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


async def _declare_change(plan: RunPlan, sample: Sample, arm: Arm) -> Declared | None:
    """Return the change of one result that a perturbed run makes to this item."""
    if not plan.perturb:
        return None
    from labrig_harness.run.decisive import declare

    return await declare(plan.perturb, plan.suite, sample, arm, calls=plan.calls, store=plan.store)


async def _run_agent(agent: Agent, bench: WorkBench, wall_s: float) -> tuple[EndReason, str, float | None]:
    """Run the agent to its end; return why it ended, and how long to wait where that is worth while."""
    try:
        async with asyncio.timeout(wall_s):
            await agent.run(bench)
            bench.settle()
    except TimeoutError:
        return "wall_limit", f"{wall_s:g} s", None
    except Ending as error:
        wait = (error.seconds or 0.0) if isinstance(error, RateLimited) else None
        return error.reason, str(error), wait
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
