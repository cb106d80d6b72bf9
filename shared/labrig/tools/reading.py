"""A file's text, its first or last lines, or its bytes, within limits that are said.

A line ends with ``\\n``; a ``\\r`` before it stays where it is. The first and last lines are what the commands head and
tail print, each with the line end that it has in the file: ``tail=2`` of ``a\\nb\\nc\\n`` is ``b\\nc\\n``. Only what is
needed is read, so lines can be read from both ends of a file of any size.
"""

from __future__ import annotations

import base64
import codecs
import os
from dataclasses import dataclass
from typing import Protocol

from labrig.errors import LabrigError
from labrig.media_types import media_type_of


class NotText(LabrigError):
    """A file that was to be read as text is none; who has another way to read it says so in its place."""


LOOKED_AT = 8192
"""Bytes at the beginning of a file by which text is told from other things."""

MOST_LINES = 1_000_000_000
_BLOCK = 1 << 20

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}
_BINARY = (b"PK\x03\x04", b"%PDF-", b"\x89PNG", b"\x89HDF", b"PAR1", b"CDF\x01", b"CDF\x02", b"CDF\x05")
_CONTROLS = bytes((*range(1, 9), *range(14, 27), *range(28, 32), 127))
_ENOUGH_CONTROLS = 0.02


class Files(Protocol):
    """Files that are read by their paths: of a folder, of a repository, or one that was opened beforehand."""

    def size(self, path: str) -> int:
        """Return the bytes of a file; LabrigError ``not_found`` if there is none."""

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `start`, or all to its end; fewer where the file ends before."""

    def media_type(self, path: str) -> str:
        """Return the media type that a file's name stands for."""


