"""Pages as marked-up text: scripts, accents, hyphens, boxes, captions, tables, and files that are no PDF."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from labrig.errors import LabrigError
from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.page import Page, plain
from labrig_papers.pdf.pages import read_pages
from labrig_papers.pdf.rendering import MOST_PIXELS, render
from labrig_papers.pdf.structure import bookmarks, captions, headings, named, title_of
from labrig_papers.pdf.tables import find_tables
from support.places import DATA

PDFS = DATA / "pdfs"
S1 = PDFS / "s1_synthetic_revtex.pdf"
needs_s1 = pytest.mark.skipif(not S1.is_file(), reason="shared/data/pdfs is absent")


def pages_of(path: Path) -> list[Page]:
    with opened(str(path), path.name) as document:
        return list(read_pages(document, range(1, len(document) + 1)))


def script(canvas: Canvas, x: float, y: float, parts: list[tuple[str, int]]) -> float:
    """Write parts at a level each: 0 on the line, 1 above, -1 below; return where the next one goes."""
    for text, level in parts:
        size = 10 if level == 0 else 7
        canvas.setFont("Helvetica", size)
        canvas.drawString(x, y + (3.6 if level > 0 else -1.6 if level < 0 else 0), text)
        x += canvas.stringWidth(text, "Helvetica", size)
    return x


@needs_s1
def test_powers_formulas_and_symmetries_keep_their_scripts() -> None:
    text = "\n".join(each.text for each in pages_of(S1))
    for expected in (
        "La_{1.85}Sr_{0.15}CuO_{4} single crystals",
        "γ = 2.64 mJ mol^{−1} K^{−2}",
        "2.5×10^{−3} A cm^{−2}.",
        "7.6 × 10^{−5} Ω cm",
        "P6_{3}/mmc",
        "T^{zero}_{c} = 36.2 K",
        "R_{H} = 1.3 × 10^{−3} cm^{3}/C",
        "4.8 × 10^{21} cm^{−3}.",
        "1.2 × 10^{6} A/cm^{2}.",
        "^{18}O exchange of 85%",
        "a = 3.7793(2) Å",
        "Néel temperature T_{N} = 325 K",
        "Fm3\u0305m",
        "a difficult to reproduce value of 40 K",  # joined where a line was broken
    ):
        assert expected in text, expected
    assert "106 A/cm" not in text


@needs_s1
def test_what_a_box_covers_is_what_was_asked_for() -> None:
    page = pages_of(S1)[0]
    start = page.text.index("36.9(2) K from")
    (box,) = page.boxes_of(start, start + len("36.9(2) K"))
    assert box == pytest.approx((142.1, 617.2, 180.2, 626.1), abs=0.2)  # as PDFium has the glyphs
    assert Page.from_dict(json.loads(json.dumps(page.to_dict()))).text == page.text


@needs_s1
def test_both_tables_of_a_paper_cell_by_cell() -> None:
    (first,), (second,) = (find_tables(pages_of(S1)[index]) for index in (0, 2))
    assert first.name == "TABLE I" and second.name == "TABLE II"
    assert first.header == ("x", "a (Å)", "c (Å)", "T_{c} (K)", "∆T_{c} (K)", "γ (mJ/mol K^{2})")
    assert first.units == ("", "Å", "Å", "K", "K", "mJ/mol K^{2}")
    cells = [[cell.text for cell in row] for row in first.rows]
    assert cells[0] == ["0.06", "3.7953(3)", "13.1800(9)", "< 1.8", "–", "1.12(8)"]
    assert cells[4] == ["0.30", "3.7657(4)", "13.2470(12)", "non-SC", "–", "6.93(11)"]
    wide = [[cell.text for cell in row] for row in second.rows]
    assert wide[1] == [
        "Bi_{2}Sr_{2}CaCu_{2}O_{8.2}",
        "I4/mmm",
        "floating zone",
        "84.7(4)",
        "97",
        "380",
        "–",
    ]
    assert wide[5][-2] == "2.5×10^{3}"
    assert second.units == ("", "", "", "K", "T", "µΩ cm", "")


@needs_s1
def test_sections_captions_and_title() -> None:
    pages = pages_of(S1)
    assert title_of(pages).startswith("Efficient flux growth and superconducting properties of La2−xSrxCuO4")
    assert [each.text for each in headings(pages)] == [
        "I. INTRODUCTION",
        "II. EXPERIMENTAL",
        "III. RESULTS",
        "IV. DISCUSSION",
        "V. CONCLUSION",
    ]
    assert [each.name for page in pages for each in captions(page)] == ["FIG. 1", "TABLE I", "TABLE II"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("s10_empty.pdf", "empty"),
        ("s4_synthetic_encrypted_userpw.pdf", "encrypted"),
        ("s6_truncated.pdf", "damaged"),
        ("s8_garbage.pdf", "PDF"),
        ("s9_html_as_pdf.pdf", "web page"),
    ],
)
def test_a_file_that_is_no_readable_pdf_says_what_it_is(name: str, said: str) -> None:
    if not (PDFS / name).is_file():
        pytest.skip("shared/data/pdfs is absent")
    with pytest.raises(LabrigError, match=said):
        pages_of(PDFS / name)


def test_a_page_of_another_maker(tmp_path: Path) -> None:
    path = tmp_path / "made.pdf"
    canvas = Canvas(str(path), pagesize=(400, 300))
    end = script(canvas, 40, 250, [("J", 0), ("c", -1), (" reaches 1.2", 0)])
    script(canvas, end, 250, [("x10", 0), ("-6", 1), (" A/cm", 0), ("2", 1), (" at 4.2 K", 0)])
    canvas.setFont("Helvetica", 10)
    for y, cells in enumerate(
        [["Sample", "Tc (K)", "p (GPa)"], ["A1", "36.9(2)", "0.5"], ["A2", "< 1.8", "12"]]
    ):
        for x, cell in enumerate(cells):
            canvas.drawString(40 + 90 * x, 200 - 14 * y, cell)
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    first, empty = pages_of(path)
    assert "J_{c} reaches 1.2x10^{-6} A/cm^{2} at 4.2 K" in first.text
    assert plain("10^{-6}") == "10-6"
    (table,) = find_tables(first)
    assert table.header == ("Sample", "Tc (K)", "p (GPa)")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["A1", "36.9(2)", "0.5"],
        ["A2", "< 1.8", "12"],
    ]
    assert (empty.source, empty.text) == ("none", "")


@pytest.mark.parametrize(
    ("turn", "rotation"), [(90, 0), (270, 0), (180, 0), (90, 90), (270, 270), (180, 180), (0, 90), (90, 270)]
)
def test_a_table_that_stands_sideways_or_on_a_page_that_is_shown_turned(
    turn: int, rotation: int, tmp_path: Path
) -> None:
    path = tmp_path / "turned.pdf"
    canvas = Canvas(str(path), pagesize=(400, 300))
    canvas.setPageRotation(rotation)
    canvas.setFont("Helvetica", 9)
    canvas.drawString(190, 4, "Page 7 of a paper")
    canvas.translate(*{0: (0, 0), 90: (400, 0), 180: (400, 300), 270: (0, 300)}[turn])
    canvas.rotate(turn)
    canvas.setFont("Helvetica", 10)
    canvas.drawString(30, 260, "TABLE 3. Critical currents.")
    script(canvas, 210, 240, [("m", 0), ("0", -1), ("H", 0), ("c2", -1), ("(0)", 0)])
    for y, cells in enumerate([("Sample", "Tc (K)", ""), ("A1", "36.9(2)", ""), ("A2", "< 1.8", "")]):
        for x, cell in enumerate(cells):
            canvas.drawString(30 + 90 * x, 240 - 14 * y, cell)
        if y:
            script(canvas, 210, 240 - 14 * y, [(f"{y}.2x10", 0), ("6", 1), (" A/cm", 0), ("2", 1)])
    canvas.save()
    (page,) = pages_of(path)
    (table,) = find_tables(page)
    assert (table.name, table.header) == ("TABLE 3", ("Sample", "Tc (K)", "m_{0}H_{c2}(0)"))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["A1", "36.9(2)", "1.2x10^{6} A/cm^{2}"],
        ["A2", "< 1.8", "2.2x10^{6} A/cm^{2}"],
    ]
    assert table.confidence == 1.0
    seen = (turn - rotation) % 360  # as shown
    assert {line.turn for line in page.lines} == {seen, (-rotation) % 360}
    cell = table.rows[0][1].box
    assert cell is not None
    left, bottom, right, top = cell
    assert (right - left > top - bottom) == (seen in (0, 180))
    # Where the server says that a cell is, ink is in its picture.
    with opened(str(path), path.name) as document:
        picture = Image.open(io.BytesIO(render(document, 1, dpi=72)[0])).convert("L")
    inside = picture.crop((int(left), int(page.height - top), int(right) + 1, int(page.height - bottom) + 1))
    assert inside.getextrema()[0] < 120
    assert page.boxes_of(table.rows[0][1].start, table.rows[0][1].end) == [cell]


def test_a_cell_of_words_may_take_two_lines(tmp_path: Path) -> None:
    path = tmp_path / "cells.pdf"
    canvas = Canvas(str(path), pagesize=(400, 300))
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(40, 250, "TABLE I. Growth of the samples.")
    rows = (
        ("Sample", "Method", "Tc (K)"),
        ("A", "flux growth in", "12.5"),
        ("", "alumina", ""),
        ("B", "floating zone", "9.1"),
    )
    for number, row in enumerate(rows):
        for x, cell in zip((40, 100, 200), row, strict=True):
            canvas.drawString(x, 234 - 11 * number, cell)
    canvas.save()
    (page,) = pages_of(path)
    (table,) = find_tables(page)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["A", "flux growth in alumina", "12.5"],
        ["B", "floating zone", "9.1"],
    ]
    assert table.evidence[0][0] == "A flux growth in 12.5" and table.confidence == 0.9


def test_bookmarks_are_headings(tmp_path: Path) -> None:
    path = tmp_path / "marked.pdf"
    canvas = Canvas(str(path), pagesize=(300, 300))
    for number, (title, level) in enumerate((("Introduction", 0), ("Samples", 1), ("Results", 0)), 1):
        canvas.drawString(30, 200, f"Text of page {number} of this paper")
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title, level)
        canvas.showPage()
    canvas.save()
    with opened(str(path), path.name) as document:
        found = [(each.text, each.page, each.level) for each in bookmarks(document, [1, 2, 3])]
        assert found == [("Introduction", 1, 1), ("Samples", 2, 2), ("Results", 3, 1)]
        assert [each.text for each in bookmarks(document, [2])] == ["Samples"]


def test_columns_that_a_file_draws_line_by_line_are_read_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "woven.pdf"
    canvas = Canvas(str(path), pagesize=(612, 792))
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(150, 740, "A title that goes over both of the columns of this page")
    for line in range(12):
        canvas.drawString(
            60, 700 - 11 * line, f"Left line {line} speaks of the sample and of its growth in air,"
        )
        canvas.drawString(320, 700 - 11 * line, f"right line {line} of T")
        canvas.setFont("Times-Roman", 6)
        canvas.drawString(
            320 + canvas.stringWidth(f"right line {line} of T", "Times-Roman", 9), 698.5 - 11 * line, "c"
        )
        canvas.setFont("Times-Roman", 9)
        canvas.drawString(388, 700 - 11 * line, f"and a film of {line}.5 nm on strontium titanate")
    canvas.save()
    (page,) = pages_of(path)
    lines = page.text.split("\n")
    assert lines[0].startswith("A title") and lines[2].startswith("Left line 0") and "\t" not in page.text
    assert [each for each in lines if each.startswith("right")][3] == (
        "right line 3 of T_{c} and a film of 3.5 nm on strontium titanate"
    )
    place = page.text.index("3.5 nm")
    (box,) = page.boxes_of(place, place + 6)
    assert box[0] > 430 and 665 < box[1] < box[3] < 678


def test_a_picture_is_bounded_and_shows_what_was_marked(tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "large.pdf"
    canvas = Canvas(str(path), pagesize=(10_000, 10_000))
    canvas.setFont("Helvetica", 400)
    canvas.drawString(1000, 5000, "Tc = 39 K")
    canvas.save()
    with opened(str(path), path.name) as document:
        png, dpi = render(document, 1)
        image = Image.open(io.BytesIO(png))
        assert image.width * image.height <= 1.01 * MOST_PIXELS and dpi < 150
        (page,) = read_pages(document, [1])
        part, _ = render(document, 1, page.boxes_of(0, 2)[0], dpi=72, marked=page.boxes_of(0, 2))
        colours = Image.open(io.BytesIO(part)).convert("RGB").getcolors(1 << 20)
        assert colours is not None and (0, 114, 178) in [colour for _, colour in colours]
        with pytest.raises(LabrigError, match="not on the page"):
            render(document, 1, (20_000, 0, 20_010, 10))


def test_numbered_headings_of_plain_print(tmp_path: Path) -> None:
    """No rule of TeX: bold by its name alone, larger print right under a title, a number in the print of the text."""
    path = tmp_path / "headings.pdf"
    canvas = Canvas(str(path), pagesize=(400, 500))
    y = 470.0
    prose = ["We report measurements of crystals that were grown from a flux, and annealed."] * 3
    for text, font, size, gap in (
        ("Thermoelectric properties of a selenide", "Times-Roman", 16, 20),
        ("1. Introduction", "Times-Roman", 16, 22),
        *((each, "Times-Roman", 10, 12) for each in prose),
        ("2 Experimental details", "Times-Bold", 10, 12),
        *((each, "Times-Roman", 10, 12) for each in prose),
        ("", "Times-Roman", 10, 8),
        ("2.1 Transport", "Times-Roman", 10, 12),
        *((each, "Times-Roman", 10, 12) for each in prose),
        ("7 Samples of one batch were cut", "Times-Roman", 10, 12),
        *((each, "Times-Roman", 10, 12) for each in prose),
    ):
        canvas.setFont(font, size)
        canvas.drawString(40, y, text)
        y -= gap
    canvas.save()
    pages = pages_of(path)
    assert title_of(pages) == "Thermoelectric properties of a selenide"
    found = [(each.text, each.level) for each in headings(pages)]
    assert found == [("1. Introduction", 1), ("2 Experimental details", 1), ("2.1 Transport", 2)]


def test_labels_of_axes_and_print_of_one_weight_are_no_headings(tmp_path: Path) -> None:
    """Where a file's fonts make all of it bold, weight says nothing; larger print of a figure is no heading."""
    path = tmp_path / "labels.pdf"
    canvas = Canvas(str(path), pagesize=(400, 600))
    y = 570.0
    prose = ["We report measurements of crystals that were grown from a flux, and annealed."] * 3
    for text, size, gap in (
        ("I. INTRODUCTION", 9, 22),
        *((each, 10, 12) for each in prose),
        ("", 10, 12),
        ("A. General remarks on samples of this kind of compound", 9, 11),
        ("and on those of others", 9, 22),
        *((each, 10, 12) for each in prose),
        ("", 10, 12),
        *(
            (each, 12, 30)
            for each in ("Temperature [K]", "URhSi", "(a)", "m0H // c", "6.0 K", "of the others.")
        ),
        *((each, 10, 12) for each in prose),
    ):
        canvas.setFont("Times-Bold", size)
        canvas.drawString(40, y, text)
        y -= gap
    canvas.save()
    found = [each.text for each in headings(pages_of(path))]
    assert found == ["I. INTRODUCTION", "A. General remarks on samples of this kind of compound"]


