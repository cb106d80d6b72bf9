"""Scanned pages: what tesseract reads has boxes, says that it was read, and is never exact evidence."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.evidence.quotes import verify_quote
from labrig_papers.pdf.ocr import page_of
from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.page import Page
from labrig_papers.pdf.rendering import render
from labrig_papers.server import toolbox

BLANK = Page(3, 200.0, 100.0, "", (), (), (), "none", 0.0)
TSV = """level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
1\t1\t0\t0\t0\t0\t0\t0\t800\t400\t-1\t
5\t1\t1\t1\t1\t1\t40\t40\t60\t40\t96.0\tTc
5\t1\t1\t1\t1\t2\t120\t40\t20\t40\t90.0\t=
5\t1\t1\t1\t1\t3\t160\t40\t80\t40\t84.0\t39.2
5\t1\t1\t1\t1\t4\t250\t40\t20\t40\t90.0\tK
5\t1\t2\t1\t1\t1\t40\t200\t60\t40\tx\tbroken
5\t1\t2\t1\t1\t2\t400\t200\t60\t40\t90.0\tafter
"""


def test_a_table_of_tesseract_becomes_a_page() -> None:
    page = page_of(TSV, 0.25, BLANK)
    assert (page.number, page.source, page.text) == (3, "ocr", "Tc = 39.2 K\n\nafter")
    assert page.quality == pytest.approx(0.9)
    start = page.text.index("39.2")
    assert page.boxes_of(start, start + 4) == [(40.0, 80.0, 60.0, 90.0)]  # from the lower left corner
    verdict = verify_quote([page], "Tc = 39.2 K", 3)
    assert (verdict.status, verdict.from_ocr) == ("normalised", True) and "OCR" in verdict.notes[-1]
    for nothing in ("", "no table", TSV.splitlines()[0]):
        assert page_of(nothing, 0.25, BLANK) is BLANK


def scanned(path: Path) -> None:
    """Write a PDF of one page that is a picture of print."""
    print_ = io.BytesIO()
    canvas = Canvas(print_, pagesize=(300, 120))
    canvas.setFont("Helvetica", 11)
    canvas.drawString(20, 90, "The critical temperature of the film")
    canvas.drawString(20, 74, "is 39.2 K in zero field.")
    canvas.save()
    source = path.with_suffix(".source.pdf")
    source.write_bytes(print_.getvalue())
    with opened(str(source), "source") as document:
        png, _ = render(document, 1, dpi=300)
    scan = Canvas(str(path), pagesize=(300, 120))
    scan.drawImage(ImageReader(io.BytesIO(png)), 0, 0, 300, 120)
    scan.save()


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
async def test_a_scan_is_read_and_flagged(tmp_path: Path) -> None:
    scanned(tmp_path / "scan.pdf")

    async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
        return (await client.call_tool(tool, {"path": "scan.pdf", **arguments})).structured_content or {}

    async with Client(build(toolbox, ServeOptions(workspace=tmp_path))) as client:
        (quantity,) = (await call(client, "find_quantities"))["data"]["quantities"]
        assert (quantity["value"], quantity["unit"], quantity["ocr"]) == (39.2, "K", True)
        left, bottom, right, top = quantity["boxes"][0]
        assert 25 < left < right < 80 and 70 < bottom < top < 86
        verdict = await call(client, "verify_quote", quote="is 39.2 K in zero field", page=1)
        assert (verdict["status"], verdict["values"][0]["value"]) == ("ok_with_warnings", "normalised")
        read = await call(client, "read_pages")
        assert "39.2 K" in read["text"] and "OCR" in read["warnings"][0]
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path, settings={"ocr": "no"}))) as client:
        assert "No text on page 1" in (await call(client, "open_paper"))["warnings"][0]
