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

from labrig.errors import LabrigError
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

    With `links`, files get a second name in place of a copy, where that can be.
    """
    source = f"/proc/self/fd/{descriptor}"
    copying = _Copying(name, room, links)
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if links and is_file and _linked(source, copy, follow=True):
            return 0
        links = links and copy.parent.stat().st_dev == os.fstat(descriptor).st_dev
        if not links and _size(source, room) > room:
            raise _too_large(name)
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            shutil.copytree(source, copy, symlinks=True, copy_function=copying.copy)
        else:
            copying.copy(source, copy)
    except (OSError, shutil.Error) as error:
        first = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror
        raise LabrigError(
            f"An input cannot be copied: {first}", where=f"inputs[{name!r}]", code="unavailable"
        ) from error
    return room - copying.room


class _Copying:
    """Links files, or copies them until there is no room: one may grow meanwhile, or say it is empty (``/proc``)."""

    def __init__(self, name: str, room: int, links: bool) -> None:
        self.room = room
        self._name = name
        self._links = links

    def copy(self, source: str, target: str | Path) -> None:
        """Link or copy a regular file; leave out a pipe, a socket or a device."""
        if not stat.S_ISREG(os.stat(source).st_mode):  # noqa: PTH116 - it may be a link of the kernel's
            return
        if self._links and _linked(source, target, follow=False):
            return
        descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb", buffering=0) as here, Path(target).open("xb") as there:
            while data := here.read(1 << 20):
                self.room -= len(data)
                if self.room < 0:
                    raise _too_large(self._name)
                there.write(data)


def _linked(source: str, target: str | Path, *, follow: bool) -> bool:
    """Give a file a second name, and tell whether that could be done; `follow` a link of the kernel's to it."""
    try:
        # With a descriptor of a folder, which an absolute path makes no use of, the system call is one that can follow.
        os.link(source, target, src_dir_fd=0, follow_symlinks=follow)
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


def _size(path: str, enough: int) -> int:
    """Return the bytes of a file, or of the files below a folder; it stops counting above `enough`."""
    if not os.path.isdir(path):  # noqa: PTH112 - a link of the kernel's, which pathlib has no better word for
        return os.stat(path).st_size  # noqa: PTH116
    total = 0
    for folder, _, names in os.walk(f"{path}/"):
        for name in names:
            with suppress(OSError):
                total += os.lstat(f"{folder}/{name}").st_size
        if total > enough:
            break
    return total
