"""What stands around each call: its session and its turn, refusals as results, and the call log."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import os
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError, ValidationError
from fastmcp.server.dependencies import get_access_token, get_http_request
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.tools import ToolResult
from pydantic import ValidationError as PydanticValidationError

from labrig import __version__
from labrig.answer import META_KEY
from labrig.artifacts import ArtifactStore, holding
from labrig.calls import CallLog, tools_hash
from labrig.canonical import sha256
from labrig.config import home
from labrig.errors import LabrigError, nearest, unknown_name
from labrig.former_names import followers_of
from labrig.http import outside
from labrig.jobs import Jobs
from labrig.serving.door import come_in
from labrig.serving.gc import hold
from labrig.serving.meaning import meant
from labrig.serving.results import defect, error_result, labelled, wire_result, with_volatile
from labrig.serving.telling import Telling
from labrig.toolbox import ServeOptions, Session, Toolbox, _session
from labrig.turns import LOCAL, OWNER, Turns
from labrig.workspace import Workspace, fresh_workspace

MOST_TOLD = 6
"""Wrong arguments that a refusal names."""
CANCELLED = {"code": "cancelled", "what": "the client cancelled the call"}
CALLS_AT_ONCE, CALLS_ALONE, MOST_CALLS = 8, 64, 10_000
"""Calls of one caller (token) that are worked on at a time while another calls, too; while none does; and of all."""


class Face(Middleware):
    """Gives each call its session, turns refusals into results, and keeps the call log."""

    def __init__(
        self, toolbox: Toolbox, options: ServeOptions, schemas: dict[str, dict[str, Any]], own: set[str]
    ) -> None:
        self._toolbox = toolbox
        self._options = options
        self._schemas = schemas
        self._own = own
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
        schema = self._schemas.get(name, {})
        known = schema.get("properties", {})
        arguments = _few_unknown(context.message.arguments or {}, known)
        owner = self._owner()
        with contextlib.suppress(RuntimeError):  # over stdio there is no request
            await come_in(get_http_request().scope)
        telling = Telling(context.fastmcp_context)
        try:
            meaning = meant(arguments, schema) if name in self._own else arguments
            context = context.copy(message=context.message.model_copy(update={"arguments": meaning}))
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
                    result.meta = labelled(result.meta, unrecorded)
            finally:
                OWNER.reset(whose)
                _session.reset(token)
                await telling.end()
        except ValidationError as error:
            result = error_result(_argument_error(error, name, list(known)))
        except NotFoundError:
            result = error_result(_no_tool(name, self._schemas))
        except LabrigError as error:
            result = error_result(error)
        except asyncio.CancelledError:
            if self._log is not None:
                await asyncio.shield(self._write_record(context, name, arguments, None, started))
            raise
        except Exception:
            result = error_result(defect(name))
        if not isinstance(result, ToolResult):
            raise TypeError("a tool call ended without a tool result")
        result.meta = with_volatile(result.meta, {"duration_s": round(time.monotonic() - clock, 4)})
        if self._log is not None:
            await self._write_record(context, name, arguments, result, started)
        return result

    def _owner(self) -> str:
        access = get_access_token()
        return sha256(access.token)[:32] if access is not None else LOCAL

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


def _no_tool(name: str, known: Collection[str]) -> LabrigError:
    """Return the refusal of a tool that is not there; of one that had this name, with those that followed it."""
    followed = [each for each in followers_of(name) if each in known]
    if not followed:
        return unknown_name("tool", name, known)
    by = f"{name} has become {', '.join(followed)}"
    return LabrigError(
        by, where=name, expected=f"one of {', '.join(known)}", try_=followed[0], code="not_found"
    )


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
