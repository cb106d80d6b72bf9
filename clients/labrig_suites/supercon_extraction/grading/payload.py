"""What was committed, read with care: anything may stand in it."""

from __future__ import annotations

import json
from typing import Any

from labrig_suites.supercon_extraction.rows import Predicted

MOST_ROWS = 10_000
MOST_TEXT = 8_000
"""Characters of a field that are read; a quote or a value that is longer is none."""


def read_payload(text: str | None) -> list[Predicted] | None:
    """Return the predicted rows, None for what is no extraction: no JSON, no list of properties, too many.

    A row that is no object, and a field of another type than text, stay as rows that match nothing: they were said.
    """
    if text is None:
        return None
    try:
        found = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    rows = found.get("properties") if isinstance(found, dict) else None
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        return None
    return [_row(each) for each in rows]


def _row(row: Any) -> Predicted:
    if not isinstance(row, dict):
        return Predicted()
    location = row.get("location")
    location = location if isinstance(location, dict) else {}
    conditions = row.get("conditions")
    page = location.get("page")
    return Predicted(
        name=_text(row.get("property_name")),
        material=_text(row.get("material_or_system")),
        value=_text(row.get("value_string")),
        unit=_text(row.get("value_unit")),
        sample=_text(row.get("sample_label")),
        conditions={str(name): _text(value) for name, value in list(conditions.items())[:20]}
        if isinstance(conditions, dict)
        else {},
        page=page if isinstance(page, int) and not isinstance(page, bool) else None,
        quote=_text(location.get("evidence")),
        source=_text(location.get("source_type")),
    )


def _text(value: Any) -> str:
    """Return a text field; numbers as they would be written, everything else as nothing."""
    if isinstance(value, str) and len(value) <= MOST_TEXT:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.12g}" if abs(value) < 1e300 else ""
    return ""
