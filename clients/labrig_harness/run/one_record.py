"""Make records of a run that is prepared, one after another: ``python -m labrig_harness.run.one_record OUT LABEL FD``.

Each line of its standard input names one, ``[ITEM, EPOCH]``, and is answered by a line on the descriptor FD: ``""``
where the record is there, else why no record of this run can be made here. Its servers are those of a run: they are
forked from warm ones, or kept.

Its standard input is its caller's life, too: when that ends under a record, this process ends at once, so that a record
which the cluster gives to another worker is not made, and paid for, twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness.recording.client import kept_servers
from labrig_harness.recording.warm import warm_servers
from labrig_harness.records import outfolder
from labrig_harness.run.claims import LOOKS_AGAIN_S, claimed
from labrig_harness.run.plan import RunPlan, plans
from labrig_harness.run.record import run_unit
from labrig_harness.sample import Sample

ENDED = 3
"""Exit code when the caller has gone under a record."""


async def make_records(out: Path, label: str, answers: int) -> None:
    """Make the records that are asked for, until the end of standard input."""
    orders: asyncio.Queue[bytes] = asyncio.Queue()
    at_work = threading.Event()
    loop = asyncio.get_running_loop()

    def read_orders() -> None:
        # Without a buffer, whose lock would keep an interpreter from ending while this thread waits.
        with open(0, "rb", buffering=0, closefd=False) as standard_input:
            for line in standard_input:
                at_work.set()
                loop.call_soon_threadsafe(orders.put_nowait, line)
        if at_work.is_set():
            os._exit(ENDED)
        loop.call_soon_threadsafe(orders.put_nowait, b"")

    threading.Thread(target=read_orders, daemon=True).start()
    plan: RunPlan | None = None
    with warm_servers():
        async with kept_servers():
            while line := await orders.get():
                refused = ""
                try:
                    plan = plan or plans(out, [label])[0]
                    await _make_record(plan, out, *json.loads(line))
                except LabrigError as problem:
                    refused = str(problem)
                at_work.clear()
                os.write(answers, json.dumps(refused).encode() + b"\n")


async def _make_record(plan: RunPlan, out: Path, item: str, epoch: int) -> None:
    """Run one item of a plan and write its record, unless it is there and stands."""
    sample = next((each for each in plan.tasks if each.id == item), None)
    if sample is None:
        raise LabrigError(f"There is no sample {item}", where=str(out), code="not_found")
    await _claim_unit(plan, sample, epoch, outfolder.record_folder(out, plan.label, item, epoch))


async def _claim_unit(plan: RunPlan, sample: Sample, epoch: int, folder: Path) -> None:
    while True:
        with claimed(folder) as ours:
            if ours:
                await run_unit(plan, sample, epoch, folder)
                return
        await asyncio.sleep(LOOKS_AGAIN_S)


if __name__ == "__main__":
    asyncio.run(make_records(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
