"""What the tools read: a repository of files, be it a real folder or one that is generated.

A path is relative to the repository, with ``/`` between its parts, without ``.`` and ``..``; the empty path is the
repository itself. Everything is read through `Repository`, so what holds for a folder holds for a generated one.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from labrig.errors import LabrigError

Kind = Literal["file", "folder", "other"]
"""``other`` is what is shown and never opened: pipes, sockets, devices, links that lead out."""


UNSETTLED_NS = 2_000_000_000
"""For so long after its last change a file or folder may change again without its times showing it."""


class Version(NamedTuple):
    """A file or folder as it was seen: two that are equal are one, with one content.

    Attributes
    ----------
    size
        Bytes.
    written, changed
        When its content and when anything of it was changed last, in ns since 1970.
    """

    size: int
    written: int
    changed: int
    device: int
    inode: int


class Entry(NamedTuple):
    """One name in a folder.

    Attributes
    ----------
    link
        It is a symbolic link; `kind` is that of its target. Listings do not descend into linked folders.
    note
        Why it is ``other``.
    version
        Of a file on disk.
    """

    name: str
    kind: Kind
    link: bool = False
    note: str = ""
    version: Version | None = None


class Repository(Protocol):
    """A tree of files that can be looked at and not changed.

    Attributes
    ----------
    name
        The id that tools are given.
    about
        One line: what it is, and its version.
    """

    @property
    def name(self) -> str: ...

    @property
    def about(self) -> str: ...

    def kind(self, path: str) -> Kind | None:
        """Return what a path names; None where it names nothing."""

    def entries(self, folder: str) -> Sequence[Entry]:
        """Return what a folder holds, sorted by name (code points).

        Raises
        ------
        LabrigError
            ``not_found`` if there is no such folder, ``limit`` if it holds too much to be listed.
        """

    def size(self, path: str) -> int:
        """Return the bytes of a file; LabrigError ``not_found`` if there is none."""

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `start`, or all to its end; fewer where the file ends before.

        Raises
        ------
        LabrigError
            ``not_found`` if there is no such file, ``refused`` for what may not be opened.
        """

    def media_type(self, path: str) -> str:
        """Return the media type that a file's name stands for."""


class PathTree:
    """The folders of a repository whose paths are all known.

    Parameters
    ----------
    paths
        Every file. Folders are what is left of a ``/``.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        held: dict[str, dict[str, Kind]] = {"": {}}
        for path in paths:
            folder, _, name = path.rpartition("/")
            new = folder not in held
            held.setdefault(folder, {})[name] = "file"
            while new and folder:
                above, _, name = folder.rpartition("/")
                new = above not in held
                held.setdefault(above, {})[name] = "folder"
                folder = above
        self._held = {
            folder: [Entry(name, kind) for name, kind in sorted(names.items())]
            for folder, names in held.items()
        }

    def kind(self, path: str) -> Kind | None:
        """Return what a path names; None where it names nothing."""
        if path in self._held:
            return "folder"
        folder, _, name = path.rpartition("/")
        siblings = self._held.get(folder, [])
        place = bisect.bisect_left(siblings, name, key=lambda each: each.name)
        return siblings[place].kind if place < len(siblings) and siblings[place].name == name else None

    def entries(self, folder: str) -> Sequence[Entry]:
        """Return what a folder holds, sorted by name; LabrigError ``not_found`` if there is no such folder."""
        if folder not in self._held:
            raise LabrigError(
                "There is no such folder", where=folder, try_="list_directory", code="not_found"
            )
        return self._held[folder]
