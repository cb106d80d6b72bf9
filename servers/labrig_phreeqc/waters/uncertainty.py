"""Saturation index with uncertainty: a Monte Carlo over analytical errors, through several databases.

What is computed
----------------
`members` times, a water is drawn from the error model (`errors`), and each of these waters is speciated with
every database (`compatible`): a crossed design, so that databases are compared on the same waters; a database that
lacks minor constituents is given the same waters without them, if the index hardly depends on them. A member
is one draw in one database; the pool has members x databases saturation indices, each database with the same
weight. Median, interval and share above zero are those of the pool.

The draws stand in pairs (A, B). For up to `PAIRS` pairs two more waters are speciated, with the temperature
exchanged within the pair, and from these four the variance is divided among analysis, database and
temperature (`spread.decompose`).

What it means
-------------
The interval says where the saturation index lies if the stated errors are right and one of these databases,
nobody knows which, is. It does not hold the uncertainty of the constants within a database, and the databases
are not all there could be. The share above zero is that of members; it is not a probability that the mineral
forms.

Determinism
-----------
Draws come from NumPy's PCG64 with the seed, and the waters of a run and their order depend on nothing but the
arguments. How many runs go at a time changes no number.
"""

from __future__ import annotations

import asyncio
import csv
import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.database.catalogue import read
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.definitions import has_volumes
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.waters import compatible, spread
from labrig_phreeqc.waters.analysis import HOT, LABORATORY, Analysis, cooled_for_analysis
from labrig_phreeqc.waters.causes import WORDS, Causes, difference, divide, probe
from labrig_phreeqc.waters.errors import (
    ASSUMED_PE,
    ErrorModel,
    Floats,
    Input,
    deviates,
    inputs,
    values_at,
    water,
)
from labrig_phreeqc.waters.speciation import WATERS_A_RUN, Speciation, divided_by_pe, speciate
from labrig_phreeqc.waters.spread import Shares

MIN_MEMBERS, MAX_MEMBERS = 50, 20_000
MAX_PHASES = 20
PAIRS = 250
"""Pairs of draws for the variance by source at most; the standard error of a share is then at most about 0.03."""

MIN_PAIRS = 10
LINEAR = 0.9
"""R^2 below which the division by input is called rough."""

DISAGREEMENT = 0.5
"""Difference of saturation indices of one water between databases from which it is pointed out."""

MOVED = 0.02
"""Change of a saturation index by constituents that a database lacks, from which it is not used."""

PICTURE_VALUES = 5000
DRAWN_SHARE = 0.02
"""Share of the variance from which an input has a bar of its own."""
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


@dataclass(frozen=True, eq=False)
class Estimate:
    """The saturation index of one phase, with its uncertainty.

    Attributes
    ----------
    sample, phase
        The water; the phase as the first database writes it.
    median, interval, level
        Of the pool; the interval is the central one with this probability.
    mean, sd
        Of the pool; variance within the databases plus variance between their means.
    share_above_zero, share_interval
        Share of the pool with a positive index, and the Wilson interval of its sampling error at `level`.
    nominal
        The index of the analysis as it stands, by database.
    medians
        By database.
    shares
        Of the variance, by source; None where nothing is uncertain.
    by_input
        The share of the analysis divided among its inputs (constituents, pH, pe), in proportion to their
        squared standardised coefficients in a linear regression: what to measure better first. They sum to
        `shares.analysis`. Empty where that is 0 or where there are too few members for a regression.
    linearity
        R^2 of that regression; near 1 the division is safe. None where there was none.
    used, failed
        Members by database that have an index, and that have none.
    failures
        The first reason, by database with failures.
    by_cause
        The share of the database divided among what differs between databases (`causes.divide`), for the analysis as
        it stands: redox partition, complexes, activity model, log K. They sum to `shares.database`, and one may be
        negative. Empty with one database, or where a database lacks a species of the reaction.
    excluded
        Databases that were not used, with the reason.
    charge_error
        Percent, with the first database: of the analysis as it stands, and the limits of the central `level`
        of the members.
    members, seed
        As asked for.
    errors
        The error model in effect, in words by input.
    notes
        What else to know.
    values
        The index of every member by database; nan where it failed.
    draws
        The waters.
    source
        Engine, databases, members and seed in one line.
    refused
        Other phases of the same call that have no index for this water, with the reason.
    """

    sample: str
    phase: str
    median: float
    interval: tuple[float, float]
    level: float
    mean: float
    sd: float
    share_above_zero: float
    share_interval: tuple[float, float]
    nominal: Mapping[str, float]
    medians: Mapping[str, float]
    shares: Shares | None
    by_input: Mapping[str, float]
    linearity: float | None
    by_cause: Mapping[str, float]
    used: Mapping[str, int]
    failed: Mapping[str, int]
    failures: Mapping[str, str]
    excluded: Mapping[str, str]
    charge_error: tuple[float, tuple[float, float]]
    members: int
    seed: int
    errors: Mapping[str, str]
    notes: tuple[str, ...]
    values: Mapping[str, Floats]
    draws: Draws
    source: str
    refused: Mapping[str, str] = field(default_factory=dict)


