"""What the child of a run of an exposure response does: three files become cases by step and a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy

from labrig_earth.impact.health import burden as rooms
from labrig_earth.impact.health.spec import read_spec

VERSION = "labrig exposure response"


def read(files: Mapping[str, tuple[str, bytes]], arguments: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
    """Read and check the files of a run: spec, series, groups, and baseline cases of each step.

    Parameters
    ----------
    files
        Name and content of ``exposure``, ``population`` and ``spec``.
    arguments
        ``column``, ``cases`` (a column, or empty), ``rate`` (or None).
    """
    spec = read_spec(files["spec"][1], files["spec"][0])
    column, cases = str(arguments["column"]), str(arguments["cases"])
    series = rooms.read_exposure(files["exposure"][1], files["exposure"][0], column, cases, spec.step)
    groups = rooms.read_groups(files["population"][1], files["population"][0])
    rooms.require_one_baseline(cases, arguments["rate"], groups)
    if cases:
        baseline = series.column(cases.lower(), "cases in each step")
    else:
        baseline = rooms.baseline_of(spec, series.times, groups, arguments["rate"])
    return spec, series, groups, baseline


def run(arguments: Mapping[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Compute the burden of ``exposure.csv`` for ``population.csv`` by ``spec.json``."""
    names = arguments["names"]
    files = {
        role: (names[role], (inputs / f"{role}{ending}").read_bytes())
        for role, ending in (("exposure", ".csv"), ("population", ".csv"), ("spec", ".json"))
    }
    spec, series, groups, baseline = read(files, arguments)
    found = rooms.burden(spec, series, str(arguments["column"]).lower(), baseline)
    rows = rooms.rows_of(found)
    (outputs / "attributable_timeseries.csv").write_text(rooms.rows_csv(rows), encoding="utf-8")
    totals = rooms.totals(found, sum(group.persons for group in groups))
    notes = [*spec.notes, *found.notes]
    response = spec.response
    summary = {
        "outcome": spec.outcome,
        "exposure_unit": spec.exposure_unit,
        "form": response.form,
        "slope": response.slope,
        "slope_interval": [response.low, response.high],
        "ci_level": spec.level,
        "reference": response.reference,
        "lags": response.lags,
        "baseline": spec.baseline,
        "totals": totals,
        "notes": notes,
    }
    (outputs / "burden_summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return {
        "version": f"{VERSION} {version('labrig')} with numpy {numpy.__version__}",
        "warnings": notes,
        "totals": totals,
        "rows": rows,
        "outcome": spec.outcome,
        "level": spec.level,
        "start": rows[0]["date"],
        "end": rows[-1]["date"],
        "step": {"day": "P1D", "month": "P1M", "year": "P1Y"}[spec.step],
    }
