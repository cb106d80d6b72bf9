"""Artifacts: files and folders with a handle that is their content hash, kept with a manifest of how they came to be.

Below ``.labrig/artifacts`` of a workspace stand, for each artifact, ``<sha256>`` (the content), ``<sha256>.json`` (its
manifest), of a folder ``<sha256>.listing`` (whose SHA-256 is the artifact's; see `labrig.storage.contents`), and
``<sha256>.names`` where the same content was kept under further names. Content and manifest together are an artifact.
The manifest is written first, the content renamed to its place last: what a killed process leaves is one without the
other, or a name that begins with a dot, and the next `put` removes it. A content that was to be moved here is never
among that: until it is in its place, it is where it was.

Many processes may use one store at the same time; `labrig.storage.holds` says by which locks.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.storage import contents, holds
from labrig.storage.contents import Kind, Survey
from labrig.storage.holds import holding
from labrig.storage.leftovers import delete, removed, swept, thrown_away, write, write_whole
from labrig.storage.manifests import Artifact, described, further_names, manifest_of, note_name, read_manifest
from labrig.storage.quota import require_below_quota, victims
from labrig.workspace import Workspace

__all__ = ["Artifact", "ArtifactStore", "Opened", "holding", "in_use", "is_handle"]

CHECKED_BYTES = 64 << 20
"""Contents up to this size are checked against their hash whenever they are opened."""
READ_BYTES = 256 << 20
"""What `ArtifactStore.read` returns at most."""
_HANDLE = re.compile(r"sha256:([0-9a-f]{12,64})")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Opened:
    """An artifact that is open: it is not removed meanwhile.

    Attributes
    ----------
    descriptor
        Of the file, at its beginning, or of the folder. A child that inherits it keeps the artifact in use, too.
    path
        Where the content lies, for a child process that may read it; it is not to be written.
    """

    artifact: Artifact
    descriptor: int
    path: Path

    @contextmanager
    def opened(self, path: str) -> Iterator[int]:
        """Open a file of a folder by its relative path; see `labrig.storage.contents.opened_below`."""
        with contents.opened_below(self.descriptor, path) as descriptor:
            yield descriptor


def is_handle(text: str) -> bool:
    """Tell whether a text is a handle, and no path."""
    return _HANDLE.fullmatch(text) is not None


def in_use(store: Path) -> bool:
    """Tell whether something in a store is open, being made, or made by a call or job at work."""
    names = (
        path
        for path in store.iterdir()
        if _DIGEST.fullmatch(path.name) or path.name.startswith((holds.HELD, holds.NEW))
    )
    return not all(map(holds.is_free, names))


class ArtifactStore:
    """The artifacts of one workspace, in its private folder."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def _folder(self) -> Path:
        return self._workspace.private("artifacts")

    def put(
        self,
        name: str,
        content: bytes,
        *,
        media_type: str,
        made_by: dict[str, Any] | None = None,
        inputs: dict[str, str] | None = None,
    ) -> Artifact:
        """Store content and its manifest; storing the same content again keeps the first manifest.

        Raises
        ------
        LabrigError
            ``limit`` if there is no room for it that could be made, or the disk is full; ``refused`` for the name. The
            store is then as it was.
        """
        artifact = Artifact(
            sha256(content),
            contents.checked_name(name),
            len(content),
            media_type,
            made_by or {},
            inputs or {},
        )
        folder = self._folder()

        def stage() -> Path:
            staged = folder / f"{holds.NEW}{secrets.token_hex(8)}"
            write(staged, content)
            return staged

        try:
            self._publish(folder, artifact, b"", stage)
        except OSError as error:
            raise contents.refusal(error, name) from error
        return artifact

    def put_path(
        self,
        source: Path | int,
        *,
        name: str = "",
        media_type: str = "",
        keep: bool = False,
        made_by: dict[str, Any] | None = None,
        inputs: dict[str, str] | None = None,
    ) -> Artifact:
        """Store a file or a folder of any size; it is read in pieces, and takes its place by being renamed.

        Parameters
        ----------
        source
            Where it lies; it is gone from there afterwards. Where it lies on another file system, or one of its files
            has a second name, it is copied and then removed. Or an open descriptor, whose content is copied.
        name
            By default that of the path.
        media_type
            By default that which the name stands for; `FOLDER_TYPE` for a folder.
        keep
            Copy it and leave it where it is.

        Raises
        ------
        LabrigError
            What `contents.survey` refuses: links, special files, names that cannot be shown, too much; ``refused`` if
            it changes meanwhile; ``limit`` if there is no room, or the disk of a copy is full. The source is then where
            it was, and the store as it was.
        """
        if isinstance(source, int):
            return self._put_opened(source, None, name, media_type, made_by, inputs)
        path = Path(os.path.abspath(source))  # noqa: PTH100 - without following a link
        descriptor = contents.open_content(path)
        try:
            return self._put_opened(
                descriptor, path, name or path.name, media_type, made_by, inputs, keep=keep
            )
        finally:
            os.close(descriptor)

    def _put_opened(
        self,
        descriptor: int,
        path: Path | None,
        name: str,
        media_type: str,
        made_by: dict[str, Any] | None,
        inputs: dict[str, str] | None,
        *,
        keep: bool = True,
    ) -> Artifact:
        contents.checked_name(name)
        surveyed = contents.survey(descriptor, name)
        folder = self._folder()
        require_below_quota(surveyed.size)
        here = os.fstat(descriptor).st_dev == folder.stat().st_dev
        if path is not None and not keep and here and not surveyed.linked:
            content = contents.read_content(descriptor, surveyed, name)
            artifact = described(content, name, media_type, made_by, inputs)
            try:
                taken = self._publish(
                    folder, artifact, content.listing, lambda: path, lambda: _same(folder, artifact, surveyed)
                )
            except OSError as error:
                if error.errno != errno.EXDEV:  # a mount of the same file system
                    raise contents.refusal(error, name) from error
            else:
                if not taken:
                    _remove_source(path, surveyed, name)
                return artifact
        try:
            with _staged(folder, surveyed.kind) as copy:
                content = contents.read_content(descriptor, surveyed, name, copy)
                artifact = described(content, name, media_type, made_by, inputs)
                self._publish(folder, artifact, content.listing, lambda: copy)
        except OSError as error:
            raise contents.refusal(error, name) from error
        if path is not None and not keep:
            _remove_source(path, surveyed, name)
        return artifact

    def _publish(
        self,
        folder: Path,
        artifact: Artifact,
        listing: bytes,
        stage: Callable[[], Path],
        check: Callable[[], None] = lambda: None,
    ) -> bool:
        """Rename what `stage` gives to its place and `check` it, unless the artifact is there; tell whether it was."""
        trash: list[Path] = []
        try:
            with holds.locked(folder, exclusive=True):
                trash += swept(folder)
                if _stands(folder, artifact):
                    holds.note(folder, artifact.sha256)
                    note_name(folder, artifact)
                    return False
                to_go = victims(folder, artifact)
                staged = stage()
                try:
                    _placed(folder, artifact, listing, staged, check, trash)
                except BaseException:
                    if staged.name.startswith(holds.NEW) and not staged.is_dir():
                        staged.unlink(missing_ok=True)
                    raise
                holds.note(folder, artifact.sha256)
                for each in to_go:
                    trash += removed(folder, each)
                return True
        finally:
            for path in trash:
                delete(path)

    def get(self, handle: str) -> Artifact:
        """Return the artifact that a handle names.

        Raises
        ------
        LabrigError
            If the text is not a handle, or names none or several artifacts of this workspace.
        """
        match = _HANDLE.fullmatch(handle)
        if not match:
            raise LabrigError(
                "This is not an artifact handle", where=handle, expected="sha256: and 12 to 64 hex digits"
            )
        folder = self._folder()
        names = holds.names(folder)
        found = [
            folder / f"{name}.json"
            for name in names
            if len(name) == 64 and name.startswith(match[1]) and f"{name}.json" in names
        ]
        if len(found) != 1:
            raise LabrigError(
                "There is no such artifact in this workspace"
                if not found
                else "Several artifacts begin like this",
                where=handle,
                code="not_found",
            )
        return read_manifest(found[0], handle)

    def names(self, handle: str) -> tuple[str, ...]:
        """Return the names under which an artifact was kept, the first one first."""
        artifact = self.get(handle)
        return (artifact.name, *further_names(self._folder(), artifact.sha256))

    @contextmanager
    def opened(self, handle: str, *, check: bool = False) -> Iterator[Opened]:
        """Open an artifact for reading; while it is open, in this process or another, nothing removes it.

        A content of at most `CHECKED_BYTES` is checked against its hash. A larger one is taken for unchanged if its
        size (of a folder: of all files, and their number) is that of the manifest and no file was written since the
        manifest was; else it is checked as well.

        Parameters
        ----------
        check
            Check it whatever its size; a gigabyte takes a few seconds.

        Raises
        ------
        LabrigError
            What `get` raises; ``refused`` if the content no longer has its hash.
        """
        artifact = self.get(handle)
        folder = self._folder()
        place = folder / artifact.sha256
        with holds.locked(folder, exclusive=False):
            try:
                descriptor = contents.open_content(place)
            except LabrigError as error:
                error.where = handle
                raise
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        try:
            _require_intact(artifact, descriptor, folder / f"{artifact.sha256}.json", check, handle)
            yield Opened(artifact, descriptor, place)
        finally:
            os.close(descriptor)

    def verify(self, handle: str) -> Artifact:
        """Check the whole content of an artifact against its hash, and return the artifact."""
        with self.opened(handle, check=True) as opened:
            return opened.artifact

    def read(self, handle: str, *, limit: int = READ_BYTES) -> bytes:
        """Return the content of a file, checked against its hash.

        Raises
        ------
        LabrigError
            What `opened` raises; ``limit`` above `limit` bytes; ``bad_input`` for a folder.
        """
        with self.opened(handle) as opened:
            artifact = opened.artifact
            if artifact.kind == "folder":
                raise LabrigError(
                    f"This is a folder of {artifact.files:,} files",
                    where=handle,
                    expected="the handle of a file",
                )
            if artifact.bytes > limit:
                raise LabrigError(
                    f"The artifact has {artifact.bytes:,} bytes",
                    where=handle,
                    expected=f"at most {limit:,} bytes",
                    code="limit",
                )
            with os.fdopen(os.dup(opened.descriptor), "rb") as file:
                file.seek(0)
                content = file.read(artifact.bytes + 1)
        if sha256(content) != artifact.sha256:
            raise _spoilt(handle)
        return content

    def sweep(self) -> None:
        """Remove what killed processes left."""
        folder = self._folder()
        with holds.locked(folder, exclusive=True):
            trash = swept(folder)
        for path in trash:
            delete(path)


