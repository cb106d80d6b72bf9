"""What generated repositories cost: files written, paths listed, the truth of a question over all files.

``csv`` and the other formats are files of a repository of `FILES` files, read one by one, each of them made for
it; the baseline is pandas writing the same tables to csv. ``truth`` is a median with one condition on a category
and one on a number over `MANY` files; the baseline is the same median by pandas from a table that already lies in
memory. ``listing`` opens a repository of `MANY` files and lists all their paths; the baseline joins and sorts as many
texts. ``sandbox`` reads `MANY` csv files through the paper's functions in its sandbox and aggregates them with pandas,
a generated repository and the same files in a folder; the baseline is the same program in the same Python, without
walls, that opens the files itself. ``hard`` is what a question of the hard tier costs, drawn and answered by the
reference over MCP: of `MORE` without the first `FEW`, which start the sandbox.

All times are of the processor, so that others at work on the machine count less; but those of the sandbox, whose limit
is 60 s of the clock.

Run it with ``python -m benchmarks.gym``; the last part needs ``labrig setup sandbox``.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from fastmcp import Client

from labrig.isolation.inside.forking import used
from labrig.sandbox.environment import find
from labrig.serving.builder import build
from labrig_repository.folder.listing import list_directory
from labrig_repository.folder.store import Repository
from labrig_repository.gym import design
from labrig_repository.gym.encoding import EXTENSIONS
from labrig_repository.gym.paths import paths
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.specification import Computed, Number, Specification, Weighted
from labrig_repository.server import toolbox
from labrig_repository.server.base import State
from labrig_repository.server.paper import PAPER_LIMITS, functions
from labrig_suites.science_gym import items, suite
from labrig_suites.science_gym.grading import grade
from labrig_suites.science_gym.question import EXPECTED
from labrig_suites.science_gym.solution import solution
from labrig_suites.science_gym.wording import STYLES

FILES, MANY, ROUNDS = 300, 10_000, 3
FEW, MORE = 2, 22
MOST_RECORD_S = 1.5
COLUMNS = range(13, 15)
"""The mean of all repositories is 13.5 columns."""


def _seconds(call: Callable[[], object]) -> float:
    """Return the median of `ROUNDS` rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def _specification() -> Specification:
    """Return the first repository of a usual width whose paths allow `MANY` files."""
    for number in range(1, 1000):
        found = design.specification(number)
        sources = [type(each.source) for each in found.variables]
        if (
            len(sources) in COLUMNS
            and found.possible > 2 * MANY
            and {Weighted, Number, Computed} <= set(sources)
        ):
            return found
    raise SystemExit("no repository of this kind")


def _reading(specification: Specification, extension: str) -> float:
    """Return files a second."""
    repository = GeneratedRepository(replace(specification, files=FILES, extension=extension))

    def read() -> None:
        for path in repository.files.texts:  # more files than are kept
            repository.read(path)

    return FILES / _seconds(read)


def _pandas_writing(specification: Specification) -> float:
    repository = GeneratedRepository(replace(specification, files=FILES, extension="csv"))
    names = [each.name for each in specification.variables]
    frames = []
    for place in range(FILES):
        table = repository.columns.columns(names, repository.cells([place]))
        frames.append(pd.DataFrame({name: table[name].cells() for name in names}))
    return FILES / _seconds(lambda: [each.to_csv(index=False) for each in frames])


def _names(specification: Specification) -> tuple[str, str, str]:
    """Return a category, a number that is drawn and a number that is computed."""
    first: dict[type, str] = {}
    for each in specification.variables:
        first.setdefault(type(each.source), each.name)
    return first[Weighted], first[Number], first[Computed]


def _truth(repository: GeneratedRepository) -> float:
    category, drawn, computed = _names(repository.specification)
    columns = repository.columns
    cells = repository.cells(range(MANY))
    cells = cells.keep(columns.column(category, cells).data == 0)
    numbers = columns.column(drawn, cells).data
    cells = cells.keep(numbers >= numbers[0])
    return float(np.median(columns.column(computed, cells).data))


def _pandas_truth(repository: GeneratedRepository) -> Callable[[], float]:
    category, drawn, computed = _names(repository.specification)
    table = repository.columns.columns([category, drawn, computed], repository.cells(range(MANY)))
    frame = pd.DataFrame({name: column.data for name, column in table.items()})

    def median() -> float:
        kept = frame[frame[category] == 0]
        kept = kept[kept[drawn] >= kept[drawn].iloc[0]]
        return float(kept[computed].median())

    return median


def _listing(specification: Specification) -> None:
    found = [each.path for each in list_directory(GeneratedRepository(specification), "/*", None)]
    assert len(found) >= MANY


def _joining(specification: Specification) -> list[str]:
    parts = [paths(replace(specification, files=20)).texts[0].split("/")] * MANY
    return sorted("/".join(each) + str(n) for n, each in enumerate(parts))


