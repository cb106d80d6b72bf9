"""Dates as questions give them."""

from __future__ import annotations

import re
from datetime import date

from labrig.errors import LabrigError

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def read_date(text: str, where: str) -> date:
    """Return the date of a text ``YYYY-MM-DD``.

    Raises
    ------
    LabrigError
        ``bad_input`` for another form or a day that no calendar has.
    """
    found = text.strip()
    try:
        if _ISO.fullmatch(found):
            return date.fromisoformat(found)
    except ValueError:
        pass
    raise LabrigError(f"{text!r} is no date", where=where, expected="YYYY-MM-DD, such as 2024-01-15")
