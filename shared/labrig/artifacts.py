"""Artifacts: files and folders with a handle that is their content hash, kept with a manifest of how they came to be.

Below ``.labrig/artifacts`` of a workspace stand, for each artifact, ``<sha256>`` (the content), ``<sha256>.json`` (its
manifest), of a folder ``<sha256>.listing`` (whose SHA-256 is the artifact's; see `labrig.storage.contents`), and
``<sha256>.names`` where the same content was kept under further names. Content and manifest together are an artifact.
The manifest is written first, the content renamed to its place last: what a killed process leaves is one without the
other, or a name that begins with a dot, and the next `put` removes it. A content that was to be moved here is never
among that: until it is in its place, it is where it was.

Many processes may use one store at the same time; `labrig.storage.holds` says by which locks. Whoever can write in the
workspace may exchange its folders with links meanwhile: a store is opened anew for each thing that is done, and that is
done in what was opened (`labrig.storage.folder`).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.storage import contents, holds
from labrig.storage.contents import Kind, Survey
from labrig.storage.folder import Folder, closing, new_name
from labrig.storage.holds import holding
from labrig.storage.leftovers import removed, swept, thrown_away
from labrig.storage.manifests import Artifact, described, further_names, manifest_of, note_name, read_manifest
from labrig.storage.quota import Known, require_below_quota, victims
from labrig.workspace import Workspace

__all__ = ["Artifact", "ArtifactStore", "Opened", "holding", "sweep"]

CHECKED_BYTES = 64 << 20
"""Contents up to this size are checked against their hash whenever they are opened."""
READ_BYTES = 256 << 20
"""What `ArtifactStore.read` returns at most."""
_HANDLE = re.compile(r"sha256:([0-9a-f]{12,64})")


@dataclass(frozen=True)
class Opened:
    """An artifact that is open: it is not removed meanwhile.

    Attributes
    ----------
    descriptor
        Of the file, at its beginning, or of the folder; for reading. A child that inherits it keeps the artifact in
        use, too.
    """

    artifact: Artifact
    descriptor: int

    @contextmanager
    def opened(self, path: str) -> Iterator[int]:
        """Open a file of a folder by its relative path; see `labrig.storage.contents.opened_below`."""
        with contents.opened_below(self.descriptor, path) as descriptor:
            yield descriptor


def sweep(store: Folder) -> None:
    """Remove what killed processes left in a store."""
    with holds.locked(store, exclusive=True):
        names = store.names()
        trash = swept(store, names, names)
    for name in trash:
        store.delete(name)


class ArtifactStore:
    """The artifacts of one workspace, in its private folder."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._known = Known()

    def _folder(self) -> Folder:
        return self.workspace.private("artifacts")

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
        staged = new_name()
        try:
            with self._folder() as store:
                try:
                    self._publish(
                        store, artifact, (store, staged), stage=lambda: store.write(staged, content)
                    )
                except BaseException:
                    store.delete(staged)
                    raise
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
            has a second name, it is copied and then removed. The folder in which it lies is opened once, and links on
            the way to it are followed. Or an open descriptor, whose content is copied.
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
        try:
            if isinstance(source, int):
                return self._put_opened(source, None, name, media_type, made_by, inputs)
            path = source.absolute()
            name = name or path.name
            if path.name in ("", ".."):
                raise LabrigError("This path does not end with a name", where=str(source), code="refused")
            with (
                Folder.at(path.parent) as parent,
                closing(contents.open_content(parent, path.name)) as opened,
            ):
                place = None if keep else (parent, path.name)
                return self._put_opened(opened, place, name, media_type, made_by, inputs)
        except OSError as error:
            raise contents.refusal(error, name) from error

    def _put_opened(
        self,
        descriptor: int,
        place: _Place | None,
        name: str,
        media_type: str,
        made_by: dict[str, Any] | None,
        inputs: dict[str, str] | None,
    ) -> Artifact:
        """Store what is open; if its `place` is given, it is gone from there afterwards."""
        contents.checked_name(name)
        surveyed = contents.survey(descriptor, name)
        require_below_quota(surveyed.size)
        with self._folder() as store:
            here = os.fstat(descriptor).st_dev == os.fstat(store.descriptor).st_dev
            if place is not None and here and not surveyed.linked:
                content = contents.read_content(descriptor, surveyed, name)
                artifact = described(content, name, media_type, made_by, inputs)
                try:
                    taken = self._publish(
                        store,
                        artifact,
                        place,
                        content.listing,
                        check=lambda: _require_unchanged((store, artifact.sha256), surveyed, name),
                    )
                except OSError as error:
                    if error.errno != errno.EXDEV:  # a mount of the same file system
                        raise
                else:
                    if not taken:
                        _remove_source(place, surveyed, name)
                    return artifact
            with _staged(store, surveyed.kind) as (staged, copy):
                content = contents.read_content(descriptor, surveyed, name, copy)
                artifact = described(content, name, media_type, made_by, inputs)
                self._publish(store, artifact, (store, staged), content.listing)
            if place is not None:
                _remove_source(place, surveyed, name)
            return artifact

    def _publish(
        self,
        store: Folder,
        artifact: Artifact,
        source: _Place,
        listing: bytes = b"",
        *,
        stage: Callable[[], None] = lambda: None,
        check: Callable[[], None] = lambda: None,
    ) -> bool:
        """Rename a content to its place, unless the artifact is there already; tell whether it was renamed.

        Parameters
        ----------
        stage
            Makes the content, if it is needed.
        check
            Raises LabrigError if what was renamed is not what was read; it is then given back.
        """
        trash: list[str] = []
        try:
            with holds.locked(store, exclusive=True):
                names = store.names()
                others = self._known.others(names)
                trash += swept(store, names, others)
                if _stands(store, artifact):
                    holds.note(store, artifact.sha256)
                    note_name(store, artifact)
                    return False
                to_go = victims(store, artifact, self._known, others)
                stage()
                trash += _placed(store, artifact, listing, source, check)
                holds.note(store, artifact.sha256)
                for digest in to_go:
                    trash += removed(store, digest)
                return True
        finally:
            for name in trash:
                store.delete(name)

    def get(self, handle: str) -> Artifact:
        """Return the artifact that a handle names.

        Raises
        ------
        LabrigError
            If the text is not a handle, or names none or several artifacts of this workspace.
        """
        with self._folder() as store:
            return _found(store, handle)

    def names(self, handle: str) -> tuple[str, ...]:
        """Return the names under which an artifact was kept, the first one first."""
        with self._folder() as store:
            artifact = _found(store, handle)
            return (artifact.name, *further_names(store, artifact.sha256))

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
        with ExitStack() as stack:
            with self._folder() as store:
                artifact = _found(store, handle)
                with holds.locked(store, exclusive=False):
                    try:
                        descriptor = stack.enter_context(
                            closing(contents.open_content(store, artifact.sha256))
                        )
                    except LabrigError as error:
                        error.where = handle
                        raise
                    fcntl.flock(descriptor, fcntl.LOCK_SH)
                _require_intact(store, artifact, descriptor, check, handle)
            yield Opened(artifact, descriptor)

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
        with self._folder() as store:
            sweep(store)


