"""Keep the workspaces under a quota, without touching one that is in use.

A workspace is ``<root>/<server>/<session>``. Whoever uses one holds a shared lock on
``<session>/.labrig/lock`` (`hold`); `collect` removes only what it can lock exclusively, and no workspace of which an
artifact is in use (`labrig.artifacts.in_use`): a child may read one after its server has ended.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from labrig.artifacts import ArtifactStore, in_use
from labrig.errors import LabrigError
from labrig.storage.holds import locked
from labrig.workspace import PRIVATE, Workspace

STORE = f"{PRIVATE}/artifacts"
TRASH = ".gc-"  # what a session is renamed to before it is removed


@dataclass(frozen=True)
class Session:
    """One workspace: its path, the bytes in it, and the time (s since 1970) of its newest change."""

    path: Path
    bytes: int
    newest: float


@dataclass(frozen=True)
class GcReport:
    """What `collect` did, or with ``dry_run`` would do.

    Attributes
    ----------
    before_bytes, after_bytes, quota_bytes
        Sizes of all files (apparent, a hard link counts each time) and the quota.
    removed
        Sessions that are gone, oldest first.
    in_use
        Sessions that should have gone and were passed over because somebody holds them.
    failed
        Sessions that could not be removed, and why.
    """

    before_bytes: int
    after_bytes: int
    quota_bytes: int
    dry_run: bool
    removed: tuple[Session, ...] = ()
    in_use: tuple[Session, ...] = ()
    failed: tuple[tuple[Session, str], ...] = ()

    @property
    def over_quota(self) -> bool:
        return self.after_bytes > self.quota_bytes


class _InUse(Exception):
    pass


@contextmanager
def hold(workspace_dir: Path) -> Iterator[None]:
    """Keep a workspace from being collected while in the block; the folder is made if needed.

    Any number of processes may hold one workspace. The lock ends with the process.

    Raises
    ------
    LabrigError
        If ``.labrig`` or its ``lock`` is a link or no file.
    """
    while True:
        workspace_dir.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = _open_lock(workspace_dir)
        except FileNotFoundError:
            continue  # collected between the two lines
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if _is_still(workspace_dir, descriptor):
            break
        os.close(descriptor)  # collected while we waited: the lock is of a folder that is gone
    try:
        os.utime(descriptor)
        yield
    finally:
        os.close(descriptor)


def collect(
    root: Path, quota_bytes: int, older_than_s: float | None = None, dry_run: bool = False
) -> GcReport:
    """Remove sessions: those older than a limit, then the oldest until all fit the quota.

    Parameters
    ----------
    root
        The folder of ``<server>/<session>`` folders. Links in these two places are not followed; names that
        begin with a dot are not sessions.
    quota_bytes
        What the sessions may hold together.
    older_than_s
        Remove every session whose newest change is older, whatever the quota; None: the quota alone decides.
    dry_run
        Only report.
    """
    if quota_bytes < 0 or (older_than_s is not None and older_than_s < 0):
        raise LabrigError("The quota and the age cannot be negative", where="quota_bytes, older_than_s")
    if not dry_run:
        _empty_trash(root)
        _sweep(root)
    now = time.time()
    sessions = sorted(_sessions(root), key=lambda each: (each.newest, each.path))
    before = total = sum(each.bytes for each in sessions)
    removed: list[Session] = []
    in_use: list[Session] = []
    failed: list[tuple[Session, str]] = []
    for session in sessions:
        too_old = older_than_s is not None and now - session.newest > older_than_s
        if not too_old and total <= quota_bytes:
            continue
        try:
            _remove(session.path, dry_run)
        except _InUse:
            in_use.append(session)
        except (OSError, LabrigError) as error:
            failed.append((session, str(error)))
        else:
            removed.append(session)
            total -= session.bytes
    return GcReport(before, total, quota_bytes, dry_run, tuple(removed), tuple(in_use), tuple(failed))


def _folders(parent: Path) -> list[Path]:
    """Return the folders in a folder, links left out."""
    try:
        with os.scandir(parent) as entries:
            return [Path(each.path) for each in entries if each.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _sessions(root: Path) -> Iterator[Session]:
    """Yield the sessions ``<server>/<session>``: folders that a server has held, and that are not inside another."""
    for server in _folders(root):
        if server.name.startswith(".") or (server / PRIVATE).exists():
            continue  # a workspace of somebody's own, with folders of hers
        for path in _folders(server):
            if not path.name.startswith(".") and (path / PRIVATE).is_dir():
                yield _measure(path)


def _measure(path: Path) -> Session:
    """Add up a folder without following links; what vanishes meanwhile does not count."""
    size, newest = 0, path.lstat().st_mtime
    for folder, _, files in os.walk(path):
        for name in (".", *files):
            try:
                found = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - "." must stay
            except OSError:
                continue
            newest = max(newest, found.st_mtime)
            size += found.st_size if stat.S_ISREG(found.st_mode) else 0
    return Session(path, size, newest)


def _remove(path: Path, dry_run: bool) -> None:
    """Remove one session if nobody holds it: lock, rename out of the way, delete.

    Raises
    ------
    _InUse
        If it is held, or went away by itself.
    """
    if not dry_run and not os.access(path, os.W_OK):
        path.chmod(0o700)
    if dry_run and _has_store(path) and in_use(path / STORE):
        raise _InUse
    try:
        descriptor = _open_lock(path, create=not dry_run)
    except FileNotFoundError:
        if dry_run:
            return  # never held
        raise _InUse from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _InUse from None
        if dry_run:
            return
        if not _is_still(path, descriptor):
            raise _InUse
        trash = path.with_name(TRASH + secrets.token_hex(8))
        with _artifacts_unused(path):
            path.rename(trash)  # from here on `hold` makes a fresh folder
        _delete(trash)
    finally:
        os.close(descriptor)


def _has_store(path: Path) -> bool:
    private = path / PRIVATE
    return not any(each.is_symlink() for each in (private, path / STORE)) and (path / STORE).is_dir()


@contextmanager
def _artifacts_unused(path: Path) -> Iterator[None]:
    """Keep anybody from opening artifacts of a session in the block; raise `_InUse` if somebody has."""
    store = path / STORE
    if not _has_store(path):
        yield
        return
    if not os.access(store, os.W_OK):
        store.chmod(0o700)
    with locked(store, exclusive=True):
        if in_use(store):
            raise _InUse
        yield


def _delete(trash: Path) -> None:
    """Delete a folder, write-protected folders in it included; links are deleted, not followed."""
    try:
        shutil.rmtree(trash)
    except PermissionError:
        trash.chmod(0o700)
        for folder, names, _ in os.walk(trash):
            for path in (Path(folder, name) for name in names):
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(trash)


def _empty_trash(root: Path) -> None:
    """Finish what an interrupted collection began."""
    for server in _folders(root):
        for path in _folders(server):
            if path.name.startswith(TRASH):
                try:
                    _delete(path)
                except OSError:
                    pass  # another collection is at it, or the session was reported as failed


def _sweep(root: Path) -> None:
    """Remove what killed processes left in the stores of artifacts, also of sessions that stay."""
    for path in (each for server in _folders(root) for each in _folders(server) if _has_store(each)):
        try:
            ArtifactStore(Workspace(path)).sweep()
        except (OSError, LabrigError):
            pass  # the session is reported as failed if it has to go


def _open_lock(workspace: Path, create: bool = True) -> int:
    """Open ``.labrig/lock`` without following a link: an agent can write in a workspace."""
    flags = os.O_NOFOLLOW | os.O_CLOEXEC
    top = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | flags)
    try:
        if create:
            try:
                os.mkdir(PRIVATE, dir_fd=top)
            except FileExistsError:
                pass
        private = os.open(PRIVATE, os.O_RDONLY | os.O_DIRECTORY | flags, dir_fd=top)
        try:
            how = os.O_RDWR | os.O_NONBLOCK | flags | (os.O_CREAT if create else 0)
            return os.open("lock", how, 0o600, dir_fd=private)
        finally:
            os.close(private)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise LabrigError(
            f"The workspace cannot be used: {error.strerror}",
            where=f"{workspace / PRIVATE / 'lock'}",
            expected="a folder that can be written, in which .labrig/lock is a file and no link",
            code="refused",
        ) from error
    finally:
        os.close(top)


def _is_still(workspace: Path, descriptor: int) -> bool:
    """Say whether an open lock is the one that the path leads to now."""
    mine = os.fstat(descriptor)
    try:
        there = os.lstat(workspace / PRIVATE / "lock")
    except OSError:
        return False
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
