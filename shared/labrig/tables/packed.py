"""Files that gzip, bzip2 or xz has made smaller, as the files that they hold."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from typing import Any

from labrig.errors import LabrigError
from labrig.media_types import media_type_of
from labrig.tables.window import Window
from labrig.tools.reading import Files

MOST_BYTES = 32 << 20
"""What is unpacked of a file: twice what is looked at of a text, so that a text beyond it is known to go on."""
MOST_READ_BYTES = 64 << 20

_PACKERS: dict[bytes, tuple[str, str, Callable[[Any], Any]]] = {
    b"\x1f\x8b": ("gzip", ".gz", lambda file: gzip.GzipFile(fileobj=file)),
    b"BZh": ("bzip2", ".bz2", bz2.BZ2File),
    b"\xfd7zXZ": ("xz", ".xz", lzma.LZMAFile),
}
"""How such files begin, and what unpacks them."""


class Unpacked:
    """`Files` of which every path is the one file that was unpacked."""

    def __init__(self, content: bytes, cut: bool) -> None:
        self._content = content
        self.cut = cut

    def size(self, path: str) -> int:
        """Return the bytes that were unpacked."""
        return len(self._content)

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes from `start`, or all to the end."""
        return self._content[start : None if size is None else start + size]

    def media_type(self, path: str) -> str:
        """Return the media type that a name stands for."""
        return media_type_of(path)


def packer(beginning: bytes) -> str:
    """Return the name of what packed a file, by its first bytes; empty for none."""
    return next((name for mark, (name, _, _) in _PACKERS.items() if beginning.startswith(mark)), "")


def unpack(files: Files, path: str) -> tuple[Unpacked, str]:
    """Return the file that a packed one holds, cut at `MOST_BYTES`, and its name.

    Raises
    ------
    LabrigError
        ``bad_input`` for one that is damaged, or holds another packed one.
    """
    beginning = files.read(path, 0, 8)
    mark = next(mark for mark in _PACKERS if beginning.startswith(mark))
    name, ending, opens = _PACKERS[mark]
    try:
        with opens(Window(files, path, MOST_READ_BYTES)) as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise LabrigError(f"The {name} file is damaged: {error}", where=path) from error
    if packer(content):
        raise LabrigError(f"The {name} file holds another packed file", where=path, try_="run_python_code")
    held = Unpacked(content[:MOST_BYTES], len(content) > MOST_BYTES)
    return held, path[: -len(ending)] if path.lower().endswith(ending) else path
