"""What a tools list says of a server that is attacked: its paths, texts and numbers, and which tool reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Schema = dict[str, Any]
FOLDER_NAMES = ("folder", "prefix", "directory")
PATH_NAMES = ("path", "file", "files", "paths", *FOLDER_NAMES)


class Listed:
    """The tools of a server.

    Parameters
    ----------
    tools
        As the protocol gives them: ``name``, ``inputSchema``, ``annotations``.
    known
        Right arguments of tools, where they are known.
    """

    def __init__(
        self, tools: Iterable[dict[str, Any]], known: Mapping[str, list[dict[str, Any]]] | None = None
    ) -> None:
        self.schemas: dict[str, Schema] = {
            each["name"]: {"properties": {}, "required": [], **each["inputSchema"]} for each in tools
        }
        self._known = known or {}
        self._read_only = {
            each["name"] for each in tools if (each.get("annotations") or {}).get("readOnlyHint")
        }

    @property
    def quiet(self) -> str:
        """A tool that changes nothing and needs no arguments; empty where there is none."""
        fitting = [name for name in self._read_only if not self.schemas[name]["required"]]
        return min(fitting, key=lambda name: (len(self.schemas[name]["properties"]), name), default="")

    @property
    def reads(self) -> str:
        """A tool that reads a file by its path."""
        return self._first(
            name
            for name, schema in self.schemas.items()
            if name in self._read_only and schema["required"] == ["path"]
        )

    @property
    def writes(self) -> str:
        """A tool that writes a content to a path."""
        return self._first(
            name for name, schema in self.schemas.items() if set(schema["required"]) == {"path", "content"}
        )

    def _first(self, names: Iterable[str]) -> str:
        return next(iter(names), "")

    def file_calls(self, path: str) -> list[tuple[str, dict[str, Any]]]:
        """Return a call of every tool that reads a file, with this path as each of its path arguments."""
        calls = []
        for tool, schema in self.schemas.items():
            paths = [name for name, about in schema["properties"].items() if is_path(name, about)]
            if paths and "content" not in schema["properties"]:
                given = {name: _put(path, schema["properties"][name]) for name in paths}
                calls.append((tool, self._right(tool, paths) | given))
        return calls

    def lists(self, tool: str) -> bool:
        """Tell whether a tool lists what is below a folder, whose answer may be that there is nothing, or a link."""
        properties = self.schemas[tool]["properties"]
        return all(name in FOLDER_NAMES for name, about in properties.items() if is_path(name, about))

    def argument_calls(self, values: Any, *, in_turn: bool = False) -> list[tuple[str, dict[str, Any]]]:
        """Return a call of every tool for each of its arguments and each value that is made from its schema.

        Null is sent where an argument is needed alone: elsewhere it stands for one that is left out. With `in_turn` an
        argument gets one value, and the next one the next; arguments of one name get the same, so that what a tool
        opens under a name another one ends.
        """
        calls: list[tuple[str, dict[str, Any]]] = []
        turns: dict[str, int] = {}
        for tool, schema in self.schemas.items():
            for name, about in schema["properties"].items():
                made = [value for value in values(about) if value is not None or name in schema["required"]]
                if in_turn and made:
                    made = [made[turns.setdefault(name, len(turns)) % len(made)]]
                calls += [(tool, self._right(tool) | {name: value}) for value in made]
        return calls

    def _right(self, tool: str, names: Sequence[str] = ()) -> dict[str, Any]:
        """Return what a tool needs beside these arguments: what a known call with all of them has, else its schema."""
        known = [each for each in self._known.get(tool, []) if names and each.keys() >= set(names)]
        needed = {name: self.something(tool, name) for name in self.schemas[tool]["required"]}
        return needed | (known[0] if known else {})

    def something(self, tool: str, name: str) -> Any:
        """Return a value for an argument: a known one, else one that fits its schema."""
        for known in self._known.get(tool, []):
            if name in known:
                return known[name]
        schema = self.schemas[tool]
        return _fitting(schema["properties"][name], schema)


def is_path(name: str, about: Schema) -> bool:
    """Tell whether an argument names a file: by its name, its format, or its description."""
    named = name in PATH_NAMES or name.endswith(("_path", "_file"))
    said = about.get("format") in ("path", "file-path") or "workspace" in about.get("description", "")
    return (named or said) and _takes_text(about)


def _takes_text(about: Schema) -> bool:
    return bool({"string", "array"} & types(about)) and "enum" not in about


def types(about: Schema) -> set[str]:
    """Return the JSON types that an argument may have."""
    if "enum" in about or "const" in about or "$ref" in about:
        return {"enum"}
    if "anyOf" in about:
        return set().union(*map(types, about["anyOf"]))
    named = about.get("type", "any")
    return set(named) if isinstance(named, list) else {named}


def _put(path: str, about: Schema) -> Any:
    return path if "string" in types(about) else [path]


def _fitting(about: Schema, schema: Schema) -> Any:
    if "$ref" in about:
        about = schema["$defs"][about["$ref"].rpartition("/")[2]]
    if "enum" in about:
        return about["enum"][0]
    match about.get("type"):
        case "array":
            return [_fitting(about.get("items", {}), schema)]
        case "object":
            properties = about.get("properties", {})
            return {name: _fitting(properties[name], schema) for name in about.get("required", [])}
        case "integer" | "number":
            return about.get("minimum", 1)
        case "boolean":
            return False
    return "pH"
