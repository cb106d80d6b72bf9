"""What the child of a run of UTCI does: it reads the series in its folder, and writes hours, days and a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy  # noqa: F401 - loaded once, before the children are forked
import thermofeel  # noqa: F401

from labrig_earth.impact.health import stress


def run(arguments: Mapping[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Compute UTCI of ``met.csv``.

    Parameters
    ----------
    arguments
        ``threshold_c``: UTCI of dangerous heat, degC; ``name``: of the file, for errors.
    """
    found = stress.read_stress((inputs / "met.csv").read_bytes(), arguments["name"])
    threshold = float(arguments["threshold_c"])
    totals, days = stress.totals(found, threshold), stress.daily(found, threshold)
    (outputs / "utci_timeseries.csv").write_text(stress.hourly_csv(found), encoding="utf-8")
    (outputs / "utci_daily.csv").write_text(stress.daily_csv(days), encoding="utf-8")
    summary = {"threshold_c": threshold, "step_h": found.hours, "totals": totals, "notes": found.notes}
    (outputs / "utci_summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return {
        "version": f"thermofeel {version('thermofeel')}",
        "warnings": list(found.notes),
        "totals": totals,
        "days": days,
        "start": str(found.series.times[0]),
        "end": str(found.series.times[-1]),
        "step_h": found.hours,
    }
