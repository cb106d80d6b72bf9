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
import re
import secrets
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from labrig.storage.folder import NEW, Folder, closing

LOCK, HELD, TRASH = ".lock", ".held-", ".trash-"
DIGEST = re.compile(r"[0-9a-f]{64}")


@contextmanager
def locked(store: Folder, *, exclusive: bool, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a store; what is done meanwhile should be short.

    Raises
    ------
    BlockingIOError
        If somebody has it, unless it is to be waited for.
    """
    with closing(store.open(LOCK, os.O_RDWR | os.O_CREAT, 0o600)) as descriptor:
        how = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        fcntl.flock(descriptor, how if wait else how | fcntl.LOCK_NB)
        yield


def is_free(store: Folder, name: str) -> bool:
    """Tell whether nobody holds a lock on a file or folder; what is not there is free."""
    try:
        descriptor = store.open(name)
    except FileNotFoundError:
        return True
    except OSError:  # a link or a socket; a file that cannot be opened may be used
        return not stat.S_ISREG(store.about(name).st_mode)
    with closing(descriptor):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


class Holder:
    """The artifacts that one call or job has made, in any store."""

    def __init__(self) -> None:
        self._files: dict[tuple[int, int], tuple[Folder, str, int]] = {}
        self._guard = threading.Lock()
        self._closed = False

    def note(self, store: Folder, digest: str) -> None:
        """Hold an artifact until `close`; called with the lock of the store."""
        with self._guard:
            if self._closed:  # a task that outlived its call
                return
            about = os.fstat(store.descriptor)
            which = about.st_dev, about.st_ino
            if which not in self._files:
                name = f"{HELD}{secrets.token_hex(8)}"
                descriptor = store.new(name, 0o600)
                self._files[which] = store.below(), name, descriptor
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.write(self._files[which][2], f"{digest}\n".encode())

    def close(self) -> None:
        """Let go of everything."""
        with self._guard:
            self._closed = True
            for store, name, descriptor in self._files.values():
                with store, closing(descriptor):
                    store.delete(name)
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


def note(store: Folder, digest: str) -> None:
    """Hold an artifact for the call or job that is at work, if one is."""
    holder = _holder.get()
    if holder is not None:
        holder.note(store, digest)


def held(store: Folder, names: Iterable[str]) -> set[str]:
    """Return the artifacts that calls and jobs at work have made; called with the lock of the store, and its names."""
    found: set[str] = set()
    for name in names:
        if name.startswith(HELD) and not is_free(store, name):
            with suppress(OSError):
                found.update(store.read(name).decode("ascii", "replace").split())
    return found


def in_use(store: Folder) -> bool:
    """Tell whether something in a store is open, being made, or made by a call or job at work."""
    return not all(
        is_free(store, name)
        for name in store.names()
        if name.startswith((HELD, NEW)) or DIGEST.fullmatch(name)
    )
