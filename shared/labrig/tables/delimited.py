"""CSV, TSV and their relatives: which character separates, whether there is a heading, what the columns hold."""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from labrig.errors import LabrigError
from labrig.tables.columns import Column, named
from labrig.tables.description import Description
from labrig.tables.heads import LOOKED_AT, find_head, is_value
from labrig.tables.numbers import is_number
from labrig.tools.reading import Files, Text, read_text_file

MOST_BYTES = 16 << 20
"""Of a file that is read whole; some seconds."""
BEGINNING, PIECES, PIECE_BYTES = 2 << 20, 48, 128 << 10
"""What is looked at of a larger one: its beginning, and pieces at equal distances, the last of which ends with it."""
COUNTED_BYTES = 1 << 30
"""Of a file whose lines are counted; those of a larger one are estimated."""

MOST_COLUMNS = 20_000
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "spaces"}
_SAMPLE_LINES = 50
_CHUNK = 5_000
_WORD = re.compile(r"\S+")
_SENTENCE = re.compile(r"[.!?:]['\")]?$")
_PROSE_WORDS = 3
_SHOWN_ABOVE = 6


@dataclass(frozen=True)
class _Layout:
    """How the text is laid out.

    Attributes
    ----------
    comments
        The lines that begin with ``#`` before anything else.
    preamble
        Rows before the heading that have another width: an instrument's words about itself.
    places
        Where the columns are told by places in the line: see `_places`.
    """

    text: str
    comments: list[str]
    separator: str
    preamble: int
    places: _Places | None = None

    def rows(self, text: str) -> Iterator[list[str]]:
        """Return the rows of a part of the text that are not empty."""
        if self.places is None:
            return filter(None, _rows(text, self.separator))
        return filter(None, map(self.places.cut, text.splitlines()))


@dataclass(frozen=True)
class _Places:
    """Columns of a table whose cells stand below their headings, and may be blank.

    Attributes
    ----------
    places
        Where the words of the heading end; where they `begin`, of columns that are aligned to the left.
    """

    places: tuple[int, ...]
    begin: bool

    def column(self, word: re.Match[str]) -> int:
        """Return in which column a word stands."""
        return (
            bisect_right(self.places, word.start()) - 1
            if self.begin
            else bisect_left(self.places, word.end())
        )

    def cut(self, line: str) -> list[str]:
        """Return the cells of a line, blank ones included; nothing for an empty one."""
        found = [""] * len(self.places)
        words = list(_WORD.finditer(line))
        for word in words:
            place = min(max(self.column(word), 0), len(found) - 1)
            found[place] = f"{found[place]} {word[0]}".strip()
        return found if words else []


@dataclass(frozen=True)
class _Rest:
    """What lies behind the beginning of a large file.

    Attributes
    ----------
    looked_at
        Whole lines, taken at equal distances, and `lines`, how many these are.
    rows
        Lines that there are; not `exact` where they are estimated from those looked at.
    """

    looked_at: bytes
    lines: int
    rows: int
    exact: bool = True


def describe(files: Files, path: str) -> Description:
    """Describe a table of separated values.

    A table of more than `MOST_BYTES` is described by samples of the whole file; its rows are counted by its lines.

    Passed over before the heading: lines that begin with ``#``, and others that are cut into another number of cells
    than most, or lie above it (`labrig.tables.heads`). A line of units below the heading is taken for units.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not text, or no table.
    """
    found = read_text_file(files, path, most_bytes=BEGINNING)
    rest = _rest(files, path, found) if found.size > MOST_BYTES else None
    if found.cut and rest is None:
        found = read_text_file(files, path, most_bytes=MOST_BYTES)
    text = found.text[: found.text.rfind("\n") + 1] if found.cut else found.text
    text, comments = _without_comments(text)
    if not text.strip():
        what = "The file holds no table" if found.size else "The file is empty: it has 0 bytes"
        raise LabrigError(what, where=path, expected="a heading and rows")
    try:
        if below := _places(text):
            return _described(_Layout(text, comments, " ", *below), found, rest)
        return _described(_Layout(text, comments, *_separator(text, path)), found, rest)
    except csv.Error as error:
        raise LabrigError(
            f"The file cannot be read as separated values: {error}", where=path, try_="read_text_file"
        ) from error


