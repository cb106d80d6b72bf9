"""A quote held against the paper."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError
from labrig_papers.server.base import PathArgument, numbers_of, state, toolbox

MOST = 300
SHOWN = 8


@toolbox.tool(title="Verify a quote", read_only=True)
async def verify_quote(
    path: PathArgument,
    quote: Annotated[str, Field(description="As copied: a sentence or a row of a table.")],
    page: Annotated[
        int | None, Field(ge=1, le=100_000, description="Where it should stand; default any.")
    ] = None,
) -> Answer:
    """Verify a quote: exact, normalised, other_page, partial_token, ambiguous or not_found, with pages and boxes."""
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
        verdict = await asyncio.to_thread(quotes.verify_quote, read, quote, page)
    good = verdict.status in ("exact", "normalised")
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
        warnings=(*verdict.notes, *(() if good else (_MEANING[verdict.status],))),
    )


_MEANING = {
    "other_page": "It stands on another page than named",
    "partial_token": "It begins or ends within a longer number or word, so it is no evidence",
    "ambiguous": "It stands there more than once: quote more of the sentence",
    "not_found": "It is not in the text of the paper",
}
