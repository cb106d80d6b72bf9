"""The tool ``impact_health_utci``: one file of weather becomes thermal stress in hours and days."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.health.utci import CATEGORIES, STRONG_HEAT_C
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator

UTCI = Engine("utci", "UTCI", "labrig_earth.impact.health.utci_engine")

LEAST_THRESHOLD_C, MOST_THRESHOLD_C = 9.0, 60.0
PAIRED = ("date", "utci_mean_c", "utci_max_c", "hours_above")


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run UTCI on the file of a call.

    Raises
    ------
    LabrigError
        What `stress.read_stress` refuses, and a threshold other than one of heat.
    """
    met = given.one("met_timeseries_path")
    threshold = threshold_of(given)
    arguments = {"threshold_c": threshold, "name": met.name}
    async with how.engines.run(
        UTCI, arguments, {"met.csv": met.content}, allowed=how.allowed, seed=how.seed
    ) as run:
        totals = run.result["totals"]
        metrics = {
            "utci_mean_c": Metric(totals["mean_c"], "degC"),
            "utci_p95_c": Metric(totals["p95_c"], "degC"),
            "utci_max_c": Metric(totals["max_c"], "degC"),
            "hours_above_strong_stress": Metric(totals["above_h"], "hours"),
        }
        derived = {
            "strong_stress_share": Metric(totals["above_h"] / totals["valid_h"], "ratio"),
            "strong_stress_threshold_c": Metric(threshold, "degC"),
            "longest_spell_above_hours": Metric(totals["longest_h"], "hours"),
            "days_with_strong_stress": Metric(totals["days_above"], "days"),
            "hours_valid": Metric(totals["valid_h"], "hours"),
            "hours_without_utci": Metric(totals["no_utci_h"], "hours"),
            **{f"category_{name}_hours": Metric(totals[name], "hours") for name in CATEGORIES},
        }
        unknown = f", and {totals['no_utci_h']:g} h have no UTCI" if totals["no_utci_h"] else ""
        text = (
            f"{totals['above_h']:g} of {totals['valid_h']:g} h have a UTCI of {threshold:g} degC or more, "
            f"on {totals['days_above']:g} days, at most {totals['longest_h']:g} h at a stretch{unknown}; mean "
            f"{totals['mean_c']:.1f}, 95th percentile {totals['p95_c']:.1f}, maximum {totals['max_c']:.1f} degC"
        )
        yield Simulation(
            version=run.version,
            metrics=metrics,
            derived=derived,
            units=[
                {"unit": day["date"], **{name: day[name] for name in PAIRED[1:] if day[name] is not None}}
                for day in run.result["days"]
            ],
            time=(run.result["start"], run.result["end"], f"PT{run.result['step_h']:g}H"),
            warnings=run.warnings,
            text=text,
            folder=run.folder,
            wall_s=run.wall_s,
        )


def threshold_of(given: Given) -> float:
    """Return the UTCI of dangerous heat that a call asks for, degC."""
    return given.asked().number(
        "strong_stress_threshold_c",
        LEAST_THRESHOLD_C,
        MOST_THRESHOLD_C,
        "degC; strong heat stress begins at 32",
        STRONG_HEAT_C,
    )


def check(given: Given) -> Sequence[str]:
    """Check the file, and return what would be assumed."""
    from labrig_earth.impact.health.stress import read_stress

    threshold_of(given)
    met = given.one("met_timeseries_path")
    return read_stress(met.content, met.name).notes


SIMULATOR = Simulator(
    tool="impact_health_utci",
    engine=UTCI,
    backends=("utci", "thermofeel"),
    files={
        "met_timeseries_path": "CSV, rows of 3 h or less: time (ISO; Z for UTC); tair_c (degC, 2 m); rh_pct or "
        "dew_point_c; wind_10m_m_s (m/s; wind_m_s is taken for it) or wind_2m_m_s; tmrt_c (mean radiant "
        "temperature, degC), or solar_down_w_m2, solar_direct_w_m2, solar_up_w_m2, thermal_down_w_m2, thermal_up_w_m2 "
        "(means over the step that ends) with latitude and longitude (degrees) and times in UTC"
    },
    options={"strong_stress_threshold_c": "UTCI from which an hour is one of dangerous heat, degC; 32"},
    run=simulate,
    check=check,
)
