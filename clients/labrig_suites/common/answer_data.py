"""The data of an answer, found again in its text."""

from __future__ import annotations

import json
import re
from typing import Any


def data(result: str, name: str) -> Any:
    """Return a part of a result's data; None where it has none of the name."""
    line = re.search(rf"^{name}: (.+)$", result, re.MULTILINE)
    if line is None:
        return None
    try:
        return json.loads(line[1])
    except ValueError:
        return None