async def estimate_saturation(
    analysis: Analysis,
    phases: Sequence[str],
    *,
    errors: ErrorModel,
    databases: Sequence[str] | None = None,
    members: int = 1000,
    seed: int,
    level: float = 0.95,
    engine: Engine,
    limits: Limits | None = None,
) -> list[Estimate]:
    """Estimate saturation indices of a water with their uncertainty.

    Parameters
    ----------
    analysis
        The water, with a measured pH.
    phases
        Minerals and gases, 1 to 20.
    errors
        Standard deviations of what was measured.
    databases
        Names, 1 to 10; by default every installed one of `compatible.INDEPENDENT` that can take the water.
    members
        Draws of the water, 50 to 20,000, each speciated with every database.
    seed
        Of the draws; the same seed gives the same numbers.
    level
        Of the interval, 0.5 to 0.999, with at least one member beyond each end.
    limits
        Of each run of the engine, for 100 waters.

    Returns
    -------
    list of Estimate
        One a phase, in the order asked for; phases that the water cannot form are left to `Estimate.refused`.

    Raises
    ------
    LabrigError
        ``bad_input`` for arguments out of range or a water that cannot be drawn from; ``not_found`` for a
        phase or a database that does not exist; ``engine`` where no database solves the water; where no phase at all
        can be given, the reason for the first; and what
        `speciate` raises.
    """
    _check(phases, members, seed, level)
    inputs(analysis, errors)  # refuses a water that cannot be drawn from
    choice = compatible.choose(analysis, databases)
    refused: dict[str, LabrigError] = {}
    known: dict[str, compatible.Known] = {}
    for phase in phases:
        try:
            known[phase] = compatible.phase_in(phase, choice.databases, analysis)
        except LabrigError as error:
            _set_aside(phase, error, refused)
    names = [each.name for each in choice.databases]
    asked = {name: [p for p in known if name in known[p].entries] for name in names}
    nominal = await _solve([analysis], asked, engine, limits)
    moved = await _moved(analysis, choice, known, nominal, engine, limits)
    screened: dict[str, _Screened] = {}
    for phase, known_phase in known.items():
        try:
            screened[phase] = _screen(
                analysis, known_phase, choice, nominal, moved.get(phase, {}), lenient=databases is not None
            )
        except LabrigError as error:
            _set_aside(phase, error, refused)
    if not screened:
        raise next(iter(refused.values()))
    said = {phase: _words(error) for phase, error in refused.items()}
    divided = {p: _hangs_on_pe(analysis, p, each.nominal) for p, each in screened.items()}
    measured = inputs(analysis, errors, hangs_on_pe=any(divided.values()))
    if analysis.pe is None:
        for phase, names_divided in divided.items():
            if names_divided:
                screened[phase].notes.append(_of_pe(names_divided, errors))
    parts = await _causes(analysis, screened, known, engine, limits)
    design = _design(analysis, measured, members, seed)
    asked = {name: [p for p, each in screened.items() if name in each.nominal] for name in names}
    solved = await _solve(design.waters, asked, engine, limits)
    library = engine.library
    about = f"PHREEQC {library.distribution} (sha256 {library.sha256[:12]})"
    return [
        replace(
            _estimate(phase, screened_phase, choice, design, nominal, parts[phase], solved, level, about),
            refused=said,
        )
        for phase, screened_phase in screened.items()
    ]


