"""From the frames of a child and the way it ended to a `Run` with a status."""

from __future__ import annotations

import contextlib
import json
import re
import signal
from dataclasses import dataclass, field
from typing import Any

from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.engine import frames as wire
from labrig_phreeqc.engine.library import Library
from labrig_phreeqc.engine.messages import split_messages
from labrig_phreeqc.engine.run import Cell, Limits, Run, SelectedOutput, Status
from labrig_phreeqc.input.statements import declared_files

_NOT_CONVERGED = re.compile(
    r"not converged|failed to converge|did not converge|numerical method failed", re.I
)
_NO_MEMORY = re.compile(r"bad_alloc|MemoryError|NULL pointer returned from malloc|out of memory", re.I)
_RUN_TIME = re.compile(r"^-+\nEnd of Run after \S+ Seconds\.\n-+$", re.MULTILINE)
_ERROR_LINE = re.compile(r"^ERROR:[^\n]*", re.MULTILINE)
_END_OF_RUN = "-----------\nEnd of Run.\n-----------"
_DEFAULT_FILE = re.compile(r"selected_\d+\.\d+\.out")


META: dict[str, type | tuple[type, ...]] = {
    "n_errors": int,
    "errors": str,
    "warnings": str,
    "components": list,
    "version": str,
    "output_bytes": int,
    "dump_bytes": int,
    "tables": list,
    "peak_bytes": int,
}
TABLE: dict[str, type | tuple[type, ...]] = {
    "user": int,
    "file": str,
    "columns": list,
    "rows": int,
    "kept": int,
    "text_bytes": int,
}
META_UNSEEN, META_VALUES = 1 << 20, 1_000_000
END_MOST = 1 << 50
END: dict[str, type | tuple[type, ...]] = {"cpu_s": (int, float), "max_rss_bytes": int}


@dataclass
class Ended:
    """How a child ended, as the fork server tells it."""

    exit: int = 0
    reason: str = ""
    cpu_s: float = 0.0
    max_rss_bytes: int = 0
    stderr: str = ""


@dataclass
class Result:
    """The frames of one child, put together."""

    meta: dict[str, Any] = field(default_factory=dict)
    output: bytes = b""
    dump: bytes = b""
    texts: list[bytes] = field(default_factory=list)
    rows: list[list[list[Cell]]] = field(default_factory=list)
    end: dict[str, Any] | None = None
    size: int = 0


def parse_frames(raw: bytearray) -> Result:
    """Return what the frames hold; what comes after a broken one is dropped."""
    result, position, view = Result(size=len(raw)), 0, memoryview(raw)
    while position + wire.FRAME.size <= len(raw):
        kind, length = wire.FRAME.unpack_from(raw, position)
        position += wire.FRAME.size
        payload = bytes(view[position : position + length])
        position += length
        if len(payload) < length or not _take(result, kind, payload):
            break
    return result


def _take(result: Result, kind: int, payload: bytes) -> bool:
    """Add one frame to a result; False for one that makes no sense, as a corrupted child may send."""
    try:
        match kind:
            case wire.META if len(payload) <= META_UNSEEN or values(payload) <= META_VALUES:
                result.meta = _typed(json.loads(payload), META)
                for table in result.meta["tables"]:
                    _typed(table, TABLE)
                if (
                    sum(max(1, len(each["columns"])) * each["kept"] for each in result.meta["tables"])
                    > wire.MAX_CELLS
                ):
                    raise ValueError("more cells than a run returns")
            case wire.OUTPUT:
                result.output = payload
            case wire.DUMP:
                result.dump = payload
            case wire.TEXT if len(result.texts) < len(result.meta.get("tables", ())):
                result.texts.append(payload)
                result.rows.append([])
            case wire.ROWS if result.rows:
                about = result.meta["tables"][len(result.rows) - 1]
                if len(payload) > wire.ROWS_BYTES:
                    return False
                rows = json.loads(payload)
                whole = all(
                    isinstance(row, list)
                    and len(row) == len(about["columns"])
                    and not any(isinstance(cell, (list, dict)) for cell in row)
                    for row in rows
                )
                if not whole or len(result.rows[-1]) + len(rows) > about["kept"]:
                    return False
                result.rows[-1] += rows
            case wire.END:
                end = _typed(json.loads(payload), END)
                if not all(0 <= end[name] < END_MOST for name in END):
                    raise ValueError("a run that no run can be")
                result.end = end
            case _:
                return False
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def values(payload: bytes) -> int:
    """Return about how many values a JSON text has, without making them: that may take thirty times its bytes."""
    bare = payload.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = bare.count(b'"')
    if quotes > META_VALUES:
        return quotes
    return sum(part.count(mark) for part in bare.split(b'"')[::2] for mark in (b",", b"[", b"{"))


def _typed(fields: Any, kinds: dict[str, type | tuple[type, ...]]) -> dict[str, Any]:
    """Return the fields of a message if each has the type it must have; TypeError if not."""
    if not isinstance(fields, dict) or not all(isinstance(fields.get(name), kinds[name]) for name in kinds):
        raise TypeError("a message of another shape")
    return fields