class OpenFile:
    """`Files` of which every path is the one file that is open."""

    descriptor: int

    def size(self, path: str = "") -> int:
        """Return its bytes."""
        return os.fstat(self.descriptor).st_size

    def read(self, path: str = "", start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of it from `start`, or all to its end."""
        return read_at(self.descriptor, start, self.size() - start if size is None else size)

    def media_type(self, path: str) -> str:
        """Return the media type that a name stands for."""
        return media_type_of(path)


@dataclass(frozen=True)
class Text:
    """What was read of a text file.

    Attributes
    ----------
    text
        As the file has it: line ends are kept, a byte order mark is left out.
    encoding
        As Python names it; ``latin-1`` is what bytes are read as that are no UTF-8.
    size
        Bytes of the whole file when it was looked at.
    cut
        More was asked for than `most_bytes` allows: the last line may be incomplete, or the first one of a tail.
    replaced
        Characters that stand for bytes that the encoding does not have.
    """

    text: str
    encoding: str
    size: int
    cut: bool = False
    replaced: int = 0


def read_text_file(
    files: Files,
    path: str,
    *,
    head: object = None,
    tail: object = None,
    start_line: object = None,
    most_bytes: int,
    whole: bool = False,
) -> Text:
    """Read a text file, or its first or last lines.

    Parameters
    ----------
    path
        As the repository spells it.
    head, tail
        How many lines; not both. 0 gives none.
    start_line
        The first line that is read, from 1 on; `head` counts from it.
    most_bytes
        What is read of the file at most.
    whole
        Refuse what does not fit, in place of cutting it.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is not text, for invalid numbers of lines, and for a line beyond the last;
        ``limit`` if `whole` and there is more.
    """
    first, last = _lines("head", head), _lines("tail", tail)
    if first is not None and last is not None:
        raise LabrigError(
            "head and tail are both given", where="head, tail", expected="one of the two, or neither"
        )
    begin = _lines("start_line", start_line)
    if begin == 0 or (begin is not None and last is not None):
        raise LabrigError(
            "start_line is a line's number, the first being 1, and goes with head alone",
            where="start_line",
            expected="start_line=101, head=50 for the lines 101 to 150",
        )
    size = files.size(path)
    encoding, mark = _encoding(files, path, size)
    if begin is not None:
        mark = _start_of_line(files, path, mark, encoding, begin)
    if first == 0 or last == 0:
        return Text("", encoding, size)
    if last is not None:
        data, cut = _tail(files, path, size, mark, encoding, last, most_bytes)
    else:
        data = files.read(path, mark, most_bytes)
        cut = mark + len(data) < size
        if first is not None:
            end = _after_line(data, encoding, first)
            data, cut = (data, cut) if end is None else (data[:end], False)
        data = _whole_characters(data, encoding) if cut else data
    if cut and whole:
        raise LabrigError(
            f"The file has {size:,} bytes",
            where=path,
            expected=f"at most {most_bytes:,} bytes of text in one answer",
            try_="fewer lines, with head or tail; or read it in run_python_code",
            code="limit",
        )
    return _decoded(data, encoding, size, cut)


def read_binary_file(files: Files, path: str, *, most_bytes: int) -> tuple[str, str]:
    """Return a whole file as Base64, and its media type; LabrigError ``limit`` above `most_bytes`."""
    size = files.size(path)
    data = files.read(path, 0, most_bytes + 1)
    if len(data) > most_bytes:
        raise LabrigError(
            f"The file has {size:,} bytes",
            where=path,
            expected=f"at most {most_bytes:,} bytes",
            try_="read it in run_python_code",
            code="limit",
        )
    return base64.b64encode(data).decode("ascii"), files.media_type(path)


def read_at(descriptor: int, start: int, size: int) -> bytes:
    """Read until there is enough or the file ends, which may be before it should where somebody writes to it."""
    parts = []
    while size > 0 and (part := os.pread(descriptor, min(size, 16 << 20), start)):
        parts.append(part)
        start, size = start + len(part), size - len(part)
    return b"".join(parts)


def encoding_of(beginning: bytes) -> str | None:
    """Return the encoding of a text by its first bytes; None if it is none.

    A byte order mark decides. Without one it is UTF-8 if it can be, else Latin-1, which every byte belongs to; so it
    is text only if there is no NUL and hardly any other control character.
    """
    for mark, name in _MARKS:
        if beginning.startswith(mark):
            return name
    if beginning.startswith(_BINARY) or b"\0" in beginning:
        return None
    controls = len(beginning) - len(beginning.translate(None, _CONTROLS))
    if controls > _ENOUGH_CONTROLS * max(len(beginning), 1):
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _encoding(files: Files, path: str, size: int) -> tuple[str, int]:
    """Return the encoding of a text file, and the length of its byte order mark."""
    beginning = files.read(path, 0, LOOKED_AT)
    name = encoding_of(beginning)
    if name is None:
        raise NotText(
            f"The file is not text ({files.media_type(path)}, {size:,} bytes)",
            where=path,
            expected="a text file",
            try_="read_binary_file, in run_python_code to keep it out of the conversation; or describe_table",
        )
    mark = next((len(mark) for mark, each in _MARKS if each == name and beginning.startswith(mark)), 0)
    return ("utf-8" if name == "utf-8-sig" else name), mark


def _lines(name: str, value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_LINES:
        raise LabrigError(f"{name} cannot be {value!r}", where=name, expected="a number of lines, 0 or more")
    return value


def _tail(
    files: Files, path: str, size: int, mark: int, encoding: str, lines: int, most_bytes: int
) -> tuple[bytes, bool]:
    """Return the last lines of a file, reading back from its end, and whether there is more of them."""
    unit = _UNITS.get(encoding, 1)
    block = 64 << 10
    while True:
        start = max(mark, size - min(block, most_bytes))
        start += (mark - start) % unit
        data = files.read(path, start, size - start)
        begin = _before_lines(data, encoding, lines)
        if begin is not None:
            return data[begin:], False
        if start <= mark:
            return data, False
        if block >= most_bytes:
            return _from_whole_character(data, encoding), True
        block *= 8


def _start_of_line(files: Files, path: str, start: int, encoding: str, line: int) -> int:
    """Return where a line begins; `start` is where the first does."""
    line_end = "\n".encode(encoding)
    passed = 0
    while passed < line - 1:
        data = files.read(path, start, _BLOCK)
        end = _after_line(data, encoding, line - 1 - passed)
        if end is not None:
            return start + end
        if len(data) < _BLOCK:
            raise LabrigError(
                f"The file has {passed + _line_ends(data, line_end):,} line ends",
                where=f"start_line={line}",
                expected="the number of a line of the file",
                try_="tail for the last lines",
            )
        passed += _line_ends(data, line_end)
        start += len(data)
    return start


def _line_ends(data: bytes, line_end: bytes) -> int:
    """Count line ends on characters' boundaries."""
    if len(line_end) == 1:
        return data.count(line_end)
    return sum(data[at : at + len(line_end)] == line_end for at in range(0, len(data), len(line_end)))


def _after_line(data: bytes, encoding: str, lines: int) -> int | None:
    """Return where line number `lines` ends; None where there are fewer."""
    end = 0
    for _ in range(lines):
        found = _find(data, encoding, end)
        if found is None:
            return None
        end = found
    return end


def _find(data: bytes, encoding: str, start: int) -> int | None:
    """Return the place after the next line end, on a character's boundary."""
    line_end = "\n".encode(encoding)
    place = data.find(line_end, start)
    while place >= 0 and place % len(line_end):
        place = data.find(line_end, place + 1)
    return None if place < 0 else place + len(line_end)


def _before_lines(data: bytes, encoding: str, lines: int) -> int | None:
    """Return where the last `lines` lines begin; None where they do not all begin in `data`.

    A line end that is the last thing in the file ends its last line and begins none.
    """
    line_end = "\n".encode(encoding)
    width = len(line_end)
    place = len(data) - width if data.endswith(line_end) else len(data)
    for _ in range(lines):
        place = data.rfind(line_end, 0, max(place, 0))
        while place >= 0 and place % width:
            place = data.rfind(line_end, 0, place + width - 1)
        if place < 0:
            return None
    return place + width


def _whole_characters(data: bytes, encoding: str) -> bytes:
    """Return data without a character that was cut in two at its end."""
    unit = _UNITS.get(encoding, 1)
    if unit > 1:
        return data[: len(data) - len(data) % unit]
    for missing in range(1, 4) if encoding == "utf-8" else ():
        last = data[-missing:][:1]
        if last >= b"\xc0":  # the first byte of a character of several
            length = 2 if last < b"\xe0" else 3 if last < b"\xf0" else 4
            return data[:-missing] if length > missing else data
        if last < b"\x80":
            break
    return data


def _from_whole_character(data: bytes, encoding: str) -> bytes:
    """Return data without the rest of a character that was cut in two at its beginning."""
    start = 0
    while encoding == "utf-8" and start < min(3, len(data)) and 0x80 <= data[start] < 0xC0:
        start += 1
    return data[start:]


def _decoded(data: bytes, encoding: str, size: int, cut: bool) -> Text:
    try:
        return Text(data.decode(encoding), encoding, size, cut)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return Text(text, encoding, size, cut, text.count("\N{REPLACEMENT CHARACTER}"))
