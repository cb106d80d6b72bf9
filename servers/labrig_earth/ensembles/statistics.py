"""What an ensemble says: weighted mean, spread, probability of an event, confidence; over a dimension ``member``.

A cell where a member is missing has no value: the mean of the rest would be of another ensemble.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name

MEMBER = "member"
ESTIMATORS = ("population", "sample")


def checked_weights(weights: Sequence[float] | None, count: int) -> Any:
    """Return weights whose sum is 1, (members,); equal ones where none are given.

    Raises
    ------
    LabrigError
        ``bad_input`` for another number of them than there are members, a negative one, or a sum of zero.
    """
    if not weights:
        return np.full(count, 1.0 / count)
    given = np.asarray(weights, "f8")
    if given.size != count:
        raise LabrigError(
            f"{given.size} weights are given for {count} members",
            where="weights",
            expected=f"{count} numbers",
        )
    if not np.isfinite(given).all() or (given < 0).any() or not given.sum() > 0:
        raise LabrigError(
            "Weights must not be negative, and their sum must be above zero",
            where=f"weights {list(map(float, given))}"[:120],
        )
    return given / given.sum()


def weighted_mean(stacked: Any, weights: Any) -> Any:
    """Return the weighted mean over members, in their unit."""
    import xarray as xr

    return (stacked * xr.DataArray(weights, dims=MEMBER)).sum(MEMBER, skipna=False)


def weighted_spread(stacked: Any, weights: Any, *, centre: Any = None, estimator: str = "population") -> Any:
    """Return the weighted standard deviation over members, in their unit.

    Parameters
    ----------
    centre
        What deviations are from; by default the weighted mean.
    estimator
        ``population`` divides by the sum of the weights (1); ``sample`` by 1 - sum of squared weights, which for equal
        weights is the division by M-1.

    Raises
    ------
    LabrigError
        ``bad_input`` for fewer than two members that count.
    """
    import xarray as xr

    if estimator not in ESTIMATORS:
        raise unknown_name("estimator", estimator, ESTIMATORS, where="estimator")
    if int((np.asarray(weights) > 0).sum()) < 2:
        raise LabrigError("An ensemble of one has no spread", expected="two members or more that count")
    middle = weighted_mean(stacked, weights) if centre is None else centre
    variance = ((stacked - middle) ** 2 * xr.DataArray(weights, dims=MEMBER)).sum(MEMBER, skipna=False)
    if estimator == "sample":
        variance = variance / (1 - float((np.asarray(weights) ** 2).sum()))
    return np.sqrt(variance)


def votes(stacked: Any, threshold: float) -> Any:
    """Return the part of the members at or above a threshold, 0 to 1."""
    return (stacked >= threshold).mean(MEMBER).where(stacked.notnull().all(MEMBER))


def gaussian_probability(mean: Any, spread: Any, threshold: float, *, least: float) -> Any:
    """Return the probability that a normal distribution is at or above a threshold.

    Parameters
    ----------
    least
        The smallest standard deviation that is taken, in the unit of the values.
    """
    import xarray as xr
    from scipy.special import ndtr

    return xr.apply_ufunc(ndtr, (mean - threshold) / spread.clip(min=least))


def normalised(spread: Any, sigma: Any, *, least: float) -> Any:
    """Return spread over the standard deviation of the climate; missing where the latter is not above `least`.

    Raises
    ------
    LabrigError
        ``bad_input`` for a negative spread or standard deviation, and for a climate that varies nowhere.
    """
    for name, field in (("spread", spread), ("sigma_ref", sigma)):
        if float(field.min()) < 0:
            raise LabrigError(f"{name} is negative somewhere", where=name, expected="standard deviations")
    if not bool((sigma > least).any()):
        raise LabrigError(
            "The climate's standard deviation is zero or missing everywhere", where="sigma_ref_path"
        )
    return (spread / sigma).where(sigma > least)


def confidence(normalised_spread: Any, anomalies: Any = None, *, skill_weight: float = 1.0) -> Any:
    """Return (1 - tanh of the normalised spread) times `skill_weight`, halved where members differ in sign; 0 to 1.

    Parameters
    ----------
    anomalies
        Of the members from the climate; None to leave signs out.
    """
    import xarray as xr

    base = 1 - xr.apply_ufunc(np.tanh, normalised_spread)
    if anomalies is not None:
        signs = np.sign(anomalies)
        agree = signs.max(MEMBER, skipna=False) == signs.min(MEMBER, skipna=False)
        base = (base * xr.where(agree, 1.0, 0.5)).where(anomalies.notnull().all(MEMBER))
    return (skill_weight * base).clip(0.0, 1.0)


def smoothed(field: Any, dims: tuple[str, str], *, sigma: float, mode: str, truncate: float) -> Any:
    """Return a field smoothed by a Gaussian over two dimensions, slice by slice.

    A missing cell stays missing, and takes no part in those beside it: values and their presence are smoothed alike,
    and divided.
    """
    import xarray as xr
    from scipy.ndimage import gaussian_filter

    def each(values: Any) -> Any:
        there = np.isfinite(values)
        widths = (*(0.0 for _ in range(values.ndim - 2)), sigma, sigma)
        sums = gaussian_filter(np.where(there, values, 0.0), widths, mode=mode, truncate=truncate)
        if there.all():
            return sums
        shares = gaussian_filter(there.astype("f8"), widths, mode=mode, truncate=truncate)
        return np.where(there, sums / np.where(there, shares, 1.0), np.nan)

    found = xr.apply_ufunc(
        each,
        field.astype("f8"),
        input_core_dims=[list(dims)],
        output_core_dims=[list(dims)],
        keep_attrs=True,
    )
    return found.transpose(*field.dims)
