"""Claims on records: of two runners in one output folder only one works on a record at a time.

A claim is a lock on a file beside the record's place, which the system gives back however its holder ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

CLAIM = ".claim-"
LOOKS_AGAIN_S = 1.0
"""How often a record that another runner works on is looked at."""


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[bool]:
    """Claim the record of a folder; False where another runner, or another of this one's tasks, holds it.

    On a file system without locks (some network file systems) every claim is given.
    """
    path = folder.with_name(f"{CLAIM}{folder.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:
            pass
        if not _is_file_of(descriptor, path):  # its last holder has removed it since it was opened
            yield False
            return
        yield True
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
    finally:
        os.close(descriptor)


def _is_file_of(descriptor: int, path: Path) -> bool:
    """Return whether a descriptor is of the file that has this path now."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
