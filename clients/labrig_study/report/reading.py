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
from labrig_harness.trajectory import Step, Tokens, ToolCall, Trajectory
from labrig_study.report.prose import MOST, Prose, readable
from labrig_study.report.words import FAULTS

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
    fault
        The model's mistake, in words.
    raw
        The arguments as the model wrote them, where they are no JSON object.
    told
        What the agent was told in place of a result.
    delivered
        How much of the result reached the model, in words, where its log shows that it was not all.
    duration_s
        None where it is not recorded.
    """

    tool: str
    short: tuple[tuple[str, str], ...]
    long: tuple[tuple[str, Prose], ...]
    result: Prose | None
    problem: str
    blob: str
    is_error: bool
    duration_s: float | None
    fault: str
    raw: Prose | None
    told: Prose | None
    delivered: str


@dataclass(frozen=True)
class ReadStep:
    """A step: what was said, what it rests on, and what was called.

    Attributes
    ----------
    source
        ``agent``, ``user`` or ``system``.
    item
        Whether the text began with the item's own, which is then left out of `says`.
    """

    index: int
    source: str
    item: bool
    says: Prose | None
    reasoning: Prose | None
    faults: tuple[str, ...]
    tokens: Tokens
    model: str
    calls: tuple[ReadCall, ...]


def read_steps(
    folder: Path, trajectory: Trajectory, prompt: str = "", most: int = MOST
) -> tuple[ReadStep, ...]:
    """Return the steps of a record with the texts of its call log.

    Parameters
    ----------
    prompt
        The item's text: a step that begins with it shows only what follows.
    most
        Characters kept of a text.
    """
    log = CallLog(folder)
    records: list[CallRecord] = []
    broken = ""
    try:
        for record in log:
            records.append(record)
    except (LabrigError, OSError, ValueError) as error:
        broken = f"The call log cannot be read to its end: {error}"

    def prose(text: str) -> Prose | None:
        return Prose.of(text, most) if text else None

    def read_call(call: ToolCall) -> ReadCall:
        short, long = _show_arguments(call.arguments, most)
        result, problem = _read_result(log, records, call, broken)
        return ReadCall(
            tool=readable(call.tool),
            short=short,
            long=long,
            result=None if result is None else Prose.of(result, most),
            problem=problem,
            blob=call.result,
            is_error=call.is_error,
            duration_s=_read_seconds(call.meta.get("duration_s")),
            fault=FAULTS.get(call.fault, call.fault),
            raw=prose(call.raw),
            told=prose(call.told),
            delivered=_describe_delivery(call),
        )

    def read_step(step: Step) -> ReadStep:
        begins = prompt.rstrip()
        item = step.source == "user" and bool(begins) and step.text.startswith(begins)
        return ReadStep(
            index=step.index,
            source=step.source,
            item=item,
            says=prose(step.text[len(begins) :].strip() if item else step.text),
            reasoning=prose(step.reasoning),
            faults=tuple(FAULTS.get(each, each) for each in step.faults),
            tokens=step.tokens,
            model=readable(step.model),
            calls=tuple(map(read_call, step.calls)),
        )

    return tuple(map(read_step, trajectory.steps))


def _read_seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _describe_delivery(call: ToolCall) -> str:
    if call.delivered_bytes is None or call.delivered_bytes >= call.result_bytes:
        return ""
    return f"the model was given {call.delivered_bytes:,} of {call.result_bytes:,} bytes"


def _show_arguments(
    arguments: Mapping[str, Any], most: int
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, Prose], ...]]:
    short, long = [], []
    for name, value in arguments.items():
        text = json.dumps(value, ensure_ascii=False)
        if len(text) <= SHORT and "\\n" not in text:
            short.append((readable(name), readable(text)))
        else:
            whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
            long.append((readable(name), Prose.of(whole, most)))
    return tuple(short), tuple(long)


def _read_result(
    log: CallLog, records: list[CallRecord], call: ToolCall, broken: str
) -> tuple[str | None, str]:
    """Return the text of a call's result, and what is wrong with it."""
    if call.record < 0:
        return None, "" if call.told else "The call never reached a server."
    if call.record >= len(records):
        return None, broken or f"The call log has no record {call.record}."
    record = records[call.record]
    if (record.tool, record.result) != (call.tool, call.result):
        return None, f"The trajectory and record {call.record} of the call log do not agree."
    if not record.result:
        what = (record.error or {}).get("what", "the connection ended")
        return None, readable(f"There was no result: {what}")
    try:
        return result_text(log.result(record)), ""
    except (LabrigError, OSError, ValueError) as error:
        return None, readable(str(error))


def result_text(result: Any) -> str:
    """Return the text of a wire result: other content is named, a result without content is JSON."""
    if not isinstance(result, Mapping):
        return json.dumps(result, ensure_ascii=False, indent=1)
    content = result.get("content")
    parts = [_show_part(each) for each in content] if isinstance(content, list) else []
    if not parts:
        parts = [json.dumps(result.get("structuredContent", result), ensure_ascii=False, indent=1)]
    return "\n".join(parts)


def _show_part(part: Any) -> str:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    if isinstance(part, Mapping) and isinstance(part.get("data"), str):
        size = len(part["data"]) * 3 // 4
        return f"[{part.get('type')}, {part.get('mimeType', 'type not given')}, about {size:,} bytes]"
    return json.dumps(part, ensure_ascii=False)
