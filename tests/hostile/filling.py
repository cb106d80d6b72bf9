"""What fills a disk that has a quota: names without bytes, which no quota of bytes counts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

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
