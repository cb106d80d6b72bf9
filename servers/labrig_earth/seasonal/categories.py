"""Terciles of a climate, probabilities of them by an ensemble, and such probabilities of several models blended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.ensembles.members import MEMBER
from labrig_earth.ensembles.statistics import checked_weights

CATEGORIES = ("p_below", "p_normal", "p_above")
WITHIN = 2e-3
"""By which probabilities of a file may miss a sum of 1."""


def terciles(reference: Any, years: str) -> tuple[Any, Any]:
    """Return the lower and the upper tercile of all years and members, by linear interpolation of order statistics.

    Parameters
    ----------
    reference
        `xarray.DataArray` with the axis `years`, and perhaps ``member``.
    """
    over = [years, *([MEMBER] if MEMBER in reference.dims else [])]
    found = reference.quantile([1 / 3, 2 / 3], dim=over, skipna=False)
    lower, upper = (found.isel(quantile=n, drop=True).assign_attrs(reference.attrs) for n in range(2))
    return lower, upper


def probabilities(members: Any, lower: Any, upper: Any) -> dict[str, Any]:
    """Return the shares of members below the lower, above the upper tercile, and of the rest between them.

    A cell where a member or a tercile is missing has no value.

    Raises
    ------
    LabrigError
        ``bad_input`` where the lower tercile lies above the upper one.
    """
    if bool((lower > upper).any()):
        raise LabrigError("The lower tercile lies above the upper one somewhere", where="terciles_path")
    there = members.notnull().all(MEMBER) & lower.notnull() & upper.notnull()
    below, above = (members < lower).mean(MEMBER), (members > upper).mean(MEMBER)
    found = {"p_below": below, "p_normal": 1 - below - above, "p_above": above}
    return {name: _chance(each.where(there).clip(0, 1), name) for name, each in found.items()}


def blended(models: Sequence[dict[str, Any]], weights: Sequence[float]) -> tuple[dict[str, Any], Any]:
    """Return the weighted mean of probabilities, and the weights with a sum of 1; missing where any model is.

    Raises
    ------
    LabrigError
        ``bad_input`` for weights that do not fit.
    """
    shares = checked_weights(weights, len(models))
    found = {}
    for name in CATEGORIES:
        total: Any = 0.0
        for share, model in zip(shares, models, strict=True):
            total = total + share * model[name]
        found[name] = _chance(total, name)
    return found, shares


def _chance(values: Any, name: str) -> Any:
    """Return probabilities with attributes of their own: those of the variable are of a temperature or a height."""
    values = values.drop_attrs(deep=False)
    return values.assign_attrs(units="1", long_name=f"probability of the tercile {name.removeprefix('p_')}")


def require_probabilities(model: dict[str, Any], where: str) -> None:
    """Raise for values beyond 0 to 1, and for categories whose sum is not 1."""
    total = sum(model[name] for name in CATEGORIES)
    low = min(float(model[name].min()) for name in CATEGORIES)
    if low < -WITHIN or float(np.abs(total - 1).max()) > WITHIN:
        raise LabrigError(
            f"The probabilities have sums from {float(total.min()):.4g} to {float(total.max()):.4g}, the smallest of "
            f"them is {low:.4g}",
            where=where,
            expected="values from 0 to 1 with a sum of 1",
            try_="values divided by 100, if they are per cent",
        )
