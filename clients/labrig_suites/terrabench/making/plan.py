"""An item while it is put together: files, sentences, calls, and numbers asked for with the formula that gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from labrig_suites.terrabench.reckoning import Formula

DIGITS = 9
"""Of true values, and of arguments that come out of results."""


class Number:
    """A formula over results (`labrig_suites.terrabench.reckoning`) that arithmetic makes longer.

    >>> (2 * Number({"of": 0, "at": ["mean"]})).formula
    {'do': 'mul', 'with': [2, {'of': 0, 'at': ['mean']}]}
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def __add__(self, other: Number | float) -> Number:
        return combined("add", self, other)

    def __sub__(self, other: Number | float) -> Number:
        return combined("sub", self, other)

    def __mul__(self, other: Number | float) -> Number:
        return combined("mul", self, other)

    def __rmul__(self, other: float) -> Number:
        return combined("mul", other, self)

    def __truediv__(self, other: Number | float) -> Number:
        return combined("div", self, other)


def combined(operation: str, *values: Number | float) -> Number:
    """Return an operation of numbers and formulas."""
    return Number(
        {"do": operation, "with": [each.formula if isinstance(each, Number) else each for each in values]}
    )


@dataclass(frozen=True)
class Result:
    """The result of a planned call."""

    place: int

    def at(self, *steps: str | int) -> Number:
        """Return what the result will have there."""
        return Number({"of": self.place, "at": list(steps)})

    def find(self, pattern: str, group: int = 1) -> Number:
        """Return what a group of a regular expression will find in the result's text, spaces made one."""
        return Number({"of": self.place, "find": pattern, "group": group})


@dataclass(frozen=True)
class Found:
    """An argument that comes out of earlier results, and what it truly is: a number, words, or a list of numbers."""

    number: Number | tuple[Number, ...]
    value: float | str | tuple[float, ...]

    @property
    def formula(self) -> Formula | list[Formula]:
        """The formula, or one for each number of a list."""
        return (
            self.number.formula if isinstance(self.number, Number) else [each.formula for each in self.number]
        )


@dataclass(frozen=True)
class Tolerance:
    """How far off a value may be, and why."""

    absolute: float
    why: str
    relative: float = 0.0


@dataclass
class Plan:
    """What the stages of an item have put together so far.

    Attributes
    ----------
    files
        Of the workspace, by path.
    questions
        What is asked, one text for each stage that asks something.
    keys
        Fields of the answer in their order: what each is, with its unit.
    steps
        The hidden instruction prompt, a line for each stage.
    needs
        Side environments that the calls need.
    document
        By key, what the document prints.
    kept
        Results that a later stage uses, by name.
    skipped
        Calls that the reference makes and another accepted path does without.
    """

    files: dict[str, str | bytes] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    bound: dict[str, dict[str, Formula | list[Formula]]] = field(default_factory=dict)
    formulas: dict[str, Formula] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)
    needs: set[str] = field(default_factory=set)
    document: dict[str, float] = field(default_factory=dict)
    kept: dict[str, Result] = field(default_factory=dict)
    skipped: list[int] = field(default_factory=list)

    def call(self, tool: str, **arguments: Any) -> Result:
        """Add a call; an argument that is `Found` is computed from results when the call is made."""
        place = len(self.calls)
        found = {name: each for name, each in arguments.items() if isinstance(each, Found)}
        plain = {
            name: each if not isinstance(each, Found) else _plain(each.value)
            for name, each in arguments.items()
        }
        self.calls.append({"tool": tool, "arguments": plain})
        if found:
            self.bound[str(place)] = {name: each.formula for name, each in found.items()}
        return Result(place)

    def ask(self, key: str, about: str, value: float, number: Number, tolerance: Tolerance) -> None:
        """Add a field of the answer.

        Raises
        ------
        ValueError
            The key is asked for already: two stages are not to share one.
        """
        if key in self.keys:
            raise ValueError(f"{key} is asked for twice")
        self.keys[key] = about
        self.formulas[key] = number.formula
        self.why[key] = tolerance.why
        self.rows.append(
            {
                "key": key,
                "value": significant(float(value)),
                "abs_tol": significant(tolerance.absolute, 3),
                "rel_tol": tolerance.relative,
                "floor_scale": 0,
            }
        )

    def truth(self) -> Mapping[str, Any]:
        """Return the truth of the item, as `labrig_suites.terrabench.truth` reads it, with what solutions need."""
        return {
            "fields": self.rows,
            "paths": [self.calls, *self._shorter()],
            "bound": self.bound,
            "formulas": self.formulas,
            "tolerances": self.why,
            "instructions": self.steps,
            **({"document": self.document} if self.document else {}),
        }

    def _shorter(self) -> list[list[dict[str, Any]]]:
        """Return the path without the calls that can be done without, where there are any."""
        kept = [call for place, call in enumerate(self.calls) if place not in self.skipped]
        return [kept] if self.skipped else []


def _plain(value: float | str | tuple[float, ...]) -> float | str | list[float]:
    if isinstance(value, tuple):
        return [significant(each) for each in value]
    return value if isinstance(value, str) else significant(value)


def significant(value: float, digits: int = DIGITS) -> float:
    """Return a number with so many significant digits."""
    return float(f"{value:.{digits}g}")
