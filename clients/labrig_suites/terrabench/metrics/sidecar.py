"""The ``<final_json>`` sidecar: read and checked against the five-field schema (section 4.3.2, Appendix D.2).

A sidecar is a JSON list of at most `MOST_FIELDS` objects with exactly `KEYS`. Tolerances are numbers of at least 0, or
null. A field that breaks the schema is no answer to anything; the others count. One object that is no list, or a list
in an object, is no sidecar.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KEYS = ("key", "value", "abs_tol", "rel_tol", "floor_scale")
MOST_FIELDS = 1_000
MOST_CHARS = 2**20
OPEN, CLOSE = "<final_json>", "</final_json>"
_TOLD = 20


@dataclass(frozen=True)
class Predicted:
    """A field of an answer; the tolerances that an agent writes are checked, and then thrown away."""

    key: str
    value: Any


@dataclass(frozen=True)
class Sidecar:
    """An answer as it was read.

    Attributes
    ----------
    fields
        None in place of a field that breaks the schema, so that the order of the others stays.
    problems
        What breaks the schema, at most 20 lines; none for a valid sidecar.
    """

    fields: tuple[Predicted | None, ...]
    problems: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the whole sidecar keeps the schema."""
        return not self.problems


def read_sidecar(text: str) -> Sidecar:
    """Read a sidecar from its JSON text; tags around it are read over. Never raises."""
    if len(text) > MOST_CHARS:
        return Sidecar((), (f"more than {MOST_CHARS:,} characters",))
    body = text.strip().removeprefix(OPEN).removesuffix(CLOSE).strip()
    if not body:
        return Sidecar((), ("the sidecar is empty",))
    try:
        document = json.loads(body, parse_constant=_refuse, parse_int=_whole, object_pairs_hook=_pairs)
    except (ValueError, RecursionError) as error:
        return Sidecar((), (f"not JSON: {str(error)[:120]}",))
    if not isinstance(document, list):
        return Sidecar((), ("not a list of fields",))
    problems = []
    if not document:
        problems.append("no field")
    if len(document) > MOST_FIELDS:
        problems.append(f"{len(document):,} fields: the first {MOST_FIELDS:,} count")
    fields = []
    for place, row in enumerate(document[:MOST_FIELDS]):
        wrong = _problem(row)
        fields.append(None if wrong else Predicted(row["key"], row["value"]))
        if wrong and len(problems) < _TOLD:
            problems.append(f"field {place + 1}: {wrong}")
    return Sidecar(tuple(fields), tuple(problems))


def _problem(row: Any) -> str:
    if not isinstance(row, Mapping):
        return "not an object"
    missing = [key for key in KEYS if key not in row]
    extra = [str(key)[:40] for key in row if key not in KEYS]
    if missing or extra:
        return "; ".join(
            [
                *([f"without {', '.join(missing)}"] if missing else []),
                *([f"also {', '.join(extra[:5])}"] if extra else []),
            ]
        )
    if not isinstance(row["key"], str) or not row["key"].strip():
        return "key is no text"
    for name in KEYS[2:]:
        value = row[name]
        if value is None:
            continue
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value < 0
        ):
            return f"{name} is no number of at least 0"
    return ""


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _whole(digits: str) -> int | float:
    """Read a whole number; one of more digits than a double has places for is refused like any that overflows."""
    if len(digits) > 300:
        raise ValueError("a number of more than 300 digits")
    return int(digits)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice in one object")
    return found
