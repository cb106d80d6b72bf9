"""The tables of a page: which are data and which only arrange the page, and their cells."""

from __future__ import annotations

from typing import Any

from labrig_atlas.wiki.infoboxes import direct_rows
from labrig_atlas.wiki.page import Cell, Table
from labrig_atlas.wiki.walking import classes_of, is_unseen
from labrig_atlas.wiki.wording import runs_of, text_of

MOST_ROWS = 2_000
MOST_CELLS = 20_000
MOST_SPAN = 1_000
"""Of columns or rows, as the HTML standard limits columns."""


def is_data(table: Any, classes: frozenset[str]) -> bool:
    """Tell whether a table holds data: it says so, or has head cells, or rows of several cells."""
    if classes & {"wikitable", "sortable", "data", "dataframe"}:
        return True
    if table.attributes.get("role") in ("presentation", "none"):
        return False
    if (
        len(table.css("table")) > 1 or table.css_first("h1, h2, h3, h4") is not None
    ):  # it is among the first itself
        return False
    widest, rows = 0, 0
    for row in direct_rows(table)[:50]:
        cells = [each for each in row.iter() if each.tag in ("td", "th")]
        if any(each.tag == "th" for each in cells):
            return True
        rows, widest = rows + 1, max(widest, len(cells))
    return rows >= 2 and widest >= 2


def table_of(node: Any, section: int, base: str, page: str) -> Table | None:
    """Return a table with its cells as they are written; None for an empty one."""
    rows: list[tuple[Cell, ...]] = []
    count, whole = 0, direct_rows(node)
    for row in whole:
        if len(rows) >= MOST_ROWS or count >= MOST_CELLS:
            break
        attributes = row.attributes
        if is_unseen("tr", attributes, classes_of(attributes)):
            continue
        cells = [
            Cell(
                runs_of(each, base, page),
                each.tag == "th",
                _span(each.attributes.get("colspan")),
                _span(each.attributes.get("rowspan")),
            )
            for each in row.iter()
            if each.tag in ("td", "th")
            and not is_unseen(each.tag, each.attributes, classes_of(each.attributes))
        ]
        count += len(cells)
        if cells:
            rows.append(tuple(cells))
    if not any(cell.runs for row in rows for cell in row):
        return None
    caption = next((each for each in node.iter() if each.tag == "caption"), None)
    words = text_of(runs_of(caption, base, page)) if caption is not None else ""
    cut = len(whole) - len(rows) if len(rows) >= MOST_ROWS or count >= MOST_CELLS else 0
    return Table(section, words, tuple(rows), cut)


def _span(written: str | None) -> int:
    """Return how far a cell spans; 0, which is "to the end" of rows, counts as far as is allowed."""
    digits = (written or "1").strip()
    if not digits.isascii() or not digits.isdigit():
        return 1
    return min(int(digits[:6]), MOST_SPAN) or MOST_SPAN