@contextmanager
def _staged(folder: Path, kind: Kind) -> Iterator[Path]:
    """Give an empty file or folder of the store, locked until the end of the block; what is then left is removed."""
    path = folder / f"{holds.NEW}{secrets.token_hex(8)}"
    with holds.locked(folder, exclusive=True):
        if kind == "folder":
            path.mkdir()
        else:
            path.touch(0o644, exist_ok=False)
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield path
    finally:
        delete(path)
        os.close(descriptor)


def _placed(
    folder: Path,
    artifact: Artifact,
    listing: bytes,
    staged: Path,
    check: Callable[[], None],
    trash: list[Path],
) -> None:
    """Write the manifest, and rename a content to its place; where that fails, all is as it was."""
    place = folder / artifact.sha256
    manifest, listed = folder / f"{artifact.sha256}.json", folder / f"{artifact.sha256}.listing"
    known = manifest.exists()
    spoilt = thrown_away(place) if os.path.lexists(place) else None
    try:
        if listing:
            write_whole(listed, listing)
        if not known:
            write_whole(manifest, json.dumps(manifest_of(artifact), ensure_ascii=False, indent=1).encode())
        os.rename(staged, place)  # noqa: PTH104 - rename of pathlib replaces on some systems and not on others
        try:
            check()
        except BaseException:
            _give_back(place, staged)
            raise
        os.utime(manifest)  # it is never older than the content
    except BaseException:
        if not known:
            manifest.unlink(missing_ok=True)
            listed.unlink(missing_ok=True)
        if spoilt is not None:
            os.rename(spoilt, place)  # noqa: PTH104
        raise
    if spoilt is not None:
        trash.append(spoilt)


