"""What an archived run says of itself (``summary.json`` in its folder), and two runs compared.

Two runs are compared on matched settings: the same tool, engine, options and seed, and only inputs that differ are the
intervention. Where their units pair (the same seasons under the same weather), so do the differences.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.impact.envelope import Common, Metric
from labrig_earth.impact.simulator import Simulation

SUMMARY = "summary.json"
MOST_UNITS = 20_000
SCHEMA = "labrig.earth.run/1"


@dataclass(frozen=True)
class Record:
    """A run as its archive tells it."""

    tool: str
    version: str
    scenario: str
    seed: int
    options: Mapping[str, Any]
    inputs: Mapping[str, Sequence[str]]
    metrics: Mapping[str, Metric]
    units: Sequence[Mapping[str, Any]]


def summary_of(
    tool: str,
    done: Simulation,
    common: Common,
    options: Mapping[str, Any],
    inputs: Mapping[str, Sequence[str]],
) -> bytes:
    """Return the summary of a run as JSON; it names no time and no path, so that the same run gives the same bytes.

    Parameters
    ----------
    inputs
        SHA-256 of the files, by argument.
    """
    said = {
        "schema": SCHEMA,
        "tool": tool,
        "engine": done.version,
        "scenario": {"name": common.scenario_name, "description": common.scenario_description},
        "assumptions": dict(common.assumptions),
        "seed": common.seed,
        "options": dict(options),
        "inputs": {role: list(hashes) for role, hashes in inputs.items()},
        "time": list(done.time),
        "metrics": {name: vars(each) for name, each in done.metrics.items()},
        "derived_metrics": {name: vars(each) for name, each in done.derived.items()},
        "units": list(done.units)[:MOST_UNITS],
        "warnings": list(done.warnings),
    }
    return (json.dumps(said, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def read_summary(content: bytes, where: str) -> Record:
    """Read the summary of a run; ``bad_input`` for a file that is no summary."""
    try:
        said = json.loads(content)
        if said["schema"] != SCHEMA:
            raise ValueError(f"schema {said['schema']}")
        return Record(
            tool=str(said["tool"]),
            version=str(said["engine"]),
            scenario=str(said["scenario"]["name"]),
            seed=int(said["seed"]),
            options=dict(said["options"]),
            inputs={str(role): list(each) for role, each in said["inputs"].items()},
            metrics={
                str(name): Metric(each["value"], str(each["unit"])) for name, each in said["metrics"].items()
            },
            units=[dict(each) for each in said["units"]],
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LabrigError(
            f"This is no run of a simulator: {type(error).__name__}",
            where=where,
            expected="the handle of a run's folder",
        ) from None


@dataclass(frozen=True)
class Difference:
    """A metric in two runs: intervention less baseline."""

    name: str
    unit: str
    baseline: float
    intervention: float
    difference: float
    percent: float | None


@dataclass(frozen=True)
class Paired:
    """The differences of a number over units that both runs have.

    Attributes
    ----------
    mean, standard_error
        Of the differences; the error is None for fewer than two pairs.
    interval
        Of the mean, 95 %, by Student's t; None for fewer than two pairs.
    pairs
        How many units pair.
    """

    name: str
    mean: float
    standard_error: float | None
    interval: tuple[float, float] | None
    pairs: int


@dataclass(frozen=True)
class Comparison:
    """Two runs compared.

    Attributes
    ----------
    changed
        Inputs that differ: the intervention.
    warnings
        What makes the comparison unsure.
    """

    differences: Sequence[Difference]
    paired: Sequence[Paired]
    changed: Sequence[str]
    warnings: Sequence[str]


def compared(baseline: Record, intervention: Record, changed_options: Sequence[str] = ()) -> Comparison:
    """Compare two runs, intervention less baseline.

    Parameters
    ----------
    changed_options
        Options that belong to the intervention; all others must be the same.

    Raises
    ------
    LabrigError
        ``refused`` where they are of two tools or engines, or differ in options or seed: such a difference would be
        taken for that of the intervention.
    """
    _require_options(baseline, intervention, changed_options)
    for what, one, other in (
        ("tools", baseline.tool, intervention.tool),
        ("engines", baseline.version, intervention.version),
        ("options", _others(baseline, changed_options), _others(intervention, changed_options)),
        ("seeds", baseline.seed, intervention.seed),
    ):
        if one != other:
            raise LabrigError(
                f"The runs have two {what}: {one} and {other}",
                where="baseline, intervention",
                expected="runs that differ in their input files alone",
                try_="run one of them again with the settings of the other"
                + ("; or name what is meant to differ in changed_options" if what == "options" else ""),
                code="refused",
            )
    roles = sorted({*baseline.inputs, *intervention.inputs})
    changed = [role for role in roles if baseline.inputs.get(role) != intervention.inputs.get(role)]
    changed += [
        name for name in changed_options if baseline.options.get(name) != intervention.options.get(name)
    ]
    warnings = [] if changed else ["both runs have the same inputs: no intervention is seen"]
    if len(changed) > 1:
        warnings.append(f"{len(changed)} inputs differ: their effects cannot be told apart")
    differences = []
    for name, metric in baseline.metrics.items():
        match = intervention.metrics.get(name)
        if match is not None and metric.value is not None and match.value is not None:
            change = float(match.value) - float(metric.value)
            percent = 100 * change / abs(metric.value) if metric.value else None
            differences.append(
                Difference(name, metric.unit, float(metric.value), float(match.value), change, percent)
            )
    return Comparison(differences, _paired(baseline, intervention, warnings), changed, warnings)


def _paired(baseline: Record, intervention: Record, warnings: list[str]) -> list[Paired]:
    first = {str(each.get("unit")): each for each in baseline.units}
    second = {str(each.get("unit")): each for each in intervention.units}
    both = [name for name in first if name in second]
    if not both:
        warnings.append("no unit of one run is in the other: only totals are compared")
        return []
    if len(both) < max(len(first), len(second)):
        warnings.append(f"{len(both)} of {len(first)} and {len(second)} units pair")
    found = []
    for name, value in first[both[0]].items():
        if name not in baseline.metrics or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        changes = [
            float(second[unit][name]) - float(first[unit][name])
            for unit in both
            if isinstance(first[unit].get(name), (int, float))
            and isinstance(second[unit].get(name), (int, float))
        ]
        if not changes:
            continue
        found.append(paired(name, changes))
    return found


def paired(name: str, changes: Sequence[float]) -> Paired:
    """Return the mean of differences with its standard error and its interval (Student's t, 95 %)."""
    mean = math.fsum(changes) / len(changes)
    if len(changes) < 2:
        return Paired(name, mean, None, None, len(changes))
    from scipy.special import stdtrit

    spread = math.fsum((each - mean) ** 2 for each in changes) / (len(changes) - 1)
    error = math.sqrt(spread / len(changes))
    reach = float(stdtrit(len(changes) - 1, 0.975)) * error
    return Paired(name, mean, error, (mean - reach, mean + reach), len(changes))


def over_pairs(comparisons: Sequence[Comparison]) -> list[Paired]:
    """Return the differences of each metric over pairs of runs, such as those of members of an ensemble."""
    changes: dict[str, list[float]] = {}
    for each in comparisons:
        for difference in each.differences:
            changes.setdefault(difference.name, []).append(difference.difference)
    return [paired(name, values) for name, values in changes.items()]


def require_one_kind(records: Sequence[Record]) -> None:
    """Raise ``refused`` where pairs are of several tools or engines: their differences are no sample of one thing."""
    for what, kinds in (
        ("tools", sorted({each.tool for each in records})),
        ("engines", sorted({each.version for each in records})),
    ):
        if len(kinds) > 1:
            raise LabrigError(
                f"The pairs have {len(kinds)} {what}: {', '.join(kinds)}",
                where="baseline, intervention",
                expected="pairs of one simulator",
                code="refused",
            )


def _others(record: Record, changed_options: Sequence[str]) -> dict[str, Any]:
    return {
        name: value
        for name, value in record.options.items()
        if name not in changed_options and value is not None
    }


def _require_options(baseline: Record, intervention: Record, changed_options: Sequence[str]) -> None:
    for name in changed_options:
        if name not in baseline.options and name not in intervention.options:
            raise unknown_name(
                "option of the runs",
                name,
                (*baseline.options, *intervention.options),
                where="changed_options",
            )
