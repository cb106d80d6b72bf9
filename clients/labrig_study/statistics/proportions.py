"""The interval of a proportion. Standard library only: a leaderboard needs no more."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    r"""Return the Wilson score interval of a proportion.

    With :math:`\hat p = k/n` and :math:`z` the :math:`(1 + c)/2` quantile of the standard normal
    distribution, the bounds are

    .. math:: \frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}}{1 + z^2/n}

    which are the proportions that a score test at level :math:`1 - c` does not reject. They lie within [0, 1]
    and have a width also when `successes` is 0 or `n`.

    Parameters
    ----------
    successes
        How many of `n`; a sum of fractional scores is taken as it is.
    n
        Independent trials. Items that share a stem, and epochs of one item, are not independent: the interval
        is then too narrow.
    confidence
        Two-sided coverage, between 0 and 1.

    Returns
    -------
    tuple of float
        Lower and upper bound; (0, 1) when `n` is 0.

    Raises
    ------
    ValueError
        Unless 0 <= successes <= n and 0 < confidence < 1.

    Examples
    --------
    >>> low, high = wilson(81, 263)
    >>> f"{low:.4f} {high:.4f}"
    '0.2553 0.3662'

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
    American Statistical Association 22 (158), 209-212.

    The example is from Newcombe, R. G. (1998), Statistics in Medicine 17, 857-872, table I.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n = {n}, not {successes}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = successes / n
    centre = p + z * z / (2 * n)
    reach = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # Rounding may leave 1e-17 where the bound is exactly 0, or 1 - 1e-16 for 1.
    low = 0.0 if successes == 0 else (centre - reach) / scale
    high = 1.0 if successes == n else (centre + reach) / scale
    return low, high
