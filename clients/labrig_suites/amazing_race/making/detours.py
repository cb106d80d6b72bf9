"""The 14 detours: an analytical transform of the value of an earlier stop, as the published generator has them.

Numbers are reduced to their whole part and taken without their sign. Each transform says which values it takes:
the least whole number (``int(float(value))``) from which its result is not the value itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from labrig_suites.amazing_race.values import whole

SCRABBLE = {
    letter: points
    for points, letters in (
        *((1, "aeilnorstu"), (2, "dg"), (3, "bcmp"), (4, "fhvwy")),
        *((5, "k"), (8, "jx"), (10, "qz")),
    )
    for letter in letters
}
"""Points of letters in English."""
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"))
ROMAN = (*_ROMAN, (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


@dataclass(frozen=True)
class Detour:
    """A transform.

    Attributes
    ----------
    takes
        ``number``: any whole number from `least` to `most`; ``year``: the same, and only a year is asked for;
        ``text``: a name.
    words
        How a clue asks for it, with ``{}`` for what is transformed.
    code
        The lines of Python that compute ``result`` from ``value``: the published form keeps such code with a stop.
    """

    name: str
    takes: Literal["number", "year", "text"]
    least: int
    most: int
    words: str
    apply: Callable[[Any], int]

    def able(self, value: Any, kind: str) -> bool:
        """Return whether it can transform a value of a kind (``number``, ``year`` or ``text``)."""
        if self.takes == "text":
            return kind == "text" and any(letter in SCRABBLE for letter in str(value).casefold())
        number = whole(value)
        if number is None or (self.takes == "year") != (kind == "year"):
            return False
        return self.least <= abs(number) <= self.most


def prime_factors(number: int) -> list[int]:
    """Return the distinct prime factors of a number of 2 or more, the smallest first."""
    found, divisor = [], 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            found.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    return [*found, number] if number > 1 else found


def next_prime(number: int) -> int:
    """Return the smallest prime above a number."""
    following = number + 1
    while prime_factors(following) != [following]:
        following += 1
    return following


def divisors(number: int) -> int:
    """Return how many divisors a number has, 1 and itself among them."""
    count = 1
    for prime in prime_factors(number):
        times = 0
        while number % prime == 0:
            number //= prime
            times += 1
        count *= times + 1
    return count


def roman_letters(number: int) -> int:
    """Return how many letters a number from 1 to 3999 has in Roman numerals."""
    count = 0
    for value, letters in ROMAN:
        count += number // value * len(letters)
        number %= value
    return count


def digital_root(number: int) -> int:
    """Return the digit that is left when the digits are added again and again."""
    return 0 if number == 0 else (number - 1) % 9 + 1


def day_of_week(year: int) -> int:
    """Return the weekday of 1 January of a year, Monday 1 to Sunday 7."""
    return date(year, 1, 1).isoweekday()


def leap_years_to_2000(year: int) -> int:
    """Return how many leap years lie between a year and 2000, both among them."""
    first, last = sorted((year, 2000))
    return sum(each % 4 == 0 and (each % 100 != 0 or each % 400 == 0) for each in range(first, last + 1))


def scrabble(text: str) -> int:
    """Return the Scrabble points of the letters a to z of a text."""
    return sum(SCRABBLE.get(letter, 0) for letter in text.casefold())


def vowels(text: str) -> int:
    """Return how many letters a, e, i, o and u a text has."""
    return sum(letter in "aeiou" for letter in text.casefold())


def first_letter(text: str) -> int:
    """Return the place in the alphabet of the first letter a to z of a text."""
    return next(ord(letter) - 96 for letter in text.casefold() if letter in SCRABBLE)


def _number(function: Callable[[int], int]) -> Callable[[Any], int]:
    return lambda value: function(abs(whole(value) or 0))


MOST = 10**7
"""Above it factors and primes take long to find by hand, and a product of them is no number that a person checks."""
DETOURS = tuple(
    Detour(name, takes, least, most, words, _number(function) if takes != "text" else function)  # type: ignore[arg-type]
    for name, takes, least, most, words, function in (
        ("next_prime", "number", 2, MOST, "the smallest prime number above {}", next_prime),
        ("num_divisors", "number", 4, MOST, "how many divisors {} has, counting 1 and itself", divisors),
        (
            *("sum_prime_factors", "number", 4, MOST, "the sum of the distinct prime factors of {}"),
            lambda number: sum(prime_factors(number)),
        ),
        (
            *("largest_prime_factor", "number", 4, MOST, "the largest prime factor of {}"),
            lambda number: prime_factors(number)[-1],
        ),
        (
            *("roman_numeral_letter_count", "number", 1, 3999, "how many letters {} has in Roman numerals"),
            roman_letters,
        ),
        (
            *("binary_1bit_count", "number", 2, MOST, "how many ones {} has in binary"),
            int.bit_count,
        ),
        (
            "digit_reversal",
            "number",
            10,
            MOST,
            "{} with its digits in reverse",
            lambda number: int(str(number)[::-1]),
        ),
        ("digital_root", "number", 10, MOST, "the digital root of {}", digital_root),
        (
            "digit_sum",
            "number",
            10,
            MOST,
            "the sum of the digits of {}",
            lambda number: sum(map(int, str(number))),
        ),
        (
            *(
                "day_of_week",
                "year",
                1583,
                2100,
                "the weekday of 1 January in the year of {}, Monday as 1 to Sunday as 7",
            ),
            day_of_week,
        ),
        (
            *("leap_years_to_2000", "year", 1583, 2100),
            *("how many leap years there are from the year of {} to 2000, both included", leap_years_to_2000),
        ),
        ("scrabble_score", "text", 0, 0, "the Scrabble points (in English) of the letters of {}", scrabble),
        ("vowel_count", "text", 0, 0, "how many vowels (a, e, i, o, u) {} has", vowels),
        (
            *(
                "alpha_position_first_letter",
                "text",
                0,
                0,
                "the place in the alphabet of the first letter of {}",
            ),
            first_letter,
        ),
    )
)
BY_NAME = {each.name: each for each in DETOURS}
