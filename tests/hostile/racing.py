"""What goes on beside a collection of workspaces, at one step of it: another one, a server, a kill, a clock, a program.

Each is called before the n-th step (`support.exchanging.before_step`), so every moment is tried, each time the same.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from labrig.errors import LabrigError
from labrig.serving import gc
from labrig.workspace import PRIVATE


class Killed(BaseException):
    """Ends a collection where it stands; what it holds is let go of, as the kernel does."""


class Beside:
    """What may go on beside a collection of `root` with a quota.

    Attributes
    ----------
    kept
        Files that a server wrote in the workspace which it holds.
    """

    def __init__(self, root: Path, quota: int) -> None:
        self.root, self.quota = root, quota
        self.kept: list[Path] = []
        self._holds = ExitStack()

    def collect(self) -> None:
        """Collect, too."""
        with _impatient(), suppress(LabrigError):
            gc.collect(self.root, self.quota)

    def kill(self) -> None:
        """End it."""
        raise Killed

    def serve(self) -> None:
        """Start a server in the oldest workspace, which writes a file there, if it need not wait for its lock."""
        file = self.root / "a" / "old" / "kept"
        with _impatient(), suppress(BlockingIOError):
            self._holds.enter_context(gc.hold(file.parent))
            file.write_bytes(b"kept")
            self.kept.append(file)

    def write_on(self) -> None:
        """Write into whatever the oldest workspace is called by now, as a process does that outlived its server."""
        for folder in (self.root / "a").glob(f"{gc.TRASH}*"):
            with suppress(OSError):
                (folder / f"more {len(list(folder.iterdir()))}").write_bytes(b"x")

    def close(self) -> None:
        """Let go of everything."""
        self._holds.close()


@contextmanager
def _impatient() -> Iterator[None]:
    """Have a lock that is taken refused in the block, where it would be waited for."""
    flock = fcntl.flock
    fcntl.flock = lambda descriptor, how: flock(descriptor, how | fcntl.LOCK_NB)
    try:
        yield
    finally:
        fcntl.flock = flock


ACTS: dict[str, Callable[[Beside], None]] = {
    "another collection": Beside.collect,
    "a kill": Beside.kill,
    "a server that starts": Beside.serve,
    "a process that writes on": Beside.write_on,
}


@contextmanager
def store_locked(session: Path) -> Iterator[None]:
    """Hold the lock of a workspace's artifacts for good, as an unconfined program may."""
    descriptor = os.open(session / PRIVATE / gc.STORE / ".lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
