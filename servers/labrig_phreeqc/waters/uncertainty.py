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

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from labrig.errors import LabrigError
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.waters import compatible, nominal, spread
from labrig_phreeqc.waters.analysis import Analysis
from labrig_phreeqc.waters.causes import Causes, disagreement, divide
from labrig_phreeqc.waters.errors import ErrorModel, Floats, inputs
from labrig_phreeqc.waters.estimates import Estimate
from labrig_phreeqc.waters.members import Draws, Members, draw_members, solve
from labrig_phreeqc.waters.speciation import Speciation
from labrig_phreeqc.waters.spread import Shares

MIN_MEMBERS, MAX_MEMBERS = 50, 20_000
MAX_PHASES = 20
MIN_PAIRS = 10
LINEAR = 0.9
"""R^2 below which the division by input is called rough."""

_Found = TypeVar("_Found")


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
    names = [each.name for each in choice.databases]
    refused: dict[str, LabrigError] = {}
    known = _of_each(phases, lambda p: compatible.phase_in(p, choice.databases, analysis), refused)
    asked = {name: [p for p in known if name in known[p].entries] for name in names}
    stands = await solve([analysis], asked, engine, limits)
    moved = await nominal.moved_without(analysis, choice, known, stands, engine, limits)
    lenient = databases is not None
    screened = _of_each(
        known,
        lambda p: nominal.screen(analysis, known[p], choice, stands, moved.get(p, {}), lenient=lenient),
        refused,
    )
    if not screened:
        raise next(iter(refused.values()))
    divided = {p: nominal.hangs_on_pe(analysis, p, each.nominal) for p, each in screened.items()}
    measured = inputs(analysis, errors, hangs_on_pe=any(divided.values()))
    for phase, each in screened.items():
        if analysis.pe is None and divided[phase]:
            each.notes.append(nominal.of_pe(divided[phase], errors))
    parts = await nominal.in_parts(analysis, screened, known, engine, limits)
    drawn = draw_members(analysis, measured, members, seed)
    asked = {name: [p for p, each in screened.items() if name in each.nominal] for name in names}
    solved = await solve(drawn.waters, asked, engine, limits)
    said = {
        phase: error.what if error.code == "bad_input" else f"{error.what}: {error.where}"
        for phase, error in refused.items()
    }
    estimates = [
        _estimate(phase, each, drawn, stands, parts[phase], solved, level) for phase, each in screened.items()
    ]
    return [replace(each, source=_source(each, engine, choice), refused=said) for each in estimates]


def _of_each(
    phases: Iterable[str], ask: Callable[[str], _Found], refused: dict[str, LabrigError]
) -> dict[str, _Found]:
    """Return what is found of each phase, and keep what is wrong with others; one that does not exist ends the call."""
    found = {}
    for phase in phases:
        try:
            found[phase] = ask(phase)
        except LabrigError as error:
            if error.code == "not_found":
                raise
            refused[phase] = error
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
class _Indices:
    """The index of every water by database, of those that solve half of the members, and what became of the others."""

    by_database: dict[str, Floats]
    failed: dict[str, int]
    failures: dict[str, str]
    excluded: dict[str, str]


def _indices(
    phase: str, screened: nominal.Screened, members: int, solved: Mapping[str, Sequence[Speciation]]
) -> _Indices:
    found = _Indices({}, {}, {}, dict(screened.excluded))
    for name in screened.nominal:
        indices = np.array([_or_nan(each.SI.get(phase)) for each in solved[name]])
        failed = found.failed[name] = int(np.isnan(indices[:members]).sum())
        if failed:
            worst = next(each for each in solved[name] if each.SI.get(phase) is None)
            why = worst.failure or f"{screened.name} cannot form from what is dissolved"
            found.failures[name] = why
        if failed > members / 2:
            found.excluded[name] = f"fails for {failed} of {members} members: {why}"
        else:
            found.by_database[name] = indices
    if not found.by_database:
        raise LabrigError(
            f"No database solves half of the members for {screened.name}",
            where="; ".join(f"{name} {found.excluded[name]}" for name in screened.nominal),
            try_="smaller errors, or a water that PHREEQC solves without difficulty",
            code="engine",
        )
    return found


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _estimate(
    phase: str,
    screened: nominal.Screened,
    drawn: Members,
    stands: Mapping[str, Sequence[Speciation]],
    parts: Mapping[str, Causes],
    solved: Mapping[str, Sequence[Speciation]],
    level: float,
) -> Estimate:
    """Put the values of one phase together."""
    members = len(drawn.draws.z)
    indices = _indices(phase, screened, members, solved)
    values = {name: each[:members] for name, each in indices.by_database.items()}
    notes = list(screened.notes)
    for name in values:
        if failed := indices.failed[name]:
            notes.append(f"{name}: {failed} of {members} members failed, and the others stand for it")
    pool = [each[~np.isnan(each)] for each in values.values()]
    mean, sd = spread.pooled_mean_sd(pool)
    share, share_interval = spread.share_above(pool, level)
    corners = np.array([drawn.corners(each) for each in indices.by_database.values()])
    shares, by_input, linearity = _sources(corners, values, drawn.draws, notes)
    as_measured = {name: screened.nominal[name] for name in values}
    notes += disagreement(as_measured, parts, screened.name)
    causes = divide([parts[name] for name in values if name in parts])
    first = next(iter(values))
    if len(values) == 1 and shares is not None:
        notes.append(f"the share of the database cannot be estimated with one database, {first}")
    charges = np.array([_or_nan(each.charge_error) for each in solved[first][:members]])
    return Estimate(
        sample=drawn.analysis.sample,
        phase=screened.name,
        median=spread.pooled_quantile(pool, 0.5),
        interval=spread.pooled_interval(pool, level),
        level=level,
        mean=mean,
        sd=sd,
        share_above_zero=share,
        share_interval=share_interval,
        nominal=as_measured,
        medians={name: float(np.nanmedian(each)) for name, each in values.items()},
        shares=shares,
        by_input=by_input,
        linearity=linearity,
        by_cause={name: each * shares.database for name, each in causes.items()} if shares else {},
        used={name: members - indices.failed[name] for name in values},
        failed=indices.failed,
        failures=indices.failures,
        excluded=indices.excluded,
        charge_error=(
            _or_nan(stands[first][0].charge_error),
            spread.pooled_interval([charges[~np.isnan(charges)]], level),
        ),
        members=members,
        seed=drawn.seed,
        errors={each.name: str(each) for each in drawn.draws.inputs},
        notes=tuple(notes),
        values=values,
        draws=drawn.draws,
    )


def _source(estimate: Estimate, engine: Engine, choice: compatible.Choice) -> str:
    """Return engine, databases, members and seed in one line."""
    used = [each for each in choice.databases if each.name in estimate.used]
    named = ", ".join(" ".join(filter(None, (each.name, each.official))) for each in used)
    return (
        f"PHREEQC {engine.library.distribution} (sha256 {engine.library.sha256[:12]}); {named}; "
        f"{estimate.members} members a database, PCG64 seed {estimate.seed}"
    )


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
