"""What the artifacts of a workspace may take together, and which of them go when there is no more room."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from labrig.config import byte_setting
from labrig.errors import LabrigError
from labrig.storage import holds
from labrig.storage.manifests import Artifact, read_manifest

QUOTA_BYTES = 1 << 30
"""Unless the setting ``artifacts.quota_bytes`` says otherwise."""
MOST = 5_000
"""Artifacts of a workspace; with so many, storing one more takes about a tenth of a second."""


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


def victims(folder: Path, artifact: Artifact) -> list[str]:
    """Return the oldest artifacts that have to go so that another fits the quota; none of them is in use.

    Raises
    ------
    LabrigError
        ``limit`` if those that are not in use do not take enough room.
    """
    require_below_quota(artifact.bytes)
    quota = _quota()
    sizes = _sizes(folder)
    over, many = sum(sizes.values()) + artifact.bytes - quota, len(sizes) + 1 - MOST
    if over <= 0 and many <= 0:
        return []
    oldest = sorted(sizes, key=lambda digest: (folder / f"{digest}.json").stat().st_mtime_ns)
    made = holds.held(folder)
    victims = []
    for digest in oldest:
        if over <= 0 and many <= 0:
            break
        if digest not in made and digest != artifact.sha256 and holds.is_free(folder / digest):
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


def _sizes(folder: Path) -> dict[str, int]:
    """Return digest -> bytes of the artifacts of a store."""
    with os.scandir(folder) as entries:
        found = {entry.name: entry for entry in entries if len(entry.name) in (64, 69)}
    sizes = {}
    for name, entry in found.items():
        if len(name) == 64 and f"{name}.json" in found:
            with suppress(OSError, LabrigError):
                is_folder = entry.is_dir(follow_symlinks=False)
                manifest = folder / f"{name}.json"
                sizes[name] = (
                    read_manifest(manifest, name).bytes
                    if is_folder
                    else entry.stat(follow_symlinks=False).st_size
                )
    return sizes
