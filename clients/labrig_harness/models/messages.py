"""Between MCP and a model: tools as it is offered them, the arguments it writes, results as it is shown them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from labrig_harness.agent import ToolResult

if TYPE_CHECKING:
    from pydantic_ai.messages import BinaryContent, ModelResponse, ModelResponsePart
    from pydantic_ai.tools import ToolDefinition

DEEPEST = 100
"""Levels of nesting in arguments; from about 250 the MCP packages cannot send them (pydantic's own limit)."""
NOT_JSON = "NOT_JSON"
"""The one argument of a call whose arguments were none, in the history that the model is given back."""
DEEP = f"nested deeper than {DEEPEST} levels"


def read_arguments(raw: str | dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return a call's arguments, or None and why they are none.

    >>> read_arguments('{"a": 1}'), read_arguments("[1]")
    (({'a': 1}, ''), (None, 'a list'))
    """
    try:
        value = (
            json.loads(raw, parse_constant=_refuse_constant)
            if isinstance(raw, str) and raw.strip()
            else raw or {}
        )
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        return None, "half of a surrogate pair stands in a text"
    except RecursionError:
        return None, DEEP
    except ValueError as error:
        return None, str(error)[:200]
    if not _is_shallow(value, DEEPEST):
        return None, DEEP
    return (value, "") if isinstance(value, dict) else (None, f"a {type(value).__name__}")


def _is_shallow(value: object, levels: int) -> bool:
    """Return whether nothing in a value is nested deeper than some levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels >= 0 and all(_is_shallow(each, levels - 1) for each in inner)


def written(arguments: dict[str, Any]) -> str:
    """Return arguments that cannot be used as a text, for the record."""
    try:
        return json.dumps(arguments)
    except (ValueError, RecursionError):
        return f"({DEEP})"


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def as_history(response: ModelResponse) -> ModelResponse:
    """Return a reply as it can be handed back to the model: what no request can carry is replaced.

    Services reject a request whose history holds a name with other characters than these; and the library cannot
    write arguments that are no JSON. Either would end the run as a failure of the service.
    """
    from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart

    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            raw = cast("str | dict[str, Any]", part.args or {})
            fields: dict[str, Any] = {"tool_name": sendable_name(part.tool_name)}
            if read_arguments(raw)[0] is None:
                fields["args"] = {NOT_JSON: as_utf8(raw if isinstance(raw, str) else written(raw))}
            part = replace(part, **fields)
        elif isinstance(part, (TextPart, ThinkingPart)):
            part = replace(part, content=as_utf8(part.content))
        parts.append(part)
    return replace(response, parts=parts)


def sendable_name(name: str) -> str:
    """Return a tool's name as every service takes it back: letters, digits, ``_`` and ``-``, at most 64."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


def as_utf8(text: str) -> str:
    """Return a text without halves of surrogate pairs, which JSON can carry and no file can."""
    return text.encode("utf-8", "replace").decode("utf-8")


def definition(tool: dict[str, Any]) -> ToolDefinition:
    from pydantic_ai.tools import ToolDefinition

    schema = tool.get("inputSchema") or {"type": "object", "properties": {}}
    # Without strict decoding: a service that enforces the schema would hide a model's mistakes from the record.
    return ToolDefinition(
        name=tool["name"], description=tool.get("description"), parameters_json_schema=schema, strict=False
    )


def content(result: ToolResult, *, images: bool) -> str | list[str | BinaryContent]:
    """Return what the model is given of a result: its texts in order, images as images where it takes them.

    structuredContent is sent only where there is nothing else: our servers' texts say the same in full.
    """
    parts = [_convert_part(each, images) for each in result.content]
    if not parts:
        if result.text or result.structured is None:
            return result.text
        return json.dumps(result.structured, ensure_ascii=False)
    texts = [each for each in parts if isinstance(each, str)]
    shown = [each for each in parts if not isinstance(each, str)]
    text = "\n".join(texts)
    return [text, *shown] if shown else text


def _convert_part(part: dict[str, Any], images: bool) -> str | BinaryContent:
    from pydantic_ai.messages import BinaryContent

    kind = part.get("type")
    if kind == "text":
        return str(part.get("text", ""))
    if kind == "image" and images:
        try:
            data = base64.b64decode(part.get("data", ""), validate=True)
        except (binascii.Error, ValueError, TypeError):
            return "[an image that cannot be read]"
        return BinaryContent(data, media_type=str(part.get("mimeType", "image/png")))
    if kind == "resource" and isinstance(text := (part.get("resource") or {}).get("text"), str):
        return text
    return f"[{kind} {part.get('mimeType') or part.get('uri') or ''}: not shown]"
