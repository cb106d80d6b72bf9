"""Logarithm and exponential from + - * / alone, so that they have the same bits everywhere.

`np.log` and `np.exp` differ in the last bit between versions of numpy and between processors (measured: numpy
1.26 and 2.4, and SIMD switched off). Sums, products and quotients are rounded as IEEE 754 says, and taking a
float apart into mantissa and exponent rounds nothing.
"""

from __future__ import annotations

import numpy as np

from labrig_repository.gym.numbers import Reals

LN2_HIGH = float.fromhex("0x1.62e42feep-1")
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
"""ln 2 in two parts (fdlibm): a small integer times the first is exact."""
LEAST = -700.0
"""Below this the exponential is taken as that of this number, about 1e-304: no subnormal numbers."""


def logarithm(x: Reals) -> Reals:
    """Return the natural logarithm of positive numbers, to 4 units of the last place.

    With x = m 2**e and m from sqrt(1/2) to sqrt(2), ln m = 2 artanh((m - 1)/(m + 1)); the series is cut where
    its next term is below 1e-18.
    """
    m, e = np.frexp(x)
    small = m < 0.7071067811865476
    m = np.where(small, m + m, m)
    e = np.where(small, e - 1, e).astype(np.float64)
    s = (m - 1.0) / (m + 1.0)
    square = s * s
    series = np.zeros_like(s)
    for odd in range(21, 0, -2):
        series = series * square + 1.0 / odd
    return e * LN2_HIGH + (e * LN2_LOW + (s + s) * series)


def exponential(x: Reals) -> Reals:
    """Return e**x for x up to 700, to 4 units of the last place; `LEAST` stands for what is less.

    With x = k ln 2 + r and |r| <= ln(2)/2, e**r is its Taylor series up to r**13.
    """
    x = np.maximum(x, LEAST)
    k = np.rint(x / LN2_HIGH)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    series = np.ones_like(r)
    for n in range(13, 0, -1):
        series = series * r / n + 1.0
    scaled: Reals = np.ldexp(series, k.astype(np.int32))
    return scaled
