"""Statistics of columns, exactly: from the integers that cells are made of, not from floating-point numbers.

A decimal column holds integer mantissas (`labrig_repository.gym.values`), so sums and sums of squares are integers,
means and variances are fractions, and the rest are square roots of fractions: each is known to as many digits as
are asked for, on every machine. Only p values are floating-point numbers; they are compared with a level from which
they are a factor of two away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labrig_repository.gym.numbers import Integers
    from labrig_repository.gym.values import Column

EXACT = Context(prec=60)
SHOWN = 18
"""Significant digits of a truth as text: more than a float64 has."""


class Undefined(Exception):
    """The statistic does not exist for these rows."""


@dataclass(frozen=True, slots=True)
class Test:
    """A statistic and the chance of one as extreme, were there no relationship."""

    statistic: Decimal
    p: float


def mode(column: Column) -> str:
    """Return the value that occurs most often.

    Raises
    ------
    Undefined
        For no rows, or two values that occur equally often.
    """
    counts = Counter(column.data.tolist()).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        raise Undefined("no value occurs more often than all others")
    (place,) = (each for each, times in counts[:1])
    one = type(column)(column.name, column.form, column.data[column.data == place][:1])
    return one.texts()[0]


def extreme(mantissas: Sequence[int], decimals: int, statistic: str) -> Fraction:
    """Return the least, the greatest or the middle value; the mean of the two in the middle of an even number."""
    if not mantissas:
        raise Undefined("no rows")
    unit = 10**decimals
    if statistic == "minimum":
        return Fraction(min(mantissas), unit)
    if statistic == "maximum":
        return Fraction(max(mantissas), unit)
    ordered = sorted(mantissas)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return Fraction(ordered[half], unit)
    return Fraction(ordered[half - 1] + ordered[half], 2 * unit)


def mean(mantissas: Sequence[int], decimals: int) -> Fraction:
    """Return the arithmetic mean."""
    if not mantissas:
        raise Undefined("no rows")
    return Fraction(sum(mantissas), len(mantissas) * 10**decimals)


def variance(mantissas: Sequence[int], decimals: int, ddof: int) -> Fraction:
    """Return the sum of squared deviations from the mean over the number of rows less `ddof`."""
    n = len(mantissas)
    if n - ddof < 1:
        raise Undefined(f"{n} rows")
    squares = n * sum(each * each for each in mantissas) - sum(mantissas) ** 2
    return Fraction(squares, n * (n - ddof) * 100**decimals)


def root(number: Fraction) -> Decimal:
    """Return the square root, to 60 digits."""
    return EXACT.sqrt(decimal(number))


def decimal(number: Fraction) -> Decimal:
    """Return a fraction as a decimal of 60 digits."""
    return EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))


def correlation(x: Sequence[int], y: Sequence[int]) -> Decimal:
    """Return Pearson's correlation coefficient of two columns of integers; a common factor of a column is nothing."""
    n = len(x)
    xy = n * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y)
    xx = n * sum(a * a for a in x) - sum(x) ** 2
    yy = n * sum(b * b for b in y) - sum(y) ** 2
    if n < 3 or not xx or not yy:
        raise Undefined("fewer than three rows, or a column with one value")
    r = root(Fraction(xy * xy, xx * yy))
    return -r if xy < 0 else r


def pearson(x: Sequence[int], y: Sequence[int]) -> Test:
    """Return Pearson's r and its two-sided p value: t of n - 2 degrees of freedom."""
    from scipy.special import betainc

    r = correlation(x, y)
    degrees = len(x) - 2
    left = float(1 - r * r)
    # P(|T| > t) = I(v / (v + t^2); v/2, 1/2), and v / (v + t^2) is 1 - r^2 (Abramowitz and Stegun 26.7.1)
    return Test(r, float(betainc(degrees / 2, 0.5, min(max(left, 0.0), 1.0))))


def spearman(x: Integers, y: Integers) -> Test:
    """Return Spearman's rank correlation, tied values at their mean rank, and p by the same t."""
    return pearson(ranks(x), ranks(y))


