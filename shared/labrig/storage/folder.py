"""A folder that is held by its descriptor: what is done in it is done there, wherever its path leads by then.

Another program of the same user may put a link in place of a folder at any moment. So a folder is opened from the one
before it, never through a link, and files in it are named by what is open (`dir_fd`: openat and its relatives, which
Linux and macOS have). A name here is one name, without a slash.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

NEW = ".new-"
"""How names begin under which something is written that is not whole yet."""
MOST_LEVELS = 100_000
"""Of folders within each other that are removed."""
_READ = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True)
class Folder:
    """An open folder; ``with`` closes it. Its methods raise OSError."""

    descriptor: int

    @classmethod
    def at(cls, path: Path) -> Folder:
        """Open a folder by its path, whose links are followed: the one from which others are opened."""
        return cls(os.open(path, _READ))

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)

    def below(self, *names: str, make: bool = False) -> Folder:
        """Open a folder in this one, the last of `names` in each other; without names, this one once more."""
        descriptor = os.dup(self.descriptor)
        try:
            for name in names:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=descriptor)
                inner = os.open(name, _READ | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
        except BaseException:
            os.close(descriptor)
            raise
        return Folder(descriptor)

    def names(self) -> set[str]:
        """Return the names in it."""
        return set(os.listdir(self.descriptor))  # noqa: PTH208 - a descriptor, which pathlib does not take

    def about(self, name: str) -> os.stat_result:
        """Return what is known of a name; of a link, not of what it leads to."""
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Tell whether there is something of this name, be it a link."""
        try:
            self.about(name)
        except FileNotFoundError:
            return False
        return True

    def open(self, name: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        """Open what is no link, without waiting for the other end of a pipe; return the descriptor."""
        flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(name, flags, mode, dir_fd=self.descriptor)

    def new(self, name: str, mode: int = 0o666) -> int:
        """Make and open a file that is not there yet; return the descriptor."""
        return self.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with os.fdopen(self.open(name), "rb") as file:
            return file.read()

    def write(self, name: str, content: bytes) -> None:
        """Write a new file; nothing is left of one that could not be written whole."""
        with closing(self.new(name)) as descriptor:
            try:
                write_all(descriptor, content)
            except BaseException:
                self.delete(name)
                raise

    def write_whole(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all, in place of what has the name."""
        temporary = new_name()
        self.write(temporary, content)
        os.replace(temporary, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def rename(self, name: str, to: str, into: Folder | None = None) -> None:
        """Give something another name, in this folder or another of the same file system."""
        target = self if into is None else into
        os.rename(name, to, src_dir_fd=self.descriptor, dst_dir_fd=target.descriptor)

    def touch(self, name: str, time_ns: int | None = None) -> None:
        """Set the times of a file (ns since 1970; default: now)."""
        if time_ns is None:
            os.utime(name, dir_fd=self.descriptor, follow_symlinks=False)
        else:
            os.utime(name, ns=(time_ns, time_ns), dir_fd=self.descriptor, follow_symlinks=False)

    def delete(self, name: str) -> None:
        """Delete a file or a link, or a folder with all that it holds; what cannot be deleted stays, without a word."""
        with suppress(OSError):
            self.remove(name)

    def remove(self, name: str) -> None:
        """Remove a file or a link, or a folder with all that it holds, write-protected or deep.

        What holds folders has them brought up, a level at a time: no path is too long, and three folders are open.
        """
        if self._unlink(name):
            return
        self.make_writable(name)
        with self.below(name) as top:
            for _ in range(MOST_LEVELS):  # another program may go on making some
                names = top.names()
                for each in names:
                    top._empty(each)
                if not names:
                    break
        os.rmdir(name, dir_fd=self.descriptor)

    def _empty(self, name: str) -> None:
        """Remove what is no folder, or a folder whose own folders are brought up to this one."""
        if self._unlink(name):
            return
        self.make_writable(name)
        with self.below(name) as inner:
            for each in inner.names():
                if not inner._unlink(each):
                    inner.make_writable(each)
                    inner.rename(each, new_name(), into=self)
        os.rmdir(name, dir_fd=self.descriptor)

    def _unlink(self, name: str) -> bool:
        """Remove a name unless it is a folder's; tell whether it is removed."""
        if stat.S_ISDIR(self.about(name).st_mode):
            return False
        os.unlink(name, dir_fd=self.descriptor)
        return True

    def make_writable(self, name: str) -> None:
        """Take the write protection from a folder, if it has one; nothing happens to what a link leads to."""
        if os.access(name, os.R_OK | os.W_OK | os.X_OK, dir_fd=self.descriptor):
            return
        if os.chmod in os.supports_follow_symlinks:  # macOS
            if stat.S_ISDIR(self.about(name).st_mode):
                os.chmod(name, 0o700, dir_fd=self.descriptor, follow_symlinks=False)
            return
        # Linux has no such call before 6.6; a folder that may not be read can be opened as a place alone.
        place = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        with closing(os.open(name, place, dir_fd=self.descriptor)) as descriptor:
            Path(f"/proc/self/fd/{descriptor}").chmod(0o700)


def new_name() -> str:
    """Return a name that nothing has, for what is not whole yet."""
    return f"{NEW}{secrets.token_hex(8)}"


@contextmanager
def closing(descriptor: int) -> Iterator[int]:
    """Close a descriptor at the end of the block."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    """Write, also where the system takes less than all at once."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
