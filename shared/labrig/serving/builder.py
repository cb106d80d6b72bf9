"""From a `Toolbox` to a FastMCP server: its tools in their MCP form, and who may call them."""

from __future__ import annotations

import functools
import hmac
import inspect
import tempfile
from pathlib import Path
from typing import Any

import mcp_types
from fastmcp import FastMCP
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.tools import FunctionTool, ToolResult

from labrig.answer import Picture, Pictures
from labrig.canonical import sha256
from labrig.errors import LabrigError, Lacking
from labrig.serving.face import Face
from labrig.serving.gate import Slowed, let_in
from labrig.serving.gc import hold
from labrig.serving.lean import lean_hints, lean_schema
from labrig.serving.results import defect, error_result, tool_result
from labrig.serving.tested import describe_standing
from labrig.toolbox import ServeOptions, Tool, Toolbox, ToolSpec, session
from labrig.workspace import Workspace

MOST_LISTED = 1_000
"""Tools on a page of tools/list: all of them; with a size FastMCP refuses a cursor that it did not give."""


def build(toolbox: Toolbox, options: ServeOptions | None = None) -> FastMCP[Any]:
    """Return the MCP server of a toolbox.

    Raises
    ------
    LabrigError
        If the options name a toolset, tool or output protocol that does not exist.
    """
    options = options or ServeOptions()
    specs = toolbox.select(options)
    _check_folders(options)
    tools = [listed_form(spec, options.output is None) for spec in specs]
    own = {spec.name for spec in specs if not spec.faithful}
    face = Face(toolbox, options, {tool.name: tool.parameters for tool in tools}, own)
    server: FastMCP[Any] = FastMCP(
        toolbox.name,
        instructions=toolbox.instructions,
        version=toolbox.version,
        lifespan=face.lifespan,
        middleware=[face],
        auth=BearerTokens(options.tokens) if options.tokens else None,
        mask_error_details=True,
        on_duplicate="error",
        list_page_size=MOST_LISTED,
    )
    server._mcp_server.title = toolbox.title
    for tool in tools:
        server.add_tool(tool)
    # Without this the SDK lists all tools for each call over HTTP, to look at one schema: 19 of 20 ms for Earth.
    server._mcp_server.get_tool_input_schema = {tool.name: tool.parameters for tool in tools}.get
    return server


def _check_folders(options: ServeOptions) -> None:
    """Refuse now, not at the first call, paths that are no folders."""
    Workspace(Path(), options.roots)
    if options.workspace is not None:
        try:
            folder = options.workspace.expanduser().resolve()
            with hold(folder), tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise LabrigError(
                f"The workspace cannot be used: {error.strerror}",
                where=f"--workspace {options.workspace}",
                expected="a folder that can be written",
                code="unavailable",
            ) from error


@functools.cache
def listed_form(spec: ToolSpec, with_output: bool = True) -> FunctionTool:
    """Return the MCP form of a declared tool; a fixed output protocol leaves its schema.

    Servers of one process share it: what takes the time is the model that pydantic makes of the arguments.
    """
    hints = mcp_types.ToolAnnotations(
        read_only_hint=spec.read_only,
        destructive_hint=spec.destructive,
        idempotent_hint=spec.idempotent,
        open_world_hint=spec.open_world,
    )
    made = Listed.from_function(
        _answering(spec, set() if with_output else {"output"}),
        name=spec.name,
        title=spec.title,
        description=spec.description,
        annotations=hints,
        output_schema=None,  # that of an Answer is the same for all: docs/contracts.md
        meta=_make_meta(spec) or None,
    )
    lean: dict[str, Any] = {"parameters": lean_schema(made.parameters)}
    if spec.faithful:
        lean["annotations"] = lean_hints(hints)
    return made.model_copy(update=lean)


def _make_meta(spec: ToolSpec) -> dict[str, Any]:
    """Return what a client is told of a tool and no model reads: how it was tested; how Claude Code finds it."""
    meta = describe_standing(spec.function.__module__.partition(".")[0], spec.name)
    if spec.first:
        meta["anthropic/alwaysLoad"] = True
    if spec.words:
        meta["anthropic/searchHint"] = spec.words
    return meta


class Listed(FunctionTool):
    """A tool whose ``_meta`` has what was given to it alone: FastMCP adds its tags, of which we have none."""

    def get_meta(self) -> dict[str, Any]:
        """Return the meta information; None, which the list leaves out, where there is none."""
        return self.meta or None  # type: ignore[return-value]


def _answering(spec: ToolSpec, hidden: set[str]) -> Tool:
    """Wrap a tool's function: results and refusals become MCP results, anything else is masked."""
    function = spec.function

    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> ToolResult:
        try:
            try:
                result = await function(*args, **kwargs)
            except Lacking as lacking:
                from labrig.sideenv import first_use  # most servers lack nothing

                await first_use.bring(lacking, session().progress)
                result = await function(*args, **kwargs)
            if isinstance(result, Picture | Pictures) and not spec.picture:
                raise TypeError(f"{spec.name} returned pictures and is not declared with picture=True")
            return tool_result(result)
        except LabrigError as error:
            return error_result(error)
        except (Exception, SystemExit):
            return error_result(defect(spec.name))

    if hidden:
        signature = inspect.signature(function)
        kept = [each for each in signature.parameters.values() if each.name not in hidden]
        call.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        call.__annotations__ = {
            key: each for key, each in function.__annotations__.items() if key not in hidden
        }
    return call


class BearerTokens(TokenVerifier):
    """Accepts the configured bearer tokens, compared in constant time; another one is refused after a wait."""

    def __init__(self, tokens: tuple[str, ...]) -> None:
        super().__init__()
        self._tokens = tuple(each.encode() for each in tokens)
        self._wrong = Slowed()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that a token gives, or None."""
        given = token.encode("utf-8", "surrogateescape")
        matches = [hmac.compare_digest(given, each) for each in self._tokens]
        if any(matches):
            let_in()
            return AccessToken(token=token, client_id=sha256(token)[:32], scopes=[])
        await self._wrong.wait()
        return None
