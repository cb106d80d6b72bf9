"""What the published verifier reports of a run, from the same calls (harbor-adapter, verify.py, commit 78eff566).

Its definitions are kept with their faults: a page counts when any call, also one that failed, names its address; a call
is right when one argument is alike. `path` has what should have been counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from labrig_harness.trajectory import ToolCall
from labrig_suites.amazing_race.legs import Leg, Step
from labrig_suites.amazing_race.values import number

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
    steps = [step for stop in leg.stops for step in stop.bridge.tool_chain]
    pages = {plain_url(stop.page_url or "") for stop in leg.of_type("page")}
    asked = {plain_url(url) for call in calls if isinstance(url := call.arguments.get("url"), str)}
    tools, called = {step.tool_name for step in steps}, {call.tool for call in calls}
    return Verified(
        reward=int(_DIGIT.fullmatch(text) is not None and int(text) == leg.passcode),
        answered=_DIGIT.fullmatch(text) is not None,
        agent_answer=text[:40],
        page_stops=sum(1 for _ in leg.of_type("page")),
        tool_stops=sum(1 for _ in leg.of_type("tool")),
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
    """Return an address as the verifier compares it.

    >>> plain_url("https://en.m.wikipedia.org/wiki/Mont_Blanc/?a=1#Top")
    'https://en.wikipedia.org/wiki/Mont_Blanc'
    """
    return url.split("#")[0].split("?")[0].replace("en.m.", "en.").rstrip("/")


def right_calls(steps: Iterable[Step], calls: Sequence[ToolCall]) -> int:
    """Return how many steps of the golden chains are matched by a call, each call once, the first that is alike."""
    used: set[int] = set()
    for step in steps:
        place = next(
            (
                at
                for at, call in enumerate(calls)
                if at not in used and call.tool == step.tool_name and alike(step.arguments, call.arguments)
            ),
            None,
        )
        if place is not None:
            used.add(place)
    return len(used)


def alike(golden: dict[str, Any], sent: dict[str, Any]) -> bool:
    """Return whether arguments are alike to the verifier: at least one key that both have, and none that differs.

    Keys that refer to earlier outputs and keys that the call lacks are passed over, so a step of such keys alone
    (an elevation, a distance matrix) is matched by no call: 2,154 of the 10,384 published steps.
    """
    compared = 0
    for key, value in golden.items():
        if key.startswith("__") or key not in sent:
            continue
        compared += 1
        if not _same(value, sent[key]):
            return False
    return compared > 0


def _same(golden: Any, sent: Any) -> bool:
    if isinstance(golden, str) and isinstance(sent, str):
        first, second = golden.lower().strip(), sent.lower().strip()
        return first in second or second in first
    one, other = number(golden), number(sent)
    if one is not None and other is not None and not isinstance(golden, str):
        return abs(one - other) <= 0.01 * max(abs(one), 1e-9)
    return bool(golden == sent)


def found_values(leg: Leg, previews: Iterable[str]) -> tuple[int, int]:
    """Return how many values of stops stand somewhere in the beginnings of the results, and of how many.

    A value is looked for as Python's text of it; half of the published ones have one or two characters, which stand in
    nearly any result.
    """
    everything = "\n".join(each[:PREVIEW] for each in previews)
    values = [str(stop.extracted_value) for stop in leg.stops[:-1] if stop.extracted_value is not None]
    return sum(value in everything for value in values), len(values)
