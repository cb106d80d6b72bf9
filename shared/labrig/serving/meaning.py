"""Arguments of a call as they were meant, before they are checked: spellings that can mean one thing alone.

Models know tools by their schemas and by a thousand other programs, and write `bbox` for `box`, null for what they do
not give, a list as JSON text. Each of these is taken where it can mean one argument alone; all else stays as it was
given, for the check that refuses it by name. A published tool takes what it was published with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from labrig.errors import unknown_name

NULL = {"type": "null"}
SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "box bbox bounding_box bounds extent aoi",
        "data file path file_path filepath filename file_name input input_file dataset source pdf paper document",
        "files paths file_paths inputs datasets",
        "text query q search search_term term keywords pattern words phrase",
        "most limit max_results max_count n_results top_k count",
        "start start_date start_time begin from from_date time_start origin",
        "end end_date end_time until to to_date time_end destination",
        "variable var variable_name band_name parameter",
        "variables vars variable_names parameters",
        "where filter filters conditions",
        "other other_data second overlay hazard layer2",
        "columns column fields",
        "column attribute field property name",
        "compare operator op comparison",
        "value values",
        "unit units",
        "crs epsg srs projection target_crs",
        "polygons zones regions areas",
        "statistic stat aggregation reducer",
        "statistics stats",
        "every frequency freq period resample",
        "by group_by groupby",
        "mode profile travel_mode",
        "code script python source_code",
        "database db database_file",
        "job job_id id",
        "place address location city query",
        "symbol ticker coin",
        "title page article topic",
        "pages page page_number page_numbers",
        "kind type",
        "analyses analysis samples waters solutions",
    )
)
"""Words that stand for one another, where a tool has one of them alone."""


def meant(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as its tool names and types them.

    Parameters
    ----------
    schema
        Of all arguments, a JSON schema of an object.

    Raises
    ------
    LabrigError
        For a key in an object that has none of that name, with those that it has.
    """
    return _keyed(_inward(arguments, schema), schema, "")


def _inward(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Put keys that one of the tool's objects alone has, and which stand beside it, into it."""
    known = schema.get("properties", {})
    objects = {name: each["properties"] for name, each in known.items() if _has_keys(each)}
    found = dict(arguments)
    for key in [key for key in arguments if _same(key, known) is None]:
        homes = [name for name, keys in objects.items() if _same(key, keys)]
        if not homes and _synonym(key, known, arguments) is None:
            homes = [name for name, keys in objects.items() if _synonym(key, keys, {})]
        inside = found.get(homes[0]) if len(homes) == 1 else ()
        if inside is None or (isinstance(inside, Mapping) and key not in inside):
            found[homes[0]] = {**(inside or {}), key: found.pop(key)}
    return found


def _keyed(given: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return an object with its keys and values as the schema has them."""
    known = schema.get("properties", {})
    found: dict[str, Any] = {}
    for said, value in given.items():
        name = _same(said, known) or _synonym(said, known, given)
        if name is None or (name != said and name in given):
            if place and not isinstance(schema.get("additionalProperties"), Mapping):
                raise unknown_name("key", said, known, where=place)
            found[said] = value
        elif value is not None:
            found[name] = _value(value, known[name], f"{place}, {said}" if place else said)
        elif name in schema.get("required", ()) or NULL in known[name].get("anyOf", ()):
            found[name] = value  # to be refused by name, or to say what it says beside another default
    return found


def _same(said: str, known: Mapping[str, Any]) -> str | None:
    """Return the name that a key is, or is in other letters."""
    if said in known:
        return said
    same = [name for name in known if _plain(name) == _plain(said)]
    return same[0] if len(same) == 1 else None


def _synonym(said: str, known: Mapping[str, Any], given: Mapping[str, Any]) -> str | None:
    """Return the one name that a key can stand for by `SYNONYMS` and that is not given itself."""
    word = said.casefold().replace("-", "_")
    there = {name for words in SYNONYMS if word in words for name in known if name in words}
    return next(iter(there)) if len(there) == 1 and not there & given.keys() else None


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _value(value: Any, schema: Mapping[str, Any], place: str) -> Any:
    """Return a value as the type that its schema names, where it can be nothing else."""
    options = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    if len(options) != 1:
        return value
    (only,) = options
    kind = only.get("type")
    if isinstance(value, str) and kind in ("array", "object") and value.lstrip()[:1] in ("[", "{"):
        value = _parsed(value, list if kind == "array" else dict)
    if kind == "array" and _is_one_item(value, only.get("items", {})):
        value = [value]
    if kind == "array" and isinstance(value, list):
        return [_value(each, only.get("items", {}), place) for each in value]
    if _has_keys(only) and isinstance(value, Mapping):
        return _keyed(value, only, place)
    if kind in ("number", "integer") and isinstance(value, str):
        return _number(value, kind)
    if kind == "boolean" and value in ("true", "True", "false", "False"):
        return value in ("true", "True")
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    if kind == "string" and isinstance(value, str) and "enum" in only and value not in only["enum"]:
        same = [each for each in only["enum"] if _plain(each) == _plain(value)]
        return same[0] if len(same) == 1 else value
    return value


def _is_one_item(value: Any, items: Mapping[str, Any]) -> bool:
    """Tell whether a value stands for a list of it alone: a text or number, or an object with the keys of an item."""
    if isinstance(value, Mapping):
        return _has_keys(items) and "required" in items and value.keys() <= items["properties"].keys()
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _has_keys(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object" and bool(schema.get("properties"))


def _parsed(text: str, kind: type) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, kind) else text


def _number(text: str, kind: str) -> Any:
    try:
        found = float(text)
    except ValueError:
        return text
    if found != found or abs(found) == float("inf"):
        return text
    return int(found) if kind == "integer" and found == int(found) else found
