"""Expressions of dependent variables: which columns and conditions move an outcome, how, and by how much.

An outcome starts in the middle of its range. Each driver moves it by a share of the range, in one of a few forms
(straight line, saturation, optimum, step, table of levels), noise is added, and what leaves the range is brought
back to its bounds. Drivers are put on a common scale by the centre and the spread of their distribution.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labrig_repository.gym.expressions import Binary, Expression, Noise, Step, Table, Variable, added
from labrig_repository.gym.expressions import number as constant
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.specification import FileVariable, Number, Placeholder
from labrig_repository.gym.taxonomy.field import Dependent, Draw
from labrig_repository.gym.values import Levels

REACH = 0.28
"""Share of the range by which all drivers together move the outcome to either side."""
NOISE = (3, 10)
"""Standard deviation of the noise, in percent of the range: drawn between these."""
WIDEST_RATIO = 20.0
"""Conditions whose greatest level is more than this times the least act by rank, not by size."""


@dataclass(frozen=True, slots=True)
class _Move:
    """A driver and by how much it moves the outcome to either side, with its sign."""

    driver: FileVariable | Placeholder
    size: float
    either: bool


def expression(
    draws: Draws, outcome: Dependent, present: Mapping[str, FileVariable | Placeholder]
) -> Expression:
    """Return what an outcome is computed from.

    Parameters
    ----------
    present
        The columns and placeholders of the repository by name; a driver that is not among them has no effect.
    """
    drivers = [(present[each.name], each.sign) for each in outcome.drivers if each.name in present]
    chosen = draws.some(drivers, draws.between(min(2, len(drivers)), min(5, len(drivers))))
    width = outcome.high - outcome.low
    shares = [draws.between(2, 6) for _ in chosen]
    moves = [
        _Move(driver, (-1.0 if sign == "-" else 1.0) * REACH * width * share / sum(shares), sign == "~")
        for (driver, sign), share in zip(chosen, shares, strict=True)
    ]
    middle = outcome.low + width * draws.between(42, 56) / 100
    terms = [constant(middle), *(_term(draws, each) for each in moves)]
    product = _product(draws, moves)
    noise = Binary("*", constant(width * draws.between(*NOISE) / 100), Noise())
    total = added(*terms, *product, noise)
    low, high = constant(outcome.low, 12), constant(outcome.high, 12)
    return Binary("min", Binary("max", total, low), high)


def _term(draws: Draws, move: _Move) -> Expression:
    """Return what one driver adds."""
    driver = move.driver
    if _is_table(driver):
        return _table(draws, driver, move)
    size = -move.size if move.either and draws.chance(1, 2) else move.size
    centre, spread = _scale(driver)
    x = Variable(driver.name)
    half = constant(0.5)
    forms = (
        ["line", "line", "step", "optimum"] if move.either else ["line", "line", "line", "step", "saturation"]
    )
    form = draws.one(forms)
    if form == "saturation" and _least(driver) >= 0 and centre > 0:
        part = Binary("/", x, Binary("+", constant(centre), x))
        return Binary("*", constant(2 * size), Binary("-", part, half))
    if form == "step":
        return Binary("*", constant(2 * size), Binary("-", Step(x, constant(centre).text), half))
    if form == "optimum":
        scaled = Binary("/", Binary("-", x, constant(centre)), constant(spread))
        capped = Binary("min", Binary("*", scaled, scaled), constant(1))
        return Binary("*", constant(2 * size), Binary("-", half, capped))
    return Binary("*", constant(size / spread), Binary("-", x, constant(centre)))


def _product(draws: Draws, moves: Sequence[_Move]) -> list[Expression]:
    """Return the product of two numeric drivers as one more term, or nothing."""
    numeric = [each for each in moves if not _is_table(each.driver)]
    if len(numeric) < 2 or not draws.chance(1, 3):
        return []
    first, second = draws.some(numeric, 2)
    factors = []
    for move in (first, second):
        centre, spread = _scale(move.driver)
        scaled = Binary("/", Binary("-", Variable(move.driver.name), constant(centre)), constant(spread))
        factors.append(Binary("max", constant(-1), Binary("min", scaled, constant(1))))
    size = constant(min(abs(first.size), abs(second.size)) * (1 if draws.chance(1, 2) else -1) / 2)
    return [Binary("*", Binary("*", size, factors[0]), factors[1])]


def _is_table(driver: FileVariable | Placeholder) -> bool:
    if isinstance(driver, FileVariable):
        return isinstance(driver.form, Levels)
    numbers = [float(each) for each in driver.numbers]
    return not numbers or min(numbers) <= 0 or max(numbers) > WIDEST_RATIO * min(numbers)


def _table(draws: Draws, driver: FileVariable | Placeholder, move: _Move) -> Expression:
    """Return a number for each level: rising or falling where the driver has a sign, else in any order."""
    if isinstance(driver, FileVariable):
        assert isinstance(driver.form, Levels)
        levels = driver.form.texts
    else:
        levels = driver.values
    last = len(levels) - 1
    jitter = [draws.between(-9, 9) / 20 for _ in levels]  # a step is 2: the order stays
    even = [move.size * (2 * place + each - last) / last for place, each in enumerate(jitter)]
    if move.either:
        even = draws.some(even, len(even))
    return Table(driver.name, levels, tuple(constant(each).text for each in even))


def _least(driver: FileVariable | Placeholder) -> float:
    if isinstance(driver, FileVariable) and isinstance(driver.source, Number):
        return driver.source.low
    return 0.0


def _scale(driver: FileVariable | Placeholder) -> tuple[float, float]:
    """Return the centre of a driver and the distance from it that is taken as far."""
    if isinstance(driver, Placeholder):
        numbers = [float(each) for each in driver.numbers]
        return (min(numbers) + max(numbers)) / 2, (max(numbers) - min(numbers)) / 2
    assert isinstance(driver.source, Number)
    source = driver.source
    mean, deviation = moments(source.draw, source.low, source.high)
    return mean, 2 * deviation


def moments(draw: Draw, low: float, high: float) -> tuple[float, float]:
    """Return mean and standard deviation of a distribution, before it is brought to its bounds."""
    width = high - low
    match draw.distribution, draw.parameters:
        case "Bernoulli", (p,):
            return p, math.sqrt(p * (1 - p))
        case "Binomial", (n, p):
            return n * p, math.sqrt(n * p * (1 - p))
        case "Geometric", (p,):
            return 1 / p, math.sqrt(1 - p) / p
        case "NegativeBinomial", (r, p):
            return r * (1 - p) / p, math.sqrt(r * (1 - p)) / p
        case "Poisson", (mean,):
            return mean, math.sqrt(mean)
        case "Beta", (a, b):
            return low + width * a / (a + b), width * math.sqrt(a * b / (a + b + 1)) / (a + b)
        case "Exponential", (mean,):
            return low + mean, mean
        case "Normal", (mean, deviation):
            return mean, deviation
        case "Uniform", ():
            return low + width / 2, width / math.sqrt(12.0)
    raise ValueError(f"{draw.distribution} of {len(draw.parameters)} parameters")