def _rest(files: Files, path: str, found: Text) -> _Rest | None:
    """Return what lies behind the beginning of a large file; None where its lines are not its rows.

    They are not in UTF-16, where a byte that ends a line may be half of a character, and where a cell goes on in the
    next line, so that a piece may begin within it: a line then has an odd number of quotation marks.
    """
    if found.encoding not in ("utf-8", "latin-1"):
        return None
    start = files.read(path, 0, BEGINNING).rfind(b"\n") + 1
    step = (found.size - PIECE_BYTES - start) / (PIECES - 1)
    pieces = []
    for number in range(PIECES):
        piece = files.read(path, start + round(number * step), PIECE_BYTES)
        pieces.append(piece[piece.find(b"\n") + 1 : piece.rfind(b"\n") + 1])
    looked_at = b"".join(pieces)
    if any(line.count('"') % 2 for line in found.text.splitlines()[:-1]) or any(
        line.count(b'"') % 2 for line in looked_at.splitlines()
    ):
        return None
    lines = looked_at.count(b"\n")
    if found.size > COUNTED_BYTES:
        return _Rest(
            looked_at, lines, round(lines * (found.size - start) / max(1, len(looked_at))), exact=False
        )
    counted = sum(
        files.read(path, place, MOST_BYTES).count(b"\n") for place in range(start, found.size, MOST_BYTES)
    )
    return _Rest(looked_at, lines, counted + (files.read(path, found.size - 1) != b"\n"))


def _described(layout: _Layout, found: Text, rest: _Rest | None) -> Description:
    rows = layout.rows(layout.text)
    above = list(islice(rows, layout.preamble))
    sample = list(islice(rows, LOOKED_AT))
    if (width := max(map(len, sample))) > MOST_COLUMNS:
        raise LabrigError(
            f"The table has {width:,} columns", expected=f"at most {MOST_COLUMNS:,}", code="limit"
        )
    notes, about = _before(layout), dict[str, object]()
    if above and _is_short(above[-1], sample):
        columns, wrong = _without_all_names(above[-1], sample)
        notes = notes[: bool(layout.comments)]
    elif all(is_number(cell) for cell in sample[0]):
        columns, wrong = _headless(sample[0], layout)
    else:
        head = find_head(sample)
        columns, wrong = named(head.names, head.under, head.units)
        sample, notes = sample[head.rows :], notes + head.notes
        above += [[line] for line in head.above]
    for column in columns:
        column.separator = layout.separator
    if above:
        about["above"] = [" ".join(filter(None, map(str.strip, row)))[:80] for row in above[:_SHOWN_ABOVE]]
    again, last = 0, [""]

    def counted(rows: Iterator[list[str]]) -> Iterator[list[str]]:
        nonlocal again, last
        for row in rows:
            last = row
            if row[0].strip() == columns[0].name:  # which may also be a value of its column
                same = sum(cell.strip() == column.name for cell, column in zip(row, columns, strict=False))
                again += 2 * same > len(row)
            yield row

    count, ragged = _fill(columns, counted(chain(sample, rows)))
    number: dict[str, object] = {"rows_looked_at": count} if found.cut else {}
    if rest is not None:
        text = rest.looked_at.decode(found.encoding, "replace")
        further, also = _fill(columns, layout.rows(text))
        number = {
            "rows_looked_at": count + further,
            **({} if rest.exact else {"rows_estimated": count + rest.rows}),
        }
        notes.append(
            f"{count + further} rows were looked at, at the beginning and in {PIECES} places of the whole file: "
            "a rare value, and the smallest and largest, may lie between"
        )
        ragged += also
    total = count if not found.cut else count + rest.rows if rest is not None and rest.exact else None
    proven = {column.numbers.proven() for column in columns} - {""}
    for column in columns:
        column.decimal = next(iter(proven)) if len(proven) == 1 else ""
    if again:
        notes.append(
            f"{again} rows begin as the heading does: other tables stand below the first one, or the same one goes on"
        )
    if ragged:
        notes.append(f"{ragged} rows have more or fewer cells than the {len(columns)} of the heading")
    if layout.text.count('"') % 2 and (lines := last[-1].count("\n")):
        notes.append(
            f"a quotation mark opens a cell and none closes it: {lines} lines behind it are in that cell, and no rows"
        )
    if found.replaced:
        notes.append(f"{found.replaced} bytes are no UTF-8; the file may be Latin-1")
    return Description(
        f"values separated by {_SEPARATORS[layout.separator]}",
        total,
        [each.to_dict() for each in columns],
        notes + wrong,
        complete=not found.cut,
        about={"encoding": found.encoding, **about, **number},
    )


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    """Return the rows of a text; of several spaces the first one separates."""
    if separator == " ":
        return csv.reader(map(str.strip, text.splitlines()), delimiter=" ", skipinitialspace=True)
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator)


