"""What a call's result holds beside its text, as files of a folder: its pictures, and the artifacts that it names."""

from __future__ import annotations

import base64
import binascii
import filecmp
import mimetypes
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.artifacts import ArtifactStore
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.storage import contents
from labrig.storage.folder import Folder, closing, new_name
from labrig.workspace import Workspace

_HANDLE = re.compile(r"(?<!\w)sha256:[0-9a-f]{12,64}(?!\w)")
_NAME = re.compile(r"\w[\w.+@=, ()-]{0,99}")
"""A name as a server may give it for a file here: it is no path, and not hidden."""


@dataclass(frozen=True)
class Saved:
    """What was saved of one result.

    Attributes
    ----------
    blocks
        Files of the pictures, and of other bytes, by the place of the content block that held them.
    artifacts
        Files and folders of artifacts that are not among `blocks`, by handle.
    unsaved
        Why other artifacts could not be saved, by handle: those of a server elsewhere are not at hand.
    """

    blocks: dict[int, Path]
    artifacts: dict[str, Path]
    unsaved: dict[str, str]

    @property
    def paths(self) -> list[Path]:
        """All that was saved."""
        return [*self.blocks.values(), *self.artifacts.values()]


def made_folder(folder: Path) -> Path:
    """Return the folder, made if there is none; a LabrigError where nothing can be saved in it."""
    folder = folder.expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError("it cannot be written")
    except OSError as error:
        raise LabrigError(
            f"Nothing can be saved there: {error.strerror or error}",
            where=f"--save {folder}",
            expected="a folder that can be written",
        ) from error
    return folder


def content_of(block: Any) -> tuple[bytes, str] | None:
    """Return the bytes of a content block and their media type; None for a text and for what is no base64."""
    resource = getattr(block, "resource", None)
    data = getattr(resource, "blob", None) if resource is not None else getattr(block, "data", None)
    try:
        content = base64.b64decode(data, validate=True) if data is not None else None
    except (binascii.Error, ValueError):
        return None
    kind = getattr(resource if resource is not None else block, "mime_type", None)
    return None if content is None else (content, str(kind or "application/octet-stream"))


def handle_of(content: bytes) -> str:
    """Return the handle that an artifact of this content has."""
    return f"sha256:{sha256(content)[:16]}"


def save(result: Any, folder: Path, *, tool: str, given: str, workspace: Path | None) -> Saved:
    """Write the pictures of a result, and the artifacts that it names and the call did not, to a folder.

    Each has its own name there: the artifact's, that with which a picture's caption begins, or the tool's. What is
    there already stays: another file of its name gets a number (``plot-2.png``), and the same one is not written again.

    Parameters
    ----------
    given
        The arguments of the call as text: artifacts that they name are its inputs.
    workspace
        Of the server, where it is known; its artifacts are taken from there.
    """
    store = ArtifactStore(Workspace(workspace)) if workspace is not None else None
    blocks: dict[int, Path] = {}
    held: set[str] = set()
    for place, block in enumerate(result.content):
        if (found := content_of(block)) is None:
            continue
        content, kind = found
        held.add(sha256(content))
        name = _find_kept_name(store, content) or _read_caption(result.content, place, kind)
        name = name or f"{tool}-{len(blocks) + 1}{mimetypes.guess_extension(kind) or '.bin'}"
        blocks[place] = _write(folder, name, content)
    artifacts: dict[str, Path] = {}
    unsaved: dict[str, str] = {}
    for handle in dict.fromkeys(_HANDLE.findall(_join_texts(result))):
        if handle in given or any(each.startswith(handle.removeprefix("sha256:")) for each in held):
            continue
        try:
            if store is None:
                raise LabrigError("It lies with the server, whose workspace is not known here")
            artifacts[handle] = _copy(store, handle, folder)
        except LabrigError as error:
            unsaved[handle] = error.what
    return Saved(blocks, artifacts, unsaved)


def _join_texts(result: Any) -> str:
    """Return all texts of a result."""
    texts = [each.text for each in result.content if each.type == "text"]
    return "\n".join([*texts, repr(result.structured_content or "")])


def _find_kept_name(store: ArtifactStore | None, content: bytes) -> str:
    try:
        return store.get(f"sha256:{sha256(content)}").name if store is not None else ""
    except LabrigError:
        return ""


def _read_caption(content: list[Any], place: int, kind: str) -> str:
    """Return the file name with which the text below a picture begins (``plot.png: ...``), if it is one."""
    text = getattr(content[place + 1], "text", "") if place + 1 < len(content) else ""
    name = text.split("\n")[0].partition(":")[0].strip()
    return name if _NAME.fullmatch(name) and mimetypes.guess_type(name)[0] == kind else ""


def _write(folder: Path, name: str, content: bytes) -> Path:
    temporary = folder / new_name()
    try:
        temporary.write_bytes(content)
        return _place_file(temporary, folder, name)
    finally:
        temporary.unlink(missing_ok=True)


def _copy(store: ArtifactStore, handle: str, folder: Path) -> Path:
    """Copy an artifact, a file or a folder; one that no longer has its hash is refused."""
    temporary = new_name()
    with Folder.at(folder) as target, store.opened(handle) as opened:
        name = opened.artifact.name
        surveyed = contents.survey(opened.descriptor, name)
        try:
            if surveyed.kind == "folder":
                with target.below(temporary, make=True) as copy:
                    content = contents.read_content(opened.descriptor, surveyed, name, copy.descriptor)
            else:
                with closing(target.new(temporary)) as file:
                    content = contents.read_content(opened.descriptor, surveyed, name, file)
            if content.sha256 != opened.artifact.sha256:
                raise LabrigError("Its content was changed since it was kept", where=handle, code="refused")
            return _place_file(folder / temporary, folder, name)
        finally:
            target.delete(temporary)


def _place_file(temporary: Path, folder: Path, name: str) -> Path:
    """Give what was written its name, or the next one that is free; nothing that is there is replaced."""
    own = name.rpartition("/")[2].lstrip(".") or "artifact"
    for numbered in _number_names(own):
        target = folder / numbered
        try:
            if temporary.is_dir():
                target.mkdir()  # the name is ours, and empty
            else:
                target.touch(exist_ok=False)
            return temporary.replace(target)
        except FileExistsError:
            alike = temporary.is_file() and target.is_file() and not target.is_symlink()
            if alike and filecmp.cmp(temporary, target, shallow=False):
                return target
    raise AssertionError("names have no end")


def _number_names(name: str) -> Iterator[str]:
    """Yield ``plot.png``, ``plot-2.png``, ``plot-3.png``, .."""
    yield name
    stem, suffix = os.path.splitext(name)  # noqa: PTH122 - a name, not a path
    number = 2
    while True:
        yield f"{stem}-{number}{suffix}"
        number += 1
