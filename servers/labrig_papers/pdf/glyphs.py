"""The printed characters of a page, with baseline, size and box, as PDFium has them.

A page has thousands, so they are columns and not objects, and PDFium is asked in loops that run outside of Python:
that is what makes marked-up text some times as fast as other readers' plain text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ctypes import (
    CFUNCTYPE,
    byref,
    c_double,
    c_int,
    c_size_t,
    c_uint,
    c_void_p,
    cast,
    create_string_buffer,
)
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from labrig_papers.pdf.encodings import PRIVATE, UNKNOWN, private_sign, signs_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 200_000
"""Glyphs of one page; no page that a person can read has more."""
BOLD = 600
"""Of the weights of faces, 100 to 900."""
SLANTED = -1
"""Direction of print that is neither upright nor turned by right angles."""
LONGEST_NAME = 200
"""Bytes of the name of a font."""
SIDE_BY_SIDE = 50
"""Of so many characters one is asked for by itself, to see that a text has each at its place."""
CONTROLS = (*range(1, 2), *range(3, 9), *range(14, 32), *range(127, 160))
"""Codes that print nothing: a font drew a glyph that it does not name. 2 is PDFium's hyphen at the end of a line."""
HYPHEN = 2
_PIECES = "‾⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭"
"""What Adobe's private codes from U+F8E5 on are in Unicode (its symbol.txt): parts of brackets and others."""
_FOLDED = dict(zip(map(chr, range(0xF8E5, 0xF8FF)), _PIECES, strict=True)) | {
    "\x02": "-",
    "\u00ad": "-",
    "\ufffe": "-",
    "\u2010": "-",
    "\u2011": "-",
}
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
    turns
        Direction of the print against the clock: 0 upright, 90 upwards, 180, 270, or `SLANTED`.
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
    turns: NDArray[np.int16]
    spaces: list[str]
    unknown: int

    def __len__(self) -> int:
        return len(self.texts)


class _Texts(dict[int, str]):
    """What a code of PDFium is in a text; empty for what is left out, a space for white space."""

    def __missing__(self, code: int) -> str:
        if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            text = ""
        elif code in CONTROLS:
            text = UNKNOWN
        else:
            text = normalize("NFC", chr(code))  # the ohm and ångström signs are letters
            text = " " if text.isspace() else _FOLDED.get(text, _LIGATURES.get(text, text))
        self[code] = text
        return text


_TEXTS = _Texts()


_RESULTS: dict[str, Any] = {
    "GetUnicode": c_uint, "GetTextObject": c_size_t, "GetCharBox": c_int, "GetCharOrigin": c_int, "GetMatrix": c_int,
    "GetFontSize": c_double, "IsGenerated": c_int, "HasUnicodeMapError": c_int,
}  # fmt: skip


@cache
def _functions() -> dict[str, Any]:
    """Return the functions of PDFium that are asked for each glyph or piece.

    They are told no types of arguments, since ctypes would then make each argument anew: that takes longer than the
    answer. They are called with the page and `_places` as finished arguments, and with plain numbers.
    """
    import pypdfium2.raw as raw

    named = {name: getattr(raw, f"FPDFText_{name}") for name in _RESULTS}
    named["GetFont"] = raw.FPDFTextObj_GetFont
    return {
        name: CFUNCTYPE(_RESULTS.get(name, c_size_t))(cast(function, c_void_p).value or 0)
        for name, function in named.items()
    }


ROWS = 4096
"""Answers of PDFium that are written before they are read; a page of print has about as many glyphs."""


@cache
def _places() -> tuple[Any, tuple[list[Any], ...]]:
    """Return room for `ROWS` rows of four numbers, and for each column the arguments that point to its numbers."""
    room = (c_double * (4 * ROWS))()
    arguments = [byref(room, 8 * each) for each in range(4 * ROWS)]
    return room, tuple(arguments[column::4] for column in range(4))