def _before(layout: _Layout) -> list[str]:
    notes = [f"{len(layout.comments)} lines before the heading begin with #"] if layout.comments else []
    if layout.preamble:
        notes.append(f"{layout.preamble} lines before the heading are no part of the table")
    return notes


def _headless(first: list[str], layout: _Layout) -> tuple[list[Column], list[str]]:
    """Return the columns of a table that begins with numbers; its heading may be its last comment."""
    last = layout.comments[-1].lstrip("# \t").rstrip("\r\n") if layout.comments else ""
    heading = next(_rows(last, layout.separator), [])
    if len(heading) == len(first) and not any(map(is_number, heading)):
        columns, wrong = named(heading)
        return columns, ["the last comment is taken for the heading", *wrong]
    columns, _ = named([""] * len(first))
    return columns, ["the first line holds numbers, so it is taken as data: the columns have no headings"]


def _is_short(heading: list[str], rows: list[list[str]]) -> bool:
    """Tell whether a line with fewer cells than the rows below is their heading: words above what is no heading."""
    if not 1 < len(heading) < len(rows[0]) or not all(map(str.strip, heading)) or any(map(is_value, heading)):
        return False
    parted = [
        is_number(one) and is_number(next_) and not one.strip().isdigit()
        for one, next_ in zip(*rows[:2], strict=False)
    ]
    return any(parted) or all(map(is_number, rows[0]))


def _without_all_names(heading: list[str], rows: list[list[str]]) -> tuple[list[Column], list[str]]:
    """Return the columns of a table with more of them than names: R leaves out that of the numbers of its rows."""
    width = len(rows[0])
    counted = all(row[0].strip() == str(number) for number, row in enumerate(rows, 1))
    names = ["", *heading] if counted and len(heading) == width - 1 else [""] * width
    said = f"the heading has {len(heading)} names for {width} columns"
    whose = "that of the numbers of rows has none" if any(names) else "which is whose is not told"
    return named(names)[0], [f"{said}: {whose}"]


def _fill(columns: list[Column], rows: Iterator[list[str]]) -> tuple[int, int]:
    """Add rows to the columns; return how many there are, and how many of them are ragged."""
    count = ragged = 0
    while pending := list(islice(rows, _CHUNK)):
        ragged += _take(pending, columns)
        count += len(pending)
    return count, ragged


def _take(rows: list[list[str]], columns: list[Column]) -> int:
    """Add rows to the columns, and return how many are ragged; cells beyond the heading are left out."""
    width = len(columns)
    for column, cells in zip(
        columns, zip_longest(*(row[:width] for row in rows), fillvalue=""), strict=False
    ):
        column.add_texts(cells)
    short = max((len(row) for row in rows), default=width)
    for column in columns[short:] if rows else []:
        column.add_texts([""] * len(rows))
    return sum(len(row) != width for row in rows)


