"""Keep the workspaces under a quota, without touching one that is in use.

A workspace is ``<root>/<server>/<session>``. Whoever uses one holds a shared lock on
``<session>/.labrig/lock`` (`hold`); `collect` removes only what it can lock exclusively, and no workspace of which an
artifact is in use (`labrig.storage.holds.in_use`): a child may read one after its server has ended. An agent can write
in a workspace, so everything in one is reached by descriptors (`labrig.storage.folder`), and no lock in one is waited
for. One collection of a root is at work at a time: what another one is about to remove is not to be made up for.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from labrig.artifacts import sweep
from labrig.errors import LabrigError
from labrig.storage.folder import Folder, closing
from labrig.storage.holds import in_use, locked
from labrig.workspace import PRIVATE

STORE = "artifacts"
DEEPEST = 64
"""Folders within each other that are measured: twice those of a path (`labrig.workspace.MAX_DEPTH`)."""
SMALL_BYTES = 1 << 20
"""Up to this size a file counts as it states: some file systems say late how many blocks it has."""
TRASH = ".gc-"  # what a session is renamed to before it is removed
COLLECTING = ".collecting"  # in the root; locked by the collection at work


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
        Sizes of all files (without holes, each once) and the quota.
    removed
        Sessions that are gone, oldest first.
    in_use
        Sessions that should have gone and were passed over because somebody holds them.
    failed
        Sessions that could not be removed, or not whole, and why.
    """

    before_bytes: int
    after_bytes: int
    quota_bytes: int
    dry_run: bool
    removed: tuple[Session, ...] = ()
    in_use: tuple[Session, ...] = ()
    failed: tuple[tuple[Session, str], ...] = ()


class _InUse(Exception):
    pass


class _Left(Exception):
    """A session is gone, and the next collection has to remove what is left of its files."""


