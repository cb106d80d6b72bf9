"""The same paper in bitmap fonts, as TeX made them for printers: each glyph is a small picture (a Type 3 font).

A table of characters stands beside each font (ToUnicode), so the text can still be read; what a reader gets of sizes
and boxes is that of the pictures.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from labrig.errors import LabrigError

DPI, SIZE = 300, 10.0
"""Dots per inch, and the size in points at which glyphs are made pictures."""
SCALE = DPI / 72
MARGIN = 4.0
HIGH = 20.0
SPACE = 32
BLACK = 128
"""Grey below which a dot is printed."""


def bitmapped(pdf: bytes) -> bytes:
    """Return a PDF whose fonts are pictures of glyphs.

    Raises
    ------
    LabrigError
        ``unavailable`` without pypdf and pypdfium2.
    """
    try:
        import pypdf
        import pypdfium2  # noqa: F401
    except ImportError as error:
        raise LabrigError(
            "Bitmap fonts are made with pypdf and pypdfium2, which are not installed",
            expected="pip install 'labrig[papers,harness]'",
            code="unavailable",
        ) from error
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf))
    used, fonts = _used(writer.pages)
    for name, font in fonts.items():
        pictures = _pictures(font, sorted(used[name]))
        made = _type3(writer, font, pictures)
        for key in list(font):
            del font[key]
        font.update(made)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _used(pages: Iterable[Any]) -> tuple[dict[str, set[int]], dict[str, Any]]:
    """Return the codes that are printed in each font, and the fonts by their names in the pages."""
    used: dict[str, set[int]] = defaultdict(set)
    fonts: dict[str, Any] = {}
    for page in pages:
        own = {name: font.get_object() for name, font in page["/Resources"]["/Font"].items()}
        current = ""
        for operands, operator in page.get_contents().operations:
            if operator == b"Tf":
                current = str(operands[0])
            elif operator == b"Tj":
                fonts[current] = own[current]
                used[current].update(operands[0].original_bytes)
    return used, fonts


def _pictures(font: Any, codes: list[int]) -> dict[int, tuple[Any, int, int]]:
    """Return of each code its picture in black and white, and the dots from the origin to its lower left corner."""
    import pypdf
    import pypdfium2
    from pypdf.generic import DictionaryObject, NameObject, StreamObject

    writer = pypdf.PdfWriter()
    for code in codes:
        page = writer.add_blank_page(width=SIZE + 2 * MARGIN, height=HIGH)
        own = DictionaryObject({NameObject(key): font[key] for key in font})
        fonts = DictionaryObject({NameObject("/F"): own})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        shown = StreamObject()
        shown.set_data(f"BT /F {SIZE} Tf {MARGIN} {MARGIN + 2} Td <{code:02x}> Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(shown)
    out = io.BytesIO()
    writer.write(out)
    found = {}
    with pypdfium2.PdfDocument(out.getvalue()) as document:
        for code, page in zip(codes, document, strict=True):
            grey = page.render(scale=SCALE, grayscale=True).to_pil().convert("L")
            ink = grey.point([255 if level < BLACK else 0 for level in range(256)])
            box = ink.getbbox()
            if box is not None:
                left, low = round(box[0] - MARGIN * SCALE), round(ink.height - box[3] - (MARGIN + 2) * SCALE)
                found[code] = (ink.crop(box).convert("1", dither=0), left, low)
    return found


def _type3(writer: Any, font: Any, pictures: Mapping[int, tuple[Any, int, int]]) -> dict[Any, Any]:
    """Return a font of pictures, whose glyphs have the names and widths of another."""
    from pypdf.generic import (
        ArrayObject,
        DictionaryObject,
        FloatObject,
        NameObject,
        NumberObject,
        StreamObject,
    )
    from reportlab.pdfbase import _fontdata

    base = str(font["/BaseFont"])[1:]
    names = _fontdata.encodings["SymbolEncoding" if base == "Symbol" else "WinAnsiEncoding"]
    widths = _fontdata.widthsByFontGlyph[base]
    dots = SIZE * SCALE
    procs, differences, wide = DictionaryObject(), ArrayObject(), ArrayObject()
    first, last = SPACE, max(pictures, default=SPACE)
    for code in range(first, last + 1):
        name = names[code]
        across = widths.get(name, 0) / 1000 * dots if name else 0.0
        wide.append(FloatObject(round(across, 3)))
        if code in pictures:
            picture, left, low = pictures[code]
            program = _program(picture, left, low, across)
        elif code == SPACE:
            program = f"{across:.3f} 0 0 0 0 0 d1".encode()
        else:
            continue
        differences += [NumberObject(code), NameObject(f"/{name}")]
        proc = StreamObject()
        proc.set_data(program)
        procs[NameObject(f"/{name}")] = writer._add_object(proc)
    table = StreamObject()
    table.set_data(_characters({code: names[code] for code in pictures if names[code]}))
    encoding = {NameObject("/Type"): NameObject("/Encoding"), NameObject("/Differences"): differences}
    box = ArrayObject([NumberObject(each) for each in (-10, -15, 60, 50)])
    matrix = ArrayObject([FloatObject(each) for each in (round(1 / dots, 8), 0, 0, round(1 / dots, 8), 0, 0)])
    return {
        NameObject("/Type"): NameObject("/Font"),
        NameObject("/Subtype"): NameObject("/Type3"),
        NameObject("/FontBBox"): box,
        NameObject("/FontMatrix"): matrix,
        NameObject("/FirstChar"): NumberObject(first),
        NameObject("/LastChar"): NumberObject(last),
        NameObject("/Widths"): wide,
        NameObject("/Encoding"): DictionaryObject(encoding),
        NameObject("/CharProcs"): procs,
        NameObject("/Resources"): DictionaryObject(),
        NameObject("/ToUnicode"): writer._add_object(table),
    }


def _characters(names: Mapping[int, str]) -> bytes:
    """Return the table that gives each code its character (ISO 32000-1, 9.10.3)."""
    from reportlab.pdfbase._glyphlist import _glyphname2unicode

    lines = [f"<{code:02x}> <{_glyphname2unicode[name]:04x}>" for code, name in sorted(names.items())]
    lines.append(f"<{SPACE:02x}> <{SPACE:04x}>")
    parts = [lines[first : first + 100] for first in range(0, len(lines), 100)]  # at most 100 lines in a part
    mapped = "".join(f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar\n" for part in parts)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Made def /CMapType 2 def\n"
        f"1 begincodespacerange\n<00> <ff>\nendcodespacerange\n{mapped}endcmap end end"
    ).encode()


def _program(picture: Any, left: int, low: int, across: float) -> bytes:
    """Return what draws a glyph: a mask of dots, of which ones are ink."""
    wide, high = picture.size
    head = (
        f"{across:.3f} 0 {left} {low} {left + wide} {low + high} d1 q {wide} 0 0 {high} {left} {low} cm "
        f"BI /W {wide} /H {high} /IM true /BPC 1 /D [1 0] ID "
    )
    dots: bytes = picture.tobytes()
    return head.encode() + dots + b" EI Q"
