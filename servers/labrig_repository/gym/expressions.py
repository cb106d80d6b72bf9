"""The language of dependent variables: what a number in a file is computed from.

An expression is a tree of numbers, variables, + - * /, the lesser or greater of two, a table of the levels of a
category, a step at a threshold, and noise. It is evaluated on float64 arrays in the order of the tree, one rounded
operation after another, so it gives the same bits everywhere. As text it is what a reader of a truth file sees:
``12.5 + 0.8 * (temp_C - 25) + table(strain: wt 0, mutant -1.5) + 0.4 * noise()``; ``noise()`` is a Normal number
with mean 0 and standard deviation 1, another one for each cell.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from labrig_repository.gym.numbers import Integers, Reals

Operator = Literal["+", "-", "*", "/", "min", "max"]

APPLY: dict[Operator, Callable[[Reals, Reals], Reals]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}
BINDS: dict[Operator, int] = {"+": 1, "-": 1, "*": 2, "/": 2, "min": 3, "max": 3}


@dataclass(frozen=True, slots=True)
class Number:
    """A constant, held as the text of a decimal number."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Variable:
    """A numeric variable of the file or of its path."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of the cell."""

    def __str__(self) -> str:
        return "noise()"


@dataclass(frozen=True, slots=True)
class Table:
    """A number for each level of a category of the file or of its path."""

    name: str
    levels: tuple[str, ...]
    numbers: tuple[str, ...]

    def __str__(self) -> str:
        pairs = zip(self.levels, self.numbers, strict=True)
        return f"table({self.name}: {', '.join(f'{level} {number}' for level, number in pairs)})"


@dataclass(frozen=True, slots=True)
class Step:
    """1 from a threshold on, 0 below it."""

    of: Expression
    threshold: str

    def __str__(self) -> str:
        return f"step({self.of} >= {self.threshold})"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two expressions and what is done with them."""

    operator: Operator
    left: Expression
    right: Expression

    def __str__(self) -> str:
        if self.operator in ("min", "max"):
            return f"{self.operator}({self.left}, {self.right})"
        binds = BINDS[self.operator]
        left = _bracketed(self.left, binds)
        return f"{left} {self.operator} {_bracketed(self.right, binds + 1)}"


Expression = Number | Variable | Noise | Table | Step | Binary


@dataclass(frozen=True, slots=True)
class Inputs:
    """What an expression is evaluated on, cell by cell.

    Attributes
    ----------
    numbers
        Gives the values of a numeric variable.
    places
        Gives, for a category, the place of each cell's level.
    noise
        One Normal number for each cell.
    """

    numbers: Callable[[str], Reals]
    places: Callable[[str], Integers]
    noise: Reals


def evaluate(expression: Expression, inputs: Inputs) -> Reals:
    """Return the value for each cell."""
    match expression:
        case Number(text):
            return np.array([float(text)])
        case Variable(name):
            return inputs.numbers(name)
        case Noise():
            return inputs.noise
        case Table(name, _, numbers):
            table: Reals = np.array([float(each) for each in numbers])
            return table[inputs.places(name)]
        case Step(of, threshold):
            return (evaluate(of, inputs) >= float(threshold)).astype(np.float64)
        case Binary(operator, left, right):
            return APPLY[operator](evaluate(left, inputs), evaluate(right, inputs))


def names(expression: Expression) -> frozenset[str]:
    """Return the variables that an expression is computed from."""
    return frozenset(each.name for each in parts(expression) if isinstance(each, Variable | Table))


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and everything in it."""
    yield expression
    match expression:
        case Step(of, _):
            yield from parts(of)
        case Binary(_, left, right):
            yield from parts(left)
            yield from parts(right)


def added(*terms: Expression) -> Expression:
    """Return the sum of terms, from the left."""
    total = terms[0]
    for term in terms[1:]:
        total = Binary("+", total, term)
    return total


def number(value: float, digits: int = 3) -> Number:
    """Return a constant, rounded to this many significant digits, in plain decimal notation."""
    text = format(
        decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN).create_decimal(repr(value)), "f"
    )
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return Number("0" if float(text) == 0 else text)


def _bracketed(expression: Expression, binds: int) -> str:
    loose = isinstance(expression, Binary) and BINDS[expression.operator] < binds
    negative = isinstance(expression, Number) and expression.text.startswith("-")
    return f"({expression})" if loose or negative else str(expression)
