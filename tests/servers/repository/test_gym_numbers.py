"""The gym's numbers: words are pinned, the nine distributions are those of scipy, expressions mean what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from labrig_repository.gym import distributions, expressions
from labrig_repository.gym.effects import moments
from labrig_repository.gym.elementary import exponential, logarithm
from labrig_repository.gym.expressions import Binary, Inputs, Noise, Number, Step, Table, Variable, evaluate
from labrig_repository.gym.numbers import Draws, key, keys, sample, word, words
from labrig_repository.gym.taxonomy.field import Draw
from support.late import late

stats = late("scipy.stats")

INTEGERS = {
    Draw("Bernoulli", (0.3,)): lambda: stats.bernoulli(0.3),
    Draw("Binomial", (40, 0.35)): lambda: stats.binom(40, 0.35),
    Draw("Geometric", (0.05,)): lambda: stats.geom(0.05),
    Draw("NegativeBinomial", (2.5, 0.2)): lambda: stats.nbinom(2.5, 0.2),
    Draw("Poisson", (3.7,)): lambda: stats.poisson(3.7),
    Draw("Poisson", (400,)): lambda: stats.poisson(400),
}
BETAS = [(1.05, 25), (0.5, 0.5), (2, 5), (5, 2), (60, 60), (0.5, 30), (30, 0.7), (1, 1), (2.5, 8)]
REALS = {
    Draw("Normal", (0, 1)): lambda: stats.norm(),
    Draw("Exponential", (1,)): lambda: stats.expon(),
} | {Draw("Beta", pair): lambda pair=pair: stats.beta(*pair) for pair in BETAS}
UNIFORM = {Draw("Uniform", ()): lambda: stats.uniform()}


def array(*numbers: int) -> NDArray[np.uint64]:
    return np.array(numbers, dtype=np.uint64)


def test_words_are_those_of_version_1() -> None:
    """What is pinned here decides every byte of every repository."""
    assert key("isg/1:118", "a/b.csv") == 4447271172572063587
    found = words(array(0, key("isg/1:118", "a/b.csv")), array(0, 3), array(0, 299))
    assert found.tolist() == [12035550249420947055, 8270878544569155962]
    # SplitMix64 with seed 0 begins with this word (Vigna's splitmix64.c): one round of what is applied twice
    from labrig_repository.gym.numbers import STEP, mixed

    assert mixed(array(0) + STEP).tolist() == [0xE220A8397B1DCDAF]


def test_words_of_a_block_are_those_of_its_cells() -> None:
    block = words(keys("r", ["a", "b"])[:, None], array(1, 2, 3), array(5, 0, 7))
    for n, path in enumerate("ab"):
        for m, (column, row) in enumerate([(1, 5), (2, 0), (3, 7)]):
            assert words(array(key("r", path)), array(column), array(row))[0] == block[n, m]
            assert word(key("r", path), column, row) == block[n, m]


def test_words_are_uniform_and_independent() -> None:
    """Kolmogorov-Smirnov over rows, over columns and over files; correlation of neighbours below 5 sigma."""
    many = np.arange(100_000, dtype=np.uint64)
    for found in (
        words(array(7), array(1), many),
        words(array(7), many, array(1)),
        words(keys("isg/1:1", [f"run_{n}.csv" for n in range(100_000)]), array(1), array(0)),
    ):
        unit = found.astype(np.float64) / 2.0**64
        assert stats.kstest(unit, "uniform").pvalue > 1e-4
        assert abs(np.corrcoef(unit[1:], unit[:-1])[0, 1]) < 5 / math.sqrt(len(unit))


def test_samples_are_distinct_and_equally_likely() -> None:
    assert sample(1, 10, 10) == list(range(10))
    assert len(set(sample(3, 10_000, 10**12))) == 10_000
    counts = np.bincount([n for seed in range(6000) for n in sample(seed, 3, 12)], minlength=12)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_draws_are_streams_of_their_own() -> None:
    first, again, other = (Draws("isg/1:1", step) for step in ("title", "title", "paths"))
    numbers = [first.between(3, 9) for _ in range(200)]
    assert numbers == [again.between(3, 9) for _ in range(200)]
    assert set(numbers) == set(range(3, 10))
    assert numbers != [other.between(3, 9) for _ in range(200)]
    assert sorted(first.some(range(5), 9)) == list(range(5))
    tally = [first.weighted("ab", (1, 3)) for _ in range(4000)].count("b")
    assert abs(tally - 3000) < 5 * math.sqrt(750)


def test_logarithm_and_exponential() -> None:
    x = np.concatenate([np.linspace(1e-9, 5, 20_001), 10.0 ** np.linspace(-300, 300, 4_001)])
    true = np.array([math.log(each) for each in x])
    assert np.max(np.abs(logarithm(x) - true) / np.maximum(np.spacing(np.abs(true)), 1e-18)) <= 4
    y = np.linspace(-690, 700, 40_001)
    true = np.array([math.exp(each) for each in y])
    assert np.max(np.abs(exponential(y) - true) / np.spacing(true)) <= 4


@pytest.mark.parametrize("draw", INTEGERS, ids=str)
def test_integers_have_the_probabilities_of_scipy(draw: Draw) -> None:
    true = INTEGERS[draw]()
    first, cumulated = distributions._cumulated(draw)
    support = first + np.arange(len(cumulated))
    assert first == true.support()[0]
    assert np.max(np.abs(cumulated / 2.0**53 - true.cdf(support))) < 1e-14  # scipy's own error
    assert true.sf(support[-1]) < 1e-15 or support[-1] + 1 == true.support()[1]
    found = distributions.integers(draw, words(array(11), array(1), np.arange(200_000, dtype=np.uint64)))
    assert abs(found.mean() - true.mean()) < 5 * true.std() / math.sqrt(len(found))


@pytest.mark.parametrize("draw", REALS, ids=str)
def test_reals_have_the_quantiles_of_scipy(draw: Draw) -> None:
    """F(value) is within 1e-4 of its number, relative to that number or to its distance from 1, both tails."""
    true = REALS[draw]()
    steps = 2.0 ** -np.linspace(1, 30, 30_000)
    for half, tail in ((0, true.cdf), (1, true.sf)):
        within = (steps * 2.0**53).astype(np.uint64) - np.uint64(1)
        word = (within | np.uint64(half << 52)) << np.uint64(11)
        p = (within.astype(np.float64) + 0.5) * 2.0**-53
        found = distributions.reals(draw, 0, 1, word)
        within_floats = (p > 1e-6) if draw.distribution == "Beta" else np.full(len(p), True)  # 1 - x rounds
        assert np.max(np.abs(tail(found) / p - 1)[within_floats]) < 1e-4


def test_a_uniform_number_is_its_word() -> None:
    word = np.array([0, 2**64 - 1, 2**63], dtype=np.uint64)
    assert distributions.reals(Draw("Uniform", ()), 0, 1, word).tolist() == [0, 1 - 2.0**-53, 0.5]


@pytest.mark.parametrize("draw", [*INTEGERS, *REALS, *UNIFORM], ids=str)
def test_moments(draw: Draw) -> None:
    true = (INTEGERS | REALS | UNIFORM)[draw]()
    assert moments(draw, 0, 1) == pytest.approx((true.mean(), true.std()), rel=1e-12)


def test_bounds_stretch_and_shift() -> None:
    word = words(array(5), array(1), np.arange(1000, dtype=np.uint64))
    for name, parameters in (("Beta", (2, 3)), ("Uniform", ())):
        unit = distributions.reals(Draw(name, parameters), 0, 1, word)  # type: ignore[arg-type]
        assert np.array_equal(distributions.reals(Draw(name, parameters), -3, 7, word), -3 + 10.0 * unit)  # type: ignore[arg-type]
    assert distributions.reals(Draw("Exponential", (4,)), 20, 90, word).min() >= 20


def test_an_expression_is_evaluated_and_written() -> None:
    x, z = Variable("temp_C"), np.array([-1.0, 0.5, 2.0])
    tree = expressions.added(
        Number("12.5"),
        Binary("*", Number("-0.8"), Binary("-", x, Number("25"))),
        Binary("/", Table("strain", ("wt", "mut"), ("0", "-1.5")), Binary("-", Number("4"), Step(x, "26"))),
        Binary("*", Number("0.4"), Noise()),
    )
    tree = Binary("min", Binary("max", tree, Number("0")), Number("14"))
    temp, strain = np.array([25.0, 26.0, 40.0]), np.array([1, 0, 1])
    found = evaluate(tree, Inputs({"temp_C": temp}.__getitem__, {"strain": strain}.__getitem__, z))
    true = []
    for t, s, e in zip(temp, strain, z, strict=True):
        value = 12.5 + -0.8 * (t - 25) + (0.0, -1.5)[s] / (4 - (t >= 26)) + 0.4 * e
        true.append(min(max(value, 0), 14))
    assert found.tolist() == true
    assert str(tree) == (
        "min(max(12.5 + (-0.8) * (temp_C - 25) + table(strain: wt 0, mut -1.5) / (4 - step(temp_C >= 26))"
        " + 0.4 * noise(), 0), 14)"
    )
    assert expressions.names(tree) == {"temp_C", "strain"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.000123456, "0.000123"),
        (-98765.4, "-98800"),
        (0.9996, "1"),
        (1.005, "1"),
        (0.0, "0"),
        (12.0, "12"),
        (-1 / 3, "-0.333"),
        (1e-7, "0.0000001"),
        (-1e-300, "-0." + "0" * 299 + "1"),
        (1e16, "10000000000000000"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (99.96, "100"),
    ],
)
def test_a_constant_is_a_short_decimal(value: float, text: str) -> None:
    assert expressions.number(value).text == text
