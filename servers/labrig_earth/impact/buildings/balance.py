"""Hours and heat of a run accounted for: as many hours as were asked for, and the heat of the air adds up.

EnergyPlus calls a run successful that simulated no hour of weather. The balance of the zones' air is added up here of
the terms that it reports: what comes in by people and devices, surfaces, other zones, outdoor air and the system is
what is stored in the air.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.tables import read_table

Floats = NDArray[np.float64]
CLOSES = 0.01
"""Part of the heat that passes through the air which may be unaccounted for, beyond what the air of the hour stores.

The engine differentiates the air's temperature over unequal steps of the system, which is exact where it changes evenly
(Engineering Reference, third-order backward difference). In the hour of a step of a set point the stored heat is off by
up to itself: rooms heated less at night miss 0.2 to 2 % of all heat, and at most 0.3 % beyond what their air stores.
"""

STORED = "air_energy_storage_w"


def read_columns(content: bytes, where: str) -> dict[str, Floats]:
    """Return a table of numbers by its columns; an empty cell is NaN."""
    table = read_table(content, where)
    return {name: table.values(name) for name in table.columns}


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
    """Return what part of the heat is unaccounted for; ``engine`` where that is above `CLOSES` beyond what is stored.

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
    if not passed:
        return 0.0
    beyond = float((np.abs(missing) - np.abs(terms[STORED])).clip(0).sum()) / passed
    if beyond > CLOSES:
        raise LabrigError(
            f"The heat of the zones' air does not close: {100 * beyond:.2f} % is not accounted for",
            where="balance.csv",
            expected=f"at most {100 * CLOSES:g} % beyond what the air stores",
            code="engine",
        )
    return float(np.abs(missing).sum()) / passed
