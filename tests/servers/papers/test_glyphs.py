"""Signs of publishers' fonts: what a PDF's own encoding says of its glyphs, and what stays unknown."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from labrig_papers.pdf.encodings import UNKNOWN, signs_of, with_unicode
from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.pages import read_pages
from labrig_papers.quantities.finding import find_quantities

PI = b"/BaseFont/ABCDEF+MathematicalPi-One/FirstChar 1/LastChar 6/Widths[600 600 600 600 600 600]"
SIGNS = b"/Encoding<</Type/Encoding/Differences[1/H99999/H11006/H9262/H11003/H20849/H20850]>>"
DRAWN = (
    b"BT /F 10 Tf 40 200 Td (The layer is 50) Tj /M 10 Tf <02> Tj /F 10 Tf (5 nm thick, 200 ) Tj /M 10 Tf <03> Tj "
    b"/F 10 Tf (m long, at 30 ) Tj /M 10 Tf <01> Tj /F 10 Tf (K on MgO) Tj /M 10 Tf <05> Tj /F 10 Tf (001) Tj "
    b"/M 10 Tf <06> Tj /F 10 Tf (.) Tj ET"
)


def objects(font: bytes, drawn: bytes = DRAWN) -> list[bytes]:
    """Return the objects of a page in a text font F and a font of signs M, from number 1 on."""
    return [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents 6 0 R/Resources<</Font<</F 4 0 R/M 5 0 R>>>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>",
        b"<</Type/Font/Subtype/%b%b>>" % (b"TrueType" if b"Symbol" in font else b"Type1", font),
        b"<</Length %d>>stream\n%b\nendstream" % (len(drawn), drawn),
    ]


def with_table(bodies: list[bytes]) -> bytes:
    """Return a PDF with a table of objects, as before PDF 1.5."""
    file, places = BytesIO(), []
    file.write(b"%PDF-1.4\n")
    for number, body in enumerate(bodies, 1):
        places.append(file.tell())
        file.write(b"%d 0 obj\n%b\nendobj\n" % (number, body))
    start = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    file.write(b"".join(b"%010d 00000 n \n" % each for each in places))
    file.write(b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, start))
    return file.getvalue()


def with_streams(bodies: list[bytes]) -> bytes:
    """Return a PDF whose objects but the last stand in a stream, as from PDF 1.5 on."""
    *packed, last = bodies
    heads, text = [], b""
    for number, body in enumerate(packed, 1):
        heads.append(b"%d %d" % (number, len(text)))
        text += body + b"\n"
    head = b" ".join(heads) + b" "
    inner = zlib.compress(head + text)
    count = len(bodies)
    file = BytesIO()
    file.write(b"%PDF-1.5\n")
    at_last = file.tell()
    file.write(b"%d 0 obj\n%b\nendobj\n" % (count, last))
    at_stream = file.tell()
    about = b"/Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d" % (len(packed), len(head), len(inner))
    file.write(b"%d 0 obj\n<<%b>>stream\n%b\nendstream\nendobj\n" % (count + 1, about, inner))
    start = file.tell()
    rows = [(0, 0, 255), *((2, count + 1, each) for each in range(len(packed)))]
    rows += [(1, at_last, 0), (1, at_stream, 0), (1, start, 0)]
    table = b"".join(bytes([kind]) + at.to_bytes(4) + bytes([more]) for kind, at, more in rows)
    about = b"/Type/XRef/W[1 4 1]/Size %d/Root 1 0 R/Length %d" % (len(rows), len(table))
    file.write(
        b"%d 0 obj\n<<%b>>stream\n%b\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n"
        % (count + 2, about, table, start)
    )
    return file.getvalue()


def text_of(path: Path, content: bytes) -> tuple[str, float]:
    path.write_bytes(content)
    with opened(str(path), path.name) as document:
        page = next(read_pages(document, [1]))
    return page.text, page.quality


@pytest.mark.parametrize("written", [with_table, with_streams])
def test_names_of_a_font_of_signs_are_read(tmp_path: Path, written: object) -> None:
    assert callable(written)
    text, quality = text_of(tmp_path / "signs.pdf", written(objects(PI + SIGNS)))
    assert text == f"The layer is 50±5 nm thick, 200 μm long, at 30 {UNKNOWN}K on MgO(001)." and quality < 1
    found = {each.text: each for each in find_quantities([text])}
    assert found["50±5 nm"].value is not None and found["50±5 nm"].value.uncertainty == 5
    assert found["200 μm"].value is not None and found["200 μm"].value.si() == (pytest.approx(2e-4),)
    assert found[f"30 {UNKNOWN}K"].value is None and "glyph" in found[f"30 {UNKNOWN}K"].problem


def test_a_map_that_names_a_sign_wrongly_is_corrected(tmp_path: Path) -> None:
    said = b"1 beginbfchar\n<bc> <00bc>\nendbfchar\n1 beginbfrange\n<41> <43> <0061>\nendbfrange"
    font = b"/BaseFont/AdvP4C4E74/Encoding<</Differences[1/C0/C6 188/onequarter]>>/ToUnicode 7 0 R"
    drawn = b"BT /F 10 Tf 40 200 Td (T ) Tj /M 10 Tf <bc> Tj /F 10 Tf ( ) Tj /M 10 Tf <01> Tj /F 10 Tf (5) Tj /M 10 Tf <02> Tj /F 10 Tf (2 K of ) Tj /M 10 Tf <414243> Tj /F 10 Tf (.) Tj ET"  # noqa: E501
    bodies = [*objects(font, drawn), b"<</Length %d>>stream\n%b\nendstream" % (len(said), said)]
    text, _ = text_of(tmp_path / "mapped.pdf", with_table(bodies))
    assert text == "T = −5±2 K of abc."


def written_with(font: bytes, *pieces: bytes) -> list[bytes]:
    """Return the objects of a page whose text goes from the text font to that of signs and back, piece by piece."""
    drawn = b" ".join(b"/%c 10 Tf %b Tj" % (b"FM"[number % 2], piece) for number, piece in enumerate(pieces))
    return objects(font, b"BT 40 200 Td %b ET" % drawn)


@pytest.mark.parametrize(
    ("font", "pieces", "text"),
    [
        (
            b"/BaseFont/ABCDEF+MathematicalPi-One-A/Encoding<</Differences[1/six/m/nine]>>",
            [b"(A gap of 13.0 )", b"<01>", b"( 1.0 meV over 5 )", b"<02>", b"(m at 3 )", b"<03>", b"( K.)"],
            f"A gap of 13.0 ± 1.0 meV over 5 μm at 3 {UNKNOWN} K.",
        ),
        (
            b"/BaseFont/ABCDEF+AdvMTMI1/Encoding<</Differences[1/C22 58/colon/semicolon]>>",
            [b"(A field of 0)", b"<3a>", b"(32 T over 2 )", b"<01>", b"(m.)"],
            "A field of 0.32 T over 2 μm.",
        ),
        (
            b"/BaseFont/ABCDEF+AdvMTSY/Encoding<</Differences[1/C24/C0 104/h/i 188/onequarter]>>",
            [b"(A mean )", b"<68>", b"(M)", b"<69>", b"( )", b"<01>", b"( 3 T at )", b"<02>", b"(5 K.)"],
            "A mean ⟨M⟩ ∼ 3 T at −5 K.",
        ),
        (
            b"/BaseFont/Symbol,Italic/Encoding/Symbol/FontDescriptor<</FontName/Symbol,Italic/Flags 4>>",
            [b"(We find )", b"(l)", b"( = 160 nm and )", b"(x)", b"( = 5 nm on 3 )", b"(m)", b"(m.)"],
            "We find λ = 160 nm and ξ = 5 nm on 3 μm.",
        ),
    ],
)
def test_fonts_of_signs_by_key_and_by_code(
    tmp_path: Path, font: bytes, pieces: list[bytes], text: str
) -> None:
    assert text_of(tmp_path / "signs.pdf", with_table(written_with(font, *pieces)))[0] == text
    assert (signs_of("ABCDEF+MSAM10") or {})[46] == "≲"


@pytest.mark.parametrize(
    ("name", "text", "quality"),
    [
        (b"CIDFont+F3", "A width of 200 μm at 3 −5 K.", 1.0),
        (b"Wingdings", "A width of 200 \uf06dm at 3 \uf02d5 K.", 0.9),
    ],
)
def test_private_codes_are_those_of_symbol_but_in_fonts_of_pictures(
    tmp_path: Path, name: bytes, text: str, quality: float
) -> None:
    said = b"2 beginbfchar\n<6d> <f06d>\n<2d> <f02d>\nendbfchar"
    drawn = [b"(A width of 200 )", b"(m)", b"(m at 3 )", b"(-)", b"(5 K.)"]
    bodies = [
        *written_with(b"/BaseFont/%b/ToUnicode 7 0 R" % name, *drawn),
        b"<</Length %d>>stream\n%b\nendstream" % (len(said), said),
    ]
    assert text_of(tmp_path / "private.pdf", with_table(bodies)) == (text, pytest.approx(quality, abs=0.03))


def test_ligatures_whose_names_were_lost_are_read_within_words(tmp_path: Path) -> None:
    said = b"2 beginbfchar\n<01> <e00c>\n<02> <e00e>\nendbfchar\n1 beginbfrange\n<61> <7a> <0061>\nendbfrange"
    font = b"/BaseFont/CairoFont-0-0/Encoding/WinAnsiEncoding/ToUnicode 7 0 R"
    pieces = [b"(It is )", b"<6465016e6564>", b"( by a coe)", b"<0263>", b"(ient.)"]
    bodies = [*written_with(font, *pieces), b"<</Length %d>>stream\n%b\nendstream" % (len(said), said)]
    text, quality = text_of(tmp_path / "cairo.pdf", with_table(bodies))
    assert text == "It is defined by a coe\ue00ecient." and quality < 1


def test_files_without_such_fonts_stay_what_they_are(tmp_path: Path) -> None:
    plain = with_table(objects(b"/BaseFont/Helvetica"))
    broken = with_table(objects(PI + SIGNS)).replace(b"startxref", b"startxxxx")
    assert with_unicode(plain) is plain and with_unicode(broken) is not None
    assert "layer is 50" in text_of(tmp_path / "broken.pdf", broken)[0]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("It is 50 \ufffd 5 nm thick.", {"5 nm"}),
        ("It is 200 \ufffdm wide and 5 K cold.", {"200 \ufffdm"}),
        ("A gap of 6.2 \ue001 s and \ufffd5 K.", {"6.2 \ue001 s", "5 K"}),
        ("At 5 K.\ufffd Then 3 mV.", set()),
    ],
)
def test_a_value_that_an_unknown_glyph_touches_is_a_problem(text: str, problems: set[str]) -> None:
    assert {each.text for each in find_quantities([text]) if each.problem} == problems


def test_signs_that_are_printed_one_over_the_other_are_one(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "over.pdf"), pagesize=A4)
    canvas.setFont("Helvetica", 10)
    canvas.drawString(72, 700, "The bond is 2.2 A")
    ring = 72 + canvas.stringWidth("The bond is 2.2 A", "Helvetica", 10) - 5.3
    canvas.drawString(ring, 704.5, "°")
    canvas.drawString(
        72 + canvas.stringWidth("The bond is 2.2 A", "Helvetica", 10), 700, " long, the width 5.1+"
    )
    plus = 72 + canvas.stringWidth("The bond is 2.2 A long, the width 5.1", "Helvetica", 10)
    canvas.drawString(plus, 698.5, "_")
    canvas.drawString(plus + 5.9, 700, "0.2 K.")
    canvas.save()
    text, _ = text_of(tmp_path / "over.pdf", (tmp_path / "over.pdf").read_bytes())
    assert text == "The bond is 2.2 Å long, the width 5.1±0.2 K."