def _written(
    function: str, page: Any, numbers: Sequence[int], columns: Sequence[int]
) -> tuple[list[int], NDArray[np.float64]]:
    """Return what a function says for each glyph, and the row that it wrote: numbers to these columns.

    Where nothing is written a row is infinite. PDFium answers one thread at a time, and so does this.
    """
    import numpy as np

    room, arguments = _places()
    view = np.frombuffer(room).reshape(ROWS, 4)
    said: list[int] = []
    rows = np.empty((len(numbers), 4))
    for start in range(0, len(numbers), ROWS):
        some = numbers[start : start + ROWS]
        view[: len(some)] = np.inf
        said += map(_functions()[function], repeat(page), some, *(arguments[each] for each in columns))
        rows[start : start + len(some)] = view[: len(some)]
    return said, rows


def glyphs_of(textpage: Any) -> Glyphs:
    """Return the glyphs of a page.

    Parameters
    ----------
    textpage
        A ``PdfTextPage`` of pypdfium2.
    """
    import numpy as np

    functions, count = _functions(), min(textpage.count_chars(), MOST)
    page = c_void_p.from_param(cast(textpage.raw, c_void_p).value)
    codes = _without_names(_codes(textpage, count, page), page)
    kinds = _kinds()[np.minimum(codes, ASTRAL)]
    white, chosen = np.flatnonzero(kinds == WHITE), np.flatnonzero(kinds & GLYPH)
    unknown = int(np.count_nonzero(kinds & UNNAMED))
    real = np.zeros(count + 1, int)
    generated = map(functions["IsGenerated"], repeat(page), white.tolist())
    real[white] = 1 - np.fromiter(generated, int, len(white))
    real, any_white = np.cumsum(real), np.cumsum(kinds == WHITE)
    before = np.concatenate(([-1], chosen[:-1])) if len(chosen) else chosen
    has_real = real[chosen] > np.where(before < 0, 0, real[before])
    has_white = any_white[chosen] > np.where(before < 0, 0, any_white[before])
    spaces: list[str] = np.where(has_real, " ", np.where(has_white, "?", "")).tolist()
    kept: list[int] = chosen.tolist()
    _, rows = _written("GetCharBox", page, kept, (0, 2, 1, 3))  # left, right, bottom, top
    if not np.isfinite(rows).all():
        finite = np.asarray(np.isfinite(rows).all(axis=1))
        rows = rows[finite]
        good: list[bool] = finite.tolist()
        kept = [each for each, right in zip(kept, good, strict=True) if right]
        chosen = chosen[finite]
        spaces = [each for each, right in zip(spaces, good, strict=True) if right]
    whole = chosen[1:] - chosen[:-1] - 1 == real[chosen[1:]] - real[chosen[:-1]]
    if (kinds & TURNS).any():
        whole[:] = False
    x, y, sizes, bold, turns, fonts = _of_pieces(page, kept, whole)
    texts = _texts_of(codes[chosen], kinds[chosen])
    unknown += _name_signs(page, texts, codes[chosen], kept, fonts)
    unknown -= _name_ligatures(texts, codes[chosen], spaces, fonts)
    return overprinted(Glyphs(texts, rows, x, y, sizes, bold, turns, spaces, unknown))


def _name_signs(
    page: Any, texts: list[str], codes: NDArray[np.uint32], kept: list[int], fonts: NDArray[np.int64]
) -> int:
    """Name the glyphs of fonts of signs whose names PDFium does not know; return how many more are unknown."""
    import numpy as np

    nameless, unknown = _functions()["HasUnicodeMapError"], 0
    for font in set(fonts.tolist()):
        signs = signs_of(_font_of(font)[0])
        for place in np.flatnonzero(fonts == font).tolist() if signs is not None else ():
            if signs is not None and nameless(page, kept[place]) == 1:
                unknown += int(codes[place]) not in signs and texts[place] != UNKNOWN
                texts[place] = signs.get(int(codes[place]), UNKNOWN)
    for place in np.flatnonzero((codes > PRIVATE) & (codes < PRIVATE + 0x100)).tolist():
        if sign := private_sign(_font_of(int(fonts[place]))[0], int(codes[place])):
            unknown -= 1
            texts[place] = sign
    return unknown


