"""What is said of an artifact: its manifest, and the further names under which it was kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from labrig.errors import LabrigError
from labrig.media_types import media_type_of
from labrig.storage.contents import Content, Kind
from labrig.storage.folder import Folder

SCHEMA, FOLDER_SCHEMA = "labrig.artifact/1", "labrig.artifact/2"
"""Of the manifest of a file, and of a folder."""
FOLDER_TYPE = "inode/directory"
MAX_NAMES = 16


@dataclass(frozen=True)
class Artifact:
    """A stored file or folder.

    Attributes
    ----------
    sha256
        Hash of the content (64 hex digits); the handle is its first 16 digits.
    made_by
        What made it: server, tool, arguments, versions.
    inputs
        What it was made from: name -> sha256.
    files
        How many files it has; 1 for a file.
    """

    sha256: str
    name: str
    bytes: int
    media_type: str
    made_by: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    kind: Kind = "file"
    files: int = 1

    @property
    def handle(self) -> str:
        """The name by which tools take it: ``sha256:`` and 16 hex digits."""
        return f"sha256:{self.sha256[:16]}"

    def to_dict(self) -> dict[str, Any]:
        """Return what an Answer says of it."""
        said = {"handle": self.handle, "name": self.name, "bytes": self.bytes, "type": self.media_type}
        return said if self.kind == "file" else {**said, "files": self.files}


def manifest_of(artifact: Artifact) -> dict[str, Any]:
    folder = artifact.kind == "folder"
    return {
        "schema": FOLDER_SCHEMA if folder else SCHEMA,
        "sha256": artifact.sha256,
        "name": artifact.name,
        "bytes": artifact.bytes,
        **({"kind": "folder", "files": artifact.files} if folder else {}),
        "type": artifact.media_type,
        "made_by": artifact.made_by,
        "inputs": artifact.inputs,
        "meta": {"created": datetime.now(UTC).isoformat(timespec="seconds")},
    }


def read_manifest(store: Folder, digest: str, handle: str) -> Artifact:
    """Read the manifest of an artifact, which is called `handle` where it cannot be read."""
    try:
        said = json.loads(store.read(f"{digest}.json").decode("utf-8"))
        if said["schema"] not in (SCHEMA, FOLDER_SCHEMA):
            raise LabrigError(
                f"The manifest has the schema {said['schema']}",
                where=handle,
                expected=f"{SCHEMA} or {FOLDER_SCHEMA}",
                try_="a newer Labrig",
                code="refused",
            )
        return Artifact(
            said["sha256"],
            said["name"],
            said["bytes"],
            said["type"],
            said["made_by"],
            said["inputs"],
            said.get("kind", "file"),
            said.get("files", 1),
        )
    except FileNotFoundError:
        raise LabrigError(
            "There is no such artifact in this workspace", where=handle, code="not_found"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabrigError(
            f"The artifact's manifest cannot be read: {type(error).__name__}", where=handle, code="refused"
        ) from None


def described(
    content: Content,
    name: str,
    media_type: str,
    made_by: dict[str, Any] | None,
    inputs: dict[str, str] | None,
) -> Artifact:
    if not media_type:
        media_type = FOLDER_TYPE if content.kind == "folder" else media_type_of(name)
    return Artifact(
        content.sha256,
        name,
        content.size,
        media_type,
        made_by or {},
        inputs or {},
        content.kind,
        content.files,
    )


def further_names(store: Folder, digest: str) -> list[str]:
    try:
        names = json.loads(store.read(f"{digest}.names").decode("utf-8"))
        return [str(each) for each in names][:MAX_NAMES]
    except (OSError, ValueError, TypeError):
        return []


def note_name(store: Folder, artifact: Artifact) -> None:
    """Remember that a content was kept again, under another name."""
    names = further_names(store, artifact.sha256)
    first = read_manifest(store, artifact.sha256, artifact.handle).name
    if artifact.name not in (first, *names) and len(names) < MAX_NAMES:
        store.write_whole(f"{artifact.sha256}.names", json.dumps([*names, artifact.name]).encode())
