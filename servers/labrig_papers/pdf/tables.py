"""Tables as grids of cells, found by the gaps between their columns.

Papers rule their tables with two or three lines or none, so the gaps decide: lines with wide gaps that follow one
another are rows, and what stays white through all rows of the body parts the columns. Heads are put to the column that
they overlap most. A grid that reads like prose is none. A table that could be read otherwise has a lower confidence;
its picture is the judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from labrig_papers.pdf.page import Box, Line, Page, around, plain
from labrig_papers.pdf.structure import Caption, captions, stands_over
from labrig_papers.pdf.turning import back_on, frames

GUTTER = 0.3
"""Least width of white between two columns, in the size of the font."""
WORD_SPACE = 0.6
"""Widest space between two words of a cell, in the height of their print."""
ROW_GAP = 3.0
"""Most distance between two rows, in the size of the font."""
PAIR_WITHIN = 250.0
"""Points between the captions of two tables that stand beside each other, and their rows."""
BELOW = 6
"""Lines among which the next one of a column is found, since columns of a page are sorted together."""
CAPTION_WITHIN = 60.0
"""Points between a table and its caption."""
MOST_OF_A_GROUP = 6
"""Words of a row that names a group."""
MOST_OF_A_NAME, MOST_NAMES, NAME_WITHIN = 8, 2, 8.0
"""Words of a row of one name, such rows one after another, and how far left of the others it may end, in its size."""
MOST_WORDS = 7.0
"""Words of a cell on the average, from which a grid is prose."""
_NUMBER = re.compile(r"[<>≤≥~∼≈±+−–-]?\s*\.?\d")
_UNIT = re.compile(r"[(\[]([^()\[\]<>=]+(?:\([^()]*\)[^()\[\]<>=]*)*)[)\]]\s*$")
MOST_OF_A_HEAD = 6
"""Lines of a head among which a row of units is looked for."""
_IN_BRACKETS = re.compile(r"[(\[][^()\[\]]*[A-Za-z%°Å][^()\[\]]*[)\]]|[(\[][^\d]*\([^()]*\)[^()]*[)\]]")
UNITS = re.compile(r"[\[(]?(?:units?|dimensions?)[\])]?", re.IGNORECASE)
"""The head of a column that has the units of its rows."""
_BEFORE = frozenset("<>≤≥~∼≈≲≳≃")
_JOINTS = frozenset("±×·")
_EMPTY = frozenset({"–", "—", "-", "−", "...", "…"})


@dataclass(frozen=True)
class Cell:
    """A cell: its marked-up text, its box, and its range in the text of the page (0, 0 where it is empty)."""

    text: str
    box: Box | None
    start: int
    end: int


_EMPTY_CELL = Cell("", None, 0, 0)


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    name
        Of its caption, ``TABLE I``; ``p2.1`` for the first one of page 2 that has none.
    header
        A text for each column, lines of the head joined.
    units
        What stands in brackets at the end of each head, as printed.
    rows
        Of the body; each has a cell for each column.
    evidence
        For each row its text as printed, and the box of it.
    confidence
        0 to 1: full rows, one width of all, and a caption count; cells of several lines lower it.
    """

    name: str
    page: int
    caption: str
    box: Box
    header: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    evidence: tuple[tuple[str, Box], ...]
    confidence: float


@dataclass(frozen=True)
class _Word:
    text: str
    box: Box
    start: int
    end: int


def find_tables(page: Page) -> list[Table]:
    """Return the tables of a page, from the top, those that stand sideways too."""
    found: list[Table] = []
    for frame in frames(page):
        turn = frame.lines[0].turn if frame.lines else 0
        found += (_back_on(table, page, turn) for table in upright_tables(frame, len(found)))
    return sorted(found, key=lambda each: -each.box[3])


def _back_on(table: Table, page: Page, turn: int) -> Table:
    """Return a table of a frame with its boxes on the page."""

    def back(box: Box) -> Box:
        return back_on(box, turn, page.width, page.height)

    if not turn:
        return table
    return replace(
        table,
        box=back(table.box),
        rows=tuple(
            tuple(replace(cell, box=cell.box and back(cell.box)) for cell in row) for row in table.rows
        ),
        evidence=tuple((text, back(box)) for text, box in table.evidence),
    )


