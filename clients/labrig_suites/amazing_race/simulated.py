"""Runs that nobody made: an agent that does all, or one thing wrong, over the stops of a leg."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from labrig_harness.endings import EndReason
from labrig_harness.sample import Sample
from labrig_harness.trajectory import Step as Turn
from labrig_harness.trajectory import Submission, ToolCall, Trajectory
from labrig_suites.amazing_race.legs import Leg, Stop, leg_of
from labrig_suites.amazing_race.path import referred

SOMEWHERE = (10.0, 20.0)
"""Latitude and longitude in degrees, where a leg holds no golden trace."""


def calls_of(leg: Leg, stop: Stop) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of a stop with all arguments resolved, as the paper's tools take them."""
    if stop.stop_type == "page":
        return [("fetch_webpage", {"url": stop.page_url})]
    made: list[tuple[str, dict[str, Any]]] = []
    golden = leg.golden.get(str(stop.index), [])
    outputs: dict[str, Any] = {}
    for place, step in enumerate(stop.bridge.tool_chain):
        arguments = {key: value for key, value in step.arguments.items() if not key.startswith("__")}
        points = [outputs.get(name, SOMEWHERE) for name in referred(step)]
        if "__from_previous" in step.arguments and points:
            arguments |= {"latitude": points[0][0], "longitude": points[0][1]}
        if "__from_previous_as_locations" in step.arguments:
            arguments["locations"] = [{"latitude": points[0][0], "longitude": points[0][1]}]
        if "__from_previous_as_origins_destinations" in step.arguments:
            first, second = (f"{latitude},{longitude}" for latitude, longitude in points)
            arguments |= {"origins": [first], "destinations": [second]}
        made.append((step.tool_name, arguments))
        output = golden[place] if place < len(golden) else None
        outputs[step.output_key] = output if isinstance(output, (list, tuple)) else SOMEWHERE
    return made


def perfect(leg: Leg) -> list[ToolCall]:
    """Every page, every chain, in order."""
    return _recorded([call for stop in leg.stops for call in calls_of(leg, stop)])


def lazy(leg: Leg) -> list[ToolCall]:
    """The page at which the race starts, and nothing else."""
    return _recorded([("fetch_webpage", {"url": leg.seed_url})])


def wrong_page(leg: Leg) -> list[ToolCall]:
    """Every chain, but other pages."""
    return [_with_url(call, lambda url: f"{url}_(disambiguation)") for call in perfect(leg)]


def another_spelling(leg: Leg) -> list[ToolCall]:
    """Every page by the address of its mobile form, with spaces in place of underscores."""
    return [
        _with_url(call, lambda url: url.replace("://en.", "://en.m.").replace("_", "%20"))
        for call in perfect(leg)
    ]


def wrong_order(leg: Leg) -> list[ToolCall]:
    """Every call, the last one first: coordinates are sent before they were looked up."""
    return _numbered(list(reversed(perfect(leg))))


def wrong_arguments(leg: Leg) -> list[ToolCall]:
    """Every tool, asked about something else."""

    def other(value: Any) -> Any:
        if isinstance(value, str):
            return "Elsewhere"
        if isinstance(value, list):
            return [other(each) for each in value]
        if isinstance(value, dict):
            return {key: other(each) for key, each in value.items()}
        return -value - 7 if isinstance(value, (int, float)) else value

    return [
        call if call.tool == "fetch_webpage" else replace(call, arguments=other(call.arguments))
        for call in perfect(leg)
    ]


def shortcut(leg: Leg) -> list[ToolCall]:
    """Every chain, and no page."""
    return _numbered([call for call in perfect(leg) if call.tool != "fetch_webpage"])


def forged(leg: Leg) -> list[ToolCall]:
    """All of it claimed by the agent's own log, and seen by no server."""
    return [replace(call, record=-1, fault="not_delivered") for call in perfect(leg)]


def failed(leg: Leg) -> list[ToolCall]:
    """All of it, and every call ended in an error."""
    return [replace(call, is_error=True) for call in perfect(leg)]


BEHAVIOURS: dict[str, Callable[[Leg], list[ToolCall]]] = {
    "perfect": perfect,
    "another spelling": another_spelling,
    "shortcut": shortcut,
    "lazy": lazy,
    "wrong page": wrong_page,
    "wrong order": wrong_order,
    "wrong arguments": wrong_arguments,
    "forged": forged,
    "failed": failed,
}


def ran(
    sample: Sample, calls: Sequence[ToolCall], text: str | None, arm: str = "agent-default"
) -> Trajectory:
    """Return a trajectory of calls, a turn each, that commits a text, or nothing."""
    steps = (
        Turn(0, sample.brief.prompt, source="user"),
        *(Turn(place, calls=(call,)) for place, call in enumerate(calls, 1)),
    )
    submission = None if text is None else Submission(text, len(calls))
    end: EndReason = "no_answer" if text is None else "answered"
    return Trajectory(sample.id, sample.suite, "simulated", arm, 0, 0, steps, submission, end)


def right_answer(sample: Sample) -> str:
    """Return what the arm ``agent-default`` asks for: the digit, and below it the number, where the leg has one."""
    leg = leg_of(sample)
    return str(leg.passcode) if leg.number is None else f"{leg.passcode}\n{leg.number}\n"


def _recorded(calls: Sequence[tuple[str, dict[str, Any]]]) -> list[ToolCall]:
    return [ToolCall(tool, arguments, place, False) for place, (tool, arguments) in enumerate(calls)]


def _numbered(calls: Sequence[ToolCall]) -> list[ToolCall]:
    return [replace(call, record=place) for place, call in enumerate(calls)]


def _with_url(call: ToolCall, change: Callable[[str], str]) -> ToolCall:
    url = call.arguments.get("url")
    return replace(call, arguments={**call.arguments, "url": change(url)}) if isinstance(url, str) else call
