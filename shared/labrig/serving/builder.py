"""From a `Toolbox` to a FastMCP server: sessions, refusals, annotations, call log."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import hmac
import inspect
import itertools
import logging
import os
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import mcp_types
from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError, ValidationError
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.server.dependencies import get_access_token
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.tools import FunctionTool, ToolResult
from pydantic import ValidationError as PydanticValidationError

from labrig import __version__
from labrig.answer import ANSWER_SCHEMA, META_KEY, Answer, Picture, Pictures, Published
from labrig.artifacts import ArtifactStore, holding
from labrig.calls import VOLATILE, CallLog, tools_hash
from labrig.canonical import sha256
from labrig.config import home
from labrig.errors import LabrigError, Lacking, nearest, unknown_name
from labrig.http import outside
from labrig.jobs import Jobs
from labrig.serving.gate import Slowed, let_in
from labrig.serving.gc import hold
from labrig.serving.lean import lean_hints, lean_schema
from labrig.serving.telling import Telling
from labrig.toolbox import ServeOptions, Session, Tool, Toolbox, ToolSpec, _session, session
from labrig.turns import OWNER, Turns
from labrig.workspace import Workspace, fresh_workspace

log = logging.getLogger("labrig")
MOST_TOLD = 6
"""Wrong arguments that a refusal names."""
CANCELLED = {"code": "cancelled", "what": "the client cancelled the call"}


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
    tools = [_mcp_tool(spec, options.output is None) for spec in specs]
    face = _Face(toolbox, options, {tool.name: tool.parameters.get("properties", {}) for tool in tools})
    server: FastMCP[Any] = FastMCP(
        toolbox.name,
        instructions=toolbox.instructions,
        version=toolbox.version,
        lifespan=face.lifespan,
        middleware=[face],
        auth=BearerTokens(options.tokens) if options.tokens else None,
        mask_error_details=True,
        on_duplicate="error",
    )
    for tool in tools:
        server.add_tool(tool)
    return server


def _check_folders(options: ServeOptions) -> None:
    """Refuse now, not at the first call, folders that are none."""
    Workspace(Path(), options.roots)
    if options.workspace is not None:
        try:
            options.workspace.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=options.workspace):
                pass
        except OSError as error:
            raise LabrigError(
                f"The workspace cannot be used: {error.strerror}",
                where=f"--workspace {options.workspace}",
                expected="a folder that can be written",
                code="unavailable",
            ) from error


@functools.cache
def _mcp_tool(spec: ToolSpec, with_output: bool) -> FunctionTool:
    """Return the MCP form of a declared tool; a fixed output protocol leaves its schema.

    Servers of one process share it: what takes the time is the model that pydantic makes of the arguments.
    """
    hints = mcp_types.ToolAnnotations(
        read_only_hint=spec.read_only,
        destructive_hint=spec.destructive,
        idempotent_hint=spec.idempotent,
        open_world_hint=spec.open_world,
    )
    made = FunctionTool.from_function(
        _answering(spec, set() if with_output else {"output"}),
        name=spec.name,
        title=spec.title,
        description=spec.description,
        annotations=hints,
        output_schema=None if spec.faithful or spec.picture else ANSWER_SCHEMA,
    )
    if not spec.faithful:
        return made
    lean = {"parameters": lean_schema(made.parameters), "annotations": lean_hints(hints)}
    return made.model_copy(update=lean)


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
            return _tool_result(result)
        except LabrigError as error:
            return error_result(error)
        except (Exception, SystemExit):
            return error_result(_defect(spec.name))

    if hidden:
        signature = inspect.signature(function)
        kept = [each for each in signature.parameters.values() if each.name not in hidden]
        call.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        call.__annotations__ = {
            key: each for key, each in function.__annotations__.items() if key not in hidden
        }
    return call


def _defect(tool: str) -> LabrigError:
    """Log the exception being handled and return what the caller may know of it."""
    incident = secrets.token_hex(4)
    log.exception("incident %s in tool %s", incident, tool)
    return LabrigError(
        f"Labrig failed in {tool}: this is a defect, not something in your call",
        where=f"incident {incident}",
        try_="see the server's log (labrig doctor names it) and report it",
        code="internal",
    )


def _tool_result(result: Any) -> ToolResult:
    if isinstance(result, Answer):
        return ToolResult(
            content=[_text(result.render())],
            structured_content=_sendable(result.to_dict()),
            meta={META_KEY: result.record} if result.record else None,
            is_error=result.failed,
        )
    if isinstance(result, Published):
        meta = {"status": result.status, "source": result.source, **result.record}
        return ToolResult(
            content=[_text(result.text)],
            meta={META_KEY: _sendable(meta)},
            is_error=result.failed,
        )
    if isinstance(result, Picture):
        return ToolResult(
            content=[_image(result.png, "image/png"), _text(result.caption)],
            meta={META_KEY: _sendable({"status": "ok", "source": result.source, **result.record})},
        )
    if isinstance(result, Pictures):
        return _shown(result)
    raise TypeError(f"a tool returned {type(result).__name__}, not Answer, Published, Picture or Pictures")


def _shown(result: Pictures) -> ToolResult:
    """Each picture with its caption below it, then the answer's text."""
    content: list[Any] = []
    for image in result.images:
        caption = f"{image.caption} ({image.handle})" if image.handle else image.caption
        content += [_image(image.data, image.media_type), _text(caption)]
    answer = result.answer
    return ToolResult(
        content=[*content, _text(answer.render())],
        meta={META_KEY: _sendable({"status": answer.status, "source": answer.source, **answer.record})},
        is_error=answer.failed,
    )


