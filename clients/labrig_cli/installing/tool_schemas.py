"""What model services refuse in the description of a tool: checked for every tool of every server.

One refused tool makes a service refuse the whole request, so nothing of a server could be used there. The rules are the
strictest of three services: OpenAI (function calling, without strict mode), Anthropic (tool use) and Gemini (function
declarations, whose `Schema` is a part of OpenAPI 3.0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")
"""OpenAI: 64 letters, digits, ``_`` and ``-``; Gemini: a letter or ``_`` comes first."""

PROPERTY = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}")
"""Anthropic: names of properties."""

LONGEST_DESCRIPTION = 1_024
"""OpenAI: characters of a function's description."""

AT_THE_TOP = ("anyOf", "oneOf", "allOf", "enum", "not")
"""OpenAI and Anthropic: not beside ``type: object`` of the arguments."""

UNKNOWN_TO_GEMINI = (
    "$ref",
    "$defs",
    "oneOf",
    "allOf",
    "not",
    "const",
    "prefixItems",
    "patternProperties",
    "if",
)


def refused(tool: Mapping[str, Any]) -> list[str]:
    """Return a line for each thing that a model service refuses in a tool of a tools/list answer.

    Parameters
    ----------
    tool
        With ``name``, ``description`` and ``inputSchema`` (JSON Schema).
    """
    name, description, schema = str(tool["name"]), str(tool.get("description", "")), tool["inputSchema"]
    said = []
    if not NAME.fullmatch(name):
        said.append("the name is refused by OpenAI and Gemini")
    if not description.strip():
        said.append("it has no description")
    if len(description) > LONGEST_DESCRIPTION:
        said.append(f"OpenAI refuses a description of {len(description)} characters")
    if schema.get("type") != "object":
        said.append("the arguments are no object")
    said += [f"OpenAI and Anthropic refuse {key} at the top" for key in AT_THE_TOP if key in schema]
    return [f"{name}: {each}" for each in (*said, *_find_refused(schema, "arguments"))]


def _find_refused(schema: Mapping[str, Any], place: str) -> Iterator[str]:
    """Give what is refused in a schema and in those within it."""
    yield from (f"{place}: Gemini does not know {key}" for key in UNKNOWN_TO_GEMINI if key in schema)
    kind = schema.get("type")
    if isinstance(kind, list):
        yield f"{place}: Gemini wants one type, not {kind}"
    if kind == "array" and not schema.get("items"):
        yield f"{place}: OpenAI and Gemini want the items of an array"
    for choice in schema.get("enum", ()):
        if not isinstance(choice, str) or not choice:
            yield f"{place}: Gemini refuses {choice!r} in an enum"
    for name, inner in schema.get("properties", {}).items():
        if not PROPERTY.fullmatch(name):
            yield f"{place}: Anthropic refuses the name {name!r}"
        yield from _find_refused(inner, f"{place}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            yield from _find_refused(schema[key], f"{place}[{key}]")
    for number, inner in enumerate(schema.get("anyOf", ())):
        yield from _find_refused(inner, f"{place}|{number}")
