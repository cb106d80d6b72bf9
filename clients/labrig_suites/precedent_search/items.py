"""Materials as samples: of a made literature, or published rows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig_harness.blobs import Blob
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.common import generated
from labrig_suites.precedent_search.arms import CORPUS
from labrig_suites.precedent_search.making.corpus import Asked, Literature, make_literature
from labrig_suites.precedent_search.payload import CLAIMS, numbers

NAME, VERSION = "precedent-search", "1"
MOST_MATERIAL = 200
commitment = partial(generated.commitment, NAME)


def generate(
    seed: str, count: int, progress: Callable[[int], None] | None = None, first: int | None = None
) -> list[Sample]:
    """Return the materials of a seed, all of one literature, which depends on their number.

    Raises
    ------
    LabrigError
        ``bad_input`` for a count below 1; ``unavailable`` without reportlab.
    """
    generated.at_least_one(count)
    made = make_literature(seed, count)
    blobs: dict[str, str | Blob] = {CORPUS: Blob.of(made.corpus)}
    blobs |= {name: Blob.of(paper.pdf) for name, paper in zip(made.names, made.papers, strict=True)}

    def make(number: int) -> Sample:
        id = generated.opaque_id(seed, f"{NAME}/{VERSION}/{count}/{number}")
        return _sample(id, made, made.asked[number], blobs)

    return generated.one_by_one(range(count)[:first], make, progress)


def _sample(id: str, made: Literature, asked: Asked, blobs: dict[str, str | Blob]) -> Sample:
    sources = []
    for told, place in zip(asked.story.papers, asked.papers, strict=True):
        if any(said.counts for said in told.says):
            paper = made.papers[place]
            sources.append({"doi": paper.doi, "title": paper.title, "text": paper.text})
    return Sample(
        NAME,
        VERSION,
        SampleInput(id, prompt(asked.material.formula), blobs),
        truth={"answer": asked.story.answer, "kelvin": list(asked.story.kelvin), "sources": sources},
        labels={"kind": asked.story.kind, "class": asked.story.answer},
    )


def prompt(material: str) -> str:
    """Return the question."""
    return files(__package__).joinpath("prompt.md").read_text("utf-8").format(material=material)


def from_row(fields: dict[str, Any]) -> Sample:
    """Return the sample of a line that `Sample.to_dict` made, checked so that it can be scored.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not such a line, or of another suite or version, and for an invalid truth.
    """
    return generated.read_sample(NAME, VERSION, fields, _check)


def _check(truth: Mapping[str, Any]) -> None:
    answer, kelvin, sources = truth["answer"], truth["kelvin"], truth["sources"]
    if answer not in CLAIMS:
        raise ValueError(f"its answer is {answer!r}, not one of {', '.join(CLAIMS)}")
    numbers_given = isinstance(kelvin, list) and all(
        isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each) and each > 0
        for each in kelvin
    )
    if not numbers_given or bool(kelvin) is (answer == "Unknown"):
        raise ValueError(f"its temperatures are {str(kelvin)[:80]}")
    if not isinstance(sources, list) or not all(
        isinstance(each, dict) and isinstance(each.get("doi"), str) and isinstance(each.get("title"), str)
        for each in sources
    ):
        raise ValueError("its sources are no list of DOI and title")


def adopt(rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Sample]:
    """Return samples of published rows, which come in two forms; no literature comes with them.

    Parameters
    ----------
    rows
        An ``expected.json``: ``ground_truth``, a list of ``material``, ``property_name`` (``is_superconducting``,
        ``tc``, ``tcn``) and ``property_value``. Or a row of the table: ``material``, ``tc`` or ``tcn``, ``doi``,
        ``title``.

    Raises
    ------
    LabrigError
        ``bad_input`` for rows of another form.
    """
    if settings:
        raise LabrigError("No setting is known here", where=", ".join(settings), expected="none")
    return [_adopted(number, row) for number, row in enumerate(rows)]


def _adopted(number: int, row: dict[str, Any]) -> Sample:
    where = f"row {number}"
    told = _of_list(row, where) if isinstance(row.get("ground_truth"), list) else _of_table(row)
    material, answer, kelvin = told
    if (
        not material
        or len(material) > MOST_MATERIAL
        or answer not in ("Yes", "No")
        or len(kelvin) != 1
        or kelvin[0] <= 0
    ):
        raise LabrigError(
            "This is no published truth",
            where=where,
            expected="a material with Yes and tc, or No and tcn, in kelvin",
            try_=json.dumps(row, default=str)[:200],
        )
    sources = [
        {"doi": doi, "title": str(row.get("title") or "").strip(), "text": None}
        for doi in _texts(row.get("doi"))
        if doi
    ]
    id = f"{number:04}-{content_hash([material, answer, list(kelvin)])[:8]}"
    return Sample(
        NAME,
        VERSION,
        SampleInput(id, prompt(material)),
        truth={"answer": answer, "kelvin": list(kelvin), "sources": sources},
        labels={"kind": "published", "class": answer},
    )


def _of_list(row: dict[str, Any], where: str) -> tuple[str, str, tuple[float, ...]]:
    by_name: dict[str, list[dict[str, Any]]] = {}
    for entry in row["ground_truth"]:
        if not isinstance(entry, dict):
            raise LabrigError(
                "This is no row of published truth", where=where, expected="an object for each property"
            )
        by_name.setdefault(str(entry.get("property_name") or "").strip().casefold(), []).append(entry)
    (first, *_) = by_name.get("is_superconducting") or [{}]
    answer = str(first.get("property_value") or "").strip().capitalize()
    values = by_name.get("tc" if answer == "Yes" else "tcn") or [{}]
    kelvin = [each for entry in values for each in numbers(str(entry.get("property_value") or ""))]
    chosen = (max(kelvin) if answer == "Yes" else min(kelvin),) if kelvin else ()
    return str(first.get("material") or "").strip(), answer, chosen


def _of_table(row: dict[str, Any]) -> tuple[str, str, tuple[float, ...]]:
    folded = {str(name).strip().casefold(): value for name, value in row.items()}
    high, low = (numbers("" if folded.get(name) is None else str(folded[name])) for name in ("tc", "tcn"))
    answer = "Yes" if high and not low else "No" if low and not high else ""
    return str(folded.get("material") or "").strip(), answer, (high or low) if answer else ()


def _texts(value: Any) -> list[str]:
    """Return DOIs of a cell: one, or a list of them."""
    if isinstance(value, list):
        return [str(each).strip() for each in value if each]
    return [each.strip() for each in str(value or "").split(";")]
