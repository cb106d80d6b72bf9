"""The printed characters of a page, with baseline, size and box, as PDFium has them.

A page has thousands, so they are columns and not objects, and PDFium is asked in loops that run outside of Python:
that is what makes marked-up text some times as fast as other readers' plain text.
"""

from __future__ import annotations

from collections import deque
from ctypes import CFUNCTYPE, c_double, c_int, c_uint, c_void_p, cast
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 200_000
"""Glyphs of one page; no page that a person can read has more."""
BOLD = 600
"""Of the weights of faces, 100 to 900."""
SIDE_BY_SIDE = 50
"""Of so many characters one is asked for by itself, to see that a text has each at its place."""
_FOLDED = {"\x02": "-", "\u00ad": "-", "\ufffe": "-", "\u2010": "-", "\u2011": "-"}
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}


@dataclass(slots=True)
class Glyphs:
    """The glyphs of a page in the order of the file, as columns.

    Attributes
    ----------
    texts
        Mostly one character each; a ligature has several, a letter with an accent is one.
    boxes
        Left, bottom, right and top, in points; a row for each.
    x, y
        Origins on the baseline, in points; of upright text `x` is exact where a piece of the file begins.
    sizes
        Of the font as printed, in points.
    spaces
        White space stands before it: ``" "`` real, ``"?"`` guessed by PDFium, empty none.
    unknown
        How many characters no font could name.
    """

    texts: list[str]
    boxes: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    sizes: NDArray[np.float64]
    bold: NDArray[np.bool_]
    upright: NDArray[np.bool_]
    spaces: list[str]
    unknown: int

    def __len__(self) -> int:
        return len(self.texts)


class _Texts(dict[int, str]):
    """What a code of PDFium is in a text; empty for what is left out, a space for white space."""

    def __missing__(self, code: int) -> str:
        if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            text = ""
        else:
            text = normalize("NFC", chr(code))  # the ohm and ångström signs are letters
            text = " " if text.isspace() else _FOLDED.get(text, _LIGATURES.get(text, text))
        self[code] = text
        return text


_TEXTS = _Texts()


@cache
def _functions() -> dict[str, Any]:
    """Return the functions of PDFium that are asked for each glyph or piece, taking addresses as plain numbers."""
    import pypdfium2.raw as raw

    place = (c_void_p, c_int)
    kinds: dict[str, tuple[Any, ...]] = {
        "GetUnicode": (c_uint, *place),
        "GetTextObject": (c_void_p, *place),
        "GetCharBox": (c_int, *place, *4 * (c_void_p,)),
        "GetCharOrigin": (c_int, *place, *2 * (c_void_p,)),
        "GetMatrix": (c_int, *place, c_void_p),
        "GetFontSize": (c_double, *place),
        "GetFontWeight": (c_int, *place),
        "IsGenerated": (c_int, *place),
    }
    return {
        name: CFUNCTYPE(*kind)(cast(getattr(raw, f"FPDFText_{name}"), c_void_p).value or 0)
        for name, kind in kinds.items()
    }


def glyphs_of(textpage: Any) -> Glyphs:
    """Return the glyphs of a page.

    Parameters
    ----------
    textpage
        A ``PdfTextPage`` of pypdfium2.
    """
    import numpy as np

    functions, count = _functions(), min(textpage.count_chars(), MOST)
    address = cast(textpage.raw, c_void_p).value or 0
    codes = _codes(textpage, count, address)
    kinds = _kinds()[np.minimum(codes, ASTRAL)]
    white, chosen = np.flatnonzero(kinds == WHITE), np.flatnonzero(kinds & GLYPH)
    unknown = int(np.count_nonzero(kinds & UNNAMED))
    real = np.zeros(count + 1, int)
    generated = map(functions["IsGenerated"], repeat(address), white.tolist())
    real[white] = 1 - np.fromiter(generated, int, len(white))
    real, any_white = np.cumsum(real), np.cumsum(kinds == WHITE)
    before = np.concatenate(([-1], chosen[:-1])) if len(chosen) else chosen
    has_real = real[chosen] > np.where(before < 0, 0, real[before])
    has_white = any_white[chosen] > np.where(before < 0, 0, any_white[before])
    spaces: list[str] = np.where(has_real, " ", np.where(has_white, "?", "")).tolist()
    kept: list[int] = chosen.tolist()
    # PDFium writes left, right, bottom and top; where it knows no box the row stays infinite.
    rows = np.full((len(kept), 4), np.inf)
    first, last = rows.ctypes.data, rows.ctypes.data + rows.nbytes
    places = (range(first + shift, last + shift, 32) for shift in (0, 16, 8, 24))  # left, right, bottom, top
    deque(map(functions["GetCharBox"], repeat(address), kept, *places), maxlen=0)
    if not np.isfinite(rows).all():
        finite = np.isfinite(rows).all(axis=1)
        rows, good = rows[finite], finite.tolist()
        kept = [each for each, right in zip(kept, good, strict=True) if right]
        chosen = chosen[finite]
        spaces = [each for each, right in zip(spaces, good, strict=True) if right]
    x, y, sizes, bold, upright = _of_pieces(functions, address, kept)
    texts = list(map(_TEXTS.__getitem__, codes[chosen].tolist()))
    return Glyphs(texts, rows, x, y, sizes, bold, upright, spaces, unknown)