@contextmanager
def hold(workspace_dir: Path) -> Iterator[None]:
    """Keep a workspace from being collected while in the block; the folder is made if needed.

    Any number of processes may hold one workspace. The lock ends with the process.

    Raises
    ------
    LabrigError
        If ``.labrig`` or its ``lock`` is a link or no file.
    OSError
        If the folder cannot be made.
    """
    while True:
        _make_folder(workspace_dir)
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

    Raises
    ------
    LabrigError
        ``busy`` while another collection of the root is at work.
    """
    if quota_bytes < 0 or (older_than_s is not None and older_than_s < 0):
        raise LabrigError("The quota and the age cannot be negative", where="quota_bytes, older_than_s")
    if dry_run:
        return _collect(root, quota_bytes, older_than_s, dry_run)
    with _alone(root):
        _empty_trash(root)
        _sweep(root)
        return _collect(root, quota_bytes, older_than_s, dry_run)


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Keep other collections of a root from beginning in the block."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(Folder.at(root))
        except (FileNotFoundError, NotADirectoryError):  # nothing to collect
            pass
        else:
            lock = stack.enter_context(closing(folder.open(COLLECTING, os.O_RDWR | os.O_CREAT, 0o600)))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LabrigError(
                    "Another collection is at work",
                    where=str(root),
                    try_="the same when it has ended",
                    code="busy",
                ) from None
        yield


def _collect(root: Path, quota_bytes: int, older_than_s: float | None, dry_run: bool) -> GcReport:
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
        except _Left as left:
            failed.append((session, str(left)))
            total -= session.bytes
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
    """Add up a folder without following links; what vanishes meanwhile does not count.

    An agent may write in it. So holes and second names of a file take nothing, what lies deeper than a tool can put it
    is not looked at, and of a time ahead of the clock that counts at which it was set, which nobody can choose: its
    session would have others removed in its place. Where that is ahead, too, the clock has been set back: it is now.
    """
    size, newest, now = 0, 0.0, time.time()
    seen: set[tuple[int, int]] = set()
    for folder, folders, files, descriptor in os.fwalk(path):
        if folder.count(os.sep) - str(path).count(os.sep) >= DEEPEST:
            folders.clear()
        for name in (".", *files):
            try:
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                continue
            changed = found.st_mtime if found.st_mtime <= now else found.st_ctime
            newest = max(newest, min(changed, now))
            if stat.S_ISREG(found.st_mode) and (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))
                size += min(found.st_size, max(found.st_blocks * 512, SMALL_BYTES))
    return Session(path, size, newest)


def _remove(path: Path, dry_run: bool) -> None:
    """Remove one session if nobody holds it: lock, rename out of the way, delete.

    Raises
    ------
    _InUse
        If it is held, or went away by itself.
    _Left
        If not all of it can be deleted.
    """
    with Folder.at(path.parent) as server, ExitStack() as stack:
        if not dry_run:
            server.make_writable(path.name)
        try:
            descriptor = stack.enter_context(closing(_open_lock(path, create=not dry_run)))
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _is_still(path, descriptor):
                raise _InUse
        except FileNotFoundError:
            if not dry_run:  # else it was never held
                raise _InUse from None
        except BlockingIOError:
            raise _InUse from None
        with _artifacts_unused(server, path.name, dry_run):
            if dry_run:
                return
            trash = TRASH + secrets.token_hex(8)
            server.rename(path.name, trash)  # from here on `hold` makes a fresh folder
        try:
            server.remove(trash)
        except OSError as error:
            raise _Left(str(error)) from error


@contextmanager
def _artifacts_unused(server: Folder, session: str, dry_run: bool) -> Iterator[None]:
    """Keep anybody from opening artifacts of a session in the block; raise `_InUse` if somebody has."""
    with ExitStack() as stack:
        try:
            private = stack.enter_context(server.below(session, PRIVATE))
            if not dry_run:
                private.make_writable(STORE)
            store = stack.enter_context(private.below(STORE))
        except (FileNotFoundError, NotADirectoryError):  # no store, or a link in its place
            pass
        else:
            if not dry_run:
                try:
                    stack.enter_context(locked(store, exclusive=True, wait=False))
                except BlockingIOError:
                    raise _InUse from None
            if in_use(store):
                raise _InUse
        yield


def _empty_trash(root: Path) -> None:
    """Finish what an interrupted collection began."""
    for path in (each for server in _folders(root) for each in _folders(server)):
        if path.name.startswith(TRASH):
            try:
                with Folder.at(path.parent) as server:
                    server.remove(path.name)
            except OSError:
                pass  # the session was reported as failed


def _sweep(root: Path) -> None:
    """Remove what killed processes left in the stores of artifacts, also of sessions that stay."""
    for path in (each for server in _folders(root) for each in _folders(server)):
        try:
            with Folder.at(path.parent) as server, server.below(path.name, PRIVATE, STORE) as store:
                sweep(store, wait=False)
        except OSError:
            pass  # there is none, or somebody is at it; or the session is reported as failed if it has to go


def _make_folder(workspace: Path) -> None:
    """Make a folder, also where a collection takes away the one that was found there."""
    while True:
        try:
            return workspace.mkdir(parents=True, exist_ok=True)
        except FileExistsError as found:
            with suppress(FileNotFoundError):  # it is gone by now
                if not stat.S_ISDIR(os.lstat(found.filename).st_mode):
                    raise


def _open_lock(workspace: Path, create: bool = True) -> int:
    """Open ``.labrig/lock``; the last part of the path is not followed as a link either."""
    try:
        with (
            Folder.at(workspace.parent) as server,
            server.below(workspace.name) as top,
            top.below(PRIVATE, make=create) as private,
        ):
            return private.open("lock", os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise LabrigError(
            f"The workspace cannot be used: {error.strerror}",
            where=f"{workspace / PRIVATE / 'lock'}",
            expected="a folder that can be written, in which .labrig/lock is a file and no link",
            code="refused",
        ) from error


def _is_still(workspace: Path, descriptor: int) -> bool:
    """Say whether an open lock is the one that the path leads to now."""
    mine = os.fstat(descriptor)
    try:
        there = os.lstat(workspace / PRIVATE / "lock")
    except OSError:
        return False
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
