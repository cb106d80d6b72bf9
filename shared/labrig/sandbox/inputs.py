"""Files and folders of the host that a run may read, and the paths at which the code finds them.

Libraries follow links to the real path (HDF5 does, in C), so an input has to be there under its real path. Without
namespaces every file is, and Landlock alone decides what can be opened. In a root of its own only the sandbox's
`roots` are there; what lies elsewhere is copied into a folder that is. An artifact, whose content never changes, gets a
second name there (hard links), where the file system permits that.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.storage.folder import closing
from labrig.workspace import PRIVATE

MAX_COPIED = 1 << 30
"""Bytes that the copied inputs of one run may have."""


@dataclass(frozen=True)
class Input:
    """An input as the fork server is told of it.

    Attributes
    ----------
    target
        Its path for the code; ``inputs/NAME`` is a link to it.
    descriptor
        Open for reading; what Landlock's rule is made for.
    """

    name: str
    target: str
    descriptor: int


@dataclass(frozen=True)
class Standing:
    """A folder of the host that a run stands in: it reads the files there, and what it writes is its own.

    Attributes
    ----------
    path
        Without links; under bubblewrap it lies in one of the sandbox's roots.
    identity
        Its device and inode, where another folder in its place is to be refused.
    hidden
        Paths in it that are not there for the code.
    """

    path: Path
    identity: tuple[int, ...]
    hidden: tuple[str, ...] = ()

    def told(self) -> dict[str, Any]:
        """Return it as the fork server's child is told of it."""
        return {"lower": os.fspath(self.path), "identity": self.identity, "hidden": self.hidden}


class Inputs:
    """Where inputs are found.

    Parameters
    ----------
    roots
        Folders that are visible to the code under their own paths; None if everything is.
    area
        A visible folder for links to, and copies of, what lies elsewhere.
    """

    def __init__(self, roots: Sequence[Path] | None, area: Path) -> None:
        self._roots = None if roots is None else [root.resolve() for root in roots]
        self._area = area

    def place(self, inputs: Mapping[str, Path], run: str) -> list[Input]:
        """Open the inputs of a run, and copy those that could not be seen.

        Raises
        ------
        LabrigError
            ``not_found`` for one that cannot be opened, ``bad_input`` for one that is neither file nor folder,
            ``limit`` for copies above `MAX_COPIED`, ``unavailable`` for one that cannot be copied.
        """
        placed: list[Input] = []
        room = MAX_COPIED
        try:
            for name, path in inputs.items():
                descriptor = _opened(name, path)
                placed.append(Input(name, "", descriptor))
                real = Path(f"/proc/self/fd/{descriptor}").readlink()
                if not self._visible(real):
                    copy = self._area / run / name
                    room -= _copied(name, descriptor, copy, room, links=_is_artifact(real))
                    os.close(descriptor)
                    placed.pop()
                    descriptor, real = _opened(name, copy), copy
                    placed.append(Input(name, "", descriptor))
                placed[-1] = Input(name, str(real), descriptor)
        except BaseException:
            close(placed)
            self.remove(run)
            raise
        return placed

    def require_room(self, run: str) -> None:
        """Refuse further inputs where those that were placed before have more than `MAX_COPIED`, names of links too."""
        with closing(os.open(self._area / run, os.O_RDONLY | os.O_CLOEXEC)) as folder:
            if _size(folder, MAX_COPIED) <= MAX_COPIED:
                return
        raise LabrigError(
            f"The inputs of the runs before have more than {MAX_COPIED:,} bytes",
            where="session",
            try_="ending the session: the next run under its name starts with nothing",
            code="limit",
        )

    def remove(self, run: str) -> None:
        """Remove the copies of a run."""
        shutil.rmtree(self._area / run, ignore_errors=True)

    def _visible(self, real: Path) -> bool:
        return self._roots is None or any(real.is_relative_to(root) for root in self._roots)