JOINED = {0xE00B: "ff", 0xE00C: "fi", 0xE00D: "fl", 0xE00E: "ffi", 0xE00F: "ffl"}
"""Private codes of ligatures where cairo lost their names: the places that a text font of TeX (OT1) has them at."""
_LETTERS_BESIDE = 2
"""Small letters of its font that stand beside a ligature; a Greek letter has these places in a font of mathematics.
Cairo makes two fonts of one, CairoFont-0-0 and CairoFont-0-1."""


def _name_ligatures(
    texts: list[str], codes: NDArray[np.uint32], spaces: list[str], fonts: NDArray[np.int64]
) -> int:
    """Name the ligatures within words that have private codes; return how many."""
    import numpy as np

    places: list[int] = np.flatnonzero((codes >= min(JOINED)) & (codes <= max(JOINED))).tolist()
    if not places:
        return 0
    whole = {font: re.sub(r"^[A-Z]{6}\+|-\d+$", "", _font_of(font)[0]) for font in set(fonts.tolist())}
    named = 0
    for place in places:
        beside = 0
        for step in (-1, 1):
            each = place + step
            while (
                0 <= each < len(texts)
                and whole[int(fonts[each])] == whole[int(fonts[place])]
                and texts[each].islower()
            ):
                if spaces[each if step > 0 else each + 1]:
                    break
                beside, each = beside + 1, each + step
        if beside >= _LETTERS_BESIDE:
            texts[place] = JOINED[int(codes[place])]
            named += 1
    return named


OVERPRINTED = {
    "+−": "±", "−+": "±", "+-": "±", "-+": "±", "+_": "±", "_+": "±", "+¯": "±", "<_": "≤", ">_": "≥", "<−": "≤",
    ">−": "≥", "\u0338=": "≠", "=\u0338": "≠", "/=": "≠", "A°": "Å", "°A": "Å", "A◦": "Å", "◦A": "Å",
    "A∘": "Å", "∘A": "Å",
}  # fmt: skip
"""What two glyphs are that a file prints one over the other."""
SAME_PLACE = 0.22
"""Distance of the middles of two such glyphs at most, in the size of the font."""


def overprinted(glyphs: Glyphs) -> Glyphs:
    """Return glyphs, of which two that are printed one over the other and are one sign have become one."""
    import numpy as np

    middles = (glyphs.boxes[:, 0] + glyphs.boxes[:, 2]) / 2
    near = np.abs(np.diff(middles)) < SAME_PLACE * glyphs.sizes[1:]
    near &= np.abs(np.diff(glyphs.y)) < glyphs.sizes[1:]
    left = np.ones(len(glyphs), bool)
    for first in np.flatnonzero(near).tolist():
        one = OVERPRINTED.get(glyphs.texts[first] + glyphs.texts[first + 1])
        if one is None or not left[first]:
            continue
        letter = first + 1 if glyphs.texts[first] in "_¯°◦∘\u0338" else first
        for each in (first, first + 1):
            glyphs.texts[each] = one
        low, high = (
            glyphs.boxes[first : first + 2, :2].min(axis=0),
            glyphs.boxes[first : first + 2, 2:].max(axis=0),
        )
        glyphs.boxes[letter] = (*low, *high)
        glyphs.spaces[letter] = glyphs.spaces[first]
        left[2 * first + 1 - letter] = False
    if left.all():
        return glyphs
    kept = np.flatnonzero(left).tolist()
    return Glyphs(
        [glyphs.texts[each] for each in kept], glyphs.boxes[kept], glyphs.x[kept], glyphs.y[kept], glyphs.sizes[kept],
        glyphs.bold[kept], glyphs.turns[kept], [glyphs.spaces[each] for each in kept], glyphs.unknown,
    )  # fmt: skip


