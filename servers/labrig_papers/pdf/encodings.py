"""Fonts of signs whose PDF does not say which signs: a map to Unicode is added for them before PDFium reads.

Publishers set ``±`` and ``μ`` in fonts of their own until about 2012. The names of the glyphs stand in the font's
``/Differences`` (``/H11006``, ``/C6``), no reader knows them, and a map that the file has may be wrong (``¼`` for
``=``). What `glyph_names.csv` says of them goes as ``/ToUnicode`` into an incremental update (ISO 32000-1, 7.5.6)
behind the file, so that PDFium keeps boxes, spaces and order. A numbered glyph of such a font that is not in the
table becomes `UNKNOWN`.

The table: MathematicalPi as papers of AIP and APS print its glyphs, by number or, in those of its first font, by the
key of a typewriter (`six` is ±); cmsy, cmmi, cmr, cmex, msam and msbm are fonts of TeX (The TeXbook, appendix F), whose
order AdvMTSY, AdvP4C4E74 and others of publishers have, with names of Latin 1 for what they add; Symbol is the built-in
encoding of Adobe's font (ISO 32000-1, D.5). `C6` is the glyph at code 6.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

UNKNOWN = "\ufffd"
FAMILIES = (
    (re.compile(rb"Mathematical(?:#20|-)?Pi|UniversalGreek", re.IGNORECASE), "MathematicalPi"),
    (re.compile(rb"AdvP4C4E74|AdvP40271B|AdvMT_?SY|AdvMacMthSy|LucidaMath-Symbol"), "cmsy"),
    (re.compile(rb"AdvMTMI|AdvP4C4E51"), "cmmi"),
    (re.compile(rb"AdvMTMR"), "cmr"),
    (re.compile(rb"AdvMTEX|AdvP4C4E46"), "cmex"),
    (re.compile(rb"AdvPSSym|EuclidSymbol"), "Symbol"),
)
"""Names of fonts, and what the table calls them."""
MOST_FONTS = 400
MOST_INFLATED = 16 << 20
"""Bytes of one stream of objects."""
FONT_BYTES = 4000
"""Of the dictionary of a font, among which its name is looked for."""
LATIN = {"onequarter": 188, "onehalf": 189, "Thorn": 222, "aacute": 225, "eth": 240, "thorn": 254}
"""Names of the table that a font without /Differences has at their places in Latin 1."""
_STREAM = re.compile(rb"\bstream\r?\n")
_BASE_FONT = re.compile(rb"/BaseFont\s*/([^\s/<>\[\]()]+)")
DRAWN = "−√∞≈≠≤≥◊∂∑∏∫"
"""Signs from U+2190 on that every font has which PDFium takes for one that is not in the file."""
_FILE = re.compile(r"/FontFile\d?$")
_NUMBERED = re.compile(r"[A-Za-z]{1,2}\d+")
_KEY = re.compile(
    r"[A-Za-z]|zero|four|seven|eight|nine|slash|equal|semicolon|colon|hyphen|numbersign|percent|at"
)
"""Names of glyphs by the keys of a typewriter, whose letters and digits they are not."""
_BLOCKS = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_HEX = re.compile(rb"<\s*([0-9A-Fa-f]+)\s*>")
_BLOCK = 100
"""Lines of one block of a map (Adobe technical note 5411)."""

Font = tuple[int, int, Any, dict[int, str]]
"""Its object's number and generation, its dictionary, and the text of each of its codes."""


