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
"""Artifacts of a workspace; with so many, storing one more takes about 10 ms, and 30 ms where the oldest has to go."""


class Known:
    """The artifacts that a process found in a store, so that it asks anew of nothing but what came since.

    An artifact never changes, so the names alone tell what came and went, whichever process brought or took it. Used
    with the lock of the store.

    Attributes
    ----------
    sizes
        Digest -> bytes.
    """

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self._names: set[str] = set()

    def others(self, names: set[str]) -> set[str]:
        """Forget the artifacts that are no longer whole; return the names in the store that are of no known one."""
        for digest in {name.partition(".")[0] for name in self._names - names}:
            self.sizes.pop(digest, None)
            self._names -= {digest, f"{digest}.json"}
        return names - self._names

    def learn(self, store: Folder, others: set[str]) -> None:
        """Ask how many bytes the artifacts have that were not known yet."""
        for digest in others:
            if len(digest) == 64 and f"{digest}.json" in others:
                with suppress(OSError, LabrigError):
                    about = store.about(digest)
                    is_folder = stat.S_ISDIR(about.st_mode)
                    size = read_manifest(store, digest, digest).bytes if is_folder else about.st_size
                    self.sizes[digest] = size
                    self._names |= {digest, f"{digest}.json"}


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


def victims(store: Folder, artifact: Artifact, known: Known, others: set[str]) -> list[str]:
    """Return the oldest artifacts that have to go so that another fits the quota; none of them is in use.

    Parameters
    ----------
    others
        Names in the store that are of no known artifact.

    Raises
    ------
    LabrigError
        ``limit`` if those that are not in use do not take enough room.
    """
    require_below_quota(artifact.bytes)
    quota = _quota()
    known.learn(store, others)
    sizes = known.sizes
    over, many = sum(sizes.values()) + artifact.bytes - quota, len(sizes) + 1 - MOST
    if over <= 0 and many <= 0:
        return []
    oldest = sorted(sizes, key=lambda digest: store.about(f"{digest}.json").st_mtime_ns)
    made = holds.held(store, others)
    victims = []
    for digest in oldest:
        if over <= 0 and many <= 0:
            break
        if digest not in made and digest != artifact.sha256 and holds.is_free(store, digest):
            victims.append(digest)
            over -= sizes[digest]
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
