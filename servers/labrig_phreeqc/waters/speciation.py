"""Speciation of many waters at a time: few runs, one row a water, and a water that fails spoils no other."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.database.catalogue import Catalogue, read
from labrig_phreeqc.database.databases import Database, find_database
from labrig_phreeqc.database.definitions import has_volumes
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Cell, Limits, Run, SelectedOutput
from labrig_phreeqc.waters.analysis import LABORATORY, Analysis, cooled_for_analysis, solution_block
from labrig_phreeqc.waters.constituents import CHARGES, solution_elements

ABSENT = -999.999
"""What PHREEQC writes for the saturation index of a phase that cannot form from what is dissolved."""

WATERS_A_RUN = 100
RUNS_AT_A_TIME = 4
"""So that a large table leaves places in the engine's queue to others."""

_REDOX_ACTIVE = "N Fe Mn As Se Cr U V Cu Mo Sb Hg Co Ag Tc Np Pu Eu Ce O"
REDOX_ACTIVE = frozenset(_REDOX_ACTIVE.split())
"""Elements that take no part when a water is brought to equilibrium with a phase, see `speciate`."""

_DIVIDED = REDOX_ACTIVE | {"C", "S"}
"""Elements whose division by pe matters: that of chloride in llnl.dat (Cl(-1) to Cl(7)) does not."""

