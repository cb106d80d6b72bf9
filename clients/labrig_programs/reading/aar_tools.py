"""The tool log of The Amazing Agent Race: ``tool_log.jsonl`` of its command ``tools.py``, one call a line.

A line has ``tool``, ``args``, ``success``, ``result_preview`` (the first 2,000 characters), ``result_len`` and ``ts``
(seconds since 1970). It holds no messages and no tokens: each call becomes a turn. The log lies where the agent could
write, so nothing in it is proof; what shows that a line was changed or left out is said in ``warnings``: times that go
back, a preview that is longer than the result it is of.

The answer is the file ``answer.txt`` beside the log (`ReadRun.committed`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from labrig_programs.reading.building import OpenCall, OpenRun, as_text, text_part, word
from labrig_programs.reading.lines import Line, Skipped, objects
from labrig_programs.reading.read_run import ReadRun

NAME = "aar-tools"
ANSWER = "answer.txt"
PREVIEW = 2000


def is_line(event: dict[str, Any]) -> bool:
    """Return whether an object is a line of such a log."""
    return {"tool", "args", "success"} <= event.keys() and isinstance(event["tool"], str)


def read(lines: Iterable[Line] | BinaryIO) -> list[ReadRun]:
    """Read a log, which is one run; none where it holds no such line."""
    skipped = Skipped()
    run = OpenRun(NAME, skipped)
    latest = float("-inf")
    for number, event in objects(lines, skipped):
        if not is_line(event):
            skipped.add("lines that are no call", number)
            continue
        time = event.get("ts")
        if isinstance(time, (int, float)) and not isinstance(time, bool):
            if time < latest:
                run.warn(f"line {number} is earlier than a line before it")
            latest = max(latest, time)
        _take_event(run, number, event)
    return [run.finish(end="answered" if run.turns else "no_answer")] if run.turns else []


def _take_event(run: OpenRun, number: int, event: dict[str, Any]) -> None:
    turn, call = run.turn(), OpenCall.of(event["tool"], event["args"], f"line-{number}")
    run.add_call(turn, call)
    text = word(event.get("result_preview")) or as_text(event.get("result_preview") or "")
    length = event.get("result_len")
    if isinstance(length, int) and length < len(text):
        run.warn(f"line {number} shows more of the result than there was of it")
    if len(text) > PREVIEW:
        run.warn(f"line {number} shows more than {PREVIEW} characters")
    call.answer({"content": [text_part(text)], "isError": event["success"] is not True})
    if isinstance(event.get("ts"), (int, float)):
        turn.meta["time"] = event["ts"]
