"""What the search reads of a file, and keeps for as long as the file stays as it is.

A second search of a folder looks at its names alone: a file whose size, times and place are those of before is not
read again. A change within the clock's step would leave all of them as they were, so what changed in the last two
seconds is not kept (git's index has the same rule, under the name "racy").
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig.tables import Description
from labrig.tools.reading import Files, NotText, OpenFile, read_text_file
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.listing import Found
from labrig_repository.folder.store import UNSETTLED_NS, Repository, Version

MOST_FILE_BYTES = 8 << 20
"""Of a larger file this much is searched, and it is said."""

MOST_KEPT_BYTES = 128 << 20
_ONE_FILE_BYTES = 500
"""What is kept of a file besides its text, about."""

TABLES = (
    *(".xlsx", ".xlsm", ".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".hdf", ".he5", ".parquet", ".pq"),
    *(".tif", ".tiff", ".mat", ".dbf"),
)
"""Names of tables that are no text, whose headings, units and sheets are searched."""

_ALIKE = str.maketrans("µμ\u2212\u00a0\u2009\u202f", "uu-   ")
"""Characters that people write for each other: micro and mu for u, the minus sign, narrow spaces."""

Describe = Callable[[str], Description]


@dataclass(frozen=True)
class Contents:
    """What a file is searched by.

    Attributes
    ----------
    text
        Of a text file, or the headings of a table that is no text, one on each line.
    alike
        The same with characters that people write for each other as one, each in its place.
    headings
        The text is headings.
    skipped
        Why it was not searched, or not to its end; else empty.
    """

    text: str
    alike: str
    headings: bool = False
    skipped: str = ""


class Kept:
    """Contents of files that have not changed, the last used ones up to `MOST_KEPT_BYTES`; for several threads."""

    def __init__(self, now: Callable[[], int] = time.time_ns) -> None:
        self._now = now
        self._held: OrderedDict[tuple[str, str], tuple[Version, Contents]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def find(self, place: tuple[str, str], version: Version | None) -> Contents | None:
        """Return what is kept of a file (repository, path), if it still is this version of it."""
        with self._lock:
            held = self._held.get(place)
            if held is None or held[0] != version:
                return None
            self._held.move_to_end(place)
            return held[1]

    def keep(self, place: tuple[str, str], version: Version | None, contents: Contents) -> None:
        """Keep what was read of a file after this version of it was seen."""
        if version is None or self._now() - version.changed < UNSETTLED_NS:
            return
        with self._lock:
            self._drop(place)
            self._held[place] = version, contents
            self._bytes += _bytes(contents)
            while self._bytes > MOST_KEPT_BYTES:
                self._drop(next(iter(self._held)))

    def _drop(self, place: tuple[str, str]) -> None:
        if place in self._held:
            self._bytes -= _bytes(self._held.pop(place)[1])


def alike(text: str) -> str:
    """Return a text with characters that people write for each other as one, each in its place."""
    return text if text.isascii() else text.translate(_ALIKE)


def read_contents(repository: Repository, found: Found, describe: Describe | None) -> Contents:
    """Read what a file is searched by.

    Parameters
    ----------
    describe
        Returns the description of a table by its path; without it, tables that are no text are not searched.
    """
    path = found.path
    try:
        if isinstance(repository, Folder):
            with repository.readable(path) as descriptor:
                return _text(_Held(descriptor), path)
        return _text(repository, path)
    except NotText:
        if describe is None or not path.lower().endswith(TABLES):
            return Contents("", "", skipped="not text")
        try:
            text = "\n".join(headings(describe(path)))
        except LabrigError as error:
            return Contents("", "", skipped=f"a table that cannot be read: {error.what}"[:120])
        return Contents(text, alike(text), headings=True)
    except LabrigError as error:
        return Contents("", "", skipped="not text" if error.code == "bad_input" else error.what)


def headings(described: Description) -> list[str]:
    """Return the words of a table's description: sheets, attributes, columns with their units."""
    lines = []
    for key, value in described.about.items():
        if isinstance(value, dict):
            lines += [f"{key}: {name} = {each}" for name, each in value.items()]
        else:
            lines.append(f"{key}: {value}")
    for column in described.columns:
        name, unit = str(column.get("name", "")), str(column.get("unit", ""))
        words = [name if not unit or unit in name else f"{name} ({unit})"]
        words += [str(column[key]) for key in ("under", "long_name", "description") if column.get(key)]
        lines.append("column: " + ", ".join(words))
    return [" ".join(line.split()) for line in lines]


class _Held(OpenFile):
    """The file that is open."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor


def _text(files: Files, path: str) -> Contents:
    found = read_text_file(files, path, most_bytes=MOST_FILE_BYTES)
    said = f"searched in the first {MOST_FILE_BYTES >> 20} MiB only" if found.cut else ""
    return Contents(found.text, alike(found.text), skipped=said)


def _bytes(contents: Contents) -> int:
    once = contents.alike is contents.text
    widest = 1 if contents.text.isascii() else 4
    return _ONE_FILE_BYTES + len(contents.text) * widest * (1 if once else 2)
