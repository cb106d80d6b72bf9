"""Which databases may answer one question together: they know water and mineral, and do not repeat each other.

The default list
----------------
`INDEPENDENT` has one database of each compilation that is meant for natural waters. `LEFT_OUT` has the others
of the PHREEQC distribution with the reason. Three kinds are left out: files with the constants of another
(counting them would give one opinion two votes), files for a special purpose (isotopes, freezing brines,
planetary interiors, kinetics), and parts of files.

The seven that remain are not independent in the strict sense either: wateq4f.dat and phreeqc.dat have many
constants from Nordstrom et al. (1990), and every compilation cites the same solubility experiments. The
spread between them is therefore a lower estimate of what is not known about the constants.

`scope_of` gives the scope of any database, and `out_of_scope` says why a water is beyond it: a survey and an estimate
ask the same. Limits of ionic strength are those of the activity models: Davies 0.5, the usual figure (and so
minteq.v4.dat, which uses it for all major ions), B-dot 1.0, SIT 3.5 mol/kgw, Pitzer equations to the saturation of most
salts (Xiong, 2006, Geochem. Trans. 7:4, and literature there). phreeqc.dat and wateq4f.dat have ion association with
individual parameters for the major ions, made for waters up to seawater (0.7): 1.0. Temperatures: 0 to 300 degC where
the file tabulates its activity model so (llnl.dat, Thermoddem); 0 to 80 degC for ThermoChimie's scope; 0 to
100 degC where enthalpies at 25 degC carry most constants.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.checks.input_notices import COLD_DATABASES, COLD_RANGE
from labrig_phreeqc.checks.output_notices import IONIC_STRENGTH
from labrig_phreeqc.database.catalogue import Phase
from labrig_phreeqc.database.databases import ADD_ONS, Database, find_database, list_databases
from labrig_phreeqc.database.definitions import activity_model
from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.database.log_k import in_range
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.waters.analysis import Analysis
from labrig_phreeqc.waters.constituents import CHARGES, element_in

MAX_DATABASES = 10
MINOR = 0.02
"""Share of the equivalents below which constituents that a database lacks are left out for it."""


@dataclass(frozen=True)
class Scope:
    """What a database is for.

    Attributes
    ----------
    ionic_strength
        Largest, mol/kgw, or None for no limit that natural brines reach.
    temperature
        degC, lowest and highest; None where nothing is known of it.
    """

    ionic_strength: float | None
    temperature: tuple[float, float] | None


INDEPENDENT: Mapping[str, Scope] = {
    "phreeqc.dat": Scope(1.0, (0, 100)),
    "wateq4f.dat": Scope(1.0, (0, 100)),
    "minteq.v4.dat": Scope(0.5, (0, 100)),
    "llnl.dat": Scope(1.0, (0, 300)),
    "PHREEQC_ThermoddemV1.10_15Dec2020.dat": Scope(1.0, (0, 300)),
    "sit.dat": Scope(3.5, (0, 80)),
    "pitzer.dat": Scope(None, (0, 100)),
}
"""The databases taken by default, each with its scope; see the module's text."""

LEFT_OUT: Mapping[str, str] = {
    "Amm.dat": "has the constants of phreeqc.dat",
    "phreeqc_rates.dat": "has the constants of phreeqc.dat",
    "Tipping_Hurley.dat": "has the constants of wateq4f.dat",
    "minteq.dat": "is an older edition of minteq.v4.dat",
    "Kinec.v2.dat": "is for kinetics, with most constants from llnl.dat",
    "Kinec_v3.dat": "is for kinetics, with most constants from llnl.dat",
    "core10.dat": "is for planetary interiors, with constants of llnl.dat",
    "iso.dat": "is for isotopes, with constants of wateq4f.dat",
    "frezchem.dat": "is for freezing brines",
    "ColdChem.dat": "is for cold brines",
    "minimum.dat": "is a frame for one's own constants",
    **{name: f"is an add-on to {base}" for name, base in ADD_ONS.items()},
}
"""Why the other databases of the distribution are not taken by default."""