_Place = tuple[Folder, str]
"""Where a content lies: a folder, and its name there."""


def _found(store: Folder, handle: str) -> Artifact:
    match = _HANDLE.fullmatch(handle)
    if not match:
        raise LabrigError(
            "This is not an artifact handle", where=handle, expected="sha256: and 12 to 64 hex digits"
        )
    names = store.names()
    found = [
        name for name in names if len(name) == 64 and name.startswith(match[1]) and f"{name}.json" in names
    ]
    if len(found) != 1:
        raise LabrigError(
            "There is no such artifact in this workspace"
            if not found
            else "Several artifacts begin like this",
            where=handle,
            code="not_found",
        )
    return read_manifest(store, found[0], handle)


@contextmanager
def _staged(store: Folder, kind: Kind) -> Iterator[tuple[str, int]]:
    """Give the name and descriptor of an empty file or folder, locked in the block; what is then left is removed."""
    name = new_name()
    with holds.locked(store, exclusive=True):
        descriptor = store.below(name, make=True).descriptor if kind == "folder" else store.new(name)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    with closing(descriptor):
        try:
            yield name, descriptor
        finally:
            store.delete(name)


def _placed(
    store: Folder, artifact: Artifact, listing: bytes, source: _Place, check: Callable[[], None]
) -> list[str]:
    """Write the manifest, and rename a content to its place; where that fails, all is as it was.

    Return what was there in place of it, which is to be deleted.
    """
    folder, name = source
    digest, manifest, listed = artifact.sha256, f"{artifact.sha256}.json", f"{artifact.sha256}.listing"
    known = store.has(manifest)
    spoilt = [thrown_away(store, digest)] if store.has(digest) else []
    try:
        if listing:
            store.write_whole(listed, listing)
        if not known:
            said = json.dumps(manifest_of(artifact), ensure_ascii=False, indent=1)
            store.write_whole(manifest, said.encode())
        folder.rename(name, digest, store)
        try:
            check()
            store.touch(manifest)  # it is never older than the content
        except BaseException:
            _give_back(store, digest, source)
            raise
    except BaseException:
        if not known:
            store.delete(manifest)
            store.delete(listed)
        for each in spoilt:
            store.rename(each, digest)
        raise
    return spoilt


