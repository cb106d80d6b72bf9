"""Measures: one number for each option, None where there is nothing to measure.

Each makes two attackers, who choose the option with the largest and with the smallest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import combinations
from typing import TypeAlias

import numpy as np

from attackers.phreeqc_mcq.seen import Floats, Seen

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")


def scaled(values: Floats) -> Floats:
    """Return values on a log scale, or as they are where signs differ."""
    one_sign = bool(np.all(values > 0) or np.all(values < 0))
    line: Floats = np.sign(values) * np.log10(np.abs(values)) if one_sign else values
    return line


def ranks_of(values: Floats) -> Floats:
    """Return ranks, 0 the smallest."""
    return np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(np.float64)


def unit_range(values: Floats) -> Floats:
    """Return values between 0 and 1."""
    reach = float(np.ptp(values))
    return (values - values.min()) / reach if reach else np.zeros(len(values))


def _from_mean(values: Floats) -> Floats:
    """The medoid has the smallest: squared distances to all others add up to this and a constant."""
    line = unit_range(values)
    distances: Floats = np.abs(line - line.mean())
    return distances


def _to_nearest(values: Floats) -> Floats:
    line = unit_range(values)
    nearest: Floats = (np.abs(line[:, None] - line) + 2 * np.eye(len(line))).min(axis=1)  # 2: never to itself
    return nearest


def _equal_steps(values: Floats) -> Floats:
    """Return in how many pairs of equal differences (within 1 %) an option has part.

    Values v, v+x, v+y, v+x+y have four equal differences, and each option part in two: a parallelogram alone does not
    tell its corners apart. The middle of three evenly spaced values has part in two, its neighbours in one.
    """
    shared = np.zeros(len(values))
    for first, second in combinations(combinations(range(len(values)), 2), 2):
        a, b = abs(values[first[0]] - values[first[1]]), abs(values[second[0]] - values[second[1]])
        if abs(a - b) <= 0.01 * max(a, b):
            shared[[*first]] += 1
            shared[[*second]] += 1
    return shared


def _diagonal(values: Floats) -> Floats:
    """Return how far the opposite corner is, in the parallelogram that the four fit best."""
    line = unit_range(values)
    pairings = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
    best = min(pairings, key=lambda two: abs(line[[*two[0]]].sum() - line[[*two[1]]].sum()))
    lengths = np.zeros(len(line))
    for pair in best:
        lengths[[*pair]] = abs(line[pair[0]] - line[pair[1]])
    return lengths


def _round_factors(values: Floats) -> Floats:
    """Return to how many others the factor is 2, 10, 100 or 1000, within half a percent."""
    if not values.all():
        return np.zeros(len(values))
    factors = np.abs(np.log10(np.abs(values[:, None] / values)))
    close = [np.abs(factors - math.log10(factor)) < math.log10(1.005) for factor in (2, 10, 100, 1000)]
    counts: Floats = np.any(close, axis=0).sum(axis=1).astype(float)
    return counts


def _digits(number: str) -> str:
    """Return the digits of a number from the first that is not 0, those of an exponent left out."""
    return number.partition("e")[0].replace("-", "").replace(".", "").lstrip("0")


def _decimals(number: str) -> int:
    return len(number.partition("e")[0].partition(".")[2])


def _significant(item: Seen) -> Floats:
    return np.array([float(len(_digits(each).rstrip("0"))) for each in item.numbers])


def _from_round(item: Seen) -> Floats:
    """Return how far a value is from one with two digits."""
    return np.array([abs(x / float(f"{x:.1e}") - 1) if x else 0.0 for x in item.values])


def _same_start(item: Seen) -> Floats:
    """Return how many leading digits are shared with the other options, in all."""

    def shared(a: str, b: str) -> int:
        return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))

    digits = [("-" in each[:1]) * "-" + _digits(each) for each in item.numbers]
    return np.array([float(sum(shared(one, other) for other in digits)) for one in digits])


def _same_form(item: Seen) -> Floats:
    """Return how many options have the same sign, unit, exponent and number of decimals."""
    forms = [
        (number.startswith("-"), "e" in number, _decimals(number), unit)
        for number, unit in zip(item.numbers, item.units, strict=True)
    ]
    return np.array([float(forms.count(each)) for each in forms])


def _benford(item: Seen) -> Floats:
    return np.array([math.log10(1 + 1 / int(_digits(each)[:1] or "9")) for each in item.numbers])


def _from_question(item: Seen) -> Floats | None:
    """Return how far, as a factor, the nearest number of the question is."""
    told = np.array([float(each) for each in NUMBER.findall(item.question)])
    told = told[told > 0]
    if not len(told) or not item.values.all():
        return None
    nearest: Floats = np.abs(np.log10(np.abs(item.values)[:, None] / told)).min(axis=1)
    return nearest


def _from_seven(item: Seen) -> Floats | None:
    return np.abs(item.values - 7) if re.search(r"\bpH\b", item.asked) and not item.units[0] else None


def _from_zero(item: Seen) -> Floats | None:
    return np.abs(item.values) if "saturation index" in item.asked and not item.units[0] else None


Measure: TypeAlias = Callable[[Seen], Floats | None]


def _of_numbers(measure: Measure) -> Measure:
    return lambda item: None if item.names else measure(item)


def _of_words(measure: Measure) -> Measure:
    return lambda item: measure(item) if item.names else None


def _shared_names(names: tuple[tuple[str, ...], ...]) -> Floats:
    """Return how often the names of an option stand in the others, in all."""
    return np.array(
        [float(sum(name in other for other in names for name in each) - len(each)) for each in names]
    )


def _out_of_order(item: Seen) -> Floats:
    """Return how many pairs of names stand in another order than in the question."""
    places = [[item.asked.find(name.split(" ")[0]) for name in each] for each in item.names]
    return np.array([float(sum(a > b for a, b in combinations(each, 2))) for each in places])


MEASURES: dict[str, Measure] = {
    "value": lambda item: ranks_of(item.values),  # of ranks: values may be powers of ten apart
    "absolute value": lambda item: ranks_of(np.abs(item.values)),
    "distance from the mean": lambda item: _from_mean(item.values),
    "distance from the mean, log": lambda item: _from_mean(scaled(item.values)),
    "distance from the middle rank": lambda item: np.abs(ranks_of(item.values) - 1.5),
    "distance to the nearest": lambda item: _to_nearest(item.values),
    "distance to the nearest, log": lambda item: _to_nearest(scaled(item.values)),
    "shared differences": lambda item: _equal_steps(item.values),
    "shared factors": lambda item: _equal_steps(scaled(item.values)),
    "diagonal of parallelogram": lambda item: _diagonal(item.values),
    "diagonal of parallelogram, log": lambda item: _diagonal(scaled(item.values)),
    "round factors to others": lambda item: _round_factors(item.values),
    "significant digits": _significant,
    "distance from two digits": _from_round,
    "last digit": lambda item: np.array([float(each.partition("e")[0][-1:]) for each in item.numbers]),
    "decimals": lambda item: np.array([float(_decimals(each)) for each in item.numbers]),
    "leading digits shared": _same_start,
    "others of the same form": _same_form,
    "length of the text": lambda item: np.array([float(len(each)) for each in item.texts]),
    "Benford's share": _benford,
}
MEASURES = {
    **{name: _of_numbers(each) for name, each in MEASURES.items()},
    "words: place in the alphabet": _of_words(lambda item: item.values),
    "words: length of the text": _of_words(lambda item: np.array([float(len(each)) for each in item.texts])),
    "words: how many names": _of_words(lambda item: np.array([float(len(each)) for each in item.names])),
    "words: names shared with others": _of_words(lambda item: _shared_names(item.names)),
    "words: names in the same places": _of_words(
        lambda item: _shared_names(
            tuple(tuple(f"{n} {name}" for n, name in enumerate(each)) for each in item.names)
        )
    ),
    "words: same first name": _of_words(lambda item: _shared_names(tuple(each[:1] for each in item.names))),
    "words: first name early in the question": _of_words(
        lambda item: np.array([float(item.asked.find(each[0].split(" ")[0])) for each in item.names])
    ),
    "words: names out of the question's order": _of_words(lambda item: _out_of_order(item)),
    "words: how many rise": _of_words(
        lambda item: np.array([float(each.count("rises")) for each in item.texts])
    ),
}
OF_QUESTION: dict[str, Measure] = {
    "distance from the question's numbers": _of_numbers(_from_question),
    "distance of a pH from 7": _of_numbers(_from_seven),
    "distance of an SI from 0": _of_numbers(_from_zero),
}