def assemble(
    text: str,
    result: Result,
    ended: Ended,
    library: Library,
    database: Database,
    limits: Limits,
    wall_s: float,
) -> Run:
    meta = result.meta
    output = result.output[: limits.output_bytes].decode("utf-8", errors="replace")
    output = output[:-200] + _RUN_TIME.sub(_END_OF_RUN, output[-200:])
    if meta.get("n_errors") and not meta["errors"]:  # with SELECTED_OUTPUT the library loses their text
        meta["errors"] = "\n".join(_ERROR_LINE.findall(output))
    errors = split_messages(meta.get("errors", ""), "ERROR", text, output)
    warnings = split_messages(meta.get("warnings", ""), "WARNING", text, output)
    status, detail = _judge(result, ended, bool(warnings), limits)
    return Run(
        status=status,
        output=output,
        errors=errors,
        warnings=warnings,
        selected=_tables(text, result),
        components=[str(name) for name in meta.get("components", [])],
        library=library,
        reported_version=meta.get("version", ""),
        database=database,
        cpu_s=ended.cpu_s,
        wall_s=wall_s,
        max_rss_bytes=ended.max_rss_bytes,
        detail=detail,
        dump=result.dump.decode("utf-8", errors="replace"),
    )


def _judge(result: Result, ended: Ended, warned: bool, limits: Limits) -> tuple[Status, str]:
    """Return the status of a run and, where needed, why."""
    if ended.reason == "wall_limit":
        return "wall_limit", f"ended after {limits.wall_s:g} s of wall time"
    if ended.reason == "cancelled":
        return "cancelled", "the engine was closed or the run was killed"
    if result.end is None:
        return _judge_death(ended, limits)
    meta = result.meta
    cut = _what_was_cut(result)
    if meta["n_errors"]:
        if _NO_MEMORY.search(meta["errors"]) or meta["peak_bytes"] > 0.97 * limits.memory_bytes:
            return "memory_limit", _memory_detail(limits)
        return ("not_converged" if _NOT_CONVERGED.search(meta["errors"]) else "input_error"), cut
    if cut:
        return "output_truncated", cut
    return ("ok_with_warnings" if warned else "ok"), ""


def _judge_death(ended: Ended, limits: Limits) -> tuple[Status, str]:
    """Return the status of a run whose process ended before its result was complete."""
    if ended.exit == -getattr(signal, "SIGXCPU", 0) or (ended.exit == -9 and ended.cpu_s >= limits.cpu_s):
        return "cpu_limit", f"ended after {limits.cpu_s:g} s of CPU time"
    if _NO_MEMORY.search(ended.stderr) or ended.max_rss_bytes > 0.8 * limits.memory_bytes:
        return "memory_limit", _memory_detail(limits)
    name = f"exit code {ended.exit}"
    if ended.exit < 0:
        with contextlib.suppress(ValueError):
            name = signal.Signals(-ended.exit).name
    words = " ".join(ended.stderr.split())[-300:]
    return "crashed", f"PHREEQC ended with {name}: {words}" if words else f"PHREEQC ended with {name}"


def _memory_detail(limits: Limits) -> str:
    return f"needed more than {limits.memory_bytes / (1 << 20):.0f} MiB of memory"


def _what_was_cut(result: Result) -> str:
    tables = result.meta["tables"]
    sent = len(result.output) + len(result.dump) + sum(map(len, result.texts))
    made = (
        result.meta["output_bytes"] + result.meta["dump_bytes"] + sum(each["text_bytes"] for each in tables)
    )
    cuts = [f"text cut to {sent} of {made} bytes"] if sent < made else []
    cuts += [
        f"SELECTED_OUTPUT {table['user']} cut to {table['kept']} of {table['rows']} rows"
        for table in tables
        if table["kept"] < table["rows"]
    ]
    return "; ".join(cuts)


def _tables(text: str, result: Result) -> list[SelectedOutput]:
    names: dict[int, list[str]] = {}
    for declaration in declared_files(text):
        if declaration.block == "SELECTED_OUTPUT":
            names.setdefault(declaration.user, []).append(declaration.name)
    tables = []
    for about, raw, rows in zip(result.meta.get("tables", []), result.texts, result.rows, strict=False):
        written = raw.decode("utf-8", errors="replace")
        file = "" if _DEFAULT_FILE.fullmatch(about["file"]) else about["file"]
        columns = [str(each) for each in about["columns"]]
        files = _by_file(written, names.get(about["user"], []))
        tables.append(SelectedOutput(about["user"], file, columns, rows, written, files))
    return tables


def _by_file(text: str, names: list[str]) -> dict[str, str]:
    """Cut the text of a number that was given several files, at the headings PHREEQC repeats.

    Empty unless there are as many headings as names; a name used again starts its file anew, as on disk.
    """
    if len(set(names)) < 2:
        return {}
    lines = text.splitlines(keepends=True)
    starts = [n for n, line in enumerate(lines) if line.strip() and not any(map(_is_number, line.split()))]
    if len(starts) != len(names):
        return {}
    stops = [*starts[1:], len(lines)]
    return {name: "".join(lines[a:b]) for name, a, b in zip(names, starts, stops, strict=True)}


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
