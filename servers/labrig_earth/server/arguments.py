"""Arguments of tools that are objects, or one of several words: what tools/list says of their keys and types.

Values are read, and refused with the nearest name, where they are used; here stands what a model is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import WithJsonSchema

from labrig.errors import LabrigError, unknown_name

Schema = dict[str, Any]
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "in", "any")


def text(about: str = "") -> Schema:
    return _typed("string", about)


def number(about: str = "") -> Schema:
    return _typed("number", about)


def flag(about: str) -> Schema:
    return _typed("boolean", about)


def several(kind: str, about: str = "") -> Schema:
    """Return the schema of a list of texts, numbers or integers."""
    return {**_typed("array", about), "items": {"type": kind}}


def one_of(words: Sequence[str], about: str = "") -> Schema:
    return {**_typed("string", about), "enum": list(words)}


def keyed(keys: Mapping[str, Schema], about: str = "") -> Schema:
    """Return the schema of an object with these keys; others are refused by `labrig.serving.meaning`."""
    return {**_typed("object", about), "properties": dict(keys)}


def word_of(words: Sequence[str], about: str = "") -> WithJsonSchema:
    """Return what a list of tools says of one word of several; another one is refused where it is used."""
    return WithJsonSchema(one_of(words, about))


def keys_of(about: str = "", **keys: Schema) -> WithJsonSchema:
    """Return what a list of tools says of an object."""
    return WithJsonSchema(keyed(keys, about))


def _typed(kind: str, about: str) -> Schema:
    return {"type": kind, "description": about} if about else {"type": kind}


SELECT = keyed(
    {
        "start": text("ISO, end included."),
        "end": text(),
        "months": several("integer"),
        "hours": several("integer"),
        "box": several("number", "[west, south, east, north]"),
        "level": number(),
        "member": number(),
        "band": number(),
    },
    "Part.",
)
OF_VALUES = {
    "unit": text("Of the result."),
    "stated_unit": text("If none."),
    "missing": number("No value."),
    "format": one_of(("netcdf", "zarr", "geotiff", "csv")),
}
FORMULA = one_of(("magnus", "bolton", "buck"))

CONDITIONS: Schema = {
    "type": "array",
    "description": "All hold.",
    "items": keyed(
        {
            "column": text(),
            "compare": one_of(COMPARISONS),
            "value": text(),
            "values": several("string"),
        }
    )
    | {"required": ["column"]},
}


EXPECTED = 'such as [{"column": "floors", "compare": ">=", "value": "3"}]'


def read_conditions(given: Any) -> dict[str, Any]:
    """Return conditions by their columns, as `labrig_earth.gis.querying` takes them, from a list or such a mapping.

    Raises
    ------
    LabrigError
        For an unknown comparison, a condition without what it compares with, and two on one column that cannot be one.
    """
    if isinstance(given, Mapping):
        return dict(given)
    if not isinstance(given, list):
        raise LabrigError(f"where is {given!r}"[:200], where="where", expected=EXPECTED)
    found: dict[str, Any] = {}
    for place, each in enumerate(given, 1):
        if not isinstance(each, Mapping) or not isinstance(each.get("column"), str):
            raise LabrigError(
                f"Condition {place} names no column",
                where="where",
                expected=EXPECTED,
            )
        column, wanted = each["column"], _read_condition(each)
        if column not in found:
            found[column] = wanted
        elif isinstance(found[column], Mapping) and isinstance(wanted, Mapping):
            found[column] = {**found[column], **wanted}
        else:
            raise LabrigError(
                f"Two conditions on {column} are one too many",
                where="where",
                expected="one =, in or any for a column, or limits such as > and <=",
                try_="compare in, with values",
            )
    return found


def _read_condition(each: Mapping[str, Any]) -> Any:
    value, values = each.get("value"), each.get("values")
    default = "in" if isinstance(values or value, list) else "any" if value in (None, True) else "="
    compare = str(each.get("compare") or default)
    compare = {"==": "=", "<>": "!=", "not": "!=", "eq": "=", "exists": "any"}.get(compare, compare)
    where = f"where, {each['column']}"
    if compare not in COMPARISONS:
        raise unknown_name("comparison", compare, COMPARISONS, where=where)
    if compare == "any":
        return True
    if compare == "in":
        listed = values if isinstance(values, list) else value if isinstance(value, list) else [value]
        if not listed or None in listed:
            raise LabrigError("in wants a list", where=f"{where}, values", expected='such as ["a", "b"]')
        return listed
    if value is None and isinstance(values, list) and len(values) == 1:
        value = values[0]
    if value is None or isinstance(value, list | Mapping):
        raise LabrigError(f"{compare} wants a value", where=f"{where}, value", expected="a text or a number")
    if compare == "=":
        return value
    return {compare: _as_number(value)}


def _as_number(value: Any) -> Any:
    """Return a limit as the number that it is written as, so that 10 is above 9; a date stays a text."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


Select = Annotated[dict[str, Any], WithJsonSchema(SELECT)]
Where = Annotated[Any, WithJsonSchema(CONDITIONS)]
OtherWhere = Annotated[Any, WithJsonSchema({**CONDITIONS, "description": "As where, of the second layer."})]
