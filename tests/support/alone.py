"""Tests of several files that must not run at once, in whatever process: they hold one lock."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Hold the lock of a name; waits for whoever holds it. The end of a process gives it up."""
    with (Path(tempfile.gettempdir()) / f"labrig-tests-{name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
