"""What is said of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Description:
    """A table, without its rows.

    Attributes
    ----------
    format
        Such as ``csv, separated by commas``.
    rows
        How many there are; None where that was not found out.
    columns
        One dictionary each: name, type, unit, values, missing, min, max, ...
    notes
        What a reader should know before using it.
    complete
        All of it was looked at; else ranges and counts hold for the part that was.
    about
        What this format has besides: sheets, dimensions, attributes, encoding.
    """

    format: str
    rows: int | None
    columns: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    complete: bool = True
    about: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain data; empty fields are left out."""
        fields = {"format": self.format, "rows": self.rows, **self.about, "columns": self.columns}
        return {key: value for key, value in fields.items() if value not in (None, {}, [])}
