"""How a side environment comes into its place: whole or not at all, one setup at a time, with a manifest."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Literal

MANIFEST = "SETUP.json"
SCHEMA = "labrig.setup/1"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Status:
    """Whether a side environment can be used; if not, why, and if so perhaps what it is."""

    state: Literal["installed", "missing", "damaged"]
    reason: str = ""


@dataclass(frozen=True)
class Setup:
    """What a setup did: where, whether anything changed, and a line for people."""

    target: Path
    changed: bool
    message: str


def check_downward(*paths: str) -> None:
    """Refuse what is no relative path that goes down only; ValueError, for a table of ours is wrong then."""
    for path in map(PurePosixPath, paths):
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise ValueError(f"{path} must be a relative path that goes down only")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return what ``SETUP.json`` says, or None if there is none that can be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("schema") == SCHEMA else None


def write_manifest(folder: Path, **what: Any) -> None:
    """Write ``SETUP.json``, last; the time lives under ``meta`` as everywhere."""
    meta = {"installed_at": datetime.now(UTC).isoformat(timespec="seconds")}
    text = json.dumps({"schema": SCHEMA, **what, "meta": meta}, indent=2, ensure_ascii=False) + "\n"
    temporary = folder / f".{MANIFEST}.{secrets.token_hex(4)}"
    write(temporary, text.encode())
    temporary.replace(folder / MANIFEST)
    _sync(folder)


def write(path: Path, content: bytes) -> None:
    """Write a file and wait until it is on the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def staging(parent: Path, key: str, say: Say) -> Iterator[Path]:
    """Be the only setup of `key` in a folder, and have a place there to work in that is gone at the end.

    A second setup waits. What a killed one left is cleared away first, and if it was killed between the two
    renames of `place`, what it had moved aside is put back.
    """
    parent.mkdir(parents=True, exist_ok=True)
    with (parent / f".setup-{key}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another setup to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for left in parent.glob(f".setup-{key}-{'[0-9a-f]' * 8}"):
            for old in left.glob("old/*"):
                if not (parent / old.name).exists():
                    old.rename(parent / old.name)
            shutil.rmtree(left, ignore_errors=True)
        folder = parent / f".setup-{key}-{secrets.token_hex(4)}"
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def place(fresh: Path, target: Path, staging: Path) -> None:
    """Put the fresh folder where the old one is; on failure the old one is back."""
    old = staging / "old" / target.name
    old.parent.mkdir()
    try:
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    _sync(target.parent)
