"""A file while it is written: under a name of its own, and given its final one when it is whole.

Whoever writes holds a lock on it, which the kernel frees when the process dies. So `sweep` knows what a killed process
has left behind from what another is still writing.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labrig.errors import LabrigError

BEGINS, ENDS = ".labrig-", ".part"
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class NotStored(LabrigError):
    """What went wrong on this computer and says nothing of the service: it is not recorded."""


class Part:
    """One such file, in the folder in which it will stay. Its methods may be called from any thread.

    Raises
    ------
    NotStored
        ``limit`` where the disk is full, ``unavailable`` where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._given_up = False
        with _explained(folder):
            self.path, self._file = _new(folder)
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """Of what has been written."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> None:
        """Append."""
        with self._held():
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
            self._digest.update(data)
            self.size += len(data)

    def clear(self) -> None:
        """Begin anew."""
        with self._held():
            self._file.seek(0)
            self._file.truncate()
            self._digest, self.size = hashlib.sha256(), 0

    def finish(self) -> None:
        """Have all of it on the disk."""
        with self._held():
            os.fsync(self._file.fileno())

    def move(self, target: Path, *, replace: bool) -> None:
        """Give the file its final name; a link of that name is replaced itself, not what it points to.

        Raises
        ------
        NotStored
            ``refused`` where something has that name already; with `replace` only where that is a folder.
        """
        with self._held(target):
            if replace:
                self.path.replace(target)
            else:
                _link(self.path, target)
            self._file.close()

    def discard(self) -> None:
        """Remove the file, if it has not been moved; who is writing just now is not waited for."""
        if not self._file.closed:
            self._given_up = True
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            if self._lock.acquire(blocking=False):
                self._file.close()
                self._lock.release()

    @contextmanager
    def _held(self, where: Path | None = None) -> Iterator[None]:
        with self._lock:
            try:
                if not self._given_up:
                    with _explained(where or self.path.parent):
                        yield
                else:
                    raise NotStored("This file was given up", where=str(self.path), code="internal")
            finally:
                if self._given_up:
                    self._file.close()


def _new(folder: Path) -> tuple[Path, io.FileIO]:
    while True:
        path = folder / f"{BEGINS}{secrets.token_hex(8)}{ENDS}"
        file = io.FileIO(path, "x+")
        with suppress(OSError):  # not every file system has locks; then nobody sweeps either
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(file.fileno()).st_nlink:
            return path, file
        file.close()  # swept before it was locked


def _link(path: Path, target: Path) -> None:
    """Rename without replacing, which only a hard link does in one step."""
    try:
        os.link(path, target)
    except FileExistsError as error:
        raise taken(target) from error
    except OSError:  # a file system without hard links
        if os.path.lexists(target):
            raise taken(target) from None
        path.rename(target)
    else:
        path.unlink()


def sweep(folder: Path) -> None:
    """Remove what killed processes were writing in a folder."""
    try:
        found = [
            Path(entry.path)
            for entry in os.scandir(folder)
            if entry.name.startswith(BEGINS) and entry.name.endswith(ENDS) and entry.is_file()
        ]
    except OSError:
        return
    for path in found:
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(descriptor)


def taken(target: Path) -> NotStored:
    """Return the error for a name that something has."""
    return NotStored(
        "There is a file of this name",
        where=str(target),
        expected="a name that nothing has yet",
        try_="another name, or replace=True",
        code="refused",
    )


@contextmanager
def _explained(where: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise NotStored(
                f"There is no room for this file: {error.strerror}",
                where=str(where),
                try_="make room, then the same call; nothing half is left",
                code="limit",
            ) from error
        raise NotStored(
            f"This file cannot be written: {error.strerror}",
            where=str(where),
            expected="a name in a folder that this user may write",
            code="unavailable",
        ) from error
