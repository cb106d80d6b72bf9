"""What is uncertain in a water analysis, and random draws of it.

The model
---------
Every measured value has an error of its own, independent of the others.

- **Amounts** are lognormal: the reported value times ``exp(s z)`` with z standard normal and ``s^2 = ln(1 +
  r^2)``, so that none becomes negative, the standard deviation over the mean is exactly the relative standard
  deviation r, and the median is the reported value. It is the median and not the mean that is kept (they
  differ by r^2/2, 0.1 % for 5 %) because a saturation index is nearly linear in the logarithms of the
  amounts: there the errors are symmetric, and an interval from such draws covers the truth as often as it
  says. Where an absolute standard deviation is stated too, the two add as variances (the two components of
  Rocke and Lorenzato, 1995, Technometrics 37:176-184). A negative alkalinity (acid water) keeps its sign.
- **pH, pe and temperature** are normal. A pe that was not measured and that divides a constituent among redox
  states is drawn about the 4 that PHREEQC takes, with a standard deviation of its own.
- **Censored values** ("less than") are uniform between 0 and the limit: all that such a report says.

Charge balance is not enforced: a member has the charge error that its draws give it, and PHREEQC, which is
told the pH, moves no ion to mend it. Errors that a laboratory's ion balance would have caught are therefore
among the draws. Where the balance of the analysis itself is much better than that of the members, the stated
errors are too large, or cations and anions err together, and the spread of the saturation index is an upper
estimate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.waters.analysis import Analysis, Constituent

Floats = NDArray[np.float64]
Distribution = Literal["normal", "lognormal", "uniform", "fixed"]

MAX_PH, MAX_TEMPERATURE, MAX_PE = 2.0, 50.0, 10.0
"""Standard deviations beyond which a number is taken for a mistake (1, degC, 1)."""

ASSUMED_PE = 4.0
"""What PHREEQC takes where a water has no pe (manual of version 3, SOLUTION)."""


@dataclass(frozen=True)
class ErrorModel:
    """Standard deviations of what was measured.

    Attributes
    ----------
    relative
        Of every amount, divided by the amount: 0.05 for 5 %.
    pH
        Of the pH.
    temperature
        Of the temperature, degC.
    pe
        Of the pe, where it was measured.
    assumed_pe
        Of the pe that PHREEQC takes where none was measured (`ASSUMED_PE`) and something is divided by it.
    by_element
        In place of `relative`, by the name of the constituent. A `Constituent.relative_error` goes before
        both.
    absolute
        In addition, by the name of the constituent: mmol (meq for ``Alkalinity``) per `Analysis.basis`, for
        what matters near a detection limit.
    censored_at
        The fraction of its limit that the amount of a censored constituent stands for: 0.5 where half of the
        limit was put in its place.

    Raises
    ------
    LabrigError
        For a standard deviation that is negative, not finite, or so large that it must be a mistake.
    """

    relative: float
    pH: float
    temperature: float
    pe: float = 0.0
    assumed_pe: float = 0.0
    by_element: Mapping[str, float] = field(default_factory=dict)
    absolute: Mapping[str, float] = field(default_factory=dict)
    censored_at: float = 0.5

    def __post_init__(self) -> None:
        _check_relative("relative", self.relative)
        for name, relative in self.by_element.items():
            _check_relative(f"by_element[{name!r}]", relative)
        for name, absolute in self.absolute.items():
            _check(f"absolute[{name!r}]", absolute, math.inf, "mmol, or meq for Alkalinity")
        _check("pH", self.pH, MAX_PH, "pH units")
        _check("temperature", self.temperature, MAX_TEMPERATURE, "degC")
        _check("pe", self.pe, MAX_PE, "pe units")
        _check("assumed_pe", self.assumed_pe, MAX_PE, "pe units")
        if not 0 < self.censored_at <= 1:
            raise LabrigError(
                f"A censored value cannot stand at {self.censored_at} of its limit",
                where="censored_at",
                expected="above 0, at most 1",
            )


def _check(where: str, sd: float, largest: float, unit: str) -> None:
    if not (math.isfinite(sd) and 0 <= sd <= largest):
        most = f" up to {largest:g}" if math.isfinite(largest) else ""
        raise LabrigError(
            f"The standard deviation {sd} cannot be used", where=where, expected=f"{unit}, from 0{most}"
        )


def _check_relative(where: str, sd: float) -> None:
    if not (math.isfinite(sd) and 0 <= sd <= 1):
        raise LabrigError(
            f"The relative standard deviation {sd} cannot be used",
            where=where,
            expected="a fraction from 0 to 1: 0.05 for 5 %",
        )


@dataclass(frozen=True)
class Input:
    """One measured value and how it is distributed.

    Attributes
    ----------
    name
        ``temperature``, ``pH``, ``pe``, or the name of the constituent.
    unit
        degC, 1, mmol/L ...
    value
        What the analysis has.
    distribution, scale
        ``normal``: standard deviation; ``lognormal``: standard deviation of the natural logarithm;
        ``uniform``: the upper limit; ``fixed``: 0.
    """

    name: str
    unit: str
    value: float
    distribution: Distribution
    scale: float

    def at(self, z: Floats) -> Floats:
        """Return the values that belong to standard normal deviates, of any shape."""
        match self.distribution:
            case "normal":
                return self.value + self.scale * z
            case "lognormal":
                return self.value * np.exp(self.scale * z)
            case "uniform":
                return self.scale * _probability(z)
        return np.full_like(z, self.value)

    def regressor(self, z: Floats) -> Floats:
        """Return the deviates on a scale on which a saturation index is nearly linear, with mean 0 and variance 1.

        This is z itself, and for a censored value the logarithm of what is drawn.
        """
        return np.log(_probability(z)) + 1 if self.distribution == "uniform" else z

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit != "1" else ""
        match self.distribution:
            case "normal":
                return f"normal, sd {self.scale:g}{unit}"
            case "lognormal":
                return f"lognormal, relative sd {math.sqrt(math.expm1(self.scale**2)):.4g}"
            case "uniform":
                return f"censored: uniform from 0 to {self.scale:.6g}{unit}"
        return "no error" + (" (reported as 0)" if self.value == 0 else "")


def inputs(analysis: Analysis, errors: ErrorModel, *, hangs_on_pe: bool = False) -> tuple[Input, ...]:
    """Return what was measured, with its errors: temperature, pH, pe, then the constituents in their order.

    Parameters
    ----------
    hangs_on_pe
        Whether pe divides a constituent: then it is an input also where it was not measured, if `errors` doubts it.

    Raises
    ------
    LabrigError
        ``bad_input`` for a water without pH, temperature or constituents, or with values that are not numbers;
        ``not_found`` for an error stated of a constituent that the water does not have.
    """
    if not analysis.constituents:
        raise LabrigError(
            "The water has no constituents", where=analysis.sample, expected="at least one measured amount"
        )
    measured: dict[str, float | None] = {"pH": analysis.pH, "temperature": analysis.temperature}
    for name, value in measured.items():
        if value is None or not math.isfinite(value):
            raise LabrigError(
                f"The water has no {name}",
                where=f"{analysis.sample}: {name} {value}",
                expected="a measured value: saturation indices hang on it",
            )
    for name in (*errors.by_element, *errors.absolute):
        if name not in analysis.constituents:
            raise unknown_name("constituent", name, analysis.constituents, where="errors")
    found = [
        _normal("temperature", "degC", analysis.temperature, errors.temperature),
        _normal("pH", "1", analysis.pH, errors.pH),
    ]
    if analysis.pe is not None:
        found.append(_normal("pe", "1", analysis.pe, errors.pe))
    elif hangs_on_pe and errors.assumed_pe:
        found.append(_normal("pe", "1", ASSUMED_PE, errors.assumed_pe))
    return (*found, *(_amount(each, analysis, errors) for each in analysis.constituents.values()))


def _normal(name: str, unit: str, value: float, sd: float) -> Input:
    return Input(name, unit, value, "normal" if sd else "fixed", sd)


def _amount(constituent: Constituent, analysis: Analysis, errors: ErrorModel) -> Input:
    name, amount = constituent.element, constituent.amount
    unit = f"{'meq' if name == 'Alkalinity' else 'mmol'}/{analysis.basis}"
    if not math.isfinite(amount):
        raise LabrigError(f"The amount of {name} is {amount}", where=analysis.sample, expected=unit)
    if constituent.censored:
        if amount <= 0:
            raise LabrigError(
                f"{name} is below a limit, and its amount {amount:g} does not tell which",
                where=analysis.sample,
                expected=f"{errors.censored_at:g} of the limit in {unit}",
            )
        return Input(name, unit, amount, "uniform", amount / errors.censored_at)
    relative = constituent.relative_error
    if relative is None:
        relative = errors.by_element.get(name, errors.relative)
    _check_relative(f"{analysis.sample}: {name}", relative)
    sd = math.hypot(relative * amount, errors.absolute.get(name, 0.0))
    if not sd or not amount:
        return Input(name, unit, amount, "fixed", 0.0)
    return Input(name, unit, amount, "lognormal", math.sqrt(math.log1p((sd / amount) ** 2)))


def deviates(rows: int, columns: int, seed: int) -> Floats:
    """Return standard normal deviates from NumPy's PCG64, shape (rows, columns).

    They are drawn row by row: with more rows the first stay the same.
    """
    return np.random.Generator(np.random.PCG64(seed)).standard_normal((rows, columns))


def values_at(measured: Sequence[Input], z: Floats) -> Floats:
    """Return the values of all inputs (columns) for deviates, shape (rows, columns)."""
    return np.column_stack([each.at(z[:, column]) for column, each in enumerate(measured)])


def water(analysis: Analysis, measured: Sequence[Input], values: Floats) -> Analysis:
    """Return the analysis with one row of values in place of its own."""
    drawn = {each.name: float(value) for each, value in zip(measured, values, strict=True)}
    return replace(
        analysis,
        temperature=drawn["temperature"],
        pH=drawn["pH"],
        pe=drawn.get("pe"),
        constituents={
            name: replace(constituent, amount=drawn[constituent.element])
            for name, constituent in analysis.constituents.items()
        },
    )


def _probability(z: Floats) -> Floats:
    """Return the standard normal distribution function, above 0 so that it has a logarithm."""
    flat = [max(1e-300, 0.5 * math.erfc(-each / math.sqrt(2))) for each in z.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(z.shape)
