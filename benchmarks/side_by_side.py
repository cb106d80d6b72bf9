"""What the same call costs in two checkouts, made by turns: whether walls have become dearer since a commit.

    git worktree add ../before COMMIT
    python -m benchmarks side_by_side ../before

Both run in this Python, with the packages and side environments that it has. Each is a process that makes the call when
it is told to; they are told by turns, so what else the machine does meets both. A call is a line of pandas in the
sandbox, with either backend, and the speciation of sea water by PHREEQC.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
CALLS = ("bubblewrap", "landlock", "phreeqc")
WARMING = 5
READY = "ready"


async def prepared(call: str, stack: AsyncExitStack) -> Callable[[], Awaitable[None]]:
    """Return a function that makes the call, once its server is up."""
    from benchmarks.fork_server import SPECIATION
    from benchmarks.sandbox import LINE

    if call == "phreeqc":
        from labrig_phreeqc.engine.engine import Engine

        engine = await stack.enter_async_context(Engine())

        async def speciated() -> None:
            assert (await engine.run(SPECIATION)).status == "ok"

        return speciated
    from labrig.sandbox import Sandbox

    sandbox = await stack.enter_async_context(Sandbox(backend=call))

    async def computed() -> None:
        assert (await sandbox.run(LINE)).status == "ok"

    return computed


async def work(call: str) -> None:
    """Make the call for each line of standard input, and print how long it took, in seconds."""
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        make = await prepared(call, stack)
        for _ in range(WARMING):
            await make()
        print(READY, flush=True)
        while await loop.run_in_executor(None, sys.stdin.readline):
            began = time.perf_counter()
            await make()
            print(time.perf_counter() - began, flush=True)


def worker(checkout: Path, call: str) -> subprocess.Popen[str]:
    """Start the process of a checkout; this file may be newer than that."""
    folders = [checkout / name for name in ("shared", "servers", "clients")]
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "--work", call],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*folders, HERE]))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline().strip() == READY
    return process


def main() -> None:
    """Print the times of each call in both checkouts, and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--work", choices=CALLS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        asyncio.run(work(given.work))
        return
    if given.before is None or not (given.before / "shared" / "labrig").is_dir():
        parser.error("the folder of another checkout is needed")
    for call in CALLS:
        workers = {"before": worker(given.before.resolve(), call), "now": worker(HERE, call)}
        took: dict[str, list[float]] = {name: [] for name in workers}
        for number in range(given.rounds):
            for name in sorted(workers, reverse=bool(number % 2)):
                process = workers[name]
                assert process.stdin is not None and process.stdout is not None
                print("go", file=process.stdin, flush=True)
                took[name].append(1000 * float(process.stdout.readline()))
        for process in workers.values():
            process.communicate()
        quarters = {name: statistics.quantiles(times)[:2] for name, times in took.items()}
        print(
            f"{call}: "
            + "; ".join(
                f"{name} median {median:.2f} ms, first quarter {first:.2f} ms"
                for name, (first, median) in quarters.items()
            )
            + f"; now / before {quarters['now'][1] / quarters['before'][1]:.2f}, "
            f"{quarters['now'][0] / quarters['before'][0]:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
