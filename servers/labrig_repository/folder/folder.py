"""A real folder or git checkout as a repository: read-only, and nothing outside it is ever opened.

Each part of a path is opened from the folder before it with ``O_PATH | O_NOFOLLOW``, which opens nothing but the name
itself: no device is touched, no pipe is waited for, and what was checked is what is read, also while somebody moves
things about. A symbolic link is read and walked by us; it may lead elsewhere in the folder, and nowhere else.
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from labrig.errors import LabrigError, over_limit
from labrig.media_types import media_type_of
from labrig.sandbox.inputs import Standing
from labrig.tools.reading import read_at
from labrig_repository.folder.store import UNSETTLED_NS, Entry, Kind, Version

HIDDEN = frozenset({".git"})
"""Not listed and not read: a checkout's history and the credentials in its configuration are not data."""

MOST_ENTRIES = 1_000_000
"""Names in one folder that are listed; it takes some seconds and 200 MB."""

MOST_KNOWN = 200_000
"""Names that are kept, so that a folder that has not changed is not read again; its files are looked at each time."""

MOST_READ = 256 << 20
"""Bytes of one read that has no size."""

_MOST_LINKS = 40  # as the kernel
_DEEPEST = 255
_PATH_FLAGS = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC
"""Those of scientific files, the same on each machine; the others are looked up where the machine keeps them."""


