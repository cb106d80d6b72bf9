"""Hours and heat of a run accounted for: as many hours as were asked for, and the heat of the air adds up.

EnergyPlus calls a run successful that simulated no hour of weather. The balance of the zones' air is added up here of
the terms that it reports: what comes in by people and devices, surfaces, other zones, outdoor air and the system is
what is stored in the air.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError

Floats = NDArray[np.float64]
CLOSES = 0.01
"""Part of the heat that passes through the air which may be unaccounted for."""

STORED = "air_energy_storage_w"


def read_columns(content: bytes) -> dict[str, Floats]:
    """Return a table of numbers by its columns; an empty cell is NaN."""
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    if not rows:
        return {}
    return {name: np.array([float(row[name] or "nan") for row in rows]) for name in rows[0]}


def require_hours(counted: int, asked: int) -> None:
    """Raise LabrigError, ``engine``, where another number of hours was simulated than was asked for."""
    if counted != asked:
        raise LabrigError(
            f"EnergyPlus simulated {counted:,} hours, and {asked:,} were asked for",
            where="RunPeriod",
            expected="every hour of the run period",
            code="engine",
        )


def require_closed(terms: Mapping[str, Floats]) -> float:
    """Return what part of the heat is unaccounted for; ``engine`` above `CLOSES`.

    Parameters
    ----------
    terms
        W in each hour, summed over zones, by the columns of ``balance.csv``.
    """
    if STORED not in terms:
        raise LabrigError("EnergyPlus reports no heat balance: there is no zone", where="building_idf_path")
    gains = [values for name, values in terms.items() if name != STORED]
    missing = np.sum(gains, axis=0) - terms[STORED]
    passed = float(np.sum([np.abs(each) for each in gains]) / 2)
    part = float(np.abs(missing).sum()) / passed if passed else 0.0
    if part > CLOSES:
        raise LabrigError(
            f"The heat of the zones' air does not close: {100 * part:.2f} % is not accounted for",
            where="balance.csv",
            expected=f"at most {100 * CLOSES:g} %",
            code="engine",
        )
    return part
