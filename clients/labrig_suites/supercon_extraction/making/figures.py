"""Figures of older papers: axes with numbers, drawn as lines or printed as a picture, in which a value may be written.

A picture is drawn at 150 dots per inch by PDFium; what is written in it stands in no text of the page.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig_suites.supercon_extraction.making.setting import Box, Setter, runs

HIGH, DPI, PRINT = 118.0, 150, 7.5


@dataclass(frozen=True)
class Plot:
    """A curve of points in the unit square, with axes.

    Attributes
    ----------
    ends
        Largest numbers of the horizontal and the vertical axis.
    labels
        Of both axes.
    inset
        What is written inside, in the markup of scripts; nothing where it is empty.
    """

    curve: Sequence[tuple[float, float]]
    ends: tuple[float, float]
    labels: tuple[str, str]
    inset: str = ""


def drawn(setter: Setter, plot: Plot, caption: str) -> None:
    """Set a figure of lines, whose numbers and labels are text of the page."""
    box = _space(setter)
    for text in _paint(setter, plot, box[0], box[1], box[2] - box[0]):
        setter.lines[-1].append(text)
    _under(setter, box, caption)


def printed(setter: Setter, plot: Plot, caption: str) -> tuple[int, Box]:
    """Set a figure as a picture, and return its page and box in points: nothing in it is text."""
    from reportlab.lib.utils import ImageReader

    box = _space(setter)
    setter.canvas.drawImage(ImageReader(_picture(setter, plot, box)), box[0], box[1], box[2] - box[0], HIGH)
    _under(setter, box, caption)
    return setter.page, box


def _space(setter: Setter) -> Box:
    setter.room(HIGH + 70)
    setter.y -= setter.style.leading
    return (setter.left + 4, setter.y - HIGH, setter.left + setter.width - 8, setter.y)


def _under(setter: Setter, box: Box, caption: str) -> None:
    page = setter.page
    setter.y = box[1] - 4
    setter.paragraph(caption, 0.9 * setter.style.size, indent=False)
    assert setter.page == page, "a caption stands on the page of its figure"
    setter.y -= setter.style.leading


def _paint(setter: Setter, plot: Plot, x: float, y: float, wide: float) -> list[str]:
    """Draw into the box whose lower left corner is given, and return the texts that were written."""
    canvas: Any = setter.canvas
    left, bottom, across, up = x + 26, y + 22, wide - 34, HIGH - 28
    said: list[str] = []

    def write(text: str, at_x: float, at_y: float) -> None:
        setter.put(runs(text), at_x, at_y, PRINT)
        said.append(text)

    canvas.setLineWidth(0.7)
    canvas.rect(left, bottom, across, up)
    for step in range(6):
        place = step / 5
        canvas.line(left + across * place, bottom, left + across * place, bottom + 3)
        canvas.line(left, bottom + up * place, left + 3, bottom + up * place)
        write(f"{plot.ends[0] * place:g}", left + across * place - 4, bottom - 9)
        write(f"{plot.ends[1] * place:g}", left - 18, bottom + up * place - 2.5)
    for number, (at, value) in enumerate(plot.curve):
        canvas.circle(left + at * across, bottom + value * up, 0.9, fill=number % 2)
    write(plot.labels[0], left + across / 2 - 10, bottom - 19)
    write(plot.labels[1], left + 0.42 * across, bottom + up - 11)
    if plot.inset:
        write(plot.inset, left + 0.42 * across, bottom + 0.62 * up)
    return said


def _picture(setter: Setter, plot: Plot, box: Box) -> Any:
    """Return a figure as a grey picture."""
    try:
        import pypdfium2
        from reportlab.pdfgen.canvas import Canvas
    except ImportError as error:
        raise LabrigError(
            "Figures of papers of level 4 are drawn with pypdfium2 and Pillow, which are not installed",
            expected="pip install 'labrig[papers,harness]'",
            code="unavailable",
        ) from error
    out = io.BytesIO()
    page, setter.canvas = setter.canvas, Canvas(out, pagesize=(box[2] - box[0], HIGH), invariant=1)
    try:
        _paint(setter, plot, 0.0, 0.0, box[2] - box[0])
        setter.canvas.showPage()
        setter.canvas.save()
    finally:
        setter.canvas = page
    with pypdfium2.PdfDocument(out.getvalue()) as document:
        return document[0].render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
