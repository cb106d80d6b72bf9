"""Traces of TerraBench, in the four shapes that its public code writes or reads, and a trace of ours in that form.

=========== ================================================= ====================================================
key         where it is from                                  what stands in it
=========== ================================================= ====================================================
trajectory  the writer of runs (full_agent/tracing/writer.py) ``tools`` with ``name`` and ``args``, then
                                                              ``observation`` with ``name`` and ``output``
steps       ``Main_trace.json``                               calls with ``arguments``, ``status``, ``content``
trace       a prediction, and what the loader reads           as ``steps``, or a document of another shape
messages    a dialog, and what the loader reads               messages with blocks of calls and results, or with
                                                              ``tool_calls`` and messages of the role ``tool``
=========== ================================================= ====================================================

A document that is a list is read as ``steps``. Results have no ids in the first shape: an observation answers the first
call of its name that waits. A step (``tool``) without status succeeded, as in the public loader, unless its result says
``error``; a request (``tools``, ``tool_call``, ..) that nothing answers did not. The answer is the file
``number_prediction.json`` beside the trace, or what the last message holds.

Nothing in these files can be proved, and they hold no tokens. The order of records is taken as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from labrig_harness.trajectory import Step, Trajectory
from labrig_programs.reading.building import (
    Json,
    OpenCall,
    OpenRun,
    OpenTurn,
    as_text,
    parts,
    rows,
    stopped,
    table,
    text_of,
    text_part,
    word,
)
from labrig_programs.reading.lines import Skipped
from labrig_programs.reading.read_run import ReadRun, Wire

NAME = "terrabench"
TRACE, ANSWER = "Main_trace.json", "number_prediction.json"
SHAPES = ("trajectory", "steps", "trace", "messages")

_CALLS = frozenset({"tool", "tools", "tool_call", "tool_use", "function_call"})
_RESULTS = frozenset({"observation", "tool_result", "function_call_output"})
_THOUGHTS = frozenset({"plan", "think", "thinking", "reflection", "verify", "reasoning"})
_WORDS = frozenset({"assistant", "answer", "text", "output_text"})
_TOLD = frozenset({"user", "system"})
_GOOD = frozenset({"", "success", "ok", "completed"})
_DEEPEST = 4


def is_trace(document: Any) -> bool:
    """Return whether a document has one of the four shapes."""
    return isinstance(document, dict) and _find_records(document) is not None


def read(document: Any) -> list[ReadRun]:
    """Read a trace, which is one run; none where the document has no such shape, or no record."""
    records = document if isinstance(document, list) else _find_records(document)
    if not records:
        return []
    about = table(document)
    skipped = Skipped()
    run = OpenRun(NAME, skipped)
    metadata = {**table(table(about.get("trace")).get("metadata")), **table(about.get("metadata"))}
    asked = word(metadata.get("user_request"))
    if asked and not any(_find_kind(each) == "user" for each in records if isinstance(each, dict)):
        run.turn("user", asked)
    for number, record in enumerate(records, 1):
        if isinstance(record, dict):
            _take_record(run, record, number)
        else:
            skipped.add("records that are no objects", number)
    if not run.turns:
        return []
    for call in (each for turn in run.turns for each in turn.calls):
        if call.meta.pop("step", False) and not call.answered:
            call.answer(_make_wire("", None))
    _describe_run(run, about, metadata)
    last = next((turn for turn in reversed(run.turns) if turn.source == "agent" and turn.text), None)
    text = "\n".join(last.text) if last is not None else ""
    end, detail = stopped(run, text)
    found = run.finish(end=end, detail=detail, text=text)
    item = next((about[key] for key in ("item_id", "id") if isinstance(about.get(key), str)), "")
    item = item or next(
        (metadata[key] for key in ("item_id", "task") if isinstance(metadata.get(key), str)), ""
    )
    return [replace(found, item=item)]


def _find_records(document: Any, depth: int = 0) -> list[Any] | None:
    """Return the records of a document by the first shape that it has; a trace may itself be a document."""
    for shape in SHAPES:
        found = document.get(shape) if isinstance(document, dict) else None
        if isinstance(found, list):
            return found
        if isinstance(found, dict) and depth < _DEEPEST:
            return _find_records(found, depth + 1)
    return None


def _find_kind(record: Json) -> str:
    return (word(record.get("type")) or word(record.get("role"))).casefold()


def _take_record(run: OpenRun, record: Json, number: int) -> None:
    """Take a record: a call, a result, a thought, words, or a message that holds any of these."""
    kind = _find_kind(record)
    content = record.get("content")
    blocks = rows(content) if isinstance(content, list) else []
    if kind == "message":  # a message of which only the role says whose it is
        kind = word(record.get("role")).casefold()
    if kind == "tool" and ("tool_call_id" in record or not _find_name(record)):
        _take_result(run, word(record.get("tool_call_id")), "", record, content, number)
    elif kind in _CALLS and _find_name(record):
        _take_call(run, record, number)
    elif kind in _RESULTS:
        id = word(record.get("id")) or word(record.get("call_id")) or word(record.get("tool_call_id"))
        _take_result(run, id, word(record.get("name")), record, record.get("output", content), number)
    elif kind in _TOLD and not any(_find_kind(each) in _RESULTS for each in blocks):
        run.turn("user" if kind == "user" else "system", _join_text(content))
    elif kind in _THOUGHTS:
        _find_turn(run).reasoning.append(_join_text(content) or word(record.get("thinking")))
    elif blocks:
        for block in blocks:
            if _find_kind(block) in ("text", "output_text"):
                _take_words(run, word(block.get("text")))
            else:
                _take_record(run, block, number)
    elif kind in _WORDS:
        _take_words(run, _join_text(content) or word(record.get("text")))
    elif not rows(record.get("tool_calls")):
        run.skipped.add(f"records of the type {kind[:40] or 'none'}", number)
    for each in rows(record.get("tool_calls")):
        _take_call(run, {**each, **table(each.get("function"))}, number)


def _find_name(record: Json) -> str:
    return next((found for key in ("name", "tool", "tool_name") if (found := word(record.get(key)))), "")


def _find_turn(run: OpenRun) -> OpenTurn:
    """Return the agent's open turn; one that was answered, or was followed by another's words, is closed."""
    last = run.turns[-1] if run.turns else None
    if last is not None and last.source == "agent" and not any(call.answered for call in last.calls):
        return last
    return run.turn()


def _take_words(run: OpenRun, text: str) -> None:
    if text.strip():
        turn = _find_turn(run)
        if turn.calls:
            turn = run.turn()
        turn.text.append(text)


def _take_call(run: OpenRun, record: Json, number: int) -> None:
    given = next((record[key] for key in ("arguments", "args", "input") if record.get(key) is not None), None)
    id = word(record.get("id")) or word(record.get("call_id")) or f"record-{number}"
    call = OpenCall.of(_find_name(record), given, id)
    if _find_kind(record) == "tool":  # a step that was taken, where the other kinds ask for one
        call.meta["step"] = True
    turn = _find_turn(run)
    run.add_call(turn, call)
    if isinstance(record.get("timestamp"), str):
        turn.meta.setdefault("time", record["timestamp"])
    if "status" in record or any(record.get(key) is not None for key in ("content", "observation", "output")):
        output = next(
            (record[key] for key in ("content", "observation", "output") if record.get(key) is not None), ""
        )
        call.answer(_make_wire(output, record.get("status")))


def _take_result(run: OpenRun, id: str, name: str, record: Json, output: Any, number: int) -> None:
    waiting = [call for turn in run.turns for call in turn.calls if not call.answered]
    call = next((each for each in waiting if id and each.id == id), None)
    if call is None:
        call = next((each for each in waiting if each.tool == name or not name), None)
    if call is None:
        run.skipped.add("results without a call", number)
        return
    call.answer(_make_wire(output, record.get("status")))


def _make_wire(output: Any, status: Any) -> Wire:
    content = [text_part(as_text(output))] if isinstance(output, dict) else parts(output)
    good = status is None or (isinstance(status, str) and status.strip().casefold() in _GOOD)
    return {"content": content, "isError": not good or _is_error(output)}


def _is_error(output: Any) -> bool:
    """Return whether a result is an object, perhaps as text, whose status is ``error`` or that has a true ``error``."""
    if isinstance(output, list):
        output = text_of(parts(output))
    if isinstance(output, str):
        text = output.strip()
        if not text.startswith("{") or '"error"' not in text:
            return False
        try:
            output = json.loads(text)
        except (ValueError, RecursionError):
            return False
    found = table(output)
    return found.get("status") == "error" or found.get("error") is True


def _join_text(content: Any) -> str:
    return text_of(parts(content)) if isinstance(content, list) else as_text(content)


def _describe_run(run: OpenRun, about: Json, metadata: Json) -> None:
    run.model = word(metadata.get("model")) or word(metadata.get("model_name"))
    if isinstance(about.get("run_id"), str):
        run.meta["session"] = about["run_id"]
    began, ended = (_read_time(metadata.get(key)) for key in ("started_at", "finished_at"))
    if began is not None:
        run.meta["started"] = metadata["started_at"]
        if ended is not None and ended >= began:
            run.meta["duration_s"] = (ended - began).total_seconds()
    if began is not None and ended is not None and ended < began:
        run.warn("the run is said to have finished before it started")


def _read_time(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found.replace(tzinfo=None) if found is not None else None


# ------------------------------------------------------------------------------------------------ writing


def main_trace(trajectory: Trajectory, results: Mapping[str, Wire]) -> Json:
    """Return a trajectory as ``Main_trace.json``, which the public loader reads, too.

    Parameters
    ----------
    results
        Results in wire form, by the hash that a call names.
    """
    known = {
        "task": trajectory.task,
        "agent": trajectory.agent,
        "arm": trajectory.arm,
        "epoch": trajectory.epoch,
        "model": trajectory.model,
        "end": trajectory.end,
        "user_request": next((step.text for step in trajectory.steps if step.source == "user"), ""),
    }
    last = next((step.index for step in reversed(trajectory.turns) if step.text.strip()), -1)
    records = [
        record for step in trajectory.steps for record in _write_step(step, results, step.index == last)
    ]
    return {"metadata": {key: value for key, value in known.items() if value != ""}, "steps": records}


def _write_step(step: Step, results: Mapping[str, Wire], last: bool) -> list[Json]:
    found: list[Json] = []
    if step.reasoning.strip():
        found.append({"type": "think", "content": step.reasoning})
    if step.text.strip():
        kind = step.source if step.source != "agent" else "answer" if last else "assistant"
        found.append({"type": kind, "content": step.text})
    for call in step.calls:
        wire = results.get(call.result, {})
        found.append(
            {
                "type": "tool",
                "name": call.tool,
                "arguments": call.arguments if not call.raw else call.raw,
                "status": "error" if call.is_error else "success",
                "content": call.told or text_of(rows(wire.get("content"))),
            }
        )
    return found


def number_prediction(trajectory: Trajectory) -> Any:
    """Return the committed answer as the JSON of ``number_prediction.json``; None where there is none that is JSON."""
    if trajectory.submission is None:
        return None
    try:
        return json.loads(trajectory.submission.text, parse_constant=str)
    except (ValueError, RecursionError):
        return None
