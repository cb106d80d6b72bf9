"""What the published verifier reports of a run, from the same calls (harbor-adapter, verify.py, commit 78eff566).

Its definitions are kept with their faults: a page counts when any call, also one that failed, names its address; a call
is right when one argument is alike. Compared with its code on 1,400 published legs and made logs of 20 kinds: equal
in every field. `path` has what should have been counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from labrig_harness.trajectory import ToolCall
from labrig_suites.amazing_race.legs import Leg, Step

_DIGIT = re.compile(r"\d", re.ASCII)
PREVIEW = 2000
"""Characters of each result that the published log keeps, and that values are looked for in."""


@dataclass(frozen=True)
class Verified:
    """The fields of the verifier's reward file that do not need the texts of results, by its names."""

    reward: int
    answered: bool
    agent_answer: str
    page_stops: int
    tool_stops: int
    reason_stops: int
    total_tool_calls: int
    valid_tool_calls: int
    right_tool_calls: int
    golden_chain_length: int
    pages_visited: int
    pages: int
    tools_used: int
    tools: int


def verify(leg: Leg, answer: str | None, calls: Sequence[ToolCall]) -> Verified:
    """Return what the verifier says of an answer and the calls that a server saw.

    Parameters
    ----------
    answer
        The content of the answer file; None where there is none.
    """
    text = (answer or "").strip()
    making = [*leg.of_type("tool"), leg.finish]
    steps = [step for stop in making for step in stop.bridge.tool_chain]
    pages = {plain_url(stop.page_url or "") for stop in leg.of_type("page")}
    asked = {plain_url(url) for call in calls if isinstance(url := call.arguments.get("url"), str) and url}
    tools, called = {step.tool_name for step in steps}, {call.tool for call in calls}
    return Verified(
        reward=int(_DIGIT.fullmatch(text) is not None and int(text) == leg.passcode),
        answered=bool(text),
        agent_answer=text[:40],
        page_stops=sum(1 for _ in leg.of_type("page")),
        tool_stops=len(making),
        reason_stops=sum(1 for _ in leg.of_type("reason")),
        total_tool_calls=len(calls),
        valid_tool_calls=sum(not call.is_error for call in calls),
        right_tool_calls=right_calls(steps, calls),
        golden_chain_length=len(steps),
        pages_visited=len(pages & asked),
        pages=len(pages),
        tools_used=len(tools & called),
        tools=len(tools),
    )


def plain_url(url: str) -> str:
    """Return an address as the verifier compares it: a slash before a fragment stays.

    >>> (
    ...     plain_url("https://en.m.wikipedia.org/wiki/Mont_Blanc?a=1#Top"),
    ...     plain_url("https://x.org/a/"),
    ...     plain_url("a/#b"),
    ... )
    ('https://en.wikipedia.org/wiki/Mont_Blanc', 'https://x.org/a', 'a/')
    """
    return url.rstrip("/").replace("://en.m.wikipedia", "://en.wikipedia").split("?")[0].split("#")[0]


def right_calls(steps: Sequence[Step], calls: Sequence[ToolCall]) -> int:
    """Return how many calls are one of the golden chains' steps, each step once: the first that is alike and free."""
    used: set[int] = set()
    for call in calls:
        place = next(
            (
                at
                for at, step in enumerate(steps)
                if at not in used and call.tool == step.tool_name and alike(step.arguments, call.arguments)
            ),
            None,
        )
        if place is not None:
            used.add(place)
    return len(used)


def alike(golden: dict[str, Any], sent: dict[str, Any]) -> bool:
    """Return whether arguments are alike to the verifier: at least one key that both have, and none that differs.

    Keys that refer to earlier outputs and keys that the call lacks or leaves null are passed over, so a step of such
    keys alone (an elevation, a distance matrix) is matched by no call: 2,154 of the 10,384 published steps. A step
    without arguments is matched by any.
    """
    both = [key for key in golden if not key.startswith("__") and sent.get(key) is not None]
    return not golden or (bool(both) and all(_is_same(golden[key], sent[key]) for key in both))


def _is_same(golden: Any, sent: Any) -> bool:
    first, second = (str(each).lower().strip() for each in (golden, sent))
    if first and second and (first in second or second in first):
        return True
    try:
        one, other = (float(each.replace(",", "")) for each in (first, second))
    except ValueError:
        return False
    return other == 0 if one == 0 else abs(one - other) / abs(one) < 0.01


def found_values(leg: Leg, previews: Iterable[str]) -> tuple[int, int]:
    """Return how many values of stops stand somewhere in the beginnings of the results, and of how many.

    The finish line is one of them. A value is looked for as Python's text of it, and a number also whole and with one
    and two decimals; half of the published values have one or two characters, which stand in nearly any result.
    """
    everything = " ".join(each[:PREVIEW] for each in previews)
    values = [str(stop.extracted_value) for stop in leg.stops if stop.extracted_value is not None]
    return sum(any(form in everything for form in _write_forms(value)) for value in values), len(values)


def _write_forms(value: str) -> list[str]:
    text = value.strip()
    try:
        found = float(text.replace(",", ""))
        return [text, str(int(found)), f"{found:.1f}", f"{found:.2f}"]
    except (ValueError, OverflowError):
        return [text] if text else []
