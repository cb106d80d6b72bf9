"""Descriptions of many tables as one: which have the same columns, and where the others differ."""

from __future__ import annotations

from collections import Counter
from typing import Any

from labrig.answer import json_bytes
from labrig.tables import Description

MOST_KINDS = 12
"""Kinds of tables that are described; of further ones files are counted."""

MOST_LEVELS = 20
"""Different texts of a column over all files that are named."""

NAMED = 3
"""Files of a kind that are named."""


def combine(found: list[tuple[str, Description]], most_bytes: int) -> dict[str, Any]:
    """Return what tables hold together.

    Parameters
    ----------
    found
        Path and description of each.
    most_bytes
        Of the result as JSON: columns of the rarer kinds are left out before, then the rarest kinds; both are counted.
        Columns of the commonest kind have half of it.

    Returns
    -------
    dict
        ``kinds``, the commonest first: files with the same columns in the same order (name, unit, and number, text or
        date) with ``files``, ``such_as``, ``rows`` of all, ``columns`` (range, missing and distinct values over all),
        ``not_described``, sheets or tables besides the first one with how many files have them, and ``differs``, how
        they differ from the first kind. Types integer and number are one.
    """
    kinds: dict[tuple[Any, ...], list[tuple[str, Description]]] = {}
    for path, description in found:
        kinds.setdefault(tuple(map(_key, description.columns)), []).append((path, description))
    ordered = sorted(kinds.values(), key=lambda files: -len(files))
    first = ordered[0][0][1].columns if ordered else []
    data: dict[str, Any] = {"kinds": [_kind(files, first) for files in ordered[:MOST_KINDS]]}
    if further := ordered[MOST_KINDS:]:
        data["further_kinds"] = {
            "kinds": len(further),
            "files": sum(map(len, further)),
            "such_as": [files[0][0] for files in further[:NAMED]],
        }
    for kind in data["kinds"][:1]:
        _shorten(kind, kind["columns"], most_bytes // 2)
    for kind in reversed(data["kinds"][1:]):
        _shorten(kind, data, most_bytes)
    while len(data["kinds"]) > 1 and json_bytes(data) > most_bytes:
        left = data["kinds"].pop()
        told = data.setdefault("further_kinds", {"kinds": 0, "files": 0, "such_as": left["such_as"][:1]})
        told["kinds"], told["files"] = told["kinds"] + 1, told["files"] + left["files"]
    for kind in data["kinds"]:
        _shorten(kind, data, most_bytes)
    return data


def _shorten(kind: dict[str, Any], what: Any, most_bytes: int) -> None:
    """Leave out columns of a kind until something has no more than `most_bytes`; a list of them is this kind's own."""
    columns = kind["columns"]
    while columns and json_bytes(what) > most_bytes:
        kind["columns_altogether"] = kind.get("columns_altogether", len(columns))
        del columns[len(columns) // 2 :]


def _key(column: dict[str, Any]) -> tuple[str, str, str]:
    kind = str(column["type"])
    return str(column["name"]), str(column.get("unit", "")), "number" if kind == "integer" else kind


def _kind(files: list[tuple[str, Description]], first: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one kind of table: its files, and its columns over all of them."""
    descriptions = [each for _, each in files]
    rows = [each.rows for each in descriptions]
    kind: dict[str, Any] = {"files": len(files), "such_as": [path for path, _ in files[:NAMED]]}
    if differs := _differences(descriptions[0].columns, first):
        kind["differs"] = differs
    if None not in rows:
        kind["rows"] = sum(each for each in rows if each is not None)
    kind["format"] = ", ".join(dict.fromkeys(each.format for each in descriptions))
    kind["columns"] = [
        _over_all(list(column)) for column in zip(*(d.columns for d in descriptions), strict=True)
    ]
    if others := Counter(name for each in descriptions for name in _others(each)):
        kind["not_described"] = dict(others.most_common(MOST_LEVELS))
    if notes := Counter(note for each in descriptions for note in each.notes):
        kind["notes"] = [f"{note} ({count} files)" for note, count in notes.most_common(5)]
    return kind


def _others(description: Description) -> list[str]:
    """Return the sheets of a workbook, or the tables of a database, besides the one that was described."""
    about = description.about
    chosen = {about.get("sheet"), about.get("table")}
    return [name for name in (*about.get("sheets", ()), *about.get("tables", ())) if name not in chosen]


def _differences(columns: list[dict[str, Any]], first: list[dict[str, Any]]) -> list[str]:
    """Say how columns differ from those of the first kind; nothing where they are the same."""
    here = {name: (unit, kind) for name, unit, kind in map(_key, columns)}
    there = {name: (unit, kind) for name, unit, kind in map(_key, first)}
    said = []
    if lacking := [name for name in there if name not in here]:
        said.append(f"without {', '.join(lacking[:MOST_LEVELS])}")
    if further := [name for name in here if name not in there]:
        said.append(f"with {', '.join(further[:MOST_LEVELS])}")
    for name in [each for each in here if each in there][:MOST_LEVELS]:
        (unit, kind), (usual_unit, usual_kind) = here[name], there[name]
        if unit != usual_unit:
            said.append(f"{name} in {unit or 'no unit'}, not {usual_unit or 'no unit'}")
        if kind != usual_kind:
            said.append(f"{name} is {kind}, not {usual_kind}")
    shared = [name for name in there if name in here]
    if not said and shared != [name for name in here if name in there]:
        said.append(f"in another order: {', '.join(list(here)[:MOST_LEVELS])}")
    return said


def _over_all(columns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one column over all files that have it."""
    kinds = {str(each["type"]) for each in columns}
    found: dict[str, Any] = {
        "name": columns[0]["name"],
        "type": "number" if len(kinds) > 1 else kinds.pop(),
    }
    found |= {key: columns[0][key] for key in ("unit", "under") if columns[0].get(key)}
    found |= {
        key: total for key in ("values", "missing") if (total := sum(each.get(key, 0) for each in columns))
    }
    codes = dict.fromkeys(code for each in columns for code in each.get("missing_as", []))
    if codes:
        found["missing_as"] = list(codes)[:MOST_LEVELS]
    lows, highs = ([each[key] for each in columns if key in each] for key in ("min", "max"))
    if lows and highs:
        found["min"], found["max"] = min(lows), max(highs)
    levels: Counter[str] = Counter()
    for each in columns:
        if isinstance(each.get("distinct"), dict):
            levels.update(each["distinct"])
    if any("distinct" in each for each in columns):
        known = all(isinstance(each.get("distinct"), dict) for each in columns if "distinct" in each)
        found["distinct"] = (
            dict(levels.most_common()) if known and len(levels) <= MOST_LEVELS else f"more than {MOST_LEVELS}"
        )
    if notes := list(dict.fromkeys(note for each in columns for note in each.get("notes", []))):
        found["notes"] = notes[:NAMED]
    return found
