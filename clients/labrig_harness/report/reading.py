"""A record as a person reads it: its steps, each call with its arguments and what came back.

Results are read from the call log beside the trajectory. Where the two do not agree, or a blob is missing or
changed, the reader is told so in place of the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.calls import CallLog, CallRecord
from labrig.errors import LabrigError
from labrig_harness.report.prose import Prose, readable
from labrig_harness.trajectory import ToolCall, Trajectory

SHORT = 100
"""Characters up to which an argument is shown in the line of its call."""


@dataclass(frozen=True)
class ReadCall:
    """A call: its arguments, short and long, and the text that the agent got.

    Attributes
    ----------
    problem
        Why there is no result to show, or why it should not be trusted.
    blob
        SHA-256 of the result blob, to find it beside the record.
    """

    tool: str
    short: tuple[tuple[str, str], ...]
    long: tuple[tuple[str, Prose], ...]
    result: Prose | None
    problem: str
    blob: str
    is_error: bool
    duration_s: float


@dataclass(frozen=True)
class ReadStep:
    """A step: what the agent said, and what it called."""

    index: int
    says: Prose | None
    calls: tuple[ReadCall, ...]


def read_steps(folder: Path, trajectory: Trajectory) -> tuple[ReadStep, ...]:
    """Return the steps of a record with the texts of its call log."""
    log = CallLog(folder)
    records: list[CallRecord] = []
    broken = ""
    try:
        for record in log:
            records.append(record)
    except (LabrigError, OSError, ValueError) as error:
        broken = f"The call log cannot be read to its end: {error}"

    def read(call: ToolCall) -> ReadCall:
        short, long = _arguments(call.arguments)
        result, problem = _result(log, records, call, broken)
        tool = readable(call.tool)
        return ReadCall(
            tool, short, long, result, problem, call.result, call.is_error, call.meta.get("duration_s", 0.0)
        )

    return tuple(
        ReadStep(step.index, Prose.of(step.text) if step.text else None, tuple(map(read, step.calls)))
        for step in trajectory.steps
    )


def _arguments(
    arguments: Mapping[str, Any],
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, Prose], ...]]:
    short, long = [], []
    for name, value in arguments.items():
        text = json.dumps(value, ensure_ascii=False)
        if len(text) <= SHORT and "\\n" not in text:
            short.append((readable(name), readable(text)))
        else:
            whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
            long.append((readable(name), Prose.of(whole)))
    return tuple(short), tuple(long)


def _result(log: CallLog, records: list[CallRecord], call: ToolCall, broken: str) -> tuple[Prose | None, str]:
    """Return the text of a call's result, and what is wrong with it."""
    if call.record < 0:
        return None, "The call never reached a server."
    if call.record >= len(records):
        return None, broken or f"The call log has no record {call.record}."
    record = records[call.record]
    if (record.tool, record.result) != (call.tool, call.result):
        return None, f"The trajectory and record {call.record} of the call log do not agree."
    if not record.result:
        what = (record.error or {}).get("what", "the connection ended")
        return None, readable(f"There was no result: {what}")
    try:
        return Prose.of(result_text(log.result(record))), ""
    except (LabrigError, OSError, ValueError) as error:
        return None, readable(str(error))


def result_text(result: Any) -> str:
    """Return the text of a wire result: other content is named, a result without content is JSON."""
    if not isinstance(result, Mapping):
        return json.dumps(result, ensure_ascii=False, indent=1)
    content = result.get("content")
    parts = [_part(each) for each in content] if isinstance(content, list) else []
    if not parts:
        parts = [json.dumps(result.get("structuredContent", result), ensure_ascii=False, indent=1)]
    return "\n".join(parts)


def _part(part: Any) -> str:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    if isinstance(part, Mapping) and isinstance(part.get("data"), str):
        size = len(part["data"]) * 3 // 4
        return f"[{part.get('type')}, {part.get('mimeType', 'type not given')}, about {size:,} bytes]"
    return json.dumps(part, ensure_ascii=False)