class Folder:
    """A folder, by path; see `labrig_repository.folder.store.Repository`.

    Parameters
    ----------
    path
        An existing folder. It is opened once and held: what is put in its place later is not seen.
    name
        The id that tools are given; default its own name.
    hidden
        Names that are not there, wherever they are; case is ignored.
    now
        The clock that tells whether a folder was changed just now, in ns since 1970.

    Raises
    ------
    LabrigError
        ``not_found`` if it is not a folder, ``unavailable`` where the system cannot open a name without its content.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str = "",
        hidden: frozenset[str] = HIDDEN,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        if not hasattr(os, "O_PATH"):
            raise LabrigError("Real folders can be served on Linux only", where=str(path), code="unavailable")
        self.path = path.expanduser().resolve()
        self.name = name or self.path.name or "root"
        self._hidden = frozenset(each.casefold() for each in hidden)
        self._now = now
        self._known: dict[str, tuple[Version, list[Entry]]] = {}
        self._names = 0
        try:
            self._top = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise LabrigError(
                f"The folder cannot be opened: {os.strerror(error.errno or 0)}",
                where=str(path),
                expected="an existing folder that may be read",
                code="not_found",
            ) from error

    @property
    def about(self) -> str:
        """One line: what it is."""
        return f"folder {self.name}, as it is on disk"

    def close(self) -> None:
        """Let go of the folder."""
        if self._top >= 0:
            os.close(self._top)
            self._top = -1

    def kind(self, path: str) -> Kind | None:
        """Return what a path names; None where it names nothing, or what is hidden."""
        if any(part.casefold() in self._hidden for part in path.split("/")):
            return None
        try:
            with self.opened(path) as descriptor:
                return _kind(os.fstat(descriptor).st_mode)[0]
        except LabrigError as error:
            return None if error.code == "not_found" else "other"

    def entries(self, folder: str) -> Sequence[Entry]:
        """Return what a folder holds, sorted by name; what is hidden is left out."""
        with self.readable(folder, folder=True) as descriptor:
            here = _version(os.fstat(descriptor))
            known, entries = self._known.get(folder, (None, []))
            if known == here:
                return self._again(entries, folder, descriptor)
            try:
                with os.scandir(descriptor) as scan:
                    found = list(itertools.islice(scan, MOST_ENTRIES + 1))
            except OSError as error:
                raise translated(error, folder) from error
            if len(found) > MOST_ENTRIES:
                raise LabrigError(
                    f"The folder holds more than {MOST_ENTRIES:,} names", where=folder or "/", code="limit"
                )
            found.sort(key=lambda each: each.name)
            entries = [
                self._entry(each, folder) for each in found if each.name.casefold() not in self._hidden
            ]
            self._keep(folder, here, entries)
            return entries

    def size(self, path: str) -> int:
        """Return the bytes of a file."""
        with self.opened(path) as descriptor:
            _require_file(descriptor, path)
            return os.fstat(descriptor).st_size

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `start`, or all to its end (``limit`` above `MOST_READ`)."""
        with self.readable(path) as descriptor:
            try:
                if size is None:
                    size = max(0, os.fstat(descriptor).st_size - start)
                    if size > MOST_READ:
                        raise over_limit(
                            f"The file has {size:,} bytes", MOST_READ, "bytes in one read", where=path
                        )
                return read_at(descriptor, start, size)
            except OSError as error:
                raise translated(error, path) from error

    def media_type(self, path: str) -> str:
        """Return the media type that a file's name stands for."""
        return media_type_of(path)

    @contextmanager
    def opened(self, path: str) -> Iterator[int]:
        """Give an ``O_PATH`` descriptor of what a path names, links followed within the folder.

        Raises
        ------
        LabrigError
            ``not_found``; ``refused`` for a link that leads out, a hidden name, a folder that may not be entered.
        """
        _require_encodable(path)
        if self._top < 0:
            raise LabrigError("The repository was closed", where=self.name, code="unavailable")
        stack = [os.open(".", _PATH_FLAGS | os.O_DIRECTORY, dir_fd=self._top)]
        try:
            self._walk(stack, path)
            yield stack[-1]
        finally:
            for descriptor in stack:
                os.close(descriptor)

    @contextmanager
    def opened_file(self, path: str) -> Iterator[int]:
        """Give an ``O_PATH`` descriptor of a regular file; what is put in its place meanwhile is not seen."""
        with self.opened(path) as descriptor:
            _require_file(descriptor, path)
            yield descriptor

    def standing(self) -> Standing:
        """Return the folder as the sandbox takes it, without what is hidden at any depth.

        Raises
        ------
        LabrigError
            ``limit`` for more than `MOST_ENTRIES` names.
        """
        about = os.fstat(self._top)
        hidden: list[str] = []
        seen = 0
        for folder, names, files, _ in os.fwalk(".", dir_fd=self._top):
            seen += len(names) + len(files)
            if seen > MOST_ENTRIES:
                raise over_limit("The folder has too many names for code", MOST_ENTRIES, "names")
            found = [each for each in (*names, *files) if each.casefold() in self._hidden]
            hidden += [os.path.normpath(f"{folder}/{each}") for each in found]
            names[:] = [each for each in names if each not in found]
        return Standing(self.path, (about.st_dev, about.st_ino), tuple(hidden))

    def _walk(self, stack: list[int], path: str) -> None:
        """Open what a path names on top of `stack`, the folders on the way below it."""
        pending = path.split("/")[::-1]
        links = 0
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if len(stack) == 1:
                    raise _leads_out(path)
                os.close(stack.pop())
                continue
            if part.casefold() in self._hidden:
                raise LabrigError(
                    f"{part} is not part of the repository",
                    where=path,
                    try_="the files of the checkout",
                    code="refused",
                )
            if len(stack) > _DEEPEST:  # each is a descriptor
                raise LabrigError(f"The path has more than {_DEEPEST} folders", where=path, code="refused")
            try:
                descriptor = os.open(part, _PATH_FLAGS, dir_fd=stack[-1])
            except OSError as error:
                raise translated(error, path) from error
            stack.append(descriptor)
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISLNK(mode):
                links += 1
                target = self._target(descriptor, path)
                os.close(stack.pop())
                if target.startswith("/"):  # from the top of the folder
                    while len(stack) > 1:
                        os.close(stack.pop())
                if links > _MOST_LINKS:
                    raise LabrigError("The links go round in a circle", where=path, code="refused")
                pending += target.split("/")[::-1]
            elif any(each not in ("", ".") for each in pending) and not stat.S_ISDIR(mode):
                raise LabrigError("A part of the path is a file, not a folder", where=path, code="not_found")

    def _target(self, link: int, path: str) -> str:
        """Return where an open link leads: relative to its folder, or with a leading ``/`` from our top."""
        target = os.readlink("", dir_fd=link)
        if not target.startswith("/"):
            return target
        top = os.fspath(self.path).rstrip("/")
        if target != top and not target.startswith(f"{top}/"):
            raise _leads_out(path)
        return f"/{target[len(top) :].lstrip('/')}"

    @contextmanager
    def readable(self, path: str, *, folder: bool = False) -> Iterator[int]:
        """Give a descriptor that can be read, of a folder or of a regular file."""
        with self.opened(path) as found:
            if folder:
                if not stat.S_ISDIR(os.fstat(found).st_mode):
                    raise LabrigError(
                        "This is not a folder", where=path, expected="a folder", code="not_found"
                    )
                name, flags, above = ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, found
            else:
                _require_file(found, path)
                name, flags, above = f"/proc/self/fd/{found}", os.O_RDONLY | os.O_CLOEXEC, None
            try:
                descriptor = os.open(name, flags, dir_fd=above)
            except OSError as error:
                raise translated(error, path) from error
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _entry(self, found: os.DirEntry[str], folder: str) -> Entry:
        """Return one name with its kind; a link has the kind of what it leads to."""
        if not found.is_symlink():
            if found.is_dir(follow_symlinks=False):
                return Entry(found.name, "folder")
            if found.is_file(follow_symlinks=False):
                try:
                    return Entry(found.name, "file", version=_version(found.stat(follow_symlinks=False)))
                except OSError:  # it vanished, which a reader will find
                    return Entry(found.name, "file")
            return Entry(found.name, "other", note="a pipe, socket or device")
        return self._linked(found.name, folder)

    def _linked(self, name: str, folder: str) -> Entry:
        version = None
        try:
            with self.opened(f"{folder}/{name}") as descriptor:
                about = os.fstat(descriptor)
                kind, note = _kind(about.st_mode)
                version = _version(about) if kind == "file" else None
        except LabrigError as error:
            kind, note = (
                "other",
                "a link to nothing" if error.code == "not_found" else "a link that leads out",
            )
        return Entry(name, kind, link=True, note=note, version=version)

    def _again(self, entries: Sequence[Entry], folder: str, descriptor: int) -> list[Entry]:
        """Return entries as they are now, in a folder (open) whose names are what they were."""
        found = []
        for entry in entries:
            name, kind, link, _, version = entry
            if link:
                entry = self._linked(name, folder)
            elif kind == "file":
                try:
                    about = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                except OSError:  # it vanished, which a reader will find
                    entry = Entry(name, "file")
                else:
                    now = about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_dev, about.st_ino
                    if version != now:
                        entry = Entry(name, "file", version=Version(*now))
            found.append(entry)
        return found

    def _keep(self, folder: str, seen: Version, entries: list[Entry]) -> None:
        """Keep the names of a folder that was seen before they were read, if its times will tell a change."""
        if self._now() - seen.changed < UNSETTLED_NS:
            return
        self._names += len(entries) - len(self._known.get(folder, ("", []))[1])
        if self._names > MOST_KNOWN:
            self._known, self._names = {}, len(entries)
        self._known[folder] = seen, entries


