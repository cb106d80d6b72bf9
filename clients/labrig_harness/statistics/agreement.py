"""Agreement of raters: Krippendorff's alpha and Cohen's kappa."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isfinite
from typing import Literal, get_args

import numpy as np

from labrig_harness.statistics.checking import Floats, Labels, one_of, same_length

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(ratings: Sequence[Sequence[Hashable]], level: Level = "nominal") -> float | None:
    r"""Return Krippendorff's alpha, :math:`1 - D_o / D_e`, for any number of raters and missing ratings.

    With :math:`o_{vw}` the coincidences of values v and w (each pair of ratings of a unit counted
    :math:`1/(m_u - 1)` for the :math:`m_u` ratings of it), margins :math:`n_v` and their sum n

    .. math::

        \alpha = 1 - (n - 1) \frac{\sum_{v,w} o_{vw}\, \delta_{vw}^2}{\sum_{v,w} n_v n_w\, \delta_{vw}^2}

    where :math:`\delta^2` is 1 for different values (nominal), :math:`(v - w)^2` (interval),
    :math:`((v - w)/(v + w))^2` (ratio), or :math:`(n_v/2 + \sum_{v < g < w} n_g + n_w/2)^2` (ordinal).

    Parameters
    ----------
    ratings
        Per rater one rating for each unit, shape (raters, units); None where a rater gave none. Numbers, and for
        nominal data anything that can be told apart.
    level
        Of measurement.

    Returns
    -------
    float or None
        1 is agreement, 0 what chance gives, below 0 worse than that; None where only one value occurs, for then
        there is nothing to tell agreement by.

    Raises
    ------
    ValueError
        If raters differ in their number of units, no unit has two ratings, or a rating is not a finite number
        (for ratio data, none of at least 0) where it must be one.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
    """
    if len(ratings) < 2:
        raise ValueError(f"two raters are needed, not {len(ratings)}")
    one_of(level, get_args(Level), "level")
    same_length(**{f"rater {number}": row for number, row in enumerate(ratings, 1)})
    units = [[value for value in unit if value is not None] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    if not units:
        raise ValueError("no unit has two ratings")
    values = _values((value for unit in units for value in unit), level)
    place = {value: number for number, value in enumerate(values)}
    counts = np.zeros((len(units), len(values)))
    for row, unit in zip(counts, units, strict=True):
        for value in unit:
            row[place[value]] += 1
    scaled = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = counts.T @ scaled - np.diag(scaled.sum(axis=0))
    margins = coincidences.sum(axis=0)
    distance = _distances(values, margins, level)
    expected = float(margins @ distance @ margins)
    if expected == 0:
        return None
    return 1 - (float(margins.sum()) - 1) * float((coincidences * distance).sum()) / expected


def cohen_kappa(
    first: Labels,
    second: Labels,
    *,
    weights: Literal["linear", "quadratic"] | None = None,
    categories: Labels | None = None,
) -> float | None:
    r"""Return Cohen's kappa of two raters, :math:`1 - \sum w_{ij} p_{ij} / \sum w_{ij} p_{i.} p_{.j}`.

    The weight of a disagreement of categories i and j is 1 (unweighted), :math:`|i - j|` (linear) or
    :math:`(i - j)^2` (quadratic).

    Parameters
    ----------
    first, second
        The raters' categories, in the same order, shape (n,).
    weights
        For ordered categories.
    categories
        All categories in their order; None: those that occur, sorted.

    Returns
    -------
    float or None
        None where both raters used one and the same category throughout: chance alone agrees then.

    Raises
    ------
    ValueError
        If the raters differ in length or there is no item, a category is not among `categories`, or the order
        of weighted categories cannot be told.

    References
    ----------
    Cohen, J. (1960). Educ. Psychol. Meas. 20, 37-46; (1968). Psychol. Bull. 70, 213-220 (weighted).
    """
    same_length(first=first, second=second)
    if not len(first):
        raise ValueError("there is no sample: both raters are empty")
    if weights is not None:
        one_of(weights, ("linear", "quadratic"), "weights")
    order = (
        list(categories)
        if categories is not None
        else _ordered({*first, *second}, strict=weights is not None)
    )
    place = {category: number for number, category in enumerate(order)}
    if len(place) < len(order):
        raise ValueError("categories holds one of them twice")
    if odd := [each for each in (*first, *second) if each not in place]:
        raise ValueError(f"{odd[0]!r} is not among the categories")
    table = np.zeros((len(order), len(order)))
    np.add.at(table, ([place[each] for each in first], [place[each] for each in second]), 1 / len(first))
    steps = np.abs(np.subtract.outer(np.arange(len(order)), np.arange(len(order)))).astype(np.float64)
    cost: Floats = steps**2 if weights == "quadratic" else steps if weights else np.sign(steps)
    expected = float((cost * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    return 1 - float((cost * table).sum()) / expected if expected > 0 else None


def _values(found: object, level: Level) -> list[Hashable]:
    """Return the distinct values: in order, and checked to be numbers, unless they are only names."""
    distinct = dict.fromkeys(found)  # type: ignore[call-overload]
    if level == "nominal":
        return list(distinct)
    for value in distinct:
        if isinstance(value, str) or not isinstance(value, int | float | np.number) or not isfinite(value):
            raise ValueError(f"{level} data must be finite numbers, not {value!r}")
        if level == "ratio" and value < 0:
            raise ValueError(f"ratio data cannot be negative: {value!r}")
    return sorted(distinct)


def _ordered(found: set[Hashable], strict: bool) -> list[Hashable]:
    try:
        return sorted(found)  # type: ignore[type-var]
    except TypeError:
        if strict:
            raise ValueError("these categories cannot be put in order: give `categories`") from None
        return list(found)


def _distances(values: list[Hashable], margins: Floats, level: Level) -> Floats:
    """Return the squared distances between values, shape (values, values)."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "ordinal":
        # Ranks at the middle of each value's block: their difference is the sum in Krippendorff's formula.
        middle = np.cumsum(margins) - margins / 2
        return np.subtract.outer(middle, middle) ** 2
    numbers = np.array(values, dtype=np.float64)
    apart = np.subtract.outer(numbers, numbers)
    if level == "interval":
        return apart**2
    both = np.add.outer(numbers, numbers)
    return np.divide(apart, both, out=np.zeros_like(apart), where=both > 0) ** 2