def upright_tables(page: Page, before: int = 0) -> list[Table]:
    """Return the tables of a page or of a frame of it, from the top; `before` it, others of the page were found."""
    known = captions(page)
    taken: set[int] = set()
    found: list[Table] = []
    for rows in _grids(page, known):
        caption = _caption_of(rows, known, taken, page.width / 2)
        table = _table(page, rows, caption, before + len(found) + 1)
        if table is not None:
            if caption is not None:
                taken.add(caption.start)
            found.append(table)
    return sorted(found, key=lambda each: -each.box[3])


def _grids(page: Page, known: Sequence[Caption]) -> list[list[list[_Word]]]:
    """Return runs of lines that look like rows."""
    inside = [(each.start, each.end) for each in known]
    rows: list[tuple[Line, list[_Word], bool]] = []
    for line in page.lines:
        if any(start <= line.start < end for start, end in inside):
            continue
        words = _words(page, line)
        wide = "\t" in page.text[line.start : line.end]
        numbers = sum(_NUMBER.match(plain(each.text)) is not None for each in words)
        rows.append((line, words, len(words) >= 2 and (wide or numbers >= max(2, 0.6 * len(words)))))
    rows.sort(key=lambda each: (-each[0].box[3], each[0].box[0]))
    rows = [
        (
            line,
            words,
            is_row or (len(words) > 1 and any(stands_over(page, line, row) for row in _below(rows, number))),
        )
        for number, (line, words, is_row) in enumerate(rows)
    ]
    grids: list[list[tuple[Line, list[_Word]]]] = []
    feet: list[
        tuple[float, int]
    ] = []  # of each grid: how far down it reaches, and over how many rows of one name
    for line, words, is_row in rows:
        if not is_row:
            if any(each.kind == "table" for each in known):
                feet = [_foot(grid, foot, line, words) for grid, foot in zip(grids, feet, strict=True)]
            continue
        for number in reversed(range(len(grids))):
            grid, above = grids[number], grids[number][-1][0]
            overlap = min(line.box[2], above.box[2]) - max(line.box[0], above.box[0])
            level = abs(line.box[1] - above.box[1]) < 0.5 * line.size
            near = feet[number][0] - line.box[3] < (ROW_GAP - 1) * max(line.size, above.size)
            beside = (
                level
                and abs(line.box[0] - above.box[2]) < 6 * line.size
                and not _of_two(known, above, line, page.width / 2)
            )
            if (near and overlap > 0.3 * min(_width(line), _width(above))) or beside:
                grid.append((line, words))
                feet[number] = (line.box[1], 0)
                break
        else:
            grids.append([(line, words)])
            feet.append((line.box[1], 0))
    return [_rows(grid) for grid in grids if len(grid) > 2]


def _foot(
    grid: Sequence[tuple[Line, list[_Word]]], foot: tuple[float, int], line: Line, words: Sequence[_Word]
) -> tuple[float, int]:
    """Return how far down a grid reaches behind a line that is no row: one name may head the rows below it."""
    bottom, count = foot
    left, right = min(each.box[0] for each, _ in grid), max(each.box[2] for each, _ in grid)
    under = 0 < bottom - line.box[1] < ROW_GAP * line.size
    beside = left - NAME_WITHIN * line.size < line.box[2] and line.box[0] < right
    return (line.box[1], count + 1) if under and beside and _is_name(words) and count < MOST_NAMES else foot


def _is_name(words: Sequence[_Word]) -> bool:
    """Tell whether a line that is no row may name those below it: few words, no sentence and no number."""
    texts = [plain(word.text) for word in words]
    return (
        0 < len(words) <= MOST_OF_A_NAME
        and len(_parted(words)) < 3
        and re.search(r"[A-Za-z]{2}", " ".join(texts)) is not None
        and not any(map(_NUMBER.match, texts))
        and not texts[-1].endswith((".", ","))
    )


def _below(rows: Sequence[tuple[Line, list[_Word], bool]], number: int) -> list[Line]:
    """Return the rows that may stand right under a line; lines are sorted from the top."""
    line = rows[number][0]
    return [
        other
        for other, _, is_row in rows[number + 1 : number + 1 + BELOW]
        if is_row and 0 < line.box[1] - other.box[1] < ROW_GAP * line.size
    ]


