"""What fills a disk that has a quota: names without bytes, which no quota of bytes counts, and what seems to."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

DEPTH = 31
"""Folders of a path, at most (`labrig.workspace.MAX_DEPTH`)."""


def deep_paths() -> Iterator[str]:
    """Yield paths of small files, each with all folders on its way new."""
    for number in itertools.count():
        yield "/".join([f"{number}-{level}" for level in range(DEPTH)] + ["x"])


def new_headings() -> Iterator[tuple[str, list[str]]]:
    """Yield texts of selected outputs with their headings, no two alike."""
    for number in itertools.count():
        yield f"run {number}", [f"heading {number}"]


def grow_a_hole(workspace: Path) -> None:
    """Make a file of 1 TB that has no block."""
    with (workspace / "hole").open("wb") as file:
        file.truncate(1 << 40)
    _age(workspace)


def name_often(workspace: Path) -> None:
    """Give one file a hundred names."""
    for number in range(100):
        (workspace / f"name {number}").hardlink_to(workspace / "deep" / "data")
    _age(workspace)


def come_from_the_future(workspace: Path) -> None:
    """Give a file a time that has not come, so that the workspace seems to be the newest."""
    os.utime(workspace / "deep" / "data", (4e9, 4e9))


def nest(workspace: Path) -> None:
    """Make 1,500 folders within each other, deeper than a path can be long or a function can call itself."""
    folder = os.open(workspace, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.utime(folder, (1e9, 1e9))
        os.close(folder)
        folder = inner
    os.close(folder)
    _age(workspace)


def _age(workspace: Path) -> None:
    """Have what lies at the top be as old as before."""
    when = time.time() - 9000
    for path in (*workspace.iterdir(), workspace):
        os.utime(path, (when, when))


TRICKS: Mapping[str, Callable[[Path], None]] = {
    "a hole": grow_a_hole,
    "a hundred names": name_often,
    "the future": come_from_the_future,
    "1,500 folders": nest,
}
"""What an agent makes in its workspace, so that ``labrig gc`` removes those of others."""
