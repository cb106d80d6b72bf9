"""What a server's tool says of a run: a small Answer, with files and figures as artifacts, and its pictures."""

from __future__ import annotations

import contextlib
import json
import mimetypes
from dataclasses import replace
from typing import Any

from labrig.answer import ANSWER_BYTES, Answer, Image, Pictures, Quantity, json_bytes, with_fewer_warnings
from labrig.artifacts import ArtifactStore
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.plotting.images import look
from labrig.sandbox.results import Result
from labrig.tools.cursor import fitting

TEXT_CHARACTERS = 6_000
"""Characters of output that an Answer shows, at most; all that was kept is an artifact then."""
LEAST_CHARACTERS = 400
LISTED_BYTES = 3_000
"""Of the files that an Answer names where it would be too large; all of them are listed in an artifact then."""
LEAST_WARNINGS = 12
"""Warnings that an Answer keeps where it would be too large."""
MOST_PICTURES = 4
"""Pictures of one run that are shown; each has at most `labrig.plotting.images.MAX_BYTES`."""


def answer(
    result: Result,
    *,
    code: str,
    artifacts: ArtifactStore,
    source: str,
    inputs: dict[str, str] | None = None,
) -> Answer:
    """Return the Answer for a run; its files, and output that is too long, are put into `artifacts`.

    What finds no room there is named in a warning; the rest of the answer does not depend on it.

    Parameters
    ----------
    source
        One line of provenance, such as the packages' versions.
    inputs
        What the code could read: name -> SHA-256; it goes into the artifacts' manifests.
    """
    made_by = {"tool": "sandbox", "code": sha256(code), "backend": result.backend, "status": result.status}
    kept: list[dict[str, Any]] = []
    lost: list[str] = []
    for name, content in result.files.items():
        try:
            put = artifacts.put(
                name, content, media_type=_media_type(name), made_by=made_by, inputs=inputs or {}
            )
        except LabrigError as error:
            lost.append(f"{name} was not kept: {error}")
        else:
            kept.append(put.to_dict() | ({"figure": True} if name in result.figures else {}))
    text = _streams(result)
    shown = text
    whole: dict[str, Any] = {}
    if len(text) > TEXT_CHARACTERS:
        try:
            whole = _whole(text, artifacts, made_by)
        except LabrigError as error:
            lost.append(f"the whole output was not kept: {error}")
        else:
            kept.insert(0, whole)
        shown = _middle_cut(text, TEXT_CHARACTERS, whole)
    limited = result.status not in ("ok", "error", "exit")
    answered = Answer(
        source=f"{source}; sandbox {result.backend}",
        status=result.status,
        values=() if result.status == "ok" else (Quantity("exit code", result.exit_code),),
        text=shown,
        warnings=(*((result.detail,) if limited else ()), *result.notes, *left_out(result), *lost),
        artifacts=tuple(kept),
        record=_record(result, code),
        failed=result.failed,
    )
    return _small(answered, text, whole, artifacts, made_by)


def _small(
    answered: Answer,
    text: str,
    whole: dict[str, Any],
    artifacts: ArtifactStore,
    made_by: dict[str, Any],
) -> Answer:
    """Return the answer within `ANSWER_BYTES`: fewer files, named in one that lists them all, and less of the text."""
    if json_bytes(answered.to_dict()) <= ANSWER_BYTES:
        return answered
    if json_bytes(list(answered.artifacts)) > LISTED_BYTES:
        answered = _listed(answered, artifacts, made_by)
    answered = with_fewer_warnings(answered, least=LEAST_WARNINGS)
    if not whole and json_bytes(answered.to_dict()) > ANSWER_BYTES:
        with contextlib.suppress(LabrigError):  # no room: the text says that the rest was not kept
            whole = _whole(text, artifacts, made_by)
            answered = replace(answered, artifacts=(whole, *answered.artifacts))
    characters = min(len(text), TEXT_CHARACTERS)
    while json_bytes(answered.to_dict()) > ANSWER_BYTES and characters > LEAST_CHARACTERS:
        characters = characters * 4 // 5
        answered = replace(answered, text=_middle_cut(text, characters, whole))
    return answered


