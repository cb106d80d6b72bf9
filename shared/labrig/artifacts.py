"""Artifacts: files with a handle that is their content hash, kept with a manifest of how they came to be."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.workspace import Workspace

SCHEMA = "labrig.artifact/1"
MAX_BYTES = 1 << 30
"""What the artifacts of a workspace may take together; the oldest go first."""
_HANDLE = re.compile(r"sha256:([0-9a-f]{12,64})")


@dataclass(frozen=True)
class Artifact:
    """A stored file.

    Attributes
    ----------
    sha256
        Hash of the content (64 hex digits); the handle is its first 16 digits.
    made_by
        What made it: server, tool, arguments, versions.
    inputs
        What it was made from: name -> sha256.
    """

    sha256: str
    name: str
    bytes: int
    media_type: str
    made_by: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)

    @property
    def handle(self) -> str:
        """The name by which tools take it: ``sha256:`` and 16 hex digits."""
        return f"sha256:{self.sha256[:16]}"

    def to_dict(self) -> dict[str, Any]:
        """Return what an Answer says of it."""
        return {"handle": self.handle, "name": self.name, "bytes": self.bytes, "type": self.media_type}


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
        """Store content and its manifest; storing the same content again keeps the first manifest."""
        artifact = Artifact(sha256(content), name, len(content), media_type, made_by or {}, inputs or {})
        folder = self._folder()
        if not (folder / f"{artifact.sha256}.json").exists():
            _make_room(folder, len(content))
            _write(folder / artifact.sha256, content)
            manifest = {
                "schema": SCHEMA,
                "sha256": artifact.sha256,
                "name": name,
                "bytes": artifact.bytes,
                "type": media_type,
                "made_by": artifact.made_by,
                "inputs": artifact.inputs,
                "meta": {"created": datetime.now(UTC).isoformat(timespec="seconds")},
            }
            _write(
                folder / f"{artifact.sha256}.json",
                json.dumps(manifest, ensure_ascii=False, indent=1).encode(),
            )
        return artifact

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
        found = [path for path in self._folder().glob(f"{match[1]}*.json") if len(path.stem) == 64]
        if len(found) != 1:
            raise LabrigError(
                "There is no such artifact in this workspace"
                if not found
                else "Several artifacts begin like this",
                where=handle,
                code="not_found",
            )
        manifest = json.loads(found[0].read_text(encoding="utf-8"))
        return Artifact(
            manifest["sha256"],
            manifest["name"],
            manifest["bytes"],
            manifest["type"],
            manifest["made_by"],
            manifest["inputs"],
        )

    def read(self, handle: str) -> bytes:
        """Return an artifact's content, checked against its hash."""
        artifact = self.get(handle)
        content = (self._folder() / artifact.sha256).read_bytes()
        if sha256(content) != artifact.sha256:
            raise LabrigError("The artifact's content no longer has its hash", where=handle, code="refused")
        return content


def _make_room(folder: Path, more: int) -> None:
    """Remove the oldest artifacts until `more` bytes fit under `MAX_BYTES`."""
    found = [(path.stat(), path) for path in folder.iterdir() if len(path.name) == 64]
    total = sum(stat.st_size for stat, _ in found) + more
    for stat, path in sorted(found, key=lambda each: each[0].st_mtime_ns):
        if total <= MAX_BYTES:
            return
        path.with_name(f"{path.name}.json").unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        total -= stat.st_size


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{secrets.token_hex(6)}")
    temporary.write_bytes(content)
    temporary.replace(path)
