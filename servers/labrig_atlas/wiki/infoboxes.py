"""The infobox of a page as fields: rows of a table, read with the headings that they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from labrig_atlas.wiki.coordinates import coordinates
from labrig_atlas.wiki.dates import iso_date
from labrig_atlas.wiki.page import Field, Run, Runs, Value, plain
from labrig_atlas.wiki.values import values_of
from labrig_atlas.wiki.walking import classes_of
from labrig_atlas.wiki.wording import runs_of, text_of

MOST_FIELDS = 400
_DEEPEST = 3
"""Infoboxes in infoboxes that are read as rows; what lies deeper is text."""
_BULLET = re.compile(r"^[\s•·▪–-]+")
_LABEL_CHARS = 80


def is_infobox(tag: str, classes: frozenset[str]) -> bool:
    """Tell whether an element is an infobox: by the names that Wikipedias of many languages share."""
    return any(
        each == "infobox" or each.startswith(("infobox_v", "infobox-table")) or each in ("taxobox", "biota")
        for each in classes
    ) and tag in ("table", "div", "aside")


def title_of(box: Any) -> str:
    """Return what an infobox is about: its caption, or a heading above its rows; empty where it has none."""
    found = box.css_first("caption, .infobox-above, .infobox-title, .fn")
    if found is None:
        (_, cells), *_ = [*_rows(box, 0), (None, [])]
        found = cells[0] if len(cells) == 1 and cells[0].tag == "th" else None
    return text_of(runs_of(found, "", ""))[:_LABEL_CHARS].strip() if found is not None else ""


def fields_of(box: Any, base: str, page: str, language: str) -> list[Field]:
    """Return the fields of an infobox, each with the heading that it stands under."""
    fields: list[Field] = []
    headings = _Headings()
    for row, cells in _rows(box, _DEEPEST):
        if len(fields) >= MOST_FIELDS:
            break
        joined = classes_of(row.attributes)
        inside = [(cell, classes_of(cell.attributes)) for cell in cells]
        head, classes = inside[0]
        if len(inside) == 1:
            found = runs_of(head, base, page)
            title = "infobox-above" in classes or head.css_first(".fn") is not None
            if title or (not fields and not headings.group and head.tag == "th") or not found:
                continue  # the title once more
            if head.tag == "th" or "infobox-header" in classes:
                headings.begin(text_of(found)[:_LABEL_CHARS].strip(), joined)
            else:
                label = "caption" if "infobox-image" in classes else ""
                fields.append(_field(label, headings.over("", joined), found, head, language))
            continue
        label, data = text_of(runs_of(head, base, page)), [cell for cell, _ in inside[1:]]
        unlabelled = head.tag == "td" and "infobox-label" not in classes and len(inside) > 2
        if len(label) > _LABEL_CHARS or unlabelled:
            label, data = "", [cell for cell, _ in inside]
        group = headings.over(label, joined)
        whole: list[Run] = []
        for cell in data:
            found = runs_of(cell, base, page)
            if found:
                whole += [Run("; "), *found] if whole else found
        if whole:
            fields.append(_field(_bare(label), group, tuple(whole), data[0], language))
    return fields


class _Headings:
    """Which heading a row stands under.

    A heading holds for the rows below it, to the next one. Where rows are merged under a heading, as those of an area
    or a population are, it holds for these alone: the elevation that follows does not belong to the population. A row
    whose label begins with a bullet and that has no heading belongs to the last row without one ("Government", then
    "• President").
    """

    def __init__(self) -> None:
        self.group = self._above = ""
        self._merged = self._first = False

    def begin(self, heading: str, classes: frozenset[str]) -> None:
        """Take a heading."""
        self.group, self._above = heading, ""
        self._merged, self._first = "mergedtoprow" in classes, True

    def over(self, label: str, classes: frozenset[str]) -> str:
        """Return the heading over a row with this label."""
        bullet = bool(_BULLET.match(label))
        joined = bullet or bool(classes & {"mergedrow", "mergedbottomrow"})
        if self._merged and not joined and not self._first:
            self.group, self._merged = "", False
        self._first = False
        if self.group or (bullet and self._above):
            return self.group or self._above
        self._above = _bare(label)
        return ""


def _bare(label: str) -> str:
    """Return a label without bullets and colons."""
    return _BULLET.sub("", label).rstrip(":").strip()


def _field(label: str, group: str, runs: Runs, cell: Any, language: str) -> Field:
    """Return a field with its values, those that the page hides for programs taken before those in words."""
    items = tuple(
        text
        for each in cell.css("li, dd")[:100]
        if (text := text_of(runs_of(each, "", ""))) and len(each.css("li, dd")) == 1
    )
    values = values_of(plain(runs), label=f"{label} {group}", language=language)
    if label == "caption":
        values = ()
    exact = [value for each in cell.css(".geo")[:5] if (value := _place(each.text() or "")) is not None]
    if exact:
        seen = [value for value in values if value.kind == "coordinates"]
        first = replace(exact[0], text=seen[0].text if seen else exact[0].text)
        values = (first, *(value for value in values if value.kind != "coordinates"))
    hidden = [
        value
        for each in cell.css(".bday, .dday, .dtstart, .dtend")[:5]
        if (value := iso_date(each.text() or "")) is not None
    ]
    known = {value.iso for value in values}
    values += tuple(
        value for value in dict.fromkeys(hidden) if not any(iso.startswith(value.iso) for iso in known)
    )
    return Field(label, group, runs, items if len(items) > 1 else (), values)


def _place(text: str) -> Value | None:
    numbers = re.fullmatch(r"\s*([-+]?\d{1,2}(?:\.\d+)?)\s*[;,]\s*([-+]?\d{1,3}(?:\.\d+)?)\s*", text)
    return coordinates(float(numbers[1]), float(numbers[2]), text) if numbers else None


def _rows(box: Any, deepest: int) -> Iterator[tuple[Any, list[Any]]]:
    """Give the rows of an infobox with their cells; those of an infobox within a lone cell stand in its place."""
    for table in [box] if box.tag == "table" else _outermost(box):
        for row in direct_rows(table):
            cells = [each for each in row.iter() if each.tag in ("td", "th")]
            if not cells:
                continue
            inner = _outermost(cells[0]) if len(cells) == 1 and deepest > 0 else []
            if inner and any(_is_labelled(each) for each in inner):
                for each in inner:
                    yield from _rows(each, deepest - 1)
            else:
                yield row, cells


def _outermost(node: Any) -> list[Any]:
    """Return the tables in an element that lie in no other one of them."""
    found: list[Any] = []
    stack = list(node.iter())[::-1]
    while stack and len(found) < 20:
        each = stack.pop()
        if each.tag == "table":
            found.append(each)
        elif each.tag in ("div", "section", "center", "span", "p", "aside"):
            stack += list(each.iter())[::-1]
    return found


def _is_labelled(table: Any) -> bool:
    """Tell whether a table has a row of a label and a value."""
    return any(
        len(cells) > 1 and cells[0].tag == "th"
        for row in direct_rows(table)
        for cells in [[each for each in row.iter() if each.tag in ("td", "th")]]
    )


def direct_rows(table: Any) -> list[Any]:
    """Return the rows of a table, and none of a table within it."""
    rows: list[Any] = []
    for each in table.iter():
        if each.tag == "tr":
            rows.append(each)
        elif each.tag in ("tbody", "thead", "tfoot"):
            rows += [row for row in each.iter() if row.tag == "tr"]
    return rows
