"""The repository server beside the npm filesystem server and grep, on the same folders, over stdio, in one run.

``names``: all names of 5,000 files, in pages here, by ``directory_tree`` there; and of 10,000 here. ``search``: the
second search by content, here by ``search_files``, beside ``grep -r``. ``describe``: small csv files described by one
pattern. Times are of the clock, the median of `ROUNDS`, and mean what they say on a quiet machine alone; the ratios are
taken within one run.

The npm server is no dependency of ours: ``.ci/run`` installs it.

Run it with ``python -m benchmarks beside_filesystem``.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

CLIENTS = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
NPM = CLIENTS / "node_modules" / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js"
ROUNDS, FOLDERS = 5, 50
FEW, MANY = 5_000, 10_000
MOST_NAMES, MOST_GROWTH, MOST_SEARCH, LEAST_CSV = 2.0, 2.2, 1.0, 100
WORD = "QF=9"


def write(top: Path, files: int) -> None:
    """Write so many csv files of 40 rows; one names `WORD`."""
    rows = "\n".join(f"{row},{row * 0.37:.2f},{8 - row / 20:.2f}" for row in range(40))
    for number in range(files):
        path = top / f"run{number % FOLDERS:02d}" / f"site_{number:05d}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"time,temp (degC),oxygen (mg/L)\n{rows}\n" + (f"# {WORD}\n" if number == 7 else ""))
    old = time.time() - 3600
    for path in top.rglob("*.csv"):
        os.utime(path, (old, old))


async def timed(act: Callable[[], Awaitable[Any]]) -> float:
    """Return the median of `ROUNDS` rounds, after one that does not count."""
    await act()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await act()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


async def names(client: Any) -> int:
    """Return how many names the pages of a whole listing have."""
    arguments: dict[str, Any] = {"depth": None}
    count = 0
    while True:
        said = (await client.call_tool("list_directory", arguments)).structured_content
        count += len(said["text"].splitlines())
        if "next" not in said:
            return count
        arguments["cursor"] = said["next"].split("'")[1]


async def measure(folder: Path) -> None:
    """Print the ratios."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    def started(*argv: str) -> Any:
        return Client(stdio_client(StdioServerParameters(command=argv[0], args=list(argv[1:]))), cache=None)

    async def ours(root: Path) -> tuple[float, float, float]:
        async with started(sys.executable, "-P", "-m", "labrig_repository", "--root", str(root)) as client:
            assert await names(client) >= FEW
            listing = await timed(lambda: names(client))
            search = await timed(
                lambda: client.call_tool("search_files", {"query": WORD, "where": "contents"})
            )
            pattern = {"path": "run0?/*.csv"}
            describe = await timed(lambda: client.call_tool("describe_table", pattern))
        return listing, search, describe

    few, many = folder / "few", folder / "many"
    write(few, FEW)
    write(many, MANY)
    listing, search, describe = await ours(few)
    more, _, _ = await ours(many)
    began = time.perf_counter()
    for _ in range(ROUNDS):
        subprocess.run(["grep", "-r", WORD, few], check=True, stdout=subprocess.DEVNULL)
    grep = (time.perf_counter() - began) / ROUNDS
    described = FEW // FOLDERS * 10 / describe
    print(f"  all {MANY:,} names / all {FEW:,} names (at most {MOST_GROWTH:g}): {more / listing:.2f}")
    print(f"  second search of {FEW:,} files / grep -r (at most {MOST_SEARCH:g}): {search / grep:.2f}")
    print(f"  small csv described by one pattern, a second (at least {LEAST_CSV}): {described:.0f}")
    if not NPM.exists():
        print(f"  no npm filesystem server in {CLIENTS}: names are not compared")
        return
    async with started("node", str(NPM), str(few)) as client:
        tree = await timed(lambda: client.call_tool("directory_tree", {"path": str(few)}))
    print(f"  all {FEW:,} names / directory_tree of npm's (at most {MOST_NAMES:g}): {listing / tree:.2f}")


def main() -> None:
    """Write the folders and compare."""
    print("repository beside the npm filesystem server and grep, over stdio:")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()
