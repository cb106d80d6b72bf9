"""Exposure-response functions: from an exposure to a relative risk, and to the part of cases that is due to it.

With x the exposure, x0 the reference (or threshold) and b the slope per unit of exposure:

- ``log_linear``: RR = exp(b (x - x0))
- ``linear``: RR = 1 + b (x - x0), an excess relative risk that is linear
- ``threshold``: RR = exp(b (x - x0)) above the threshold x0, and 1 below it, whatever else is said

Where ``excess_only`` is set (it is, unless a spec says otherwise), exposures below x0 have RR 1 in all of them. The
fraction of observed cases that is due to exposure is AF = (RR - 1) / RR (WHO, AirQ+; Rothman, Modern Epidemiology),
and the attributable number that fraction of the cases of the same step. Where the baseline is that of people who are
not exposed, observed cases are B RR and the number is B (RR - 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError

Floats = NDArray[np.float64]
Form = Literal["log_linear", "linear", "threshold"]
FORMS: tuple[Form, ...] = ("log_linear", "linear", "threshold")

MOST_LOG_RR = 5.0
"""A relative risk of 148: a larger one comes of a slope or an exposure in another unit."""

MOST_LAG = 60


@dataclass(frozen=True)
class Response:
    """A function from exposure to relative risk.

    Attributes
    ----------
    slope, low, high
        Per unit of exposure; low and high are the bounds of its confidence interval, or None.
    reference
        The exposure at which the relative risk is 1 (the threshold).
    lags
        Weights of the exposures of this step, the one before, and so on; they sum to 1.
    """

    form: Form
    slope: float
    reference: float
    low: float | None = None
    high: float | None = None
    lags: tuple[float, ...] = (1.0,)
    excess_only: bool = True

    def relative_risk(self, exposure: Floats, slope: float | None = None) -> Floats:
        """Return the relative risk of exposures.

        Parameters
        ----------
        slope
            Another one than the response's own: a bound of its interval.

        Raises
        ------
        LabrigError
            For a relative risk that is not above 0, or above exp(`MOST_LOG_RR`).
        """
        b = self.slope if slope is None else slope
        distance = exposure - self.reference
        if self.excess_only or self.form == "threshold":
            distance = np.maximum(distance, 0.0)
        if self.form == "linear":
            found: Floats = 1 + b * distance
            if found.min() <= 0:
                raise LabrigError(
                    f"The relative risk is {found.min():g} at an exposure of {exposure[found.argmin()]:g}",
                    where=f"slope {b:g}",
                    expected="above 0: a linear response does not reach that far",
                )
        else:
            found = np.exp(np.clip(b * distance, -700, 700))
        worst = float(np.abs(np.log(found)).max())
        if worst > MOST_LOG_RR:
            place = int(np.abs(np.log(found)).argmax())
            raise LabrigError(
                f"The relative risk is exp({worst:.3g}) at an exposure of {exposure[place]:g}",
                where=f"slope {b:g} per unit of exposure, reference {self.reference:g}",
                expected=f"at most exp({MOST_LOG_RR:g})",
                try_="the slope is per unit of the exposure column: one per 10 units is divided by 10",
            )
        return found


def slope_of(relative_risk: float, per: float, form: Form) -> float:
    """Return the slope per unit of exposure of a relative risk that is stated for an increment.

    ln(RR) / increment where the response is exponential, (RR - 1) / increment where it is linear.
    """
    if relative_risk <= 0 or per <= 0:
        raise LabrigError(
            f"A relative risk of {relative_risk:g} per {per:g}",
            where="relative_risk, per",
            expected="both above 0",
        )
    return (relative_risk - 1) / per if form == "linear" else math.log(relative_risk) / per


def interval_of(slope: float, standard_error: float, level: float) -> tuple[float, float]:
    """Return the bounds of a normal confidence interval of a level, such as 0.95."""
    from statistics import NormalDist

    reach = NormalDist().inv_cdf(0.5 + level / 2) * standard_error
    return slope - reach, slope + reach


def lagged(exposure: Floats, weights: tuple[float, ...]) -> Floats:
    """Return the exposure that acts at each step: sum over l of w[l] x[t - l].

    The first steps, whose past is not in the series, are left out: the result is shorter by len(weights) - 1.
    """
    if len(exposure) < len(weights):
        raise LabrigError(
            f"The series has {len(exposure)} steps, and the lags reach over {len(weights)}",
            where="lags",
            expected="a series that is longer than the lags",
        )
    found: Floats = np.convolve(exposure, weights, mode="valid")
    return found


def attributable_fraction(relative_risk: Floats) -> Floats:
    """Return (RR - 1) / RR, the part of the cases among exposed people that is due to exposure."""
    return (relative_risk - 1) / relative_risk
