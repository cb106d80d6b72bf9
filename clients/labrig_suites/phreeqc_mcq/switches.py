"""Switches that many stems have: one of two things, something that is there or not, a mineral that forms or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labrig_suites.phreeqc_mcq.scenario import DATABASE, Kind, Numbers, States, Switch


def either(
    name: str, states: Mapping[str, str], mistake: str = "{} used instead of {}", kind: Kind = "input"
) -> Switch:
    """Return a switch between two states, with the nouns of the mistake: what was modelled, what was right."""
    (first, noun), (second, other) = states.items()
    return Switch(name, {first: mistake.format(noun, other), second: mistake.format(other, noun)}, kind)


def read(name: str, states: Mapping[str, str], mistake: str = "value read {}") -> Switch:
    """Return a switch between two places or times that the value is read at."""
    return either(name, states, mistake, "step")


def given_as(name: str, states: Mapping[str, str], mistake: str) -> Switch:
    """Return a switch between two units or meanings of a number."""
    return either(name, states, mistake, "unit")


def optional(name: str, noun: str, states: Mapping[str, bool]) -> Switch:
    """Return a switch whose states say whether something is there."""
    return Switch(
        name, {state: f"{noun} {'included' if there else 'omitted'}" for state, there in states.items()}
    )


def forming(name: str, noun: str, states: Mapping[str, bool]) -> Switch:
    """Return a switch whose states say whether a mineral may precipitate."""
    said = {
        True: f"{noun} allowed to precipitate although it does not",
        False: f"precipitation of {noun} omitted",
    }
    return Switch(name, {state: said[forms] for state, forms in states.items()})


def at_room(name: str, states: Mapping[str, bool]) -> Switch:
    """Return a switch whose states say whether the temperature is 25 °C."""
    said = {True: "temperature left at 25 °C", False: "temperature set to another value instead of 25 °C"}
    return Switch(name, {state: said[left] for state, left in states.items()})


def databases(*names: str) -> Switch:
    """Return the switch between databases."""
    return Switch(DATABASE, {name: f"database {name} used" for name in names}, "database")


def state_of(name: str, states: Mapping[str, int]) -> Callable[[Numbers, States], int]:
    """Return which calculated state the value is read in, from the state of a switch."""
    return lambda numbers, switched: states[switched[name]]


LITTLE = 50
"""How many times less there is of what there is little of: so little that it decides nothing, and not so plainly
nothing that who reads the question could leave out an option."""


def much_or_little(name: str) -> Switch:
    """Return a switch between the amount of a substance and little of it; the statement tells both."""
    return Switch(
        name, {"much": f"{name} taken as the larger amount", "little": f"{name} taken as the smaller amount"}
    )


def amount(numbers: Numbers, states: States, name: str) -> float:
    """Return the amount that such a switch means."""
    return numbers[name] / (LITTLE if states[name] == "little" else 1)


def tell_amount(numbers: Numbers, states: States, name: str, unit: str = "mmol") -> str:
    """Return such an amount in words, with the other one."""
    here, there = numbers[name], numbers[name] / LITTLE
    if states[name] == "little":
        here, there = there, here
    return f"{here:g} {unit} of {name} (a neighbouring site has {there:g})"