def with_unicode(content: bytes) -> bytes:
    """Return a PDF in which the known fonts of signs say what their glyphs are; the same one where it has none.

    A file that cannot be read so, such as one whose objects are encrypted, is returned as it is.
    """
    if not any(_family(name) for piece in _pieces(content) for name in set(_BASE_FONT.findall(piece))):
        return content
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(BytesIO(content))
        fonts = [] if reader.is_encrypted else list(islice(_fonts(content, reader), MOST_FONTS))
        return content + _update(content, reader, fonts) if fonts else content
    except (PyPdfError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return content


def _family(names: bytes) -> str:
    """Return what the table calls a family of fonts that is named there, else nothing."""
    return next((family for pattern, family in FAMILIES if pattern.search(names)), "")


def _pieces(content: bytes) -> Iterator[bytes]:
    """Give the file, and its streams of objects inflated."""
    yield content
    for found in re.finditer(rb"/ObjStm\b", content):
        start = _STREAM.search(content, found.end(), found.end() + FONT_BYTES)
        if start is not None:
            with suppress(zlib.error):
                yield zlib.decompressobj().decompress(memoryview(content)[start.end() :], MOST_INFLATED)


def _fonts(content: bytes, reader: Any) -> Iterator[Font]:
    """Give each font of which the table corrects a code."""
    from pypdf.generic import DictionaryObject, IndirectObject

    places = [
        (number, generation)
        for generation, numbers in reader.xref.items()
        for number, at in numbers.items()
        if _family(content[at : at + FONT_BYTES])
    ]
    for number, generation in [*places, *((each, 0) for each in reader.xref_objStm)]:
        font = reader.get_object(IndirectObject(number, generation, reader))
        if not isinstance(font, DictionaryObject) or font.get("/Type") != "/Font":
            continue
        family = _family(str(font.get("/BaseFont", "")).encode())
        if family and "/DescendantFonts" not in font and (texts := _texts(font, family)):
            yield number, generation, font, texts


UNSTATED = (
    (re.compile(r"^(?:[A-Z]{6}\+)?(?:CMSY|CMBSY|MTSY)"), "cmsy"),
    (re.compile(r"^(?:[A-Z]{6}\+)?(?:CMEX|MTEX)"), "cmex"),
    (re.compile(r"^(?:[A-Z]{6}\+)?MSAM"), "msam"),
    (re.compile(r"^(?:[A-Z]{6}\+)?MSBM"), "msbm"),
    (re.compile(r"^(?:[A-Z]{6}\+)?Symbol"), "Symbol"),
)
"""Fonts that state no encoding; of a glyph whose name PDFium does not know it gives the code."""
PICTURES = re.compile(r"Wingdings|Webdings|Dingbats|Sorts|Marlett|MT.?Extra", re.IGNORECASE)
"""Fonts of pictures, whose private codes are none of Symbol's."""
PRIVATE = 0xF000
"""Windows gives the codes of a font of symbols from here on (OpenType specification, cmap, platform 3, encoding 0)."""


def signs_of(font: str) -> dict[int, str] | None:
    """Return what the codes of a font of signs are, None where it is none."""
    family = next((family for pattern, family in UNSTATED if pattern.search(font)), None)
    return _by_code(family) if family else None


def private_sign(font: str, code: int) -> str:
    """Return what a private code is that a font of symbols has, as in files of Word; empty where that is not known."""
    return "" if PICTURES.search(font) else (_by_code("Symbol") | {0x20: " "}).get(code - PRIVATE, "")


@cache
def _by_code(family: str) -> dict[int, str]:
    return {int(name[1:]): sign for name, sign in _table()[family].items() if name[1:].isdigit()}


def _texts(font: Any, family: str) -> dict[int, str]:
    """Return what the codes of a font are: by the table, else by the map that it has; nothing where that says all."""
    known, names = _table()[family], _names(font, family)
    is_keyed = family == "MathematicalPi" and "One" in str(font.get("/BaseFont", ""))
    known = known | _table()["MathematicalPi-One"] if is_keyed else known
    written = font["/ToUnicode"].get_data() if "/ToUnicode" in font else b""
    texts = mapped = _mapped(written)
    texts = texts | {code: known[name] for code, name in names.items() if name in known}
    for code, name in names.items():
        if name in known:
            continue
        if _NUMBERED.fullmatch(name) and not texts.get(code, "").strip().isprintable():
            texts[code] = UNKNOWN
        elif _NUMBERED.fullmatch(name):
            texts.setdefault(code, UNKNOWN)
        elif is_keyed and _KEY.fullmatch(name):
            texts[code] = UNKNOWN
    return texts if texts != mapped else {}


def _names(font: Any, family: str) -> dict[int, str]:
    """Return the names of a font's codes, as far as its /Differences or the table's Latin names tell them.

    In a font of signs a letter is the sign at its place: `h` of cmsy is ⟨.
    """
    names = {code: name for name, code in LATIN.items()}
    if "/Encoding" not in font or not hasattr(encoding := font["/Encoding"], "get"):
        return names
    code = 0
    for each in encoding.get("/Differences", ()):
        if isinstance(each, str):
            name = re.sub(r"^c(?=\d)", "C", each.removeprefix("/"))
            names[code] = f"C{code}" if family in ("cmsy", "cmex") and 0x20 < code < 0x7F else name
            code += 1
        else:
            code = int(each)
    return names


def _mapped(written: bytes) -> dict[int, str]:
    """Return what a map to Unicode says of codes of one byte."""
    texts: dict[int, str] = {}
    for kind, block in _BLOCKS.findall(written):
        numbers = iter(_HEX.findall(block))
        for first in numbers:
            last = first if kind == b"char" else next(numbers, first)
            text = bytes.fromhex(next(numbers, b"").decode()).decode("utf-16-be", "replace")
            for step in range(min(int(last, 16), 255) - int(first, 16) + 1):
                texts[int(first, 16) + step] = text[:-1] + chr(ord(text[-1]) + step) if text else ""
    return texts


def _update(content: bytes, reader: Any, fonts: list[Font]) -> bytes:
    """Return what stands behind a file to give its fonts maps: their objects, and a table that finds them."""
    from pypdf.generic import IndirectObject, NameObject

    before = int(content[content.rindex(b"startxref") + 9 :].split(maxsplit=1)[0])
    size = int(reader.trailer["/Size"])
    written, places = BytesIO(), {}

    def write(number: int, generation: int, body: bytes) -> None:
        places[number] = (len(content) + written.tell(), generation)
        written.write(b"%d %d obj\n%b\nendobj\n" % (number, generation, body))

    written.write(b"\n")
    for number, generation, font, texts in fonts:
        drawn = _map_of(texts)
        write(size, 0, b"<</Length %d>>\nstream\n%b\nendstream" % (len(drawn), drawn))
        font[NameObject("/ToUnicode")] = IndirectObject(size, 0, reader)
        if "/FontDescriptor" not in font or not any(_FILE.match(each) for each in font["/FontDescriptor"]):
            font[NameObject("/Encoding")] = _drawable(texts)
        body = BytesIO()
        font.write_to_stream(body)
        write(number, generation, body.getvalue())
        size += 1
    start = len(content) + written.tell()
    root = reader.trailer.raw_get("/Root")
    keys = b"/Root %d %d R /Prev %d" % (root.idnum, root.generation, before)
    if content[before : before + 4] == b"xref":
        lines = [b"%d 1\n%010d %05d n \n" % (each, *place) for each, place in sorted(places.items())]
        written.write(b"xref\n%btrailer\n<</Size %d %b>>\n" % (b"".join(lines), size, keys))
    else:
        places[size] = (start, 0)
        rows = [b"\x01" + at.to_bytes(5) + age.to_bytes(2) for _, (at, age) in sorted(places.items())]
        index = b" ".join(b"%d 1" % each for each in sorted(places))
        about = b"/Type/XRef/W[1 5 2]/Index[%b]/Size %d %b" % (index, size + 1, keys)
        written.write(b"%d 0 obj\n<<%b/Length %d>>\nstream\n" % (size, about, 8 * len(rows)))
        written.write(b"".join(rows) + b"\nendstream\nendobj\n")
    written.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return written.getvalue()


def _drawable(texts: dict[int, str]) -> Any:
    """Return the encoding of a font that is not in the file: PDFium leaves out what no font can draw."""
    from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject

    drawn = {
        code: "•" if text == UNKNOWN or (text[0] > "\u2190" and text[0] not in DRAWN) else text[0]
        for code, text in texts.items()
        if text
    }
    numbered = [(NumberObject(code), NameObject(f"/uni{ord(sign):04X}")) for code, sign in drawn.items()]
    differences = ArrayObject(each for pair in numbered for each in pair)
    return DictionaryObject(
        {NameObject("/Type"): NameObject("/Encoding"), NameObject("/Differences"): differences}
    )


def _map_of(texts: dict[int, str]) -> bytes:
    """Return a map to Unicode of codes of one byte."""
    lines = [
        f"<{code:02x}> <{text.encode('utf-16-be').hex()}>" for code, text in sorted(texts.items()) if text
    ]
    blocks = [lines[start : start + _BLOCK] for start in range(0, len(lines), _BLOCK)]
    drawn = "\n".join("\n".join((f"{len(block)} beginbfchar", *block, "endbfchar")) for block in blocks)
    head = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Signs def /CMapType 2 def"
    return f"{head}\n1 begincodespacerange <00> <ff> endcodespacerange\n{drawn}\nendcmap end end".encode()


@cache
def _table() -> dict[str, dict[str, str]]:
    """Return the characters of glyphs by family and name."""
    table: dict[str, dict[str, str]] = {}
    with Path(__file__).with_name("glyph_names.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            table.setdefault(row["family"], {})[row["name"]] = row["character"]
    return table
