"""A file or a folder that is to be kept: what it holds, its hash, and a copy of it.

Everything is opened from the folder before it and never through a link, and read in pieces of `PIECE` bytes, so a
content of any size takes little memory. A folder is first surveyed, without opening a file: a pipe in it is refused and
not waited for. What is then read must be what was surveyed; a content that changes meanwhile is refused.

The hash of a folder is the SHA-256 of its listing: the line `HEAD`, then for each file, in the order of the UTF-8 bytes
of their paths, the canonical JSON of ``[path, bytes, sha256]`` and a line feed. Empty folders, times and rights are no
part of it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from labrig.canonical import canonical_json, sha256
from labrig.errors import LabrigError
from labrig.storage.folder import Folder, closing, write_all
from labrig.threads import look
from labrig.workspace import PRIVATE

Kind = Literal["file", "folder"]

MAX_FILES = 200_000
MAX_FOLDERS = 50_000
MAX_DEPTH = 32
MAX_NAME_BYTES = 1024
PIECE = 1 << 20
HEAD = b"labrig.folder/1\n"


@dataclass(frozen=True)
class Survey:
    """What a content consists of before it is read.

    Attributes
    ----------
    stamps
        Relative path of each file (of a file alone: the empty path) -> (inode, bytes, time of modification in ns).
    linked
        Some file has another name (a hard link), through which it may be changed.
    """

    kind: Kind
    stamps: dict[str, tuple[int, int, int]]
    linked: bool

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _, size, _ in self.stamps.values())

    @property
    def newest_ns(self) -> int:
        """The newest time of modification of a file (ns since 1970)."""
        return max((time for _, _, time in self.stamps.values()), default=0)


@dataclass(frozen=True)
class Content:
    """A content that was read: its kind, hash (64 hex digits), size, number of files, and the listing of a folder."""

    kind: Kind
    sha256: str
    size: int
    files: int
    listing: bytes = b""


def open_content(folder: Folder, name: str) -> int:
    """Open a file or a folder that lies in a folder and is no link; return the descriptor.

    Raises
    ------
    LabrigError
        ``not_found``; ``refused`` for a link, and for what is neither a file nor a folder.
    """
    try:
        mode = folder.about(name).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a device may do something
            raise _special(name, mode)
        return folder.open(name)
    except OSError as error:
        raise refusal(error, name) from error


def survey(descriptor: int, where: str) -> Survey:
    """Return what a file or folder consists of.

    Raises
    ------
    LabrigError
        ``refused`` for a link, a special file or a name that cannot be shown; ``limit`` above `MAX_FILES`,
        `MAX_FOLDERS` or `MAX_DEPTH`; ``bad_input`` for a folder without any file.
    """
    about = os.fstat(descriptor)
    if stat.S_ISREG(about.st_mode):
        return Survey("file", {"": _stamp(about)}, about.st_nlink > 1)
    if not stat.S_ISDIR(about.st_mode):
        raise _special(where, about.st_mode)
    try:
        stamps: dict[str, tuple[int, int, int]] = {}
        linked = False
        for path, _, _, found in _walk(Folder(descriptor), where):
            stamps[path] = _stamp(found)
            linked = linked or found.st_nlink > 1
    except OSError as error:
        raise refusal(error, where) from error
    if not stamps:
        raise LabrigError("The folder holds no file", where=where, expected="at least one file")
    return Survey("folder", stamps, linked)


def read_content(descriptor: int, surveyed: Survey, where: str, copy: int | None = None) -> Content:
    """Read a content that was surveyed, and return its hash; write what is read to `copy` at the same time.

    Parameters
    ----------
    copy
        Descriptor of a file or a folder that is empty.

    Raises
    ------
    LabrigError
        ``refused`` if it is no longer what was surveyed; ``limit`` if the disk of the copy is full.
    """
    try:
        if surveyed.kind == "file":
            digest = _hashed(descriptor, surveyed.stamps[""], where, copy)
            return Content("file", digest, surveyed.size, 1)
        return _read_folder(Folder(descriptor), surveyed, where, None if copy is None else Folder(copy))
    except OSError as error:
        raise refusal(error, where) from error


def _read_folder(top: Folder, surveyed: Survey, where: str, copy: Folder | None) -> Content:
    rows: list[tuple[bytes, bytes]] = []
    for path, folder, name, _ in _walk(top, where):
        if path not in surveyed.stamps:
            raise _changed(where, path)
        stamp, shown = surveyed.stamps[path], f"{where}/{path}"
        with closing(folder.open(name)) as file:
            if copy is None:
                digest = _hashed(file, stamp, shown)
            else:
                with copy.below(*path.split("/")[:-1], make=True) as into, closing(into.new(name)) as target:
                    digest = _hashed(file, stamp, shown, target)
        rows.append((path.encode(), canonical_json([path, stamp[1], digest]) + b"\n"))
    if len(rows) != len(surveyed.stamps):
        raise _changed(where, "")
    listing = HEAD + b"".join(row for _, row in sorted(rows))
    return Content("folder", sha256(listing), surveyed.size, len(rows), listing)


@contextmanager
def opened_below(folder: int, path: str) -> Iterator[int]:
    """Open a file of a folder by its relative path for reading, through no link; give the descriptor.

    Raises
    ------
    LabrigError
        ``not_found``; ``refused`` for a path that is not below the folder, a link or a special file.
    """
    *folders, name = path.split("/")
    if any(part in ("", ".", "..") for part in (*folders, name)) or "\0" in path:
        raise LabrigError("This is not a path below the folder", where=path[:200], expected="such as a/b.csv")
    try:
        with Folder(folder).below(*folders) as inner:
            descriptor = inner.open(name)
    except OSError as error:
        raise refusal(error, path) from error
    with closing(descriptor):
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise _special(path, mode)
        yield descriptor


def checked_name(name: str) -> str:
    """Return the name of an artifact; refuse one that is no relative path which can be shown and stored."""
    parts = name.split("/")
    if not _presentable(name) or any(part in ("", ".", "..") for part in parts):
        raise LabrigError(
            "This cannot be the name of an artifact",
            where=repr(name)[:200],
            expected="a file name or relative path that can be printed, without .. and \\",
            code="refused",
        )
    return name


def refusal(error: OSError, where: str) -> LabrigError:
    """Return what the file system said as a refusal."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return LabrigError("There is no such file or folder", where=where, code="not_found")
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return LabrigError("This is a link", where=where, expected="files and folders", code="refused")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LabrigError("The disk is full", where=where, try_="labrig gc", code="limit")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return LabrigError("The file system does not permit this", where=where, code="refused")
    return LabrigError(f"The file system says: {os.strerror(error.errno or 0)}", where=where)


