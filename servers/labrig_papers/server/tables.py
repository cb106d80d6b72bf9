"""Tables of a paper, cell by cell."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer
from labrig.errors import unknown_name
from labrig.tools import cursor as cursors
from labrig_papers.pdf.structure import named
from labrig_papers.pdf.tables import Table
from labrig_papers.server.base import CursorArgument, PagesArgument, PathArgument, numbers_of, state, toolbox

MOST = 200
ROW_BYTES = 5_000
DOUBTED = 0.8
"""Confidence below which an answer says that the picture should be looked at."""


@toolbox.tool(
    title="Read a table",
    read_only=True,
    words="PDF article as rows and columns, extract tables, CSV, Excel, json, structured data, spreadsheet, cells, "
    "header, merged or rotated headers, several pages, supplement",
)
async def read_table(
    path: PathArgument,
    table: Annotated[
        str, Field(description="Its name or number, such as TABLE II; default: list all tables.")
    ] = "",
    pages: PagesArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Read a table: head, unit of each column, and rows with their page, box and the printed line as evidence.

    It gives tables of an article as rows and columns, structured as for a csv or json; those over several pages or with
    rotated headers are stitched into a single one; units stay with the header.

    Example: {"path": "paper.pdf", "table": "TABLE I"}
    """
    async with state().opened(path) as paper:
        numbers = numbers_of(pages, paper.known.count, MOST)
        doubts = await paper.scans(numbers)
        found = await paper.reader.tables(numbers)
    question = ["table", paper.sha256, numbers, table]
    if not table:
        listed = [_listed(each) for each in found]
        page, following = cursors.page(listed, question, cursor, size=60, most_bytes=ROW_BYTES)
        return Answer(
            source=paper.source,
            status="ok" if found else "partial",
            data={"tables": list(page), "tables_altogether": len(found)},
            warnings=doubts
            if found
            else (*doubts, "No table was recognised: outline_paper has captions, show_page shows the page"),
            next=f"repeat the call with cursor={following!r}"
            if following
            else "read_table with one of the names",
        )
    name = named(table, [each.name for each in found], "table")
    if name is None:
        raise unknown_name("table", table[:80], [each.name for each in found], where="table")
    chosen = next(each for each in found if each.name == name)
    rows = [
        {"cells": [cell.text for cell in cells], "quote": quote, "box": list(box)}
        for cells, (quote, box) in zip(chosen.rows, chosen.evidence, strict=True)
    ]
    page_rows, following = cursors.page(rows, question, cursor, size=60, most_bytes=ROW_BYTES)
    doubt = chosen.confidence < DOUBTED
    return Answer(
        source=paper.source,
        status="ok_with_warnings" if doubt else "ok",
        data={
            "table": chosen.name,
            "page": chosen.page,
            "caption": chosen.caption[:600],
            "columns": [
                {"name": name[:120], **({"unit": unit[:60]} if unit else {})}
                for name, unit in zip(chosen.header[:60], chosen.units[:60], strict=True)
            ],
            "rows": list(page_rows),
            "rows_altogether": len(rows),
            "confidence": chosen.confidence,
            "box": list(chosen.box),
        },
        warnings=(
            *doubts,
            *(("The grid is uncertain: compare it with the picture (show_page)",) if doubt else ()),
        ),
        next=f"repeat the call with cursor={following!r}" if following else "",
    )


def _listed(table: Table) -> dict[str, Any]:
    return {
        "table": table.name,
        "page": table.page,
        "caption": table.caption[:160],
        "columns": len(table.header),
        "rows": len(table.rows),
        "confidence": table.confidence,
    }
