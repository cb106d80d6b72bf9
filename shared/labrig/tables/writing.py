"""A table written as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable


def csv_text(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV: floats as the shortest text that reads back the same, an empty cell for None."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return made.getvalue()
