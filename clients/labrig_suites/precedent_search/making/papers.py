"""The papers of a story, set by the typesetter of supercon-extraction: title, prose, the statement, references."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from labrig_suites.precedent_search.making.materials import Material
from labrig_suites.precedent_search.making.stories import Said, Told
from labrig_suites.supercon_extraction.making.setting import Setter
from labrig_suites.supercon_extraction.making.writing import style_of
from labrig_suites.supercon_extraction.targets import field

FAMILY = ("Tester", "Fixture", "Sample", "Probe", "Gauge", "Meter", "Scale", "Balance", "Furnace", "Anvil")
REGISTRANT = "10.5555"
"""The prefix that Crossref keeps for tests: no DOI of ours is one of a work."""


@dataclass(frozen=True)
class Paper:
    """A made paper.

    Attributes
    ----------
    title
        Without marks.
    text
        Of its page, as drawn, with marks of scripts.
    """

    pdf: bytes
    title: str
    authors: tuple[str, ...]
    year: int
    doi: str
    text: str


@cache
def sentences() -> dict[str, Any]:
    """Return how papers speak, from ``sentences.toml``."""
    return tomllib.loads(files(__package__).joinpath("sentences.toml").read_text(encoding="utf-8"))


def make_paper(
    draw: random.Random,
    told: Told,
    material: Material,
    neighbour: Material,
    other: Material,
    doi: str,
    wrong: str,
) -> Paper:
    """Return a paper.

    Parameters
    ----------
    other
        A material that stands beside, of another story.
    wrong
        A DOI that belongs to no paper: what its list of references misprints.
    """
    spoken, about = sentences(), {"material": material, "neighbour": neighbour}
    subject = about[told.says[0].about]
    name = subject.otherwise(draw) if told.says[0].written else subject.markup
    title = draw.choice(spoken["review"]) if told.survey else draw.choice(spoken["title"]).format(m=name)
    authors = tuple(f"{draw.choice('ABCDEFGHKLMNPRST')}. {each}" for each in draw.sample(FAMILY, 2))
    year, number = draw.randrange(1988, 2024), draw.randrange(2, 40)
    setter = Setter(style_of(draw, 1), f"{field('supercon').journal} {draw.randrange(40, 90)} ({year})")
    setter.title(title, f"{authors[0]} and {authors[1]}")
    setter.paragraph(f"DOI: {doi}. Published {year}.", indent=False)
    fillers = [
        each
        for each in field("supercon").decoys["filler"]
        if "supercond" not in each and "transition" not in each
    ]
    setter.section(
        "I. INTRODUCTION", " ".join([*draw.sample(spoken["background"], 2), *draw.sample(fillers, 2)])
    )
    setter.section("II. EXPERIMENT", " ".join(draw.sample(fillers, 3)))
    stated = [_sentence(draw, each, name, other.markup, number) for each in told.says]
    setter.section("III. RESULTS", " ".join([draw.choice(fillers), *stated, draw.choice(fillers)]))
    setter.heading("REFERENCES")
    setter.paragraph(
        f"[{number}] J. Doe et al., J. Made Phys. {number}, 1 ({year - 2}), DOI: {wrong}.", indent=False
    )
    pdf = setter.done()
    return Paper(pdf, unmarked(title), authors, year, doi, "\n".join(setter.pages))


def _sentence(draw: random.Random, said: Said, name: str, other: str, number: int) -> str:
    template: str = draw.choice(sentences()["says"][said.key])
    return template.format(m=name, t=said.t, u=said.u, p=said.p, o=other, n=number)


def unmarked(text: str) -> str:
    """Return a text without marks of scripts."""
    return text.replace("_{", "").replace("^{", "").replace("}", "")