def close(inputs: Iterable[Input]) -> None:
    """Close the descriptors of inputs."""
    for opened in inputs:
        os.close(opened.descriptor)


def _opened(name: str, path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise LabrigError(
            f"An input cannot be read: {error.strerror}", where=f"inputs[{name!r}]", code="not_found"
        ) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        os.close(descriptor)
        raise LabrigError(
            "An input is neither a file nor a folder",
            where=f"inputs[{name!r}]",
            expected="a regular file or a folder",
        )
    return descriptor


def _is_artifact(real: Path) -> bool:
    return any(pair == (PRIVATE, "artifacts") for pair in zip(real.parts, real.parts[1:], strict=False))


def _copied(name: str, descriptor: int, copy: Path, room: int, *, links: bool) -> int:
    """Copy what is open, links in a folder as links, files and folders only; return the bytes that were copied.

    With `links`, files get a second name in place of a copy, where that can be. A folder is walked by descriptors: what
    is put in place of one in it meanwhile is not followed.
    """
    copying = _Copying(name, room, links)
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = os.fstat(descriptor)
        if stat.S_ISREG(about.st_mode):
            copying.copy_file(descriptor, copy)
            return room - copying.room
        copying.links = links and copy.parent.stat().st_dev == about.st_dev
        if not copying.links and _size(descriptor, room) > room:
            raise _too_large(name)
        for path, folders, names, folder in os.fwalk(dir_fd=descriptor, onerror=_fail):
            (copy / path).mkdir()
            for each in (*folders, *names):
                copying.copy(folder, each, copy / path / each)
    except OSError as error:
        raise LabrigError(
            f"An input cannot be copied: {error.strerror}", where=f"inputs[{name!r}]", code="unavailable"
        ) from error
    return room - copying.room


def _fail(error: OSError) -> None:
    raise error


class _Copying:
    """Links files, or copies them until there is no room: one may grow meanwhile, or say it is empty (``/proc``)."""

    def __init__(self, name: str, room: int, links: bool) -> None:
        self.room = room
        self.links = links
        self._name = name

    def copy(self, folder: int, name: str, target: Path) -> None:
        """Copy a link or a regular file of an open folder; leave out a folder, a pipe, a socket or a device."""
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            target.symlink_to(os.readlink(name, dir_fd=folder))
        elif stat.S_ISREG(mode):
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
            with closing(os.open(name, flags, dir_fd=folder)) as descriptor:
                self.copy_file(descriptor, target)

    def copy_file(self, descriptor: int, target: Path) -> None:
        """Link or copy a file that is open."""
        if self.links and _linked(descriptor, target):
            return
        with os.fdopen(os.dup(descriptor), "rb", buffering=0) as here, target.open("xb") as there:
            here.seek(0)
            while data := here.read(1 << 20):
                self.room -= len(data)
                if self.room < 0:
                    raise _too_large(self._name)
                there.write(data)


def _linked(descriptor: int, target: Path) -> bool:
    """Give an open file a second name, and tell whether that could be done."""
    try:
        # With a descriptor of a folder, which an absolute path makes no use of, the system call is one that follows the
        # kernel's link to the file.
        os.link(f"/proc/self/fd/{descriptor}", target, src_dir_fd=0, follow_symlinks=True)
    except OSError:
        return False
    return True


def _too_large(name: str) -> LabrigError:
    return LabrigError(
        f"An input would have to be copied, and the inputs have more than {MAX_COPIED:,} bytes",
        where=f"inputs[{name!r}]",
        try_="name a folder above it as one of the sandbox's roots, or use the backend landlock",
        code="limit",
    )


def _size(folder: int, enough: int) -> int:
    """Return the bytes of the files below a folder; it stops counting above `enough`."""
    total = 0
    for _, _, names, inner in os.fwalk(dir_fd=folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(name, dir_fd=inner, follow_symlinks=False).st_size
        if total > enough:
            break
    return total
