"""The tool log of The Amazing Agent Race: ``tool_log.jsonl`` of its command ``tools.py``, one call a line.

A line has ``tool``, ``args``, ``success``, ``result_preview`` (the first 2,000 characters), ``result_len`` and ``ts``
(seconds since 1970). It holds no messages and no tokens: each call becomes a turn. The log lies where the agent could
write, so nothing in it is proof; what shows that a line was changed or left out is said in ``warnings``: times that go
back, a preview that is longer than the result it is of.

The answer is the file ``answer.txt`` beside the log (`ReadRun.committed`).

Harbor keeps no such log of a trial. There the agent's own trajectory shows the same calls as commands of a shell,
``python3 /app/tools.py NAME JSON``, which `unfold` reads.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, BinaryIO

from labrig_harness.trajectory import ToolCall
from labrig_programs.reading.building import OpenCall, OpenRun, as_text, text_part, word
from labrig_programs.reading.lines import Line, Skipped, objects
from labrig_programs.reading.read_run import ReadRun, Wire

NAME = "aar-tools"
ANSWER = "answer.txt"
PREVIEW = 2000
MOST_COMMAND = 100_000
"""Characters of a shell command that calls are looked for in: more are no call, and slow to split."""


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


def unfold(run: ReadRun) -> ReadRun:
    """Return a run with the calls that its shell commands make of ``tools.py`` in place of these commands.

    Where one command makes several calls, each has the whole result of the command: nothing in it says which part is
    whose. Commands that make none stay.
    """
    results = dict(run.results)
    steps = []
    for step in run.steps:
        calls: list[ToolCall] = []
        for call in step.calls:
            made = _calls_of(call.arguments)
            wire = results.pop(call.id, None) if made else None
            for number, (tool, arguments) in enumerate(made):
                each = replace(
                    call, tool=tool, arguments=arguments, id=f"{call.id}/{number}", meta={**call.meta}
                )
                calls.append(each)
                if wire is not None:
                    results[each.id] = {**wire, "isError": _is_refused(wire)}
            calls += [] if made else [call]
        steps.append(replace(step, calls=tuple(calls)))
    return replace(run, steps=tuple(steps), results=results)


def _calls_of(arguments: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of ``tools.py`` in a shell command; a JSON that it could not read made no call."""
    given = arguments.get("command") or arguments.get("cmd") or ""
    command = str(given[-1] if isinstance(given, list) and given else given)
    if "tools.py" not in command or len(command) > MOST_COMMAND:
        return []
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = [*lexer, "", ""]
    except ValueError:  # a quotation that does not end
        return []
    found = []
    for at, each in enumerate(words[:-2]):
        name, text = words[at + 1], words[at + 2]
        if not each.endswith("tools.py") or not name.isidentifier():
            continue
        try:
            sent = json.loads(text) if text.startswith("{") else {}
        except (ValueError, RecursionError):
            continue
        found.append((name, sent))
    return found


def _is_refused(wire: Wire) -> bool:
    """Return whether a result is an error, as ``tools.py`` tells it: by its first words."""
    text = "".join(str(part.get("text", "")) for part in wire.get("content") or [] if isinstance(part, dict))
    said = text.startswith("Error executing ") or (text.startswith("Error: ") and len(text.strip()) < 200)
    return said or wire.get("isError") is True
