"""Changing one table of somebody's JSON or TOML file and nothing else.

JSON is edited as text, at the places a parser found, so that the user's spacing, escapes and number formats
stay; TOML goes through tomlkit, which keeps comments. Either way the result is parsed again and compared: an
edit that would change anything else is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from labrig import toml_text
from labrig.errors import LabrigError

Syntax = Literal["json", "toml"]
Entries = Mapping[str, Mapping[str, Any] | None]

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r'\n([ \t]+)"')
_LINE = re.compile(r"line (\d+)")
_DECODER = json.JSONDecoder()
_BOM = "\ufeff"
_BY_HAND = "add the entries by hand: `labrig install CLIENT --path NEW_FILE --dry-run` shows them"


def parse(text: str, syntax: Syntax, where: str) -> dict[str, Any]:
    """Return what a configuration says; an empty file says nothing.

    Raises
    ------
    LabrigError
        Naming the line, if the text cannot be parsed.
    """
    text = text.removeprefix(_BOM)
    if not text.strip():
        return {}
    try:
        value = json.loads(text) if syntax == "json" else toml_text.loads(text)
    except ValueError as error:
        line = _LINE.search(str(error))
        raise LabrigError(
            f"The file is not valid {syntax.upper()}, so nothing was changed: {error}",
            where=f"{where}, line {line[1]}" if line else where,
            expected="JSON without comments or trailing commas" if syntax == "json" else "",
            try_=f"correct that line, or {_BY_HAND}",
        ) from error
    if not isinstance(value, dict):
        raise LabrigError("The file is not a JSON object", where=where, expected='{"...": ...}')
    return value


def entries(text: str, syntax: Syntax, table: str, where: str) -> dict[str, Any]:
    """Return the entries of one top-level table; none where there is no such table."""
    found = parse(text, syntax, where).get(table, {})
    if not isinstance(found, dict):
        raise LabrigError(f"{table!r} is not a table", where=where, expected="one entry per server")
    return found


def change(text: str, syntax: Syntax, table: str, wanted: Entries, where: str) -> str:
    """Return the text with some entries of one table put in, or taken out where the entry is None.

    Raises
    ------
    LabrigError
        If the text cannot be parsed, or cannot be changed without changing something else.
    """
    before = parse(text, syntax, where)
    old = entries(text, syntax, table, where)
    edit = _edit_json if syntax == "json" else _edit_toml
    after = text
    for name, entry in wanted.items():
        if old.get(name) != entry:
            after = edit(after, table, name, entry)
    kept = {name: each for name, each in old.items() if name not in wanted}
    new = {**kept, **{name: entry for name, entry in wanted.items() if entry is not None}}
    if _drop_empty(parse(after, syntax, where), table) != _drop_empty({**before, table: new}, table):
        raise LabrigError(
            f"The entries cannot be put into {table!r} without changing something else",
            where=where,
            try_=_BY_HAND,
            code="refused",
        )
    return after


def _drop_empty(config: dict[str, Any], table: str) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key != table or value}


# JSON: the text is cut at the places where members begin and end.


class _Member(NamedTuple):
    key: str
    start: int
    value: int
    end: int


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing too


def _read_members(text: str, brace: int) -> tuple[list[_Member], int]:
    """Return the members of the object that opens at `brace`, and the place of its closing brace."""
    found: list[_Member] = []
    at = _skip(text, brace + 1)
    while text[at] != "}":
        start = _skip(text, at + 1) if text[at] == "," else at
        key, at = _DECODER.raw_decode(text, start)
        value = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(_Member(key, start, value, end))
        at = _skip(text, end)
    return found, at


def _edit_json(text: str, table: str, name: str, entry: Mapping[str, Any] | None) -> str:
    bom = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(bom)
    if not text.strip():
        text = "{}\n"
    root = _skip(text, 0)
    holders = [each for each in _read_members(text, root)[0] if each.key == table]
    if not holders:
        return bom + (text if entry is None else _append_json(text, root, table, {name: entry}, depth=1))
    brace = holders[-1].value  # of a key that occurs twice, parsers take the last
    found = [each for each in _read_members(text, brace)[0] if each.key == name]
    if entry is None:
        return bom + _drop_json(text, brace, name)
    if not found:
        return bom + _append_json(text, brace, name, entry, depth=2)
    return bom + text[: found[-1].value] + _render_json(text, entry, 2) + text[found[-1].end :]


def _append_json(text: str, brace: int, key: str, value: Any, depth: int) -> str:
    members, close = _read_members(text, brace)
    newline, unit = _read_style(text)
    member = newline + unit * depth + f"{json.dumps(key)}: {_render_json(text, value, depth)}"
    if members:
        return text[: members[-1].end] + "," + (member if newline else " " + member) + text[members[-1].end :]
    return text[: brace + 1] + member + newline + unit * (depth - 1) + text[close:]


def _drop_json(text: str, brace: int, name: str) -> str:
    while True:
        members, close = _read_members(text, brace)
        at = next((index for index, each in enumerate(members) if each.key == name), None)
        if at is None:
            return text
        if at > 0:
            start, end = members[at - 1].end, members[at].end
        elif len(members) > 1:
            start, end = members[0].start, members[1].start
        else:
            start, end = brace + 1, close
        text = text[:start] + text[end:]


def _render_json(text: str, value: Any, depth: int) -> str:
    newline, unit = _read_style(text)
    if not newline:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + unit * depth)


def _read_style(text: str) -> tuple[str, str]:
    """Return the newline and the unit of indentation, both empty in a file that is all one line."""
    indent = _INDENT.search(text)
    if indent is None and "\n" not in text.strip() and '"' in text:
        return "", ""
    return "\r\n" if "\r\n" in text else "\n", indent[1] if indent else "  "


# TOML: tomlkit keeps what it does not change.


def _edit_toml(text: str, table: str, name: str, entry: Mapping[str, Any] | None) -> str:
    bom = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(bom)
    try:
        document = tomlkit.parse(text)
        if table not in document:
            document[table] = tomlkit.table(is_super_table=True)
        holder: Any = document[table]
        if entry is None:
            del holder[name]
        else:
            inline = isinstance(holder, InlineTable)
            holder[name] = _make_toml_entry(entry, inline=inline, fresh=name not in holder)
        after = tomlkit.dumps(document)
    except (TOMLKitError, ValueError) as error:
        raise LabrigError(
            f"This TOML cannot be edited: {error}",
            where=table,
            try_=_BY_HAND,
            code="refused",
        ) from error
    if after.endswith("\n\n") and not text.endswith("\n\n"):
        after = after[:-1]  # the blank line is for a table that follows
    crlf = text.count("\r\n")
    if crlf and crlf == text.count("\n"):
        after = after.replace("\r\n", "\n").replace("\n", "\r\n")
    return bom + after


def _make_toml_entry(entry: Mapping[str, Any], *, inline: bool, fresh: bool) -> Any:
    made: Any = tomlkit.inline_table() if inline else tomlkit.table()
    for key, value in entry.items():
        if isinstance(value, Mapping):
            variables = tomlkit.inline_table()
            variables.update(value)
            made[key] = variables
        else:
            made[key] = value
    if not inline and fresh:
        made.add(tomlkit.nl())  # a blank line before the table that follows
    return made
