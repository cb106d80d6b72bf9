"""All papers of a seed: as PDFs, and as the one file that search_literature searches."""

from __future__ import annotations

import hashlib
import random
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from labrig_papers.corpus.store import Document, add, opened
from labrig_papers.materials.writing import plain
from labrig_suites.precedent_search.making.materials import Material, draw_materials
from labrig_suites.precedent_search.making.papers import REGISTRANT, Paper, make_paper
from labrig_suites.precedent_search.making.stories import DEALT, Story, draw_story

FOLDER = "papers"


@dataclass(frozen=True)
class Asked:
    """A material that is asked for, with its story and the papers that tell it.

    Attributes
    ----------
    papers
        Places in the list of papers, in the order of the story; the neighbour's is the last.
    """

    material: Material
    story: Story
    papers: tuple[int, ...]


@dataclass(frozen=True)
class Literature:
    """The papers of a seed, the file that holds them, and the materials that are asked for."""

    papers: tuple[Paper, ...]
    names: tuple[str, ...]
    corpus: bytes
    asked: tuple[Asked, ...]


@lru_cache(maxsize=2)
def make_literature(seed: str, count: int) -> Literature:
    """Return the literature of a seed: some papers for each of `count` materials, in an order that tells nothing.

    Raises
    ------
    LabrigError
        ``unavailable`` without reportlab or the packages of the papers server.
    """
    draw, pairs, stories = drawn(seed, count)
    told = [(number, place) for number, story in enumerate(stories) for place in range(len(story.papers))]
    draw.shuffle(told)
    papers, places = [], {}
    for place, (number, part) in enumerate(told):
        material, neighbour = pairs[number]
        other = pairs[(number + 1) % count][1] if count > 1 else neighbour
        doi, wrong = (f"{REGISTRANT}/jms.{draw.randrange(10**6, 10**7)}.{place}{end}" for end in ("", "x"))
        papers.append(make_paper(draw, stories[number].papers[part], material, neighbour, other, doi, wrong))
        places[number, part] = place
    names = tuple(f"{FOLDER}/{place + 1:03}.pdf" for place in range(len(papers)))
    asked = tuple(
        Asked(pairs[number][0], story, tuple(places[number, part] for part in range(len(story.papers))))
        for number, story in enumerate(stories)
    )
    return Literature(tuple(papers), names, _file(papers, names), asked)


def drawn(seed: str, count: int) -> tuple[random.Random, list[tuple[Material, Material]], list[Story]]:
    """Return the materials of a seed with their neighbours, and their stories: all but the papers."""
    draw = random.Random(f"precedent-search/1/{seed}/{count}")
    pairs = draw_materials(draw, count)
    kinds = [DEALT[number % len(DEALT)] for number in range(count)]
    draw.shuffle(kinds)
    return draw, pairs, [draw_story(draw, kind) for kind in kinds]


def _file(papers: list[Paper], names: tuple[str, ...]) -> bytes:
    """Return the corpus; the same papers give the same bytes with the same SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.sqlite"
        with opened(path, make=True) as database:
            for paper, name in zip(papers, names, strict=True):
                sha256 = hashlib.sha256(paper.pdf).hexdigest()
                text = plain(paper.text)
                add(
                    database, Document(sha256, name, paper.title, paper.doi, paper.year, [text]), added_at=0.0
                )
            database.execute("VACUUM")
        return path.read_bytes()
