"""Three tools for the files of a workspace, which any server may offer: write, read, list.

They are faithful tools: names, arguments and limits are those of the published ones.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig.artifacts import READ_BYTES
from labrig.errors import LabrigError
from labrig.storage import contents
from labrig.toolbox import DEFAULT_TOOLSET, Toolbox, session
from labrig.tools import large
from labrig.tools.lines import cut, lines_of
from labrig.tools.sources import Source, names_artifact, opened_source

WHOLE_FILE_CHARS = 20_000
"""`read_file` without a range gives files up to this size whole."""

EDGE_LINES = 80
"""... and of larger ones the first and last lines, this many each."""

RANGE_CHARS = 100_000
"""`read_file` with a range gives at most this much (characters)."""

MAX_LISTED = 500
WHOLE_BYTES = 64 << 20
"""Files up to this size are read into memory; of larger ones only what is shown."""

PathArgument = Annotated[str, Field(description="Relative path in the workspace.")]
SourceArgument = Annotated[str, Field(description="Relative path in the workspace, or an artifact's handle.")]


def offer(toolbox: Toolbox, *, such_as: str = "", toolsets: tuple[str, ...] = (DEFAULT_TOOLSET,)) -> None:
    """Add `write_file`, `read_file` and `list_file` to a toolbox.

    Parameters
    ----------
    such_as
        A file that callers of this server write, for the description: ``a model's input``.
    """
    example = f", such as {such_as}" if such_as else ""
    writes = toolbox.tool(
        title="Write a file",
        read_only=False,
        destructive=True,
        faithful=True,
        toolsets=toolsets,
        description=f"Write a text file in the workspace{example}. An existing file is replaced.",
    )
    writes(write_file)
    toolbox.tool(title="Read a file", read_only=True, faithful=True, toolsets=toolsets)(read_file)
    toolbox.tool(title="List files", read_only=True, faithful=True, toolsets=toolsets)(list_file)


def source_bytes(path: str) -> bytes:
    """Return a file of the workspace, or the artifact that a handle names, or a file in one that is a folder."""
    here = session()
    if not names_artifact(path):
        return here.workspace.read_bytes(path)
    if "/" not in path:
        return here.artifacts.read(path)
    with opened_source(path) as source:
        if source.size() > READ_BYTES:
            raise LabrigError(
                f"The file has {source.size():,} bytes",
                where=path,
                expected=f"at most {READ_BYTES:,} bytes",
                code="limit",
            )
        return source.read()


def source_text(path: str) -> str:
    """Return the same as text: UTF-8, undecodable bytes replaced."""
    return source_bytes(path).decode("utf-8", errors="replace")


async def write_file(
    path: PathArgument,
    content: Annotated[str, Field(description="Text of the file; replaces what was there.")],
) -> Published:
    """Write a text file in the workspace. An existing file is replaced."""
    session().workspace.write_text(path, content)
    lines = content.count("\n") + (not content.endswith("\n") if content else 0)
    return Published(f"Wrote {path}: {len(content)} characters, {lines} lines.")


async def read_file(
    path: SourceArgument,
    start_line: Annotated[int | None, Field(ge=1, description="First line, from 1.")] = None,
    end_line: Annotated[int | None, Field(ge=1, description="Last line, included.")] = None,
) -> Published:
    """Read a file of the workspace, or the lines start_line to end_line of it.

    Without a range, files up to 20,000 characters come whole, larger ones as their first and last 80 lines.
    A range gives at most 100,000 characters.
    """
    with opened_source(path, kind="any" if names_artifact(path) else "file") as source:
        if source.kind == "folder":
            return Published(_folder_listed(source))
        if source.size() > WHOLE_BYTES:
            return Published(await asyncio.to_thread(_of_large, source, start_line, end_line))
        lines = lines_of(source.read().decode("utf-8", errors="replace"))
    if start_line is None and end_line is None:
        return Published(_whole_or_edges(lines, path))
    first, last = start_line or 1, end_line or len(lines)
    if first > len(lines):
        raise LabrigError(
            f"The file has {len(lines)} lines", where=f"start_line {first}", expected="a line within it"
        )
    if last < first:
        raise LabrigError(
            "The range is empty", where=f"start_line {first}, end_line {last}", expected="start <= end"
        )
    return Published(_range_cut("\n".join(lines[first - 1 : last]), first))


def _range_cut(text: str, first: int) -> str:
    if len(text) <= RANGE_CHARS:
        return text
    kept = text[:RANGE_CHARS].rsplit("\n", 1)[0]
    reached = first + kept.count("\n")
    return f"{kept}\n[... cut at {RANGE_CHARS} characters; go on with start_line {reached + 1} ...]"


def _of_large(source: Source, start_line: int | None, end_line: int | None) -> str:
    """Return lines of a file that is not read into memory as a whole."""
    if start_line is None and end_line is None:
        count = large.count_lines(source)
        head = large.lines(source, 1, EDGE_LINES, WHOLE_FILE_CHARS // 2)
        tail = large.last_lines(source, EDGE_LINES, WHOLE_FILE_CHARS // 2)
        return f"{head}\n[... a file of {source.size():,} bytes, {count} lines; give a range ...]\n{tail}"
    first = start_line or 1
    if end_line is not None and end_line < first:
        raise LabrigError(
            "The range is empty", where=f"start_line {first}, end_line {end_line}", expected="start <= end"
        )
    text = large.lines(source, first, end_line, RANGE_CHARS + 1)
    if not text and first > (count := large.count_lines(source)):
        raise LabrigError(
            f"The file has {count} lines", where=f"start_line {first}", expected="a line within it"
        )
    return _range_cut(text, first)


def _folder_listed(source: Source) -> str:
    """Return the names of the files of a folder, as `list_file` does."""
    stamps = contents.survey(source.descriptor, source.named).stamps
    names = sorted(stamps)
    lines = [f"{source.named}/{name} ({stamps[name][1]} bytes)" for name in names[:MAX_LISTED]]
    if len(names) > MAX_LISTED:
        lines.append(f"[... {len(names) - MAX_LISTED} more files ...]")
    return "\n".join(lines)


def _whole_or_edges(lines: list[str], path: str) -> str:
    if sum(map(len, lines)) + len(lines) - 1 <= WHOLE_FILE_CHARS:
        return "\n".join(lines)
    if len(lines) <= 2 * EDGE_LINES:
        return cut("\n".join(lines), WHOLE_FILE_CHARS, path)
    head, tail = "\n".join(lines[:EDGE_LINES]), "\n".join(lines[-EDGE_LINES:])
    hidden = (
        f"[... lines {EDGE_LINES + 1} to {len(lines) - EDGE_LINES} of {len(lines)} omitted; give a range ...]"
    )
    return cut(f"{head}\n{hidden}\n{tail}", WHOLE_FILE_CHARS, path)


async def list_file() -> Published:
    """List the files of the workspace with their sizes in bytes, one a line."""
    entries = session().workspace.entries()
    lines = [f"{entry.path} ({entry.bytes} bytes)" for entry in entries[:MAX_LISTED]]
    if len(entries) > MAX_LISTED:
        lines.append(f"[... {len(entries) - MAX_LISTED} more files ...]")
    return Published("\n".join(lines) or "The workspace is empty.")