def _of_two(known: Sequence[Caption], left: Line, right: Line, middle: float) -> bool:
    """Tell whether two lines at one height are of two tables, one in each column of a page: each has its caption."""
    if not left.box[2] < middle < right.box[0]:
        return False
    near = (
        each.box for each in known if each.kind == "table" and abs(each.box[1] - right.box[1]) < PAIR_WITHIN
    )
    tables = list(near)
    return any(box[2] < middle for box in tables) and any(box[0] > middle - 6 for box in tables)


def _rows(grid: Sequence[tuple[Line, list[_Word]]]) -> list[list[_Word]]:
    """Return the words of lines row by row: lines at one height are one row."""
    rows: list[tuple[float, float, list[_Word]]] = []
    for line, words in grid:
        middle = (line.box[1] + line.box[3]) / 2
        if rows and abs(rows[-1][0] - middle) < 0.45 * line.size:
            rows[-1][2].extend(words)
        else:
            rows.append((middle, line.size, list(words)))
    return [sorted(words, key=lambda each: each.box[0]) for _, _, words in rows]


def _words(page: Page, line: Line) -> list[_Word]:
    found = []
    for match in re.finditer(r"(?:[^\s^_]|[\^_]\{[^{}]*\}|[\^_])+", page.text[line.start : line.end]):
        start, end = line.start + match.start(), line.start + match.end()
        boxes = [page.boxes[each] for each in page.at[start:end] if each >= 0]
        if boxes:
            found.append(_Word(match.group(), around(boxes), start, end))
    return _with_signs(found, 0.75 * line.size)


def _with_signs(words: Sequence[_Word], near: float) -> list[_Word]:
    """Return words in which a sign is one with its number: ``< 1.8``, ``4.3 ± 0.2``, ``1.2 × 10^{3}``."""
    joined: list[_Word] = []
    for word in words:
        before = joined[-1] if joined else None
        signs = before is not None and (word.text in _JOINTS or before.text.split()[-1] in _JOINTS | _BEFORE)
        if before is not None and signs and word.box[0] - before.box[2] < near:
            joined[-1] = _Word(
                f"{before.text} {word.text}", around([before.box, word.box]), before.start, word.end
            )
        else:
            joined.append(word)
    return joined


def _caption_of(
    rows: list[list[_Word]], known: Sequence[Caption], taken: set[int], middle: float
) -> Caption | None:
    """Return the nearest caption over or under rows; beside them only where they stand in the middle of the page."""
    box = around([word.box for row in rows for word in row])
    best: tuple[float, Caption] | None = None
    centred = box[0] < middle < box[2]
    for caption in known:
        if caption.kind != "table" or caption.start in taken:
            continue
        over = min(box[2], caption.box[2]) - max(box[0], caption.box[0])
        away = max(caption.box[1] - box[3], box[1] - caption.box[3])
        rank = away if over > 0 else away + CAPTION_WITHIN
        if (over > 0 or centred) and -4 < away < CAPTION_WITHIN and (best is None or rank < best[0]):
            best = (rank, caption)
    return best[1] if best else None