def _give_back(place: Path, source: Path) -> None:
    """Rename a content to where it was; where something else is by now, to a name beside it."""
    while os.path.lexists(source):
        source = source.with_name(f"{source.name}.kept")
    os.rename(place, source)  # noqa: PTH104


def _same(folder: Path, artifact: Artifact, surveyed: Survey) -> None:
    _require_unchanged(folder / artifact.sha256, surveyed, artifact.name)


def _remove_source(path: Path, surveyed: Survey, name: str) -> None:
    """Remove what was copied, unless it changed since: then it is somebody's."""
    _require_unchanged(path, surveyed, name)
    delete(path)


def _stands(folder: Path, artifact: Artifact) -> bool:
    """Tell whether an artifact is there already, as far as can be told without reading it.

    Raises
    ------
    LabrigError
        ``refused`` where a file and a folder have the same hash: one was made to have that of the other.
    """
    try:
        known = read_manifest(folder / f"{artifact.sha256}.json", artifact.handle)
        about = (folder / artifact.sha256).lstat()
    except (LabrigError, OSError):
        return False
    if known.kind != artifact.kind:
        raise LabrigError(
            f"A {known.kind} has the hash of this {artifact.kind}", where=artifact.handle, code="refused"
        )
    if artifact.kind == "folder":
        return stat.S_ISDIR(about.st_mode)
    written = about.st_mtime_ns <= (folder / f"{artifact.sha256}.json").stat().st_mtime_ns
    return stat.S_ISREG(about.st_mode) and about.st_size == artifact.bytes and written