_VALUES = {
    "pH": "pH",
    "pe": "pe",
    "temp(C)": "temperature",
    "mu": "ionic_strength",
    "pct_err": "charge_error",
    "Alk(eq/kgw)": "alkalinity",
}
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
        A phase with which each water is brought to equilibrium, closed to gases, for `Speciation.delta`.
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

    Notes
    -----
    A reaction in PHREEQC brings every redox couple to equilibrium: nitrate and ammonium that were measured side by side
    would become nitrogen, dissolved iron would be oxidised by nitrate, and the acid set free would change what
    precipitates. So `REDOX_ACTIVE` elements and sulfide are left out of the water that is brought to equilibrium with
    `precipitate`, and chloride stands for nitrate. An element with one redox state in the database (iron in pitzer.dat)
    stays.
    """
    chosen = find_database(database)
    _check(chosen, analyses, [*phases, *([precipitate] if precipitate else [])])
    volumes = has_volumes(chosen.path)
    active = redox_active(read(chosen.path))
    places = asyncio.Semaphore(RUNS_AT_A_TIME)

    async def run(part: Sequence[Analysis], precipitate: str) -> Run:
        text = _input(part, phases, precipitate, volumes, active, expressions)
        async with places:
            return await engine.run(text, database=chosen.name, limits=limits, queue_s=queue_s)

    async def solve_one(water: Analysis) -> Speciation:
        alone = await run([water], "")
        if not _ended_well(alone):
            return Speciation(water, failure=_reason(alone))
        if precipitate:  # where that does not converge, the speciation still stands
            both = await run([water], precipitate)
            if _ended_well(both):
                return _complete(_rows([water], phases, precipitate, expressions, both))[0]
        return _complete(_rows([water], phases, "", expressions, alone))[0]

    async def solve(part: Sequence[Analysis]) -> list[Speciation]:
        if len(part) < 2:
            return [await solve_one(each) for each in part]
        found = await run(part, precipitate)
        if _ended_well(found):
            return _complete(_rows(part, phases, precipitate, expressions, found))
        rows = (
            _rows(part, phases, precipitate, expressions, found)
            if found.selected and found.selected[0].rows
            else []
        )
        if not rows:
            middle = len(part) // 2
            return [*await solve(part[:middle]), *await solve(part[middle:])]
        suspects = _suspects(found.selected[0], len(part))
        rest = [n for n, each in enumerate(rows) if each is None and n not in suspects]
        for n in suspects:
            rows[n] = await solve_one(part[n])
        for n, speciation in zip(rest, await solve([part[n] for n in rest]), strict=True):
            rows[n] = speciation
        return _complete(rows)

    if volumes and any(map(cooled_for_analysis, analyses)):
        return await _from_the_laboratory(
            analyses, phases, engine, chosen.name, precipitate, expressions, limits, queue_s
        )
    starts = range(0, len(analyses), WATERS_A_RUN)
    parts = await together(solve(analyses[start : start + WATERS_A_RUN]) for start in starts)
    return [each for part in parts for each in part]


async def together(asked: Iterable[Coroutine[Any, Any, list[Speciation]]]) -> list[list[Speciation]]:
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


async def _from_the_laboratory(
    analyses: Sequence[Analysis],
    phases: Sequence[str],
    engine: Engine,
    database: str,
    precipitate: str,
    expressions: Sequence[str],
    limits: Limits | None,
    queue_s: float,
) -> list[Speciation]:
    """Speciate waters of which some are hot, with the density that these have at `LABORATORY`."""
    hot = [number for number, each in enumerate(analyses) if cooled_for_analysis(each)]
    cool = [replace(analyses[number], temperature=LABORATORY) for number in hot]
    first = await speciate(cool, [], engine=engine, database=database, limits=limits, queue_s=queue_s)
    known = list(analyses)
    failures: dict[int, str] = {}
    for number, speciation in zip(hot, first, strict=True):
        if speciation.density is None:
            failures[number] = f"at {LABORATORY:g} degC, where a laboratory measures, {speciation.failure}"
        else:
            known[number] = replace(known[number], density=speciation.density)
    left = [number for number in range(len(known)) if number not in failures]
    solved = await speciate(
        [known[number] for number in left],
        phases,
        engine=engine,
        database=database,
        precipitate=precipitate,
        expressions=expressions,
        limits=limits,
        queue_s=queue_s,
    )
    found = {number: Speciation(analyses[number], failure=why) for number, why in failures.items()}
    for number, speciation in zip(left, solved, strict=True):
        density = known[number].density or speciation.density
        found[number] = replace(speciation, analysis=analyses[number], density=density)
    return [found[number] for number in range(len(known))]


def divided_by_pe(names: Iterable[str], catalogue: Catalogue) -> set[str]:
    """Return which constituents PHREEQC divides among redox states by pe: iron without its state, not chloride."""
    return set(names) & _DIVIDED & _with_states(catalogue)


def redox_active(catalogue: Catalogue) -> frozenset[str]:
    """Return the elements of `REDOX_ACTIVE`, and sulfur, that have several redox states in a database."""
    return (REDOX_ACTIVE | {"S"}) & _with_states(catalogue)


def _with_states(catalogue: Catalogue) -> frozenset[str]:
    """Return the elements with several redox states."""
    states = Counter(
        name.partition("(")[0] for each in solution_elements(catalogue) if "(" in (name := each.name)
    )
    return frozenset(element for element, count in states.items() if count > 1)


def inert_share(
    analysis: Analysis, equivalents: float, active: Collection[str]
) -> tuple[float, tuple[str, ...]]:
    """Return what the equilibrium with a phase leaves out of a water: its share of the equivalents, and the names.

    Parameters
    ----------
    equivalents
        Half the sum of cations and anions, meq per basis.
    active
        See `redox_active`.

    Notes
    -----
    Nitrate does not count, because chloride stands for it; sulfide counts by what it has of the alkalinity.
    """
    left = {
        name: constituent.amount * max(abs(CHARGES.get(name, 0)), name == "S(-2)")
        for name, constituent in analysis.constituents.items()
        if _takes_no_part(name, active) and name != "N(5)"
    }
    charge = sum(left.values())
    names = tuple(sorted((name for name, each in left.items() if each), key=lambda name: -left[name]))
    return (charge / equivalents if equivalents > 0 else 0.0), names


def _takes_no_part(name: str, active: Collection[str]) -> bool:
    element = name.partition("(")[0]
    return element in active and (element != "S" or name == "S(-2)")


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


def _input(
    part: Sequence[Analysis],
    phases: Sequence[str],
    precipitate: str,
    volumes: bool,
    active: Collection[str],
    expressions: Sequence[str],
) -> str:
    density = "1 calculate" if volumes else "1"
    lines = [_HEAD + (f" -saturation_indices {' '.join(phases)}" if phases else "")]
    if precipitate:
        lines.append(f" -equilibrium_phases {precipitate}")
    punched = {**({"density": "RHO"} if volumes else {}), **_headings(expressions)}
    if punched:
        lines.append(f"USER_PUNCH 1\n -headings {' '.join(punched)}")
        lines += [f" {number} PUNCH {each}" for number, each in enumerate(punched.values(), 10)]
    lines += [solution_block(each, number, density=density) for number, each in enumerate(part, 1)]
    lines.append("END")
    for number, analysis in enumerate(part, 1) if precipitate else ():
        inert = _inert(analysis, active)
        if inert is not analysis:
            lines.append(
                "SELECTED_OUTPUT 1\n -active false\n" + solution_block(inert, number, density=density)
            )
            lines.append("END\nSELECTED_OUTPUT 1\n -active true")
        lines.append(f"USE solution {number}\nEQUILIBRIUM_PHASES 1\n {precipitate} 0 10\nEND")
    return "\n".join(lines) + "\n"


def _headings(expressions: Sequence[str]) -> dict[str, str]:
    return {f"told_{number}": each for number, each in enumerate(expressions)}


def _inert(analysis: Analysis, active: Collection[str]) -> Analysis:
    """Return a water without its redox-active constituents, chloride in place of nitrate; itself if it has none."""
    kept = {name: each for name, each in analysis.constituents.items() if not _takes_no_part(name, active)}
    if len(kept) == len(analysis.constituents):
        return analysis
    nitrate, chloride = analysis.constituents.get("N(5)"), kept.get("Cl")
    if nitrate is not None and "N(5)" not in kept:
        amount = nitrate.amount + (chloride.amount if chloride else 0.0)
        kept["Cl"] = replace(chloride or nitrate, element="Cl", amount=amount)
    return replace(analysis, constituents=kept)


def _rows(
    part: Sequence[Analysis], phases: Sequence[str], precipitate: str, expressions: Sequence[str], run: Run
) -> list[Speciation | None]:
    """Read the waters of a run; of one that failed those that are complete and were not the last."""
    table = run.selected[0]
    found: dict[int, Speciation] = {}
    last = len(table.rows) - (not _ended_well(run))
    for values in table.rows[:last]:
        row = dict(zip(table.columns, values, strict=True))
        number = int(_number(row["soln"]))
        if str(row["state"]).strip() == "i_soln":
            numbers = {name: _number(row[column]) for column, name in _VALUES.items()}
            indices = {phase: _index(row[f"si_{phase}"]) for phase in phases}
            density = _number(row["density"]) if "density" in row else None
            told = {each: _number(row[heading]) for heading, each in _headings(expressions).items()}
            found[number] = Speciation(
                part[number - 1],
                SI=indices,
                density=density,
                told=told,
                **numbers,  # type: ignore[arg-type]
            )
        else:
            found[number] = replace(found[number], delta={precipitate: _number(row[f"d_{precipitate}"])})
    done = (found.get(number) for number in range(1, len(part) + 1))
    return [each if each and (each.delta or not precipitate) else None for each in done]


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
