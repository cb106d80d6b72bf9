"""The call record ``labrig.call/1``: what was asked of a server and what came back, in full.

A log is a folder: ``calls.jsonl`` holds a line per call, ``blobs/`` each distinct result once. The
harness's recorder writes it, a server writes it with ``--log-calls``, replay and scoring read it. There
is no other record of a call.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labrig.answer import META_KEY
from labrig.canonical import canonical_json, content_hash, sha256
from labrig.errors import LabrigError
from labrig.redaction import redact, redact_bytes

SCHEMA = "labrig.call/1"
VOLATILE = "volatile"


@dataclass(frozen=True)
class CallRecord:
    """One call.

    Attributes
    ----------
    server, tool, arguments
        What was called; `arguments` as they were sent.
    result
        SHA-256 of the result blob, or empty when there was no result (the connection died).
    is_error
        MCP's ``isError``, or True when there was no result.
    error
        A `LabrigError` as data, or a protocol error as ``{"code", "what"}``; None for a success.
    tools_hash
        SHA-256 of the canonical tools/list, so that a changed tool set is seen.
    versions
        Of the server, of Labrig, of MCP.
    meta
        Times, durations and ids: outside every hash.
    """

    server: str
    tool: str
    arguments: dict[str, Any]
    result: str
    result_bytes: int
    is_error: bool
    error: dict[str, Any] | None
    tools_hash: str
    versions: dict[str, str]
    meta: dict[str, Any] = field(default_factory=dict)
    schema: str = SCHEMA

    @property
    def key(self) -> str:
        """What replay looks a call up by: the hash of server, tool and arguments."""
        return call_key(self.server, self.tool, self.arguments)


def call_key(server: str, tool: str, arguments: dict[str, Any]) -> str:
    """Return the replay key of a call (SHA-256 of the canonical form)."""
    return content_hash([server, tool, arguments])


def tools_hash(tools: list[dict[str, Any]]) -> str:
    """Return the SHA-256 of a tools/list result (the wire form of its tools, order kept)."""
    return content_hash(tools)


def split_volatile(result: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate a wire result (``content``, ``structuredContent``, ``isError``, ``_meta``) from times and ids.

    Only Labrig's own block is kept of ``_meta``: the rest belongs to the transport.
    """
    ours = dict((result.get("_meta") or {}).get(META_KEY) or {})
    volatile = ours.pop(VOLATILE, {})
    stable = {key: value for key, value in result.items() if key not in ("_meta", "resultType")}
    stable.setdefault("isError", False)
    if ours:
        stable["_meta"] = {META_KEY: ours}
    return stable, volatile


def _write(path: Path, data: bytes, flag: int) -> None:
    """Write bytes to a new file or to the end of one.

    Raises
    ------
    OSError
        Also when the file takes only a part, as on a full disk: what was written of a new file is then removed.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flag, 0o644)
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        if flag & os.O_EXCL:
            path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


class CallLog:
    """A folder of call records, appended to one line at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def append(
        self,
        *,
        server: str,
        tool: str,
        arguments: dict[str, Any],
        result: dict[str, Any] | None,
        error: dict[str, Any] | None,
        tools_hash: str,
        versions: dict[str, str],
        meta: dict[str, Any],
    ) -> CallRecord:
        """Write one call: the result as a blob, then its line, in that order; keys are left out of both."""
        blob, is_error = b"", True
        volatile: dict[str, Any] = {}
        if result is not None:
            stable, volatile = split_volatile(result)
            blob, is_error = redact_bytes(canonical_json(stable)), bool(stable["isError"])
            self.put(blob)
        record = CallRecord(
            server=server,
            tool=tool,
            arguments=arguments,
            result=sha256(blob) if result is not None else "",
            result_bytes=len(blob),
            is_error=is_error,
            error=error,
            tools_hash=tools_hash,
            versions=versions,
            meta={**volatile, **meta},
        )
        line = redact(json.dumps(vars(record), ensure_ascii=False, separators=(",", ":"))) + "\n"
        _write(self.folder / "calls.jsonl", line.encode("utf-8", "surrogatepass"), os.O_APPEND)
        return record

    def put(self, blob: bytes) -> str:
        """Keep a result and return its SHA-256; one that is there whole is not written again."""
        name = sha256(blob)
        path = self.folder / "blobs" / f"{name}.json"
        try:
            _write(path, blob, os.O_EXCL)
        except FileExistsError:
            if path.stat().st_size != len(blob):  # a process was killed while it wrote
                temporary = path.with_name(f".{secrets.token_hex(6)}")
                temporary.write_bytes(blob)
                temporary.replace(path)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            return self.put(blob)
        return name

    def __iter__(self) -> Iterator[CallRecord]:
        """Yield the records in the order they were written.

        Raises
        ------
        LabrigError
            For a line that is not a record of this schema, naming the line.
        """
        path = self.folder / "calls.jsonl"
        if not path.exists():
            return
        with path.open(encoding="utf-8", errors="surrogatepass") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    fields = json.loads(line)
                    if fields.get("schema") != SCHEMA:
                        raise ValueError(f"schema {fields.get('schema')!r}")
                    yield CallRecord(**fields)
                except (ValueError, TypeError, AttributeError) as error:
                    raise LabrigError(
                        f"This line is not a call record: {error}",
                        where=f"{path.name}:{number}",
                        expected=SCHEMA,
                    ) from error

    def result(self, record: CallRecord) -> dict[str, Any]:
        """Return a call's full result, checked against its hash."""
        path = self.folder / "blobs" / f"{record.result}.json"
        try:
            blob = path.read_bytes()
        except FileNotFoundError:
            raise LabrigError(
                "The result of this call is missing", where=path.name, code="not_found"
            ) from None
        if sha256(blob) != record.result:
            raise LabrigError("The stored result does not have its hash", where=path.name, code="refused")
        loaded: dict[str, Any] = json.loads(blob)
        return loaded
