"""What an agent committed: a digit, and where it was asked for the whole number that the digit is reduced from."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_DIGIT = re.compile(r"(?:code|answer|final answer)?\W*([0-9])\W*", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"(?:number)?[^\w-]*(-?[0-9][0-9,_ ]{0,30})\W*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Committed:
    """The first line as it stands, the digit of it, and the number of the second line; None where one is missing."""

    first: str
    digit: int | None
    number: int | None


def committed(text: str | None) -> Committed:
    """Read an answer: two lines, or a JSON object with the keys ``code`` and ``number``.

    A digit may have its label ("Code: 4") and marks; a sentence is none.

    >>> committed("4\\n2,004"), committed('{"code": 4, "number": 2004}').number
    (Committed(first='4', digit=4, number=2004), 2004)
    >>> committed("The code is probably 4").digit is None and committed("42").digit is None
    True
    """
    if text is None:
        return Committed("", None, None)
    lines = [each.strip() for each in text.strip()[:4000].splitlines() if each.strip()]
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if isinstance(fields, dict):
        low = {str(key).casefold(): value for key, value in fields.items()}
        lines = [str(low.get("code", low.get("answer", ""))), str(low.get("number", ""))]
    first, second = [*lines, "", ""][:2]
    digit, whole = _DIGIT.fullmatch(first), _WHOLE.fullmatch(second)
    return Committed(
        first[:200],
        int(digit[1]) if digit else None,
        int(re.sub("[,_ ]", "", whole[1])) if whole else None,
    )
