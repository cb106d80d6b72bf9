"""What a corpus says of one material: statements with paper, page and quote; where nothing is said, what was read."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig_papers.attribution.magnets import is_of_magnet
from labrig_papers.attribution.samples import SERIES
from labrig_papers.attribution.standing import has_raised_marks
from labrig_papers.corpus.mentions import elements, key
from labrig_papers.corpus.store import count, pages_of
from labrig_papers.materials.formulas import normalize_formula
from labrig_papers.precedents.statements import Statement, named_in, statements

MOST_PAPERS = 200
"""Papers that name the material, those that name it most often first."""
MOST_CHARS = 200


@dataclass(frozen=True)
class Paper:
    """A paper of the corpus, as a source."""

    sha256: str
    path: str
    title: str
    doi: str
    year: int | None


@dataclass(frozen=True)
class Report:
    """What a paper says of the material."""

    paper: Paper
    statement: Statement


@dataclass(frozen=True)
class Looked:
    """What was looked at, and what was found.

    Attributes
    ----------
    formula, key
        The material: resolved, and as it is looked up.
    documents
        In the corpus.
    naming
        Papers that name the material.
    reports
        What they say, in the order of papers and pages.
    silent
        Papers that name it and say nothing of superconductivity.
    relatives
        Papers on the same elements in other amounts: about other materials.
    left
        Papers that name it and were not read, beyond `MOST_PAPERS`.
    """

    formula: str
    key: str
    documents: int
    naming: int
    reports: tuple[Report, ...]
    silent: tuple[Paper, ...]
    relatives: tuple[Paper, ...]
    left: int = 0


def material_of(text: str) -> tuple[str, Mapping[str, float]]:
    """Return formula and composition of a material in any writing.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no one composition, with the reason.
    """
    if not text.strip() or len(text) > MOST_CHARS:
        raise LabrigError(
            f"A material of {len(text):,} characters cannot be looked up",
            where="material",
            expected=f"a formula or name of at most {MOST_CHARS} characters",
        )
    before, _, values = text.partition(" with ")
    found = normalize_formula(before, context=values or text)
    if not found.composition or len(found.composition) < 1:
        raise LabrigError(
            f"This is not one composition: {found.why or found.status}"[:300],
            where=text[:100],
            expected="such as MgB2, La2-xSrxCuO4 with x = 0.15, or magnesium diboride",
            try_="normalize_formula of the toolset values says what is missing",
        )
    return found.formula or text, found.composition


def look(database: sqlite3.Connection, material: str) -> Looked:
    """Return what the papers of a corpus say of a material; see `material_of` for errors."""
    formula, composition = material_of(material)
    wanted = key(composition)
    rows = database.execute(
        "SELECT document, count(*) AS often FROM mentions WHERE key=? GROUP BY document ORDER BY often DESC, document",
        (wanted,),
    ).fetchall()
    reports: list[Report] = []
    silent: list[Paper] = []
    for number, _ in rows[:MOST_PAPERS]:
        paper = _paper(database, number)
        said = list(_said(database, number, paper, wanted))
        reports += [Report(paper, each) for each in dict.fromkeys(said)]
        if not said:
            silent.append(paper)
    near = database.execute(
        "SELECT DISTINCT document FROM mentions WHERE elements=? AND key<>? ORDER BY document LIMIT 20",
        (elements(composition), wanted),
    ).fetchall()
    known = {number for number, _ in rows}
    relatives = tuple(_paper(database, number) for (number,) in near if number not in known)
    left = max(0, len(rows) - MOST_PAPERS)
    return Looked(formula, wanted, count(database), len(rows), tuple(reports), tuple(silent), relatives, left)


def _said(database: sqlite3.Connection, number: int, paper: Paper, wanted: str) -> Any:
    titled = named_in(paper.title)
    rows = database.execute("SELECT page, printed, key FROM mentions WHERE document=?", (number,)).fetchall()
    pages = {page for page, _, key in rows if key == wanted}
    of_series = SERIES.search(paper.title) is not None
    if set(titled) == {wanted} and not of_series:  # its other pages need not name it
        pages = set()
    keys_of: dict[tuple[int, str], set[str]] = {}
    for page, printed, found in rows:
        keys_of.setdefault((page, printed), set()).add(found)
    texts = list(pages_of(database, number))
    whole = "\n".join(text for _, text in texts)
    of_magnet = is_of_magnet(whole) or "superconduct" not in whole.casefold()
    raised = has_raised_marks(whole)
    for page, text in texts:
        if pages and page not in pages:
            continue
        written = {
            printed: found.copy().pop()
            for (where, printed), found in keys_of.items()
            if where == page and len(found) == 1 and re.search(r"[xyzδ]", printed)
        }
        yield from statements(text, page, wanted, written, titled, of_magnet, of_series, raised)


def _paper(database: sqlite3.Connection, number: int) -> Paper:
    row = database.execute(
        "SELECT sha256, path, title, doi, year FROM documents WHERE id=?", (number,)
    ).fetchone()
    return Paper(*row)