def _table(page: Page, rows: list[list[_Word]], caption: Caption | None, number: int) -> Table | None:
    """Return a run of rows as a table, or None where it is no grid."""
    first = _first_of_body(rows)
    first -= _groups_over(rows, first)
    body = rows[first:]
    if len(body) < 2:
        return None
    size = sum(word.box[3] - word.box[1] for row in body for word in row) / sum(map(len, body))
    columns = _without_word_spaces(_columns(body, max(2.4, GUTTER * 1.4 * size)), body, WORD_SPACE * size)
    if len(columns) < 2:
        return None
    columns, parted = _parted_by_heads(rows[:first], body, columns)
    grid = [_over_parts(page, row, columns, parted) for row in body]
    names = _names_between(page, rows, first, columns, min(caption.box[0], columns[0][0])) if caption else []
    goes_on = _going_on(page, body, columns, {word.start for name in names for word in name})
    for index, words in goes_on.items():
        more = _cells(page, words, columns)
        grid[index] = tuple(_longer(cell, rest) for cell, rest in zip(grid[index], more, strict=True))
    over = _heads_over(page, rows[0], columns, caption) if first else []
    head = [_cells(page, row, columns) for row in (*over, *rows[:first])]
    for index, row in enumerate((*over, *rows[:first])):
        head[index] = _head_cells(page, row, columns, head[index], head[index + 1 :])
    used = [index for index in range(len(columns)) if any(row[index].text for row in (*grid, *head))]
    grid, head = ([tuple(row[index] for index in used) for row in part] for part in (grid, head))
    columns = [columns[index] for index in used]  # a name with brackets behind it may have seemed two columns
    grid, head, columns = _with_units(grid, head, columns)
    filled = [cell for row in grid for cell in row if cell.text]
    if sum(len(cell.text.split()) for cell in filled) / len(filled) > MOST_WORDS:
        return None
    numeric = sum(_NUMBER.match(plain(cell.text)) is not None for cell in filled) / len(filled)
    header = tuple(
        " ".join(row[index].text for row in head if row[index].text) for index in range(len(columns))
    )
    if caption is None and numeric < 0.4 and not any(map(UNITS.fullmatch, map(str.strip, header))):
        return None  # axes of figures, lists of authors
    units = tuple(found[1].strip() if (found := _UNIT.search(each)) else "" for each in header)
    own = [row for row, words in zip(grid, body, strict=True) if not _names_a_group(words)] or grid
    columned = [index for index in range(len(columns)) if any(row[index].text for row in own)]
    share = sum(bool(row[index].text) for row in own for index in columned) / (len(own) * len(columned))
    named = sum(map(bool, header)) / len(columns)
    confidence = round(0.5 * share + 0.25 * named + (0.25 if caption is not None else 0), 2)
    confidence = round(confidence - 0.1, 2) if goes_on else confidence
    confidence = round(confidence - 0.3, 2) if 2 * len(names) > len(grid) + 1 else confidence
    boxes = [word.box for row in (*rows, *names) for word in row]
    ahead = any(name[-1].box[2] < columns[0][0] for name in names)
    header, units = (("", *header), ("", *units)) if ahead else (header, units)
    grid = [(_EMPTY_CELL, *row) for row in grid] if ahead else grid
    whole = [(row[0].box[3], cells, row) for cells, row in zip(grid, body, strict=True)]
    for name in names:
        cells = (
            _cells(page, name, [(name[0].box[0], name[-1].box[2])])[0],
            *[_EMPTY_CELL] * (len(header) - 1),
        )
        whole.append((name[0].box[3], cells, name))
    whole.sort(key=lambda each: -each[0])
    evidence = tuple(
        (
            " ".join(" ".join(word.text for word in row).split()),
            around([word.box for word in row]),
        )
        for _, _, row in whole
    )
    return Table(
        caption.name if caption else f"p{page.number}.{number}",
        page.number,
        caption.text if caption else "",
        around(boxes),
        header,
        units,
        tuple(cells for _, cells, _ in whole),
        evidence,
        confidence,
    )


def _with_units(
    grid: list[tuple[Cell, ...]], head: list[tuple[Cell, ...]], columns: list[tuple[float, float]]
) -> tuple[list[tuple[Cell, ...]], list[tuple[Cell, ...]], list[tuple[float, float]]]:
    """Return a grid in which a column that has no head and one text in all rows, a unit, is part of that before it."""
    index = 1
    while index < len(columns):
        texts = {row[index].text for row in grid}
        text = texts.pop() if len(texts) == 1 else ""
        headless = not any(row[index].text for row in head)
        behind_numbers = all(_NUMBER.match(plain(row[index - 1].text)) for row in grid)
        if text and headless and behind_numbers and not _NUMBER.match(text) and text not in _EMPTY:
            left, right = slice(None, index - 1), slice(index + 1, None)
            grid = [(*row[left], _spanning(row[index - 1], row[index]), *row[right]) for row in grid]
            head = [(*row[:index], *row[right]) for row in head]
            columns = [*columns[left], (columns[index - 1][0], columns[index][1]), *columns[right]]
        else:
            index += 1  # a unit of two words, "μΩ cm", may have seemed two columns
    return grid, head, columns


def _spanning(cell: Cell, rest: Cell) -> Cell:
    """Return two cells of a row as one."""
    boxes = [each for each in (cell.box, rest.box) if each is not None]
    return Cell(f"{cell.text} {rest.text}", around(boxes), cell.start, max(cell.end, rest.end))


