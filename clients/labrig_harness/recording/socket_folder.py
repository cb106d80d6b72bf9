"""A folder for a socket: ours alone, with a path that the kernel takes."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness.records.outfolder import workspace_prefix

LONGEST_PATH = 100
"""Bytes of a socket's path: the kernel takes 107."""


def socket_folder() -> Path:
    """Make a folder that is ours alone and whose name leaves room for a socket's."""
    prefix = workspace_prefix()  # what a killed process leaves is swept with its workspaces
    for parent in (tempfile.gettempdir(), "/tmp"):
        if len(os.fsencode(f"{parent}/{prefix}")) + 13 <= LONGEST_PATH:
            with contextlib.suppress(OSError):
                return Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    raise LabrigError(
        "There is no folder for a socket",
        where=tempfile.gettempdir(),
        expected=f"a writable folder with a path of at most {LONGEST_PATH - 13 - len(prefix)} bytes",
        try_="set TMPDIR",
        code="unavailable",
    )
