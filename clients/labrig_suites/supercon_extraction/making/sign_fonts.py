"""Signs as publishers coded them until about 2012: in a font of their own, whose glyphs have numbers for names.

The font of signs of a PDF becomes MathematicalPi-One, with the outlines of reportlab's own Symbol and no table of
characters: what a glyph means is said by its numbered name in ``/Differences`` alone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NUMBERS = {
    **{"plusminus": 11006, "minus": 11002, "multiply": 11003, "approxequal": 11015, "similar": 11011},
    **{
        "degree": 11034,
        "mu": 9262,
        "Omega": 9024,
        "Delta": 9004,
        "gamma": 9253,
        "delta": 9254,
        "lambda": 9261,
    },
    **{"xi": 9264, "rho": 9267, "chi": 9273, "Theta": 9008, "kappa": 9260, "sigma": 9268},
}
"""Names of glyphs, and their numbers as papers of AIP and APS print them."""
NAME = "/KMADEA+MathematicalPi-One"
FIRST, LAST = 32, 254
_KEY, _FIRST, _SECOND = 55665, 52845, 22719
"""Of the cipher of Type 1 fonts (Adobe Type 1 Font Format, chapter 7)."""


def coded(pdf: bytes) -> bytes:
    """Return a PDF whose signs are coded by numbers."""
    import pypdf
    from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, StreamObject
    from reportlab.pdfbase import _fontdata

    def entries(about: Mapping[str, Any]) -> Any:
        return DictionaryObject({NameObject(f"/{key}"): value for key, value in about.items()})

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf))
    parts, program = _outlines(), StreamObject()
    program.set_data(b"".join(parts))
    program.update(entries({f"Length{n}": NumberObject(len(part)) for n, part in enumerate(parts, 1)}))
    numbers = {"Flags": 4, "ItalicAngle": 0, "Ascent": 800, "Descent": -200, "CapHeight": 700, "StemV": 80}
    described = {
        "Type": NameObject("/FontDescriptor"),
        "FontName": NameObject(NAME),
        "FontBBox": ArrayObject(map(NumberObject, (-180, -293, 1090, 1010))),
        "FontFile": writer._add_object(program),
        **{key: NumberObject(value) for key, value in numbers.items()},
    }
    names = [name or ".notdef" for name in _fontdata.encodings["SymbolEncoding"][FIRST : LAST + 1]]
    widths = _fontdata.widthsByFontGlyph["Symbol"]
    differences = ArrayObject([NumberObject(FIRST), *(NameObject(f"/{_numbered(name)}") for name in names)])
    font = {
        "BaseFont": NameObject(NAME),
        "FontDescriptor": writer._add_object(entries(described)),
        "FirstChar": NumberObject(FIRST),
        "LastChar": NumberObject(LAST),
        "Widths": ArrayObject(NumberObject(widths.get(name, 0)) for name in names),
        "Encoding": entries({"Type": NameObject("/Encoding"), "Differences": differences}),
    }
    for page in writer.pages:
        for each in page["/Resources"]["/Font"].values():
            if each.get_object()["/BaseFont"] == "/Symbol":
                each.get_object().update(entries(font))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _numbered(name: str) -> str:
    return f"H{NUMBERS[name]}" if name in NUMBERS else name


def _outlines() -> list[bytes]:
    """Return the three parts of reportlab's Symbol as a Type 1 program, its glyphs renamed."""
    import reportlab

    content = (Path(reportlab.__file__).parent / "fonts" / "sy______.pfb").read_bytes()
    parts, at = [], 0
    while content[at : at + 1] == b"\x80" and content[at + 1] in (1, 2):
        length = int.from_bytes(content[at + 2 : at + 6], "little")
        parts.append(content[at + 6 : at + 6 + length])
        at += 6 + length
    plain = re.sub(
        rb"/(\w+)(?= \d+ (?:RD|-\|) )",
        lambda found: b"/" + _numbered(found[1].decode()).encode(),
        _deciphered(parts[1]),
    )
    return [parts[0], _ciphered(plain), *parts[2:3]]


def _deciphered(secret: bytes) -> bytes:
    key, plain = _KEY, bytearray()
    for each in secret:
        plain.append(each ^ key >> 8)
        key = (each + key) * _FIRST + _SECOND & 0xFFFF
    return bytes(plain)


def _ciphered(plain: bytes) -> bytes:
    key, secret = _KEY, bytearray()
    for each in plain:
        secret.append(each ^ key >> 8)
        key = (secret[-1] + key) * _FIRST + _SECOND & 0xFFFF
    return bytes(secret)
