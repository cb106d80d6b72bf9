"""The one folder that a session may write, and the folders that it may only read.

Paths come from agents, so nothing here trusts them: they are relative, and every component is opened
from the folder before it without following links blindly (a link is read and walked by us, and
must stay inside). What is checked is therefore what is opened, also while other processes move
things about.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from labrig.config import byte_setting, home
from labrig.errors import LabrigError, nearest
from labrig.storage.folder import Folder

PRIVATE = ".labrig"
"""Folder inside a workspace that holds artifacts and the lock; not visible to tools."""

MAX_FILE_BYTES = 64 << 20
MAX_TOTAL_BYTES = 2 << 30
"""Of all files of a workspace, unless the setting ``workspace.quota_bytes`` says otherwise."""
MAX_NAMES = 20_000
"""Files and folders of a workspace."""
MAX_DEPTH = 32
_MAX_LINKS = 16


@dataclass(frozen=True)
class Entry:
    """One file of a workspace: its relative path and its size in bytes."""

    path: str
    bytes: int


def fresh_workspace(server: str) -> Path:
    """Return the folder of a new session of a server, below ``LABRIG_HOME``: no other process gets this one.

    Number of the process and time do not tell them apart: in containers all have the first, and clocks are set back.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    return home() / "workspaces" / server / f"{stamp}-{os.getpid()}-{secrets.token_hex(4)}"