def ranks(values: Integers) -> list[int]:
    """Return twice the rank of each value; equal values have the mean of their ranks."""
    import numpy as np

    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    doubled = 2 * last - times + 1  # of ranks a to b: a + b
    found: list[int] = doubled[place.reshape(-1)].tolist()
    return found


def chi_square(x: Sequence[int], y: Sequence[int]) -> Test:
    """Return Pearson's chi-square of the table of two categories, without Yates' correction."""
    from scipy.special import gammaincc

    n = len(x)
    rows, columns, cells = Counter(x), Counter(y), Counter(zip(x, y, strict=True))
    degrees = (len(rows) - 1) * (len(columns) - 1)
    if not degrees:
        raise Undefined("a category with one level")
    total = sum(
        (Fraction(count * count, rows[a] * columns[b]) for (a, b), count in cells.items()), Fraction()
    )
    statistic = n * (total - 1)
    return Test(decimal(statistic), float(gammaincc(degrees / 2, float(statistic) / 2)))


def anova(groups: Sequence[int], values: Sequence[int]) -> Test:
    """Return F of a one-way analysis of variance of `values` between `groups`."""
    from scipy.special import betainc

    members = grouped(groups, values)
    n, k = len(values), len(members)
    if k < 2 or n <= k:
        raise Undefined("fewer than two groups, or one row in each")
    total = Fraction(sum(values) ** 2, n)
    parts = sum((Fraction(sum(each) ** 2, len(each)) for each in members), Fraction())
    between, within = parts - total, sum(each * each for each in values) - parts
    if not within or not between:
        raise Undefined("no variation within groups or between them")
    f = (between / (k - 1)) / (within / (n - k))
    # P(F' > f) = I(v2 / (v2 + v1 f); v2/2, v1/2) (Abramowitz and Stegun 26.6.2)
    tail = betainc((n - k) / 2, (k - 1) / 2, float(within / (within + between)))
    return Test(decimal(f), float(tail))


def kruskal_wallis(groups: Sequence[int], values: Integers) -> Test:
    """Return H, corrected for ties, and p by chi-square of one degree of freedom fewer than groups."""
    from scipy.special import gammaincc

    doubled = ranks(values)
    members = grouped(groups, doubled)
    n, k = len(doubled), len(members)
    if k < 2 or n <= k:
        raise Undefined("fewer than two groups, or one row in each")
    ties = 1 - Fraction(sum(t**3 - t for t in Counter(doubled).values()), n**3 - n)
    if not ties:
        raise Undefined("all values are equal")
    squares = sum((Fraction(sum(each) ** 2, 4 * len(each)) for each in members), Fraction())
    h = (Fraction(12, n * (n + 1)) * squares - 3 * (n + 1)) / ties
    return Test(decimal(h), float(gammaincc((k - 1) / 2, float(h) / 2)))


def grouped(groups: Sequence[int], values: Sequence[int]) -> list[list[int]]:
    """Return the values of each group."""
    members: dict[int, list[int]] = {}
    for group, value in zip(groups, values, strict=True):
        members.setdefault(group, []).append(value)
    return list(members.values())


def as_text(number: Decimal) -> str:
    """Return a number with 18 significant digits, without an exponent."""
    return format(Context(prec=SHOWN).plus(number), "f")


def well_placed(number: Decimal, digits: int) -> bool:
    """Return whether no fair reading of a number rounded to `digits` differs from another.

    Graders compare one digit fewer than was asked for, of an answer that is itself rounded. So the number may not be
    near a place where rounding changes: 0.06 of a unit of the digit that is compared, since rounding to one more moves
    it by 0.05; 0.001 of a unit of the last digit. Nor may rounding lead to another power of ten.

    >>> well_placed(Decimal("1.2449"), 3), well_placed(Decimal("1.231"), 3), well_placed(Decimal("9.97"), 2)
    (False, True, False)
    """
    if not number:
        return False
    size = number.adjusted()
    for kept, margin in ((digits - 1, Decimal("0.06")), (digits, Decimal("0.001"))):
        units = abs(number).scaleb(kept - 1 - size, EXACT)
        if abs(EXACT.remainder(units, Decimal(1)) - Decimal("0.5")) < margin:
            return False
        if round(units) >= 10**kept:
            return False
    return True