@dataclass(frozen=True)
class Choice:
    """Databases for a water.

    Attributes
    ----------
    databases
        Those that have its elements.
    excluded
        The others, each with the reason.
    notes
        What speaks against databases that the caller named.
    left_out
        Minor constituents that a database lacks and does without, by database.
    """

    databases: tuple[Database, ...]
    excluded: Mapping[str, str]
    notes: Mapping[str, Sequence[str]]
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def choose(analysis: Analysis, names: Sequence[str] | None) -> Choice:
    """Choose the databases for a water.

    Parameters
    ----------
    names
        Databases to take; by default those of `INDEPENDENT` that are installed and whose range has the
        water's temperature. One that lacks constituents does without them where they are less than `MINOR` of the
        equivalents.

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown database and when none has all constituents, ``bad_input`` for one named
        twice or too many.
    """
    excluded: dict[str, str] = {}
    notes: dict[str, list[str]] = {}
    if names is None:
        installed = {each.name: each for each in list_databases()}
        wanted = [installed[name] for name in INDEPENDENT if name in installed]
        excluded |= {name: "is not installed" for name in INDEPENDENT if name not in installed}
        for name in installed:
            if name not in INDEPENDENT:
                excluded[name] = LEFT_OUT.get(name, "is not of the PHREEQC distribution: name it to have it")
    else:
        wanted = [find_database(name) for name in names]
        _check_names([each.name for each in wanted])
        notes |= {
            database.name: [f"{database.name} {LEFT_OUT[database.name]}"]
            for database in wanted
            if database.name in LEFT_OUT
        }
    chosen = []
    left_out: dict[str, tuple[str, ...]] = {}
    for database in wanted:
        lacking = _lacking(analysis, database)
        share = _share(analysis, lacking)
        if lacking and share >= MINOR:
            excluded[database.name] = f"lacks {', '.join(lacking)}"
            continue
        if lacking:
            left_out[database.name] = lacking
        if reason := too_warm(database, analysis.temperature):
            if names is None:
                excluded[database.name] = reason
            else:
                notes.setdefault(database.name, []).append(f"{database.name} {reason}")
                chosen.append(database)
        else:
            chosen.append(database)
    if not chosen:
        raise LabrigError(
            "No database can take this water",
            where="; ".join(f"{name} {excluded[name]}" for name in excluded if name not in LEFT_OUT),
            try_="leave a constituent out that the mineral does not hang on, or name other databases",
            code="not_found",
        )
    return Choice(tuple(chosen), excluded, notes, left_out)


def fitted(analysis: Analysis, database: Database) -> Analysis:
    """Return a water with the names that a database has for its constituents, without those that it lacks."""
    names = {each.name for each in read(database.path).elements}
    held = {}
    for name, constituent in analysis.constituents.items():
        if (own := element_in(name, names)) is not None:
            held[own] = constituent if own == name else replace(constituent, element=own)
    return replace(analysis, constituents=held) if list(held) != list(analysis.constituents) else analysis


def _lacking(analysis: Analysis, database: Database) -> tuple[str, ...]:
    names = {each.name for each in read(database.path).elements}
    return tuple(sorted(each for each in analysis.constituents if element_in(each, names) is None))


def _share(analysis: Analysis, names: Sequence[str]) -> float:
    """Return the share of constituents in half the equivalents of a water; 1 mol without charge counts as one."""
    weights = {name: each.amount * abs(CHARGES.get(name, 0)) for name, each in analysis.constituents.items()}
    total = sum(weights.values()) / 2
    some = sum(analysis.constituents[name].amount * max(abs(CHARGES.get(name, 0)), 1) for name in names)
    return some / total if total > 0 else 1.0


