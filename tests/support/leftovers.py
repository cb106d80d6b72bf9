"""Processes that tests leave behind. One of them once slept ten minutes and then killed whatever ran in its group."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from multiprocessing import resource_tracker
from pathlib import Path
from uuid import uuid4

MARK = "LABRIG_TESTS_OF"
PATIENCE_S = 5.0


def mark() -> None:
    """Give this process's children, and theirs, a word in their environment by which they can be found."""
    os.environ[MARK] = uuid4().hex


def marked() -> dict[int, str]:
    """Return the command lines of the other live processes that began with our word in their environment."""
    word = f"{MARK}={os.environ[MARK]}".encode()
    # Python's own, of a process that has used a pool: it ends with that process, by a pipe.
    ours = {os.getpid(), getattr(resource_tracker._resource_tracker, "_pid", None)}
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if int(folder.name) not in ours and word in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
    return found


def end_leftovers() -> dict[int, str]:
    """Wait a moment for the processes of the tests to end; kill and return those that do not."""
    deadline = time.monotonic() + PATIENCE_S
    while (left := marked()) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return left
