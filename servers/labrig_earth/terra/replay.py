"""Calls of a published trace played against a server, and what its answers differ in from those of the trace.

    differences = await replay([Recorded("ensemble_spread", {"member_paths": [..]}, payload)], ask)

`ask` makes a call and returns its text and whether it is an error; it is given, since this room knows no protocol.
`labrig import` reads the calls out of a trace. Published traces name files of the machine that they were made on: where
an answer of ours has a path in the place of a recorded one, later calls get ours.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Ask = Callable[[str, Mapping[str, Any]], Awaitable[tuple[str, bool]]]
"""From a tool and its arguments to the text of its answer, and whether that is an error."""

RELATIVE, ABSOLUTE = 1e-6, 1e-12
MOST_DIFFERENCES = 1_000
MISSING = "nothing"
_PATH = re.compile(
    r"(?:\S*/)?[^\s/]+\.(?:nc|csv|png|jpe?g|json|geojson|tiff?|osm|pbf|gpkg|zip)|sha256:[0-9a-f]{8,64}"
)
"""A file by its ending, or a handle: a unit such as kg/m2 is none."""


@dataclass(frozen=True)
class Recorded:
    """A call of a trace.

    Attributes
    ----------
    result
        The payload, JSON or its text; None where the trace has none.
    failed
        Whether the trace says so.
    """

    tool: str
    arguments: Mapping[str, Any]
    result: Any = None
    failed: bool = False


@dataclass(frozen=True)
class Difference:
    """What differs in one place of one answer.

    Attributes
    ----------
    step
        Number of the call, from 1.
    place
        In the payload, such as ``stats.mean`` or ``files[0]``; empty for the answer as a whole.
    recorded, found
        As JSON, shortened; ``nothing`` where one of both has nothing there.
    """

    step: int
    tool: str
    place: str
    recorded: str
    found: str

    def __str__(self) -> str:
        where = f", {self.place}" if self.place else ""
        return f"{self.step} {self.tool}{where}: {self.recorded} in the trace, {self.found} here"


@dataclass
class _Paths:
    """Paths of ours by those of the trace."""

    ours: dict[str, str] = field(default_factory=dict)

    def in_place(self, value: Any) -> Any:
        """Return arguments with our paths."""
        if isinstance(value, str):
            return self.ours.get(value, value)
        if isinstance(value, Mapping):
            return {key: self.in_place(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.in_place(each) for each in value]
        return value


async def replay(
    calls: Sequence[Recorded],
    ask: Ask,
    *,
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
    ignored: Sequence[str] = (),
    paths: Mapping[str, str] | None = None,
) -> list[Difference]:
    """Play calls in their order, and return what differs, at most `MOST_DIFFERENCES`.

    Parameters
    ----------
    relative, absolute
        Numbers a and b are the same where ``|a - b| <= max(relative * |b|, absolute)``, b that of the trace.
    ignored
        Keys of payloads that are not compared, wherever they stand.
    paths
        Paths here by those of the trace, for files that are there before the first call.
    """
    known = _Paths(dict(paths or {}))
    found: list[Difference] = []
    for step, call in enumerate(calls, 1):
        text, failed = await ask(call.tool, known.in_place(dict(call.arguments)))
        if failed != call.failed:
            said = "an error" if call.failed else "an answer"
            found.append(
                Difference(
                    step, call.tool, "", said, f"{'an error' if failed else 'an answer'}: {text[:300]}"
                )
            )
            continue
        if failed or call.result is None:
            continue
        before, now = _parsed(call.result), _parsed(text)
        for place, one, other in _differing(before, now, "", known, relative, absolute, frozenset(ignored)):
            found.append(Difference(step, call.tool, place, _short(one), _short(other)))
            if len(found) >= MOST_DIFFERENCES:
                return found
    return found


_NONE = object()


def _differing(
    before: Any,
    now: Any,
    place: str,
    known: _Paths,
    relative: float,
    absolute: float,
    ignored: frozenset[str],
) -> Iterator[tuple[str, Any, Any]]:
    """Give the places that differ, with what stands there; paths in one place are learnt and are no difference."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in ignored:
                inner = f"{place}.{key}" if place else str(key)
                one, other = before.get(key, _NONE), now.get(key, _NONE)
                yield from _differing(one, other, inner, known, relative, absolute, ignored)
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"{place} (length)", len(before), len(now)
        for number, (one, other) in enumerate(zip(before, now, strict=False)):
            yield from _differing(one, other, f"{place}[{number}]", known, relative, absolute, ignored)
    elif _is_number(before) and _is_number(now):
        if not abs(now - before) <= max(relative * abs(before), absolute):
            yield place, before, now
    elif isinstance(before, str) and isinstance(now, str):
        if _is_path(before) and _is_path(now):
            known.ours[before] = now
        elif before != now:
            yield place, before, now
    elif before is _NONE or now is _NONE or before != now or type(before) is not type(now):
        yield place, before, now


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_path(text: str) -> bool:
    return len(text) < 1000 and _PATH.fullmatch(text) is not None


def _parsed(result: Any) -> Any:
    """Return a payload as JSON where its text is that."""
    if not isinstance(result, str):
        return result
    try:
        return json.loads(result)
    except (ValueError, RecursionError):
        return result


def _short(value: Any) -> str:
    if value is _NONE:
        return MISSING
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:197]}..."
