"""What a stem is made of: numbers that vary, choices that a statement makes and a modeller can miss, quantities.

A `Stem` is a family of scenarios. A `Scene` is one of them: numbers, the state of every switch, the quantity that is
asked for. A switch is a choice that the statement states and that changes the result: open or closed to the air,
calcite present or not, charge balanced on chloride or not at all, mg or mmol, after the second step or the fourth.
An agent that misses it models another scene of the same stem. So a wrong option is the truth of another scene, and its
diagnosis is the switch.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from labrig_suites.common.numbers import significant, two_decimals

Numbers = Mapping[str, float]
States = Mapping[str, str]
Kind = Literal["input", "unit", "database", "step", "field"]
"""Where on the chain a missed switch lies: `step` and `field` are misread in a right output, the others built wrong."""
READING: tuple[Kind, ...] = ("step", "field")
FIELD = "quantity"
"""Name of the switch between quantities of one group."""
DATABASE = "database"
"""Name of the switch whose states are databases."""


@dataclass(frozen=True)
class Switch:
    """A choice of the statement.

    Attributes
    ----------
    states
        Two or more; each is as likely as the others, whatever the numbers are.
    mistakes
        For each state the diagnosis of modelling it where the statement says another: what was done, as a noun and a
        past participle (calcite omitted, alkalinity taken as CaCO3 instead of HCO3, value read after the first step).
    kind
        Where on the chain it is missed.
    """

    name: str
    mistakes: Mapping[str, str]
    kind: Kind = "input"

    @property
    def states(self) -> tuple[str, ...]:
        """The states, in the order of `mistakes`."""
        return tuple(self.mistakes)


@dataclass(frozen=True)
class Printed:
    """Where PHREEQC's main output prints a quantity, in each calculated state.

    Attributes
    ----------
    section
        Heading between dashes.
    row
        First words of the line.
    column
        Which number after them, from 0.
    scale
        Factor from the printed unit to that of the options.
    counted
        Whether it is the number of indented lines below that line.
    """

    section: str
    row: str
    column: int = 0
    scale: float = 1.0
    counted: bool = False


@dataclass(frozen=True)
class Quantity:
    """What is asked for.

    Attributes
    ----------
    ask
        The question, one sentence: "What is the ...?", from which the diagnosis of another field is made.
    unit
        Of the options; empty for pH, saturation indices and plain numbers.
    form
        ``ph`` and ``si``: two decimals, at least 0.02 and 0.05 between options; ``value``: four significant digits,
        at least 2 %; ``count``: a whole number; ``words``: see `judged`.
    punch
        Basic expression, in `unit`.
    printed
        Where the same stands in the main output, for the reference solution.
    group
        Quantities of one group are taken for one another (total and free calcium, alkalinity and bicarbonate): they
        have the same unit and form.
    """

    name: str
    ask: str
    unit: str
    form: Literal["ph", "si", "value", "count", "words"]
    punch: str
    printed: Printed
    group: str = ""

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """What is read for it: itself, and of a question that is answered in words all that it is judged by."""
        return (self,)

    def states(self, numbers: Numbers, states: States, state: int) -> tuple[int, ...]:
        """Return the calculated states that the parts are read in, where the question is about `state`."""
        return (state,)

    def judge(self, found: Sequence[float | None]) -> float | None:
        """Return the value of the numbers that were read; None where they give none."""
        return found[0]

    def rounded(self, value: float) -> float:
        """Return the number that an option shows."""
        return float(self.show(value).split()[0])

    def show(self, value: float) -> str:
        """Return the text of an option."""
        if self.form == "value":
            return f"{significant(value)} {self.unit}".strip()
        if self.form == "count":
            return f"{value:.0f}"
        return two_decimals(value)

    def gap(self, first: float, second: float) -> float:
        """Return the distance of two values, as a multiple of the least that options must have."""
        if self.form == "value":
            largest = max(abs(first), abs(second))
            return abs(first - second) / (0.02 * largest) if largest else 0.0
        return abs(first - second) / {"ph": 0.02, "si": 0.05, "count": 1.0}[self.form]

    def same(self, read: float, option: float) -> bool:
        """Whether a number that was read is an option: nearer than half of what options are apart at least."""
        return self.gap(read, option) < 0.5


def _last(numbers: Numbers, states: States) -> int:
    return -1


@dataclass(frozen=True)
class Stem:
    """A family of scenarios.

    Attributes
    ----------
    topic
        For tables: speciation, exchange, transport, ...
    draw
        Numbers for one scenario, from a random generator; they may not depend on switches.
    switches
        At least three, so that items of a stem differ in what can be missed.
    tell
        The statement in plain language, without the input, without the question and the database: all that the
        result depends on.
    build
        The PHREEQC input of a scene, without SELECTED_OUTPUT.
    quantities
        At least two.
    judged
        Questions that are answered in words, of a stem without `quantities`: see `in_words`.
    database
        Its file name, where no switch says it.
    state
        Which calculated state the quantity is read in, counted from the last (-1): of those that SELECTED_OUTPUT
        has a row for and the main output prints.
    refined
        Inputs that are to give the same result: time steps and cells halved, the other integrator. They may have
        other states than `build`: the quantity is read in the state that is last but for `refined_state`.
    large
        Whether the output of the reference input exceeds 250,000 characters; it stays below 100,000 otherwise.
    """

    name: str
    topic: str
    draw: Callable[[random.Random], dict[str, float]]
    switches: tuple[Switch, ...]
    tell: Callable[[Numbers, States], str]
    build: Callable[[Numbers, States], str]
    quantities: tuple[Quantity, ...]
    database: str = "phreeqc.dat"
    state: Callable[[Numbers, States], int] = _last
    refined: Callable[[Numbers, States], tuple[str, ...]] = field(default=lambda numbers, states: ())
    refined_state: Callable[[Numbers, States], int] = _last
    large: bool = False
    judged: tuple[Quantity, ...] = ()

    def quantity(self, name: str) -> Quantity:
        """Return a quantity by name."""
        return next(each for each in (*self.quantities, *self.judged) if each.name == name)

    def switches_of(self, quantity: str) -> tuple[Switch, ...]:
        """Return the switches that a scene with this quantity has, that between quantities of its group included."""
        asked = self.quantity(quantity)
        group = [each for each in self.quantities if asked.group and each.group == asked.group]
        if len(group) < 2:
            return self.switches
        mistakes = {each.name: f"{_noun(each)} read instead" for each in group}
        return (*self.switches, Switch(FIELD, mistakes, "field"))


def _noun(quantity: Quantity) -> str:
    """Return what a question asks for, without the question."""
    return quantity.ask.removeprefix("What is the ").removesuffix("?")


@dataclass(frozen=True)
class Scene:
    """One scenario and what is asked of it. `states` holds the quantity's name under `FIELD`."""

    stem: Stem
    numbers: Numbers
    states: States

    @property
    def quantity(self) -> Quantity:
        """What is asked for."""
        return self.stem.quantity(self.states[FIELD])

    @property
    def database(self) -> str:
        """File name of the database."""
        return self.states.get(DATABASE, self.stem.database)

    @property
    def statement(self) -> str:
        """The whole question, without options."""
        told = " ".join(self.stem.tell(self.numbers, self.states).split())
        return f"{told} {self.quantity.ask}\n\nUse the thermodynamic database {self.database}."

    @property
    def build(self) -> str:
        """The reference input."""
        return self.stem.build(self.numbers, self.states)

    @property
    def state(self) -> int:
        """Which calculated state, counted from the last."""
        return self.stem.state(self.numbers, self.states)

    @property
    def read_states(self) -> tuple[int, ...]:
        """The states that its parts are read in."""
        return self.quantity.states(self.numbers, self.states, self.state)

    def missing(self, switch: str, state: str) -> Scene:
        """Return the scene in which a switch has another state."""
        return Scene(self.stem, self.numbers, {**self.states, switch: state})
