"""What the artifacts of a workspace may take together, and which of them go when there is no more room."""

from __future__ import annotations

import stat
from contextlib import suppress

from labrig.config import byte_setting
from labrig.errors import LabrigError
from labrig.storage import holds
from labrig.storage.folder import Folder
from labrig.storage.manifests import Artifact, read_manifest

QUOTA_BYTES = 1 << 30
"""Unless the setting ``artifacts.quota_bytes`` says otherwise."""
MOST = 5_000
"""Artifacts of a workspace; with so many, storing one more takes about ten times as long as the first ones."""


def _quota() -> int:
    return byte_setting("artifacts", "quota_bytes", QUOTA_BYTES)


def require_below_quota(more: int) -> None:
    quota = _quota()
    if more > quota:
        raise LabrigError(
            f"It has {more:,} bytes, more than all artifacts of a workspace may have",
            expected=f"at most {quota:,} bytes: the setting artifacts.quota_bytes",
            try_="a higher artifacts.quota_bytes (in labrig.toml, or LABRIG_ARTIFACTS_QUOTA_BYTES)",
            code="limit",
        )


def victims(store: Folder, names: set[str], artifact: Artifact, known: dict[str, int]) -> list[str]:
    """Return the oldest artifacts that have to go so that another fits the quota; none of them is in use.

    Parameters
    ----------
    names
        What the store holds; other processes may have put and removed there.
    known
        Digest -> bytes, as far as they are known, which is brought up to date here: an artifact never changes, so each
        is asked of the file system once.

    Raises
    ------
    LabrigError
        ``limit`` if those that are not in use do not take enough room.
    """
    require_below_quota(artifact.bytes)
    quota = _quota()
    _measure(store, names, known)
    over, many = sum(known.values()) + artifact.bytes - quota, len(known) + 1 - MOST
    if over <= 0 and many <= 0:
        return []
    oldest = sorted(known, key=lambda digest: store.about(f"{digest}.json").st_mtime_ns)
    made = holds.held(store, names)
    victims = []
    for digest in oldest:
        if over <= 0 and many <= 0:
            break
        if digest not in made and digest != artifact.sha256 and holds.is_free(store, digest):
            victims.append(digest)
            over -= known[digest]
            many -= 1
    if over > 0 or many > 0:
        raise LabrigError(
            f"There is no room for {artifact.bytes:,} bytes: the artifacts of this workspace are in use",
            where=artifact.name,
            expected=f"at most {MOST:,} artifacts and {quota:,} bytes together: the setting artifacts.quota_bytes",
            try_="the same when calls and jobs have ended, or a higher artifacts.quota_bytes "
            "(in labrig.toml, or LABRIG_ARTIFACTS_QUOTA_BYTES)",
            code="limit",
        )
    return victims


def _measure(store: Folder, names: set[str], known: dict[str, int]) -> None:
    """Forget the artifacts that are gone, and ask how many bytes the new ones have."""
    there = {name for name in names if len(name) == 64 and f"{name}.json" in names}
    for digest in known.keys() - there:
        del known[digest]
    for digest in there - known.keys():
        with suppress(OSError, LabrigError):
            about = store.about(digest)
            is_folder = stat.S_ISDIR(about.st_mode)
            known[digest] = read_manifest(store, digest, digest).bytes if is_folder else about.st_size
