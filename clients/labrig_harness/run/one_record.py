"""Make one record of a run that is prepared: ``python -m labrig_harness.run.one_record OUT LABEL ITEM EPOCH``.

Its standard input is its caller's life: when that ends, this process ends at once, so that a record which the
cluster gives to another worker is not made, and paid for, twice.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness.records import outfolder
from labrig_harness.run.claims import LOOKS_AGAIN_S, claimed
from labrig_harness.run.plan import RunPlan, plans
from labrig_harness.run.record import REFUSED, run_unit
from labrig_harness.sample import Sample


def main(out: Path, label: str, item: str, epoch: int) -> None:
    """Run one item of a plan and write its record, unless it is there and stands."""
    (plan,) = plans(out, [label])
    sample = next((each for each in plan.tasks if each.id == item), None)
    if sample is None:
        raise LabrigError(f"There is no sample {item}", where=str(out), code="not_found")
    asyncio.run(_claim_unit(plan, sample, epoch, outfolder.record_folder(out, label, item, epoch)))


async def _claim_unit(plan: RunPlan, sample: Sample, epoch: int, folder: Path) -> None:
    while True:
        with claimed(folder) as ours:
            if ours:
                await run_unit(plan, sample, epoch, folder)
                return
        await asyncio.sleep(LOOKS_AGAIN_S)


def _end_with_caller() -> None:
    while os.read(0, 4096):
        pass
    os._exit(3)


if __name__ == "__main__":
    threading.Thread(target=_end_with_caller, daemon=True).start()
    try:
        main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
    except LabrigError as problem:
        print(problem, file=sys.stderr)
        sys.exit(REFUSED)