def test_a_table_is_meant_by_its_number() -> None:
    names = ["TABLE I", "TABLE II", "FIG. 2", "Table S2", "TABLE IV"]
    for wanted, name in {
        "1": "TABLE I", "table 2": "TABLE II", "ii": "TABLE II", "Tab. 4": "TABLE IV", "S2": "Table S2",
        "figure 2": "FIG. 2", "table i.": "TABLE I",
    }.items():  # fmt: skip
        assert named(wanted, names, "table") == name, wanted
    for wanted in ("3", "p2.1", "", "table", "beauty", "9" * 5000):
        assert named(wanted, names, "table") is None


def test_a_head_right_under_a_caption_is_no_part_of_it(tmp_path: Path) -> None:
    """Its cells are hardly wider apart than words, so no tab parts them."""
    path = tmp_path / "close.pdf"
    canvas = Canvas(str(path), pagesize=(400, 300))
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(40, 250, "TABLE II. Values of this work at room temperature, with their")
    canvas.drawString(40, 239, "uncertainties in brackets as they were printed.")
    heads = ("Sample", "Resistivity (mohm cm)", "Density (g/cc)")
    x, places = 40.0, []
    for head in heads:
        places.append(x)
        canvas.drawString(x, 228, head)
        x += canvas.stringWidth(head, "Times-Roman", 9) + 8
    for number, row in enumerate(
        [("A1", "0.157", "6.71"), ("A2", "0.554(2)", "6.72"), ("A3", "0.81", "6.5")]
    ):
        for x, cell in zip(places, row, strict=True):
            canvas.drawString(x, 217 - 11 * number, cell)
    canvas.save()
    (page,) = pages_of(path)
    (caption,) = captions(page)
    assert caption.text.endswith("as they were printed.")
    (table,) = find_tables(page)
    assert (table.name, table.header, table.confidence) == ("TABLE II", heads, 1.0)
    assert [cell.text for cell in table.rows[1]] == ["A2", "0.554(2)", "6.72"]


