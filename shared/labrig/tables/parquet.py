"""Parquet: what its footer says, and where it says nothing of the ranges, what the rows do."""

from __future__ import annotations

from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import Column, short, unit_in
from labrig.tables.description import Description
from labrig.tables.window import Window, missing_package
from labrig.tools.reading import Files

MOST_BYTES = 128 << 20
MOST_CELLS = 1_000_000
"""Cells that are looked at; a larger table is described by its footer."""


def describe(files: Files, path: str) -> Description:
    """Describe a Parquet file: the types and missing values of its footer, ranges from there or from the rows.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not a Parquet file, ``unavailable`` without pyarrow.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing_package("pyarrow", "A Parquet file") from None
    try:
        with Window(files, path, MOST_BYTES) as window:
            return _described(parquet.ParquetFile(pyarrow.PythonFile(window, mode="r")))
    except (pyarrow.ArrowException, OSError) as error:
        raise LabrigError(f"The Parquet file cannot be read: {error}", where=path) from error


def _described(file: Any) -> Description:
    schema, rows = file.schema_arrow, file.metadata.num_rows
    columns = [Column(field.name, _unit(field), short(str(field.type))) for field in schema]
    about = {"row_groups": file.metadata.num_row_groups}
    if rows * len(columns) <= MOST_CELLS:
        for batch in file.iter_batches(batch_size=10_000):
            for column, cells in zip(columns, batch.columns, strict=True):
                column.add(cells.to_pylist())
        return Description("Parquet", rows, [each.to_dict() for each in columns], about=about)
    table = [each.to_dict() | _stated(file.metadata, each.name) for each in columns]
    for entry in table:  # without statistics nobody knows how many are missing
        entry.pop("values")
        if (missing := entry.pop("missing", None)) is not None:
            entry |= {"values": rows - missing} | ({"missing": missing} if missing else {})
    return Description(
        "Parquet", rows, table, ["missing values and ranges are those of the footer"], about=about
    )


def _unit(field: Any) -> str:
    metadata = field.metadata or {}
    stated = metadata.get(b"unit") or metadata.get(b"units") or b""
    return short(stated.decode("utf-8", "replace")) or unit_in(field.name)


def _stated(metadata: Any, name: str) -> dict[str, Any]:
    """Return missing values and range of a column as the footer has them; nothing where it has not all."""
    found = []
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        chunks = [row_group.column(place) for place in range(row_group.num_columns)]
        chunk = next((each for each in chunks if each.path_in_schema == name), None)
        if chunk is None or chunk.statistics is None:
            return {}
        found.append(chunk.statistics)
    stated: dict[str, Any] = {}
    if all(each.has_null_count for each in found):
        stated["missing"] = sum(each.null_count for each in found)
    ranged = [each for each in found if each.has_min_max]
    if ranged and len(ranged) == len(found):
        low, high = min(each.min for each in ranged), max(each.max for each in ranged)
        numeric = isinstance(low, (int, float)) and not isinstance(low, bool)
        stated |= {"min": low if numeric else str(low), "max": high if numeric else str(high)}
    return stated
