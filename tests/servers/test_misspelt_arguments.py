"""The likeliest misspellings of arguments, made from the schemas: each is taken rightly or refused with the right key.

What is taken is what the function of the tool would get; it is not called. None is ignored: an argument that a tool
does not know is in the refusal, and so is the key that was meant.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastmcp.exceptions import ValidationError
from pydantic import TypeAdapter
from pydantic import ValidationError as PydanticValidationError

from labrig.errors import LabrigError
from labrig.serving.builder import listed_form
from labrig.serving.face import _argument_error
from labrig.serving.meaning import SYNONYMS, meant
from labrig.toolbox import ToolSpec
from labrig_harness.registry import servers
from support.every_server import installed, vocabulary

pytestmark = pytest.mark.accept

UNITS = {
    **{"m": "km", "km": "m", "s": "min", "h": "s", "c": "k", "degC": "K", "deg": "rad"},
    **{"pct": "percent", "percent": "pct", "kgw": "l", "dpi": "cm"},
}
"""The unit at the end of a name, and another one that people write."""

LEAST = 200


def _right_calls() -> Iterator[tuple[ToolSpec, dict[str, Any]]]:
    """Give a right call of each own tool: the example of its description, or those of its fuzz."""
    for server in installed():
        recipes = vocabulary(server).recipes
        for spec in servers.toolbox(server).specs:
            if spec.faithful:
                continue
            example = spec.description.partition("Example: ")[2]
            calls = [json.loads(example)] if example else recipes.get(spec.name, [])
            known = listed_form(spec).parameters["properties"].keys()
            yield from ((spec, call) for call in calls[:2] if call and call.keys() <= known)


def _misspelt(
    call: dict[str, Any], schema: dict[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any] | None]]:
    """Give misspellings of a call: the kind, the right key, the call, and what is meant by it where it can be taken."""
    known, required = schema["properties"], schema.get("required", [])
    for key, value in call.items():
        others = {name: each for name, each in call.items() if name != key}
        kind = known[key].get("type")
        for words in SYNONYMS:
            for word in sorted(words - known.keys()) if key in words else ():
                yield "synonym", key, {**others, word: value}, call
        stem, _, unit = key.rpartition("_")
        if unit in UNITS and stem:
            yield "another unit", key, {**others, f"{stem}_{UNITS[unit]}": value}, None
            yield "no unit", key, {**others, stem: value}, None
        if len(key) > 3 and key[1] != key[2]:
            yield "letters exchanged", key, {**others, f"{key[:1]}{key[2]}{key[1]}{key[3:]}": value}, None
        yield "capitals", key, {**others, key.title().replace("_", ""): value}, call
        yield "hyphens", key, {**others, key.upper().replace("_", "-"): value}, call
        if kind in ("number", "integer") and not isinstance(value, bool):
            yield "text for a number", key, {**others, key: str(value)}, call
            yield "word for a number", key, {**others, key: "many"}, None
        if kind in ("array", "object") and value:
            yield "JSON as text", key, {**others, key: json.dumps(value)}, call
        if kind == "array" and len(value) == 1 and isinstance(value[0], str):
            yield "one for a list", key, {**others, key: value[0]}, call
        if kind == "boolean":
            yield "text for true", key, {**others, key: str(value)}, call
        if kind == "string" and isinstance(value, str) and re.fullmatch(r"[1-9]\d*", value):
            yield "number for text", key, {**others, key: int(value)}, call
        if key in required:
            yield "null for what is required", key, {**others, key: None}, None
        closed = known[key].get("properties") and "additionalProperties" not in known[key]
        for inner in value if kind == "object" and closed else ():
            rest = {name: each for name, each in value.items() if name != inner}
            if rest or len(value) == 1:
                wrong = {**rest, f"{inner[:1]}{inner[2:]}{inner[1:2]}": value[inner]}
                yield "letters of a key exchanged", inner, {**others, key: wrong}, None
    for key in sorted(known.keys() - call.keys()):
        stem, _, unit = key.rpartition("_")
        if unit in UNITS and stem:
            yield "another unit", key, {**call, f"{stem}_{UNITS[unit]}": 1}, None
            yield "no unit", key, {**call, stem: 1}, None
    for key in known.keys() - call.keys() - set(required):
        yield "null for a default", key, {**call, key: None}, call
        break


def _outcome(spec: ToolSpec, arguments: dict[str, Any]) -> tuple[dict[str, Any] | None, LabrigError | None]:
    """Return what a tool's function gets, or the refusal."""
    form = listed_form(spec)
    try:
        called = TypeAdapter(form.fn).validate_python(meant(arguments, form.parameters))
    except LabrigError as error:
        return None, error
    except PydanticValidationError as cause:
        refused = ValidationError("wrong arguments")
        refused.__cause__ = cause
        return None, _argument_error(refused, spec.name, list(form.parameters["properties"]))
    got = inspect.getcoroutinelocals(called)
    called.close()
    return got["kwargs"] | {str(place): each for place, each in enumerate(got["args"])}, None


CASES = [
    (f"{spec.name}: {kind} of {key}", spec, key, wrong, call if right is not None else None)
    for spec, call in _right_calls()
    for kind, key, wrong, right in _misspelt(call, listed_form(spec).parameters)
]


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= LEAST
    assert len({spec.name for _, spec, *_ in CASES}) >= 60


@pytest.mark.parametrize("server", installed())
def test_each_is_taken_rightly_or_refused_with_the_right_key(server: str) -> None:
    own = {id(spec) for spec in servers.toolbox(server).specs}
    faults = []
    for said, spec, key, wrong, right in CASES:
        if id(spec) not in own:
            continue
        got, refused = _outcome(spec, wrong)
        if refused is not None:
            named = f"{refused.what} {refused.where} {refused.expected} {refused.try_}"
            if not re.search(rf"\b{re.escape(key)}\b", named):
                faults.append(f"{said}: refused without it: {refused}")
        elif right is None or got != _outcome(spec, right)[0]:
            faults.append(f"{said}: {wrong} became {got}")
    assert not faults, "\n".join(faults[:20])