def _check_names(names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not 1 <= len(names) <= MAX_DATABASES:
        raise LabrigError(
            f"{twice[0]} is named twice" if twice else f"{len(names)} databases",
            where="databases",
            expected=f"1 to {MAX_DATABASES} databases, each once",
        )


def scope_of(database: Database) -> Scope:
    """Return what a database is for: as `INDEPENDENT` has it, else by its activity model and its likes."""
    if database.name in INDEPENDENT:
        return INDEPENDENT[database.name]
    model = activity_model(database.path)
    temperature: tuple[float, float] | None = None  # nothing is known of a file from elsewhere
    if database.name in COLD_DATABASES:
        temperature = COLD_RANGE
    elif database.name in LEFT_OUT:
        temperature = (0, 300) if model == "B-dot" else (0, 100)
    return Scope(IONIC_STRENGTH[model], temperature)


def too_warm(database: Database, celsius: float) -> str:
    """Return why a water of this temperature (degC) is outside a database's scope, or an empty text."""
    limits = scope_of(database).temperature
    if limits is None or limits[0] <= celsius <= limits[1]:
        return ""
    return f"is for {limits[0]:g} to {limits[1]:g} degC, and the water has {celsius:g}"


def too_strong(database: Database, ionic_strength: float) -> str:
    """Return why a water of this ionic strength (mol/kgw) is outside a database's scope, or an empty text."""
    limit = scope_of(database).ionic_strength
    if limit is None or ionic_strength <= limit:
        return ""
    return f"is for ionic strengths up to {limit:g} mol/kgw, and the water has {ionic_strength:.3g}"


def out_of_scope(database: Database, analysis: Analysis, ionic_strength: float | None) -> list[str]:
    """Say in which ways a water is beyond a database, and which installed one would do; empty where it is not."""
    strength, celsius = ionic_strength or 0.0, analysis.temperature
    said = []
    if too_strong(database, strength):
        said.append(
            f"ionic strength {strength:.3g} mol/kgw is beyond the {activity_model(database.path)} model of "
            f"{database.name} (to about {scope_of(database).ionic_strength:g})"
        )
    limits = scope_of(database).temperature
    if limits is not None and not math.isnan(celsius) and too_warm(database, celsius):
        said.append(
            f"{celsius:g} degC is outside what {database.name} is for ({limits[0]:g} to {limits[1]:g} degC)"
        )
    if said and (other := _others(database, analysis, strength)):
        said[-1] += f"; {other}"
    return said


def _others(database: Database, analysis: Analysis, strength: float) -> str:
    """Name the installed databases whose scope has a water, with what they lack of it."""
    said = []
    for other in list_databases():
        if other.name == database.name or other.name not in (*INDEPENDENT, *COLD_DATABASES):
            continue
        if other.name in COLD_DATABASES and analysis.temperature >= 0:
            continue
        if too_strong(other, strength) or too_warm(other, analysis.temperature):
            continue
        lacking = _lacking(analysis, other)
        said.append(
            f"{other.name} {'lacks ' + ', '.join(lacking[:4]) if lacking else 'has all constituents'}"
        )
    return (
        ", ".join(sorted(said, key=lambda each: " lacks " in each)[:3]) or "no installed database reaches it"
    )


@dataclass(frozen=True)
class Known:
    """A phase in several databases.

    Attributes
    ----------
    asked
        Its name as asked for.
    entries
        Its definition by database.
    excluded
        Databases without it, or with another formula under its name, each with the reason.
    notes
        What to know of its constants at the temperature of the water, by database.
    """

    asked: str
    entries: Mapping[str, Phase]
    excluded: Mapping[str, str]
    notes: Mapping[str, Sequence[str]]


def phase_in(phase: str, databases: Sequence[Database], analysis: Analysis) -> Known:
    """Find a phase in databases by its name, in any case, and with one formula.

    A saturation index belongs to a formula unit: sepiolite is Mg2Si3O7.5OH:3H2O in one database and twice
    that in another, and so is its index. Databases whose formula differs from that of the first are therefore
    excluded. Which reaction and log K stand for the phase does not matter to the index. Other names of the
    same solid ("SiO2(a)", "SiO2(am)") are not equated, because their constants show that they are often not
    the same (``Dolomite`` is ordered in one database and of unstated order in another).

    Raises
    ------
    LabrigError
        ``not_found`` for a phase that none has, ``bad_input`` for one that the water holds no element of.
    """
    entries: dict[str, Phase] = {}
    excluded: dict[str, str] = {}
    for database in databases:
        by_name = {each.name.casefold(): each for each in read(database.path).phases}
        found = by_name.get(phase.casefold())
        if found is None:
            excluded[database.name] = f"has no {phase}"
            continue
        first = next(iter(entries.values()), found)
        absent = sorted(found.elements & {each.partition("(")[0] for each in _lacking(analysis, database)})
        if absent:
            excluded[database.name] = f"lacks {', '.join(absent)}, of which {found.name} is made"
        elif _composition(found) != _composition(first):
            excluded[database.name] = f"has {phase} as {found.formula}, not {first.formula}"
        else:
            entries[database.name] = found
    if not entries:
        raise _no_such_phase(phase, databases)
    first = next(iter(entries.values()))
    if lacking := sorted(first.elements - _elements(analysis) - {"H", "O"}):
        no = ", ".join(
            "carbonate" if element == "C" and "Alkalinity" in analysis.constituents else element
            for element in lacking
        )
        raise LabrigError(
            f"The water has no {no}, of which {first.name} is made",
            where=analysis.sample,
            expected=f"an analysis with {', '.join(sorted(first.elements - {'H', 'O'}))}",
        )
    notes = {name: _doubtful(name, entry, analysis.temperature) for name, entry in entries.items()}
    return Known(phase, entries, excluded, notes)


def _no_such_phase(phase: str, databases: Sequence[Database]) -> LabrigError:
    names = {each.name for database in databases for each in read(database.path).phases}
    error = unknown_name(
        f"phase in {', '.join(each.name for each in databases)}", phase, names, where="phases"
    )
    elsewhere = [
        database.name
        for database in list_databases()
        if database.name not in ADD_ONS
        and any(p.name.casefold() == phase.casefold() for p in read(database.path).phases)
    ]
    if elsewhere:
        error.try_ = f"databases={elsewhere}, which have it, if they have the elements of the water"
    return error


def _composition(phase: Phase) -> dict[str, float | None]:
    """Return the atoms of each element in a formula unit, to three decimals."""
    atoms: dict[str, float | None] = {}
    for element in phase.elements:
        weights = {each: float(each == element) for each in phase.elements}
        count = formula_weight(phase.formula, weights)
        atoms[element] = None if count is None else round(count, 3)
    return atoms


def _elements(analysis: Analysis) -> set[str]:
    return {
        "C" if name == "Alkalinity" else name.partition("(")[0]
        for name, constituent in analysis.constituents.items()
        if constituent.amount != 0
    }


def _doubtful(database: str, entry: Phase, celsius: float) -> list[str]:
    found = []
    if in_range(entry, celsius) is False and entry.temperature_range is not None:
        low, high = entry.temperature_range
        found.append(f"{database} states the log K of {entry.name} for {low:g} to {high:g} degC")
    if not any(entry.analytic) and not entry.delta_h and not entry.added:
        found.append(f"{database} has no enthalpy for {entry.name}: its log K is that of 25 degC")
    return found
