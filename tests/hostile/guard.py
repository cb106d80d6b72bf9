"""What is watched during an attack: a tree of files, secrets in it, and every process below this one.

The tree holds all that the server is told of: its working directory, home, temporary folder and workspace. Nothing
in it may be created or changed but in the workspace, nor in the folders that the server's target names, nor a name in
the root folder, which is where the confined child stands. Processes cannot slip away: this process is made the
subreaper of its descendants (Linux), so what loses its parent is found here.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import os
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hostile.servers.target import Target

_SUBREAPER = 36
_OWN = ("labrig/logs", "labrig/cache", "labrig/atlas", "labrig/sandbox/scratch")
"""Folders of the home that Labrig writes by itself: its log, the list of fonts that drawing once makes, databases of
worlds, made at the first use, and the scratch folders of runs, which a killed server leaves to the next one."""
_OWN_TEMPORARY = "labrig-papers-"
"""What the folder begins with in which Papers keeps what it fetches, as long as it lives."""


@contextlib.contextmanager
def adopting() -> Iterator[None]:
    """Be the parent of every orphan below this process while in the block."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not sys.platform.startswith("linux") or libc.prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("processes left behind can be found on Linux only")
    try:
        yield
    finally:
        libc.prctl(_SUBREAPER, 0, 0, 0, 0)


def descendants(pid: int) -> dict[int, int]:
    """Return the live processes below one, with their parents; a zombie without threads does not count."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text().rpartition(")")[2].split()
            if fields[0] != "Z" or int(fields[17]) > 1:  # of the first thread alone, where others live
                parents[int(entry.parent.name)] = int(fields[1])
    found: dict[int, int] = {}
    pending = [pid]
    while pending:
        parent = pending.pop()
        for child in [each for each, of in parents.items() if of == parent]:
            found[child] = parent
            pending.append(child)
    return found


def until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait for a condition and return whether it came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _taken_away(folder: Path) -> bool:
    """Remove a folder and return whether it is gone: work whose call has ended may still put a result there."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
    return not folder.exists()


class Guard:
    """The watched tree: ``home``, ``cwd``, ``tmp``, ``outside`` and ``work``, with secrets laid out in it.

    `ground` is the folder that the server's tools read, where that is not its workspace.
    """

    def __init__(self, folder: Path, target: Target, ground: str = "") -> None:
        self.folder, self.target = folder, target
        self.ground = folder / ground if ground else None
        self.home, self.cwd, self.tmp = folder / "home", folder / "cwd", folder / "tmp"
        self.outside, self.work = folder / "outside", folder / "work"
        self.workspace = self.theirs = folder
        self.secret = f"canary-{secrets.token_hex(12)}"
        for each in (self.home / ".ssh", self.home / "labrig", self.cwd, self.tmp, self.outside, self.work):
            each.mkdir(parents=True)
        for path in (self.outside / "secret.txt", self.home / ".ssh" / "id_rsa", self.cwd / "secret.txt"):
            path.write_text(f"SOLUTION 1 {self.secret}\n")
        (self.outside / "plain.txt").write_text("SOLUTION 1 plain\nEND\n")
        os.mkfifo(self.outside / "pipe")
        (self.outside / "folder").mkdir()
        if self.ground is not None:
            self.ground.mkdir()

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a server under attack; it holds a secret too (``/proc/self/environ``)."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
        return kept | {
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LABRIG_HOME": str(self.home / "labrig"),
            "LABRIG_CANARY": self.secret,
            **self.target.variables(),
        }

    def set_wall(self, seconds: float) -> None:
        """Set the time limit of a call by the configuration file, which the server reads again at each call."""
        (self.home / "labrig" / "labrig.toml").write_text(self.target.configuration(seconds))

    def seen(self) -> dict[str, tuple[object, ...]]:
        """Return what stands where: kind, size, times, and content of every watched file and folder."""
        lock = self.work / ".labrig" / "lock"  # the server's own, which a start makes anew
        passed = {self.workspace, self.ground, lock, *(self.home / each for each in _OWN)}
        found: dict[str, tuple[object, ...]] = {f"/{name}": () for name in os.listdir("/")}
        pending = [self.folder, *self.target.watched()]
        while pending:
            for entry in os.scandir(pending.pop()):
                own = entry.name.startswith(_OWN_TEMPORARY) and Path(entry.path).parent == self.tmp
                if own or Path(entry.path) in passed:
                    continue
                about = entry.stat(follow_symlinks=False)
                kind = stat.S_IFMT(about.st_mode)
                if kind == stat.S_IFDIR:
                    found[entry.path] = (kind,)
                    pending.append(Path(entry.path))
                    continue
                content = (
                    hashlib.sha256(Path(entry.path).read_bytes()).digest() if kind == stat.S_IFREG else b""
                )
                found[entry.path] = (kind, about.st_mode, about.st_ino, about.st_mtime_ns, content)
        return found

    def is_theirs(self, path: str) -> bool:
        """Tell whether a path is in the workspace of the other caller."""
        return Path(path).is_relative_to(self.theirs)

    def leaked(self, raw: bytes) -> bool:
        """Tell whether bytes hold a secret: a canary, somebody else's token, or the password file."""
        return any(each in raw for each in (self.secret.encode(), b"bystander-bbbb", b"root:x:0:0:"))

    def leaks(self) -> list[str]:
        """Return the files of the workspace that hold a secret; links are not followed."""
        found = []
        for path in self._files():
            if self.leaked(path.read_bytes()):
                found.append(path.relative_to(self.workspace).as_posix())
        return found

    def _files(self) -> Iterator[Path]:
        for top, _, names in os.walk(self.workspace):
            for name in names:
                path = Path(top, name)
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path

    def plant(self, kind: str, name: str, content: str) -> None:
        """Put something into the workspace by hand, as no tool could."""
        path = (self.ground or self.workspace) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match kind:
            case "file":
                path.write_bytes(content.encode("latin-1"))
            case "symlink":
                path.symlink_to(content)
            case "hard link":
                path.hardlink_to(content)
            case "fifo":
                os.mkfifo(path)
            case "folder":
                path.mkdir()
            case _:
                raise ValueError(kind)

    def sweep(self) -> None:
        """Empty the workspace, leaving its lock."""
        for folder in filter(None, (self.workspace, self.workspace / ".labrig", self.ground)):
            for path in list(folder.iterdir()) if folder.is_dir() else []:
                if path.name in (".labrig", "lock"):
                    continue
                if path.is_dir() and not path.is_symlink():
                    assert until(lambda path=path: _taken_away(path)), path
                else:
                    path.unlink()
