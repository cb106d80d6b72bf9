"""What the child of ``weather_monthly_to_daily`` does: a table of months becomes one of days."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy

from labrig_earth.impact.weather import months

FILE = "weather_daily.csv"


def run(arguments: Mapping[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Make days of ``months.csv``. Arguments: ``name``, ``wet_day_fraction``, ``seed``."""
    series = months.read_months((inputs / "months.csv").read_bytes(), arguments["name"])
    made = months.days_of_months(series, float(arguments["wet_day_fraction"]), int(arguments["seed"]))
    (outputs / FILE).write_text(made.csv(), encoding="utf-8")
    wet = made.columns["precipitation_mm"] > 0
    units = []
    for place, month in enumerate(series.times.astype("datetime64[M]")):
        here = made.months == place
        units.append(
            {
                "unit": str(month),
                "precipitation_mm": float(made.columns["precipitation_mm"][here].sum()),
                "tmin_c": float(made.columns["tmin_c"][here].mean()),
                "tmax_c": float(made.columns["tmax_c"][here].mean()),
                "wet_days": int(wet[here].sum()),
            }
        )
    summary = {
        "method": (months.__doc__ or "").strip(),
        "seed": arguments["seed"],
        "months": units,
        "notes": made.notes,
    }
    (outputs / "weather_downscale_summary.json").write_text(
        json.dumps(summary, indent=1) + "\n", encoding="utf-8"
    )
    middle = (made.columns["tmin_c"] + made.columns["tmax_c"]) / 2
    return {
        "version": f"labrig days of months {version('labrig')} with numpy {numpy.__version__}",
        "warnings": list(made.notes),
        "totals": {
            "daily_rows": len(made.days),
            "precip_total_mm": float(made.columns["precipitation_mm"].sum()),
            "temperature_mean_c": float(middle.mean()),
            "wet_days": int(wet.sum()),
            "months": len(series.times),
        },
        "units": units,
        "start": str(made.days[0]),
        "end": str(made.days[-1]),
    }
