"""Removing folders that hostile code has filled: of any depth, with any names and modes, links not followed."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def clear(root: int) -> None:
    """Empty the folder behind a descriptor."""
    for name in os.listdir(root):
        remove(root, name)


def remove(root: int, name: str) -> None:
    """Remove an entry of the folder behind a descriptor, and all below it; one that is not there is no error.

    Folders below are moved up to `root` before they are emptied, so neither depth nor path length matters.
    Nothing else may work in the folder meanwhile.
    """
    numbers = itertools.count()
    pending = [name]
    while pending:
        path = pending.pop()
        try:
            if not stat.S_ISDIR(os.stat(path, dir_fd=root, follow_symlinks=False).st_mode):
                os.unlink(path, dir_fd=root)
                continue
            os.chmod(path, 0o700, dir_fd=root)
            folder = os.open(path, _FOLDER, dir_fd=root)
        except FileNotFoundError:
            continue
        try:
            with os.scandir(folder) as found:
                entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
            for entry, is_folder in entries:
                if is_folder:
                    os.chmod(entry, 0o700, dir_fd=folder)  # it may have been made without any rights
                    moved = f".{name}-{next(numbers)}"
                    os.rename(entry, moved, src_dir_fd=folder, dst_dir_fd=root)
                    pending.append(moved)
                else:
                    os.unlink(entry, dir_fd=folder)
        finally:
            os.close(folder)
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(path, dir_fd=root)
