"""What is reported of a material, and what is true of it: fourteen kinds of a story.

The truth is that of the question: was it reported to be superconducting, and at which temperatures; or down to which
temperature was it found not to be.
A calculation is no report, and neither is a paper that grows crystals.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

YES = ("plain", "criteria", "pressure", "renamed", "cited", "contradicting")
NO = ("tested", "tested twice", "metal", "renamed no", "beside", "tested")
UNKNOWN = ("silent", "absent", "predicted")
DEALT = (*YES, *NO, *UNKNOWN)
"""The stories of fifteen materials: six reported superconducting, six not, three never tested."""


@dataclass(frozen=True)
class Said:
    """A sentence of a paper: a key of ``sentences.toml``, and what stands in it.

    Attributes
    ----------
    counts
        Whether its temperature is one of the answer.
    """

    key: str
    t: str = ""
    u: str = ""
    p: str = ""
    about: str = "material"
    written: bool = False
    counts: bool = False


@dataclass(frozen=True)
class Told:
    """A paper of a story: its sentences; a survey names no material in its title."""

    says: tuple[Said, ...]
    survey: bool = False


@dataclass(frozen=True)
class Story:
    """What is told of a material and its neighbour, and what is true.

    Attributes
    ----------
    answer
        ``Yes``, ``No`` or ``Unknown``.
    kelvin
        Temperatures that papers of the material state themselves, the one of the published truth first: the highest
        transition, or the lowest temperature tested.
    """

    kind: str
    answer: str
    papers: tuple[Told, ...]
    kelvin: tuple[float, ...] = field(default=())


def draw_story(draw: random.Random, kind: str) -> Story:
    """Return a story of a kind."""
    answer = "Yes" if kind in YES else "No" if kind in NO else "Unknown"
    papers, kelvin = _KINDS[kind](draw)
    highest = sorted(kelvin, reverse=answer == "Yes")
    return Story(kind, answer, (*papers, _of_neighbour(draw)), tuple(highest))


def transition(draw: random.Random) -> str:
    """Return a transition temperature as printed."""
    value = round(draw.uniform(0.4, 24.0), draw.choice((1, 2)))
    return f"{value:g}({draw.randint(1, 4)}) K" if draw.random() < 0.4 else f"{value:g} K"


def tested(draw: random.Random) -> str:
    """Return the lowest temperature of a search as printed."""
    lowest = draw.choice((0.05, 0.08, 0.3, 0.35, 0.4, 1.2, 1.4, 1.7, 1.8, 2.0, 4.2))
    return f"{lowest + draw.choice((0, 0.01, 0.02)):g} K"


def kelvin_of(printed: str) -> float:
    """Return the number of a temperature as printed."""
    return float(printed.split()[0].partition("(")[0])


def _one(draw: random.Random, key: str, written: bool = False) -> tuple[list[Told], list[float]]:
    value = transition(draw) if key == "yes" else tested(draw)
    return [Told((Said(key, value, written=written, counts=True),))], [kelvin_of(value)]


def _criteria(draw: random.Random) -> tuple[list[Told], list[float]]:
    onset = kelvin_of(transition(draw)) + 1
    lower = round(onset - draw.uniform(0.2, 0.9), 2)
    said = Said("criteria", f"{onset:g} K", f"{lower:g} K", counts=True)
    return [Told((said,))], [onset, lower]


def _pressure(draw: random.Random) -> tuple[list[Told], list[float]]:
    value, lowest = transition(draw), tested(draw)
    pressed = Said("pressure", value, p=f"{draw.randint(11, 95) / 10:g} GPa", counts=True)
    return [Told((Said("ambient", lowest),)), Told((pressed,))], [kelvin_of(value)]


def _cited(draw: random.Random) -> tuple[list[Told], list[float]]:
    """Return an original, and a survey that quotes it with another value and a wrong DOI."""
    value = transition(draw)
    wrong = f"{round(kelvin_of(value) * draw.choice((0.8, 1.25)), 1):g} K"
    return [Told((Said("yes", value, counts=True),)), Told((Said("cited", wrong),), survey=True)], [
        kelvin_of(value)
    ]


def _contradicting(draw: random.Random) -> tuple[list[Told], list[float]]:
    value = transition(draw)
    lowest = f"{round(kelvin_of(value) * draw.uniform(0.05, 0.3), 2) or 0.05:g} K"
    return [Told((Said("yes", value, counts=True),)), Told((Said("no", lowest),))], [kelvin_of(value)]


def _twice(draw: random.Random) -> tuple[list[Told], list[float]]:
    values = draw.sample(("0.06 K", "0.31 K", "1.3 K", "1.9 K", "4.3 K"), 2)
    return [Told((Said("no", value, counts=True),)) for value in values], [
        kelvin_of(value) for value in values
    ]


def _beside(draw: random.Random) -> tuple[list[Told], list[float]]:
    value = tested(draw)
    return [Told((Said("beside", value, transition(draw), counts=True),), survey=True)], [kelvin_of(value)]


def _silent(draw: random.Random) -> tuple[list[Told], list[float]]:
    return [Told((Said("structure"), Said("open")))], []


def _predicted(draw: random.Random) -> tuple[list[Told], list[float]]:
    return [Told((Said("predicted", transition(draw)),)), Told((Said("structure"),))], []


def _of_neighbour(draw: random.Random) -> Told:
    """Return a paper on the same elements in other amounts; what it finds does not depend on the story."""
    key = draw.choice(("yes", "no"))
    return Told((Said(key, transition(draw) if key == "yes" else tested(draw), about="neighbour"),))


_KINDS: dict[str, Callable[[random.Random], tuple[list[Told], list[float]]]] = {
    "plain": lambda draw: _one(draw, "yes"),
    "renamed": lambda draw: _one(draw, "yes", written=True),
    "criteria": _criteria,
    "pressure": _pressure,
    "cited": _cited,
    "contradicting": _contradicting,
    "tested": lambda draw: _one(draw, "no"),
    "tested twice": _twice,
    "metal": lambda draw: _one(draw, "metal"),
    "renamed no": lambda draw: _one(draw, "no", written=True),
    "beside": _beside,
    "silent": _silent,
    "absent": lambda draw: ([], []),
    "predicted": _predicted,
}
