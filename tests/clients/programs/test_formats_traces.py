"""Sessions of Gemini CLI and traces of OpenTelemetry: turns, calls, tokens and ends, in every form they are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.trajectory import Tokens
from labrig_programs.reading import gemini, otel
from labrig_study.formats import FORMATS
from labrig_study.formats.detect import formats_of
from labrig_study.logs.importing import import_logs
from support.command import labrig
from support.places import PROJECT


def _reply(id: str, text: str, tokens: tuple[int, ...] = (), *calls: dict[str, Any]) -> dict[str, Any]:
    counted = dict(
        zip(("input", "output", "cached", "thoughts", "tool", "total"), tokens or (0,) * 6, strict=True)
    )
    about = {"id": id, "timestamp": "2026-01-10T02:08:26Z", "type": "gemini", "content": text}
    return {**about, "tokens": counted, "model": "g", "toolCalls": list(calls)}


def _called(id: str, name: str, status: str, **response: str) -> dict[str, Any]:
    result = [{"functionResponse": {"id": id, "name": name, "response": response}}]
    return {"id": id, "name": name, "args": {"x": 1}, "status": status, "result": result}


HEAD = {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-10T02:08:26Z", "lastUpdated": "t"}
ASKED = {"id": "u", "timestamp": "t", "type": "user", "content": [{"text": "Q?"}]}
FIRST = _reply("a", "I look.", (100, 5, 40, 3, 2, 110), _called("c1", "mcp_lab_run", "success", output="one"))
BESIDE = _reply(
    "b", "", (), _called("c2", "write_file", "error", error="no"), _called("c3", "x", "cancelled")
)
LAST = _reply("d", "B", (120, 1, 100, 0, 0, 121))
MESSAGES = [ASKED, FIRST, {"id": "i", "type": "info", "content": "An update!"}, BESIDE, LAST]
SESSION = {**HEAD, "messages": MESSAGES}
LINES = [
    {**HEAD, "kind": "main"},
    ASKED,
    _reply("a", "", (1, 1, 0, 0, 0, 2)),  # it comes again when it is whole
    FIRST,
    {"id": "w", "type": "user", "content": "No!"},
    _reply("n", "Sorry.", (9, 9, 0, 0, 0, 18)),
    {"$rewindTo": "w"},
    {"$set": {"lastUpdated": "t"}},
    {"id": "e", "type": "error", "content": "slow"},
    BESIDE,
    LAST,
]


@pytest.mark.parametrize("document", [SESSION, LINES, [HEAD, {"$set": {"messages": MESSAGES}}]])
def test_a_session_of_gemini(document: Any) -> None:
    (run,) = gemini.read_session(document)
    assert [step.source for step in run.steps] == ["user", "agent", "agent"]
    _, first, last = run.steps
    assert first.tokens == Tokens(62, 40, 0, 8, 3, True) and last.tokens == Tokens(20, 100, 0, 1, 0, True)
    assert [(call.meta["server"], call.tool, call.is_error) for call in first.calls] == [
        ("lab", "run", False), ("", "write_file", True), ("", "x", True),
    ]  # fmt: skip
    assert run.results["c1"]["content"][0]["text"] == "one" and "c3" not in run.results
    assert (run.end, run.text, run.model, run.meta["session"]) == ("answered", "B", "g", "s")
    (unfinished,) = gemini.read_session({**HEAD, "messages": [ASKED, FIRST]})
    assert unfinished.end == "agent_error"


CALL = {"type": "tool_call", "id": "c1", "name": "run", "arguments": {"x": 1}}
OTHER = {"type": "tool_call", "id": "c2", "name": "look", "arguments": "{"}
TOLD = {"type": "tool_call_response", "id": "c2", "response": "seen"}


def _spoken(input: list[dict[str, Any]], *output: dict[str, Any], **tokens: int) -> dict[str, Any]:
    said = [{"role": "assistant", "parts": list(output)}]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.conversation.id": "talk",
        "gen_ai.input.messages": json.dumps(input),
        "gen_ai.output.messages": json.dumps(said),
        **{f"gen_ai.usage.{name.replace('__', '.')}": number for name, number in tokens.items()},
    }


QUESTION = {"role": "user", "parts": [{"type": "text", "content": "Q?"}]}
SPANS = [
    (1, "OK", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "lab-agent"}),
    (2, "OK", _spoken([QUESTION], CALL, OTHER, input_tokens=100, output_tokens=9, cache_read__input_tokens=60)),
    (3, "ERROR", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run", "gen_ai.tool.call.id": "c1",
                  "gen_ai.tool.call.arguments": '{"x": 1}', "gen_ai.tool.call.result": "broken"}),
    (4, "UNSET", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "hidden"}),
    (5, "UNSET", _spoken([QUESTION, {"role": "tool", "parts": [TOLD]}], {"type": "text", "content": "B"},
                         prompt_tokens=7, completion_tokens=2)),
    (6, "UNSET", {"gen_ai.operation.name": "embeddings", "gen_ai.usage.input_tokens": 50}),
]  # fmt: skip


def _otlp(value: Any) -> dict[str, Any]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _printed(number: int, status: str, about: dict[str, Any]) -> dict[str, Any]:
    """Return a span as a Python SDK prints it."""
    context = {"trace_id": "0x1", "span_id": hex(number)}
    times = {"start_time": f"2026-01-01T00:00:0{number}Z", "end_time": "2026-01-01T00:01:00Z"}
    return {"name": "n", "context": context, **times, "status": {"status_code": status}, "attributes": about}


PRINTED = [_printed(*each) for each in SPANS]
SENT = [
    {
        "traceId": "1",
        "spanId": str(number),
        "name": "n",
        "startTimeUnixNano": f"170000000{number}000000000",
        "status": {"code": {"OK": 1, "ERROR": 2, "UNSET": 0}[status]},
        "attributes": [{"key": name, "value": _otlp(value)} for name, value in about.items()],
    }
    for number, status, about in SPANS
]
WRITTEN = {
    "sent": {"resourceSpans": [{"scopeSpans": [{"spans": SENT[3:]}, {"spans": SENT[:3]}]}]},
    "held": {"spans": PRINTED},
    "printed": PRINTED,
    "batches": [{"resourceSpans": [{"scopeSpans": [{"spans": [each]}]}]} for each in SENT],
}


@pytest.mark.parametrize("form", WRITTEN)
def test_a_trace(form: str) -> None:
    (run,) = otel.read(WRITTEN[form])
    assert [step.source for step in run.steps] == ["user", "agent", "agent"]
    _, first, last = run.steps
    assert first.tokens == Tokens(40, 60, 0, 9, 0, True) and last.tokens == Tokens(7, 0, 0, 2, 0, True)
    assert [(call.tool, call.id, call.fault, call.is_error) for call in first.calls] == [
        ("run", "c1", "", True), ("look", "c2", "not_json", False), ("hidden", "call-3", "", False),
    ]  # fmt: skip
    assert [run.results[id]["content"][0]["text"] for id in ("c1", "c2")] == ["broken", "seen"]
    assert (run.agent, run.model, run.end, run.text) == ("lab-agent", "m", "answered", "B")
    assert run.meta["session"] == "talk"


FILES = {
    "session": (gemini.SESSION, SESSION),
    **{name: (otel.NAME, document) for name, document in WRITTEN.items() if name != "batches"},
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", FILES)
def test_they_are_known_by_their_content(name: str, indent: int | None, tmp_path: Path) -> None:
    format, document = FILES[name]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(document, indent=indent))
    assert formats_of(path) == [format]


@pytest.mark.parametrize(
    ("format", "lines"), [(gemini.SESSION, LINES), (otel.NAME, PRINTED), (otel.NAME, WRITTEN["batches"])]
)
def test_a_line_for_each_message_or_span_is_one_run(format: str, lines: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert formats_of(path) == [format]
    (record,) = import_logs("auto", path, tmp_path / "out").records
    found = json.loads((record / "trajectory.json").read_text())
    assert sum(step["source"] == "agent" for step in found["steps"]) == 2


def test_what_is_neither() -> None:
    for document in (
        {},
        [],
        7,
        [{}],
        {"sessionId": "s"},
        {"spans": [{"attributes": []}]},
        {"resourceSpans": [7]},
    ):
        assert gemini.read_session(document) == [] and otel.read(document) == []


def test_the_command_and_the_page_name_every_format() -> None:
    told = labrig("import", "--help").stdout.split()
    page = (PROJECT / "docs" / "formats.md").read_text().partition("### Files")[0]
    for name in FORMATS:
        assert f"{name}," in told and f"`{name}`" in page, name
