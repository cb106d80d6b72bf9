"""`describe_table` behind its walls: a process forked from a warm one, beside a process that is started for it.

The walls are those of `labrig.isolation.closing`; the same description without any process of its own is the floor.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from labrig.tables import describe_table
from labrig.tables.apart import describe_apart, readers
from labrig_repository.folder.folder import Folder

ROUNDS = 15
ROWS = 2_000


async def _milliseconds(work: Callable[[], Awaitable[object]], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        await work()
        times.append((time.perf_counter() - began) * 1000)
    return median(times)


async def _compare(folder: Path, name: str) -> str:
    descriptor = os.open(folder / name, os.O_RDONLY)
    opened = Folder(folder)

    async def here() -> None:
        describe_table(opened, name)

    async def fresh() -> None:
        async with readers() as one:
            await describe_apart(one, descriptor, name)

    async with readers() as warm:
        await describe_apart(warm, descriptor, name)
        forked = await _milliseconds(lambda: describe_apart(warm, descriptor, name), ROUNDS)
    started = await _milliseconds(fresh, 3)
    inside = await _milliseconds(here, ROUNDS)
    os.close(descriptor)
    opened.close()
    return (
        f"{name}: forked {forked:.0f} ms, started {started:.0f} ms (ratio {forked / started:.2f}), "
        f"in the server itself {inside:.0f} ms, so a process and its walls cost {forked - inside:.0f} ms"
    )


def main() -> None:
    """Print a line for each format."""
    import pyarrow
    from pyarrow import parquet

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        rows = "".join(f"{number},{number * 0.5},lake {number % 7}\n" for number in range(ROWS))
        (folder / "table.csv").write_text("a (mg/l),b,site\n" + rows)
        parquet.write_table(pyarrow.table({"a": list(range(ROWS))}), folder / "table.parquet")
        for name in ("table.csv", "table.parquet"):
            print(asyncio.run(_compare(folder, name)))


if __name__ == "__main__":
    main()
