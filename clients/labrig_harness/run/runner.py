"""Running a suite: one record per (item, arm, epoch), written whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from labrig_harness.recording.client import kept_servers
from labrig_harness.recording.warm import warm_servers
from labrig_harness.records import outfolder
from labrig_harness.run.claims import LOOKS_AGAIN_S, claimed
from labrig_harness.run.plan import RunPlan, prepare
from labrig_harness.run.probing import list_foreign_tools
from labrig_harness.run.record import run_unit
from labrig_harness.sample import Sample
from labrig_harness.trajectory import Trajectory


async def run(
    plan: RunPlan,
    out: Path,
    *,
    progress: Callable[[Trajectory], None] = lambda each: None,
    probe: bool = False,
) -> list[Path]:
    """Run what is not recorded yet, or ended for reasons outside the agent, and return the records' folders.

    What another runner works on is left to it, and run only if that ends without having made it.

    Parameters
    ----------
    probe
        Whether the servers of others are started once before: one that cannot be ends the run.
    """
    async with kept_servers():
        if probe and plan.calls != "replay":
            await list_foreign_tools(plan.arm)
        return await _run(prepare(plan, out), out, progress)


async def _run(plan: RunPlan, out: Path, progress: Callable[[Trajectory], None]) -> list[Path]:
    gate = asyncio.Semaphore(max(1, plan.jobs))

    async def one(sample: Sample, epoch: int) -> Path:
        folder = outfolder.record_folder(out, plan.label, sample.id, epoch)
        while True:
            async with gate:
                await asyncio.sleep(0)  # where `progress` has just stopped the run, no other record is begun
                with claimed(folder) as ours:
                    done = await run_unit(plan, sample, epoch, folder) if ours else None
            if ours:
                break
            await asyncio.sleep(LOOKS_AGAIN_S)
        if done is not None:
            progress(done)
        return folder

    units = plan.units()
    with warm_servers() if len(units) > 1 else nullcontext():
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one(sample, epoch)) for sample, epoch in units]
    return [each.result() for each in running]
