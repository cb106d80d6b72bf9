"""What a tool returns, or a refusal, as a result of MCP."""

from __future__ import annotations

import base64
import logging
import secrets
from collections.abc import Sequence
from typing import Any

import mcp_types
from fastmcp.tools import ToolResult

from labrig.answer import META_KEY, Answer, Picture, Pictures, Published
from labrig.calls import VOLATILE
from labrig.errors import LabrigError

log = logging.getLogger("labrig")


def tool_result(result: Any) -> ToolResult:
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


def defect(tool: str) -> LabrigError:
    """Log the exception being handled and return what the caller may know of it."""
    incident = secrets.token_hex(4)
    log.exception("incident %s in tool %s", incident, tool)
    return LabrigError(
        f"Labrig failed in {tool}: this is a defect, not something in your call",
        where=f"incident {incident}",
        try_="see the server's log (labrig doctor names it) and report it",
        code="internal",
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


def labelled(meta: dict[str, Any] | None, unrecorded: Sequence[str]) -> dict[str, Any]:
    """Say in a result's ``_meta`` which libraries asked the network past the ledger."""
    ours = dict((meta or {}).get(META_KEY, {}))
    return {**(meta or {}), META_KEY: ours | {"unrecorded": list(dict.fromkeys(unrecorded))}}


def with_volatile(meta: dict[str, Any] | None, volatile: dict[str, Any]) -> dict[str, Any]:
    meta = dict(meta or {})
    ours = dict(meta.get(META_KEY) or {})
    ours[VOLATILE] = {**(ours.get(VOLATILE) or {}), **volatile}
    meta[META_KEY] = ours
    return meta
