"""Files of a store, written whole or not at all, and what is left of a process that was killed at that."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path

from labrig.storage import holds

_DIGEST = re.compile(r"[0-9a-f]{64}")
_OLD_TEMPORARY = re.compile(r"\.[0-9a-f]{12}")
_OLD_S = 86_400


def swept(folder: Path) -> list[Path]:
    """Put what killed processes left out of the way, and return it; called with the lock of the store."""
    names = holds.names(folder)
    trash = [folder / name for name in names if name.startswith(holds.TRASH)]
    for name in names:
        if name.startswith((holds.NEW, holds.HELD)):
            dead = holds.is_free(folder / name)
        elif name.startswith("."):
            dead = _OLD_TEMPORARY.fullmatch(name) is not None and _is_old(folder / name)
        elif len(name) == 64:  # a content without its manifest
            dead = f"{name}.json" not in names and _DIGEST.fullmatch(name) is not None
            dead = dead and holds.is_free(folder / name)
        else:  # what stands beside a content, without it
            dead = name[:64] not in names and _DIGEST.fullmatch(name.partition(".")[0]) is not None
        if dead:
            with suppress(OSError):
                trash.append(thrown_away(folder / name))
    return trash


def _is_old(path: Path) -> bool:
    """Tell whether a temporary file, which an older Labrig did not lock, is of yesterday."""
    try:
        return path.lstat().st_mtime < time.time() - _OLD_S
    except OSError:
        return False


def removed(folder: Path, digest: str) -> list[Path]:
    """Take an artifact out of the store, manifest first; return what is to be deleted."""
    for ending in (".json", ".listing", ".names"):
        (folder / f"{digest}{ending}").unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        return [thrown_away(folder / digest)]
    return []


def thrown_away(path: Path) -> Path:
    trash = path.with_name(f"{holds.TRASH}{secrets.token_hex(8)}")
    path.rename(trash)
    return trash


def delete(path: Path) -> None:
    """Delete a file or folder, links as links; what is left over is swept later."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()


def write_whole(path: Path, content: bytes) -> None:
    temporary = path.with_name(f"{holds.NEW}{secrets.token_hex(8)}")
    write(temporary, content)
    temporary.replace(path)


def write(path: Path, content: bytes) -> None:
    """Write a new file; nothing is left of one that could not be written whole."""
    try:
        path.write_bytes(content)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