class Workspace:
    """Files by relative path: writable below `folder`, read-only below each of `roots`.

    Parameters
    ----------
    folder
        The writable folder; it is made on first use.
    roots
        Read-only folders. The files of a root ``/data/lab7`` are named ``@lab7/...``.
    """

    def __init__(self, folder: Path, roots: tuple[Path, ...] = ()) -> None:
        self.folder = folder
        self.roots: dict[str, Path] = {}
        for root in roots:
            resolved = root.expanduser().resolve()
            if not resolved.is_dir():
                raise LabrigError(
                    f"The read-only root {str(root)!r} is not a folder",
                    where="--root",
                    expected="an existing folder",
                    code="not_found",
                )
            if resolved.name in self.roots and self.roots[resolved.name] != resolved:
                raise LabrigError(
                    f"Two roots have the same name {resolved.name!r}",
                    where="--root",
                    try_="rename one or link it",
                )
            self.roots[resolved.name or "root"] = resolved

    def private(self, name: str = "") -> Folder:
        """Open the folder for Labrig's own files, or one in it, made if needed.

        Raises
        ------
        LabrigError
            ``refused`` where somebody put a link in its place, which would lead our files elsewhere.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with Folder.at(self.folder) as top:
                return top.below(PRIVATE, *filter(None, [name]), make=True)
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
                raise LabrigError(
                    f"{PRIVATE} or a folder in it is a link, or no folder",
                    where=str(error.filename),
                    try_="remove it",
                    code="refused",
                ) from error
            raise _translate(error, PRIVATE) from error

    def read_bytes(self, path: str, *, limit: int = MAX_FILE_BYTES) -> bytes:
        """Return a file's bytes.

        Raises
        ------
        LabrigError
            ``not_found`` with the nearest names, ``refused`` for a path that leaves the workspace,
            ``limit`` for a file above `limit` bytes.
        """
        with self.opened(path) as descriptor:
            size = os.fstat(descriptor).st_size
            if size > limit:
                raise LabrigError(
                    f"The file has {size:,} bytes",
                    where=path,
                    expected=f"at most {limit:,} bytes",
                    code="limit",
                )
            with os.fdopen(os.dup(descriptor), "rb") as file:
                return file.read(limit + 1)[:limit]

    def read_text(self, path: str) -> str:
        """Return a file as text: UTF-8, undecodable bytes replaced."""
        return self.read_bytes(path).decode("utf-8", errors="replace")

    def exists(self, path: str) -> bool:
        """Tell whether a regular file of this name can be read."""
        try:
            with self.opened(path):
                return True
        except LabrigError:
            return False

    def write_bytes(self, path: str, content: bytes) -> int:
        """Write a file whole or not at all (a temporary file, renamed); return its size in bytes.

        Missing folders on the way are made. An existing file is replaced.
        """
        parts = self._parts(path)
        if parts[0].startswith("@"):
            raise LabrigError(
                "Roots are read-only", where=path, try_="write to a relative path", code="refused"
            )
        if len(content) > MAX_FILE_BYTES:
            raise LabrigError(
                f"The content has {len(content):,} bytes",
                where=path,
                expected=f"at most {MAX_FILE_BYTES:,} bytes",
                code="limit",
            )
        self._check_quota(len(content), len(parts))
        self.folder.mkdir(parents=True, exist_ok=True)
        with _folder(self.folder) as top, _walk(top, parts[:-1], path, make=True) as folder:
            name, temporary = parts[-1], f".tmp-{secrets.token_hex(6)}"
            try:
                if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    raise LabrigError(
                        "There is a folder of this name", where=path, try_="choose another name"
                    )
            except FileNotFoundError:
                pass
            except OSError as error:
                raise _translate(error, path) from error
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                descriptor = os.open(temporary, flags, 0o644, dir_fd=folder)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise _translate(error, path) from error
        return len(content)

    def write_text(self, path: str, content: str) -> int:
        """Write text as UTF-8; see `write_bytes`."""
        try:
            return self.write_bytes(path, content.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise LabrigError(
                f"The content cannot be written as UTF-8: {error.reason}", where="content"
            ) from error

    def entries(self) -> list[Entry]:
        """Return all files, sorted by path: the writable ones, then each root's under ``@name/``."""
        found = list(_files_below(self.folder, "")) if self.folder.is_dir() else []
        for name, root in self.roots.items():
            found += _files_below(root, f"@{name}/")
        return sorted(found, key=lambda entry: (entry.path.startswith("@"), entry.path))

    def _parts(self, path: str, *, folder: bool = False) -> list[str]:
        """Return the parts of a path; a path of a folder may have none, or end with a slash."""
        expected = "a relative path such as run1/input.pqi, or @root/path for a read-only root"
        if not path or not path.strip():
            raise LabrigError("The path is empty", where="path", expected=expected)
        if any(ord(character) < 32 or ord(character) == 127 for character in path):
            raise LabrigError("The path holds control characters", where=repr(path), expected=expected)
        try:
            encoded = path.encode("utf-8")
        except UnicodeEncodeError:
            raise LabrigError("The path is not valid Unicode", where=repr(path), expected=expected) from None
        if path.startswith(("/", "~")) or path[1:3] in (":\\", ":/") or path.startswith("\\"):
            raise LabrigError(
                "Absolute paths are not allowed",
                where=path,
                expected=expected,
                try_=path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1],
                code="refused",
            )
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise LabrigError("The path leaves the workspace", where=path, expected=expected, code="refused")
        if not folder and (not parts or path.endswith("/")):
            raise LabrigError("This names a folder, not a file", where=path, expected=expected)
        if PRIVATE in parts:
            raise LabrigError(
                f"{PRIVATE} is reserved", where=path, try_="choose another name", code="refused"
            )
        if len(parts) > MAX_DEPTH:
            raise LabrigError(
                f"The path has {len(parts)} folders", where=path[:60] + "...", expected=f"at most {MAX_DEPTH}"
            )
        if len(encoded) > 1024 or any(len(part.encode()) > 200 for part in parts):
            raise LabrigError(
                "The path is too long",
                where=path[:60] + "...",
                expected="at most 1024 bytes, 200 for each name",
            )
        return parts

    @contextlib.contextmanager
    def opened(self, path: str, *, kind: Literal["file", "folder", "any"] = "file") -> Iterator[int]:
        """Open a file or a folder for reading, within the workspace or one of its roots, and give its descriptor.

        No part of the path is followed out of the workspace, and what was put in its place meanwhile is not seen. What
        lies in a folder is not checked: it may hold links. Open files of it with
        `labrig.storage.contents.opened_below`, or give the descriptor to a child that closes itself in with it
        (`labrig.isolation.closing.close_in`), where a link that leads out cannot be followed.

        Parameters
        ----------
        path
            ``.`` is the workspace and ``@root`` a root, where `kind` permits folders.
        kind
            What it may be.

        Raises
        ------
        LabrigError
            ``not_found`` with the nearest names, ``refused`` for a path that leaves the workspace, ``bad_input`` for
            what is of another kind.
        """
        parts = self._parts(path, folder=kind != "file")
        top = self.folder
        if parts and parts[0].startswith("@"):
            name = parts[0][1:]
            if name not in self.roots or (len(parts) < 2 and kind == "file"):
                known = ", ".join(f"@{each}" for each in self.roots) or "none is configured"
                raise LabrigError(f"There is no root @{name}", where=path, expected=known, code="not_found")
            top, parts = self.roots[name], parts[1:]
        if not top.is_dir():
            raise self._missing(path, kind)
        try:
            with _folder(top) as base, _walk(base, parts, path, make=False, last=kind) as descriptor:
                yield descriptor
        except FileNotFoundError:
            raise self._missing(path, kind) from None

    def _missing(self, path: str, kind: str = "file") -> LabrigError:
        names = [entry.path for entry in self.entries()]
        close = nearest(path, names)
        return LabrigError(
            f"There is no such {'file or folder' if kind == 'any' else kind}",
            where=path,
            expected=("one of " + ", ".join(names[:12]) + (", ..." if len(names) > 12 else ""))
            if names
            else "",
            try_="did you mean " + " or ".join(close) + "?" if close else "write_file first, or list_file",
            code="not_found",
        )

    def _check_quota(self, more: int, names: int) -> None:
        """Refuse more bytes, with at most so many new names, than the workspace may have; a folder takes room, too."""
        if not self.folder.is_dir():
            return
        there = total = 0
        for folder, folders, files in os.walk(self.folder):
            if PRIVATE in folders:
                folders.remove(PRIVATE)
            there += len(folders) + len(files)
            for name in files:
                with contextlib.suppress(OSError):
                    total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - there are many
        quota = byte_setting("workspace", "quota_bytes", MAX_TOTAL_BYTES)
        if there + names > MAX_NAMES or total + more > quota:
            raise LabrigError(
                f"The workspace is full: {there:,} files and folders, {total:,} bytes",
                expected=f"at most {MAX_NAMES:,} files and folders, and {quota:,} bytes",
                try_="fewer, or another workspace"
                if there + names > MAX_NAMES
                else "a higher workspace.quota_bytes (in labrig.toml, or LABRIG_WORKSPACE_QUOTA_BYTES)",
                code="limit",
            )


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _walk(top: int, parts: list[str], path: str, *, make: bool, last: str = "folder") -> Iterator[int]:
    """Open `parts` one after the other below the folder `top`, resolving links inside it only.

    The last of them may be a ``file``, a ``folder``, or ``any`` of the two.
    """
    stack = [os.dup(top)]
    pending = list(reversed(parts))
    links = 0
    try:
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == PRIVATE:  # reached through a link
                raise LabrigError(f"{PRIVATE} is reserved", where=path, code="refused")
            if part == "..":
                if len(stack) == 1:
                    raise LabrigError("A link leads out of the workspace", where=path, code="refused")
                os.close(stack.pop())
                continue
            try:
                mode = os.stat(part, dir_fd=stack[-1], follow_symlinks=False).st_mode
            except FileNotFoundError:
                if not make:
                    raise
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=stack[-1])
                mode = stat.S_IFDIR
            except OSError as error:
                raise _translate(error, path) from error
            if stat.S_ISLNK(mode):
                links += 1
                target = os.readlink(part, dir_fd=stack[-1])
                if target.startswith("/") or links > _MAX_LINKS:
                    raise LabrigError("A link leads out of the workspace", where=path, code="refused")
                pending += reversed(target.split("/"))
                continue
            is_file = last != "folder" and not any(each not in ("", ".") for each in pending)
            flags = (
                os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_NONBLOCK if is_file else os.O_DIRECTORY)
            )
            if is_file and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise LabrigError(  # opening a device may do something
                    "This is not a regular file", where=path, expected="the path of a file"
                )
            try:
                stack.append(os.open(part, flags, dir_fd=stack[-1]))
            except FileNotFoundError:
                raise
            except OSError as error:
                raise _translate(error, path) from error
        mode = os.fstat(stack[-1]).st_mode
        if not (stat.S_ISREG(mode) and last != "folder") and not (stat.S_ISDIR(mode) and last != "file"):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise LabrigError(f"This is {kind}", where=path, expected=f"the path of a {last}")
        yield stack[-1]
    finally:
        for descriptor in stack:
            os.close(descriptor)


def _translate(error: OSError, path: str) -> LabrigError:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return LabrigError("A link leads out of the workspace", where=path, code="refused")
    if error.errno == errno.ENOTDIR:
        return LabrigError("A part of the path is a file, not a folder", where=path)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LabrigError("The disk is full", where=path, try_="labrig gc", code="limit")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return LabrigError("The file system does not permit this", where=path, code="refused")
    return LabrigError(f"The file system says: {os.strerror(error.errno or 0)}", where=path)


def _files_below(folder: Path, prefix: str) -> Iterator[Entry]:
    """Yield regular files below a folder; links are not followed, and `PRIVATE` is passed over."""
    pending = [(os.fspath(folder), prefix)]
    while pending:
        where, shown = pending.pop()
        try:
            entries = list(os.scandir(where))
        except OSError:
            continue
        for entry in entries:
            if entry.name == PRIVATE:
                continue
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    pending.append((entry.path, f"{shown}{entry.name}/"))
                elif entry.is_file(follow_symlinks=False):
                    yield Entry(f"{shown}{entry.name}", entry.stat(follow_symlinks=False).st_size)
