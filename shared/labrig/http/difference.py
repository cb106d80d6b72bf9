"""How two requests, and two outcomes of one request, differ: in words, and as a number."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from labrig.canonical import sha256
from labrig.http.exchange import Exchange
from labrig.http.messages import Request, Response

SHOWN = 60
"""Characters of a value that are shown."""
NAMED = 4
"""Differences between two requests that are named."""
MOST = 20
"""Differences between two bodies that are named, and lines of a text that are shown."""
JUDGED = 2_000
"""Characters of a value or body that resemblance is judged by."""
ABSENT = "none"


# ------------------------------------------------------------------------------------------------- of requests


def difference(a: Request, b: Request) -> str:
    """Return in one line what request `a` has in place of what `b` has: ``parameter limit: '20' instead of '10'``."""
    found = [f"{what}: {here} instead of {there}" for what, here, there in _differences(a, b)]
    if not found and a.key != b.key:
        found = ["the order of the parameters, or how the URL or body is written"]
    more = [f"and {len(found) - NAMED} more"] if len(found) > NAMED else []
    return "; ".join(found[:NAMED] + more) or "nothing"


def _differences(a: Request, b: Request) -> Iterator[tuple[str, str, str]]:
    here, there = urlsplit(a.url), urlsplit(b.url)
    for what, x, y in (
        ("method", a.method, b.method),
        ("scheme", here.scheme, there.scheme),
        ("host", here.netloc, there.netloc),
        ("path", here.path, there.path),
    ):
        if x != y:
            yield what, _shown(x), _shown(y)
    yield from _named("parameter", _pairs(here.query), _pairs(there.query))
    yield from _named("header", list(a.headers), list(b.headers))
    if a.body != b.body:
        yield from _bodies(a, b)


def _named(
    kind: str, here: list[tuple[str, str]], there: list[tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys(name for name, _ in here + there):
        x, y = ([value for each, value in pairs if each == name] for pairs in (here, there))
        if x != y:
            yield f"{kind} {_shown(name)[1:-1]}", _all(x), _all(y)


def _bodies(a: Request, b: Request) -> Iterator[tuple[str, str, str]]:
    if _form(a) is not None and _form(b) is not None:
        yield from _named("form field", _form(a) or [], _form(b) or [])
        return
    here, there = _as_json(a.body), _as_json(b.body)
    if here and there:
        for path, x, y in json_differences(here[0], there[0]):
            yield f"body {path}", x, y
        return
    one, other = _as_text(a.body), _as_text(b.body)
    if not (one and other):
        yield "body", _weight(a.body), _weight(b.body)
        return
    at = _first_difference(one, other)
    yield f"body from character {at + 1}", _shown(one[at:]), _shown(other[at:])


def resemblance(a: Request, b: Request, *, quick: bool = False) -> float:
    """Return how much alike two requests are but for method and host, from 0 to 1; `quick` for an upper bound."""
    here, there = urlsplit(a.url), urlsplit(b.url)
    parts = [
        _ratio(here.path, there.path, quick),
        _ratio(here.path, there.path, quick),  # the path says what is asked for, the rest which of it
        _pairs_alike(_pairs(here.query), _pairs(there.query), quick),
    ]
    if a.body or b.body:
        form, other_form = _form(a), _form(b)
        if form is not None and other_form is not None:
            parts.append(_pairs_alike(form, other_form, quick))
        else:
            one, other_text = (each.body[:JUDGED].decode("utf-8", "replace") for each in (a, b))
            parts.append(_ratio(one, other_text, quick))
    return sum(parts) / len(parts)


def _pairs_alike(here: list[tuple[str, str]], there: list[tuple[str, str]], quick: bool) -> float:
    """Count each name as 0 where only one side has it, as 1 where the values are equal, else as something between."""
    x, y = dict(here), dict(there)
    names = x.keys() | y.keys()
    likeness = [
        1.0 if x[name] == y[name] else 0.3 + 0.6 * _ratio(x[name], y[name], quick)
        for name in x.keys() & y.keys()
    ]
    return sum(likeness) / len(names) if names else 1.0


def _ratio(a: str, b: str, quick: bool) -> float:
    matcher = difflib.SequenceMatcher(None, a[:JUDGED], b[:JUDGED], autojunk=False)
    return matcher.quick_ratio() if quick else matcher.ratio()


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True)
    except ValueError:  # more fields than Python takes
        return [("", query)]


def _form(request: Request) -> list[tuple[str, str]] | None:
    if "form-urlencoded" not in dict(request.headers).get("content-type", ""):
        return None
    return _pairs(request.body.decode("utf-8", "replace"))


# ------------------------------------------------------------------------------------------------- of outcomes


def outcome_differences(a: Exchange, b: Exchange) -> list[str]:
    """Return what differs between two outcomes, a line each: status, type, address, body; none where all is the same.

    Other headers, such as the date, are not looked at.
    """
    one, other = a.outcome, b.outcome
    if not (isinstance(one, Response) and isinstance(other, Response)):
        return _of_dicts(_summary(a), _summary(b))
    found = [
        f"{what}: {x} | {y}"
        for what, x, y in (
            ("status", str(one.status), str(other.status)),
            ("content-type", _header(one), _header(other)),
            ("address after redirects", _shown(one.url, 300), _shown(other.url, 300)),
        )
        if x != y
    ]
    return found + (body_differences(one, other) if one.sha256 != other.sha256 else [])


def _summary(exchange: Exchange) -> dict[str, Any]:
    outcome = exchange.outcome
    if isinstance(outcome, Response):
        return {"status": outcome.status, "body": _weight_of(outcome)}
    return outcome.to_dict()


def _of_dicts(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    return [f"{path.removeprefix('$.')}: {x} | {y}" for path, x, y in json_differences(a, b)]


def _header(response: Response) -> str:
    value = response.headers.get("content-type")
    return ABSENT if value is None else _shown(value)


def body_differences(one: Response, other: Response) -> list[str]:
    """Return what differs between two bodies: places of JSON, lines of text, or size and hash."""
    if one.stored or other.stored:
        return [f"body: {_weight_of(one)} | {_weight_of(other)}"]
    a, b = _as_json(one.body), _as_json(other.body)
    if a and b:
        found = [f"{path}: {x} | {y}" for path, x, y in json_differences(a[0], b[0])]
        more = [f"... and {len(found) - MOST} more"] if len(found) > MOST else []
        return found[:MOST] + more or ["body: the same JSON, written otherwise"]
    x, y = _as_text(one.body), _as_text(other.body)
    if x is None or y is None:
        return [f"body: {_weight(one.body)} | {_weight(other.body)}"]
    return _line_differences(x.splitlines(), y.splitlines()) or ["body: the same lines, ended otherwise"]


def _line_differences(a: list[str], b: list[str]) -> list[str]:
    """Return the first place that differs, and a unified diff from there; only so much as is shown is worked out."""
    start = _first_difference(a, b)
    if start == len(a) == len(b):
        return []
    one, other = (lines[start] if start < len(lines) else "" for lines in (a, b))
    at = _first_difference(one, other)
    first = f"line {start + 1}, character {at + 1}: {_shown(one[at:])} | {_shown(other[at:])}"
    if len(a) < 2 and len(b) < 2:
        return [first]
    ends = start + 10 * MOST
    lines = list(difflib.unified_diff(a[start:ends], b[start:ends], n=0, lineterm=""))[2:]
    lines = [f"{line[0]} {_shown(line[1:], 2 * SHOWN)[1:-1]}" for line in lines if not line.startswith("@@")]
    more = ["..."] if len(lines) > MOST or max(len(a), len(b)) > ends else []
    return [first, *lines[:MOST], *more]


def _first_difference(a: Sequence[str], b: Sequence[str]) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def json_differences(a: Any, b: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the places where two JSON values differ, in order: ``$.results[0].name``, and what is there in each."""
    open_: list[tuple[str, Any, Any]] = [("$", a, b)]
    while open_:  # no recursion: a body may be nested very deeply
        path, x, y = open_.pop()
        if isinstance(x, dict) and isinstance(y, dict):
            members = [(f"{path}{_step(name)}", x.get(name, _NONE), y.get(name, _NONE)) for name in x | y]
            open_ += reversed(members)
        elif isinstance(x, list) and isinstance(y, list):
            if len(x) != len(y):
                yield path, f"{len(x)} items", f"{len(y)} items"
            open_ += reversed([(f"{path}[{n}]", *each) for n, each in enumerate(zip(x, y, strict=False))])
        elif type(x) is not type(y) or x != y:
            yield path, _value(x), _value(y)


_NONE = object()


def _step(name: str) -> str:
    return f".{name}" if name.isascii() and name.isidentifier() else f"[{_shown(name)}]"


def _value(value: Any) -> str:
    if value is _NONE:
        return ABSENT
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return _shown(value) if isinstance(value, str) else json.dumps(value)[:SHOWN]


# ------------------------------------------------------------------------------------------------------- both


def _as_json(body: bytes) -> tuple[Any] | None:
    """Return the value in a tuple, since it may be null."""
    try:
        return (json.loads(body),)
    except (ValueError, RecursionError):
        return None


def _as_text(body: bytes) -> str | None:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _weight(body: bytes) -> str:
    return f"{len(body):,} bytes, sha256 {sha256(body)[:12]}" if body else ABSENT


def _weight_of(response: Response) -> str:
    return f"{response.size:,} bytes, sha256 {response.sha256[:12]}" if response.size else ABSENT


def _shown(text: str, most: int = SHOWN) -> str:
    return repr(text if len(text) <= most else f"{text[: most - 3]}...")


def _all(values: list[str]) -> str:
    return " and ".join(_shown(value) for value in values[:3]) + (" ..." if len(values) > 3 else "") or ABSENT