def _give_back(store: Folder, digest: str, source: _Place) -> None:
    """Rename a content to where it was; where something else is by now, to a name beside it."""
    folder, name = source
    while folder.has(name):
        name = f"{name}.kept"
    store.rename(digest, name, folder)


def _remove_source(place: _Place, surveyed: Survey, name: str) -> None:
    """Remove what was copied, unless it changed since: then it is somebody's."""
    _require_unchanged(place, surveyed, name)
    folder, old = place
    folder.delete(old)


def _stands(store: Folder, artifact: Artifact) -> bool:
    """Tell whether an artifact is there already, as far as can be told without reading it.

    Raises
    ------
    LabrigError
        ``refused`` where a file and a folder have the same hash: one was made to have that of the other.
    """
    try:
        known = read_manifest(store, artifact.sha256, artifact.handle)
        about, manifest = store.about(artifact.sha256), store.about(f"{artifact.sha256}.json")
    except (LabrigError, OSError):
        return False
    if known.kind != artifact.kind:
        raise LabrigError(
            f"A {known.kind} has the hash of this {artifact.kind}", where=artifact.handle, code="refused"
        )
    if artifact.kind == "folder":
        return stat.S_ISDIR(about.st_mode)
    written = about.st_mtime_ns <= manifest.st_mtime_ns
    return stat.S_ISREG(about.st_mode) and about.st_size == artifact.bytes and written


def _require_intact(store: Folder, artifact: Artifact, descriptor: int, check: bool, handle: str) -> None:
    """Check an open content against its manifest; see `ArtifactStore.opened`."""
    manifest = f"{artifact.sha256}.json"
    try:
        surveyed = contents.survey(descriptor, handle)
        same = (surveyed.kind, surveyed.size, len(surveyed.stamps)) == (
            artifact.kind,
            artifact.bytes,
            artifact.files,
        )
        if not same:
            raise _spoilt(handle)
        unwritten = surveyed.newest_ns <= store.about(manifest).st_mtime_ns
        if unwritten and not check and artifact.bytes > CHECKED_BYTES:
            return
        if contents.read_content(descriptor, surveyed, handle).sha256 != artifact.sha256:
            raise _spoilt(handle)
    except OSError as error:
        raise contents.refusal(error, handle) from error
    if not unwritten:  # it was restored or copied: its times need not be doubted again
        with suppress(OSError):
            store.touch(manifest, surveyed.newest_ns)


def _require_unchanged(place: _Place, surveyed: Survey, name: str) -> None:
    """Refuse a content that is not what was read."""
    with closing(contents.open_content(*place)) as descriptor:
        if contents.survey(descriptor, name).stamps != surveyed.stamps:
            raise LabrigError(
                "The content changed while it was read",
                where=name,
                expected="files that nobody writes any more",
                code="refused",
            )


def _spoilt(handle: str) -> LabrigError:
    return LabrigError("The artifact's content no longer has its hash", where=handle, code="refused")
