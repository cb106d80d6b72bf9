"""Large bodies of a ledger: files in the folder ``LEDGER.bodies`` beside it, each under its hash.

A file is written whole before a row names it, and gets its name inside the transaction that writes the row. Only under
that same lock are files removed that no row names, so nobody removes what another is about to name. Whoever is killed
in between leaves a file too many, never one too few; `prune` removes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from labrig.http.ledger.errors import Damaged
from labrig.http.messages import Response
from labrig.http.parts import Part, sweep
from labrig.http.stored import PIECE, Stored

LARGE = 8 << 20
"""Bytes beyond which a body is a file. Smaller ones are packed into the ledger itself, which can then be shipped alone;
SQLite has to hold a body in memory to write or read it, and takes 1 GB at most."""


class Bodies:
    """The folder of one ledger; it is made when the first file is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def stored(self, name: str, size: int, of: str) -> Stored:
        """Return a body that a row names; whether it is there is seen when it is read."""
        return Stored(size, name, self._path(name), of)

    def _path(self, name: str) -> Path:
        if not re.fullmatch(r"[0-9a-f]{64}", name):  # a ledger may come from elsewhere
            raise Damaged("the name of a body is no hash")
        return self.folder / name[:2] / name

    def part(self, response: Response) -> Part | None:
        """Return a large body of a response, copied and not yet named; None for one that belongs into the ledger."""
        if response.size <= LARGE:
            return None
        self.folder.mkdir(exist_ok=True)
        sweep(self.folder)
        part = Part(self.folder)
        try:
            for piece in response.stored.pieces() if response.stored else _pieces(response.body):
                part.write(piece)
            part.finish()
        except BaseException:
            part.discard()
            raise
        return part

    def place(self, part: Part) -> None:
        """Give a body its name. The caller holds the ledger's lock."""
        path = self._path(part.sha256)
        if path.parent.is_symlink():
            raise Damaged(f"{path.parent.name} in the folder of bodies is a link")
        path.parent.mkdir(exist_ok=True)
        part.move(path, replace=True)

    def names(self) -> Iterator[str]:
        """Yield the names of the files that are there."""
        for path in self.folder.glob("??/*"):
            # A folder that is a link leads to what others keep, perhaps of another ledger.
            if re.fullmatch(r"[0-9a-f]{64}", path.name) and not path.parent.is_symlink():
                yield path.name

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, and what gets empty. The caller holds the ledger's lock."""
        for name in names:
            path = self._path(name)
            if path.parent.is_symlink():
                continue
            path.unlink(missing_ok=True)
            with suppress(OSError):  # not the whole folder: another may be about to write into it
                path.parent.rmdir()

    def size(self) -> int:
        """Return how many bytes the files have."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())


def _pieces(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), PIECE):
        yield body[start : start + PIECE]


def beside(ledger: Path) -> Bodies:
    """Return the folder of a ledger's bodies."""
    return Bodies(ledger.with_name(f"{ledger.name}.bodies"))