def _image(data: bytes, media_type: str) -> mcp_types.ImageContent:
    return mcp_types.ImageContent(
        type="image", data=base64.b64encode(data).decode("ascii"), mime_type=media_type
    )


def _text(text: str) -> mcp_types.TextContent:
    return mcp_types.TextContent(type="text", text=_sendable(text))


def _sendable(value: Any) -> Any:
    """Replace what JSON over UTF-8 cannot carry: half surrogate pairs, which would kill the connection."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_sendable(key): _sendable(each) for key, each in value.items()}
    return [_sendable(each) for each in value] if isinstance(value, list | tuple) else value


def error_result(error: LabrigError) -> ToolResult:
    """Return a refusal as an MCP result: text for the model, the fields under ``_meta``."""
    return ToolResult(
        content=[_text(str(error))],
        meta={META_KEY: {"error": _sendable(error.to_dict())}},
        is_error=True,
    )


CALLS_AT_ONCE, CALLS_ALONE, MOST_CALLS = 8, 64, 10_000
"""Calls of one caller (token) that are worked on at a time while another calls, too; while none does; and of all."""


class _Face(Middleware):
    """Gives each call its session, turns refusals into results, and keeps the call log."""

    def __init__(
        self, toolbox: Toolbox, options: ServeOptions, parameters: dict[str, dict[str, Any]]
    ) -> None:
        self._toolbox = toolbox
        self._options = options
        self._parameters = parameters
        self._stores: dict[str, ArtifactStore] = {}
        self._held: list[Any] = []
        # One processor stays free for calls that somebody waits for.
        slots = toolbox.job_slots or max(1, (os.cpu_count() or 1) - 1)
        self._jobs = Jobs(max_running=slots, max_queued=toolbox.job_places)
        self._calls = Turns(
            "The server", CALLS_AT_ONCE, places=MOST_CALLS, most=MOST_CALLS, alone=CALLS_ALONE
        )
        self._waits = {spec.name for spec in toolbox.specs if spec.waits}
        self._state: Any = None
        self._tools_hash = ""
        self._log = None
        if options.log_calls is not None:
            options.log_calls.mkdir(parents=True, exist_ok=True)
            self._log = CallLog(options.log_calls)

    @asynccontextmanager
    async def lifespan(self, server: FastMCP[Any]) -> AsyncIterator[dict[str, Any]]:
        async with self._toolbox.opens(self._options) as state:
            self._state = state
            try:
                yield {}
            finally:
                await self._jobs.close()
                for held in self._held:
                    held.__exit__(None, None, None)

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: Any) -> ToolResult:
        started, clock = time.time(), time.monotonic()
        name = context.message.name
        schema = self._parameters.get(name, {})
        arguments = _few_unknown(context.message.arguments or {}, schema)
        context = context.copy(message=context.message.model_copy(update={"arguments": arguments}))
        owner = self._owner()
        telling = Telling(context.fastmcp_context)
        try:
            store = self._store(owner)
            token = _session.set(
                Session(
                    owner,
                    store.workspace,
                    store,
                    self._jobs,
                    self._options,
                    self._state,
                    functools.partial(self._toolbox.setting, self._options),
                    telling.progress,
                )
            )
            whose = OWNER.set(owner)
            try:
                with outside.collecting() as unrecorded, holding():
                    async with contextlib.nullcontext() if name in self._waits else self._calls.turn():
                        result = await call_next(context)
                if unrecorded and isinstance(result, ToolResult):
                    result.meta = _labelled(result.meta, unrecorded)
            finally:
                OWNER.reset(whose)
                _session.reset(token)
                await telling.end()
        except ValidationError as error:
            result = error_result(_argument_error(error, name, list(self._parameters[name])))
        except NotFoundError:
            result = error_result(unknown_name("tool", name, self._parameters))
        except LabrigError as error:
            result = error_result(error)
        except asyncio.CancelledError:
            if self._log is not None:
                await asyncio.shield(self._write_record(context, name, arguments, None, started))
            raise
        except Exception:
            result = error_result(_defect(name))
        if not isinstance(result, ToolResult):
            raise TypeError("a tool call ended without a tool result")
        result.meta = _with_volatile(result.meta, {"duration_s": round(time.monotonic() - clock, 4)})
        if self._log is not None:
            await self._write_record(context, name, arguments, result, started)
        return result

    def _owner(self) -> str:
        access = get_access_token()
        return sha256(access.token)[:32] if access is not None else "local"

    def _store(self, owner: str) -> ArtifactStore:
        """Return the artifacts of a caller, and with them her workspace."""
        if owner not in self._stores:
            if self._options.workspace is not None:
                folder = self._options.workspace.expanduser().resolve()
            elif self._options.tokens:
                folder = home() / "workspaces" / self._toolbox.name
            else:
                folder = fresh_workspace(self._toolbox.name)
            if self._options.tokens:
                folder = folder / f"token-{owner}"
            workspace = Workspace(folder, self._options.roots)
            lock = hold(workspace.folder)
            try:
                lock.__enter__()
            except OSError as error:
                raise LabrigError(
                    f"No workspace can be made: {error.strerror}",
                    where=str(workspace.folder),
                    try_="--workspace DIR, or LABRIG_HOME at a folder that can be written",
                    code="unavailable",
                ) from error
            self._held.append(lock)
            self._stores[owner] = ArtifactStore(workspace)
        return self._stores[owner]

    async def _write_record(
        self,
        context: MiddlewareContext[Any],
        name: str,
        arguments: dict[str, Any],
        result: ToolResult | None,
        started: float,
    ) -> None:
        assert self._log is not None
        if not self._tools_hash:
            fastmcp_context = context.fastmcp_context
            assert fastmcp_context is not None
            tools = await fastmcp_context.fastmcp.list_tools()
            wire = [
                each.to_mcp_tool().model_dump(by_alias=True, mode="json", exclude_none=True) for each in tools
            ]
            self._tools_hash = tools_hash(wire)
        await asyncio.to_thread(
            self._log.append,
            server=self._toolbox.name,
            tool=name,
            arguments=arguments,
            result=wire_result(result) if result is not None else None,
            error=((result.meta or {}).get(META_KEY) or {}).get("error") if result is not None else CANCELLED,
            tools_hash=self._tools_hash,
            versions={"labrig": __version__, self._toolbox.name: self._toolbox.version},
            meta={"started": datetime.fromtimestamp(started).astimezone().isoformat(timespec="milliseconds")},
        )


def wire_result(result: ToolResult) -> dict[str, Any]:
    """Return a tool result as it goes over the wire."""
    wire: dict[str, Any] = {
        "content": [
            each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in result.content
        ],
        "isError": result.is_error,
    }
    if result.structured_content is not None:
        wire["structuredContent"] = result.structured_content
    if result.meta:
        wire["_meta"] = result.meta
    return wire


def _labelled(meta: dict[str, Any] | None, unrecorded: Sequence[str]) -> dict[str, Any]:
    """Say in a result's ``_meta`` which libraries asked the network past the ledger."""
    ours = dict((meta or {}).get(META_KEY, {}))
    return {**(meta or {}), META_KEY: ours | {"unrecorded": list(dict.fromkeys(unrecorded))}}


