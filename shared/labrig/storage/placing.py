"""How a content takes its place in a store: it is made beside it, renamed to it, and given back where that fails."""

from __future__ import annotations

import fcntl
import json
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from labrig.errors import LabrigError
from labrig.storage import contents, holds
from labrig.storage.contents import Kind, Survey
from labrig.storage.folder import Folder, closing, new_name
from labrig.storage.leftovers import thrown_away
from labrig.storage.manifests import Artifact, manifest_of, read_manifest

Place = tuple[Folder, str]
"""Where a content lies: a folder, and its name there."""


@contextmanager
def staged(store: Folder, kind: Kind) -> Iterator[tuple[str, int]]:
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


def placed(
    store: Folder, artifact: Artifact, listing: bytes, source: Place, check: Callable[[], None]
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


def _give_back(store: Folder, digest: str, source: Place) -> None:
    """Rename a content to where it was; where something else is by now, to a name beside it."""
    folder, name = source
    while folder.has(name):
        name = f"{name}.kept"
    store.rename(digest, name, folder)


def remove_source(place: Place, surveyed: Survey, name: str) -> None:
    """Remove what was copied, unless it changed since: then it is somebody's."""
    require_unchanged(place, surveyed, name)
    folder, old = place
    folder.delete(old)


def stands(store: Folder, artifact: Artifact) -> bool:
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


def require_unchanged(place: Place, surveyed: Survey, name: str) -> None:
    """Refuse a content that is not what was read."""
    with closing(contents.open_content(*place)) as descriptor:
        if contents.survey(descriptor, name).stamps != surveyed.stamps:
            raise LabrigError(
                "The content changed while it was read",
                where=name,
                expected="files that nobody writes any more",
                code="refused",
            )
