"""Values found in a paper, a quote held against it, and a whole extraction."""

from __future__ import annotations

import hashlib
import os
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError, nearest, over_limit
from labrig.threads import in_thread
from labrig.tools import cursor as cursors
from labrig.tools.sources import opened_source
from labrig_papers.server.base import CursorArgument, PagesArgument, PathArgument, numbers_of, state, toolbox

MOST, MOST_AT_ONCE = 300, 50
"""Pages in which a quote is looked for, and whose quantities are found in one call."""
SHOWN = 8
LIST_BYTES = 6_500
MOST_BYTES = 400_000
"""Of an extraction; a property takes about 500."""


@toolbox.tool(
    title="Find quantities",
    read_only=True,
    words="numbers, numeric values and units in a PDF: critical temperature, thermal conductivity, W/mK, Young's "
    "modulus, GPa, band gap, lattice parameters, surface area, measured properties of materials, material, sample, "
    "compound, measurements, data mining, do abstract, text and table agree, superconductors, extract data",
)
async def find_quantities(
    path: PathArgument,
    pages: PagesArgument = "",
    dimension: Annotated[
        str, Field(max_length=60, description="Only this, such as temperature, length, pressure.")
    ] = "",
    quantity: Annotated[
        str, Field(max_length=100, description="Only this, by any name: Tc, Hc2, coherence length.")
    ] = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Find values with units: uncertainty, SI, conditions, box, quote, formulas near it, cited or not, other values.

    It collects measured properties, numeric values with their units (such as W/mK) and every number of a material,
    compound or sample (critical temperature of each superconductor) with the exact sentence where it stands (surface
    area, modulus, conductivity), so that abstract, text and table of a paper can be compared among themselves.

    Example: {"path": "paper.pdf"}
    """
    name = await in_thread(_quantity, quantity) if quantity.strip() else ""
    async with state().opened(path) as paper:
        numbers = numbers_of(pages, paper.known.count, MOST_AT_ONCE)
        doubts = await paper.scans(numbers)
        found = await paper.reader.quantities(numbers, dimension, name)
    question = ["quantities", paper.sha256, numbers, dimension, name]
    shown = [_short(_without_the_plain(each)) for each in found]
    page, following = cursors.page(shown, question, cursor, size=40, most_bytes=LIST_BYTES)
    return Answer(
        source=paper.source,
        status="ok" if found else "partial",
        values=(Quantity("quantities", len(found), "1"),),
        data={"quantities": list(page)},
        warnings=(*doubts, *(() if found else ("No value with a unit was found on these pages",))),
        next=f"repeat the call with cursor={following!r}" if following else "",
    )


def _quantity(named: str) -> str:
    """Return the quantity that a name means, as values are named."""
    from labrig_papers.properties.listing import aliases
    from labrig_papers.properties.matching import quantity_of

    known = {each.lstrip("!") for each in aliases().values()}
    found = quantity_of(named) or (named if named in known else "")
    if not found:
        word = named.strip().casefold().replace(" ", "_")
        close = sorted(each for each in known if word in each) or nearest(word, known)
        raise LabrigError(
            f"No quantity is known as {named[:80]!r}",
            where="quantity",
            expected="a name such as Tc, upper critical field or lattice parameter",
            try_=f"{' or '.join(close[:4])}" if close else "dimension in its place, such as temperature",
            code="not_found",
        )
    return found.lstrip("!")


def _without_the_plain(found: dict[str, Any]) -> dict[str, Any]:
    """Return a value without what says nothing: where an answer has little room, more values fit."""
    plain = {"span", *(["kind"] if found.get("kind") == "one" else [])}
    if found.get("value") == found.get("si") and found.get("unit") == found.get("si_unit"):
        plain |= {"si", "si_unit"}
    return {key: each for key, each in found.items() if key not in plain}


def _short(value: Any) -> Any:
    """Return what a reader found with texts and lists of bounded length, since an answer has little room."""
    if isinstance(value, str):
        return value if len(value) <= 400 else value[:398] + " …"
    if isinstance(value, list):
        return [_short(each) for each in value[:8]]
    return {str(key)[:40]: _short(each) for key, each in value.items()} if isinstance(value, dict) else value


@toolbox.tool(
    title="Verify a quote",
    read_only=True,
    words="quoted string, exact quotation, literally in the PDF, paraphrase, wrote, cite, citation, claim, "
    "hallucinated, fabricated, made up, does the sentence occur on the page, evidence, source, check",
)
async def verify_quote(
    path: PathArgument,
    quote: Annotated[str, Field(description="As copied: a sentence or a row of a table.")],
    page: Annotated[
        int | None, Field(ge=1, le=100_000, description="Where it should stand; default any.")
    ] = None,
) -> Answer:
    """Verify a quote: exact, normalised, other_page, partial_token, ambiguous or not_found, with pages and boxes.

    It says whether a sentence that somebody or a model quoted is literally in the PDF (document) and on the page that
    the citation gives, or paraphrased, or made up (fabricated).

    Example: {"path": "paper.pdf", "quote": "transition temperature"}
    """
    from labrig_papers.evidence import quotes

    async with state().opened(path) as paper:
        count = paper.known.count
        if page is not None:
            numbers_of(str(page), count, 1)
        if count > MOST and page is None:
            raise LabrigError(
                f"This paper has {count} pages", where="page", expected="the page of the quote", code="limit"
            )
        read = await paper.pages(range(1, count + 1) if count <= MOST else [page or 1])
        verdict = await in_thread(quotes.verify_quote, read, quote, page)
    good = verdict.status in ("exact", "normalised") and not verdict.from_ocr
    return Answer(
        source=paper.source,
        status="ok" if good else "ok_with_warnings",
        values=(Quantity("quote", verdict.status),),
        data={
            "places": [
                {"page": each.page, "text": each.text[:300], "boxes": [list(box) for box in each.boxes[:4]]}
                for each in verdict.places[:SHOWN]
            ],
            **({"nearest": verdict.nearest[:500]} if verdict.nearest else {}),
        },
        warnings=(*verdict.notes, *((_MEANING[verdict.status],) if verdict.status in _MEANING else ())),
    )


_MEANING = {
    "other_page": "It stands on another page than named",
    "partial_token": "It begins or ends within a longer number or word, so it is no evidence",
    "ambiguous": "It stands there more than once: quote more of the sentence",
    "not_found": "It is not in the text of the paper",
}


@toolbox.tool(
    title="Validate an extraction",
    read_only=True,
    words="check extracted values, JSON, records, properties, plausible, wrong unit, duplicates, evidence, page, "
    "quote, errors",
)
async def validate_extraction(
    path: PathArgument,
    extraction_file: Annotated[
        str,
        Field(description='JSON of the workspace: {"properties": [...]} in the form of the paper\'s task.'),
    ],
    cursor: CursorArgument = "",
) -> Answer:
    """Check extracted properties: form, page, quote, value in its quote, unit, formula, doubles; with fixes.

    It flags extracted values in a JSON file (band gap, density, ...) that cannot be right.

    Example: {"path": "paper.pdf", "extraction_file": "extracted.json"}
    """
    with opened_source(extraction_file) as file:
        content = os.pread(file.descriptor, MOST_BYTES + 1, 0)
    if len(content) > MOST_BYTES:
        raise over_limit("This extraction is too large", MOST_BYTES, "bytes", where=extraction_file)
    async with state().opened(path) as paper:
        numbers = numbers_of("", paper.known.count, MOST)
        doubts = await paper.scans(numbers)
        found = await paper.reader.validate(numbers, content.decode("utf-8", "replace"))
    errors = sum(each.get("severity") == "error" for each in found)
    shown = [_short({key: value for key, value in each.items() if value not in (None, "")}) for each in found]
    question = ["validate", paper.sha256, hashlib.sha256(content).hexdigest()]
    page, following = cursors.page(shown, question, cursor, size=60, most_bytes=LIST_BYTES)
    return Answer(
        source=paper.source,
        status="ok_with_warnings" if found else "ok",
        values=(Quantity("errors", errors, "1"), Quantity("findings", len(found), "1")),
        data={"findings": list(page)},
        warnings=doubts,
        next=f"repeat the call with cursor={following!r}" if following else "",
    )