def _names_between(
    page: Page,
    rows: Sequence[Sequence[_Word]],
    first: int,
    columns: Sequence[tuple[float, float]],
    left: float,
) -> list[list[_Word]]:
    """Return rows of one name that stand over rows of the body: "URhSi" over those of its three methods.

    Such a name begins left of its column's cells or, in the first one, with a capital, reaches over several columns,
    or stands where the row above has nothing; what else stands in one column goes on with the cell above it.
    """
    body, known = rows[first:], {word.start for row in rows for word in row}
    lines = [around([word.box for word in row]) for row in body]
    top = around([word.box for word in rows[first - 1]])[1] if first else lines[0][3]
    left, right = left - 3, columns[-1][1] + 3
    found = []
    for line in page.lines:
        middle = (line.box[1] + line.box[3]) / 2
        if not (lines[-1][3] < middle < top and left < line.box[0] and line.box[2] < right):
            continue
        words = _words(page, line)
        if not _is_name(words) or words[0].start in known:
            continue
        above = [row for row, box in zip(body, lines, strict=True) if box[1] > middle]
        inside = [each for each in columns if min(each[1], line.box[2]) > max(each[0], line.box[0])]
        over = [each for each in (above[-1] if above else ()) if inside and _is_within(each, inside[0])]
        out = not inside or line.box[0] < inside[0][0] - 2
        is_new = inside[:1] == [columns[0]] and plain(words[0].text)[:1].isupper()
        if out or len(inside) > 1 or not over or is_new:
            found.append(words)
    return found


def _is_within(word: _Word, column: tuple[float, float]) -> bool:
    return word.box[0] < column[1] and word.box[2] > column[0]


def _going_on(
    page: Page,
    body: Sequence[Sequence[_Word]],
    columns: Sequence[tuple[float, float]],
    named: set[int],
) -> dict[int, list[_Word]]:
    """Return words on lines between two rows, by the row above: a cell of words may take several lines.

    What is `named` are rows of their own, by where their words start.
    """
    lines = [around([word.box for word in row]) for row in body]
    known = {word.start for row in body for word in row} | named
    found: dict[int, list[_Word]] = {}
    for line in page.lines:
        middle = (line.box[1] + line.box[3]) / 2
        within = columns[0][0] - 3 < line.box[0] and line.box[2] < columns[-1][1] + 3
        if not within or not lines[-1][1] < middle < lines[0][3]:
            continue
        words = _words(page, line)
        if any(word.start in known or any(map(str.isdigit, plain(word.text))) for word in words):
            continue
        above = [index for index, box in enumerate(lines) if box[1] > middle]
        if (
            words
            and above
            and any(left - 3 < line.box[0] and line.box[2] < right + 3 for left, right in columns)
        ):
            found.setdefault(above[-1], []).extend(words)
    return found


def _longer(cell: Cell, rest: Cell) -> Cell:
    """Return a cell with what its next line says."""
    if not rest.text or rest.box is None or cell.box is None:
        return cell
    return Cell(f"{cell.text} {rest.text}", around([cell.box, rest.box]), cell.start, cell.end)


def _first_of_body(rows: list[list[_Word]]) -> int:
    """Return the number of the first row with numbers, or behind a row of units; 1 where no row has any."""
    for index, row in enumerate(rows[1:MOST_OF_A_HEAD], 1):
        groups = [" ".join(word.text for word in group) for group in _groups(row)]
        if (
            len(groups) > 1
            and all(_IN_BRACKETS.fullmatch(each) for each in groups)
            and len(groups) >= len(rows[0]) / 3
        ):
            return index + 1
    for index, row in enumerate(rows):
        told = (
            not before.text.endswith("=") for before in row
        )  # "x = 0.05" in a head says which sample it is
        if any(
            own and (_NUMBER.match(plain(word.text)) or word.text in _EMPTY)
            for own, word in zip(told, row[1:], strict=False)
        ) or (index and _NUMBER.match(plain(row[0].text))):
            return index
    return 1


def _groups_over(rows: list[list[_Word]], first: int) -> int:
    """Return how many of the last lines of a head are rows of the body that name the group of those below them.

    They begin at the left as one further down does that has no number either, and have fewer cells than the head.
    """
    below = [row for row in rows[first:] if _names_a_group(row)]
    count = 0
    while first - count > 1 and below:
        row, above = rows[first - count - 1], rows[first - count - 2]
        alike = any(abs(row[0].box[0] - other[0].box[0]) < 2 for other in below)
        if not (alike and _names_a_group(row) and len(_parted(row)) < len(_parted(above))):
            break
        count += 1
    return count