def _without_comments(text: str) -> tuple[str, list[str]]:
    """Return a text from its first line that is not a comment, and the comments before."""
    start, comments = 0, []
    while text.startswith("#", start) and (end := text.find("\n", start)) >= 0:
        comments.append(text[start:end])
        start = end + 1
    return text[start:], comments


def _separator(text: str, path: str) -> tuple[str, int]:
    """Return the character that cuts most of the first lines into the same number of cells, and the lines before."""
    best, before, score = "", 0, (0.0, 1)
    for separator in _SEPARATORS:
        if separator == " " and best:  # spaces stand within cells
            break
        sample = [row for row in islice(_rows(text, separator), _SAMPLE_LINES) if row]
        widths = [len(row) for row in sample]
        least = 0.8 if separator == " " else 0.5
        for skipped in dict.fromkeys((0, _preamble(widths))):
            kept = widths[skipped:]
            same = round(kept.count(kept[0]) / len(kept), 1) if kept else 0.0
            if separator == " " and not _is_aligned(sample[skipped:]):
                continue
            if kept and kept[0] > 1 and same >= least and (same - 0.2 * bool(skipped), kept[0]) > score:
                best, before, score = separator, skipped, (same - 0.2 * bool(skipped), kept[0])
    named_table = path.lower().endswith((".csv", ".tsv"))
    if best and (named_table or not _is_prose(text, best)):
        return best, before
    if named_table:
        return ("\t" if path.lower().endswith(".tsv") else ","), 0  # one column
    raise LabrigError(
        "The text is not a table: no comma, tab, semicolon, bar or space cuts its lines into the same number of cells",
        where=path,
        try_="read_text_file",
    )


def _places(text: str) -> tuple[int, _Places] | None:
    """Return the lines before a heading below which cells stand by their places, some of them blank, and the places.

    Each word below stands in a column of its own, and eight of ten end, or begin, where a word of the heading does.
    """
    lines = list(islice(filter(str.strip, text.splitlines()), _SAMPLE_LINES))
    words = [list(_WORD.finditer(line)) for line in lines]
    for number, heading in enumerate(words[:-3]):
        below = words[number + 1 :]
        if (
            len(heading) < 3
            or any(is_value(word[0]) for word in heading)
            or max(map(len, below)) > len(heading)
        ):
            continue
        if all(len(row) == len(heading) for row in below) or set(",;|\t") & {*"".join(lines[number:])}:
            continue
        if not all(any(is_number(word[0]) for word in row) for row in below):
            continue
        for begin in (False, True):
            ends = tuple(word.start() if begin else word.end() for word in heading)
            places = _Places(ends, begin)
            columns = [[places.column(word) for word in row] for row in below]
            apart = all(row == sorted({*row}) and row[0] >= 0 and row[-1] < len(heading) for row in columns)
            exact = sum((word.start() if begin else word.end()) in ends for row in below for word in row)
            if apart and exact >= 0.8 * sum(map(len, below)):
                return number, places
    return None


def _is_aligned(rows: list[list[str]]) -> bool:
    """Tell whether words between spaces are cells: three rows at least, and numbers in most but the first."""
    numeric = [any(map(is_value, row)) for row in rows[1:]]
    return len(numeric) > 1 and sum(numeric) >= 0.8 * len(numeric)


def _is_prose(text: str, separator: str) -> bool:
    """Tell whether cells are parts of sentences: no value among them, lines that end as sentences do or long cells."""
    rows = [row for row in islice(_rows(text, separator), _SAMPLE_LINES) if row]
    cells = [cell for row in rows for cell in row if cell.strip()]
    if not cells or any(map(is_value, cells)):
        return False
    ended = sum(bool(_SENTENCE.search(row[-1].strip())) for row in rows)
    words = sum(len(cell.split()) for cell in cells) / len(cells)
    return 2 * ended >= len(rows) or words > _PROSE_WORDS


def _preamble(widths: list[int]) -> int:
    """Return how many rows come before the first one of the commonest width, if that is found three times."""
    if not widths:
        return 0
    width, times = Counter(widths).most_common(1)[0]
    return widths.index(width) if times >= 3 else 0