def _whole(text: str, artifacts: ArtifactStore, made_by: dict[str, Any]) -> dict[str, Any]:
    """Put all output into an artifact, and return it as an Answer lists it."""
    return artifacts.put("output.txt", text.encode(), media_type="text/plain", made_by=made_by).to_dict()


def _listed(answered: Answer, artifacts: ArtifactStore, made_by: dict[str, Any]) -> Answer:
    """Return the answer with as many files as have room, output and pictures first, and a file that lists all."""
    first = ("output.txt", ".png", ".jpg", ".jpeg")
    kept = sorted(answered.artifacts, key=lambda each: not each["name"].lower().endswith(first))
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in answered.artifacts)
    shown = kept[: fitting(kept, LISTED_BYTES - 200)]
    said = f"{len(kept) - len(shown)} of {len(kept)} files are not shown"
    try:
        listing = artifacts.put(
            "files.jsonl", lines.encode(), media_type="application/x-ndjson", made_by=made_by
        )
    except LabrigError as error:
        return replace(answered, artifacts=tuple(shown), warnings=(*answered.warnings, f"{said}: {error}"))
    said += f"; {listing.handle} (files.jsonl) lists all with their handles"
    return replace(answered, artifacts=(*shown, listing.to_dict()), warnings=(said, *answered.warnings))


def pictured(answered: Answer, result: Result) -> Answer | Pictures:
    """Return the answer of a run with the pictures that its code left, for a tool declared with ``picture=True``.

    Shown are PNG and JPEG files, at most `MOST_PICTURES`: figures that were open at the end first, then the others in
    order of their paths. Which were not shown, and why, is a warning; all of them are among the artifacts. A run that
    failed shows none, since services take no image in a result that is an error.
    """
    if result.failed:
        return answered
    handles = {each["name"]: each["handle"] for each in answered.artifacts}
    candidates = [name for name in result.files if name.lower().endswith((".png", ".jpg", ".jpeg"))]
    images: list[Image] = []
    hidden: list[str] = []
    for name in sorted(candidates, key=lambda name: name not in result.figures):
        if len(images) == MOST_PICTURES:
            hidden.append(f"{name} is not shown: only {MOST_PICTURES} pictures are")
            continue
        found = look(result.files[name])
        if isinstance(found, str):
            hidden.append(f"{name} is not shown: {found}")
            continue
        caption = f"{name}: {found.width} x {found.height} pixels"
        if drawn := result.figures.get(name):
            caption += f". {drawn}"
        images.append(Image(result.files[name], caption, handles.get(name, ""), found.media_type))
    if len(hidden) > MOST_PICTURES:
        hidden = [*hidden[:MOST_PICTURES], f"{len(hidden) - MOST_PICTURES} more pictures are not shown"]
    answered = replace(answered, warnings=(*answered.warnings, *hidden))
    return Pictures(tuple(images), answered) if images else answered


def _streams(result: Result) -> str:
    """Output, then what went to standard error under a heading of its own."""
    if not result.error:
        return result.output
    gap = "" if not result.output or result.output.endswith("\n") else "\n"
    return f"{result.output}{gap}--- standard error ---\n{result.error}"


def _middle_cut(text: str, characters: int, whole: dict[str, Any]) -> str:
    """Return head and tail of an output, and between them what is missing and in which artifact it is kept."""
    head, tail = characters * 3 // 4, characters // 4
    left = len(text) - head - tail
    where = f"see {whole['handle']}" if whole else "which were not kept"
    return f"{text[:head]}\n[... {left:,} characters, {where} ...]\n{text[-tail:]}"


def left_out(result: Result) -> list[str]:
    """Return a line for each sort of thing that was left out of a result."""
    said = {
        "output": "bytes of standard output were left out",
        "error": "bytes of standard error were left out",
        "files": "files were not taken: too large, too many, or not regular files with printable names",
        "figures": "open figures were not saved",
    }
    return [f"{count:,} {said[name]}" for name, count in result.cut.items()]


def _media_type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _record(result: Result, code: str) -> dict[str, Any]:
    volatile = {
        "cpu_s": round(result.cpu_s, 3),
        "wall_s": round(result.wall_s, 3),
        "max_rss_bytes": result.max_rss_bytes,
    }
    return {
        "code_sha256": sha256(code),
        "backend": result.backend,
        "status": result.status,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "volatile": volatile,
    }
