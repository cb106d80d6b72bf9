"""Dates in names of files."""

from __future__ import annotations

import re
from datetime import datetime

_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_]?([01]\d)[-_]?([0-3]\d)(?!\d)")


def named_time(name: str) -> str:
    """Return the date that a name has as ISO text: 2022-06-18 or 20220618; empty where it has none."""
    match = _DATE.search(name)
    if match is None:
        return ""
    try:
        return datetime(*(int(part) for part in match.groups())).date().isoformat()  # type: ignore[arg-type]
    except ValueError:
        return ""
