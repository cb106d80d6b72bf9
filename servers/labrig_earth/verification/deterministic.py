"""Scores of one forecast value for each observation; pairs in which either is missing do not count.

Sources: Wilks, Statistical Methods in the Atmospheric Sciences, 4th ed. (2019), chapter 9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError

Floats = NDArray[np.float64]


def paired(forecast: Any, truth: Any, weights: Any = None) -> tuple[Floats, Floats, Floats]:
    """Return forecasts, observations and weights of the pairs in which both are there, each of shape (pairs,).

    Raises
    ------
    LabrigError
        ``bad_input`` where no pair is complete, or no weight is above zero.
    """
    one, other = np.broadcast_arrays(np.asarray(forecast, "f8"), np.asarray(truth, "f8"))
    weight = np.ones(one.shape) if weights is None else np.broadcast_to(np.asarray(weights, "f8"), one.shape)
    there = np.isfinite(one) & np.isfinite(other) & np.isfinite(weight)
    if not there.any() or not weight[there].sum() > 0:
        raise LabrigError(
            "There is no pair of a forecast and an observation: all values are missing",
            expected="values of both at the same times and places",
        )
    return one[there], other[there], weight[there]


def bias(forecast: Any, truth: Any, weights: Any = None) -> float:
    """Return the mean of forecast minus observation, in their unit."""
    one, other, weight = paired(forecast, truth, weights)
    return float(np.average(one - other, weights=weight))


def mae(forecast: Any, truth: Any, weights: Any = None) -> float:
    """Return the mean absolute error, in the unit of the values."""
    one, other, weight = paired(forecast, truth, weights)
    return float(np.average(np.abs(one - other), weights=weight))


def rmse(forecast: Any, truth: Any, weights: Any = None) -> float:
    """Return the root of the mean squared error, in the unit of the values."""
    one, other, weight = paired(forecast, truth, weights)
    return float(np.sqrt(np.average((one - other) ** 2, weights=weight)))


def correlation(forecast: Any, truth: Any, weights: Any = None) -> float:
    """Return Pearson's correlation; of anomalies from their climatology it is the centred anomaly correlation.

    Raises
    ------
    LabrigError
        ``bad_input`` where either does not vary: there is no correlation then.
    """
    one, other, weight = paired(forecast, truth, weights)
    a, b = one - np.average(one, weights=weight), other - np.average(other, weights=weight)
    scale = np.sqrt(np.average(a**2, weights=weight) * np.average(b**2, weights=weight))
    size = max(float(np.abs(one).max()), float(np.abs(other).max()))
    if not scale > (1e-12 * size) ** 2:
        raise LabrigError(
            "A correlation needs values that vary, and here they are constant", expected="variance above zero"
        )
    return float(np.average(a * b, weights=weight) / scale)


ERRORS = {"rmse": rmse, "mae": mae, "bias": bias, "correlation": correlation}
"""Scores by their names: functions of forecasts, observations and weights."""
