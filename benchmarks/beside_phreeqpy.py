"""A small run and a table of waters, beside phreeqpy behind FastMCP and phreeqpy in a loop.

``stdio``: one call with the input of sea water, answered over stdio by our server, in a process behind walls and with
notices, outline and files, and by a FastMCP server of ten lines that holds an IPhreeqc of phreeqpy: no walls, no files.
``waters``: `speciate` on `WATERS` waters, in as many children as there are processors, and two loops on one loaded
IPhreeqc that take the same columns, by the clock and in seconds of processors, children included: one has PHREEQC
iterate the density of each water, as `speciate` does (its block is solved two or three times), and one takes 1 kg/L.
All by turns in one run.

Run it with ``python -m benchmarks.beside_phreeqpy``; it needs installed databases.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from benchmarks.fork_server import SPECIATION
from benchmarks.waters import WATER, WATERS
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from labrig.isolation.inside.forking import used
from labrig_harness.registry.servers import module
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.library import find_library
from labrig_phreeqc.waters.analysis import solution_block
from labrig_phreeqc.waters.speciation import speciate

CALLS, WARMING, ROUNDS = 60, 5, 5
PHASES = ("Calcite", "Gypsum")
COLUMNS = (
    "SELECTED_OUTPUT 1\n -reset false\n -solution true\n -state true\n -pH true\n -pe true\n -temperature true\n"
    f" -ionic_strength true\n -alkalinity true\n -percent_error true\n -saturation_indices {' '.join(PHASES)}\n"
)
PEER = """
import sys
from fastmcp import FastMCP
from phreeqpy.iphreeqc.phreeqc_dll import IPhreeqc
server = FastMCP("peer")
engine = IPhreeqc(sys.argv[1])
engine.load_database(sys.argv[2])
@server.tool
async def run_phreeqc(input: str) -> list[list[str | float | int | None]]:
    engine.run_string("SELECTED_OUTPUT\\n -pH\\n -pe\\n -temperature\\n" + input)
    return engine.get_selected_output_array()
server.run("stdio", show_banner=False)
"""


async def _calls(stack: AsyncExitStack, argv: list[str], tool: str) -> Callable[[], Any]:
    client = await stack.enter_async_context(Client(StdioTransport(argv[0], argv[1:])))

    async def call() -> None:
        result = await client.call_tool(tool, {"input": SPECIATION})
        assert not result.is_error

    for _ in range(WARMING):
        await call()
    return call


async def over_stdio() -> tuple[list[float], list[float]]:
    """Return the seconds of calls of our server, and of the other, by turns."""
    library, database = str(find_library().path), str(find_database("phreeqc.dat").path)
    ours: list[float] = []
    theirs: list[float] = []
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        mine = await _calls(
            stack, [sys.executable, *module("phreeqc"), "--workspace", folder], "execute_phreeqc"
        )
        other = await _calls(stack, [sys.executable, "-c", PEER, library, database], "run_phreeqc")
        for _ in range(CALLS):
            for call, took in ((mine, ours), (other, theirs)):
                start = time.perf_counter()
                await call()
                took.append(time.perf_counter() - start)
    return ours, theirs


Took = list[tuple[float, float]]
"""Seconds by the clock, and of processors."""


def _now(engine: Engine) -> tuple[float, float]:
    """Return the clock, and the seconds that this process and the engine's have had of processors."""
    server = engine._server
    return time.perf_counter(), time.process_time() + (used(server.process.pid)[0] if server else 0.0)


async def tables() -> dict[str, Took]:
    """Return what a table of waters takes in `speciate`, and in loops over phreeqpy, by turns."""
    from phreeqpy.iphreeqc.phreeqc_dll import IPhreeqc

    alone = IPhreeqc(str(find_library().path))
    alone.load_database(str(find_database("phreeqc.dat").path))
    waters = [replace(WATER, pH=7 + n / WATERS) for n in range(WATERS)]
    took: dict[str, Took] = {"": [], "their densities too": [], "all at 1 kg/L": []}

    def loop(density: str) -> None:
        punch = "USER_PUNCH 1\n -headings density\n 10 PUNCH RHO\n" if density != "1" else ""
        for water in waters:
            alone.run_string(COLUMNS + punch + solution_block(water, 1, density=density) + "\nEND\n")
            alone.get_selected_output_array()

    async with Engine() as engine:
        await speciate(waters[:5], PHASES, engine=engine)
        for _ in range(ROUNDS):
            times = [_now(engine)]
            await speciate(waters, PHASES, engine=engine)
            times.append(_now(engine))
            for density in ("1 calculate", "1"):
                loop(density)
                times.append(_now(engine))
            for each, before, after in zip(took.values(), times[:-1], times[1:], strict=True):
                each.append((after[0] - before[0], after[1] - before[1]))
    return took


def main() -> None:
    """Print both, with their ratios."""
    own, other = (1e3 * statistics.median(each) for each in asyncio.run(over_stdio()))
    print(
        f"a small run over stdio {own:.2f} ms, FastMCP with phreeqpy {other:.2f} ms: {own / other:.2f} (2.2)"
    )
    ours, *loops = asyncio.run(tables()).items()
    for name, took in loops:
        for n, by in enumerate(("by the clock", "of processors")):
            own, other = (statistics.median(each[n] for each in which) for which in (ours[1], took))
            print(
                f"{WATERS} waters {own:.3f} s {by}, a loop over phreeqpy ({name}) {other:.3f} s: "
                f"{own / other:.2f} (1.0)"
            )


if __name__ == "__main__":
    main()
