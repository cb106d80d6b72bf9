"""Three tools for the files of a workspace, which any server may offer: write, read, list.

They are faithful tools: names, arguments and limits are those of the published ones.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.toolbox import DEFAULT_TOOLSET, Toolbox, session
from labrig.tools.lines import cut, lines_of

WHOLE_FILE_CHARS = 20_000
"""`read_file` without a range gives files up to this size whole."""

EDGE_LINES = 80
"""... and of larger ones the first and last lines, this many each."""

RANGE_CHARS = 100_000
"""`read_file` with a range gives at most this much (characters)."""

MAX_LISTED = 500

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
    """Return a file of the workspace, or the artifact that a handle names."""
    here = session()
    return here.artifacts.read(path) if path.startswith("sha256:") else here.workspace.read_bytes(path)


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
    lines = lines_of(source_text(path))
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
    text = "\n".join(lines[first - 1 : last])
    if len(text) > RANGE_CHARS:
        kept = text[:RANGE_CHARS].rsplit("\n", 1)[0]
        reached = first + kept.count("\n")
        text = f"{kept}\n[... cut at {RANGE_CHARS} characters; go on with start_line {reached + 1} ...]"
    return Published(text)


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
