"""The program that the second solution runs in the sandbox: detours, programs and the finish line, another way.

It stands alone, since the sandbox has nothing of Labrig: `another` sends this file's text, and behind it a call of
`finish`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

POINTS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        (1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10),
        strict=True,
    )
)
ROMAN = ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I")
WORTH = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)


def whole(value: Any) -> int:
    return int(abs(float(value)))


def letters(text: str) -> list[str]:
    return [each for each in text.lower() if each in POINTS]


def factors(n: int) -> set[int]:
    found, divisor = set(), 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found.add(divisor)
            n //= divisor
        divisor += 1
    return found | ({n} if n > 1 else set())


def prime_above(n: int) -> int:
    n += 1
    while factors(n) != {n}:
        n += 1
    return n


def divisors(n: int) -> int:
    return sum((d * d != n) + 1 for d in range(1, int(n**0.5) + 1) if n % d == 0)


def roman(n: int) -> str:
    text = ""
    for worth, numeral in zip(WORTH, ROMAN, strict=True):
        while n >= worth:
            text, n = text + numeral, n - worth
    return text


def root(n: int) -> int:
    while n > 9:
        n = sum(map(int, str(n)))
    return n


def leap_years(year: int) -> int:
    span = range(min(year, 2000), max(year, 2000) + 1)
    return sum(each % 400 == 0 or (each % 4 == 0 and each % 100 != 0) for each in span)


DO: dict[str, Callable[..., int]] = {
    "next_prime": lambda value: prime_above(whole(value)),
    "num_divisors": lambda value: divisors(whole(value)),
    "sum_prime_factors": lambda value: sum(factors(whole(value))),
    "largest_prime_factor": lambda value: max(factors(whole(value))),
    "roman_numeral_letter_count": lambda value: len(roman(whole(value))),
    "binary_1bit_count": lambda value: bin(whole(value)).count("1"),
    "digit_reversal": lambda value: int(str(whole(value))[::-1]),
    "digital_root": lambda value: root(whole(value)),
    "digit_sum": lambda value: sum(map(int, str(whole(value)))),
    "day_of_week": lambda value: date(whole(value), 1, 1).weekday() + 1,
    "leap_years_to_2000": lambda value: leap_years(whole(value)),
    "scrabble_score": lambda text: sum(POINTS[each] for each in letters(text)),
    "vowel_count": lambda text: sum(each in "aeiou" for each in text.lower()),
    "alpha_position_first_letter": lambda text: ord(letters(text)[0]) - 96,
    "add": lambda a, b: int(float(a)) + int(float(b)),
    "abs_diff": lambda a, b: abs(int(float(a)) - int(float(b))),
    "days": lambda a, b: abs((date.fromisoformat(a) - date.fromisoformat(b)).days),
    "times": lambda a, factor: int(int(float(a)) * factor),
}


def finish(known: str, steps: str, operands: str, kind: str) -> None:
    """Print the digit and the number; values, steps (place, name, places, numbers) and operands are JSON."""
    values = json.loads(known)
    for place, name, sources, more in json.loads(steps):
        values[str(place)] = DO[name](*(values[str(each)] for each in sources), *more)
    numbers = [int(float(values[str(each)])) for each in json.loads(operands)]
    number = sum(numbers)
    if kind == "abs":
        number = abs(numbers[0] - numbers[1])
    elif kind == "*":
        number = numbers[0] * numbers[1]
    print(json.dumps([root(number) if kind == "root" else number % 10, number]))
