"""What the child of ``weather_to_epw`` does: a year of weather becomes an EPW file, read back at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy

from labrig.errors import LabrigError
from labrig_earth.impact.weather import epw
from labrig_earth.impact.weather.hours import Hours, Place, read_hours

FILE, DESIGN = "weather.epw", "weather.ddy"
KEPT_C = 0.0051
"""Temperatures are written to 0.01 degC."""


def run(arguments: Mapping[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Write an EPW file of ``weather.csv``.

    Arguments: ``name``, ``place`` (latitude, longitude, timezone_h, elevation_m), ``city``, ``country``.
    """
    hours = read_hours((inputs / "weather.csv").read_bytes(), arguments["name"], Place(**arguments["place"]))
    text = epw.write_epw(
        hours, arguments["city"], arguments["country"], f"made of {arguments['name']} by Labrig"
    )
    require_kept(hours, text.encode())
    (outputs / FILE).write_text(text, encoding="utf-8")
    (outputs / DESIGN).write_text(epw.design_days(hours, arguments["city"]), encoding="utf-8")
    totals = {
        "hourly_records": len(hours.air_c),
        "dry_bulb_mean_c": float(hours.air_c.mean()),
        "dry_bulb_min_c": float(hours.air_c.min()),
        "dry_bulb_max_c": float(hours.air_c.max()),
        "dry_bulb_p95_c": float(numpy.percentile(hours.air_c, 95)),
        "global_kwh_m2": float(hours.ghi.sum() / 1000),
        "relative_humidity_mean_pct": float(hours.humidity_pct.mean()),
        "wind_10m_mean_m_s": float(hours.wind_10m_m_s.mean()),
    }
    summary = {"year": hours.year, "place": dict(arguments["place"]), "totals": totals, "notes": hours.notes}
    (outputs / "epw_conversion_summary.json").write_text(
        json.dumps(summary, indent=1) + "\n", encoding="utf-8"
    )
    return {
        "version": f"labrig EPW writer {version('labrig')} with numpy {numpy.__version__}",
        "warnings": list(hours.notes),
        "totals": totals,
        "year": hours.year,
        "months": [
            {"unit": f"{hours.year}-{month:02}", "dry_bulb_mean_c": float(values.mean())}
            for month, values in enumerate(numpy.split(hours.air_c, numpy.cumsum(MONTHS_H)[:-1]), 1)
        ],
    }


MONTHS_H = 24 * numpy.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def require_kept(hours: Hours, content: bytes) -> None:
    """Read a file back, and raise ``engine`` where it does not hold what was written."""
    back = epw.read_epw(content, FILE).numbers
    for place, values, most in (
        (epw.DRY_BULB, hours.air_c, KEPT_C),
        (epw.DEW_POINT, hours.dew_c, KEPT_C),
        (epw.GHI, hours.ghi, 0.051),
        (epw.DNI, hours.dni, 0.051),
        (epw.DHI, hours.dhi, 0.051),
    ):
        off = float(numpy.abs(back[:, place] - values).max())
        if not off <= most:
            raise LabrigError(
                f"Field {place + 1} reads back with an error of {off:g}", where=FILE, code="engine"
            )
