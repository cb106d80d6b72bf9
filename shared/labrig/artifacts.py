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
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.storage import contents, holds
from labrig.storage.folder import Folder, closing, new_name
from labrig.storage.holds import holding
from labrig.storage.leftovers import removed, swept
from labrig.storage.manifests import Artifact, described, further_names, note_name, read_manifest
from labrig.storage.placing import Place, placed, remove_source, require_unchanged, staged, stands
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


def sweep(store: Folder, *, wait: bool = True) -> None:
    """Remove what killed processes left in a store; errors as `labrig.storage.holds.locked`."""
    with holds.locked(store, exclusive=True, wait=wait):
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
        new = new_name()
        try:
            with self._folder() as store:
                try:
                    self._publish(store, artifact, (store, new), stage=lambda: store.write(new, content))
                except BaseException:
                    store.delete(new)
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
        place: Place | None,
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
                        check=lambda: require_unchanged((store, artifact.sha256), surveyed, name),
                    )
                except OSError as error:
                    if error.errno != errno.EXDEV:  # a mount of the same file system
                        raise
                else:
                    if not taken:
                        remove_source(place, surveyed, name)
                    return artifact
            with staged(store, surveyed.kind) as (new, copy):
                content = contents.read_content(descriptor, surveyed, name, copy)
                artifact = described(content, name, media_type, made_by, inputs)
                self._publish(store, artifact, (store, new), content.listing)
            if place is not None:
                remove_source(place, surveyed, name)
            return artifact

    def _publish(
        self,
        store: Folder,
        artifact: Artifact,
        source: Place,
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
                if stands(store, artifact):
                    holds.note(store, artifact.sha256)
                    note_name(store, artifact)
                    return False
                to_go = victims(store, artifact, self._known, others)
                stage()
                trash += placed(store, artifact, listing, source, check)
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


def _spoilt(handle: str) -> LabrigError:
    return LabrigError("The artifact's content no longer has its hash", where=handle, code="refused")
