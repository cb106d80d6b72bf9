"""Stops while a leg is being planned: what each needs, gives and asks, before they have numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from labrig_suites.amazing_race.legs import MERGED, Step, StopType
from labrig_suites.amazing_race.making.pages import Fact, RacePage
from labrig_suites.amazing_race.making.roadblocks import Ran
from labrig_suites.amazing_race.values import whole

Gives = Literal["place", "country", "text", "date", "year", "number"]


@dataclass(eq=False)
class Node:
    """A stop that has no number yet.

    Attributes
    ----------
    gives
        What others can do with its value.
    inputs
        The stops whose values it uses, in the order in which its clue names them.
    clue
        Its clue, with ``{0}``, ``{1}`` for the numbers of the clues of its inputs.
    unit
        Of its value, where it can be converted.
    via
        Of a page: how one comes to it.
    used
        Whether another stop or the finish line uses it.
    """

    kind: StopType
    gives: Gives
    value: Any
    clue: str
    page: RacePage | None = None
    inputs: tuple[Node, ...] = ()
    unit: str = ""
    target: str = ""
    section: str = ""
    via: Literal["seed", "value", "link", "search", ""] = ""
    steps: tuple[Step, ...] = ()
    golden: tuple[Any, ...] = ()
    template: str = ""
    detour: str = ""
    used: bool = False
    applied: set[str] = field(default_factory=set)

    @property
    def whole(self) -> int:
        """The whole part of its value, which later stops use."""
        found = whole(self.value)
        assert found is not None, self.value
        return found

    @property
    def merges(self) -> bool:
        """Whether it joins two branches."""
        return any(step.output_key == MERGED for step in self.steps)


def asks(
    page: RacePage, fact: Fact | None, via: Literal["seed", "value", "link", "search"], arrival: str
) -> Node:
    """Return a stop on a page that asks for a fact; without one, for what the page is about."""
    if fact is None:
        gives: Gives = "country" if page.kind == "country" else "place" if page.place else "text"
        clue = f"{arrival} What is it called? (The title of the page, without what stands in brackets.)"
        return Node("page", gives, page.name, clue, page, target="the title of the page", via=via)
    return Node(
        *("page", _gives(fact), fact.value, f"{arrival} {question(fact)}", page),
        unit=fact.unit,
        target=fact.target,
        section=fact.section,
        via=via,
    )


def question(fact: Fact) -> str:
    """Return the question of a fact, without its value."""
    if fact.how == "prose":
        return f"Which year {fact.where}?"
    if fact.how == "cross_section":
        return f"How many {fact.where}?" if fact.where.startswith("rows") else f"Which number {fact.where}?"
    if fact.kind == "number":
        unit = {"m": ", in metres", "km": ", in kilometres", "km2": ", in square kilometres"}.get(
            fact.unit, ""
        )
        return f"Which number {fact.where}{unit}?"
    return f"{'Which year' if fact.kind == 'year' else 'Which day' if fact.kind == 'date' else 'What'} {fact.where}?"


def tool(ran: Ran, inputs: Sequence[Node]) -> Node:
    """Return a roadblock of a chain that was run."""
    for each in inputs:
        each.used = True
    page = inputs[0].page if inputs else None
    return Node(
        *("tool", "number", ran.value, ran.clue, page, tuple(inputs)),
        unit=ran.unit,
        target=ran.template,
        steps=ran.steps,
        golden=ran.golden,
        template=ran.template,
    )


def detour(name: str, words: str, value: int, source: Node) -> Node:
    """Return a detour of a value."""
    source.used = True
    subject = (
        "the result of clue {0}" if source.gives in ("number", "year") else "the name that clue {0} gave"
    )
    if source.gives == "year" and "year of {}" in words:
        subject = "clue {0}"
    asked = words.format(subject)
    clue = f"Find {asked}." if not asked.startswith("how many") else f"Find out {asked}."
    made = Node("reason", "number", value, clue, source.page, (source,), target=name, detour=name)
    made.applied = {*source.applied, name}
    return made


def _gives(fact: Fact) -> Gives:
    if fact.kind == "text":
        return "text"
    return "date" if fact.kind == "date" else "year" if fact.kind == "year" else "number"
