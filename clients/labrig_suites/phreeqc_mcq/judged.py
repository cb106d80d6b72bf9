"""Questions that are answered in words: which is most, in what order, which are above zero, how many, what rises.

Such an answer is judged from several numbers of one output, its parts. Its value is a code whose decimal digits say
what was found (places of parts, or 1 and 0 for yes and no), so that all that reads, compares and keeps the value of a
question does so here too. A judgement stands only where no number is near the line that it is judged by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from labrig_suites.phreeqc_mcq.quantities import index, molality, solid
from labrig_suites.phreeqc_mcq.scenario import Numbers, Quantity, States

Rule = Literal["most", "order", "above zero", "count", "trend"]
ABSENT = {"si": -999.999, "value": 0.0, "count": 0.0, "ph": 0.0, "words": 0.0}
"""What stands for a quantity that an output does not have: that of a phase or species whose element is not there."""
UNORDERED: tuple[Rule, ...] = ("most", "above zero", "count")
"""Rules that can judge a part that is absent; an order and a trend need every number."""
CLEARLY = 2.0
"""Of the least distance of options: how far the first must be ahead of the second to be the most."""


@dataclass(frozen=True)
class Judged(Quantity):
    """What is asked for, in words.

    Attributes
    ----------
    nouns
        What each part is called in an option.
    rule
        How the parts are judged.
    since
        For a trend, the state that it begins with, counted from the last.
    """

    nouns: tuple[str, ...] = ()
    of: tuple[Quantity, ...] = ()
    rule: Rule = "most"
    since: Callable[[Numbers, States], int] | None = None

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """The quantities that are judged."""
        return self.of

    def states(self, numbers: Numbers, states: States, state: int) -> tuple[int, ...]:
        """Return the states that the parts are read in: a trend needs two."""
        return (state,) if self.since is None else (state, self.since(numbers, states))

    def judge(self, found: Sequence[float | None]) -> float | None:
        """Return the code of the parts, for a trend those of the later state first; None where it is not clear."""
        if len(found) < len(self.of) or (None in found and self.rule not in UNORDERED):
            return None  # the first: a run without the state that is asked for
        values = [
            ABSENT[self.of[n % len(self.of)].form] if each is None else each for n, each in enumerate(found)
        ]
        digits = self._digits(values)
        return None if digits is None else float("".join(map(str, (1, *digits))))

    def _digits(self, values: Sequence[float]) -> Sequence[int] | None:
        gap = self.of[0].gap
        if self.rule in ("most", "order"):
            places = sorted(range(len(values)), key=lambda place: -values[place])
            most = self.rule == "most"
            least = CLEARLY if most else 1.0
            ranked = places[:2] if most else places
            clear = all(gap(values[one], values[other]) >= least for one, other in pairwise(ranked))
            return places[: 1 if most else None] if clear else None
        if self.rule == "trend":
            late, early = values[: len(self.of)], values[len(self.of) :]
            steps = list(zip(self.of, late, early, strict=True))
            clear = all(part.gap(after, before) >= 1 for part, after, before in steps)
            return [int(after > before) for _, after, before in steps] if clear else None
        if any(each and gap(each, 0.0) < 1 for each in values):  # an amount of nothing is clear
            return None
        above = [int(each > 0) for each in values]
        return above if self.rule == "above zero" else [sum(above)]

    def show(self, value: float) -> str:
        """Return the text of an option."""
        digits = [int(digit) for digit in f"{value:.0f}"[1:]]
        if self.rule == "count":
            return str(digits[0])
        if self.rule == "trend":
            said = [
                f"{noun} {'rises' if up else 'falls'}" for noun, up in zip(self.nouns, digits, strict=True)
            ]
            return ", ".join(said)
        if self.rule == "above zero":
            names = [noun for noun, above in zip(self.nouns, digits, strict=True) if above]
            return ", ".join(names) or "none of them"
        return ", ".join(self.nouns[digit] for digit in digits)

    def rounded(self, value: float) -> float:
        """Return the code: nothing of it is lost in the text."""
        return value

    def gap(self, first: float, second: float) -> float:
        """Return whether two codes differ, far enough for options."""
        return CLEARLY * (first != second)


def _judged(
    name: str,
    ask: str,
    rule: Rule,
    named: Mapping[str, Quantity],
    since: Callable[[Numbers, States], int] | None = None,
) -> Judged:
    """Return a question; `{}` in what it asks stands for the nouns."""
    parts, nouns = tuple(named.values()), tuple(named)
    return Judged(
        name,
        ask.format(f"{', '.join(nouns[:-1])} and {nouns[-1]}"),
        "",
        "words",
        ", ".join(part.punch for part in parts),
        parts[0].printed,
        nouns=nouns,
        of=parts,
        rule=rule,
        since=since,
    )


def most(name: str, ask: str, named: Mapping[str, Quantity]) -> Judged:
    """Return the question which of several amounts is the largest."""
    return _judged(name, ask, "most", named)


def in_order(name: str, ask: str, named: Mapping[str, Quantity]) -> Judged:
    """Return the question in what order several amounts are, from the largest to the smallest."""
    return _judged(name, ask, "order", named)


def species(name: str, element: str, *names: str) -> Judged:
    """Return the question which species of an element has the highest molality."""
    return most(
        name,
        f"Which of {{}} is the species of {element} with the highest molality?",
        {each: molality(each, each, unit="mol") for each in names},
    )


def supersaturated(*phases: str) -> tuple[Judged, ...]:
    """Return three questions about the same phases: which are supersaturated, how many, and in what order."""
    named = {phase.lower(): index(phase) for phase in phases}
    return (
        _judged("supersaturated", "With which of {} is the water supersaturated?", "above zero", named),
        _judged("supersaturated-count", "With how many of {} is the water supersaturated?", "count", named),
        in_order(
            "order-of-indices",
            "In what order are the saturation indices of {}, from the highest to the lowest?",
            named,
        ),
    )


def formed(*phases: str, where: str) -> tuple[Judged, ...]:
    """Return two questions about solids that form: which are there, and how many."""
    named = {phase.lower(): solid(phase, where, unit="mol") for phase in phases}
    return (
        _judged("formed", f"Which of {{}} are present {where}?", "above zero", named),
        _judged("formed-count", f"How many of {{}} are present {where}?", "count", named),
    )


def trend(name: str, since: Callable[[Numbers, States], int], named: Mapping[str, Quantity]) -> Judged:
    """Return the question which of several quantities rise and which fall, from an earlier state on."""
    return _judged(name, "Which of {} rise and which fall?", "trend", named, since)
