"""A page as its parts: sections of blocks, an infobox of typed fields, tables, links with the section they stand in.

Text is kept as `Run`s, pieces that know where they lead and how they look, so that links are never cut off from their
words. All of it is plain data: `Page.to_dict` and `Page.from_dict` are what stores keep and what a child sends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

BlockKind = Literal["paragraph", "item", "quote", "code", "caption", "table"]
ValueKind = Literal["number", "date", "coordinates"]
_BLOCK_KINDS = frozenset(get_args(BlockKind))
SHAPE = 1
"""Of `Page.to_dict`; a store keeps it, and one of another shape is built again."""


class Run(NamedTuple):
    """A piece of text.

    Attributes
    ----------
    text
        What a reader sees. A line break within a block is a newline.
    link
        Where it leads, an absolute URL, or empty.
    style
        Letters in the order ``b``, ``i``, ``c`` (code), ``^`` (raised), ``_`` (lowered).
    """

    text: str
    link: str = ""
    style: str = ""

    def to_list(self) -> list[str]:
        """Return it as a list, without what is empty at its end."""
        if self.style:
            return [self.text, self.link, self.style]
        return [self.text, self.link] if self.link else [self.text]

    @classmethod
    def from_list(cls, parts: Any) -> Run:
        """Return a run of what `to_list` gave."""
        if type(parts) is not list or not 1 <= len(parts) <= 3:
            raise TypeError("not a run")
        for part in parts:
            if type(part) is not str:
                raise TypeError("not a run")
        return cls(*parts)


Runs = tuple[Run, ...]


def plain(runs: Iterable[Run]) -> str:
    """Return the text of runs."""
    return "".join(run.text for run in runs)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, an item of a list, a table's place, or the like.

    Attributes
    ----------
    depth
        Of an item: 1 in the outermost list.
    marker
        Of an item: ``-`` or its number, ``3.``.
    table
        Number of the table that stands here, from 0; -1 for none.
    """

    kind: BlockKind
    runs: Runs = ()
    depth: int = 0
    marker: str = ""
    table: int = -1

    def to_list(self) -> list[Any]:
        """Return it as a list."""
        return [self.kind, [run.to_list() for run in self.runs], self.depth, self.marker, self.table]

    @classmethod
    def from_list(cls, parts: Any) -> Block:
        """Return a block of what `to_list` gave."""
        kind, runs, depth, marker, table = parts
        if kind not in _BLOCK_KINDS:
            raise TypeError("not a block")
        return cls(kind, _runs(runs), int(depth), str(marker), int(table))


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading.

    Attributes
    ----------
    title
        Empty for the lead.
    level
        1 for the lead, 2 for a section, 3 for one below it.
    anchor
        What an address has behind ``#``, as the page gives it.
    """

    title: str
    level: int
    anchor: str
    blocks: tuple[Block, ...] = ()

    @property
    def text(self) -> str:
        """Its blocks as plain text, one a line; tables are left out."""
        return "\n".join(plain(block.runs) for block in self.blocks if block.kind != "table")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table, with the columns and rows that it spans."""

    runs: Runs
    header: bool = False
    columns: int = 1
    rows: int = 1

    @property
    def text(self) -> str:
        """What a reader sees."""
        return plain(self.runs)


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is written: rows of cells, spans not resolved (`labrig_atlas.wiki.grids` does that).

    Attributes
    ----------
    section
        Number of the section it stands in.
    cut
        How many of its rows were left out, because it is too large.
    """

    section: int
    caption: str
    rows: tuple[tuple[Cell, ...], ...]
    cut: int = 0

    def to_list(self) -> list[Any]:
        """Return it as a list."""
        rows = [
            [[[run.to_list() for run in cell.runs], cell.header, cell.columns, cell.rows] for cell in row]
            for row in self.rows
        ]
        return [self.section, self.caption, rows, self.cut]

    @classmethod
    def from_list(cls, parts: Any) -> Table:
        """Return a table of what `to_list` gave."""
        section, caption, rows, cut = parts
        cells = tuple(
            tuple(
                Cell(_runs(runs), bool(header), int(columns), int(down))
                for runs, header, columns, down in row
            )
            for row in rows
        )
        return cls(int(section), str(caption), cells, int(cut))


@dataclass(frozen=True, slots=True)
class Value:
    """What a field of an infobox says, as a number, a date or a place.

    Attributes
    ----------
    kind
        ``number``, ``date`` or ``coordinates``.
    text
        The words that it was read from.
    number, unit
        Of a number: its value, and the unit as it is written in ASCII (``m``, ``km2``, ``degC``, ``USD``); empty
        where it has none.
    to
        The end of a range, else None.
    about
        Whether the text says circa, or more than, or the like.
    also
        The same value in other units: (15767.0, "ft").
    note
        What the text adds in brackets: ``2021 census``.
    iso
        Of a date: ISO 8601 to its precision, ``1893-06-30``, ``1893-06``, ``1893``, ``-0299`` for 300 BC (year 0 is
        1 BC). Of a decade or century, its first year.
    precision
        Of a date: ``day``, ``month``, ``year``, ``decade`` or ``century``.
    latitude, longitude
        Of coordinates: degrees, WGS 84.
    """

    kind: ValueKind
    text: str
    number: float | None = None
    unit: str = ""
    to: float | None = None
    about: bool = False
    also: tuple[tuple[float, str], ...] = ()
    note: str = ""
    iso: str = ""
    precision: str = ""
    latitude: float | None = None
    longitude: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what it has; the parts of other kinds are left out."""
        found: dict[str, Any] = {"kind": self.kind, "text": self.text}
        if self.kind == "number":
            found |= {"value": self.number, "unit": self.unit}
        elif self.kind == "date":
            found |= {"iso": self.iso, "precision": self.precision}
        else:
            found |= {"latitude": self.latitude, "longitude": self.longitude}
        if self.to is not None:
            found["to"] = self.to
        if self.about:
            found["about"] = True
        if self.also:
            found["also"] = [{"value": number, "unit": unit} for number, unit in self.also]
        if self.note:
            found["note"] = self.note
        return found

    @classmethod
    def from_dict(cls, said: Any) -> Value:
        """Return a value of what `to_dict` gave."""
        if said["kind"] not in get_args(ValueKind):
            raise TypeError("not a value")
        return cls(
            said["kind"],
            str(said["text"]),
            _number(said.get("value")),
            str(said.get("unit", "")),
            _number(said.get("to")),
            bool(said.get("about", False)),
            tuple((float(each["value"]), str(each["unit"])) for each in said.get("also", [])),
            str(said.get("note", "")),
            str(said.get("iso", "")),
            str(said.get("precision", "")),
            _number(said.get("latitude")),
            _number(said.get("longitude")),
        )