def _require_encodable(path: str) -> None:
    """Refuse what cannot be the bytes of a path; half surrogates stand for bytes that are not UTF-8."""
    try:
        if b"\0" not in os.fsencode(path):
            return
    except UnicodeEncodeError:
        pass
    raise LabrigError(
        "The path holds a character that no name can hold", where=repr(path[:80]), code="not_found"
    )


def _version(about: os.stat_result) -> Version:
    return Version(about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_dev, about.st_ino)


def _kind(mode: int) -> tuple[Kind, str]:
    if stat.S_ISREG(mode):
        return "file", ""
    return ("folder", "") if stat.S_ISDIR(mode) else ("other", "a pipe, socket or device")


def _require_file(descriptor: int, path: str) -> None:
    kind, note = _kind(os.fstat(descriptor).st_mode)
    if kind == "folder":
        raise LabrigError(
            "This is a folder",
            where=path,
            expected="the path of a file",
            try_="list_directory shows its files",
        )
    if kind == "other":
        raise LabrigError(f"This is {note}", where=path, expected="a regular file", code="refused")


def _leads_out(path: str) -> LabrigError:
    return LabrigError(
        "A link on the way leads out of the repository, and is not followed", where=path, code="refused"
    )


def translated(error: OSError, path: str) -> LabrigError:
    """Return the error for what the file system says of a path."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return LabrigError(
            "There is no such file or folder",
            where=path,
            try_="list_directory shows what there is",
            code="not_found",
        )
    if error.errno == errno.ENAMETOOLONG:
        return LabrigError("A name is longer than any can be", where=path, code="not_found")
    if error.errno in (errno.EACCES, errno.EPERM):
        return LabrigError("The file system does not permit this", where=path, code="refused")
    return LabrigError(
        f"The file system says: {os.strerror(error.errno or 0)}", where=path, code="unavailable"
    )
