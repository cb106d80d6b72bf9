"""Kept, gained, lost: which items a change of condition moves, and what a retention can and cannot say.

Retention alone misleads. An agent that ignored what was right before would still "retain" every such item as
often as it gets any item right, so retention is read beside the gain rate, and beside the retention between two
runs of one and the same condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, exp, hypot, log, sqrt
from statistics import NormalDist

import numpy as np

from labrig_study.statistics.checking import Truths, same_length, share, truths, whole
from labrig_study.statistics.distributions import t_quantile
from labrig_study.statistics.proportions import wilson


@dataclass(frozen=True)
class Movement:
    """Items by right or wrong at baseline and under treatment; also made from published counts.

    Attributes
    ----------
    kept
        Right at both.
    gained
        Wrong at baseline, right under treatment.
    lost
        Right at baseline, wrong under treatment.
    neither
        Wrong at both.

    Raises
    ------
    ValueError
        If a count is negative or not whole, or there is no item.

    Examples
    --------
    >>> moved = Movement(kept=70, gained=97, lost=14, neither=19)
    >>> f"{moved.retention:.3f} {moved.gain_rate:.3f}"
    '0.833 0.836'
    """

    kept: int
    gained: int
    lost: int
    neither: int

    def __post_init__(self) -> None:
        for name in ("kept", "gained", "lost", "neither"):
            count = getattr(self, name)
            whole(count, name)
        if self.n == 0:
            raise ValueError("there is no sample: all four counts are 0")

    @property
    def n(self) -> int:
        """All items."""
        return self.kept + self.gained + self.lost + self.neither

    @property
    def right(self) -> int:
        """Items right at baseline."""
        return self.kept + self.lost

    @property
    def wrong(self) -> int:
        """Items wrong at baseline."""
        return self.gained + self.neither

    @property
    def net(self) -> int:
        """Gained less lost."""
        return self.gained - self.lost

    @property
    def retention(self) -> float | None:
        """kept / (kept + lost); None when nothing was right at baseline."""
        return self.kept / self.right if self.right else None

    @property
    def gain_rate(self) -> float | None:
        """gained / (gained + neither); None when nothing was wrong at baseline."""
        return self.gained / self.wrong if self.wrong else None


@dataclass(frozen=True)
class OddsRatio:
    """Odds of being right under treatment: items right at baseline against items wrong at baseline.

    Attributes
    ----------
    value
        1 when having been right before says nothing; None when all items were right, or all wrong, at baseline.
    interval
        Woolf's, on the logarithm.
    corrected
        Whether a cell was 0, and 1/2 was added to all four (Haldane-Anscombe).
    """

    value: float | None
    interval: tuple[float, float] | None
    corrected: bool
    confidence: float
    note: str = ""


@dataclass(frozen=True)
class RetentionTest:
    """Whether items that were right before fare otherwise than items that were wrong.

    Attributes
    ----------
    difference
        Retention less gain rate.
    interval
        Of the difference: Newcombe's hybrid of two Wilson intervals.
    fisher_p
        Fisher's exact test, two-sided.
    z, z_p
        Two-proportion test with the pooled share; None where all or no items are right under treatment.
    """

    retention: float | None
    gain_rate: float | None
    difference: float | None
    interval: tuple[float, float] | None
    fisher_p: float | None
    z: float | None
    z_p: float | None
    confidence: float
    note: str = ""


@dataclass(frozen=True)
class GuessCorrected:
    """Retention of the items that were known, not guessed, at baseline.

    Attributes
    ----------
    known
        Estimated number of items known at baseline.
    lucky
        Estimated number of baseline-right items that were guessed.
    retention
        Corrected retention. Not cut to [0, 1]: a value outside says that the sample is too small or the model of
        guessing wrong. None when no more was right at baseline than guessing gives.
    interval
        Fieller's; None where it is unbounded, which is so unless the baseline is clearly above guessing.
    """

    guess: float
    known: float
    lucky: float
    retention: float | None
    interval: tuple[float, float] | None
    confidence: float
    note: str = ""


def kept_gained_lost(baseline: Truths, treated: Truths) -> Movement:
    """Count items by whether they were right at baseline and right under treatment.

    Parameters
    ----------
    baseline, treated
        Right or wrong per item, in the same order, shape (n,).

    Raises
    ------
    ValueError
        If the sides differ in length, are empty, or hold anything but true and false.
    """
    before, after = truths(baseline, "baseline"), truths(treated, "treated")
    same_length(baseline=before, treated=after)
    return Movement(
        kept=int((before & after).sum()),
        gained=int((~before & after).sum()),
        lost=int((before & ~after).sum()),
        neither=int((~before & ~after).sum()),
    )


def retention_odds_ratio(moved: Movement, confidence: float = 0.95) -> OddsRatio:
    r"""Return the odds ratio of being right under treatment, given right against wrong at baseline.

    .. math::

        \frac{kept \cdot neither}{lost \cdot gained}, \qquad
        \mathrm{se}(\ln) = \sqrt{1/kept + 1/neither + 1/lost + 1/gained}

    References
    ----------
    Woolf, B. (1955). Ann. Hum. Genet. 19, 251-253. Haldane, J. B. S. (1956). Ann. Hum. Genet. 20, 309-311.
    Anscombe, F. J. (1956). Biometrika 43, 461-464.
    """
    share(confidence, "confidence")
    if not moved.right or not moved.wrong:
        state = "wrong" if not moved.right else "right"
        return OddsRatio(
            None, None, False, confidence, f"every sample was {state} at baseline: nothing to compare"
        )
    cells = (moved.kept, moved.neither, moved.lost, moved.gained)
    corrected = 0 in cells
    kept, neither, lost, gained = (cell + 0.5 * corrected for cell in cells)
    value = kept * neither / (lost * gained)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(1 / kept + 1 / neither + 1 / lost + 1 / gained)
    note = "a cell is 0: 1/2 was added to all four" if corrected else ""
    return OddsRatio(value, (exp(log(value) - reach), exp(log(value) + reach)), corrected, confidence, note)


def retention_test(moved: Movement, confidence: float = 0.95) -> RetentionTest:
    r"""Test whether retention differs from the gain rate: whether it matters that an item was right before.

    Fisher's exact test, and :math:`z = (R - G) / \sqrt{p (1 - p)(1/n_r + 1/n_w)}` with p the share right under
    treatment. Items count as independent: where they come in clusters the p values are too small.

    References
    ----------
    Fisher, R. A. (1935). J. R. Stat. Soc. 98, 39-82.
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. Statistics in
    Medicine 17, 873-890 (method 10).
    """
    from scipy.stats import fisher_exact

    retention, gain_rate = moved.retention, moved.gain_rate
    if retention is None or gain_rate is None:
        state = "wrong" if retention is None else "right"
        why = f"every sample was {state} at baseline: nothing to compare"
        return RetentionTest(retention, gain_rate, None, None, None, None, None, confidence, why)
    difference, interval = newcombe(moved.kept, moved.right, moved.gained, moved.wrong, confidence)
    fisher_p = float(fisher_exact([[moved.kept, moved.lost], [moved.gained, moved.neither]]).pvalue)
    p = (moved.kept + moved.gained) / moved.n
    if p in (0.0, 1.0):
        why = "all samples" if p else "no samples"
        note = f"{why} are right under treatment: z does not exist"
        return RetentionTest(
            retention, gain_rate, difference, interval, fisher_p, None, None, confidence, note
        )
    z = difference / sqrt(p * (1 - p) * (1 / moved.right + 1 / moved.wrong))
    z_p = erfc(abs(z) / sqrt(2))
    return RetentionTest(retention, gain_rate, difference, interval, fisher_p, z, z_p, confidence)


def newcombe(
    k1: float, n1: int, k2: float, n2: int, confidence: float = 0.95
) -> tuple[float, tuple[float, float]]:
    r"""Return the difference of two independent proportions and its hybrid score interval.

    With Wilson bounds :math:`l_i, u_i` of :math:`p_i = k_i/n_i`

    .. math::

        \Big(p_1 - p_2 - \sqrt{(p_1 - l_1)^2 + (u_2 - p_2)^2},\quad
        p_1 - p_2 + \sqrt{(u_1 - p_1)^2 + (p_2 - l_2)^2}\Big)

    Raises
    ------
    ValueError
        If a number of trials is 0, or for the reasons of `wilson`.

    Examples
    --------
    >>> difference, (low, high) = newcombe(56, 70, 48, 80)
    >>> f"{difference:.2f} {low:.4f} {high:.4f}"
    '0.20 0.0524 0.3339'

    References
    ----------
    Newcombe, R. G. (1998). Statistics in Medicine 17, 873-890, method 10; the example is its table II (a).
    """
    if n1 < 1 or n2 < 1:
        raise ValueError(f"both proportions need trials, not {n1} and {n2}")
    (low1, high1), (low2, high2) = wilson(k1, n1, confidence), wilson(k2, n2, confidence)
    p1, p2 = k1 / n1, k2 / n2
    return p1 - p2, (p1 - p2 - hypot(p1 - low1, high2 - p2), p1 - p2 + hypot(high1 - p1, p2 - low2))


def guess_corrected_retention(moved: Movement, guess: float, confidence: float = 0.95) -> GuessCorrected:
    r"""Return the retention of items that were known at baseline, taking out those that were guessed right.

    The model: at baseline an item is known, and answered rightly, or not known, and guessed rightly with
    probability g, whichever item it is and whatever the treatment does with it. Then a right answer among the
    unknown comes with (1 - g)/g wrong ones, so :math:`w = g/(1 - g)` lucky items stand behind each wrong one:

    * known = right - w wrong,
    * lucky = w wrong,
    * lucky items, being unknown, come out right under treatment as often as the wrong ones: w gained of them,

    and what is left of `kept` belongs to the known ones:

    .. math:: \hat r = \frac{kept - w\,gained}{right - w\,wrong}

    Where retention equals the gain rate the correction changes nothing. The model fails where an agent leans to
    one letter (its luck then repeats under treatment), or holds a wrong belief instead of guessing (wrong items
    then hide no lucky ones, and the correction takes away too much). Guesses under treatment are not corrected.

    The interval is Fieller's for a ratio of means: all r for which the mean of
    :math:`N_i - r D_i` is not significantly different from 0, N being 1, 0, -w, 0 and D being 1, 1, -w, -w for
    kept, lost, gained, neither. It is bounded only if the denominator is significantly above 0.

    Parameters
    ----------
    guess
        Chance of guessing right, between 0 (included: no correction) and 1: 1/4 with four options.

    Raises
    ------
    ValueError
        If `guess` is not in [0, 1) or `confidence` not in (0, 1).

    References
    ----------
    Lord, F. M. and Novick, M. R. (1968). Statistical Theories of Mental Test Scores, section 14.2 (knowledge or
    random guessing).
    Fieller, E. C. (1954). Some problems in interval estimation. J. R. Stat. Soc. B 16, 175-185.
    """
    share(confidence, "confidence")
    if not 0 <= guess < 1:
        raise ValueError(f"guess must be at least 0 and below 1, not {guess}")
    w = guess / (1 - guess)
    known, lucky = moved.right - w * moved.wrong, w * moved.wrong
    if known <= 1e-9:
        note = f"{moved.right} of {moved.n} right at baseline is no more than guessing at {guess:.3g} gives"
        return GuessCorrected(guess, known, lucky, None, None, confidence, note)
    retention = (moved.kept - w * moved.gained) / known
    interval, note = _make_fieller(moved, w, confidence)
    if not 0 <= retention <= 1:
        outside = (
            "outside [0, 1]: too few samples for this correction, or its model of guessing does not hold"
        )
        note = f"{outside}; {note}" if note else outside
    return GuessCorrected(guess, known, lucky, retention, interval, confidence, note)


def _make_fieller(moved: Movement, w: float, confidence: float) -> tuple[tuple[float, float] | None, str]:
    n = moved.n
    if n < 2:
        return None, "one sample: no interval"
    counts = np.array([moved.kept, moved.lost, moved.gained, moved.neither], dtype=np.float64)
    above, below = np.array([1, 0, -w, 0]), np.array([1, 1, -w, -w])
    top, bottom = float(counts @ above) / n, float(counts @ below) / n
    t2 = t_quantile((1 + confidence) / 2, n - 1) ** 2 / (n * (n - 1))
    var_top = t2 * float(counts @ (above - top) ** 2)
    var_bottom = t2 * float(counts @ (below - bottom) ** 2)
    cov = t2 * float(counts @ ((above - top) * (below - bottom)))
    # (top - r bottom)^2 <= var_top - 2 r cov + r^2 var_bottom, a quadratic in r.
    a, b, c = bottom**2 - var_bottom, top * bottom - cov, top**2 - var_top
    if a <= 0:
        return None, "the baseline is not clearly above guessing: the interval is unbounded"
    root = sqrt(max(0.0, b * b - a * c))
    if root == 0:
        return None, "all samples behave alike: no interval can be had from them"
    return ((b - root) / a, (b + root) / a), ""
