"""Run a command as an ordinary user, also where Python or the project lies in a folder that only root may enter.

``python ordinary.py USER PATH... -- COMMAND...``: in a mount namespace of its own, every closed folder above a PATH is
covered by an empty open one in which just the PATHs are shown; then root is given up for good. Nothing on the
machine is changed, and nothing is copied. `command` returns such a command, `missing` why it cannot be had.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

USER = 64_177
"""A number that no account has, so that its processes are all ours."""
_NEW_MOUNTS, _BIND, _PRIVATE = 0x00020000, 4096 | 16384, (1 << 18) | 16384


def command(paths: Iterable[Path]) -> list[str]:
    """Return the words to put before a command, for a command that needs these paths."""
    return [sys.executable, "-I", __file__, str(USER), *map(str, paths), "--"]


def missing(paths: Iterable[Path]) -> str:
    """Return why no command can be run as an ordinary user here; empty if it can."""
    if os.geteuid() != 0:
        return "only root can become another user"
    done = subprocess.run(
        [*command(paths), sys.executable, "-c", "import labrig.errors"], capture_output=True, text=True
    )
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def closed(path: Path) -> Path | None:
    """Return the first folder above a path that others may not enter."""
    for each in reversed(path.parents):
        if not each.stat().st_mode & 0o001:
            return each
    return None


def _mount(
    source: Path | None, target: Path, kind: bytes | None, flags: int, data: bytes | None = None
) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    given = None if source is None else bytes(source)
    if libc.mount(given, bytes(target), kind, ctypes.c_ulong(flags), data) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mount: {os.strerror(number)}", str(target))


def show(paths: list[Path]) -> None:
    """Open the closed folders above the paths, for this process and its children alone."""
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_MOUNTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare: no mount namespace")
    _mount(None, Path("/"), None, _PRIVATE)
    with tempfile.TemporaryDirectory() as folder:
        _mount(Path("none"), Path(folder), b"tmpfs", 0, b"mode=700")
        held: dict[Path, Path] = {}
        for number, path in enumerate(paths):
            if closed(path) is not None:
                held[path] = Path(folder, str(number))
                held[path].mkdir()
                _mount(path, held[path], None, _BIND)
        for cover in {closed(path) for path in held}:
            assert cover is not None
            _mount(Path("none"), cover, b"tmpfs", 0, b"mode=755")
        for path, where in held.items():
            path.mkdir(parents=True, exist_ok=True)
            _mount(where, path, None, _BIND)
        ctypes.CDLL(None).umount2(bytes(Path(folder)), 2)


def main() -> None:
    """Show, give up root, become the command."""
    split = sys.argv.index("--")
    user, *paths = sys.argv[1:split]
    show([Path(path) for path in paths])
    os.setgroups([])
    os.setresgid(int(user), int(user), int(user))
    os.setresuid(int(user), int(user), int(user))
    os.execv(sys.argv[split + 1], sys.argv[split + 1 :])


if __name__ == "__main__":
    main()