AGGREGATE = """
import io, pandas as pd
frames = []
for path in list_directory(0, "/*", None)["paths"]:
    if path.endswith(".csv"):
        frames.append(pd.read_csv(io.StringIO(read_text_file(0, path)["file_content"]), usecols=[NAME]))
print(pd.concat(frames)[NAME].median())
"""
OPENING = """
import os, sys
def list_directory(id, prefix, depth):
    found = (os.path.join(at, name) for at, _, names in os.walk(sys.argv[1]) for name in names)
    return {"paths": sorted(found)}
def read_text_file(id, path):
    with open(path, encoding="utf-8") as file:
        return {"file_content": file.read()}
"""


class _One(State):
    """A server's state that has one repository, by any id."""

    def __init__(self, served: Repository | None, roots: list[Path]) -> None:
        super().__init__(roots)
        self._served = served or next(iter(self.folders.values()))

    def repository(self, id: object = "") -> Repository:
        return self._served


async def _in_sandbox(state: State, code: str) -> tuple[float, str]:
    """Return the seconds of a run within the paper's limits, and what it printed or why it did not."""
    await state.sandbox.run("import pandas")
    start = time.perf_counter()
    result = await state.sandbox.run(code, functions=functions(state), limits=PAPER_LIMITS)
    took = time.perf_counter() - start
    await state.close()
    return took, result.output if result.status == "ok" else result.status


def _sandboxed(repository: GeneratedRepository) -> None:
    """Print what it takes to read all files in the sandbox, and outside of it."""
    name = _names(repository.specification)[2]
    code = AGGREGATE.replace("NAME", repr(name))
    with tempfile.TemporaryDirectory() as top:
        for path in repository.files.texts:
            (Path(top) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(top) / path).write_bytes(repository.read(path))
        start = time.perf_counter()
        words = [str(find("science").python), "-c", OPENING + code, top]
        plain = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        alone = time.perf_counter() - start
        print(f"{len(repository.files.texts):,} csv files aggregated by pandas without walls: {alone:.1f} s")
        for what, served, roots in (("generated", repository, []), ("in a folder", None, [Path(top)])):
            took, said = asyncio.run(_in_sandbox(_One(served, roots), code))
            same = "" if said == plain else f"; NOT THE SAME: {said[:200]} and {plain[:200]}"
            print(f"in the sandbox, {what}: {took:.1f} s (goal 60), {took / alone:.1f} x without walls{same}")


async def _hard() -> None:
    """Print what a question of the hard tier costs, children included."""
    arm = suite.arm("agent-default")
    samples = items.configured({"tier": "hard"})("bench", MORE * len(STYLES))[:: len(STYLES)]
    spent = 0.0
    async with Client(build(toolbox, arm.serve)) as client:
        for number, sample in enumerate(samples):
            if number == FEW:
                spent = used(os.getpid())[0]
            solved = solution(sample, arm)
            (call,) = solved.calls
            result = await client.call_tool_mcp(call.tool, call.bind(()))
            said = solved.answer(["\n".join(part.text for part in result.content)])
            assert grade(EXPECTED.validate_python(sample.truth["expected"]), said, said).strict
        spent = (used(os.getpid())[0] - spent) / (MORE - FEW)
    print(
        f"a hard question answered over MCP, server and sandbox running: {spent:.2f} s of the processor (at most "
        f"{MOST_RECORD_S:g})"
    )


def main() -> None:
    """Print rates and ratios."""
    specification = _specification()
    writing = _pandas_writing(specification)
    print(f"pandas.to_csv of tables that are there: {writing:.0f} files/s")
    for extension in EXTENSIONS:
        rate = _reading(specification, extension)
        print(f"{extension}: {rate:.0f} files/s made and written, {rate / writing:.2f} x pandas.to_csv")

    repository = GeneratedRepository(replace(specification, files=MANY))
    truth, median = _pandas_truth(repository), _truth(repository)
    assert truth() == median
    ours, theirs = _seconds(lambda: _truth(repository)), _seconds(truth)
    rows = int(repository.columns.rows().sum())
    print(
        f"truth of a filtered median over {MANY:,} files and {rows:,} rows: {ours:.2f} s, "
        f"{ours / theirs:.1f} x the median by pandas of a table in memory"
    )

    listing = _seconds(lambda: _listing(replace(specification, files=MANY)))
    joining = _seconds(lambda: _joining(specification))
    print(
        f"opening a repository and listing its {MANY:,} paths: {1e3 * listing:.0f} ms, "
        f"{listing / joining:.1f} x joining and sorting such texts"
    )

    _sandboxed(GeneratedRepository(replace(specification, files=MANY, extension="csv")))

    asyncio.run(_hard())
    start = time.process_time()
    for number in range(1001, 1101):
        design.specification(number)
    one = (time.process_time() - start) / 100
    print(f"one specification: {1e3 * one:.1f} ms, {one * writing:.1f} x one pandas.to_csv")


if __name__ == "__main__":
    main()
