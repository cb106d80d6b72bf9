"""Linking what an agent program's own log shows to the calls that the recording proxy saw.

The proxy's records are the truth about calls; the program's log knows what was said between them. A call of
the log belongs to the first record that is not taken yet and has the same tool and arguments, else to the first
one of the same tool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from labrig.calls import CallRecord
from labrig.canonical import canonical_json
from labrig_harness.trajectory import Step, ToolCall


def tool_call(record: CallRecord, number: int, delivered_bytes: int | None = None) -> ToolCall:
    """Return a recorded call as a trajectory holds it."""
    return ToolCall(
        tool=record.tool,
        arguments=record.arguments,
        record=number,
        is_error=record.is_error,
        result=record.result,
        result_bytes=record.result_bytes,
        delivered_bytes=delivered_bytes,
        meta={"duration_s": record.meta.get("round_trip_s", 0.0)},
    )


def link(
    steps: Sequence[Step],
    records: Sequence[CallRecord],
    server: str = "",
    delivered: Mapping[int, int] = MappingProxyType({}),
) -> list[Step]:
    """Return the steps with their calls linked to records.

    Parameters
    ----------
    steps
        As an importer read them: calls name tools without the client's prefix and carry no record.
    server
        The server's name, as the program was told it.
    delivered
        Bytes of text that were delivered of results that were cut, by record; what the log shows comes first.

    Returns
    -------
    list of Step
        A call that no server saw keeps ``record`` -1 and, if it named one of the server's tools, has the fault
        ``not_delivered``. A record that the log does not show becomes a turn of its own, after the turn that holds
        the record before it. Indices count from 0.
    """
    taken: set[int] = set()
    linked = [
        replace(step, calls=tuple(_linked(call, records, taken, server, delivered) for call in step.calls))
        for step in steps
    ]
    for number, record in enumerate(records):
        if number not in taken:
            extra = Step(0, calls=(tool_call(record, number, delivered.get(number)),))
            linked.insert(_place(linked, number), extra)
    return [replace(step, index=index) for index, step in enumerate(linked)]


def _linked(
    call: ToolCall, records: Sequence[CallRecord], taken: set[int], server: str, delivered: Mapping[int, int]
) -> ToolCall:
    free = [n for n, record in enumerate(records) if n not in taken and record.tool == call.tool]
    wanted = canonical_json(call.arguments)
    same = [n for n in free if canonical_json(records[n].arguments) == wanted]
    number = next(iter([*same, *free]), None)
    if number is None:
        claimed = server and call.meta.get("server") == server and not call.is_error
        if not claimed and call.tool not in {record.tool for record in records}:
            return replace(call, record=-1)  # a tool of the program's own, or one that nobody has
        return replace(call, record=-1, is_error=True, fault="not_delivered")
    taken.add(number)
    seen = tool_call(records[number], number, delivered.get(number))
    return replace(
        seen,
        id=call.id,
        fault=call.fault,
        delivered_bytes=seen.delivered_bytes if call.delivered_bytes is None else call.delivered_bytes,
        meta={**call.meta, **seen.meta},
    )


def _place(steps: Sequence[Step], number: int) -> int:
    """Return where the turn of a record goes that no log shows: after all records before it."""
    place = 0
    for index, step in enumerate(steps):
        if any(0 <= call.record < number for call in step.calls):
            place = index + 1
    if place:
        return place
    # The first record: before the first turn that holds a later one, after what was said by others.
    return next((i for i, step in enumerate(steps) if step.source == "agent"), len(steps))
