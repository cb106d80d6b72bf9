"""Lines of a file that is too large for the memory, counted from 1 and read in pieces: UTF-8, other bytes replaced."""

from __future__ import annotations

from labrig.tools.sources import Source

PIECE = 1 << 20
_CHARACTER_BYTES = 4


def count_lines(source: Source) -> int:
    """Return how many lines a file has; one without a line end at its end counts."""
    count, last, start = 0, b"", 0
    while piece := source.read("", start, PIECE):
        count += piece.count(b"\n")
        last, start = piece[-1:], start + len(piece)
    return count + (last not in (b"", b"\n"))


def lines(source: Source, first: int, last: int | None, most: int) -> str:
    """Return the lines `first` to `last` (None: all that follow) joined by line feeds, at most `most` characters."""
    start = _start_of(source, first)
    kept = source.read("", start, most * _CHARACTER_BYTES)
    if last is not None:
        kept = b"\n".join(kept.split(b"\n", last - first + 1)[: last - first + 1])
    return kept.decode("utf-8", "replace").removesuffix("\n")[:most]


def last_lines(source: Source, count: int, most: int) -> str:
    """Return the last lines of a file, at most `most` characters of them."""
    size = source.size()
    kept = source.read("", max(0, size - most * _CHARACTER_BYTES), most * _CHARACTER_BYTES).removesuffix(
        b"\n"
    )
    return b"\n".join(kept.split(b"\n")[-count:]).decode("utf-8", "replace")[-most:]


def _start_of(source: Source, line: int) -> int:
    """Return where a line begins, the end of the file if it has fewer."""
    missing, start = line - 1, 0
    while missing > 0 and (piece := source.read("", start, PIECE)):
        found = piece.count(b"\n")
        if found >= missing:
            place = -1
            for _ in range(missing):
                place = piece.index(b"\n", place + 1)
            return start + place + 1
        missing, start = missing - found, start + len(piece)
    return start
