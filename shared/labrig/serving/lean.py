"""The short form of tools in tools/list: what a client would assume anyway is not said.

Names, types and defaults stay. Left out are an empty default, null beside another type where that is the default, that
further arguments are refused and, of published tools, which come by dozens, the usual place of a result, and hints that
mean nothing beside another or say what is on the safe side anyway. What a tool accepts does not change: null still
stands for an argument that is not given.
"""

from __future__ import annotations

from typing import Any

import mcp_types

EMPTY: tuple[Any, ...] = (None, False, "", [], {})
NULL = {"type": "null"}
PLACES = ("./", "https://")
"""Begin the usual place of a result, which the answer names, and the address of the one service that is asked."""


def lean_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments in short form."""
    kept = {key: value for key, value in schema.items() if key not in ("properties", "additionalProperties")}
    return {**kept, "properties": {name: _lean(each) for name, each in schema.get("properties", {}).items()}}


def lean_hints(hints: mcp_types.ToolAnnotations) -> mcp_types.ToolAnnotations:
    """Return the hints of a tool, without that it may be repeated, since clients assume that it may not.

    Of one that only reads, what it might destroy is left out too: the protocol gives that no meaning then.
    """
    return mcp_types.ToolAnnotations(
        read_only_hint=hints.read_only_hint,
        destructive_hint=None if hints.read_only_hint else hints.destructive_hint,
        open_world_hint=hints.open_world_hint,
    )


def _lean(argument: dict[str, Any]) -> dict[str, Any]:
    found = {key: value for key, value in argument.items() if not _is_assumed(key, value)}
    if isinstance(found.get("items"), dict):
        found["items"] = _lean(found["items"])
    # Beside another default null says something: list_directory(depth=null) lists all levels.
    null_is_default = argument.get("default") in EMPTY
    options = [_lean(each) for each in found.get("anyOf", []) if each != NULL or not null_is_default]
    if len(options) == 1:
        del found["anyOf"]
        return {**options[0], **found}
    if options:
        found["anyOf"] = options
    return found


def _is_assumed(key: str, value: Any) -> bool:
    """Tell whether a part of an argument's schema is what a client assumes, or finds in the tool's answer."""
    if key == "additionalProperties":
        return value is True
    if key != "default":
        return False
    if isinstance(value, str) and value.startswith(PLACES):
        return True
    return any(value is empty or (value == empty and type(value) is type(empty)) for empty in EMPTY)
