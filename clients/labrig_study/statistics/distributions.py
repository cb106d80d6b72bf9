"""Student's t and the binomial, by the names of the field, from SciPy."""

from __future__ import annotations

from scipy.special import bdtr, stdtr, stdtrit


def t_quantile(p: float, df: float) -> float:
    """Return the `p` quantile of Student's t; of the normal distribution where `df` is infinite."""
    return float(stdtrit(df, p))


def t_two_sided(t: float, df: float) -> float:
    """Return the probability of a value at least as far from 0 as `t`."""
    return float(2 * stdtr(df, -abs(t)))


def fair_coin(heads: int, tosses: int) -> tuple[float, float]:
    """Return the probability of at most, and of exactly, so many heads."""
    at_most = float(bdtr(heads, tosses, 0.5))
    return at_most, at_most - (float(bdtr(heads - 1, tosses, 0.5)) if heads else 0.0)
