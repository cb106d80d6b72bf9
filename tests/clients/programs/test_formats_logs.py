"""Logs of the three agent programs: those that real programs wrote, and those that are damaged."""

from __future__ import annotations

import copy
import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig_harness.trajectory import Tokens
from labrig_programs import reading
from labrig_programs.reading import LINE_FORMATS, PROGRAMS, lines
from labrig_programs.reading.building import UNFINISHED
from labrig_programs.reading.read_run import ReadRun
from labrig_study.formats.detect import formats_of
from support.places import DATA

LOGS = DATA / "agent-logs"


def jsonl(*events: Any) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def read(format: str, log: bytes) -> ReadRun:
    (run,) = reading.read(format, io.BytesIO(log))
    return run


def calls(run: ReadRun) -> list[tuple[str, str]]:
    return [(call.meta["server"], call.tool) for step in run.steps for call in step.calls]


# ------------------------------------------------------------------------------------ logs of real programs


@pytest.fixture
def real() -> Iterator[Any]:
    if not LOGS.is_dir():
        pytest.skip("the logs of real programs are not here")
    yield lambda format, name: read(format, (LOGS / name).read_bytes())


def test_claude_code(real: Any) -> None:
    run = real("claude-code", "claude_stream.jsonl")
    assert calls(run) == [("rich", "echo")]
    assert [step.text for step in run.steps] == ["", "FINAL: done"]
    (call,) = run.steps[0].calls
    assert run.results[call.id] == {
        "content": [{"type": "text", "text": '{"result":"ping"}'}],
        "structuredContent": {"result": "ping"},
        "isError": False,
    }
    assert call.delivered_bytes == 17
    assert (run.end, run.text, run.model) == ("answered", "FINAL: done", "scripted-model")
    # Both messages have the id msg_1, because a script wrote them; modelUsage shows that they are two.
    assert run.tokens == Tokens(22, 0, 0, 14, 0, True)
    assert run.cost is not None
    assert run.cost.table == "claude-code 2.1.330 (its own estimate)"
    assert run.versions == {"claude-code": "2.1.330", "rich": "0.1.0"}
    assert run.skipped == ()


def test_codex(real: Any) -> None:
    run = real("codex", "codex_exec_bypass.jsonl")
    assert calls(run) == [("rich", "simulate")]
    (call,) = run.steps[0].calls
    assert run.results[call.id]["structuredContent"] == {"run_id": "run-2", "bytes": 10}
    assert (run.end, run.text, run.tokens) == ("answered", "FINAL: done", Tokens(22, 0, 0, 14, 0, True))


def test_codex_denied(real: Any) -> None:
    run = real("codex", "codex_exec.jsonl")
    (call,) = run.steps[0].calls
    assert call.id not in run.results
    assert call.is_error
    assert call.told == "MCP tool call requires approval, but approval policy is never"


def test_gemini(real: Any) -> None:
    run = real("gemini", "gemini_stream.jsonl")
    assert calls(run) == [("rich", "echo")]
    assert [step.source for step in run.steps] == ["user", "agent", "agent"]
    assert (run.end, run.text, run.model) == ("answered", "FINAL: done", "gemini-2.5-flash")
    assert run.tokens == Tokens(22, 0, 0, 14, 0, True)


def test_a_log_tells_whose_it_is(real: Any) -> None:
    found = {path.name: formats_of(path) for path in LOGS.glob("*.jsonl")}
    assert found == {
        "claude_stream.jsonl": ["claude-code"],
        "codex_exec.jsonl": ["codex"],
        "codex_exec_bypass.jsonl": ["codex"],
        "gemini_stream.jsonl": ["gemini"],
    }


# ------------------------------------------------------------------------------------ Claude Code in detail


