"""Speciation of many waters at a time: few runs, one row a water, and a water that fails spoils no other."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.database.databases import Database, find_database
from labrig_phreeqc.database.definitions import has_volumes
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Cell, Limits, Run, SelectedOutput
from labrig_phreeqc.waters.analysis import LABORATORY, Analysis, cooled_for_analysis, solution_block
from labrig_phreeqc.waters.redox import inert, redox_active

Found = TypeVar("Found")

ABSENT = -999.999
"""What PHREEQC writes for the saturation index of a phase that cannot form from what is dissolved."""

WATERS_A_RUN = 500
"""At most: a run costs its fork and its walls once, and holds its place until its last water."""
WORTH_A_RUN = 25
"""Waters for which it is worth to have one more run at a time."""
RUNS_AT_A_TIME = 4
"""So that a large table leaves places in the engine's queue to others."""

_HEAD = """PRINT
 -reset false
SELECTED_OUTPUT 1
 -reset false
 -high_precision true
 -solution true
 -state true
 -pH true
 -pe true
 -temperature true
 -ionic_strength true
 -percent_error true
 -alkalinity true
"""

_COLUMNS = ("pH", "pe", "temp(C)", "mu", "pct_err", "Alk(eq/kgw)")


@dataclass(frozen=True)
class Speciation:
    """What PHREEQC computed for one water.

    Attributes
    ----------
    analysis
        The water.
    failure
        Why there are no values, or empty.
    pH, pe, temperature, ionic_strength, charge_error, alkalinity
        1, 1, degC, mol/kgw, percent (100 (cations - anions) / (cations + anions) of the speciated charges), eq/kgw.
    SI
        Saturation index by phase; for a gas the log10 of its fugacity. None where the phase cannot form
        from what is dissolved.
    delta
        mol/kgw that leave the water when it comes to equilibrium with a phase in a closed system (negative: that
        would dissolve), by phase, where it was asked for.
    density
        kg/L, of the litre that amounts are per: at `LABORATORY` for a hot water. None where the database has no molar
        volumes to compute it from.
    told
        Values of the expressions that were asked for, by their text.
    """

    analysis: Analysis
    failure: str = ""
    pH: float | None = None
    pe: float | None = None
    temperature: float | None = None
    ionic_strength: float | None = None
    charge_error: float | None = None
    alkalinity: float | None = None
    SI: Mapping[str, float | None] = field(default_factory=dict)
    delta: Mapping[str, float] = field(default_factory=dict)
    density: float | None = None
    told: Mapping[str, float] = field(default_factory=dict)


async def speciate(
    analyses: Sequence[Analysis],
    phases: Sequence[str],
    *,
    engine: Engine,
    database: str = "phreeqc.dat",
    precipitate: str = "",
    expressions: Sequence[str] = (),
    limits: Limits | None = None,
    queue_s: float = 60.0,
) -> list[Speciation]:
    """Speciate waters, and give saturation indices of `phases` for each.

    Parameters
    ----------
    analyses
        Waters; constituents that the database lacks are refused, not dropped.
    phases
        Minerals and gases of the database.
    precipitate
        A phase with which each water is brought to equilibrium, closed to gases and without what `redox` leaves out of
        it, for `Speciation.delta`.
    expressions
        Of PHREEQC's Basic, such as ``LA("Fe+2")``, for `Speciation.told`; not together with `precipitate`.

    Returns
    -------
    list of Speciation
        In the order of `analyses`. A water that PHREEQC cannot solve has a `failure`; the others have their values.
        The density of hot waters is computed at `LABORATORY` first (`analysis.cooled_for_analysis`).

    Raises
    ------
    LabrigError
        ``not_found`` for a phase or an element that the database lacks, and what `Engine.run` raises.
    """
    chosen = find_database(database)
    _check(chosen, analyses, [*phases, *([precipitate] if precipitate else [])])
    asked = _Asked(chosen, phases, expressions, engine, limits, queue_s)
    if asked.volumes and any(map(cooled_for_analysis, analyses)):
        return await asked.from_the_laboratory(analyses, precipitate)
    return await asked.of(analyses, precipitate)


