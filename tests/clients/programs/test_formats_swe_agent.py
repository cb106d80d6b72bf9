"""Trajectories of SWE-agent and mini-swe-agent: turns, commands, tokens, the submission, and why a run ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.trajectory import Tokens
from labrig_programs.reading import swe_agent
from labrig_study.formats.detect import formats_of
from labrig_study.logs.importing import import_logs

ASKED = [
    {"role": "system", "content": "You act in a shell."},
    {"role": "user", "content": "Count the files."},
]


def _mini(messages: list[dict[str, Any]], **info: Any) -> dict[str, Any]:
    about = {"model_stats": {"instance_cost": 0.01, "api_calls": 2}, "exit_status": "Submitted", **info}
    return {"info": about, "messages": [*ASKED, *messages], "trajectory_format": "mini-swe-agent-1"}


BLOCKS = [
    {"role": "assistant", "content": "```bash\nls | wc -l\n```"},
    {"role": "user", "content": "<output>3</output>"},
    {"role": "assistant", "content": "two\n```bash\na\n```\n```bash\nb\n```"},
    {"role": "user", "content": "Give one command."},
    {"role": "assistant", "content": "```bash\necho COMPLETE; echo 3\n```"},
]


def _step(command: str, shown: str) -> dict[str, Any]:
    return {
        "action": command,
        "observation": shown,
        "response": "I look.",
        "state": "{}",
        "thought": "I look.",
    }


SWE: dict[str, Any] = {
    "environment": "e",
    "trajectory": [_step("ls", "a\nb"), _step("", "no command"), _step("submit", "")],
    "history": [
        {"role": "user", "content": "an example", "is_demo": True},
        {"role": "user", "content": "Fix it"},
    ],
    "info": {
        "exit_status": "submitted (exit_cost)",
        "submission": "diff",
        "model_stats": {"instance_cost": 0.5, "tokens_sent": 1000, "tokens_received": 20},
    },
}


def test_commands_in_blocks_are_calls() -> None:
    (run,) = swe_agent.read(_mini(BLOCKS, submission="3"))
    assert [[call.arguments["command"] for call in step.calls] for step in run.steps if step.source == "agent"] == [
        ["ls | wc -l"], [], ["echo COMPLETE; echo 3"],
    ]  # fmt: skip
    assert run.results["step-3.1"]["content"][0]["text"] == "<output>3</output>"
    assert (run.committed, run.end, run.cost and run.cost.amount) == ("3", "answered", 0.01)
    assert not run.tokens.measured, "a log without usage says nothing of tokens"


def test_calls_of_version_2_and_their_tokens() -> None:
    usage = {"prompt_tokens": 1492, "completion_tokens": 74, "prompt_tokens_details": {"cached_tokens": 320}}
    calls = [
        {"id": id, "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        for id, command in (("c1", "ls"), ("c2", "pwd"))
    ]  # fmt: skip
    messages = [
        {"role": "assistant", "content": None, "tool_calls": calls, "extra": {"response": {"usage": usage}}},
        {"role": "tool", "tool_call_id": "c2", "content": "/", "extra": {"returncode": 0}},
        {"role": "tool", "tool_call_id": "c1", "content": "", "extra": {"exception_info": "timed out"}},
        {"role": "exit", "content": "", "extra": {"exit_status": "LimitsExceeded", "submission": ""}},
    ]
    (run,) = swe_agent.read(_mini(messages, exit_status="LimitsExceeded", submission=""))
    assert run.tokens == Tokens(1172, 320, 0, 74, 0, True)
    assert run.results["c2"] == {"content": [{"type": "text", "text": "/"}], "isError": False}
    assert run.results["c1"]["isError"]
    assert (run.end, run.committed) == ("cost_limit", None)


def test_steps_of_swe_agent() -> None:
    (run,) = swe_agent.read(SWE)
    assert [step.source for step in run.steps] == ["user", "agent", "agent", "agent"]
    assert [call.arguments["command"] for step in run.steps for call in step.calls] == ["ls", "submit"]
    assert (run.tokens, run.cost and run.cost.amount) == (Tokens(1000, 0, 0, 20, 0, True), 0.5)
    assert (run.committed, run.end, run.end_detail) == ("diff", "cost_limit", "submitted (exit_cost)")


@pytest.mark.parametrize(
    ("status", "end"),
    [
        ("Submitted", "answered"), ("submitted (exit_context)", "token_limit"), ("TimeExceeded", "wall_limit"),
        ("exit_total_execution_time", "wall_limit"), ("ContextWindowExceededError", "token_limit"),
        ("RateLimitError", "model_error"), ("RuntimeError", "agent_error"), ("", "agent_error"),
    ],
)  # fmt: skip
def test_why_a_run_ended(status: str, end: str) -> None:
    assert swe_agent.read(_mini([], exit_status=status))[0].end == end


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(("name", "document"), [("q1.traj.json", _mini(BLOCKS)), ("q1.traj", SWE)])
def test_they_are_known_by_their_content_and_named_by_their_file(
    name: str, document: dict[str, Any], indent: int | None, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(document, indent=indent))
    program = swe_agent.MINI if "messages" in document else swe_agent.NAME
    assert formats_of(path) == [program]
    done = import_logs("auto", path, tmp_path / "out")
    assert done.records == [tmp_path / "out" / f"imported.{program}" / "q1" / "epoch0"]


def test_other_documents_are_not_theirs() -> None:
    for document in ([], {"info": {}, "messages": []}, {"trajectory": [{"type": "tool"}], "info": {}}):
        assert swe_agent.read(document) == []


def test_a_command_that_submits_nothing_but_the_end_has_succeeded() -> None:
    """The answer was said or written before: the call that ends the run is no failed one."""
    ended = {"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": ""}}
    (run,) = swe_agent.read(_mini([BLOCKS[-1], ended]))
    assert [call.is_error for step in run.steps for call in step.calls] == [False]
    (cut,) = swe_agent.read(_mini([BLOCKS[-1]], exit_status="LimitsExceeded"))
    assert [call.is_error for step in cut.steps for call in step.calls] == [True]
