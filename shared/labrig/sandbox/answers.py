"""What a server's tool says of a run: an Answer that is small, with files and figures as artifacts."""

from __future__ import annotations

import mimetypes
from typing import Any

from labrig.answer import Answer, Quantity
from labrig.artifacts import ArtifactStore
from labrig.canonical import sha256
from labrig.sandbox.results import Result

TEXT_CHARACTERS = 6_000
"""Characters of output that an Answer shows; all that was kept is an artifact then."""


def answer(
    result: Result,
    *,
    code: str,
    artifacts: ArtifactStore,
    source: str,
    inputs: dict[str, str] | None = None,
) -> Answer:
    """Return the Answer for a run; its files, and output that is too long, are put into `artifacts`.

    Parameters
    ----------
    source
        One line of provenance, such as the packages' versions.
    inputs
        What the code could read: name -> SHA-256; it goes into the artifacts' manifests.
    """
    made_by = {"tool": "sandbox", "code": sha256(code), "backend": result.backend, "status": result.status}
    kept = [
        artifacts.put(
            name, content, media_type=_media_type(name), made_by=made_by, inputs=inputs or {}
        ).to_dict()
        | ({"figure": True} if name in result.figures else {})
        for name, content in result.files.items()
    ]
    text = _streams(result)
    if len(text) > TEXT_CHARACTERS:
        whole = artifacts.put("output.txt", text.encode(), media_type="text/plain", made_by=made_by)
        kept.insert(0, whole.to_dict())
        text = _middle_cut(text, whole.handle)
    limited = result.status not in ("ok", "error", "exit")
    return Answer(
        source=f"{source}; sandbox {result.backend}",
        status=result.status,
        values=() if result.status == "ok" else (Quantity("exit code", result.exit_code),),
        text=text,
        warnings=(*((result.detail,) if limited else ()), *result.notes, *left_out(result)),
        artifacts=tuple(kept),
        record=_record(result, code),
        failed=result.failed,
    )


def _streams(result: Result) -> str:
    """Output, then what went to standard error under a heading of its own."""
    if not result.error:
        return result.output
    gap = "" if not result.output or result.output.endswith("\n") else "\n"
    return f"{result.output}{gap}--- standard error ---\n{result.error}"


def _middle_cut(text: str, handle: str) -> str:
    head, tail = TEXT_CHARACTERS * 3 // 4, TEXT_CHARACTERS // 4
    left = len(text) - head - tail
    return f"{text[:head]}\n[... {left:,} characters, see {handle} ...]\n{text[-tail:]}"


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
