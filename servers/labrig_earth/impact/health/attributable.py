"""The tool ``impact_health_erf``: exposure, people and a response function become attributable cases."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.health.burden import MOST_RATE
from labrig_earth.impact.health.spec import FIELDS
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator

ERF = Engine("erf", "The exposure response", "labrig_earth.impact.health.erf_engine")

ROLES: Mapping[str, str] = {
    "exposure": "exposure_series_path",
    "population": "population_exposed_path",
    "spec": "erf_spec_path",
}


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run an exposure response on the files of a call.

    Raises
    ------
    LabrigError
        What `spec.read_spec`, `burden` and `response` refuse; a baseline rate that is not given.
    """
    arguments = {
        **arguments_of(given),
        "names": {role: given.one(argument).name for role, argument in ROLES.items()},
    }
    inputs = {
        f"{role}.{'json' if role == 'spec' else 'csv'}": given.one(argument).content
        for role, argument in ROLES.items()
    }
    async with how.engines.run(ERF, arguments, inputs, allowed=how.allowed, seed=how.seed) as run:
        totals, outcome = run.result["totals"], run.result["outcome"]
        level = round(100 * run.result["level"], 1)
        metrics = {
            "attributable_fraction": Metric(totals["attributable_fraction"], "ratio"),
            "attributable_cases": Metric(totals["attributable_cases"], "cases"),
            "baseline_cases": Metric(totals["baseline_cases"], "cases"),
        }
        derived = {
            "attributable_cases_low": Metric(totals["attributable_cases_low"], "cases"),
            "attributable_cases_high": Metric(totals["attributable_cases_high"], "cases"),
            "attributable_cases_per_100k": Metric(
                totals["attributable_per_100k"], "cases per 100,000 persons"
            ),
            "rr_mean": Metric(totals["rr_mean"], "ratio"),
            "rr_max": Metric(totals["rr_max"], "ratio"),
            "exposure_mean": Metric(totals["exposure_mean"], "units of the exposure"),
            "population_exposed": Metric(totals["persons"], "persons"),
            "steps": Metric(totals["steps"], "1"),
            "steps_with_effect": Metric(totals["steps_with_effect"], "1"),
        }
        low, high = totals["attributable_cases_low"], totals["attributable_cases_high"]
        interval = f" ({level:g} % interval {low:.2f} to {high:.2f})" if low is not None else ""
        fraction = totals["attributable_fraction"]
        text = (
            f"{totals['attributable_cases']:.2f}{interval} of {totals['cases']:.2f} cases ({outcome}) are due to the "
            f"exposure" + (f", {100 * fraction:.2f} %" if fraction is not None else "")
        )
        yield Simulation(
            version=run.version,
            metrics=metrics,
            derived=derived,
            units=[{"unit": row["date"], **_numbers(row)} for row in run.result["rows"]],
            time=(run.result["start"], run.result["end"], run.result["step"]),
            warnings=run.warnings,
            text=text,
            folder=run.folder,
            wall_s=run.wall_s,
        )


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    return {name: row[name] for name in ("exposure", "rr", "attributable_cases")}


def arguments_of(given: Given) -> dict[str, Any]:
    """Return the options of a call as the child takes them."""
    asked = given.asked()
    rate = "baseline_rate_per_100k"
    return {
        "column": asked.text("exposure_column", "") or "exposure",
        "cases": asked.text("baseline_cases_column", ""),
        "rate": asked.number(rate, 0, MOST_RATE, "cases per 100,000 persons") if asked.has(rate) else None,
    }


def check(given: Given) -> Sequence[str]:
    """Check the files, and return what would be assumed."""
    from labrig_earth.impact.health.burden import burden
    from labrig_earth.impact.health.erf_engine import read

    files = {role: (given.one(name).name, given.one(name).content) for role, name in ROLES.items()}
    arguments = arguments_of(given)
    spec, series, _, baseline = read(files, arguments)
    found = burden(spec, series, arguments["column"].lower(), baseline)
    return (*spec.notes, *found.notes)


SIMULATOR = Simulator(
    tool="impact_health_erf",
    engine=ERF,
    backends=("erf",),
    files={
        "exposure_series_path": "CSV, one row a day, month or year: date, the column of exposure, and cases where "
        "baseline_cases_column names them; utci_daily.csv of impact_health_utci is one",
        "population_exposed_path": "CSV: persons; for several groups also group, baseline_rate_per_100k",
        "erf_spec_path": "JSON: " + FIELDS,
    },
    options={
        "baseline_rate_per_100k": "cases per 100,000 persons in the spec's baseline_period; none is assumed",
        "baseline_cases_column": "column of the exposure file that counts the cases of each step, in place of a rate",
        "exposure_column": "exposure",
    },
    run=simulate,
    check=check,
)