@dataclass(frozen=True, slots=True)
class Field:
    """A line of an infobox.

    Attributes
    ----------
    label
        As it is printed, without bullets; empty where the line has none.
    group
        The heading of the infobox that it stands under.
    items
        The entries, where it is a list of several.
    values
        What could be read of it, in the order of the text.
    """

    label: str
    group: str
    runs: Runs
    items: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()

    @property
    def text(self) -> str:
        """What a reader sees."""
        return plain(self.runs)

    def to_list(self) -> list[Any]:
        """Return it as a list."""
        runs = [run.to_list() for run in self.runs]
        return [self.label, self.group, runs, list(self.items), [each.to_dict() for each in self.values]]

    @classmethod
    def from_list(cls, parts: Any) -> Field:
        """Return a field of what `to_list` gave."""
        label, group, runs, items, values = parts
        return cls(str(label), str(group), _runs(runs), _texts(items), tuple(map(Value.from_dict, values)))


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page.

    Attributes
    ----------
    text, address
        Its words, and the absolute URL.
    section
        Number of the section it stands in; the infobox, hatnotes and the lead are section 0.
    place
        ``text``, ``infobox``, ``table`` or ``hatnote``.
    label
        Of the field, where it stands in an infobox.
    """

    text: str
    address: str
    section: int
    place: str
    label: str = ""


@dataclass(frozen=True)
class Page:
    """A page that was read.

    Attributes
    ----------
    title, address
        Its title, and its URL without a section.
    sections
        In order; the first is the lead, and always there.
    tables
        Those of the text, in order; infoboxes are not among them.
    hatnotes
        Notes on top of the page and of sections: "For the river, see ..".
    coordinates
        Latitude and longitude of the subject, degrees, WGS 84, or None.
    languages
        How many language editions it has, or None where that is not known.
    disambiguation
        Whether it lists what a name may mean.
    redirected_from
        The title that led here.
    source
        Where it comes from, in one line.
    notes
        What was left out or could not be shown.
    made_up
        Whether its subject is fictional.
    """

    title: str
    address: str
    sections: tuple[Section, ...]
    infobox: tuple[Field, ...] = ()
    tables: tuple[Table, ...] = ()
    hatnotes: tuple[Runs, ...] = ()
    categories: tuple[str, ...] = ()
    coordinates: tuple[float, float] | None = None
    languages: int | None = None
    disambiguation: bool = False
    redirected_from: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    made_up: bool = False

    @property
    def lead(self) -> str:
        """The paragraphs of the lead as plain text."""
        return "\n".join(
            plain(block.runs)
            for block in self.sections[0].blocks
            if block.kind in ("paragraph", "item", "quote")
        )

    def links(self) -> Iterator[Link]:
        """Give all links in the order of the page: hatnotes, infobox, then section by section."""
        for runs in self.hatnotes:
            yield from links_in(runs, 0, "hatnote")
        for field in self.infobox:
            yield from links_in(field.runs, 0, "infobox", field.label)
        for number, section in enumerate(self.sections):
            for block in section.blocks:
                if block.kind == "table" and 0 <= block.table < len(self.tables):
                    for row in self.tables[block.table].rows:
                        for cell in row:
                            yield from links_in(cell.runs, number, "table")
                else:
                    yield from links_in(block.runs, number, "text")

    def to_dict(self) -> dict[str, Any]:
        """Return the page as plain data."""
        return {
            "shape": SHAPE,
            "title": self.title,
            "address": self.address,
            "sections": [
                [each.title, each.level, each.anchor, [block.to_list() for block in each.blocks]]
                for each in self.sections
            ],
            "infobox": [each.to_list() for each in self.infobox],
            "tables": [each.to_list() for each in self.tables],
            "hatnotes": [[run.to_list() for run in runs] for runs in self.hatnotes],
            "categories": list(self.categories),
            "coordinates": list(self.coordinates) if self.coordinates else None,
            "languages": self.languages,
            "disambiguation": self.disambiguation,
            "redirected_from": self.redirected_from,
            "source": self.source,
            "notes": list(self.notes),
            "made_up": self.made_up,
        }

    @classmethod
    def from_dict(cls, said: Any) -> Page:
        """Return a page of what `to_dict` gave.

        Raises
        ------
        TypeError, ValueError, KeyError
            For anything else: a child that a page took over may say anything.
        """
        if said["shape"] != SHAPE:
            raise ValueError("a page of another shape")
        sections = tuple(
            Section(str(title), int(level), str(anchor), tuple(map(Block.from_list, blocks)))
            for title, level, anchor, blocks in said["sections"]
        )
        if not sections:
            raise ValueError("a page without a lead")
        pair, languages = said["coordinates"], said["languages"]
        return cls(
            title=str(said["title"]),
            address=str(said["address"]),
            sections=sections,
            infobox=tuple(map(Field.from_list, said["infobox"])),
            tables=tuple(map(Table.from_list, said["tables"])),
            hatnotes=tuple(map(_runs, said["hatnotes"])),
            categories=_texts(said["categories"]),
            coordinates=(float(pair[0]), float(pair[1])) if pair else None,
            languages=None if languages is None else int(languages),
            disambiguation=bool(said["disambiguation"]),
            redirected_from=str(said["redirected_from"]),
            source=str(said["source"]),
            notes=_texts(said["notes"]),
            made_up=bool(said["made_up"]),
        )


def links_in(runs: Runs, section: int, place: str, label: str = "") -> Iterator[Link]:
    """Give the links of runs; neighbours that lead to one place are one link (a part of it in bold)."""
    text, address = "", ""
    for run in runs:
        if run.link and run.link == address:
            text += run.text
            continue
        if address and text.strip():
            yield Link(text.strip(), address, section, place, label)
        text, address = run.text, run.link
    if address and text.strip():
        yield Link(text.strip(), address, section, place, label)


def _runs(said: Any) -> Runs:
    return tuple(map(Run.from_list, said))


def _texts(said: Any) -> tuple[str, ...]:
    if not isinstance(said, list):
        raise TypeError("not a list of texts")
    return tuple(map(str, said))


def _number(said: Any) -> float | None:
    return None if said is None else float(said)