def _names_a_group(row: Sequence[_Word]) -> bool:
    """Tell whether a row has words and marks of references alone, in few cells."""
    words = [plain(word.text) for word in row]
    return len(row) <= MOST_OF_A_GROUP and words[0][:1].isalpha() and not any(map(_NUMBER.match, words))


def _columns(body: Sequence[Sequence[_Word]], gutter: float) -> list[tuple[float, float]]:
    """Return the horizontal ranges that white strips through all rows part."""
    spans = sorted((word.box[0], word.box[2]) for row in body for word in row)
    columns = [list(spans[0])]
    for left, right in spans[1:]:
        if left - columns[-1][1] >= gutter:
            columns.append([left, right])
        else:
            columns[-1][1] = max(columns[-1][1], right)
    return [(left, right) for left, right in columns]


def _parted_by_heads(
    head: Sequence[Sequence[_Word]], body: Sequence[Sequence[_Word]], columns: list[tuple[float, float]]
) -> tuple[list[tuple[float, float]], list[range]]:
    """Return columns, those parted that values printed across two of them had joined, and the numbers of such parts.

    Heads say how many there are: the words of a row at least stand one under each.
    """
    parted: list[tuple[float, float]] = []
    numbers: list[range] = []
    for column in columns:
        heads = max(
            ([*_groups([each for each in row if _is_within(each, column)])] for row in head),
            key=len,
            default=[],
        )
        spans = [(group[0].box[0], group[-1].box[2]) for group in heads]
        told = [
            words
            for row in body
            if len(words := [each for each in row if _is_within(each, column)]) == len(spans) > 1
            and all(_NUMBER.match(plain(word.text)) for word in words)
            and all(
                word.box[0] < right and word.box[2] > left
                for word, (left, right) in zip(words, spans, strict=True)
            )
        ]
        wide = all(other[0] - one[1] > WORD_SPACE * 8 for one, other in pairwise(spans))
        parts = [
            (min(words[index].box[0] for words in told), max(words[index].box[2] for words in told))
            for index in range(len(spans) if told and wide else 0)
        ]
        if len(parts) > 1 and all(one[1] < other[0] for one, other in pairwise(parts)):
            numbers.append(range(len(parted), len(parted) + len(parts)))
            parted += parts
        else:
            parted.append(column)
    return parted, numbers


def _over_parts(
    page: Page, row: Sequence[_Word], columns: Sequence[tuple[float, float]], parted: Sequence[range]
) -> tuple[Cell, ...]:
    """Return the cells of a row; a value that stands in the middle of columns that heads part is of each."""
    cells = list(_cells(page, row, columns))
    for run in parted:
        words = [
            word for word in row if word.box[2] > columns[run[0]][0] and word.box[0] < columns[run[-1]][1]
        ]
        middles = [sum(columns[index]) / 2 for index in run]
        if len(words) == 1:
            middle, whole = (words[0].box[0] + words[0].box[2]) / 2, (middles[0] + middles[-1]) / 2
            if abs(middle - whole) < min(abs(middle - each) for each in middles):
                for index in run:
                    cells[index] = Cell(words[0].text, words[0].box, words[0].start, words[0].end)
    return tuple(cells)


def _heads_over(
    page: Page, first: Sequence[_Word], columns: Sequence[tuple[float, float]], caption: Caption | None
) -> list[list[_Word]]:
    """Return heads of one name over the first line of a table, below its caption, as "Lattice constants" over a, b."""
    box = around([word.box for word in first])
    if caption is None or caption.box[1] < box[3]:
        return []
    found = []
    for line in page.lines:
        between = box[3] - 1 < line.box[1] and line.box[3] < caption.box[1] + 1
        if between and columns[0][0] - 3 < line.box[0] and line.box[2] < columns[-1][1] + 3:
            words = _words(page, line)
            if _is_name(words):
                found.append(words)
    return found


