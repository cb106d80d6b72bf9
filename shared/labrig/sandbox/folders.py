"""The folder that a sandbox works in, held by a lock: what a killed one left can be told from what is in use."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from pathlib import Path

from labrig.sandbox.inside import tree


class WorkFolder:
    """A fresh folder below `parent`; those whose holder is gone are removed first.

    Attributes
    ----------
    runs
        For the scratch folders of runs.
    inputs
        For copies of inputs.
    """

    def __init__(self, parent: Path) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        _remove_unheld(parent)
        self._path = parent / f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock_path = self._path.with_suffix(".lock")
        # Made under another name: nobody may find the lock before it is held.
        unheld = self._path.with_suffix(".new")
        self._lock = unheld.open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unheld.rename(self._lock_path)
        self.runs, self.inputs = self._path / "runs", self._path / "inputs"
        for folder in (self._path, self.runs, self.inputs):
            folder.mkdir(mode=0o700)

    def remove(self) -> None:
        """Remove the folder and let go of the lock."""
        _empty(self._path)
        self._lock_path.unlink(missing_ok=True)
        self._lock.close()


def _remove_unheld(parent: Path) -> None:
    for old in parent.glob("*.lock"):
        with contextlib.suppress(OSError), old.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _empty(old.with_suffix(""))
            old.unlink()


def _empty(folder: Path) -> None:
    """Remove a folder that hostile code may have filled."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        tree.clear(descriptor)
    finally:
        os.close(descriptor)
    shutil.rmtree(folder, ignore_errors=True)
