"""What an agent committed: from the last JSON object of its message, or the message, to the text that is graded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from labrig_harness.channels import MESSAGE, json_objects
from labrig_suites.science_gym.grading.company import KEYS

KEY = "answer"
DEEPEST = 8
"""Lists and objects within one another that `parts` looks into; what lies deeper is no answer."""
MOST = 100
"""Values of a list or an object that are looked at."""


def with_key(answer: str | None, response: str) -> str | None:
    """Return the last JSON object of a message that has the key; where none has, `answer`, its last one."""
    if answer is None or _answer(_load(answer), 0)[0]:
        return answer
    found = json_objects(response[-MESSAGE:])
    *_, last = (answer, *(each for each in found if _answer(_load(each), 0)[0]))
    return last


def literal_text(answer: str | None, response: str) -> str:
    """Return the text that compat grades: Python's `str` of the value of the key ``answer``, else the message."""
    try:
        found = json.loads(answer or "")
        return str(found[KEY]) if isinstance(found, dict) and KEY in found else response
    except (
        ValueError,
        RecursionError,
    ):  # no JSON, an integer of more than 4300 digits, lists in lists without end
        return response


def parts(answer: str | None, response: str) -> list[str] | None:
    """Return the texts that strict grades: one for a plain value, one for each value of a list or an object.

    The key may be written in any case, and stand in an inner object or in a JSON text. Numbers are kept as they are
    written; true and false are yes and no. None where the value is null, empty, or nested too deep.
    """
    found, value = _answer(_load(answer), 0)
    if not found:
        return [response]
    texts = list(_flat(value, 0))
    return (
        None
        if not texts or None in texts or len(texts) > MOST
        else [each for each in texts if each is not None]
    )


def _answer(value: Any, depth: int) -> tuple[bool, Any]:
    """Return whether the key is in an object, and its innermost value."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _load(value)
    if not isinstance(value, dict) or depth > DEEPEST:
        return False, None
    named = [each for key, each in value.items() if str(key).strip().casefold() == KEY]
    if named:
        deeper, inner = _answer(named[-1], depth + 1)
        return True, inner if deeper else named[-1]
    for below in list(value.values())[:MOST]:
        deeper, inner = _answer(below, depth + 1)
        if deeper:
            return True, inner
    return False, None


def _flat(value: Any, depth: int) -> Iterator[str | None]:
    """Give the plain values of a value in their order; None for null and for what lies too deep."""
    if isinstance(value, dict | list):
        if depth > DEEPEST:
            yield None
            return
        for part in list(_named(value) if isinstance(value, dict) else value)[: MOST + 1]:
            yield from _flat(part, depth + 1)
    elif isinstance(value, bool):
        yield "yes" if value else "no"
    else:
        yield None if value is None else str(value)


def _named(value: dict[Any, Any]) -> list[Any]:
    """Return the values of an object without degrees of freedom, p and the like, where it has others."""
    kept = [each for key, each in value.items() if not KEYS.fullmatch(str(key).strip())]
    return kept or list(value.values())


def _load(text: str | None) -> Any:
    """Return a JSON text as Python has it, but for numbers, which are texts as written; None where it is none."""
    try:
        return json.loads(text or "", parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