def _with_volatile(meta: dict[str, Any] | None, volatile: dict[str, Any]) -> dict[str, Any]:
    meta = dict(meta or {})
    ours = dict(meta.get(META_KEY) or {})
    ours[VOLATILE] = {**(ours.get(VOLATILE) or {}), **volatile}
    meta[META_KEY] = ours
    return meta


def _few_unknown(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out unknown arguments beyond the first few that a refusal names: pydantic makes an error of each."""
    unknown = itertools.islice((key for key in arguments if key not in schema), MOST_TOLD)
    kept = {*schema, *unknown}
    return {key: value for key, value in arguments.items() if key in kept}


def _argument_error(error: ValidationError, tool: str, parameters: list[str]) -> LabrigError:
    """Say which arguments are wrong, and how, in our own words."""
    cause = error.__cause__
    if not isinstance(cause, PydanticValidationError):
        return LabrigError(f"The arguments of {tool} cannot be used", expected="see the tool's schema")
    said, places, hints = [], [], []
    for fault in cause.errors(include_url=False):
        place = ".".join(str(part) for part in fault["loc"])
        places.append(place)
        if fault["type"] in ("missing", "missing_argument"):
            said.append(f"{place} is missing")
        elif fault["type"] == "unexpected_keyword_argument":
            said.append(f"{place} is not one of them")
            hints += [f"{name} instead of {place}" for name in nearest(place, parameters, n=1)]
        else:
            given = repr(fault.get("input"))
            given = given if len(given) <= 80 else given[:77] + "..."
            said.append(f"{place}: {fault['msg']}, not {given}")
    return LabrigError(
        f"The arguments of {tool} are not right: " + "; ".join(said[:MOST_TOLD]),
        where=", ".join(dict.fromkeys(places[:MOST_TOLD])),
        expected=("the arguments " + ", ".join(parameters)) if parameters else "no argument",
        try_=", ".join(hints),
    )


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
