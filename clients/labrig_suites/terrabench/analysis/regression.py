"""Study A: how far the process metrics tell whether the answer is right (Appendix D.1, Table 3).

A metric that is constant, or a linear combination of those before it, is left out, and it is said why: the paper leaves
ToolCallSuccessRate out because its files had it equal to InstAcc.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labrig_study.statistics.checking import Floats, Numbers, numbers, same_length
from labrig_study.statistics.prediction import Logistic, logistic

TOLERANCE = 1e-9
"""Of what is left of a metric, as a share of its own spread, when those before it are taken out."""


@dataclass(frozen=True)
class Linear:
    """A linear regression by least squares.

    Attributes
    ----------
    coefficients
        By name, without the intercept.
    r2
        Share of the variance that is explained; None where the outcome does not vary.
    dropped
        By name, why a column was left out.
    """

    intercept: float
    coefficients: dict[str, float]
    r2: float | None
    n: int
    dropped: dict[str, str]


@dataclass(frozen=True)
class Predictive:
    """Both regressions on the same columns: of success, and of NumScore."""

    names: tuple[str, ...]
    success: Logistic | None
    num_score: Linear
    dropped: dict[str, str]
    note: str = ""


def independent(columns: Mapping[str, Numbers]) -> tuple[dict[str, Floats], dict[str, str]]:
    """Return the columns that are left, and by name why the others were dropped; earlier ones stay.

    Raises
    ------
    ValueError
        If there is no column, or they differ in length or hold anything but finite numbers.

    >>> kept, dropped = independent({"a": [1, 2, 3], "b": [1, 1, 1], "c": [2, 4, 6], "d": [0, 1, 0]})
    >>> list(kept), dropped
    (['a', 'd'], {'b': 'constant', 'c': 'collinear with a'})
    """
    if not columns:
        raise ValueError("at least one column is needed")
    rows = {name: numbers(column, name) for name, column in columns.items()}
    same_length(**rows)
    kept: dict[str, Floats] = {}
    dropped: dict[str, str] = {}
    for name, row in rows.items():
        centred = row - row.mean()
        spread = float(np.linalg.norm(centred))
        if np.ptp(row) == 0 or spread == 0:
            dropped[name] = "constant"
            continue
        if kept:
            design = np.column_stack([each - each.mean() for each in kept.values()])
            scale = np.linalg.norm(design, axis=0)
            fit, *_ = np.linalg.lstsq(design / scale, centred / spread, rcond=None)
            if np.linalg.norm(centred / spread - design / scale @ fit) <= TOLERANCE * np.sqrt(row.size):
                parts = [each for each, weight in zip(kept, fit, strict=True) if abs(weight) > 1e-6]
                dropped[name] = f"collinear with {', '.join(parts)}"
                continue
        kept[name] = row
    return kept, dropped


def linear(outcome: Numbers, columns: Mapping[str, Numbers]) -> Linear:
    """Regress an outcome on columns with an intercept; columns that are constant or collinear are left out.

    Raises
    ------
    ValueError
        As `independent`, and if the outcome has another length.
    """
    y = numbers(outcome, "outcome")
    kept, dropped = independent(columns)
    same_length(outcome=y, **kept)
    total = float(((y - y.mean()) ** 2).sum())
    if not kept:
        return Linear(float(y.mean()), {}, None if total == 0 else 0.0, y.size, dropped)
    names, design = list(kept), np.column_stack([np.ones(y.size), *kept.values()])
    fit, *_ = np.linalg.lstsq(design, y, rcond=None)
    left = float(((y - design @ fit) ** 2).sum())
    r2 = None if np.ptp(y) == 0 else 1 - left / total
    return Linear(float(fit[0]), dict(zip(names, map(float, fit[1:]), strict=True)), r2, y.size, dropped)


def predictive(success: Sequence[bool], num_score: Numbers, columns: Mapping[str, Numbers]) -> Predictive:
    """Return Study A: a logistic regression of success (Hit@tol of 1) and a linear one of NumScore.

    Where no logistic fit can be had (too few observations, or values too far apart), `Predictive.note` says so.
    """
    kept, dropped = independent(columns)
    fitted = linear(num_score, kept) if kept else linear(num_score, columns)
    if not kept:
        return Predictive((), None, fitted, dropped, "no metric varies")
    try:
        return Predictive(tuple(kept), logistic(success, *kept.values()), fitted, dropped)
    except ValueError as error:
        return Predictive(tuple(kept), None, fitted, dropped, str(error))


def derived_weights(coefficients: Mapping[str, float], names: Sequence[str]) -> dict[str, float] | None:
    """Return weights from coefficients: negative ones are 0, the others add up to 1; None where none is positive.

    >>> derived_weights({"a": 3, "b": -1, "c": 1}, ["a", "b", "c", "d"])
    {'a': 0.75, 'b': 0.0, 'c': 0.25, 'd': 0.0}
    """
    raised = {name: max(0.0, coefficients.get(name, 0.0)) for name in names}
    total = sum(raised.values())
    return {name: value / total for name, value in raised.items()} if total > 0 else None
