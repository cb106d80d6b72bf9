"""The same paper as files come: plain, locked by an owner's password, damaged, in bitmap fonts, or scanned."""

from __future__ import annotations

import io
from typing import Literal

from labrig.errors import LabrigError
from labrig_suites.supercon_extraction.making.bitmap import bitmapped
from labrig_suites.supercon_extraction.making.papers import make_paper
from labrig_suites.supercon_extraction.making.writing import Paper

Variant = Literal["plain", "locked", "damaged", "bitmap", "scanned"]
VARIANTS: tuple[Variant, ...] = ("plain", "locked", "damaged", "bitmap", "scanned")
DPI = 150
OWNER = "owner of made papers"


def make_variant(seed: str, level: int, field: str, variant: Variant) -> Paper:
    """Return the paper of a seed as a file of a kind; its truth is the same in all of them.

    Raises
    ------
    LabrigError
        ``bad_input`` for an unknown level, field or variant; ``unavailable`` without reportlab, or for a scan or
        bitmap fonts without pypdfium2, Pillow and pypdf.
    """
    if variant not in VARIANTS:
        raise LabrigError(f"There is no variant {variant!r}", where="variant", expected=", ".join(VARIANTS))
    paper = make_paper(seed, level, field, OWNER if variant == "locked" else "")
    if variant == "damaged":
        return _with(paper, damaged(paper.pdf))
    if variant == "bitmap":
        return _with(paper, bitmapped(paper.pdf))
    return _with(paper, scanned(paper.pdf)) if variant == "scanned" else paper


def _with(paper: Paper, pdf: bytes) -> Paper:
    return Paper(**{**vars(paper), "pdf": pdf})


def damaged(pdf: bytes) -> bytes:
    """Return a PDF that does not say where its objects are, as a broken download: readers search for them."""
    return pdf[: pdf.rindex(b"startxref")]


def scanned(pdf: bytes) -> bytes:
    """Return a PDF whose pages are grey pictures, at 150 dots per inch."""
    try:
        import pypdfium2
        from reportlab.lib.utils import ImageReader
        from reportlab.pdfgen.canvas import Canvas
    except ImportError as error:
        raise LabrigError(
            "Scans are drawn with pypdfium2 and Pillow, which are not installed",
            expected="pip install 'labrig[papers,harness]'",
            code="unavailable",
        ) from error
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            wide, high = page.get_size()
            bitmap = page.render(scale=DPI / 72, grayscale=True)
            picture = bitmap.to_pil().convert("L")
            canvas.setPageSize((wide, high))
            canvas.drawImage(ImageReader(picture), 0, 0, wide, high)
            canvas.showPage()
    canvas.save()
    return out.getvalue()
