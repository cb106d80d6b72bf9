"""Tables as lines of text, for pages of which no grid is at hand: the caption says what the columns are.

Both solutions read the captions and notes of made papers here: which property a column is, its unit, and which letter
means that a value was taken from others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.reading import NUMBER, UNITS, Stated, one_line, without_marks
from labrig_suites.supercon_extraction.targets import Target, field

NO_UNIT = ("zt",)
_CAPTION = re.compile(
    r"TABLE ([IV]+)\. (?:Measured values of this work: (.*?)\. Numbers in brackets|\(Continued\.\))"
)
_HEAD_UNIT = re.compile(r"\(([^()]*[A-Za-zÅμΩ%][^()]*)\)")
_BY_LETTERS = {"".join(without_marks(unit).split()): unit for unit in UNITS}
_LETTERS = sorted({"".join(form.split()) for unit in UNITS for form in (unit, without_marks(unit))})
_ANY_UNIT = "|".join(
    " ?".join(map(re.escape, letters)) for letters in sorted(_LETTERS, key=len, reverse=True)
)
"""Units with marks and without, the longest first; on a turned page their parts stand apart."""
_CELL = re.compile(rf" ({NUMBER})(?:\^\{{([ab])\}}| ?([ab])\b)?(?: ?({_ANY_UNIT})(?![\w^]))?(?= |$)")
_TAKEN = re.compile(r"(?:\^\{([ab])\}|(?<=\n)([ab]))\s*Taken from Ref")


@dataclass(frozen=True)
class Column:
    """What a caption says of a column; the unit is empty where the caption has none."""

    target: Target
    unit: str


def captions(pages: Mapping[int, str], name: str) -> dict[int, list[tuple[str, list[Column]]]]:
    """Return of each page the tables whose caption stands there, by their number, with their columns.

    One that goes on from another page has the columns of its beginning.
    """
    about = {without_marks(target.head_about): target for target in field(name).targets if target.head}
    known: dict[str, list[Column]] = {}
    found: dict[int, list[tuple[str, list[Column]]]] = {}
    for number in sorted(pages):
        for caption in _CAPTION.finditer(one_line(pages[number])):
            if caption[2]:
                known[caption[1]] = list(_columns(caption[2], about))
            found.setdefault(number, []).append((caption[1], known.get(caption[1], [])))
    return found


def _columns(told: str, about: Mapping[str, Target]) -> Iterator[Column]:
    for part in told.split("; "):
        words, _, unit = part.partition(", ")[2].partition(", in ")
        target = about.get(without_marks(words).strip())
        if target is not None:
            yield Column(target, unit.strip())


def taken_after(pages: Mapping[int, str], page: int, quote: str) -> str:
    """Return the letter that means "taken from others" in the first note below a row; empty where there is none."""
    below = signs(pages[page])
    flat, row = "".join(signs(pages[page]).split()), "".join(signs(quote).split())
    if row in flat:  # the lines of the page that begin after the row
        below = _last(below, len(flat) - flat.index(row) - len(row))
    text = "\n".join([below, *(signs(pages[number]) for number in sorted(pages) if number > page)])
    note = _TAKEN.search(text)
    return (note[1] or note[2]) if note else ""


def _last(text: str, count: int) -> str:
    """Return the end of a text that holds so many characters that are no space."""
    at = len(text)
    while count and at:
        at -= 1
        count -= not text[at].isspace()
    return text[at:]


@dataclass(frozen=True)
class Block:
    """The rows of a table in a text, under its number and columns; `head` is what stands over them."""

    numeral: str
    columns: list[Column]
    head: str
    rows: list[re.Match[str]]


def blocks(pages: Mapping[int, str], page: int, name: str) -> list[Block]:
    """Return the tables of a page in the order of their captions.

    A row is a label and as many numbers as there are columns, wherever its lines break; a label that comes again begins
    the next table.
    """
    text, at, found = one_line(pages[page]), 0, []
    for numeral, columns in captions(pages, name).get(page, []):
        lines, head, at = _lines(text, at, len(columns))
        found.append(Block(numeral, columns, head, lines))
    return found


def rows(pages: Mapping[int, str], page: int, name: str) -> list[Stated]:
    """Return what the rows of a page's tables state."""
    found: list[Stated] = []
    for block in blocks(pages, page, name):
        units = iter(_HEAD_UNIT.findall(block.head))
        heads = ["" if column.target.key in NO_UNIT else next(units, "") for column in block.columns]
        for row in block.rows:
            taken = taken_after(pages, page, row[0])
            for column, unit, cell in zip(block.columns, heads, _CELL.findall(row[2]), strict=True):
                number, raised, letter, own = cell
                if not (raised or letter) or (raised or letter) != taken:
                    value = f"{number} {_unit(own or unit or column.unit)}".strip()
                    found.append(Stated(column.target, row[1], value, page, row[0], "table"))
    return found


def _unit(text: str) -> str:
    """Return a unit as papers write it, wherever it was broken."""
    return _BY_LETTERS.get("".join(without_marks(text).split()), text)


def _lines(text: str, at: int, count: int) -> tuple[list[re.Match[str]], str, int]:
    """Return the rows of the next table from a place on, its head, and where it ends."""
    if not count:
        return [], "", at
    row = re.compile(rf"(?<!\S)([A-Z]\S*)((?:{_CELL.pattern}){{{count}}})(?! [\d-])")
    found: list[re.Match[str]] = []
    for match in row.finditer(text, at):
        if any(match[1] == other[1] for other in found):
            break
        found.append(match)
    if not found:
        return [], "", at
    head = re.split(r"\b(?:Sample|Compound) ", text[at : found[0].start()])[-1]
    return found, head, found[-1].end()
