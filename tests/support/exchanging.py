"""Another program of the same user, which puts a link in place of a folder before the n-th step of ours.

A step is whatever Python itself announces of the file system (audit events): something is opened, listed, made,
renamed, removed or locked. So every moment between two of them is tried, each time the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

STEPS = frozenset(
    (
        "open",
        "fcntl.flock",
        "os.chmod",
        "os.link",
        "os.listdir",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.scandir",
        "os.symlink",
        "os.utime",
    )
)
_at_step: Callable[[], None] | None = None


def _heard(event: str, _: object) -> None:
    if _at_step is not None and event in STEPS:
        _at_step()


sys.addaudithook(_heard)  # there is no way to remove one; it does nothing while nobody listens


@contextmanager
def before_step(number: int, exchange: Callable[[], object]) -> Iterator[list[int]]:
    """Call `exchange` once in the block, before step `number` (from 1); give the list of the steps that were taken."""
    global _at_step
    taken: list[int] = []

    def step() -> None:
        global _at_step
        taken.append(len(taken) + 1)
        if taken[-1] == number:
            _at_step, listening = None, _at_step
            exchange()
            _at_step = listening

    _at_step = step
    try:
        yield taken
    finally:
        _at_step = None


def exchange(folder: Path, target: Path) -> None:
    """Put a link to `target` in place of a folder, which is then beside it as ``away``; if it is there by now."""
    if folder.is_dir() and not folder.is_symlink():
        folder.rename(folder.with_name("away"))
        folder.symlink_to(target)


def changed_back(folder: Path) -> None:
    """Undo `exchange`, if it was done."""
    if folder.is_symlink():
        folder.unlink()
        folder.with_name("away").rename(folder)


def seen(top: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Return what a folder holds: relative path -> rights, number of names, time of change, content."""
    found = {}
    for path in sorted((top, *top.rglob("*"))):
        about = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(top))] = about.st_mode, about.st_nlink, about.st_mtime_ns, content
    return found
