"""Running text with floats: tables with spanning heads and group rows, and figures of several curves, at column tops.

A paragraph runs on over the end of a column or page, and a float that waits stands between its lines. The text of a
page holds its running lines first and those of its floats after them, as one reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labrig_suites.supercon_extraction.making.setting import BOTTOM, Setter, marked_cell, runs

HIGH, PRINT = 190.0, 7.5


@dataclass(frozen=True)
class Spanned:
    """A table.

    Attributes
    ----------
    heads
        Each with the heads of the columns that it spans, which are one and empty for a plain one.
    rows
        Cells, which may hold marks; a text alone is a row that names the group of those below it.
    """

    caption: str
    heads: Sequence[tuple[str, Sequence[str]]]
    rows: Sequence[Sequence[str] | str]


class RunningSetter(Setter):
    """Sets text that runs on, with floats at the tops of columns."""

    keeps_sentences = False

    def begin_floats(self) -> None:
        """Take floats from now on."""
        self.waiting: list[tuple[float, Callable[[], None]]] = []
        self.apart: dict[int, list[str]] = {}

    def room(self, height: float) -> None:
        """Go on to the next column or page where the height is not there; what waits comes first."""
        if self.y - height >= BOTTOM:
            return
        super().room(height)
        while self.waiting and self.y - self.waiting[0][0] >= BOTTOM:
            self.set_apart(self.waiting.pop(0)[1])
        self.room(height)

    def set_apart(self, draw: Callable[[], None]) -> None:
        """Draw here, and keep the lines of it apart from those of the text."""
        text, self.lines[-1] = self.lines[-1], []
        draw()
        self.apart.setdefault(self.page, []).extend(self.lines[-1])
        self.lines[-1] = text

    def finish_floats(self) -> None:
        """Set what still waits."""
        for height, draw in self.waiting:
            super().room(height)
            self.set_apart(draw)
        self.waiting = []

    @property
    def pages(self) -> list[str]:
        """The text of each page, floats last."""
        return ["\n".join([*lines, *self.apart.get(page, [])]) for page, lines in enumerate(self.lines, 1)]

    def _segments(self, text: str, font: str) -> list[tuple[str, str]]:
        """Return the parts by font: signs of cp1252 that publishers set in fonts of signs are in Symbol, too."""
        parts = []
        for part, own in super()._segments(text, font):
            for character in part:
                parts.append((character, "Symbol" if character in "±×°" else own))
        joined: list[tuple[str, str]] = []
        for character, own in parts:
            if joined and joined[-1][1] == own:
                joined[-1] = (joined[-1][0] + character, own)
            else:
                joined.append((character, own))
        return joined

    def write(self, text: str, x: float, size: float) -> float:
        """Draw a text with at most one mark at the height reached; return where it ends."""
        plain, mark = marked_cell(text)
        end = self.put(runs(plain), x, self.y, size)
        if mark is not None:
            self.spot(mark, (x, self.y - 0.25 * size, end, self.y + 0.8 * size), self.said)
        return end

    said = ""
    """The line that is being drawn, marks left out."""


def wait_with_table(setter: RunningSetter, table: Spanned) -> None:
    """Let a table wait for the top of a column."""
    size = 0.86 * setter.style.size
    heads = ["", *(head for _, below in table.heads for head in below)]
    rows = [row for row in table.rows if not isinstance(row, str)]

    def widths() -> list[float]:
        cells = [[head, *(marked_cell(row[at])[0] for row in rows)] for at, head in enumerate(heads)]
        wide = [max(setter.measure(runs(cell), size) for cell in column) for column in cells]
        at = 1
        for head, below in table.heads:
            lack = (
                setter.measure(runs(head), size) - sum(wide[at : at + len(below)]) - size * (len(below) - 1)
            )
            wide[at + len(below) - 1] += max(0.0, lack)
            at += len(below)
        return wide

    while sum(widths()) + size * (len(heads) - 1) > setter.width and size > 5:
        size -= 0.25
    wide, lead = widths(), 1.25 * size
    gap = max(min((setter.width - sum(wide)) / (len(wide) - 1), 3 * size), 0.6 * size)
    left = [sum(wide[:at]) + gap * at for at in range(len(wide))]
    total = left[-1] + wide[-1]

    def line(cells: Sequence[tuple[str, float]]) -> None:
        setter.y -= lead
        setter.said = " ".join(marked_cell(text)[0] for text, _ in cells if text)
        setter.lines[-1].append(setter.said)
        for text, x in cells:
            setter.write(text, setter.left + x, size)

    def rule() -> None:
        setter.y -= 0.4 * lead
        setter.rule(total)

    def draw() -> None:
        setter.paragraph(table.caption, 0.9 * setter.style.size, indent=False)
        rule()
        spans, at = [], 1
        for head, below in table.heads:
            right = left[at + len(below) - 1] + wide[at + len(below) - 1]
            spans.append((head, left[at] + (right - left[at] - setter.measure(runs(head), size)) / 2))
            at += len(below)
        if any(head for head, _ in spans):
            line(spans)
        line(list(zip(heads, left, strict=True)))
        rule()
        for row in table.rows:
            line([(row, total / 3)] if isinstance(row, str) else list(zip(row, left, strict=True)))
        rule()
        setter.y -= 1.5 * setter.style.leading

    about = len(setter._broken(table.caption, 0.9 * setter.style.size, 0)) * setter.style.leading
    setter.waiting.append((about + (len(table.rows) + 4) * lead + 2 * setter.style.leading, draw))


def wait_with_figure(
    setter: RunningSetter,
    caption: str,
    curves: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    axes: tuple[str, str],
    end: float,
) -> None:
    """Let a figure of several curves, each with its legend and points in the unit square, wait for a column's top."""

    def draw() -> None:
        canvas = setter.canvas
        left, top = setter.left + 30, setter.y
        across, bottom = min(setter.width - 44, 300.0), top - HIGH
        canvas.setLineWidth(0.6)
        canvas.rect(left, bottom, across, HIGH)
        for step in range(5):
            x, y = left + across * step / 5, bottom + HIGH * step / 5
            canvas.line(x, bottom, x, bottom + 4)
            canvas.line(left, y, left + 4, y)
            setter._say(f"{end * step / 5:g}", x - 3, bottom - 10, PRINT)
        for number, (legend, points) in enumerate(curves):
            setter.y = top - 14 - 11 * number
            setter.said = marked_cell(legend)[0]
            setter.lines[-1].append(setter.said)
            setter.write(legend, left + 0.1 * across, PRINT)
            places = [(left + x * across, bottom + y * HIGH) for x, y in points]
            for x, y in [*places[:: 2 + number], (left + 0.06 * across, setter.y + 2.5)]:
                if number % 3 == 2:
                    canvas.rect(x - 1.1, y - 1.1, 2.2, 2.2)
                else:
                    canvas.circle(x, y, 1.2, fill=number % 3)
            path = canvas.beginPath()
            for at, (x, y) in enumerate(places):
                (path.lineTo if at else path.moveTo)(x, y)
            canvas.drawPath(path)
        setter._say(axes[0], left + across / 2 - 8, bottom - 20, PRINT)
        setter._say(axes[1], left + 5, top + 4, PRINT)
        setter.y = bottom - 24
        setter.paragraph(caption, 0.9 * setter.style.size, indent=False)
        setter.y -= 1.5 * setter.style.leading

    lines = len(setter._broken(caption, 0.9 * setter.style.size, 0))
    setter.waiting.append((HIGH + 40 + (lines + 2) * setter.style.leading, draw))