def _require_intact(artifact: Artifact, descriptor: int, manifest: Path, check: bool, handle: str) -> None:
    """Check an open content against its manifest; see `ArtifactStore.opened`."""
    try:
        surveyed = contents.survey(descriptor, handle)
        same = (surveyed.kind, surveyed.size, len(surveyed.stamps)) == (
            artifact.kind,
            artifact.bytes,
            artifact.files,
        )
        if not same:
            raise _spoilt(handle)
        unwritten = surveyed.newest_ns <= manifest.stat().st_mtime_ns
        if unwritten and not check and artifact.bytes > CHECKED_BYTES:
            return
        if contents.read_content(descriptor, surveyed, handle).sha256 != artifact.sha256:
            raise _spoilt(handle)
    except OSError as error:
        raise contents.refusal(error, handle) from error
    if not unwritten:  # it was restored or copied: its times need not be doubted again
        with suppress(OSError):
            os.utime(manifest, ns=(surveyed.newest_ns, surveyed.newest_ns))


def _require_unchanged(place: Path, surveyed: Survey, name: str) -> None:
    """Refuse a content that is not what was read."""
    descriptor = contents.open_content(place)
    try:
        if contents.survey(descriptor, name).stamps != surveyed.stamps:
            raise LabrigError(
                "The content changed while it was read",
                where=name,
                expected="files that nobody writes any more",
                code="refused",
            )
    finally:
        os.close(descriptor)


def _spoilt(handle: str) -> LabrigError:
    return LabrigError("The artifact's content no longer has its hash", where=handle, code="refused")
