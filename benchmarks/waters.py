"""What a table of waters and an uncertainty cost, beside the same waters run one by one.

``single`` is one `Engine.run` for each water, timed on `SINGLE` of them; ``table`` is `speciate` on `WATERS`;
``members`` is `estimate_saturation` with `MEMBERS` members in every default database, beside as many single runs.

Run it with ``python -m benchmarks.waters``; it needs installed databases.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import replace

from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.waters.analysis import Analysis, Constituent, solution_block
from labrig_phreeqc.waters.errors import ErrorModel
from labrig_phreeqc.waters.speciation import speciate
from labrig_phreeqc.waters.uncertainty import estimate_saturation

WATERS, SINGLE, MEMBERS, ROUNDS = 1000, 50, 1000, 3
AMOUNTS = {"Ca": 2.0, "Mg": 0.8, "Na": 1.3, "K": 0.05, "Alkalinity": 4.4, "S(6)": 0.9, "Cl": 1.1}
WATER = Analysis(
    "water", 7.4, 12.0, {name: Constituent(name, mmol, mmol, "mmol/L") for name, mmol in AMOUNTS.items()}
)


async def _measure() -> tuple[list[float], list[float], list[tuple[float, int]]]:
    single, table, members = [], [], []
    async with Engine() as engine:
        text = solution_block(WATER, 1) + "\nEND\n"
        await engine.run(text)
        for _ in range(ROUNDS):
            start = time.perf_counter()
            for _ in range(SINGLE):
                await engine.run(text)
            single.append((time.perf_counter() - start) / SINGLE)
            waters = [replace(WATER, pH=7 + n / WATERS) for n in range(WATERS)]
            start = time.perf_counter()
            await speciate(waters, ["Calcite", "Gypsum"], engine=engine)
            table.append((time.perf_counter() - start) / WATERS)
            start = time.perf_counter()
            (found,) = await estimate_saturation(
                WATER, ["Calcite"], errors=ErrorModel(0.05, 0.1, 0.5), members=MEMBERS, seed=1, engine=engine
            )
            members.append((time.perf_counter() - start, len(found.values)))
    return single, table, members


def main() -> None:
    """Print the costs and their ratios."""
    single, table, members = asyncio.run(_measure())
    one, row = statistics.median(single), statistics.median(table)
    seconds = statistics.median(each for each, _ in members)
    print(
        f"one water in a run of its own {1e3 * one:.2f} ms, in a table {1e3 * row:.3f} ms: 1/{one / row:.0f}"
    )
    print(
        f"{MEMBERS} members in {members[0][1]} databases {seconds:.1f} s: "
        f"{seconds / (MEMBERS * members[0][1] * one):.2f} x their single runs"
    )


if __name__ == "__main__":
    main()
