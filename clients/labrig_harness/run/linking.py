"""Linking what an agent program's own log shows to the calls that the recording proxy saw.

The proxy's records are the truth about calls; the program's log knows what was said between them. A call of
the log belongs to the first record that is not taken yet and has the same tool and arguments, else to the first
one of the same tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from labrig.canonical import canonical_json
from labrig_harness.recording.recorder import Course
from labrig_harness.tool_names import is_name_of
from labrig_harness.trajectory import Step, ToolCall


def tool_call(course: Course, number: int) -> ToolCall:
    """Return a recorded call as a trajectory holds it."""
    record = course.records[number]
    return ToolCall(
        tool=course.name(record),
        arguments=record.arguments,
        record=number,
        is_error=record.is_error,
        result=record.result,
        result_bytes=record.result_bytes,
        delivered_bytes=course.delivered_bytes.get(number),
        meta={"duration_s": record.meta.get("round_trip_s", 0.0)},
    )


def link(steps: Sequence[Step], course: Course) -> list[Step]:
    """Return the steps with their calls linked to the records of a session.

    Parameters
    ----------
    steps
        As an importer read them: calls name tools without the client's prefix and carry no record.

    Returns
    -------
    list of Step
        A call that no server saw keeps ``record`` -1 and, if it named one of the server's tools, has the fault
        ``not_delivered``. A record that the log does not show becomes a turn of its own, after the turn that holds
        the record before it. Indices count from 0.
    """
    taken: set[int] = set()
    linked = [
        replace(step, calls=tuple(_link_call(call, course, taken) for call in step.calls)) for step in steps
    ]
    for number in range(len(course.records)):
        if number not in taken:
            extra = Step(0, calls=(tool_call(course, number),))
            linked.insert(_find_place(linked, number), extra)
    return [replace(step, index=index) for index, step in enumerate(linked)]


def _link_call(call: ToolCall, course: Course, taken: set[int]) -> ToolCall:
    server = call.meta.get("server")
    of_server = [
        n
        for n, record in enumerate(course.records)
        if server not in course.servers or record.server == server
    ]
    named = [n for n in of_server if is_name_of(call.tool, course.records[n].server, course.records[n].tool)]
    free = [n for n in named if n not in taken]
    wanted = canonical_json(call.arguments)
    same = [n for n in free if canonical_json(course.records[n].arguments) == wanted]
    number = next(iter([*same, *free]), None)
    if number is None:
        claimed = bool(server) and server in course.servers and not call.is_error
        if not claimed and not named:
            return replace(call, record=-1)  # a tool of the program's own, or one that nobody has
        return replace(call, record=-1, is_error=True, fault="not_delivered")
    taken.add(number)
    seen = tool_call(course, number)
    return replace(
        seen,
        id=call.id,
        fault=call.fault,
        delivered_bytes=seen.delivered_bytes if call.delivered_bytes is None else call.delivered_bytes,
        meta={**call.meta, **seen.meta},
    )


def _find_place(steps: Sequence[Step], number: int) -> int:
    """Return where the turn of a record goes that no log shows: after all records before it."""
    place = 0
    for index, step in enumerate(steps):
        if any(0 <= call.record < number for call in step.calls):
            place = index + 1
    if place:
        return place
    # The first record: before the first turn that holds a later one, after what was said by others.
    return next((i for i, step in enumerate(steps) if step.source == "agent"), len(steps))
