"""Files that tools leave in a workspace beside their answers, so that none replaces what somebody else put there.

A ledger in the workspace's private folder holds the hash of what was written under each name. A name may be written
again while its file is as we left it.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from labrig.canonical import sha256
from labrig.storage.contents import refusal
from labrig.storage.folder import Folder
from labrig.workspace import PRIVATE, Workspace

_LEDGER = "own-files"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class OwnFiles:
    """What tools may write in one workspace without asking.

    Parameters
    ----------
    taken
        Names that this call must leave alone, such as its own input.
    """

    def __init__(self, workspace: Workspace, taken: Iterable[str] = ()) -> None:
        self._workspace = workspace
        self._taken = set(taken)

    def write(self, name: str, content: str | bytes) -> bool:
        """Write a file unless its name is unsafe, taken, or holds what somebody else wrote; tell whether it was.

        Raises
        ------
        LabrigError
            What the file system refuses, of the file or of the ledger. Without its row in the ledger the file counts as
            somebody else's from then on.
        """
        if not _SAFE.fullmatch(name) or name in self._taken:
            return False
        with self._workspace.private() as private:
            ours = _read(private)  # each time: another call may have written since
            if self._workspace.exists(name) and ours.get(name) != sha256(self._workspace.read_bytes(name)):
                return False
            data = content.encode("utf-8") if isinstance(content, str) else content
            self._workspace.write_bytes(name, data)
            self._taken.add(name)
            try:
                private.write_whole(_LEDGER, json.dumps(ours | {name: sha256(data)}).encode())
            except OSError as error:  # the disk is full, or another program removed the folder meanwhile
                raise refusal(error, f"{PRIVATE}/{_LEDGER}") from error
            return True

    def write_somewhere(self, name: str, content: str | bytes) -> str:
        """Write to the first name that is free, and return it: ``a.csv``, ``a_2.csv``, ``a_3.csv``, ..."""
        _require_safe(name)
        return next(each for each in _numbered(name) if self.write(each, content))

    def keep(self, name: str, content: bytes) -> str:
        """Write to the first name that is free or has this very content, so that no earlier file is replaced."""
        _require_safe(name)
        for candidate in _numbered(name):
            if not self._workspace.exists(candidate):
                if self.write(candidate, content):
                    return candidate
            elif self._workspace.read_bytes(candidate) == content:
                return candidate
        raise AssertionError("names do not end")


def _read(private: Folder) -> dict[str, str]:
    """Return the ledger; where there is none that can be read, nothing counts as ours."""
    try:
        ours = json.loads(private.read(_LEDGER))
    except (OSError, ValueError):
        return {}
    return ours if isinstance(ours, dict) else {}


def _require_safe(name: str) -> None:
    """Refuse a name that no number would make safe; names come from tools, not from callers."""
    if not _SAFE.fullmatch(name):
        raise ValueError(f"{name!r} cannot be written")


def _numbered(name: str) -> Iterator[str]:
    """Yield ``a.csv``, ``a_2.csv``, ``a_3.csv``, ..."""
    path = PurePosixPath(name)
    return itertools.chain([name], (f"{path.stem}_{n}{path.suffix}" for n in itertools.count(2)))
