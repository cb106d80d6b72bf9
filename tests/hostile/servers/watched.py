"""A server whose event loop is watched: ``python -P watched.py LOG MODULE FLAGS..`` runs ``python -m MODULE FLAGS..``.

One callback of the loop that takes more than `MOST_S` of the processor holds up every other caller meanwhile. It is
written into the log: how long, and what it was. The thread's own processor time is measured, so a busy machine
fails nothing; a wait is not seen.
"""

from __future__ import annotations

import asyncio
import runpy
import sys
import time
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
                file.write(f"{took:.1f} s: {what!r:.300}\n")

    asyncio.Handle._run = measured  # type: ignore[method-assign]


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
    module = sys.argv[2]
    sys.argv[1:] = sys.argv[3:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