def _said(id: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    usage = more.pop("usage", {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 100})
    message = {"id": id, "role": "assistant", "model": "m", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": "s", **more}


def _got(id: str, content: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": id, "content": content, **more.pop("block", {})}
    message = {"role": "user", "content": [block]}
    return {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": "s", **more}


def _asked(text: str) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": "s"}


def _use(id: str, name: str = "mcp__my__lab__run", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "s",
    "model": "m",
    "claude_code_version": "2.1.330",
    "mcp_servers": [{"name": "my__lab", "status": "connected"}, {"name": "my", "status": "failed"}],
}
ANSWER = {"type": "text", "text": "B"}


def _result(**more: Any) -> dict[str, Any]:
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "B",
        "session_id": "s",
        **more,
    }


def test_blocks_of_one_message_are_one_turn_and_count_once() -> None:
    log = jsonl(
        INIT,
        _said("m1", {"type": "thinking", "thinking": "hmm"}),
        _said("m1", {"type": "text", "text": "two at once"}),
        _said("m1", _use("a", x=1)),
        _got("a", "one"),  # run while the message was still being streamed
        _said(
            "m1",
            _use("b", x=2),
            usage={"input_tokens": 10, "output_tokens": 9, "cache_read_input_tokens": 100},
        ),
        _got("b", "two"),
        _said("m2", ANSWER),
        _result(
            usage={"input_tokens": 20, "cache_read_input_tokens": 200, "output_tokens": 14},
            modelUsage={
                "m": {"inputTokens": 20, "cacheReadInputTokens": 200, "outputTokens": 14},
                "small": {"inputTokens": 3, "outputTokens": 4},
            },
        ),
    )
    run = read("claude-code", log)
    first, second = run.steps
    assert (first.reasoning, first.text) == ("hmm", "two at once")
    assert [(call.meta["server"], call.tool, call.arguments) for call in first.calls] == [
        ("my__lab", "run", {"x": 1}),
        ("my__lab", "run", {"x": 2}),
    ]
    assert first.tokens == Tokens(10, 100, 0, 9, 0, True)
    # What modelUsage has above the sum of the turns (a small model made titles) is on the last turn, and said.
    assert second.tokens == Tokens(13, 100, 0, 9, 0, True)
    assert second.meta["tokens_beside"] == {"input_uncached": 3, "output": 4}
    assert run.tokens == Tokens(23, 200, 0, 18, 0, True)
    assert run.meta["servers"] == {"my__lab": "connected", "my": "failed"}


def _entry(event: dict[str, Any], uuid: str, parent: str | None) -> dict[str, Any]:
    del event["session_id"], event["parent_tool_use_id"]
    return {
        **event,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s",
        "isSidechain": False,
        "version": "2",
    }


SESSION = [
    {"type": "summary", "summary": "x", "leafUuid": "4"},
    _entry(_asked("Q?"), "0", None),
    _entry(_said("m1", _use("a")), "1", "0"),
    _entry(_got("a", "one"), "2", "1"),
    _entry(_said("m1", _use("b")), "3", "1"),  # the same message
    _entry(_got("b", "two"), "4", "3"),
    _entry(_said("m1", _use("c")), "5", "4"),  # another one, of a script that never changes its id
    _entry(_got("c", "three"), "6", "5"),
    _entry(_said("m1", _use("c")), "5", "4"),  # a resumed session repeats itself
    _entry(_said("m2", ANSWER), "7", "6"),
    {"type": "last-prompt", "lastPrompt": "Q?", "sessionId": "s"},
]  # fmt: skip


def test_a_session_file_says_itself_which_block_follows_which() -> None:
    run = read("claude-code", jsonl(*SESSION))
    assert [[call.id for call in step.calls] for step in run.steps] == [[], ["a", "b"], ["c"], []]
    assert [step.source for step in run.steps] == ["user", "agent", "agent", "agent"]
    assert (run.end, run.text, run.versions) == ("answered", "B", {"claude-code": "2"})
    assert run.tokens == Tokens(30, 300, 0, 15, 0, True)


def test_blocks_of_one_request_are_one_turn_wherever_a_result_stands() -> None:
    """A later block may name the result of an earlier one as what it follows; its tokens were counted twice."""
    log = [
        _entry(_asked("Q?"), "0", None),
        _entry(_said("m1", _use("a")), "1", "0"),
        _entry(_got("a", "one"), "2", "1"),
        _entry(_said("m1", _use("b")), "3", "2"),
        _entry(_got("b", "two"), "4", "3"),
        _entry(_said("m2", ANSWER), "5", "4"),
    ]
    for number, event in enumerate(log):
        if event["type"] == "assistant":
            event["requestId"] = "r1" if number < 5 else "r2"
    run = read("claude-code", jsonl(*log))
    assert [[call.id for call in step.calls] for step in run.steps] == [[], ["a", "b"], []]
    assert run.tokens == Tokens(20, 200, 0, 10, 0, True)


@pytest.mark.parametrize(
    ("result", "end", "detail"),
    [
        (_result(subtype="error_max_turns", is_error=True, errors=["Reached 3"]), "step_limit", "Reached 3"),
        (_result(subtype="error_max_budget_usd", is_error=True), "cost_limit", "B"),
        (
            _result(is_error=True, api_error_status=500, result="API Error: 500"),
            "model_error",
            "API Error: 500",
        ),
        (_result(subtype="error_during_execution", is_error=True), "agent_error", "B"),
        (
            _result(subtype="error_of_another_version", is_error=False),
            "agent_error",
            "error_of_another_version: B",
        ),
        (_result(), "answered", ""),
        ({"type": "keep_alive", "session_id": "s"}, "agent_error", UNFINISHED),
    ],
)
def test_ends_of_claude_code(result: dict[str, Any], end: str, detail: str) -> None:
    run = read("claude-code", jsonl(INIT, _said("m1", ANSWER), result))
    assert (run.end, run.end_detail) == (end, detail)


def test_what_never_reached_a_tool() -> None:
    error = {"block": {"is_error": True}}
    log = jsonl(
        INIT,
        _said(
            "m1",
            _use("a", "fly"),
            _use("b", __unparsedToolInput={"raw": '{"x', "len": 3}),
            _use("c"),
            _use("d"),
        ),
        _got(
            "a", "<tool_use_error>Error: No such tool available: fly</tool_use_error>", **copy.deepcopy(error)
        ),
        _got(
            "b",
            "<tool_use_error>InputValidationError: not parsed as JSON</tool_use_error>",
            **copy.deepcopy(error),
        ),
        _got("c", "no permission", **copy.deepcopy(error)),
        _result(permission_denials=[{"tool_name": "mcp__my__lab__run", "tool_use_id": "c"}]),
    )
    run = read("claude-code", log)
    assert run.results == {}
    assert [(call.fault, call.raw, call.told) for call in run.steps[0].calls] == [
        ("unknown_tool", "", "Error: No such tool available: fly"),
        ("not_json", '{"x', "InputValidationError: not parsed as JSON"),
        ("", "", "no permission"),
        ("", "", ""),  # the log shows no answer
    ]


def test_a_result_saved_to_a_file_is_whole_and_what_was_delivered_is_said() -> None:
    pointer = "<persisted-output>\nOutput too large (217KB). Full output saved to: x.txt\n</persisted-output>"
    whole = {"content": "y" * 9000, "structuredContent": {"lines": ["y" * 9000]}}
    run = read("claude-code", jsonl(INIT, _said("m", _use("a")), _got("a", pointer, tool_use_result=whole)))
    (call,) = run.steps[0].calls
    assert run.results["a"]["content"] == [{"type": "text", "text": "y" * 9000}]
    assert (call.delivered_bytes, call.meta["cut"]) == (len(pointer), True)


def test_a_subagent_has_turns_of_its_own() -> None:
    inner = _said("m2", _use("b"))
    inner["parent_tool_use_id"] = "a"
    log = jsonl(INIT, _said("m1", _use("a", "Task")), inner, _said("m1", ANSWER), _result())
    run = read("claude-code", log)
    assert [step.meta.get("subagent_of") for step in run.steps] == [None, "a"]
    assert run.text == "B"


# ------------------------------------------------------------------------------------------- Codex in detail


def _line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-22T05:08:28.468Z", "type": kind, "payload": payload}


def _usage(n: int) -> dict[str, int]:
    return {
        "input_tokens": 100 * n,
        "cached_input_tokens": 60 * n,
        "output_tokens": 10 * n,
        "reasoning_output_tokens": n,
    }


CALL = {"type": "function_call", "name": "lab__run", "arguments": '{"x": 1}', "call_id": "a"}
BAD = {"type": "function_call", "name": "lab__run", "arguments": '{"x', "call_id": "b"}
WHOLE = {"Ok": {"content": [{"type": "text", "text": "whole " * 9000}], "isError": False}}
ROLLOUT = [
    _line("session_meta", id="s", cli_version="0.80.0"),
    _line("turn_context", model="gpt", effort="high"),
    _line("response_item", type="message", role="user", content=[{"type": "input_text", "text": "Q?"}]),
    _line("event_msg", type="user_message", message="Q?"),
    _line("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "hmm"}]),
    _line("response_item", **CALL),
    _line(
        "event_msg",
        type="mcp_tool_call_end",
        call_id="a",
        result=WHOLE,
        duration={"secs": 1, "nanos": 5 * 10**8},
    ),
    _line("response_item", type="function_call_output", call_id="a", output="who...le"),
    _line(
        "event_msg",
        type="token_count",
        info={"total_token_usage": _usage(1), "last_token_usage": _usage(1)},
    ),
    _line(
        "event_msg",
        type="token_count",
        info={"total_token_usage": _usage(1), "last_token_usage": _usage(1)},
    ),
    _line("response_item", **BAD),
    _line("response_item", type="function_call_output", call_id="b", output="err: EOF while parsing"),
    _line(
        "event_msg",
        type="token_count",
        info={"total_token_usage": _usage(2), "last_token_usage": _usage(1)},
    ),
    _line("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "B"}]),
    _line("event_msg", type="agent_message", message="B"),
    _line(
        "event_msg",
        type="token_count",
        info={"total_token_usage": _usage(3), "last_token_usage": _usage(1)},
    ),
    _line("event_msg", type="a_kind_of_tomorrow"),
    _line("event_msg", type="task_complete", last_agent_message="B"),
]


def test_a_rollout_of_an_older_codex() -> None:
    run = read("codex", jsonl(*ROLLOUT))
    assert [step.source for step in run.steps] == ["user", "agent", "agent", "agent"]
    (first,), (second,) = run.steps[1].calls, run.steps[2].calls
    assert (first.tool, first.meta["server"], first.meta["duration_s"]) == ("run", "lab", 1.5)
    assert run.results["a"]["content"] == WHOLE["Ok"]["content"]
    assert (first.delivered_bytes, first.meta["cut"]) == (8, True)
    assert (second.raw, second.fault, second.told) == ('{"x', "not_json", "err: EOF while parsing")
    assert {step.tokens for step in run.steps[1:]} == {Tokens(40, 60, 0, 10, 1, True)}
    assert (run.end, run.text, run.model, run.versions) == ("answered", "B", "gpt", {"codex": "0.80.0"})
    assert run.skipped == ("events of the unknown type 'event_msg/a_kind_of_tomorrow' (line 17)",)


def test_tokens_of_codex_exec_are_those_of_the_thread_so_far() -> None:
    def turn(n: int) -> list[Any]:
        message = {"id": f"i{n}", "type": "agent_message", "text": f"answer {n}"}
        return [
            {"type": "turn.started"},
            {"type": "item.completed", "item": message},
            {"type": "turn.completed", "usage": _usage(n)},
        ]

    run = read("codex", jsonl({"type": "thread.started", "thread_id": "t"}, *turn(1), *turn(3)))
    assert [step.tokens for step in run.steps] == [
        Tokens(40, 60, 0, 10, 1, True),
        Tokens(80, 120, 0, 20, 2, True),
    ]
    assert {step.meta["tokens_of"] for step in run.steps} == {"the whole turn"}


def test_a_failed_turn_of_codex() -> None:
    run = read("codex", jsonl({"type": "turn.started"}, {"type": "turn.failed", "error": {"message": "429"}}))
    assert (run.end, run.end_detail) == ("model_error", "429")


# ------------------------------------------------------------------------------------------ Gemini in detail


def _gemini(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": "2026-11-22T05:08:28.468Z", **more}


def test_gemini_in_pieces_and_in_parallel() -> None:
    log = jsonl(
        _gemini("init", session_id="s", model="g"),
        _gemini("message", role="assistant", content="I ", delta=True),
        _gemini("message", role="assistant", content="look.", delta=True),
        _gemini("tool_use", tool_name="mcp_lab_run_it", tool_id="a", parameters={"x": 1}),
        _gemini("tool_use", tool_name="fly", tool_id="b", parameters={}),
        _gemini("tool_result", tool_id="a", status="success", output="one"),
        _gemini("tool_result", tool_id="b", status="error", output="no",
                error={"type": "tool_not_registered", "message": "no"}),
        _gemini("message", role="assistant", content="B", delta=True),
        _gemini("result", status="success",
                stats={"input_tokens": 50, "cached": 20, "output_tokens": 9, "total_tokens": 70}),
    )  # fmt: skip
    run = read("gemini", log)
    assert [step.text for step in run.steps] == ["I look.", "B"]
    assert [(call.meta["server"], call.tool, call.fault) for call in run.steps[0].calls] == [
        ("lab", "run_it", ""),
        ("", "fly", "unknown_tool"),
    ]
    assert run.tokens == Tokens(30, 20, 0, 20, 11, True)
    assert run.steps[1].meta["tokens_of"] == "the whole run"


@pytest.mark.parametrize(
    ("error", "end"),
    [
        ({"type": "FatalTurnLimitedError", "message": "Reached max session turns"}, "step_limit"),
        ({"type": "unknown", "message": "[API Error: 400]"}, "model_error"),
        ({"type": "unknown", "message": "Model stream ended with malformed function call."}, "no_answer"),
    ],
)
def test_ends_of_gemini(error: dict[str, str], end: str) -> None:
    log = jsonl(
        _gemini("init", model="g"),
        _gemini("message", role="user", content="Q"),
        _gemini("result", status="error", error=error),
    )
    assert read("gemini", log).end == end


# ---------------------------------------------------------------------------------------------- bad input

GOOD = {
    "claude-code": [INIT, _said("m1", _use("a")), _got("a", "one"), _said("m2", ANSWER), _result()],
    "codex": [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"id": "1", "type": "mcp_tool_call", "server": "s", "tool": "run",
         "arguments": {}, "result": {"content": [{"type": "text", "text": "one"}]}, "status": "completed"}},
        {"type": "item.completed", "item": {"id": "2", "type": "agent_message", "text": "B"}},
        {"type": "turn.completed", "usage": _usage(1)},
    ],
    "gemini": [
        _gemini("init", model="g"),
        _gemini("tool_use", tool_name="mcp_s_run", tool_id="a", parameters={}),
        _gemini("tool_result", tool_id="a", status="success", output="one"),
        _gemini("message", role="assistant", content="B"),
        _gemini("result", status="success", stats={"input_tokens": 5, "output_tokens": 1}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("format", PROGRAMS)
def test_a_log_that_was_cut_off_anywhere(format: str) -> None:
    log = jsonl(*GOOD[format])
    whole = read(format, log)
    assert (whole.end, whole.skipped) == ("answered", ())
    for size in range(len(log) - 1):
        for run in reading.read(format, io.BytesIO(log[:size])):
            assert len(run.steps) <= len(whole.steps)
            # The last newline may be missing without harm; anything more is noticed.
            if size < len(log) - 1:
                assert run.end == "agent_error", size
                assert UNFINISHED in run.end_detail


@pytest.mark.parametrize("format", PROGRAMS)
def test_what_cannot_be_read_is_said_and_the_rest_is_kept(format: str) -> None:
    log = b"".join(
        [
            b"warning: something\n\n[1, 2]\n\x00\x00\x00\n",
            jsonl(GOOD[format][0]),
            jsonl({"type": "a_kind_of_tomorrow", "n": 1}) * 10_000,
            b'{"type": "result", "x": "\xff\xfe"}\n' if format != "gemini" else b"\xff\n",
            b'{"deep": ' + b"[" * 100_000 + b"\n",
            jsonl(*GOOD[format][1:]),
        ]
    )
    run = read(format, log)
    assert run.end == "answered"
    assert len(run.steps) == len(read(format, jsonl(*GOOD[format])).steps)
    told = "\n".join(run.skipped)
    assert "events of the unknown type 'a_kind_of_tomorrow' (10000 times, first at line 6)" in told
    assert "not JSON (" in told
    assert "JSON, but no object (line 3)" in told
    assert "not text (zero bytes) (line 4)" in told
    assert "not UTF-8" in told
    assert len(run.skipped) <= 7


def test_two_programs_in_one_log_are_told_apart(tmp_path: Path) -> None:
    mixed = [event for pair in zip(*(GOOD[each][:4] for each in PROGRAMS), strict=True) for event in pair]
    log = jsonl(*mixed, *(GOOD[each][-1] for each in ("claude-code", "gemini")))
    path = tmp_path / "mixed.jsonl"
    path.write_bytes(log)
    assert set(formats_of(path)) == set(PROGRAMS)
    for format in PROGRAMS:
        run = read(format, log)
        assert (run.end, run.text) == ("answered", "B")
        assert sum("lines of another program" in line for line in run.skipped) == 2


def test_a_line_of_50_mb_is_skipped_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(jsonl(*GOOD["codex"][:1]))
        file.write(b'{"type": "item.completed", "item": {"text": "')
        for _ in range(50):
            file.write(b"x" * 2**20)
        file.write(b'"}}\n')
        file.write(jsonl(*GOOD["codex"][1:]))
    tracemalloc.start()
    with path.open("rb") as file:
        (run,) = reading.read("codex", file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert run.skipped == ("a line of more than 32 MB (line 2)",)
    assert (run.end, run.text) == ("answered", "B")
    assert peak < 3 * lines.LONGEST


def test_a_log_is_read_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST", 2**20)
    log = jsonl(*GOOD["gemini"][:1]) + jsonl(_gemini("message", role="user", content="x" * 2**18)) * 9
    run = read("gemini", log)
    assert len(run.steps) == 3
    assert run.skipped == ("everything after the first 1 MB (line 5)",)


@pytest.mark.parametrize("format", LINE_FORMATS)
@pytest.mark.parametrize("log", [b"", b"\n\n", b"hello\n", b"\xef\xbb\xbf", b"null\n"])
def test_nothing_is_no_run(format: str, log: bytes) -> None:
    assert reading.read(format, io.BytesIO(log)) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each, max_size=3),
    max_leaves=5,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _places(each, (*path, key))


KINDS = [*GOOD.items(), ("codex", ROLLOUT), ("claude-code", SESSION)]


@pytest.mark.accept
@settings(max_examples=4 * settings.default.max_examples)
@given(st.sampled_from(KINDS), st.data())
def test_wrong_types_anywhere_do_no_harm(kind: tuple[str, list[Any]], data: st.DataObject) -> None:
    """Any value of a good log may be anything else: the reader never fails, and its runs can be recorded."""
    format, events = kind[0], copy.deepcopy(kind[1])
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([each for each in _places(events) if each]))
        place: Any = events
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = data.draw(json_values)
    for run in reading.read(format, io.BytesIO(jsonl(*events))):
        json.dumps([run.results, run.meta, run.versions], allow_nan=False)
        ids = [call.id for step in run.steps for call in step.calls]
        assert len(set(ids)) == len(ids)
        for step in run.steps:
            assert all(isinstance(call.arguments, dict) for call in step.calls)
            assert isinstance(step.text, str)
