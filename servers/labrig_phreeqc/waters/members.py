"""The members of an estimate: waters that are drawn in pairs, and solved with every database."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.waters.analysis import Analysis
from labrig_phreeqc.waters.compatible import fitted
from labrig_phreeqc.waters.errors import Floats, Input, deviates, values_at, water
from labrig_phreeqc.waters.speciation import WATERS_A_RUN, Speciation, speciate, together

PAIRS = 250
"""Pairs of draws for the variance by source at most; the standard error of a share is then at most about 0.03."""

_QUEUE_S = 300.0


@dataclass(frozen=True, eq=False)
class Draws:
    """The waters that were drawn.

    Attributes
    ----------
    inputs
        What was measured, with its errors.
    z
        Standard normal deviates, shape (members, inputs).
    values
        The values of the inputs, same shape, in their units.
    """

    inputs: tuple[Input, ...]
    z: Floats
    values: Floats


@dataclass(frozen=True)
class Members:
    """The waters to solve: those of the draws, then those of the pairs with exchanged temperature.

    Attributes
    ----------
    draws
        Rows 2 k and 2 k + 1 are the pair k.
    pairs
        How many of them the variance by source rests on.
    exchanged
        Whether the waters with exchanged temperature are there; not, where only the temperature or only the
        analysis varies, and they would be the same waters again.
    """

    analysis: Analysis
    draws: Draws
    seed: int
    waters: list[Analysis]
    pairs: int
    exchanged: bool

    def corners(self, solved: Floats) -> Floats:
        """Return f(A), f(AB), f(BA), f(B) of the pairs, shape (pairs, 4), from the values of all waters."""
        a, b = solved[0 : 2 * self.pairs : 2], solved[1 : 2 * self.pairs : 2]
        if self.exchanged:
            members = len(self.draws.z)
            ab, ba = solved[members : members + self.pairs], solved[members + self.pairs :]
        elif self.draws.inputs[0].distribution == "fixed":
            ab, ba = a, b
        else:
            ab, ba = b, a
        return np.column_stack([a, ab, ba, b])


def draw_members(analysis: Analysis, measured: tuple[Input, ...], members: int, seed: int) -> Members:
    z = deviates(members, len(measured), seed)
    draws = Draws(measured, z, values_at(measured, z))
    pairs = min(members // 2, PAIRS)
    temperature, *others = (each.distribution != "fixed" for each in measured)
    rows = [draws.values]
    if exchanged := temperature and any(others):
        a, b = draws.values[0 : 2 * pairs : 2], draws.values[1 : 2 * pairs : 2]
        rows += [np.column_stack([b[:, :1], a[:, 1:]]), np.column_stack([a[:, :1], b[:, 1:]])]
    waters = [water(analysis, measured, row) for row in np.concatenate(rows)]
    return Members(analysis, draws, seed, waters, pairs, exchanged)


async def solve(
    waters: Sequence[Analysis],
    asked: Mapping[str, Sequence[str]],
    engine: Engine,
    limits: Limits | None,
    expressions: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[Speciation]]:
    """Speciate waters with databases, each for its phases; few runs wait at a time, so that the queue never fills.

    Parameters
    ----------
    asked, expressions
        Phases, and expressions of PHREEQC's Basic (see `speciate`), by database.
    """
    places = asyncio.Semaphore(2 * (os.cpu_count() or 1))

    async def solve_part(name: str, start: int) -> list[Speciation]:
        async with places:
            database = find_database(name)
            return await speciate(
                [fitted(each, database) for each in waters[start : start + WATERS_A_RUN]],
                asked[name],
                engine=engine,
                database=name,
                expressions=(expressions or {}).get(name, ()),
                limits=limits,
                queue_s=_QUEUE_S,
            )

    parts = [(name, n) for name in asked if asked[name] for n in range(0, len(waters), WATERS_A_RUN)]
    found: dict[str, list[Speciation]] = {}
    for (name, _), part in zip(parts, await together(solve_part(*each) for each in parts), strict=True):
        found.setdefault(name, []).extend(part)
    return found
