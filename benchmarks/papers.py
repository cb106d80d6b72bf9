"""Reading PDFs: marked-up text beside plain PDFium and pypdf, and calls on a paper that is open.

The paper is made here: two columns of 50 lines, of which every third has scripts, and a table, on each of 40 pages.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

PAGES, LINES, ROUNDS = 40, 50, 15
PARTS = (
    ("The critical current density reaches J", 0),
    ("c", -1),
    (" = 1.2 x 10", 0),
    ("6", 1),
    (" A/cm", 0),
    ("2", 1),
    (" at 4.2 K", 0),
)
PROSE = "Single crystals were grown in an image furnace under oxygen, and cut."
ROWS = (
    ("Sample", "Tc (K)", "p (GPa)"),
    ("A1", "36.9(2)", "0.5"),
    ("A2", "< 1.8", "12"),
    ("A3", "9.2(1)", "4"),
)


def _paper() -> bytes:
    """Return a PDF whose words are placed one by one, as justified print is."""
    import matplotlib
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen.canvas import Canvas

    font = "STIXGeneral"
    pdfmetrics.registerFont(
        TTFont(font, str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{font}.ttf"))
    )
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(612, 792), invariant=True)
    for page in range(PAGES):
        for left in (50, 320):
            for line in range(LINES):
                x, y = float(left), 740 - 11.0 * line
                for text, level in PARTS if line % 3 == 0 else ((PROSE, 0),):
                    size = 7 if level else 9
                    canvas.setFont(font, size)
                    for word in text.split(" "):
                        canvas.drawString(x, y + 3 * level, word)
                        x += canvas.stringWidth(word + " ", font, size)
                    x -= canvas.stringWidth(" ", font, size)
        canvas.setFont(font, 9)
        canvas.drawString(320, 170, f"Sample {page + 1} was kept in air for six months.")
        canvas.drawString(50, 170, f"TABLE {page + 1}. Samples and their transitions.")
        for number, row in enumerate(ROWS):
            for column, cell in enumerate(row):
                canvas.drawString(50 + 80 * column, 155 - 12 * number, cell)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the seconds of processor time that work takes: what else runs on the machine does not count."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return median(times)


def _texts(content: bytes) -> str:
    """Return the line on the three ways to read all pages."""
    import pypdf
    import pypdfium2

    from labrig_papers.pdf.pages import read_pages

    document: Any = pypdfium2.PdfDocument(content)

    def plain() -> None:
        for page in document:
            page.get_textpage().get_text_range()

    def marked() -> None:
        for _ in read_pages(document, range(1, PAGES + 1)):
            pass

    def other() -> None:
        for page in pypdf.PdfReader(io.BytesIO(content)).pages:
            page.extract_text()

    for work in (plain, marked):
        work()
    fast, ours, slow = _seconds(plain, 5), _seconds(marked, 5), _seconds(other, 1)
    document.close()
    each = 1000 / PAGES
    return (
        f"{PAGES} pages: marked-up text {ours * each:.1f} ms a page, plain PDFium {fast * each:.1f} "
        f"(ratio {ours / fast:.1f}, at most 5), pypdf {slow * each:.1f} ({slow / ours:.1f} times slower, at least 4)"
    )


async def _calls(folder: Path) -> list[str]:
    """Return a line for each call on a paper that is open."""
    from fastmcp import Client

    from labrig.serving.builder import build
    from labrig.toolbox import ServeOptions
    from labrig_papers.server import toolbox

    calls: dict[str, dict[str, Any]] = {
        "open_paper": {},
        "read_pages": {"pages": "3-4"},
        "search_paper": {"query": "1.2x10^6 A/cm2"},
        "verify_quote": {"quote": "Sample 7 was kept in air", "page": 7},
        "read_table": {"table": "TABLE 5", "pages": "5"},
        "find_quantities": {"pages": "5"},
        "outline_paper": {"pages": "1-5"},
        "show_page": {"page": 2},
    }
    lines = []
    async with Client(build(toolbox, ServeOptions(workspace=folder))) as client:
        await client.call_tool("open_paper", {"path": "paper.pdf"})
        for tool, arguments in calls.items():
            await client.call_tool(tool, {"path": "paper.pdf", **arguments})
            times = []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                await client.call_tool(tool, {"path": "paper.pdf", **arguments})
                times.append((time.perf_counter() - began) * 1000)
            lines.append(f"  {tool:16} {median(times):5.0f} ms, at best {min(times):.0f}")
    return lines


def main() -> None:
    """Print how reading compares, and what a call on an open paper takes."""
    content = _paper()
    print(_texts(content))
    print(f"a call on an open paper of {PAGES} pages, median of {ROUNDS} (at most 60 ms):")
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "paper.pdf").write_bytes(content)
        for line in asyncio.run(_calls(Path(place))):
            print(line)


if __name__ == "__main__":
    main()