class _Asked:
    """What is asked of every water of a call."""

    def __init__(
        self,
        database: Database,
        phases: Sequence[str],
        expressions: Sequence[str],
        engine: Engine,
        limits: Limits | None,
        queue_s: float,
    ) -> None:
        self.database, self.phases, self.expressions = database, phases, expressions
        self.engine, self.limits, self.queue_s = engine, limits, queue_s
        self.volumes = has_volumes(database.path)
        self.active = redox_active(read(database.path))
        self.places = asyncio.Semaphore(RUNS_AT_A_TIME)

    async def from_the_laboratory(self, analyses: Sequence[Analysis], precipitate: str) -> list[Speciation]:
        """Speciate waters of which some are hot, with the density that these have at `LABORATORY`."""
        hot = [number for number, each in enumerate(analyses) if cooled_for_analysis(each)]
        cool = [replace(analyses[number], temperature=LABORATORY) for number in hot]
        only_density = _Asked(self.database, (), (), self.engine, self.limits, self.queue_s)
        known, found = list(analyses), dict[int, Speciation]()
        for number, speciation in zip(hot, await only_density.of(cool, ""), strict=True):
            if speciation.density is None:
                why = f"at {LABORATORY:g} degC, where a laboratory measures, {speciation.failure}"
                found[number] = Speciation(analyses[number], failure=why)
            else:
                known[number] = replace(known[number], density=speciation.density)
        left = [number for number in range(len(known)) if number not in found]
        solved = await self.of([known[number] for number in left], precipitate)
        for number, speciation in zip(left, solved, strict=True):
            density = known[number].density or speciation.density
            found[number] = replace(speciation, analysis=analyses[number], density=density)
        return [found[number] for number in range(len(known))]

    async def of(self, waters: Sequence[Analysis], precipitate: str) -> list[Speciation]:
        """Speciate waters: in as many runs as there are processors, where it is worth it, of `WATERS_A_RUN` at most."""
        runs = min(RUNS_AT_A_TIME, self.engine.concurrency, max(1, len(waters) // WORTH_A_RUN))
        size = min(WATERS_A_RUN, -(-len(waters) // runs) or 1)
        starts = range(0, len(waters), size)
        parts = await together(self.solve(waters[start : start + size], precipitate) for start in starts)
        return [each for part in parts for each in part]

    async def solve(self, part: Sequence[Analysis], precipitate: str) -> list[Speciation]:
        """Speciate the waters of a run; those that it gives no row for again, without the one that stopped it."""
        if len(part) < 2:
            return [await self.solve_one(each, precipitate) for each in part]
        run = await self.run(part, precipitate)
        if _ended_well(run):
            return _complete(self.rows(part, precipitate, run))
        if not (run.selected and run.selected[0].rows):
            middle = len(part) // 2
            halves = part[:middle], part[middle:]
            return [each for half in halves for each in await self.solve(half, precipitate)]
        rows = self.rows(part, precipitate, run)
        suspects = _suspects(run.selected[0], len(part))
        rest = [n for n, each in enumerate(rows) if each is None and n not in suspects]
        for n in suspects:
            rows[n] = await self.solve_one(part[n], precipitate)
        again = await self.solve([part[n] for n in rest], precipitate)
        for n, speciation in zip(rest, again, strict=True):
            rows[n] = speciation
        return _complete(rows)

    async def solve_one(self, water: Analysis, precipitate: str) -> Speciation:
        """Speciate one water; where its equilibrium with a phase does not converge, the speciation still stands."""
        alone = await self.run([water], "")
        if not _ended_well(alone):
            return Speciation(water, failure=_reason(alone))
        both = await self.run([water], precipitate) if precipitate else alone
        if _ended_well(both):
            return _complete(self.rows([water], precipitate, both))[0]
        return _complete(self.rows([water], "", alone))[0]

    async def run(self, part: Sequence[Analysis], precipitate: str) -> Run:
        """Run PHREEQC on some waters."""
        text = self.text(part, precipitate)
        async with self.places:
            return await self.engine.run(
                text, database=self.database.name, limits=self.limits, queue_s=self.queue_s
            )

    def text(self, part: Sequence[Analysis], precipitate: str) -> str:
        """Return the input for some waters."""
        density = "1 calculate" if self.volumes else "1"
        lines = [_HEAD + (f" -saturation_indices {' '.join(self.phases)}" if self.phases else "")]
        if precipitate:
            lines.append(f" -equilibrium_phases {precipitate}")
        punched = {**({"density": "RHO"} if self.volumes else {}), **self.headings()}
        if punched:
            lines.append(f"USER_PUNCH 1\n -headings {' '.join(punched)}")
            lines += [f" {number} PUNCH {each}" for number, each in enumerate(punched.values(), 10)]
        lines += [solution_block(each, number, density=density) for number, each in enumerate(part, 1)]
        lines.append("END")
        for number, analysis in enumerate(part, 1) if precipitate else ():
            left = inert(analysis, self.active)
            if left is not analysis:
                block = solution_block(left, number, density=density)
                lines.append(f"SELECTED_OUTPUT 1\n -active false\n{block}")
                lines.append("END\nSELECTED_OUTPUT 1\n -active true")
            lines.append(f"USE solution {number}\nEQUILIBRIUM_PHASES 1\n {precipitate} 0 10\nEND")
        return "\n".join(lines) + "\n"

    def headings(self) -> dict[str, str]:
        """Return the headings of the expressions."""
        return {f"told_{number}": each for number, each in enumerate(self.expressions)}

    def rows(self, part: Sequence[Analysis], precipitate: str, run: Run) -> list[Speciation | None]:
        """Read the waters of a run; of one that failed those that are complete and were not the last."""
        table = run.selected[0]
        place = {column: n for n, column in enumerate(table.columns)}
        wanted = [place[column] for column in _COLUMNS]
        indices = {phase: place[f"si_{phase}"] for phase in self.phases}
        told = {each: place[heading] for heading, each in self.headings().items()}
        found: dict[int, Speciation] = {}
        last = len(table.rows) - (not _ended_well(run))
        for row in table.rows[:last]:
            number = int(_number(row[place["soln"]]))
            if str(row[place["state"]]).strip() == "i_soln":
                pH, pe, temperature, strength, error, alkalinity = (_number(row[n]) for n in wanted)
                found[number] = Speciation(
                    part[number - 1],
                    pH=pH,
                    pe=pe,
                    temperature=temperature,
                    ionic_strength=strength,
                    charge_error=error,
                    alkalinity=alkalinity,
                    SI={phase: _index(row[n]) for phase, n in indices.items()},
                    density=_number(row[place["density"]]) if "density" in place else None,
                    told={each: _number(row[n]) for each, n in told.items()},
                )
            else:
                delta = _number(row[place[f"d_{precipitate}"]])
                found[number] = replace(found[number], delta={precipitate: delta})
        done = (found.get(number) for number in range(1, len(part) + 1))
        return [each if each and (each.delta or not precipitate) else None for each in done]


async def together(asked: Iterable[Coroutine[Any, Any, Found]]) -> list[Found]:
    """Return what coroutines return that run at a time, in their order; the first error ends them all."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in asked]
    except BaseExceptionGroup as several:
        error: BaseException = several
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
    return [each.result() for each in tasks]


def _check(database: Database, analyses: Sequence[Analysis], phases: Sequence[str]) -> None:
    catalogue = read(database.path)
    names = [each.name for each in catalogue.phases]
    by_fold = {name.casefold() for name in names}
    for phase in phases:
        if phase.casefold() not in by_fold:
            raise unknown_name(f"phase in {database.name}", phase, names, where="phases")
    known = {each.name for each in catalogue.elements}
    used = {element for analysis in analyses for element in analysis.constituents}
    if lacking := sorted(used - known):
        raise LabrigError(
            f"{database.name} lacks {', '.join(lacking)}",
            where="constituents",
            try_="another database, or leave them out by name",
            code="not_found",
        )


def _reason(run: Run) -> str:
    """Say why one water was not solved; PHREEQC's remark on the input line is about the batch and left out."""
    for message in run.errors:
        said = re.sub(r" *\(line reads:.*", "", message, flags=re.DOTALL).strip()
        if "Density calculation failed" in said:
            return "PHREEQC cannot compute its density"
        return re.sub(r" for initial solution 1\b", "", said)
    if run.status in ("input_error", "not_converged"):
        return "PHREEQC did not converge"
    return run.detail or run.status


def _ended_well(run: Run) -> bool:
    return run.status in ("ok", "ok_with_warnings")


def _complete(rows: Sequence[Speciation | None]) -> list[Speciation]:
    found = [each for each in rows if each is not None]
    if len(found) != len(rows):
        raise RuntimeError("PHREEQC ended well and gave no row for a water")
    return found


def _suspects(table: SelectedOutput, waters: int) -> list[int]:
    """Return which waters can be the one at which PHREEQC stopped, counted from 0.

    It writes the row of a water that does not converge before it stops, and no row where the density of one cannot be
    computed: so it is that of the last row, or the one after it, in the order of initial solutions and then reactions.
    """
    row = dict(zip(table.columns, table.rows[-1], strict=True))
    last = int(_number(row["soln"])) - 1
    return [last, (last + 1) % waters]


def _index(cell: Cell) -> float | None:
    value = _number(cell)
    return None if abs(value - ABSENT) < 1e-6 else value


def _number(cell: Cell) -> float:
    if not isinstance(cell, int | float):
        raise TypeError(f"PHREEQC gave {cell!r} for a number")
    return float(cell)
