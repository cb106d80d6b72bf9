"""Agreement of raters who name categories: Krippendorff's alpha and Cohen's kappa."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from labrig_study.statistics.checking import Labels, same_length


def krippendorff_alpha(ratings: Sequence[Sequence[Hashable]]) -> float | None:
    r"""Return Krippendorff's alpha of nominal data, for any number of raters and missing ratings.

    With :math:`o_{vw}` the coincidences of values v and w (each pair of ratings of a unit counted
    :math:`1/(m_u - 1)` for the :math:`m_u` ratings of it), margins :math:`n_v` and their sum n

    .. math:: \alpha = 1 - (n - 1) \frac{\sum_{v \ne w} o_{vw}}{\sum_{v \ne w} n_v n_w}

    Parameters
    ----------
    ratings
        Per rater one rating for each unit, shape (raters, units); None where a rater gave none.

    Returns
    -------
    float or None
        1 is agreement, 0 what chance gives, below 0 worse than that; None where only one value occurs, for then
        there is nothing to tell agreement by.

    Raises
    ------
    ValueError
        If there are fewer than two raters, raters differ in their number of units, or no unit has two ratings.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
    """
    if len(ratings) < 2:
        raise ValueError(f"two raters are needed, not {len(ratings)}")
    same_length(**{f"rater {number}": row for number, row in enumerate(ratings, 1)})
    units = [[value for value in unit if value is not None] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    if not units:
        raise ValueError("no unit has two ratings")
    place = _number_values(value for unit in units for value in unit)
    counts = np.zeros((len(units), len(place)))
    for row, unit in zip(counts, units, strict=True):
        for value in unit:
            row[place[value]] += 1
    scaled = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = counts.T @ scaled - np.diag(scaled.sum(axis=0))
    margins = coincidences.sum(axis=0)
    differs = 1 - np.eye(len(place))
    expected = float(margins @ differs @ margins)
    if expected == 0:
        return None
    return 1 - (float(margins.sum()) - 1) * float((coincidences * differs).sum()) / expected


def cohen_kappa(first: Labels, second: Labels) -> float | None:
    r"""Return Cohen's kappa of two raters, :math:`1 - \sum_{i \ne j} p_{ij} / \sum_{i \ne j} p_{i.} p_{.j}`.

    Parameters
    ----------
    first, second
        The raters' categories, in the same order, shape (n,).

    Returns
    -------
    float or None
        None where both raters used one and the same category throughout: chance alone agrees then.

    Raises
    ------
    ValueError
        If the raters differ in length or there is no item.

    References
    ----------
    Cohen, J. (1960). Educ. Psychol. Meas. 20, 37-46.
    """
    same_length(first=first, second=second)
    if not len(first):
        raise ValueError("there is no sample: both raters are empty")
    place = _number_values((*first, *second))
    table = np.zeros((len(place), len(place)))
    np.add.at(table, ([place[each] for each in first], [place[each] for each in second]), 1 / len(first))
    differs = 1 - np.eye(len(place))
    expected = float((differs * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    return 1 - float((differs * table).sum()) / expected if expected > 0 else None


def _number_values(values: Iterable[Hashable]) -> dict[Hashable, int]:
    """Return a number from 0 for each distinct value, in the order of their first occurrence."""
    return {value: number for number, value in enumerate(dict.fromkeys(values))}
