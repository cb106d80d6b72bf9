"""What a call in the sandbox costs: warm and walled, beside a bare fork and beside a fresh interpreter.

All are measured in turn on one machine, so the ratios carry over where the times do not. ``walled`` is `Sandbox.run` of
a line of pandas, from the call to the collected result; ``bare fork`` is ``os.fork`` in a process with the same
imports, the same line, and ``os.waitpid``: no walls, no pipes, no scratch folder; ``fresh`` is a new interpreter that
makes the same imports under bubblewrap (or without it, where that does not work).

Run it with ``python -m benchmarks.sandbox``; it needs ``labrig setup sandbox``.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from labrig.errors import LabrigError
from labrig.sandbox import Sandbox, backends, environment
from labrig.sandbox.profiles import profiles

LINE = "import pandas as pd; print(int(pd.DataFrame({'a': range(100)}).a.median()))"
ROUNDS = 40
FRESH_ROUNDS = 5
WARM_MS, TIMES_FRESH, TIMES_BARE = 30, 40, 3
"""The goals: milliseconds of a warm call, how many times faster than a fresh one, how many times a bare fork."""

BARE = """
import importlib, os, sys, time
for name in sys.argv[2:]: importlib.import_module(name)
import gc; gc.collect(); gc.freeze()
code = compile(sys.argv[1], 'line', 'exec')
sys.stdin.readline()
for _ in range(int(sys.stdin.readline())):
    begun = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        exec(code)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)
    print(time.perf_counter() - begun, flush=True)
"""


FONTS = """import os, shutil, sys
shutil.copytree(sys.argv[1], sys.argv[2])
os.environ["MPLCONFIGDIR"] = sys.argv[2]
"""
"""Matplotlib's list of fonts, as the fork server has it: without it, it would look for fonts at each start."""


def bare_forks(rounds: int) -> list[float]:
    """Return the seconds of forks in a process with the same imports."""
    interpreter = environment.find("science")
    with subprocess.Popen(
        [str(interpreter.python), "-P", "-s", "-c", BARE, LINE, *profiles()["science"].warm],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={name: value for name, value in backends.environment().items() if name != "PYTHONMALLOC"},
    ) as process:
        said, _ = process.communicate(f"\n{rounds}\n")
    return [float(line) for line in said.split()]


def fresh(name: str) -> float:
    """Return the seconds of one new interpreter with the same imports."""
    interpreter = environment.find("science")
    code = f"{FONTS}import {', '.join(profiles()['science'].warm)}\n{LINE}"
    words, _ = backends.command(
        backends.choose(name), interpreter, environment.reading(interpreter), Path(), 16 << 20
    )
    wrapped = words[: words.index("--") + 1] if "--" in words else []
    with tempfile.TemporaryDirectory() as folder:
        fonts = backends.SCRATCH if wrapped else folder
        begun = time.perf_counter()
        subprocess.run(
            [
                *wrapped,
                str(interpreter.python),
                "-P",
                "-s",
                "-c",
                code,
                str(interpreter.mplconfig),
                f"{fonts}/fonts",
            ],
            stdout=subprocess.DEVNULL,
            env=backends.environment(),
            check=True,
        )
        return time.perf_counter() - begun


async def walled(name: str) -> tuple[list[float], list[float]]:
    """Return the seconds of warm calls, one at a time and eight at once (each batch)."""
    single, batches = [], []
    async with Sandbox(backend=name, slots=8) as sandbox:
        for _ in range(3):
            await sandbox.run(LINE)
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            result = await sandbox.run(LINE)
            single.append(time.perf_counter() - begun)
            assert result.output == "49\n", result
        for _ in range(5):
            begun = time.perf_counter()
            await asyncio.gather(*(sandbox.run(LINE, owner=str(n)) for n in range(8)))
            batches.append(time.perf_counter() - begun)
    return single, batches


def main() -> None:
    """Print medians in milliseconds and the ratios between them."""
    fuller = backends.choose("auto").name
    new = statistics.median(fresh(fuller) for _ in range(FRESH_ROUNDS)) * 1000
    for name in dict.fromkeys((fuller, "landlock")):
        try:
            backends.choose(name)
        except LabrigError as error:
            print(error)
            continue
        before = bare_forks(ROUNDS)
        single, batches = asyncio.run(walled(name))
        bare = statistics.median(before + bare_forks(ROUNDS)) * 1000
        one, eight = (statistics.median(each) * 1000 for each in (single, batches))
        print(
            f"{name}: warm {one:.1f} ms (goal {WARM_MS}), bare fork {bare:.1f} ms, fresh under {fuller} {new:.0f} ms; "
            f"fresh / warm {new / one:.0f} (goal {TIMES_FRESH}), warm / bare fork {one / bare:.2f} "
            f"(goal {TIMES_BARE}); eight at once {eight:.0f} ms"
        )


if __name__ == "__main__":
    main()
