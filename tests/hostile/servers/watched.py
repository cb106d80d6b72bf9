"""A server that is watched: ``python -P watched.py LOG LIBRARIES MODULE FLAGS..`` runs ``python -m MODULE FLAGS..``.

One callback of the loop that takes more than `MOST_S` of the processor holds up every other caller meanwhile. It is
written into the log: how long, and what it was. The thread's own processor time is measured, so a busy machine
fails nothing; a wait is not seen. So is the import of a library, of those named (with commas between), that reads
foreign bytes and belongs into a child behind walls (`support.foreign_bytes`).
"""

from __future__ import annotations

import asyncio
import runpy
import sys
import time
import traceback
from pathlib import Path

MOST_S = 1.0


def watch(log: Path) -> None:
    """Measure each callback of every event loop of this process from now on."""
    run = asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> None:
        began = time.thread_time()
        run(handle)
        took = time.thread_time() - began
        if took > MOST_S:
            what = getattr(
                handle._callback, "__self__", handle
            )  # of a task's step the task, which has a name
            with log.open("a") as file:
                file.write(f"the event loop was held for {took:.1f} s: {what!r:.300}\n")

    asyncio.Handle._run = measured  # type: ignore[method-assign]


def keep_out(libraries: set[str], log: Path) -> None:
    """Write into the log which of these are imported by this process from now on; programs that it starts may."""

    def heard(event: str, details: tuple[object, ...]) -> None:
        if event == "import" and details[0] in libraries:
            frames = traceback.extract_stack()
            where = next((each for each in reversed(frames) if "/labrig" in each.filename), frames[0])
            with log.open("a") as file:
                file.write(f"the server itself imported {details[0]}, in {where.filename}:{where.lineno}\n")

    sys.addaudithook(heard)


if __name__ == "__main__":
    log, libraries, module, *flags = sys.argv[1:]
    watch(Path(log))
    keep_out(set(libraries.split(",")), Path(log))
    sys.argv[1:] = flags
    runpy.run_module(module, run_name="__main__", alter_sys=True)
