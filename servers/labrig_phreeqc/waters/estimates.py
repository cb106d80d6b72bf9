"""What an estimate of a saturation index gives: its numbers, the data of its picture, and its members as CSV."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labrig.tables.writing import csv_text
from labrig_phreeqc.waters.errors import Floats
from labrig_phreeqc.waters.members import Draws
from labrig_phreeqc.waters.spread import Shares

PICTURE_VALUES = 5000
DRAWN_SHARE = 0.02
"""Share of the variance from which an input has a bar of its own."""


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
    source: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)


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
    units = [f" [{each.unit}]" if each.unit != "1" else "" for each in draws.inputs]
    inputs = [each.name + unit for each, unit in zip(draws.inputs, units, strict=True)]
    rows = []
    for name in names:
        columns = [each.values.get(name) for each in estimates]
        for number, drawn in enumerate(draws.values.tolist()):
            indices = [math.nan if column is None else float(column[number]) for column in columns]
            rows.append((name, number + 1, *drawn, *("" if math.isnan(each) else each for each in indices)))
    return csv_text(("database", "member", *inputs, *(f"SI({each.phase})" for each in estimates)), rows)