def _set_aside(phase: str, error: LabrigError, refused: dict[str, LabrigError]) -> None:
    """Keep what is wrong with one phase of several; a phase that does not exist is a mistake in the call."""
    if error.code == "not_found":
        raise error
    refused[phase] = error


def _words(error: LabrigError) -> str:
    return error.what if error.code == "bad_input" else f"{error.what}: {error.where}"


async def _moved(
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
    whole = next((each.name for each in choice.databases if each.name not in choice.left_out), None)
    for name, lacking in choice.left_out.items() if whole else ():
        kept = {key: each for key, each in analysis.constituents.items() if key not in lacking}
        phases = [p for p, each in known.items() if whole in each.entries and name in each.entries]
        asked = {str(whole): phases}
        without = (await _solve([replace(analysis, constituents=kept)], asked, engine, limits)).get(
            str(whole)
        )
        for phase in phases:
            before, after = (
                nominal[str(whole)][0].SI.get(phase),
                without[0].SI.get(phase) if without else None,
            )
            if before is not None and after is not None and abs(after - before) > MOVED:
                words = f"lacks {', '.join(lacking)}, without which the index moves by {after - before:+.2f} in {whole}"
                found.setdefault(phase, {})[name] = words
    return found


def _check(phases: Sequence[str], members: int, seed: int, level: float) -> None:
    folded = [phase.casefold() for phase in phases]
    if not 1 <= len(phases) <= MAX_PHASES or len(set(folded)) < len(folded):
        raise LabrigError(
            f"{len(phases)} phases, {len(set(folded))} of them different",
            where="phases",
            expected=f"1 to {MAX_PHASES} different phases",
        )
    if not MIN_MEMBERS <= members <= MAX_MEMBERS:
        raise LabrigError(
            f"{members} members", where="members", expected=f"{MIN_MEMBERS} to {MAX_MEMBERS} draws"
        )
    if seed < 0:
        raise LabrigError(f"The seed is {seed}", where="seed", expected="a whole number from 0")
    if not 0.5 <= level <= 0.999:
        raise LabrigError(f"The level is {level}", where="level", expected="0.5 to 0.999, such as 0.95")
    if (needed := math.ceil(round(2 / (1 - level), 9)) - 1) > members:
        raise LabrigError(
            f"{members} members do not reach the ends of a {level:.3g} interval",
            where="members, level",
            expected=f"at least {needed} members for this level",
        )


@dataclass(frozen=True)
class _Screened:
    """A phase in the databases that can give its index for this water, which `nominal` has."""

    name: str
    nominal: Mapping[str, float]
    excluded: Mapping[str, str]
    notes: list[str]


def _screen(
    analysis: Analysis,
    known: compatible.Known,
    choice: compatible.Choice,
    nominal: Mapping[str, Sequence[Speciation]],
    moved: Mapping[str, str],
    *,
    lenient: bool,
) -> _Screened:
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
    if cooled_for_analysis(analysis) and any(has_volumes(find_database(name).path) for name in found):
        notes.append(
            f"amounts are taken per litre at {LABORATORY:g} degC, where laboratories measure: the water is above "
            f"{HOT:g} degC and has no density"
        )
    charge = nominal[next(iter(found))][0].charge_error
    if charge is not None and abs(charge) > CHARGE_ERROR_PERCENT:
        notes.append(
            f"the analysis has a charge error of {charge:.1f} % (above {CHARGE_ERROR_PERCENT:g} %): something in it "
            "may be wrong by more than the errors stated"
        )
    if analysis.density is not None:
        notes.append("the density is taken as measured, without error")
    return _Screened(phase, found, excluded, notes)


def _of_pe(divided: Sequence[str], errors: ErrorModel) -> str:
    drawn = f"with a standard deviation of {errors.assumed_pe:g}" if errors.assumed_pe else "without error"
    return (
        f"pe was not measured: PHREEQC takes {ASSUMED_PE:g} for {', '.join(divided)}, here {drawn}; a measured pe "
        "or Eh, or amounts by redox state, would tell"
    )


async def _causes(
    analysis: Analysis,
    screened: Mapping[str, _Screened],
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
    found: dict[str, dict[str, Causes]] = {phase: {} for phase in screened}
    for name, phases in asked.items():
        database = find_database(name)
        (solved,) = await speciate(
            [compatible.fitted(analysis, database)],
            phases,
            engine=engine,
            database=name,
            expressions=list(dict.fromkeys(each for phase in phases for each in probes[phase].expressions())),
            limits=limits,
            queue_s=_QUEUE_S,
        )
        for phase in phases:
            index = solved.SI.get(phase)
            if index is not None and (parts := probes[phase].parts(index, solved.told)):
                found[phase][name] = parts
    return {phase: each if len(each) == len(screened[phase].nominal) else {} for phase, each in found.items()}


def _hangs_on_pe(analysis: Analysis, phase: str, databases: Iterable[str]) -> list[str]:
    """Return what pe decides in some of the databases: constituents without a redox state, and O2(g), H2(g)."""
    catalogues = [read(find_database(name).path) for name in databases]
    names = {each for one in catalogues for each in divided_by_pe(analysis.constituents, one)}
    return sorted(names | ({phase} if phase in ("O2(g)", "H2(g)") else set()))


@dataclass(frozen=True)
class _Design:
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


def _design(analysis: Analysis, measured: tuple[Input, ...], members: int, seed: int) -> _Design:
    z = deviates(members, len(measured), seed)
    draws = Draws(measured, z, values_at(measured, z))
    pairs = min(members // 2, PAIRS)
    temperature, *others = (each.distribution != "fixed" for each in measured)
    rows = [draws.values]
    if exchanged := temperature and any(others):
        a, b = draws.values[0 : 2 * pairs : 2], draws.values[1 : 2 * pairs : 2]
        rows += [np.column_stack([b[:, :1], a[:, 1:]]), np.column_stack([a[:, :1], b[:, 1:]])]
    waters = [water(analysis, measured, row) for row in np.concatenate(rows)]
    return _Design(analysis, draws, seed, waters, pairs, exchanged)


async def _solve(
    waters: Sequence[Analysis],
    asked: Mapping[str, Sequence[str]],
    engine: Engine,
    limits: Limits | None,
) -> dict[str, list[Speciation]]:
    """Speciate waters with databases, each for its phases; few runs wait at a time, so that the queue never fills."""
    places = asyncio.Semaphore(2 * (os.cpu_count() or 1))

    async def solve(name: str, phases: Sequence[str], start: int) -> list[Speciation]:
        async with places:
            database = find_database(name)
            part = [compatible.fitted(each, database) for each in waters[start : start + WATERS_A_RUN]]
            return await speciate(part, phases, engine=engine, database=name, limits=limits, queue_s=_QUEUE_S)

    tasks: dict[str, list[asyncio.Task[list[Speciation]]]] = {}
    try:
        async with asyncio.TaskGroup() as group:
            for name, phases in asked.items():
                starts = range(0, len(waters), WATERS_A_RUN) if phases else ()
                tasks[name] = [group.create_task(solve(name, phases, start)) for start in starts]
    except BaseExceptionGroup as several:
        raise _single(several) from None
    return {name: [each for task in own for each in task.result()] for name, own in tasks.items() if own}


def _single(error: BaseException) -> BaseException:
    """Return the first error in a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _estimate(
    phase: str,
    screened: _Screened,
    choice: compatible.Choice,
    design: _Design,
    nominal: Mapping[str, Sequence[Speciation]],
    parts: Mapping[str, Causes],
    solved: Mapping[str, Sequence[Speciation]],
    level: float,
    about: str,
) -> Estimate:
    """Put the values of one phase together."""
    members = len(design.draws.z)
    excluded, notes = dict(screened.excluded), list(screened.notes)
    every: dict[str, Floats] = {}
    failed: dict[str, int] = {}
    failures: dict[str, str] = {}
    for name in screened.nominal:
        whole = np.array([_value(each, phase) for each in solved[name]])
        failed[name] = int(np.isnan(whole[:members]).sum())
        if failed[name]:
            worst = next(each for each in solved[name] if np.isnan(_value(each, phase)))
            failures[name] = worst.failure or f"{screened.name} cannot form from what is dissolved"
        if failed[name] > members / 2:
            excluded[name] = f"fails for {failed[name]} of {members} members: {failures[name]}"
        else:
            every[name] = whole
    if not every:
        raise LabrigError(
            f"No database solves half of the members for {screened.name}",
            where="; ".join(f"{name} {excluded[name]}" for name in screened.nominal),
            try_="smaller errors, or a water that PHREEQC solves without difficulty",
            code="engine",
        )
    for name in every:
        if failed[name]:
            notes.append(f"{name}: {failed[name]} of {members} members failed, and the others stand for it")
    values = {name: each[:members] for name, each in every.items()}
    pool = [each[~np.isnan(each)] for each in values.values()]
    mean, sd = spread.pooled_mean_sd(pool)
    share, share_interval = spread.share_above(pool, level)
    tails = ((1 - level) / 2, (1 + level) / 2)
    low, high = (spread.pooled_quantile(pool, each) for each in tails)
    corners = np.array([design.corners(each) for each in every.values()])
    shares, by_input, linearity = _sources(corners, values, design.draws, notes)
    first = next(iter(every))
    charges = np.array([_charge_error(each) for each in solved[first][:members]])
    charges = charges[~np.isnan(charges)]
    indices = {name: screened.nominal[name] for name in every}
    notes += _disagreement(indices, parts, screened.name)
    causes = divide([parts[name] for name in every if name in parts])
    if len(every) == 1 and shares is not None:
        notes.append(f"the share of the database cannot be estimated with one database, {first}")
    used = [each for each in choice.databases if each.name in every]
    named = ", ".join(" ".join(filter(None, (each.name, each.official))) for each in used)
    return Estimate(
        sample=design.analysis.sample,
        phase=screened.name,
        median=spread.pooled_quantile(pool, 0.5),
        interval=(low, high),
        level=level,
        mean=mean,
        sd=sd,
        share_above_zero=share,
        share_interval=share_interval,
        nominal=indices,
        medians={name: float(np.nanmedian(each)) for name, each in values.items()},
        shares=shares,
        by_input=by_input,
        linearity=linearity,
        by_cause={name: each * shares.database for name, each in causes.items()} if shares else {},
        used={name: members - failed[name] for name in every},
        failed=failed,
        failures=failures,
        excluded=excluded,
        charge_error=(
            _charge_error(nominal[first][0]),
            (spread.pooled_quantile([charges], tails[0]), spread.pooled_quantile([charges], tails[1])),
        ),
        members=members,
        seed=design.seed,
        errors={each.name: str(each) for each in design.draws.inputs},
        notes=tuple(notes),
        values=values,
        draws=design.draws,
        source=f"{about}; {named}; {members} members a database, PCG64 seed {design.seed}",
    )


def _value(solved: Speciation, phase: str) -> float:
    index = solved.SI.get(phase)
    return math.nan if index is None else index


def _charge_error(solved: Speciation) -> float:
    return math.nan if solved.charge_error is None else solved.charge_error


def _sources(
    corners: Floats, values: Mapping[str, Floats], draws: Draws, notes: list[str]
) -> tuple[Shares | None, dict[str, float], float | None]:
    """Divide the variance by source, and the share of the analysis by input; say in `notes` what to know of it."""
    complete = corners[:, ~np.isnan(corners).any(axis=(0, 2))]
    if complete.shape[1] < MIN_PAIRS:
        notes.append(f"only {complete.shape[1]} pairs of draws were solved: no variance by source")
        return None, {}, None
    shares = spread.decompose(complete)
    if shares is None:
        notes.append("all members agree: there is no variance to divide")
        return None, {}, None
    if shares.clipped:
        notes.append(
            f"the share of {' and '.join(shares.clipped)} was estimated below 0, by sampling error, and is taken as 0"
        )
    varied = [column for column, each in enumerate(draws.inputs) if each.distribution != "fixed"]
    solved = {name: ~np.isnan(each) for name, each in values.items()}
    enough = min(int(each.sum()) for each in solved.values()) >= 2 * (len(varied) + 1)
    if not shares.analysis or not enough:
        if not enough:
            notes.append(
                "too few members for a regression: the share of the analysis is not divided by input"
            )
        return shares, {}, None
    regressors = np.column_stack([draws.inputs[column].regressor(draws.z[:, column]) for column in varied])
    variances, linearity = spread.linear_effects(
        [each[solved[name]] for name, each in values.items()], [regressors[each] for each in solved.values()]
    )
    own = {
        draws.inputs[column].name: float(variance)
        for column, variance in zip(varied, variances, strict=True)
        if column > 0  # the first is the temperature
    }
    total = sum(own.values())
    if linearity < LINEAR:
        notes.append(
            f"the index is not linear in the errors (R^2 {linearity:.2f}): the division by input is rough"
        )
    by_input = {name: shares.analysis * variance / total for name, variance in own.items()} if total else {}
    return shares, dict(sorted(by_input.items(), key=lambda item: -item[1])), linearity


def _disagreement(nominal: Mapping[str, float], parts: Mapping[str, Causes], phase: str) -> list[str]:
    """Say how far apart databases are, and what of it the redox partition, complexes, activity model and log K make."""
    least, most = min(nominal, key=nominal.__getitem__), max(nominal, key=nominal.__getitem__)
    if nominal[most] - nominal[least] < DISAGREEMENT:
        return []
    said = f"{least} and {most} differ by {nominal[most] - nominal[least]:.2f}"
    if least not in parts or most not in parts:
        return [f"{said} in the index of {phase}"]
    added = difference(parts[least], parts[most])
    of = ", ".join(f"{name} {each:+.2f}" for name, each in added.items() if abs(each) >= 0.005)
    hints = [hint for name, hint in _HINTS.items() if added[name] >= DISAGREEMENT / 2]
    return ["; ".join([f"{said}: {of}", *(hint.format(phase=phase) for hint in hints)])]


_HINTS = {
    WORDS[
        "redox"
    ]: "they divide an element among its redox states otherwise: amounts by redox state would end that",
    WORDS[
        "log_k"
    ]: "{phase} may be another solid in one of them (order, crystallinity), or its constant disputed",
}


def sources(estimate: Estimate) -> dict[str, float]:
    """Return the shares of the variance by source; that of the database only where there are several."""
    shares = estimate.shares.by_source() if estimate.shares else {}
    return {name: each for name, each in shares.items() if name != "database" or len(estimate.used) > 1}


def picture_data(estimate: Estimate) -> dict[str, Any]:
    """Return what a picture of an estimate needs, as plain data.

    Members that failed are left out. Above `PICTURE_VALUES` values, every n-th member is kept, the same of
    each database. ``shares`` has the analysis divided among its inputs where a regression could, those below
    `DRAWN_SHARE` together, and is empty where there is no variance to divide.
    """
    total = sum(each.size for each in estimate.values.values())
    step = -(-total // PICTURE_VALUES)
    return {
        "title": estimate.sample,
        "phase": estimate.phase,
        "members": {
            name: [float(value) for value in values[::step] if not math.isnan(value)]
            for name, values in estimate.values.items()
        },
        "median": estimate.median,
        "interval": list(estimate.interval),
        "level": estimate.level,
        "share_above_zero": estimate.share_above_zero,
        "shares": _named_shares(estimate),
        "nominal": dict(estimate.nominal),
        "source": estimate.source,
    }


def _named_shares(estimate: Estimate) -> dict[str, float]:
    if estimate.shares is None:
        return {}
    shares = sources(estimate)
    drawn = {name: share for name, share in estimate.by_input.items() if share >= DRAWN_SHARE}
    if not drawn:
        return shares
    others = shares.pop("analysis") - sum(drawn.values())
    inputs = {f"analysis: {name}": share for name, share in sorted(drawn.items(), key=lambda each: -each[1])}
    return {**inputs, "analysis: others": max(others, 0.0), **shares}


def members_csv(estimates: Sequence[Estimate]) -> str:
    """Return every member of the estimates of one call: database, number, the drawn water, and the index of each phase.

    An index is empty where the member failed or the database was not used for the phase.
    """
    draws = estimates[0].draws
    names = list(dict.fromkeys(name for each in estimates for name in each.values))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    units = [f" [{each.unit}]" if each.unit != "1" else "" for each in draws.inputs]
    inputs = [each.name + unit for each, unit in zip(draws.inputs, units, strict=True)]
    rows.writerow(["database", "member", *inputs, *(f"SI({each.phase})" for each in estimates)])
    for name in names:
        columns = [each.values.get(name) for each in estimates]
        for number, drawn in enumerate(draws.values.tolist()):
            indices = [math.nan if column is None else float(column[number]) for column in columns]
            rows.writerow([name, number + 1, *drawn, *("" if math.isnan(each) else each for each in indices)])
    return text.getvalue()