def _head_cells(
    page: Page,
    row: Sequence[_Word],
    columns: Sequence[tuple[float, float]],
    own: tuple[Cell, ...],
    below: Sequence[tuple[Cell, ...]],
) -> tuple[Cell, ...]:
    """Return a cell of a head for each column; a head that stands over several columns is of each of them.

    Heads of single columns may stand as close as words do: these have nothing below them. `own` has the cells by the
    columns that words overlap most.
    """
    parts = _parted(row)
    taken = [
        [index for index, each in enumerate(columns) if any(_is_within(word, each) for word in part)]
        for part in parts
    ]
    cells = list(own)
    for number, (part, inside) in enumerate(zip(parts, taken, strict=True)):
        others = {index for other, each in enumerate(taken) if other != number for index in each}
        if len(inside) < 2 or others & set(range(inside[0], inside[-1] + 1)):
            continue
        is_headed = all(any(line[index].text for line in below) for index in inside)
        if sum(bool(own[index].text) for index in inside) > 1 and not is_headed:
            continue
        middle = (part[0].box[0] + part[-1].box[2]) / 2
        runs = [
            (first, last)
            for first in range(inside[0] + 1)
            for last in range(inside[-1], len(columns))
            if not others & set(range(first, last + 1))
        ]
        first, last = min(
            runs,
            key=lambda run: (abs(middle - (columns[run[0]][0] + columns[run[1]][1]) / 2), run[1] - run[0]),
        )
        whole = _cells(page, part, [(part[0].box[0], part[-1].box[2])])[0]
        cells[first : last + 1] = [whole] * (last + 1 - first)
    return tuple(cells)


def _parted(row: Sequence[_Word]) -> list[list[_Word]]:
    """Return the parts of a row that white parts that is wider than between words."""
    parts: list[list[_Word]] = []
    for word in row:
        if parts and word.box[0] - parts[-1][-1].box[2] <= WORD_SPACE * (word.box[3] - word.box[1]):
            parts[-1].append(word)
        else:
            parts.append([word])
    return parts


def _without_word_spaces(
    columns: list[tuple[float, float]], body: Sequence[Sequence[_Word]], space: float
) -> list[tuple[float, float]]:
    """Return columns, two as one where only the spaces of a longer cell part them: "Tc" over "Jc (4.2 K)".

    One of them is empty in a row then, and where both are filled no more than a word's space is between them.
    """
    kept = columns[:1]
    for column in columns[1:]:
        gaps: list[float] = []
        empty = False
        for row in body:
            left = [word.box[2] for word in row if word.box[0] < kept[-1][1] and word.box[2] > kept[-1][0]]
            right = [word.box[0] for word in row if word.box[0] < column[1] and word.box[2] > column[0]]
            if left and right:
                gaps.append(min(right) - max(left))
            empty = empty or bool(left) != bool(right)
        if empty and gaps and max(gaps) < space:
            kept[-1] = (kept[-1][0], column[1])
        else:
            kept.append(column)
    return kept


def _cells(page: Page, row: Sequence[_Word], columns: Sequence[tuple[float, float]]) -> tuple[Cell, ...]:
    """Return a cell for each column: each word goes to the column that it overlaps most, or is nearest to."""
    inside: list[list[_Word]] = [[] for _ in columns]
    for group in _groups(row):
        left, right = group[0].box[0], group[-1].box[2]
        best = max(
            range(len(columns)),
            key=lambda index: min(right, columns[index][1]) - max(left, columns[index][0]),
        )
        inside[best].extend(group)
    return tuple(
        Cell(
            " ".join(word.text for word in words),
            around([word.box for word in words]),
            words[0].start,
            words[-1].end,
        )
        if words
        else _EMPTY_CELL
        for words in inside
    )


def _groups(row: Sequence[_Word]) -> list[list[_Word]]:
    """Return words that belong together: a bracket that opens goes on to the one that closes it."""
    groups: list[list[_Word]] = []
    depth = 0
    for word in row:
        near = groups and word.box[0] - groups[-1][-1].box[2] < 0.75 * (word.box[3] - word.box[1])
        if groups and (depth > 0 or (word.text[0] in "([" and near)):
            groups[-1].append(word)
        else:
            groups.append([word])
        depth = max(
            0,
            depth + sum(word.text.count(each) for each in "([") - sum(word.text.count(each) for each in ")]"),
        )
    return groups


def _width(line: Line) -> float:
    return line.box[2] - line.box[0]
