"""The nine distributions: from the word of a cell to its value, by inversion of the distribution function.

Integers come from a table of the distribution function in whole numbers over 2**53, made with rational
arithmetic; the probability of each integer is exact to 2**-52.

Exponential, Normal and Beta come from a table of quantiles, linear between its knots. The knots are dense in the
tails: `CELLS` between a probability and its double, down to 2**-33, from both ends. With F the distribution
function, F(value) differs from the uniform number that it was made of by at most 1e-4 of that number or of its
distance from 1, whichever is less (tested against scipy; Beta with parameters from 0.5 to
60, down to 1e-6, where 1 - x has few digits left). Beyond 2**-33 the value is that
of 2**-33: a Normal lies within 6.3 standard deviations. The tables are made with + - * / and square roots.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from labrig_repository.gym.elementary import exponential, logarithm
from labrig_repository.gym.numbers import UNIT, Integers, Reals, Words, fractions
from labrig_repository.gym.taxonomy.field import Draw

CELLS, OCTAVES = 64, 32
KNOTS = CELLS * OCTAVES + 1
SHIFT = np.int64(46)
"""The 52 bits of a mantissa less the 6 that number the cell within its octave."""
LEAST = np.int64(1023 - OCTAVES - 1 << 52)
"""2**-33, the least probability of a table, as the bits of a float."""
NODES = ((0.5 - 0.3872983346207417, 5 / 18), (0.5, 8 / 18), (0.5 + 0.3872983346207417, 5 / 18))
"""Of Gauss and Legendre on 0..1: the outer ones lie sqrt(0.15) from the middle."""


def integers(draw: Draw, words: Words) -> Integers:
    """Return one integer for each word."""
    first, cumulated = _cumulated(draw)
    return np.searchsorted(cumulated, fractions(words), side="right") + np.int64(first)


def reals(draw: Draw, low: float, high: float, words: Words) -> Reals:
    """Return one real number for each word; `low` and `high` as `Draw` says, not enforced here."""
    match draw.distribution, draw.parameters:
        case "Uniform", ():
            return low + (high - low) * (fractions(words).astype(np.float64) * UNIT)
        case "Normal", (mean, deviation):
            return mean + deviation * normal(words)
        case "Exponential", (mean,):
            return low + mean * _looked_up(_exponential_table(), words)
        case "Beta", (a, b):
            return low + (high - low) * _looked_up(_beta_table(a, b), words)
    return integers(draw, words).astype(np.float64)


def normal(words: Words) -> Reals:
    """Return one number for each word from the Normal with mean 0 and standard deviation 1."""
    return _looked_up(_normal_table(), words)


def beta(a: float, b: float, words: Words) -> Reals:
    """Return one number from 0 to 1 for each word."""
    return _looked_up(_beta_table(a, b), words)


def _looked_up(table: Reals, words: Words) -> Reals:
    """Return quantiles; the highest bit of a word says from which end, the other 52 used how far from it.

    The probability is an odd multiple of 2**-54 below 1/2. Its bits as a float are those of exponent and mantissa,
    so they number the octaves, the cells in them and the place in a cell, without a search.
    """
    half = (words >> np.uint64(63)).astype(np.int64)
    within = (words >> np.uint64(11)).astype(np.int64) & np.int64((1 << 52) - 1)
    bits = ((within + within + 1).astype(np.float64) * (UNIT * 0.5)).view(np.int64)
    place = np.maximum(bits - LEAST, 0)
    cell = (place >> SHIFT) + half * np.int64(KNOTS)
    part = (place & np.int64((1 << 46) - 1)).astype(np.float64) * 2.0**-46
    left: Reals = table[cell]
    found: Reals = left + (table[cell + 1] - left) * part
    return found


@functools.cache
def _probabilities() -> Reals:
    """Return the knots: 2**-33 to 1/2."""
    return (LEAST + (np.arange(KNOTS, dtype=np.int64) << SHIFT)).view(np.float64)


def _table(lower: Reals, upper: Reals) -> Reals:
    return np.concatenate([lower, upper])


@functools.cache
def _exponential_table() -> Reals:
    p = _probabilities()
    tiny = p < 2.0**-20  # 1 - p loses the digits of p there
    return _table(np.where(tiny, p + p * p / 2.0, -logarithm(1.0 - p)), -logarithm(p))


@functools.cache
def _normal_table() -> Reals:
    edges = np.arange(-4096, 4097, dtype=np.float64) / 512.0
    return _table(*_quantiles(lambda z: exponential(-0.5 * z * z), edges))


@functools.lru_cache(maxsize=256)
def _beta_table(a: float, b: float) -> Reals:
    """Return the table of a Beta, computed in t = ln(x / (1 - x)), in which no density has a pole."""
    one = np.ones(1)
    centre = float(logarithm(one * (a / b))[0])
    spread = 9.0 * float(np.sqrt(one * (1.0 / a + 1.0 / b))[0])
    left, right = 34.0 / a + spread, 34.0 / b + spread
    edges = centre - left + (left + right) / 8192.0 * np.arange(8193, dtype=np.float64)

    def log_density(t: Reals) -> Reals:
        return -a * logarithm(1.0 + exponential(-t)) - b * logarithm(1.0 + exponential(t))

    top = log_density(one * centre)
    lower, upper = _quantiles(lambda t: exponential(log_density(t) - top), edges)
    return _table(1.0 / (1.0 + exponential(-lower)), 1.0 / (1.0 + exponential(-upper)))


def _quantiles(density: Callable[[Reals], Reals], edges: Reals) -> tuple[Reals, Reals]:
    """Return where the knots lie from the left and from the right; the density needs no constant.

    The mass of a cell is by Gauss's rule of three nodes; within a cell the density is taken as a straight line,
    which makes the place in it the root of a square.
    """
    width = edges[1] - edges[0]
    mass = np.zeros(len(edges) - 1)
    for node, weight in NODES:
        mass = mass + width * weight * density(edges[:-1] + width * node)
    height = density(edges)
    from_left = np.array(list(itertools.accumulate(mass.tolist(), initial=0.0)))
    from_right = np.array(list(itertools.accumulate(mass[::-1].tolist(), initial=0.0)))
    left = _places(from_left, height)
    right = _places(from_right, height[::-1])
    return edges[0] + width * left, edges[-1] - width * right


def _places(below: Reals, height: Reals) -> Reals:
    """Return where a distribution function reaches the knots, in cells from its end."""
    wanted = _probabilities() * below[-1]
    cell = np.minimum(np.searchsorted(below, wanted, side="right") - 1, len(below) - 2)
    share = (wanted - below[cell]) / (below[cell + 1] - below[cell])
    first, last = height[cell], height[cell + 1]
    square = first * first + (last - first) * (first + last) * share
    places: Reals = cell + (first + last) * share / (first + np.sqrt(np.maximum(square, 0.0)))
    return places


@functools.lru_cache(maxsize=1024)
def _cumulated(draw: Draw) -> tuple[int, Integers]:
    """Return the least integer, and for each integer the 53-bit number from which on the value is greater."""
    first, above = _weights(draw)
    total = sum(above)
    rising = [(each << 53) // total for each in itertools.accumulate(above)]
    return first, np.array(rising[:-1], dtype=np.int64)


def _weights(draw: Draw) -> tuple[int, list[int]]:
    """Return the least integer and whole weights, from there to where they are below 2**-64 of the greatest.

    Each follows from the one before by a ratio of rational numbers, so the constant of the distribution, which
    may be no rational number, is not needed.
    """
    weights: list[int] = []
    weight = Fraction(1 << 200)
    greatest = 0
    first, ratios = _ratios(draw)
    for ratio in ratios:
        weights.append(int(weight))
        greatest = max(greatest, weights[-1])
        if weights[-1] < greatest >> 64:
            break
        weight = Fraction(weights[-1]) * ratio
    return first, weights


def _ratios(draw: Draw) -> tuple[int, Iterator[Fraction]]:
    """Return the least integer and, for each integer from there, the probability of the next over its own."""
    numbers = tuple(Fraction(str(each)) for each in draw.parameters)
    match draw.distribution, numbers:
        case "Bernoulli", (p,):
            return 0, iter((p / (1 - p), Fraction(0)))
        case "Binomial", (n, p):
            return 0, ((n - k) / (k + 1) * p / (1 - p) for k in range(int(n) + 1))
        case "Geometric", (p,):
            return 1, itertools.repeat(1 - p)
        case "NegativeBinomial", (r, p):
            return 0, ((k + r) / (k + 1) * (1 - p) for k in itertools.count())
        case "Poisson", (mean,):
            return 0, (mean / (k + 1) for k in itertools.count())
    raise ValueError(f"{draw.distribution} of {len(numbers)} parameters gives no integers")
