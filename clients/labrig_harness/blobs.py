"""Bytes that a sample refers to by their hash: they lie in the folder ``files`` beside the samples.

A line of samples names a file of bytes by hash and size (``{"sha256": .., "size": ..}``); its content is the file
``files/<sha256>`` beside that line's file. A suite that makes samples gives the content itself, or a path.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import secrets
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from labrig.errors import LabrigError

FOLDER = "files"
PIECE = 1 << 20
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Blob:
    """Bytes, named by their hash.

    Attributes
    ----------
    source
        The content, or a file that holds it: known where the samples were made or read, and never a part of a line.
    """

    sha256: str
    size: int
    source: Path | bytes | None = field(default=None, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not _HASH.fullmatch(self.sha256):
            raise ValueError(f"sha256 is {self.sha256[:80]!r}, not 64 hexadecimal digits")
        if self.size < 0:
            raise ValueError(f"size is {self.size}")

    @classmethod
    def of(cls, content: bytes | Path) -> Blob:
        """Return the blob of some content, or of a file's."""
        digest, size = hashlib.sha256(), 0
        with _open_content(content) as file:
            while piece := file.read(PIECE):
                digest.update(piece)
                size += len(piece)
        return cls(digest.hexdigest(), size).from_source(content)

    def from_source(self, source: Path | bytes) -> Blob:
        """Return the same blob with its content at `source`."""
        found = Blob(self.sha256, self.size)
        object.__setattr__(found, "source", source)
        return found

    def plain(self) -> dict[str, str | int]:
        """Return the blob as plain data."""
        return {"sha256": self.sha256, "size": self.size}

    def read(self) -> bytes:
        """Return the content, whole; see `copy` for what can go wrong."""
        taken = io.BytesIO()
        self._pour(taken)
        return taken.getvalue()

    def check(self) -> None:
        """Read the content and keep none of it; see `copy` for what can go wrong."""
        with Path(os.devnull).open("wb") as sink:
            self._pour(sink)

    def copy(self, target: Path) -> None:
        """Write the content to a file, in pieces.

        Raises
        ------
        LabrigError
            ``not_found`` where nobody has the content, ``refused`` where what is there has another hash; `target` is
            not there then.
        """
        temporary = target.with_name(f".{secrets.token_hex(6)}")
        try:
            with temporary.open("xb") as file:
                self._pour(file)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)

    def _pour(self, sink: BinaryIO) -> None:
        if self.source is None:
            raise self._report_absence()
        digest = hashlib.sha256()
        try:
            file = _open_content(self.source)
        except OSError as error:
            raise self._report_absence() from error
        with file:
            # A pipe would be waited for, and a device has no end: samples come from others, and so do their files.
            if isinstance(self.source, Path):
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise self._report_absence()
                if found.st_size != self.size:
                    raise self._report_change()
            while piece := file.read(PIECE):
                digest.update(piece)
                sink.write(piece)
        if digest.hexdigest() != self.sha256:
            raise self._report_change()

    def _report_change(self) -> LabrigError:
        return LabrigError(
            "A file of a sample no longer has its hash",
            where=str(self.source)[:200],
            expected=f"sha256 {self.sha256}, {self.size:,} bytes",
            code="refused",
        )

    def _report_absence(self) -> LabrigError:
        return LabrigError(
            "The content of a file of a sample is not here",
            where=str(self.source or f"{FOLDER}/{self.sha256}")[:200],
            expected=f"{self.size:,} bytes with that hash, beside the file of the samples",
            code="not_found",
        )


def keep(blobs: Iterable[Blob], folder: Path) -> None:
    """Put the content of blobs beside samples in `folder`, each whole or not at all; what is there stays."""
    for blob in dict.fromkeys(blobs):
        path = folder / FOLDER / blob.sha256
        with contextlib.suppress(OSError):
            if path.stat().st_size == blob.size:
                continue
        path.parent.mkdir(parents=True, exist_ok=True)
        blob.copy(path)


def beside(blob: Blob, folder: Path) -> Blob:
    """Return a blob whose content lies beside samples in `folder`."""
    return blob.from_source(folder / FOLDER / blob.sha256)


def place(files: Mapping[str, str | Blob], workspace: Path) -> None:
    """Write the files of a sample into its workspace."""
    for path, content in files.items():
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Blob):
            content.copy(target)
        else:
            target.write_text(content, encoding="utf-8")


def check_paths(paths: Iterable[str]) -> None:
    """Raise a ValueError for paths that would leave a workspace, or cannot all be files of one.

    >>> check_paths(["a/b.csv", "a"])
    Traceback (most recent call last):
    ValueError: 'a' is a file, and the folder of another one
    """
    names = set(paths)
    for path in names:
        parts = PurePosixPath(path).parts
        if not path or path.startswith("/") or ".." in parts or ".labrig" in parts or path != "/".join(parts):
            raise ValueError(f"{path[:80]!r} is not a relative path of a file")
        if any(ord(character) < 32 for character in path) or len(os.fsencode(path)) > 1024:
            raise ValueError(f"{path[:80]!r} is not the path of a file")
    for path in names:
        for folder in PurePosixPath(path).parents:
            if str(folder) in names:
                raise ValueError(f"{str(folder)!r} is a file, and the folder of another one")


def _open_content(content: bytes | Path) -> BinaryIO:
    if isinstance(content, bytes):
        return io.BytesIO(content)
    return open(content, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK))
