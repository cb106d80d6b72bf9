"""The files that a run leaves in its workspace: what a scorer may know of them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from labrig.canonical import sha256
from labrig.workspace import PRIVATE
from labrig_harness.blobs import Blob
from labrig_harness.trajectory import LeftFile

MOST_FILES, MOST_BYTES = 2_000, 8 << 30
"""What is listed and hashed of a workspace; a note says what was left out."""


def left_files(workspace: Path, given: Mapping[str, str | Blob]) -> tuple[tuple[LeftFile, ...], str]:
    """List the files that were made or changed, by path, and say what the list leaves out.

    Links are not followed, and what is no regular file is passed over.

    Parameters
    ----------
    given
        The files that the workspace held at the start.
    """
    start = {
        path: file.sha256 if isinstance(file, Blob) else sha256(file.encode()) for path, file in given.items()
    }
    found: list[LeftFile] = []
    unread: list[OSError] = []
    hashed = skipped = 0
    for folder, folders, names in os.walk(workspace, onerror=unread.append):
        folders[:] = sorted(name for name in folders if name != PRIVATE)
        for name in sorted(names):
            path = Path(folder, name)
            shown = os.fsencode(path.relative_to(workspace)).decode(errors="backslashreplace")
            try:
                about = path.lstat()
                if not stat.S_ISREG(about.st_mode):
                    continue
                if len(found) == MOST_FILES or hashed + about.st_size > MOST_BYTES:
                    skipped += 1
                    continue
                hashed += about.st_size
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:  # of another user, gone meanwhile, in folders too deep for a path
                unread.append(error)
                continue
            if start.get(shown) != digest:
                found.append(LeftFile(shown, about.st_size, digest))
    notes = []
    if skipped:
        notes.append(f"{skipped} files of the workspace are not listed: it has too many, or too large ones")
    if unread:
        notes.append(
            f"{len(unread)} files or folders of the workspace cannot be read, the first: {unread[0].strerror}"
        )
    return tuple(sorted(found, key=lambda file: file.path)), "; ".join(notes)