def warm() -> None:
    """Build what the first page would build."""
    _functions()
    _kinds()


def _codes(textpage: Any, count: int, address: int) -> NDArray[np.uint32]:
    """Return the code of each character: from the text at once, where the two go side by side."""
    import numpy as np

    unicode, text = _functions()["GetUnicode"], textpage.get_text_range(0, count) if count else ""
    if len(text) == count:
        tried = range(0, count, SIDE_BY_SIDE)
        if all(_TEXTS[unicode(address, each)] == _TEXTS[ord(text[each])] for each in tried):
            return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.fromiter(map(unicode, repeat(address), range(count)), np.uint32, count)


WHITE, GLYPH, UNNAMED = 1, 2, 4
ASTRAL = 0x10000
"""Codes from here on are glyphs, all of them."""


@cache
def _kinds() -> NDArray[np.uint8]:
    """Return what each code is: `WHITE`, `GLYPH`, and whether no font named it (`UNNAMED`)."""
    import numpy as np

    kinds = np.zeros(ASTRAL + 1, np.uint8)
    for code in range(ASTRAL):
        text = _TEXTS[code]
        kinds[code] = WHITE if text == " " else GLYPH if text else 0
    kinds[ASTRAL] = GLYPH
    kinds[[0, 0xFFFD]] |= UNNAMED
    kinds[0xE000:0xF900] |= UNNAMED
    return kinds


def _of_pieces(functions: dict[str, Any], address: int, kept: list[int]) -> tuple[Any, ...]:
    """Return origin, size, weight and whether it is upright of each glyph, asked once for each piece of the file."""
    import numpy as np

    count = len(kept)
    pieces = np.array(
        list(map(functions["GetTextObject"], repeat(address), kept)), dtype=np.float64
    )  # None is NaN
    new = np.ones(count, bool)
    new[1:] = pieces[1:] != pieces[:-1]
    starts = np.flatnonzero(new)
    origins, matrices = np.zeros((count, 2)), np.zeros((len(starts), 6), dtype=np.float32)
    heads = [kept[each] for each in starts.tolist()]
    at, end = matrices.ctypes.data, matrices.ctypes.data + matrices.nbytes
    got = np.fromiter(
        map(functions["GetMatrix"], repeat(address), heads, range(at, end, 24)), bool, len(heads)
    )
    sizes = np.fromiter(map(functions["GetFontSize"], repeat(address), heads), float, len(heads))
    weights = np.fromiter(map(functions["GetFontWeight"], repeat(address), heads), float, len(heads))
    a, b, c, d = (matrices[:, column].astype(float) for column in range(4))
    sizes = np.abs(np.where(got, sizes * np.hypot(c, d), sizes))
    sizes[sizes == 0] = 1.0
    upright = ~got | (np.abs(b) <= 0.2 * np.abs(a))
    lengths = np.diff([*starts.tolist(), count])
    each_upright = np.repeat(upright, lengths)
    asked = np.flatnonzero(new | ~each_upright)  # of turned text each glyph has a baseline of its own
    at = origins.ctypes.data
    places = (at + 16 * asked).tolist()
    deque(
        map(
            functions["GetCharOrigin"],
            repeat(address),
            [kept[each] for each in asked.tolist()],
            places,
            [each + 8 for each in places],
        ),
        maxlen=0,
    )
    of = np.zeros(count, int)
    of[asked] = asked
    of = np.maximum.accumulate(of)
    x, y = origins[of, 0], origins[of, 1]
    return x, y, np.repeat(sizes, lengths), np.repeat(weights >= BOLD, lengths), each_upright
