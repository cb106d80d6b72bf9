"""Locks of a store of artifacts, by which processes know what others of them use. All are of the kind flock, so they
end with the process that holds them, however it ends.

- ``.lock`` of the store is held for a moment: exclusively where something is added or removed, shared where something
  is opened.
- The content of an artifact is locked (shared) as long as it is open.
- ``.held-...`` names, a line each, the artifacts that a call or a job has made; it is locked as long as that works.
- ``.new-...`` is being copied; it is locked by who copies.

What begins so and is locked by nobody was left by a process that was killed.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

LOCK, HELD, NEW, TRASH = ".lock", ".held-", ".new-", ".trash-"


@contextmanager
def locked(store: Path, *, exclusive: bool) -> Iterator[None]:
    """Hold the lock of a store; what is done meanwhile should be short."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(store / LOCK, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def names(store: Path) -> set[str]:
    """Return the names in a store, of which there may be thousands."""
    return set(os.listdir(store))  # noqa: PTH208 - paths of all of them would take ten times as long


def is_free(path: Path) -> bool:
    """Tell whether nobody holds a lock on a file or folder; what is not there is free."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return not stat.S_ISREG(
            path.lstat().st_mode
        )  # a link or a socket; one that cannot be opened may be used
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


class Holder:
    """The artifacts that one call or job has made, in any store."""

    def __init__(self) -> None:
        self._files: dict[Path, tuple[int, Path]] = {}
        self._guard = threading.Lock()
        self._closed = False

    def note(self, store: Path, digest: str) -> None:
        """Hold an artifact until `close`; called with the lock of the store."""
        with self._guard:
            if self._closed:  # a task that outlived its call
                return
            if store not in self._files:
                path = store / f"{HELD}{secrets.token_hex(8)}"
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
                self._files[store] = os.open(path, flags, 0o600), path
                fcntl.flock(self._files[store][0], fcntl.LOCK_EX)
            os.write(self._files[store][0], f"{digest}\n".encode())

    def close(self) -> None:
        """Let go of everything."""
        with self._guard:
            self._closed = True
            for descriptor, path in self._files.values():
                with suppress(OSError):
                    path.unlink()
                os.close(descriptor)
            self._files.clear()


_holder: ContextVar[Holder | None] = ContextVar("labrig_artifact_holder", default=None)


@contextmanager
def holding() -> Iterator[None]:
    """Keep every artifact that is made in the block, and in tasks and threads begun there, until its end."""
    holder = Holder()
    token = _holder.set(holder)
    try:
        yield
    finally:
        _holder.reset(token)
        holder.close()


def note(store: Path, digest: str) -> None:
    """Hold an artifact for the call or job that is at work, if one is."""
    holder = _holder.get()
    if holder is not None:
        holder.note(store, digest)


def held(store: Path) -> set[str]:
    """Return the artifacts that calls and jobs at work have made; called with the lock of the store."""
    found: set[str] = set()
    for path in (store / name for name in names(store) if name.startswith(HELD)):
        if not is_free(path):
            with suppress(OSError):
                found.update(path.read_text(encoding="ascii", errors="replace").split())
    return found
