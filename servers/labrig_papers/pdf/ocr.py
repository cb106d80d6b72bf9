"""Text of scanned pages by the system's tesseract: for finding, never exact evidence.

What it reads is a picture that PDFium drew, not the file. Plain numbers are mostly right; scripts and signs are not:
``La_{1.85}`` may come out as "Lay.g5" and ``10^{-3}`` as "107?". So a page of this kind says that it is one
(`Page.source`), and nothing found on it counts as exact.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
from pathlib import Path
from statistics import mean, median

from labrig.isolation.closing import behind_walls
from labrig.isolation.process import Limits, run
from labrig_papers.pdf.marking import CELL_GAP
from labrig_papers.pdf.page import MARKUP, Box, Line, Page, around

DPI = 300
LIMITS = Limits(wall_s=40, cpu_s=40, memory_bytes=3 << 30, output_bytes=8 << 20)
"""Of one page, which takes 2 to 4 s."""
LANGUAGE = "eng"
LEAST = 0.0
"""Confidence (0 to 100) below which tesseract saw no word."""


def program() -> str:
    """Return where tesseract is, empty where it is not installed."""
    return shutil.which("tesseract") or ""


async def recognised(png: bytes, dpi: int, blank: Page) -> Page:
    """Return a page with the text of its picture; `blank` itself where none is found or tesseract fails.

    Parameters
    ----------
    png
        Of the whole page, at `dpi` pixels an inch.
    blank
        The page as it was read: number and size are taken from it.
    """
    argv = [program(), "stdin", "stdout", "--psm", "1", "--dpi", str(dpi), "-l", LANGUAGE, "tsv"]
    env = {"PATH": os.environ.get("PATH", os.defpath), "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
    outcome = await run(behind_walls(argv, _data(argv[0])), limits=LIMITS, env=env, stdin=png)
    if outcome.kind != "ok":
        return blank
    return page_of(outcome.stdout.decode("utf-8", "replace"), 72 / dpi, blank)


def _data(program: str) -> list[Path]:
    """Return where the libraries and languages of a tesseract may lie: beside it, and where systems put them."""
    top = Path(program).resolve().parents[1]
    beside = [top / each for each in ("lib", "share/tessdata", "share/tesseract-ocr")]
    return [*beside, *map(Path, ("/usr/share/tesseract-ocr", "/usr/share/tessdata", "/nix/store"))]


def page_of(tsv: str, points: float, blank: Page) -> Page:
    """Return the page that the table of tesseract describes.

    Parameters
    ----------
    tsv
        ``tesseract ... tsv``: a row for each word, with its block, paragraph, line, box in pixels and confidence.
    points
        Of one pixel.
    """
    text: list[str] = []
    at: list[int] = []
    boxes: list[Box] = []
    lines: list[Line] = []
    sure: list[float] = []

    def put(characters: str, box: int = MARKUP) -> None:
        text.extend(characters)
        at.extend([box] * len(characters))

    before: tuple[str, ...] = ()
    for key, words in _lines(tsv, points, blank.height):
        if before:
            put("\n" if key[:2] == before[:2] else "\n\n")
        start, first = len(text), len(boxes)
        size = round(median(box[3] - box[1] for _, box, _ in words), 1)
        for index, (word, box, confidence) in enumerate(words):
            if index:
                put("\t" if box[0] - boxes[-1][2] > CELL_GAP * size else " ")
            put(word, len(boxes))
            boxes.append(box)
            sure.append(confidence)
        lines.append(Line(start, len(text), max(size, 1.0), False, around(boxes[first:])))
        before = key
    if not sure:
        return blank
    quality = round(mean(sure) / 100, 3)
    return Page(
        blank.number,
        blank.width,
        blank.height,
        "".join(text),
        tuple(at),
        tuple(boxes),
        tuple(lines),
        "ocr",
        quality,
    )


def _lines(
    tsv: str, points: float, height: float
) -> list[tuple[tuple[str, ...], list[tuple[str, Box, float]]]]:
    """Return the words of each line, with its block, paragraph and number."""
    found: dict[tuple[str, ...], list[tuple[str, Box, float]]] = {}
    for row in csv.DictReader(io.StringIO(tsv), delimiter="\t", quoting=csv.QUOTE_NONE):
        word = (row.get("text") or "").strip()
        try:
            left, top, wide, high = (float(row[key]) * points for key in ("left", "top", "width", "height"))
            confidence = float(row["conf"])
        except (KeyError, TypeError, ValueError):
            continue
        if not word or confidence <= LEAST:
            continue
        box = (round(left, 1), round(height - top - high, 1), round(left + wide, 1), round(height - top, 1))
        found.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append(
            (word, box, confidence)
        )
    return list(found.items())