def _texts_of(codes: NDArray[np.uint32], kinds: NDArray[np.uint8]) -> list[str]:
    """Return the text of each glyph; most are the character of their code."""
    import numpy as np

    texts = list(codes.tobytes().decode("utf-32-le", "surrogatepass"))
    for place in np.flatnonzero(kinds & OTHERWISE).tolist():
        texts[place] = _TEXTS[int(codes[place])]
    return texts


def warm() -> None:
    """Build what the first page would build."""
    _functions()
    _places()
    _kinds()


def _codes(textpage: Any, count: int, page: Any) -> NDArray[np.uint32]:
    """Return the code of each character: from the text at once, where the two go side by side."""
    import numpy as np

    unicode, text = _functions()["GetUnicode"], textpage.get_text_range(0, count) if count else ""
    if len(text) == count:
        tried = range(0, count, SIDE_BY_SIDE)
        if all(_TEXTS[unicode(page, each)] == _TEXTS[ord(text[each])] for each in tried):
            return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.fromiter(map(unicode, repeat(page), range(count)), np.uint32, count)


def _without_names(codes: NDArray[np.uint32], page: Any) -> NDArray[np.uint32]:
    """Return the codes; what looks like PDFium's hyphen, and is a glyph that a font does not name, is `UNKNOWN`."""
    import numpy as np

    nameless = _functions()["HasUnicodeMapError"]
    found = [each for each in np.flatnonzero(codes == HYPHEN).tolist() if nameless(page, each) == 1]
    if found:
        codes = codes.copy()
        codes[found] = ord(UNKNOWN)
    return codes


WHITE, GLYPH, UNNAMED, OTHERWISE, TURNS = 1, 2, 4, 8, 16
RIGHT_TO_LEFT = ((0x590, 0x900), (0xFB1D, 0xFE00), (0xFE70, 0xFF00))
"""Ranges of codes whose writing goes from right to left (Unicode Standard, tables of bidirectional classes)."""
ASTRAL = 0x10000
"""Codes from here on are glyphs, all of them."""


@cache
def _kinds() -> NDArray[np.uint8]:
    """Return what each code is: `WHITE`, `GLYPH`; whether no font named it (`UNNAMED`), its text is another character
    (`OTHERWISE`), and PDFium may have moved what stands beside it (`TURNS`)."""
    import numpy as np

    kinds = np.zeros(ASTRAL + 1, np.uint8)
    for code in range(ASTRAL):
        text = _TEXTS[code]
        kinds[code] = WHITE if text == " " else GLYPH if text else 0
        kinds[code] |= OTHERWISE if text not in (" ", chr(code)) else 0
    kinds[ASTRAL] = GLYPH | OTHERWISE | TURNS
    for first, last in RIGHT_TO_LEFT:
        kinds[first:last] |= TURNS
    kinds[[0, 0xFFFD, *CONTROLS]] |= UNNAMED
    kinds[0xE000:0xF8E5] |= UNNAMED
    return kinds


