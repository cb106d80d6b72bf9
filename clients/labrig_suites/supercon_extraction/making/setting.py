"""A small typesetter on reportlab's canvas: columns, justified lines, scripts, tables, figures, and where values stand.

Fonts are the standard ones of PDF (Times, Symbol), as in papers of the time: nothing is embedded, and the bytes depend
on the seed and the version of reportlab alone. The text of each page is recorded as it is drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from labrig.errors import LabrigError

Box = tuple[float, float, float, float]
Run = tuple[str, int]
"""Text and its level: 0 on the line, 1 raised, -1 lowered."""
LATIN, GREEK, BOLD, ITALIC = "Times-Roman", "Symbol", "Times-Bold", "Times-Italic"
_RUNS = re.compile(r"([\^_])\{([^{}]*)\}|([^\^_]+)")
_PIECES = re.compile(r"«(\d+):([^»]*)»|(\s+)|([^\s«]+)")
BOTTOM = 60.0


@dataclass(frozen=True)
class Style:
    """How a paper looks: sizes in points, parts of the size for scripts."""

    size: float
    leading: float
    columns: int
    justified: bool
    script: float
    rise: float
    drop: float
    page: tuple[float, float]
    caption_below: bool
    split_heads: bool


@dataclass
class Spot:
    """Where a value was drawn."""

    page: int
    box: Box
    line: str


@dataclass
class Word:
    """What is set between two spaces: runs, each with the mark that it belongs to."""

    parts: list[tuple[Run, int | None]] = field(default_factory=list)


def runs(text: str) -> list[Run]:
    """Return the runs of marked text.

    >>> runs("H_{c2}(0)")
    [('H', 0), ('c2', -1), ('(0)', 0)]
    """
    return [
        (match[3], 0) if match[3] is not None else (match[2], 1 if match[1] == "^" else -1)
        for match in _RUNS.finditer(text)
    ]


def words(text: str) -> list[Word]:
    """Return the words of a text in which ``«3:36.9 K»`` is mark 3; a marked part is one word, its spaces included."""
    found = [Word()]
    for mark, inside, space, plain in _PIECES.findall(text):
        if space:
            found.append(Word())
        elif plain:
            found[-1].parts += [(run, None) for run in runs(plain)]
        else:
            found[-1].parts += [(run, int(mark)) for run in runs(inside)]
    return [word for word in found if word.parts]


class Setter:
    """Sets a paper, and keeps what was drawn: the lines of each page, and the spots of each mark."""

    keeps_sentences = True
    """Whether no paragraph goes from one page to the next."""

    def __init__(self, style: Style, head: str, owner: str = "") -> None:
        try:
            from reportlab.lib.pdfencrypt import StandardEncryption
            from reportlab.pdfbase import pdfmetrics
            from reportlab.pdfgen.canvas import Canvas
        except ImportError as error:
            raise LabrigError(
                "Papers are made with reportlab, which is not installed",
                expected="pip install 'labrig[harness]'",
                code="unavailable",
            ) from error
        self._wide: Callable[[str, str, float], float] = pdfmetrics.stringWidth
        self.style, self.head = style, head
        self.out = io.BytesIO()
        locked = StandardEncryption("", owner, canModify=0, canCopy=0, strength=128) if owner else None
        self.canvas: Any = Canvas(self.out, pagesize=style.page, invariant=1, encrypt=locked)
        self.page, self.column = 1, 0
        self.turned = False
        self.floats: list[Callable[[], None]] = []
        self.top = style.page[1] - 70
        self.y = self.top
        self.lines: list[list[str]] = [[]]
        self.spots: dict[int, list[Spot]] = {}
        self._furniture()

    @property
    def width(self) -> float:
        """Of a column; of the whole sheet on a turned page."""
        if self.turned:
            return self.style.page[1] - 144
        return (self.style.page[0] - 108 - 18 * (self.style.columns - 1)) / self.style.columns

    @property
    def left(self) -> float:
        """Of this column."""
        if self.turned:
            return 72.0
        return 54 + self.column * (self.width + 18)

    def _furniture(self) -> None:
        self._say(self.head, 54, self.style.page[1] - 40, 7.5)
        self._say(f"{214500 + self.page}", self.style.page[0] / 2, 32, 7.5)

    def _say(self, text: str, x: float, y: float, size: float, font: str = LATIN) -> None:
        self.put(runs(text), x, y, size, font)
        self.lines[-1].append(text)

    def room(self, height: float) -> None:
        """Go on to the next column or page where the height is not there."""
        if self.y - height >= BOTTOM:
            return
        self.column += 1
        if self.column == self.style.columns:
            self.turn_page()
        self.y = self.top

    def turn_page(self) -> None:
        """Begin a page; pages that wait to stand between two others, such as turned tables, come first."""
        self._end_page()
        self._begin()

    def _end_page(self) -> None:
        """End this page, and set those that wait on pages of their own."""
        self.canvas.showPage()
        waiting, self.floats = self.floats, []
        for draw in waiting:
            self._begin()
            self.canvas.saveState()
            self.canvas.translate(self.style.page[0], 0)
            self.canvas.rotate(90)
            self.turned, self.y = True, self.style.page[0] - 84
            draw()
            self.turned = False
            self.canvas.restoreState()
            self.canvas.showPage()

    def _begin(self) -> None:
        self.page, self.column = self.page + 1, 0
        self.top = self.style.page[1] - 70
        self.y = self.top
        self.lines.append([])
        self._furniture()

    def _segments(self, text: str, font: str) -> list[tuple[str, str]]:
        """Return the parts of a text by font: what Times lacks is in Symbol."""
        found: list[tuple[str, str]] = []
        for character in text:
            own = font if _latin(character) else GREEK
            if found and found[-1][1] == own:
                found[-1] = (found[-1][0] + character, own)
            else:
                found.append((character, own))
        return found

    def measure(self, of: Sequence[Run], size: float, font: str = LATIN) -> float:
        """Return the width of runs."""
        return sum(
            self._wide(part, own, size if level == 0 else size * self.style.script)
            for text, level in of
            for part, own in self._segments(text, font)
        )

    def put(self, of: Sequence[Run], x: float, y: float, size: float, font: str = LATIN) -> float:
        """Draw runs and return where the next one goes."""
        for text, level in of:
            own_size = size if level == 0 else size * self.style.script
            lift = {0: 0.0, 1: self.style.rise, -1: -self.style.drop}[level] * size
            for part, own in self._segments(text, font):
                self.canvas.setFont(own, own_size)
                self.canvas.drawString(x, y + lift, part)
                x += self._wide(part, own, own_size)
        return x

    def section(self, heading: str, text: str) -> None:
        """Set a heading and the first paragraph under it, on one page."""
        if self.keeps_sentences and self.column == self.style.columns - 1:
            self.room((len(self._broken(text, self.style.size, self.style.size)) + 2) * self.style.leading)
        self.heading(heading)
        self.paragraph(text)

    def heading(self, text: str) -> None:
        """Set a heading of a section."""
        self.room(3.2 * self.style.leading)
        self.y -= 1.5 * self.style.leading
        self._say(text, self.left, self.y, self.style.size, BOLD)
        self.y -= 0.3 * self.style.leading

    def title(self, text: str, authors: str) -> None:
        """Set title and authors over the whole width."""
        size = self.style.size * 1.55
        line: list[str] = []
        for word in [*text.split(), ""]:
            if line and (
                not word or self.measure(runs(" ".join([*line, word])), size) > self.style.page[0] - 108
            ):
                self._say(" ".join(line), 54, self.y, size, BOLD)
                self.y -= 1.3 * size
                line = []
            line.append(word)
        self._say(authors, 54, self.y - 4, self.style.size, ITALIC)
        self.y -= 1.6 * self.style.leading
        self.top = self.y

    def paragraph(self, text: str, size: float = 0.0, indent: bool = True) -> None:
        """Set a paragraph line by line."""
        size = size or self.style.size
        space = self._wide(" ", LATIN, size)
        start = size if indent else 0.0
        lines = self._broken(text, size, start)
        if self.keeps_sentences and self.column == self.style.columns - 1:
            self.room(len(lines) * self.style.leading)
        for number, line in enumerate(lines):
            self.room(self.style.leading)
            self.y -= self.style.leading
            natural = sum(self.measure([run for run, _ in word.parts], size) for word in line)
            free = self.width - natural - (start if number == 0 else 0.0)
            stretched = free / (len(line) - 1) if len(line) > 1 else space
            last = number == len(lines) - 1
            apart = min(stretched, 2.2 * space) if self.style.justified and not last else space
            self._line(line, self.left + (start if number == 0 else 0.0), size, apart)

    def _broken(self, text: str, size: float, start: float) -> list[list[Word]]:
        """Return the lines of a paragraph, the first one shorter by `start`."""
        space = self._wide(" ", LATIN, size)
        lines: list[list[Word]] = [[]]
        used = start
        for word in words(text):
            wide = self.measure([run for run, _ in word.parts], size)
            gap = space if lines[-1] else 0.0
            if lines[-1] and used + gap + wide > self.width:
                lines.append([])
                used, gap = 0.0, 0.0
            lines[-1].append(word)
            used += gap + wide
        return lines

    def _line(self, line: Sequence[Word], x: float, size: float, apart: float) -> None:
        said = " ".join("".join(_marked(run) for run, _ in word.parts) for word in line)
        self.lines[-1].append(said)
        for word in line:
            for run, mark in word.parts:
                end = self.put([run], x, self.y, size)
                if mark is not None:
                    self.spot(mark, (x, self.y - 0.25 * size, end, self.y + 0.8 * size), said)
                x = end
            x += apart

    def spot(self, mark: int, box: Box, line: str) -> None:
        """Keep where a mark was drawn; on a turned page in the coordinates of the upright one."""
        if self.turned:
            left, bottom, right, top = box
            box = (self.style.page[0] - top, left, self.style.page[0] - bottom, right)
        spots = self.spots.setdefault(mark, [])
        if spots and spots[-1].page == self.page and spots[-1].line == line:
            low, high = spots[-1].box, box
            box = (min(low[0], high[0]), min(low[1], high[1]), max(low[2], high[2]), max(low[3], high[3]))
            spots[-1] = Spot(self.page, box, line)
        else:
            spots.append(Spot(self.page, box, line))

    def table(self, name: str, caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Set a table; cells may hold marks. Print is made smaller where the table is wider than its column."""
        heads = [self._head(each) for each in header]
        cells = [[marked_cell(cell) for cell in row] for row in rows]
        size = 0.9 * self.style.size

        def widths() -> list[float]:
            return [
                max(
                    *(self.measure(runs(line), size) for line in head),
                    *(self.measure(runs(row[column][0]), size) for row in cells),
                )
                for column, head in enumerate(heads)
            ]

        while sum(widths()) + size * (len(header) - 1) > self.width and size > 5:
            size -= 0.25
        wide = widths()
        gap = min(max(size, (self.width - sum(wide)) / max(1, len(header) - 1)), 3.5 * size)
        deep, lead = max(map(len, heads)), 1.3 * size
        self.room((len(rows) + deep + 2) * lead + 7 * self.style.leading)
        text = f"{name}. {caption}"
        self.y -= 0.8 * self.style.leading
        if not self.style.caption_below:
            self.paragraph(text, 0.9 * self.style.size, indent=False)
            self.y -= 0.6 * lead
        total = sum(wide) + gap * (len(header) - 1)
        self.rule(total)
        for line in range(deep):
            self.y -= lead
            x = self.left
            for head, column in zip(heads, wide, strict=True):
                if line >= deep - len(head):
                    self.put(runs(head[line - deep + len(head)]), x, self.y, size)
                x += column + gap
        self.lines[-1].append(" ".join(header))
        self.y -= 0.4 * lead
        self.rule(total)
        for row in cells:
            self.y -= lead
            x, said = self.left, " ".join(cell for cell, _ in row)
            self.lines[-1].append(said)
            for (cell, mark), column in zip(row, wide, strict=True):
                end = self.put(runs(cell), x, self.y, size)
                if mark is not None:
                    self.spot(mark, (x, self.y - 0.25 * size, end, self.y + 0.8 * size), said)
                x += column + gap
        self.y -= 0.5 * lead
        self.rule(total)
        if self.style.caption_below:
            self.y -= 0.3 * lead
            self.paragraph(text, 0.9 * self.style.size, indent=False)
        self.y -= 1.2 * self.style.leading

    def _head(self, head: str) -> list[str]:
        name, bracket, unit = head.partition(" (")
        return [name, f"({unit}"] if self.style.split_heads and bracket else [head]

    def rule(self, wide: float) -> None:
        """Draw a line under what was set last."""
        self.canvas.setLineWidth(0.5)
        self.canvas.line(self.left, self.y, self.left + wide, self.y)

    def figure(self, caption: str, curve: Sequence[tuple[float, float]], labels: tuple[str, str]) -> None:
        """Draw a curve of points in the unit square with axes, and its caption below."""
        high = 110.0
        self.room(high + 60)
        self.y -= self.style.leading
        left, bottom, wide = self.left + 28, self.y - high, self.width - 50
        self.canvas.setLineWidth(0.7)
        self.canvas.rect(left, bottom, wide, high)
        for step in range(1, 5):
            self.canvas.line(left + wide * step / 5, bottom, left + wide * step / 5, bottom + 4)
            self.canvas.line(left, bottom + high * step / 5, left + 4, bottom + high * step / 5)
        path = self.canvas.beginPath()
        for number, (x, y) in enumerate(curve):
            (path.lineTo if number else path.moveTo)(left + x * wide, bottom + y * high)
        self.canvas.drawPath(path)
        self._say(labels[0], left + wide / 2 - 10, bottom - 12, 8)
        self._say(labels[1], left + 6, bottom + high - 12, 8)
        self.y = bottom - 16
        self.paragraph(caption, 0.9 * self.style.size, indent=False)
        self.y -= self.style.leading

    def done(self) -> bytes:
        """Return the PDF."""
        self._end_page()
        self.canvas.save()
        return self.out.getvalue()

    @property
    def pages(self) -> list[str]:
        """The text of each page, a line each."""
        return ["\n".join(lines) for lines in self.lines]


def _marked(run: Run) -> str:
    text, level = run
    return text if level == 0 else f"{'^' if level > 0 else '_'}{{{text}}}"


def marked_cell(cell: str) -> tuple[str, int | None]:
    """Return the text of a cell and its mark."""
    match = re.fullmatch(r"«(\d+):(.*)»", cell)
    return (match[2], int(match[1])) if match else (cell, None)


def _latin(character: str) -> bool:
    try:
        character.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return character != "µ"
