"""JSON and JSON lines: lists of records as tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import Column, short, unit_in
from labrig.tables.description import Description
from labrig.tools.reading import Files, read_text_file

MOST_BYTES = 32 << 20
"""A JSON file is read whole or not at all; of JSON lines, this much."""

MOST_COLUMNS = 2_000
MOST_SHOWN = 80
"""Letters of a text under a key."""
_DEEPEST = 3


def describe(files: Files, path: str, *, lines: bool) -> Description:
    """Describe the records of a JSON file, or of JSON lines.

    Objects in a record are columns by their path: ``properties.depth``, three levels deep. An object whose values are
    lists of one length is a table of columns. Anything else is described by its keys, with numbers and short texts.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not JSON, ``limit`` for a JSON file above `MOST_BYTES`.
    """
    found = read_text_file(files, path, most_bytes=MOST_BYTES, whole=not lines)
    if lines:
        text = found.text[: found.text.rfind("\n") + 1] if found.cut else found.text
        columns, count, notes = _columns(_each_line(text, path))
        about: dict[str, Any] = {"rows_looked_at": count} if found.cut else {}
        return Description("JSON lines", None if found.cut else count, columns, notes, not found.cut, about)
    content = _parsed(found.text, path)
    where, records = _records(content)
    if records is not None:
        columns, count, notes = _columns(records)
        about = {"records_at": where} if where else {}
        return Description("JSON, a list of records", count, columns, notes, about=about)
    if isinstance(content, dict) and (height := _height(content)) is not None:
        table = [_filled(Column(str(name), unit_in(str(name))), cells) for name, cells in content.items()]
        return Description("JSON, columns by name", height, table)
    return Description("JSON, no table", None, [], [_outline(content)], about=_keys(content))


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise LabrigError(f"This is not JSON: {error.msg}", where=f"{where}, line {error.lineno}") from error
    except RecursionError:
        raise LabrigError("The JSON is nested too deeply to be read", where=where, code="limit") from None
    except ValueError as error:  # an integer of thousands of digits
        raise LabrigError(f"The JSON cannot be read: {error}", where=where) from error


def _each_line(text: str, path: str) -> Iterable[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield _parsed(line, path)
            except LabrigError as error:
                raise LabrigError(error.what, where=f"{path}, line {number}", code=error.code) from None


def _records(content: Any) -> tuple[str, list[Any] | None]:
    """Return the list of records in a JSON value: itself, or the only one among its keys (as in GeoJSON)."""
    if isinstance(content, list):
        return "", content if content and all(isinstance(each, dict) for each in content) else None
    if isinstance(content, dict):
        lists = {name: each for name, each in content.items() if isinstance(each, list) and _records(each)[1]}
        if len(lists) == 1:
            return next(iter(lists.items()))
    return "", None


def _columns(records: Iterable[Any]) -> tuple[list[dict[str, Any]], int, list[str]]:
    """Return the columns of records, how many records there are, and what is odd about them."""
    columns: dict[str, Column] = {}
    count = odd = 0
    for record in records:
        if not isinstance(record, dict):
            odd += 1
            record = {"(value)": record}
        for name, cell in _flat(record):
            if name not in columns:
                if len(columns) == MOST_COLUMNS:
                    raise LabrigError(
                        f"The records have more than {MOST_COLUMNS:,} keys",
                        try_="read_text_file",
                        code="limit",
                    )
                columns[name] = Column(name, unit_in(name))
            columns[name].add([cell])
        count += 1
    for column in columns.values():  # a record without the key has no value
        column.missing += count - column.cells
        column.cells = count
    notes = [f"{odd} lines are not records"] if odd else []
    return [each.to_dict() for each in columns.values()], count, notes


def _flat(record: dict[str, Any], before: str = "", level: int = 1) -> Iterable[tuple[str, Any]]:
    for key, value in record.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and value and level < _DEEPEST:
            yield from _flat(value, f"{name}.", level + 1)
        else:
            yield name, value


def _height(content: dict[str, Any]) -> int | None:
    """Return the common length of lists, None where the values are not all lists of one length."""
    lengths = {len(each) if isinstance(each, list) else -1 for each in content.values()}
    return lengths.pop() if len(lengths) == 1 and -1 not in lengths else None


def _filled(column: Column, cells: list[Any]) -> dict[str, Any]:
    column.add(cells)
    return column.to_dict()


def _outline(content: Any) -> str:
    if isinstance(content, dict):
        return f"an object of {len(content)} keys, none of them alone a list of records"
    if isinstance(content, list):
        return f"a list of {len(content)} values that are not all records"
    return f"a single value: {short(json.dumps(content))}"


def _keys(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        return {}
    return {"keys": {short(str(key)): _shown(value) for key, value in list(content.items())[:40]}}


def _shown(value: Any) -> Any:
    """Return a number or a short text as it is, the type of anything else."""
    text = isinstance(value, str) and len(value) <= MOST_SHOWN
    number = isinstance(value, (bool, int, float)) and abs(value) <= 2**53  # what JSON carries everywhere
    return value if text or number else type(value).__name__