def _pieces(page: Any, kept: list[int], whole: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the piece of the file that each glyph is of, as PDFium's address; 0 where it has none.

    A piece is drawn at once. Where the first and the last glyph of a word or line are of one piece, those between are.
    """
    import numpy as np

    piece_of = _functions()["GetTextObject"]

    def asked(places: NDArray[np.int64]) -> NDArray[np.int64]:
        numbers = [kept[each] for each in places.tolist()]
        return np.fromiter(map(piece_of, repeat(page), numbers), np.int64, len(numbers))

    firsts = np.concatenate(([0], np.flatnonzero(~whole) + 1))
    lasts = np.append(firsts[1:], len(kept)) - 1
    more = np.flatnonzero(lasts > firsts)
    first = asked(firsts)
    last = first.copy()
    last[more] = asked(lasts[more])
    pieces = np.repeat(first, lasts - firsts + 1)
    mixed = np.repeat((first != last) | (first == 0), lasts - firsts + 1)
    mixed[firsts] = False
    mixed[lasts] = False
    pieces[lasts] = last
    inner = np.flatnonzero(mixed)
    pieces[inner] = asked(inner)
    return pieces


def _of_pieces(page: Any, kept: list[int], whole: NDArray[np.bool_]) -> tuple[Any, ...]:
    """Return origin, size, whether it is bold, direction and font of each glyph, asked once for each piece of the file.

    `whole` tells between which glyphs nothing stands but white space of the file.
    """
    import numpy as np

    functions, count = _functions(), len(kept)
    pieces = _pieces(page, kept, whole) if count else np.zeros(0, np.int64)
    new = np.ones(count, bool)
    new[1:] = (pieces[1:] != pieces[:-1]) | (pieces[1:] == 0)
    starts = np.flatnonzero(new)
    heads = [kept[each] for each in starts.tolist()]
    said, rows = _written("GetMatrix", page, heads, (0,))  # six numbers of four bytes
    got = np.array(said, bool)
    a, b, c, d = rows.view(np.float32)[:, :4].T.astype(float)
    sizes = np.fromiter(map(functions["GetFontSize"], repeat(page), heads), float, len(heads))
    with np.errstate(invalid="ignore"):  # where there is no matrix
        sizes = np.abs(np.where(got, sizes * np.hypot(c, d), sizes))
        turns = _directions(a, b, d)
    turns[~got] = 0
    sizes[sizes == 0] = 1.0
    lengths = np.diff(np.append(starts, count))
    each_turn = np.repeat(turns, lengths)
    asked = np.flatnonzero(new | (each_turn != 0))  # of turned text each glyph has a baseline of its own
    said, rows = _written("GetCharOrigin", page, [kept[each] for each in asked.tolist()], (0, 1))
    rows[~np.array(said, bool)] = 0.0
    of = np.zeros(count, int)
    of[asked] = np.arange(len(asked))
    x, y = rows[np.maximum.accumulate(of), :2].T
    fonts = _fonts_of(pieces[starts].tolist())
    known = {each: _font_of(each)[1] for each in set(fonts)}
    bold = np.fromiter(map(known.__getitem__, fonts), bool, len(fonts))
    return x, y, *(np.repeat(each, lengths) for each in (sizes, bold)), each_turn, np.repeat(fonts, lengths)


def _directions(a: NDArray[np.float64], b: NDArray[np.float64], d: NDArray[np.float64]) -> NDArray[np.int16]:
    """Return the direction of pieces by their matrices: (a, b) is where their print runs, d how it stands."""
    import numpy as np

    level, sideways = np.abs(b) <= 0.2 * np.abs(a), np.abs(a) <= 0.2 * np.abs(b)
    turns = np.full(len(a), SLANTED, np.int16)
    turns[sideways & (b > 0)] = 90
    turns[sideways & (b < 0)] = 270
    turns[level] = 0
    turns[level & (a < 0) & (d < 0)] = 180  # d > 0: seen in a mirror
    return turns


_BOLD_NAME = re.compile(r"bold|black|heavy|demi|medi\b|(?:cm|sf|ec)bx|^(?:\w{6}\+)?cmb\d", re.IGNORECASE)
"""Names of bold faces. TeX and files without embedded fonts state no weight, or that of the letters' stems."""


def _fonts_of(pieces: list[int]) -> list[int]:
    """Return the font of each piece, as PDFium's address; 0 where it has none."""
    return [_functions()["GetFont"](c_void_p.from_param(each)) if each else 0 for each in pieces]


def _font_of(font: int) -> tuple[str, bool]:
    """Return the name of a font of PDFium, and whether it is bold, by its name or its weight."""
    import pypdfium2.raw as raw

    if not font:
        return "", False
    handle, written = cast(font, raw.FPDF_FONT), create_string_buffer(LONGEST_NAME)
    raw.FPDFFont_GetBaseFontName(handle, written, LONGEST_NAME)
    name = written.value.decode("latin-1")
    return name, bool(raw.FPDFFont_GetWeight(handle) >= BOLD or _BOLD_NAME.search(name))
