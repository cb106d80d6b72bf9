"""One byte form for JSON, so that equal things have equal hashes."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def canonical_json(value: Any) -> bytes:
    """Return UTF-8 JSON with sorted keys and no spaces (the form of RFC 8785 but for number text).

    Numbers are written as Python's `repr` does, the shortest form that reads back to the same double.

    Raises
    ------
    ValueError
        For NaN and infinities, which JSON does not have.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8", "surrogatepass")


def sha256(data: bytes | str) -> str:
    """Return the SHA-256 of bytes, or of text as UTF-8, as 64 hex digits."""
    return hashlib.sha256(
        data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    ).hexdigest()


def content_hash(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form."""
    return sha256(canonical_json(value))


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file; unchanged files (time and size) are hashed once."""
    stat = path.stat()
    return _file_sha256(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=64)
def _file_sha256(path: Path, mtime_ns: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