def _walk(
    top: Folder, where: str, shown: str = "", depth: int = 0, count: list[int] | None = None
) -> Iterator[tuple[str, Folder, str, os.stat_result]]:
    """Yield (relative path, its folder, its name, what lstat says) of each file below an open folder."""
    count = count if count is not None else [0, 0]
    folders = []
    with os.scandir(top.descriptor) as entries:
        for entry in entries:
            path = f"{shown}{entry.name}"
            if not _presentable(path) or entry.name == PRIVATE:
                raise LabrigError(
                    "A name in the folder cannot be kept",
                    where=f"{where}: {path!r}"[:300],
                    expected=f"names that can be printed, without \\, at most {MAX_NAME_BYTES} bytes a path",
                    code="refused",
                )
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                folders.append(entry.name)
                count[1] += 1
            elif stat.S_ISREG(found.st_mode):
                count[0] += 1
            else:
                raise _special(f"{where}/{path}", found.st_mode)
            if count[0] > MAX_FILES or count[1] > MAX_FOLDERS:
                raise LabrigError(
                    "The folder holds too much",
                    where=where,
                    expected=f"at most {MAX_FILES:,} files in {MAX_FOLDERS:,} folders",
                    try_="an archive of it (tar, zip)",
                    code="limit",
                )
            if stat.S_ISREG(found.st_mode):
                yield path, top, entry.name, found
    if folders and depth + 1 >= MAX_DEPTH:
        raise LabrigError(
            f"The folder is more than {MAX_DEPTH} folders deep",
            where=f"{where}/{shown}"[:300],
            expected=f"at most {MAX_DEPTH} folders in each other",
            code="limit",
        )
    for name in sorted(folders):
        with top.below(name) as inner:
            yield from _walk(inner, where, f"{shown}{name}/", depth + 1, count)


def content_sha256(descriptor: int) -> str:
    """Return the hash of an open file, in a thread whose call may be taken back meanwhile."""
    digest, place = hashlib.sha256(), 0
    while piece := os.pread(descriptor, PIECE, place):
        look()
        digest.update(piece)
        place += len(piece)
    return digest.hexdigest()


def _hashed(descriptor: int, stamp: tuple[int, int, int], where: str, copy: int | None = None) -> str:
    """Return the hash of an open file that is still what its stamp says, and write it to an open `copy`."""
    if _stamp(os.fstat(descriptor)) != stamp:
        raise _changed(where, "")
    digest = hashlib.sha256()
    place = 0
    while piece := os.pread(descriptor, PIECE, place):
        place += len(piece)
        if place > stamp[1]:
            break
        digest.update(piece)
        if copy is not None:
            write_all(copy, piece)
    if place != stamp[1] or _stamp(os.fstat(descriptor)) != stamp:
        raise _changed(where, "")
    return digest.hexdigest()


def _stamp(about: os.stat_result) -> tuple[int, int, int]:
    return about.st_ino, about.st_size, about.st_mtime_ns


def _presentable(name: str) -> bool:
    return name.isprintable() and "\\" not in name and len(name.encode("utf-8", "replace")) <= MAX_NAME_BYTES


def _special(where: str, mode: int) -> LabrigError:
    kinds = ((stat.S_ISLNK, "a link"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    kind = next((name for is_one, name in kinds if is_one(mode)), "a device")
    return LabrigError(f"This is {kind}", where=where, expected="files and folders", code="refused")


def _changed(where: str, path: str) -> LabrigError:
    return LabrigError(
        "The content changed while it was read",
        where=f"{where}/{path}".rstrip("/"),
        expected="files that nobody writes any more",
        try_="the same again when whatever writes there has ended",
        code="refused",
    )
