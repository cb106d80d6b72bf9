"""The analysis as it stands, with every database: which of them give an index that counts, and the parts of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from labrig.errors import LabrigError
from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.definitions import has_volumes
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.waters import compatible
from labrig_phreeqc.waters.analysis import HOT, LABORATORY, Analysis, cooled_for_analysis
from labrig_phreeqc.waters.causes import Causes, probe
from labrig_phreeqc.waters.errors import ASSUMED_PE, ErrorModel
from labrig_phreeqc.waters.members import solve
from labrig_phreeqc.waters.redox import divided_by_pe
from labrig_phreeqc.waters.speciation import Speciation

MOVED = 0.02
"""Change of a saturation index by constituents that a database lacks, from which it is not used."""


async def moved_without(
    analysis: Analysis,
    choice: compatible.Choice,
    known: Mapping[str, compatible.Known],
    nominal: Mapping[str, Sequence[Speciation]],
    engine: Engine,
    limits: Limits | None,
) -> dict[str, dict[str, str]]:
    """Say where the constituents that a database lacks move an index, by phase and database.

    The first database that has them all is asked with and without: one that lacks a ligand of the mineral's metal
    (fluoride for aluminium) would answer another question.
    """
    found: dict[str, dict[str, str]] = {}
    whole = next((each.name for each in choice.databases if each.name not in choice.left_out), "")
    for name, lacking in choice.left_out.items() if whole else ():
        kept = {key: each for key, each in analysis.constituents.items() if key not in lacking}
        phases = [p for p, each in known.items() if whole in each.entries and name in each.entries]
        without = await solve([replace(analysis, constituents=kept)], {whole: phases}, engine, limits)
        for phase in phases:
            before, after = nominal[whole][0].SI.get(phase), without[whole][0].SI.get(phase)
            if before is not None and after is not None and abs(after - before) > MOVED:
                words = f"lacks {', '.join(lacking)}, without which the index moves by {after - before:+.2f} in {whole}"
                found.setdefault(phase, {})[name] = words
    return found


@dataclass(frozen=True)
class Screened:
    """A phase in the databases that can give its index for this water, which `nominal` has."""

    name: str
    nominal: Mapping[str, float]
    excluded: Mapping[str, str]
    notes: list[str]


def screen(
    analysis: Analysis,
    known: compatible.Known,
    choice: compatible.Choice,
    nominal: Mapping[str, Sequence[Speciation]],
    moved: Mapping[str, str],
    *,
    lenient: bool,
) -> Screened:
    """Keep the databases that solve the water and whose activity model reaches its ionic strength.

    Parameters
    ----------
    lenient
        Keep a database beyond its ionic strength, with a note: the caller named it.
    moved
        Databases that lack constituents on which the index depends, with the reason.
    """
    found: dict[str, float] = {}
    excluded = {**choice.excluded, **known.excluded}
    notes: list[str] = []
    phase = next(iter(known.entries.values())).name
    for name, entry in known.entries.items():
        solved = nominal[name][0]
        index = solved.SI.get(known.asked)
        strength = solved.ionic_strength or 0.0
        reason = compatible.too_strong(find_database(name), strength)
        if solved.failure:
            excluded[name] = f"does not solve the water: {solved.failure}"
        elif index is None:
            excluded[name] = f"cannot form {entry.name} from the redox states that the analysis gives"
        elif name in moved:
            excluded[name] = moved[name]
        elif reason and not lenient:
            excluded[name] = reason
        else:
            found[name] = index
            notes += [*choice.notes.get(name, ()), *([f"{name} {reason}"] if reason else [])]
            notes += known.notes.get(name, ())
            if lacking := choice.left_out.get(name):
                notes.append(f"{name} lacks {', '.join(lacking)}: minor in this water, and left out there")
    if not found:
        raise LabrigError(
            f"No database gives a saturation index of {phase} for this water",
            where="; ".join(f"{name} {why}" for name, why in excluded.items() if name in known.entries),
            expected="a water that a database with the phase can solve, within its range",
            try_="databases= with names takes databases beyond their range, with a warning",
            code="engine",
        )
    notes += _doubts(analysis, found, nominal[next(iter(found))][0].charge_error)
    return Screened(phase, found, excluded, notes)


def _doubts(analysis: Analysis, databases: Iterable[str], charge: float | None) -> list[str]:
    """Say what is doubtful about the analysis itself."""
    notes = []
    if cooled_for_analysis(analysis) and any(has_volumes(find_database(name).path) for name in databases):
        notes.append(
            f"amounts are taken per litre at {LABORATORY:g} degC, where laboratories measure: the water is above "
            f"{HOT:g} degC and has no density"
        )
    if charge is not None and abs(charge) > CHARGE_ERROR_PERCENT:
        notes.append(
            f"the analysis has a charge error of {charge:.1f} % (above {CHARGE_ERROR_PERCENT:g} %): something in it "
            "may be wrong by more than the errors stated"
        )
    if analysis.density is not None:
        notes.append("the density is taken as measured, without error")
    return notes


def of_pe(divided: Sequence[str], errors: ErrorModel) -> str:
    """Say what stands for a pe that was not measured."""
    drawn = f"with a standard deviation of {errors.assumed_pe:g}" if errors.assumed_pe else "without error"
    return (
        f"pe was not measured: PHREEQC takes {ASSUMED_PE:g} for {', '.join(divided)}, here {drawn}; a measured pe "
        "or Eh, or amounts by redox state, would tell"
    )


def hangs_on_pe(analysis: Analysis, phase: str, databases: Iterable[str]) -> list[str]:
    """Return what pe decides in some of the databases: constituents without a redox state, and O2(g), H2(g)."""
    catalogues = [read(find_database(name).path) for name in databases]
    names = {each for one in catalogues for each in divided_by_pe(analysis.constituents, one)}
    return sorted(names | ({phase} if phase in ("O2(g)", "H2(g)") else set()))


async def in_parts(
    analysis: Analysis,
    screened: Mapping[str, Screened],
    known: Mapping[str, compatible.Known],
    engine: Engine,
    limits: Limits | None,
) -> dict[str, dict[str, Causes]]:
    """Return the parts of each index of the analysis as it stands, by phase and database.

    The reaction is that of the first database in all of them, so that log K means the same; a phase has no parts where
    a database lacks a species of it.
    """
    probes = {
        phase: probe(known[phase].entries[next(iter(each.nominal))]) for phase, each in screened.items()
    }
    asked: dict[str, list[str]] = {}
    for phase, each in screened.items():
        for name in each.nominal if len(each.nominal) > 1 else ():
            asked.setdefault(name, []).append(phase)
    expressions = {
        name: list(dict.fromkeys(each for phase in phases for each in probes[phase].expressions()))
        for name, phases in asked.items()
    }
    solved = await solve([analysis], asked, engine, limits, expressions)
    found: dict[str, dict[str, Causes]] = {phase: {} for phase in screened}
    for name, phases in asked.items():
        (water,) = solved[name]
        for phase in phases:
            index = water.SI.get(phase)
            if index is not None and (parts := probes[phase].parts(index, water.told)):
                found[phase][name] = parts
    return {phase: each if len(each) == len(screened[phase].nominal) else {} for phase, each in found.items()}
