"""Exact statistics against SciPy, `statistics` and closed forms; where a number may stand."""

from __future__ import annotations

import random
import statistics
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from labrig_repository.gym.values import Column, Levels
from labrig_repository.gym.values import Decimal as Cells
from labrig_suites.science_gym import truth
from support.late import late

scipy_stats = late("scipy.stats")

SEEDS = range(20)


def drawn(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return two related columns with ties, and two categories."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-40, 40, n)
    return x, x + rng.integers(-60, 60, n), rng.integers(0, 4, n), rng.integers(0, 3, n)


@pytest.mark.parametrize("seed", SEEDS)
def test_tests_agree_with_scipy(seed: int) -> None:
    x, y, g, h = drawn(seed)
    table = np.array([[np.sum((g == a) & (h == b)) for b in range(3)] for a in range(4)])
    groups = [y[g == each] for each in range(4)]
    pairs = [
        (truth.pearson(x.tolist(), y.tolist()), scipy_stats.pearsonr(x, y)),
        (truth.spearman(x, y), scipy_stats.spearmanr(x, y)),
        (truth.chi_square(g.tolist(), h.tolist()), scipy_stats.chi2_contingency(table, correction=False)),
        (truth.anova(g.tolist(), y.tolist()), scipy_stats.f_oneway(*groups)),
        (truth.kruskal_wallis(g.tolist(), y), scipy_stats.kruskal(*groups)),
    ]
    for ours, theirs in pairs:
        assert float(ours.statistic) == pytest.approx(theirs[0], rel=1e-12)
        assert ours.p == pytest.approx(theirs[1], rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_moments_agree_with_fractions(seed: int) -> None:
    draws = random.Random(seed)
    mantissas = [draws.randint(-(10**9), 10**9) for _ in range(draws.randint(2, 50))]
    exact = [Fraction(each, 1000) for each in mantissas]
    assert truth.mean(mantissas, 3) == statistics.mean(exact)
    assert truth.variance(mantissas, 3, 1) == statistics.variance(exact)
    assert truth.variance(mantissas, 3, 0) == statistics.pvariance(exact)
    assert truth.extreme(mantissas, 3, "median") == statistics.median(exact)
    assert truth.extreme(mantissas, 3, "minimum") == min(exact)
    assert truth.extreme(mantissas, 3, "maximum") == max(exact)
    assert float(truth.root(truth.variance(mantissas, 3, 1))) == pytest.approx(
        statistics.stdev(map(float, exact))
    )


def test_nearly_constant_columns_lose_no_digit() -> None:
    """10^9 and a tenth more: a sum of squares in float64 has no digit of this variance left."""
    mantissas = [10**10, 10**10 + 1, 10**10 + 2]
    assert truth.variance(mantissas, 1, 1) == Fraction(1, 100)
    assert truth.correlation(mantissas, [1, 2, 4]) == truth.correlation([0, 1, 2], [1, 2, 4])


def test_what_does_not_exist() -> None:
    for act in (
        lambda: truth.variance([5], 0, 1),
        lambda: truth.mean([], 0),
        lambda: truth.correlation([1, 2], [1, 2]),
        lambda: truth.correlation([1, 1, 1], [1, 2, 3]),
        lambda: truth.chi_square([0, 0, 0], [0, 1, 2]),
        lambda: truth.anova([0, 0, 0], [1, 2, 3]),
        lambda: truth.anova([0, 1, 2], [1, 2, 3]),
        lambda: truth.kruskal_wallis([0, 0, 1, 1], np.array([3, 3, 3, 3])),
        lambda: truth.mode(Column("x", Levels(("a", "b")), np.array([0, 1]))),
    ):
        with pytest.raises(truth.Undefined):
            act()
    assert truth.mode(Column("x", Levels(("a", "b")), np.array([1, 1, 0]))) == "b"
    assert truth.mode(Column("x", Cells(1), np.array([15, 15, 0]))) == "1.5"


@pytest.mark.parametrize(
    ("number", "digits", "placed"),
    [
        ("1.231", 3, True),
        ("1.249", 3, False),  # 1.25 and then 1.2 or 1.3
        ("1.2449", 3, False),  # 1.24 or, through 1.245, 1.25
        ("9.97", 2, False),  # 10
        ("0", 3, False),
        ("-0.00321", 3, True),
        ("-0.003251", 3, False),
        ("467.00", 3, True),
        ("99999", 4, False),
    ],
)
def test_no_truth_stands_where_rounding_decides(number: str, digits: int, placed: bool) -> None:
    assert truth.well_placed(Decimal(number), digits) is placed


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_well_placed_numbers_round_alike_once_and_twice(digits: int) -> None:
    draws = random.Random(digits)
    placed = 0
    for _ in range(5000):
        number = Decimal(draws.randint(1, 10**9)).scaleb(-draws.randint(0, 12))
        if truth.well_placed(number, digits):
            placed += 1
            once = float(f"{number:.{digits - 2}e}")
            twice = float(f"{float(f'{number:.{digits - 1}e}'):.{digits - 2}e}")
            assert once == twice, number
    assert placed > 3000


def test_truths_are_written_without_an_exponent() -> None:
    assert truth.as_text(Decimal("1E-7")) == "0.0000001"
    assert truth.as_text(truth.decimal(Fraction(-1, 3))) == "-0.333333333333333333"
