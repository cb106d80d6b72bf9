"""What a PHREEQC run costs beside its solve: bare, through the fork server, without its walls, in a fresh interpreter.

All are measured in turn in one process on one machine, so the ratios carry over where the times do not. ``bare`` is
RunString and the output on a clean instance whose database is loaded already; ``engine`` is `Engine.run`, with the
typed tables and messages; ``open`` is the same with limits alone and no other wall; ``fresh`` is ``python -I -S`` with
ctypes that loads library and database, runs and prints the output.

Run it with ``python -m benchmarks.fork_server``; it needs installed databases.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from unittest import mock

from labrig.isolation import boot
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.engine import forkclient, iphreeqc
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.library import Library, find_library
from labrig_phreeqc.engine.run import Limits

SPECIATION = """SOLUTION 1
    units ppm; pH 8.22; pe 8.451; density 1.023; temp 25.0
    Ca 412.3; Mg 1291.8; Na 10768.0; K 399.1; Si 4.28; Cl 19353.0; Fe 0.002; Mn 0.0002 pe
    Alkalinity 141.682 as HCO3; S(6) 2712.0; N(5) 0.29 as NO3; O(0) 1.0 O2(g) -0.7
END
"""
GYPSUM = """SOLUTION 1
    pH 7.0; temp 25.0
EQUILIBRIUM_PHASES 1
    Gypsum 0.0 1.0; Anhydrite 0.0 1.0
REACTION_TEMPERATURE 1
    25.0 75.0 in 51 steps
SELECTED_OUTPUT
    -si Anhydrite Gypsum
END
"""
INPUTS = {"speciation": SPECIATION, "51 reaction steps": GYPSUM}
ROUNDS = 60

FRESH = """
import sys
library, database, *folders = sys.argv[1:]
sys.path.extend(folders)
from labrig_phreeqc.engine.iphreeqc import Instance
instance = Instance(library)
instance.load_database(database)
instance.run(sys.stdin.buffer.read())
sys.stdout.buffer.write(instance.output())
"""


OPEN = "from labrig_phreeqc.engine import closing, solver; closing.WALLS = ('limits',); solver.main()"


def _open_command(what: str, library: Library) -> list[str]:
    """Return the command of a solving process that puts up no walls but limits."""
    words = _command(what, library)
    at = words.index(boot.BOOT)
    words[at] = boot.BOOT.replace("importlib.import_module(main).main()", OPEN)
    return words


_command = forkclient.command


async def _timed(action: Callable[[], Awaitable[None]]) -> float:
    start = time.perf_counter()
    await action()
    return time.perf_counter() - start


async def measure(text: str) -> dict[str, list[float]]:
    """Return the seconds of each way to run one input, `ROUNDS` times each, taken in turn."""
    library, database = find_library(), find_database("phreeqc.dat")
    folders = dict.fromkeys([str(Path(iphreeqc.__file__).resolve().parents[2]), str(library.packages)])
    command = [sys.executable, "-I", "-S", "-c", FRESH, str(library.path), str(database.path), *folders]
    seconds: dict[str, list[float]] = {"bare": [], "engine": [], "open": [], "fresh": []}

    async def fresh() -> None:
        subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)

    async with Engine() as engine, Engine() as without:

        async def through_engine() -> None:
            assert (await engine.run(text, limits=Limits())).solved

        async def through_open() -> None:
            assert (await without.run(text, limits=Limits())).solved

        with mock.patch.object(forkclient, "command", _open_command):
            await through_open()  # starts its fork server
        await through_engine()
        for _ in range(ROUNDS):
            instance = iphreeqc.Instance(str(library.path))
            instance.load_database(str(database.path))

            async def bare(clean: iphreeqc.Instance = instance) -> None:
                clean.run(text.encode())
                bytes(clean.output())

            seconds["bare"].append(await _timed(bare))
            instance.close()
            seconds["engine"].append(await _timed(through_engine))
            seconds["open"].append(await _timed(through_open))
            seconds["fresh"].append(await _timed(fresh))
    return seconds


def main() -> None:
    """Print medians in milliseconds and the ratios between them."""
    for name, text in INPUTS.items():
        seconds = asyncio.run(measure(text))
        bare, engine, opened, fresh = (statistics.median(each) * 1000 for each in seconds.values())
        print(
            f"{name}: bare {bare:.2f} ms, engine {engine:.2f} ms, fresh {fresh:.2f} ms; "
            f"engine - bare {engine - bare:.2f} ms (6 ms for speciation, on a quiet machine), "
            f"walls {engine - opened:.2f} ms (2), "
            f"fresh / engine {fresh / engine:.2f} (3)"
        )


if __name__ == "__main__":
    main()
