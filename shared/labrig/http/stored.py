"""A body that lies in a file, too large for memory: read in pieces, each time against its hash."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from labrig.errors import LabrigError

PIECE = 1 << 20
"""Bytes that are read or written at a time."""


@dataclass(frozen=True)
class Stored:
    """One body in a file. Two are the same where size and hash are.

    Attributes
    ----------
    size
        Bytes.
    sha256
        64 hex digits.
    path
        The file.
    of
        What it answers, for errors: ``GET https://example.org/dem.tif``.
    """

    size: int
    sha256: str
    path: Path = field(compare=False)
    of: str = field(default="", compare=False)

    def pieces(self) -> Iterator[bytes]:
        """Yield the body in pieces of `PIECE`; whether it is the right one is known after the last.

        Raises
        ------
        LabrigError
            ``unavailable`` where the file is missing or is not what was written.
        """
        try:
            # Neither a link nor a pipe: a ledger may come from elsewhere.
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError as error:
            raise self._unusable("is missing") from error
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from error
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size != self.size:
                raise self._unusable(f"is not what was written: {found.st_size:,} bytes, not {self.size:,}")
            digest = hashlib.sha256()
            while piece := self._read(file):
                digest.update(piece)
                yield piece
        if digest.hexdigest() != self.sha256:
            raise self._unusable(
                f"is not what was written: sha256 {digest.hexdigest()[:12]}, not {self.sha256[:12]}"
            )

    def _read(self, file: io.FileIO) -> bytes:
        try:
            return file.read(PIECE) or b""
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from error

    def read(self) -> bytes:
        """Return the whole body."""
        return b"".join(self.pieces())

    def _unusable(self, what: str) -> LabrigError:
        return LabrigError(
            f"The body of {self.of or 'an exchange'} {what}",
            where=str(self.path),
            expected="the file that was written with its ledger, in the folder beside it",
            try_="copy ledger and folder together; or record it anew in the mode refresh",
            code="unavailable",
        )