def test_the_stamp_at_the_margin_is_no_title(tmp_path: Path) -> None:
    path = tmp_path / "stamped.pdf"
    canvas = Canvas(str(path), pagesize=(400, 500))
    canvas.setFont("Times-Roman", 14)
    canvas.drawString(60, 440, "Thermoelectric properties of a selenide")
    canvas.setFont("Times-Roman", 10)
    for number in range(12):
        canvas.drawString(60, 400 - 12 * number, "Single crystals were grown in an image furnace and cut.")
    canvas.saveState()
    canvas.translate(30, 180)
    canvas.rotate(90)
    canvas.setFont("Times-Roman", 20)
    canvas.drawString(0, 0, "Preprint 0001.0001 [cond-mat] 1 Jan")
    canvas.restoreState()
    canvas.save()
    pages = pages_of(path)
    assert title_of(pages) == "Thermoelectric properties of a selenide"
    assert "Preprint 0001.0001 [cond-mat] 1 Jan" in pages[0].text


@pytest.mark.parametrize("space", [0, 1.5, 3.5, 5])
def test_letters_that_are_spaced_apart_are_words(tmp_path: Path, space: float) -> None:
    canvas = Canvas(str(tmp_path / "spaced.pdf"), pagesize=(700, 300))
    text = canvas.beginText(30, 200)
    text.setFont("Helvetica", 10)
    text.setCharSpace(space)
    text.textOut("The transition is at 9.25 K in zero field")
    canvas.drawText(text)
    canvas.drawString(30, 150, "0   1   2   3   4   5   6   7   8   9")
    canvas.save()
    (page,) = pages_of(tmp_path / "spaced.pdf")
    assert page.text.startswith("The transition is at 9.25 K in zero field\n")
    assert "".join(page.text.split("\n")[-1].split()) == "0123456789" and "01" not in page.text
