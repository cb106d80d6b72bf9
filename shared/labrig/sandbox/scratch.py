"""The scratch folder of a run, read by the host after its end: hostile names, links and numbers are expected."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from labrig.isolation.inside import mounts

MAX_FILES = 100
MAX_DEPTH = 16
INPUTS = "inputs"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass
class Collected:
    """What a run left: files by relative path, how many were not taken, and whether there was no room for more."""

    files: dict[str, bytes] = field(default_factory=dict)
    seen: dict[str, list[int]] = field(default_factory=dict)
    left: int = 0
    full: bool = False


def collect(root: int, *, limit: int, unchanged: Mapping[str, list[int]] = MappingProxyType({})) -> Collected:
    """Read the regular files below a folder, in order of their paths.

    Parameters
    ----------
    root
        Descriptor of the folder.
    limit
        Bytes to read at most, together; what does not fit is not taken.
    unchanged
        Size and modification time (ns) of files that were there before; those that still have them are passed over.
    """
    about = os.fstatvfs(root)
    # Some file systems count no inodes.
    found = Collected(full=about.f_bavail == 0 or about.f_favail == 0 < about.f_files)
    folders = [(".", "", 0)]
    room = limit
    while folders:
        path, shown, depth = folders.pop(0)
        try:
            folder = os.open(path, _FOLDER, dir_fd=root)
        except OSError:
            found.left += 1
            continue
        try:
            with os.scandir(folder) as entries:
                names = sorted((each.name, each.is_dir(follow_symlinks=False)) for each in entries)
            for entry, is_folder in names:
                relative = f"{shown}{entry}"
                if is_folder:
                    if depth + 1 < MAX_DEPTH:
                        folders.append((f"{path}/{entry}", f"{relative}/", depth + 1))
                    else:
                        found.left += 1
                    continue
                room -= _take(found, folder, entry, relative, room, unchanged.get(relative))
        finally:
            os.close(folder)
    return found


def _take(
    found: Collected, folder: int, entry: str, relative: str, room: int, before: list[int] | None
) -> int:
    """Read one file into what was found, and return its size; 0 where it is passed over."""
    try:
        descriptor = os.open(entry, _FILE, dir_fd=folder)
    except OSError:  # a link, of which the inputs are some, or made without rights
        if relative.partition("/")[0] != INPUTS and not _is_whiteout(folder, entry):
            found.left += 1
        return 0
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        found.seen[relative] = [about.st_size, about.st_mtime_ns]
        if found.seen[relative] == before:
            return 0
        if (
            not stat.S_ISREG(about.st_mode)
            or about.st_size > room
            or len(found.files) >= MAX_FILES
            or not _presentable(relative)
        ):
            found.left += 1
            return 0
        with contextlib.suppress(OSError):
            found.files[relative] = file.read(about.st_size)
            return len(found.files[relative])
    return 0


def _is_whiteout(folder: int, entry: str) -> bool:
    """Whether a name stands for a removed file of the folder below."""
    with contextlib.suppress(OSError):
        about = os.stat(entry, dir_fd=folder, follow_symlinks=False)
        return (stat.S_IFMT(about.st_mode), about.st_rdev) == mounts.WHITEOUT
    return False


def _presentable(path: str) -> bool:
    """Whether a path is text that can be shown and stored."""
    return path.isprintable() and "\\" not in path and not any(0xD800 <= ord(each) < 0xE000 for each in path)
