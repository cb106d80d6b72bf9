"""Results of tau-bench, tau2-bench and AgentDojo, and logs of OpenHands: turns, calls, tokens, scores and ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.trajectory import Tokens
from labrig_programs.reading import chats, openhands
from labrig_programs.reading.read_run import ReadRun
from labrig_study.formats.detect import formats_of
from labrig_study.logs.importing import import_logs
from support.command import labrig

ASKED = {"role": "user", "content": "Cancel E1."}
CALL = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": "E1"}'}}
TAU_CHAT = [
    {"role": "system", "content": "Be strict."},
    ASKED,
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "cancel", "content": "cancelled"},
    {"role": "assistant", "content": "It is cancelled."},
]


def _tau(task: int, trial: int, reward: float, **info: Any) -> dict[str, Any]:
    about = {"task": {"actions": [{"name": "cancel"}], "outputs": []}, **info}
    return {"task_id": task, "reward": reward, "info": about, "traj": TAU_CHAT, "trial": trial}


TAU = [_tau(0, 1, 1.0), _tau(0, 0, 0.0), _tau(3, 0, 0.0, error="RateLimitError: wait")]
TAU2: dict[str, Any] = {
    "timestamp": "2025-09-29T01:38:13",
    "info": {
        "num_trials": 2,
        "user_info": {"llm": "u"},
        "agent_info": {"implementation": "llm_agent", "llm": "m"},
        "environment_info": {"domain_name": "airline"},
    },
    "simulations": [
        {
            "task_id": "7",
            "trial": 0,
            "termination_reason": "max_steps",
            "agent_cost": 0.25,
            "reward_info": {"reward": 1.0},
            "messages": [
                {"role": "assistant", "content": "Hi!", "turn_idx": 0, "usage": None},
                {"role": "user", "content": None,
                 "tool_calls": [{"id": "u1", "name": "look", "arguments": {}, "requestor": "user"}]},
                {"id": "u1", "role": "tool", "content": "rain", "requestor": "user"},
                {"role": "assistant", "content": None, "turn_idx": 3,
                 "usage": {"prompt_tokens": 40, "completion_tokens": 5},
                 "tool_calls": [{"id": "c1", "name": "cancel", "arguments": {"id": "E1"}, "requestor": "assistant"}]},
                {"id": "c1", "role": "tool", "content": "no such", "requestor": "assistant", "error": True},
            ],
        }
    ],
}  # fmt: skip
DOJO: dict[str, Any] = {
    "suite_name": "travel",
    "pipeline_name": "gpt",
    "user_task_id": "user_task_0",
    "injection_task_id": "injection_task_6",
    "attack_type": "direct",
    "messages": [
        {"role": "user", "content": [{"type": "text", "content": "Book it."}]},
        {"role": "assistant", "content": None, "tool_calls": [{"function": "book", "args": {"id": 1}, "id": "c1"}]},
        {"role": "tool", "content": [{"type": "text", "content": ""}], "tool_call_id": "c1",
         "error": "ValueError: full"},
        {"role": "assistant", "content": [{"type": "text", "content": "It is full."}], "tool_calls": []},
    ],
    "error": None,
    "utility": False,
    "security": True,
}  # fmt: skip


def _count(run: ReadRun) -> tuple[int, int]:
    agents = [step for step in run.steps if step.source == "agent"]
    return len(agents), sum(len(step.calls) for step in agents)


def test_attempts_of_tau_bench() -> None:
    runs = chats.read(TAU)
    assert [(run.item, run.epoch, _count(run)) for run in runs] == [
        ("0", 1, (2, 1)), ("0", 0, (2, 1)), ("3", 0, (2, 1)),
    ]  # fmt: skip
    assert runs[0].steps[2].calls[0].arguments == {"id": "E1"}
    assert runs[0].results["c1"] == {"content": [{"type": "text", "text": "cancelled"}], "isError": False}
    assert [(run.end, run.meta["scores"]["reward"]["value"]) for run in runs] == [
        ("answered", 1.0), ("answered", 0.0), ("agent_error", 0.0),
    ]  # fmt: skip
    assert not runs[0].tokens.measured, "tau-bench counts none"


def test_a_simulation_of_tau2_bench() -> None:
    (run,) = chats.read(TAU2)
    assert (run.item, run.epoch, run.agent, run.model, run.end) == (
        "airline-7",
        0,
        "llm_agent",
        "m",
        "step_limit",
    )
    assert (_count(run), run.tokens) == ((2, 1), Tokens(40, 0, 0, 5, 0, True))
    assert run.results["c1"]["isError"] and "u1" not in run.results
    assert "look" in run.steps[1].text and run.steps[2].text == "rain", (
        "what the user did is no call of the agent"
    )
    assert run.cost and run.cost.amount == 0.25


def test_a_run_of_agentdojo() -> None:
    (run,) = chats.read(DOJO)
    assert (run.item, run.model) == ("travel-user_task_0-injection_task_6-direct", "gpt")
    assert (_count(run), run.text) == ((2, 1), "It is full.")
    assert run.results["c1"] == {"content": [{"type": "text", "text": "ValueError: full"}], "isError": True}
    assert {name: each["value"] for name, each in run.meta["scores"].items()} == {
        "utility": 0.0,
        "security": 1.0,
    }


def _reply(id: str, *calls: str) -> dict[str, Any]:
    asked = [{"id": each, "function": {"name": "bash", "arguments": '{"command": "ls"}'}} for each in calls]
    message = {"content": "I look.", "tool_calls": asked}
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}}
    return {"id": id, "model": "m", "choices": [{"message": message}], "usage": usage}


def _act(
    id: int, action: str, call: str = "", reply: dict[str, Any] | None = None, **args: Any
) -> dict[str, Any]:
    event = {
        "id": id,
        "timestamp": "2025-04-30T16:32:54",
        "source": "agent",
        "message": "",
        "action": action,
        "args": args,
    }
    about = {
        "function_name": "finish" if action == "finish" else "bash",
        "tool_call_id": call,
        "model_response": reply,
    }
    return {**event, **({"tool_call_metadata": about} if call else {})}  # fmt: skip


def _saw(id: int, cause: int, content: str, observation: str = "run") -> dict[str, Any]:
    event = {"id": id, "timestamp": "t", "source": "agent", "message": "", "cause": cause}
    return {**event, "observation": observation, "content": content}


EVENTS = [
    {"id": 0, "timestamp": "t", "source": "user", "message": "", "action": "message", "args": {"content": "Look."}},
    {"id": 1, "timestamp": "t", "source": "user", "message": "", "action": "recall", "args": {}},
    _act(2, "run", "c1", _reply("r1", "c1", "c2")), _act(3, "run", "c2", _reply("r1", "c1", "c2")),
    _saw(4, 2, "a"), _saw(5, 3, "no", "error"),
    _act(6, "finish", "c3", _reply("r2", "c3"), final_thought="One file."),
]  # fmt: skip


def test_two_calls_of_one_reply_are_one_turn_whose_tokens_count_once() -> None:
    (run,) = openhands.read(
        {"instance_id": "i", "history": EVENTS, "test_result": {"git_patch": "diff"}, "error": None}
    )
    assert (_count(run), run.tokens, run.model) == ((2, 3), Tokens(80, 120, 0, 14, 0, True), "m")
    assert (run.item, run.committed, run.end) == ("i", "diff", "answered")
    assert [run.results[each]["isError"] for each in ("c1", "c2", "c3")] == [False, True, False]
    pairs = [[EVENTS[0], None], [EVENTS[2], EVENTS[4]], [EVENTS[3], EVENTS[5]], [EVENTS[6], None]]
    (old,) = openhands.read({"instance_id": "i", "history": pairs})
    assert (old.steps, old.results) == (run.steps, run.results), "the oldest files hold pairs"


@pytest.mark.parametrize(
    ("events", "error", "end"),
    [
        (EVENTS[:-1], None, "agent_error"),
        (EVENTS, "RuntimeError: Agent reached maximum iteration. 100", "step_limit"),
        ([*EVENTS[:2], _act(2, "message", content="Done?")], None, "answered"),
        ([*EVENTS[:2], _act(2, "message", content="Which?"), *EVENTS[2:4]], None, "agent_error"),
    ],
)
def test_why_a_run_of_openhands_ended(events: list[Any], error: str | None, end: str) -> None:
    assert openhands.read({"instance_id": "i", "history": events, "error": error})[0].end == end


def _sdk(kind: str, source: str, **fields: Any) -> dict[str, Any]:
    return {"id": "x", "timestamp": "t", "source": source, "kind": kind, **fields}


def _stats(prompt: int) -> dict[str, Any]:
    usage = {"prompt_tokens": prompt, "completion_tokens": 9, "cache_read_tokens": 30}
    counted = {"default": {"model_name": "m", "accumulated_cost": 0.5, "accumulated_token_usage": usage}}
    return _sdk(
        "ConversationStateUpdateEvent", "environment", key="stats", value={"usage_to_metrics": counted}
    )


def _tool(id: str, reply: str, name: str = "terminal") -> dict[str, Any]:
    call = {"id": id, "name": name, "arguments": '{"command": "ls"}'}
    return _sdk("ActionEvent", "agent", thought=[{"type": "text", "text": "I look."}], action={"message": "Two."},
                tool_name=name, tool_call_id=id, tool_call=call, llm_response_id=reply)  # fmt: skip


SDK = [
    _sdk("MessageEvent", "user", llm_message={"role": "user", "content": [{"type": "text", "text": "Look."}]}),
    _stats(50), _tool("c1", "r1"), _tool("c2", "r1"),
    _sdk("ObservationEvent", "environment", tool_call_id="c1",
         observation={"content": [{"type": "text", "text": "a"}], "is_error": True}),
    _sdk("AgentErrorEvent", "agent", tool_call_id="c2", error="unknown tool"),
    _stats(120), _tool("c3", "r2", "finish"),
]  # fmt: skip


def test_events_of_the_sdk_of_openhands(tmp_path: Path) -> None:
    (run,) = openhands.read(SDK)
    assert (_count(run), run.tokens, run.model) == ((2, 3), Tokens(90, 30, 0, 9, 0, True), "m")
    assert (run.end, run.cost and run.cost.amount) == ("answered", 0.5)
    assert run.results["c1"]["isError"] and "c2" not in run.results, (
        "a call that reached no tool has no result"
    )
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in SDK))
    assert [each.name for each in import_logs("auto", path, tmp_path / "out").records] == ["epoch0"]


FILES = [
    (chats.TAU, "gpt.json", TAU),
    (chats.TAU2, "r.json", TAU2),
    (chats.DOJO, "none.json", DOJO),
    (openhands.NAME, "basic.json", EVENTS),
]


@pytest.mark.parametrize("indent", [None, 2, 4])
@pytest.mark.parametrize(("format", "name", "document"), FILES, ids=[each[0] for each in FILES])
def test_they_are_known_by_their_content(
    format: str, name: str, document: Any, indent: int | None, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(document, indent=indent))
    assert formats_of(path) == [format]


def test_trials_of_models_and_domains_are_kept_apart_and_scored(tmp_path: Path) -> None:
    """Neither two models are one agent, nor tasks of two domains one sample."""
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    for model in ("gpt", "sonnet"):
        (logs / f"{model}.json").write_text(json.dumps(TAU))
    assert labrig("import", "auto", str(logs), "--out", str(out)).returncode == 0
    assert {path.name for path in out.glob("imported.*")} == {"imported.gpt", "imported.sonnet"}
    assert "50.0" in labrig("score", str(out)).stdout, (
        "one of two trials of task 0 is right, task 3 failed by itself"
    )
    other = [{**TAU[0], "info": {"task": {"actions": [], "outputs": ["5"]}}}]
    (tmp_path / "retail.json").write_text(json.dumps(other))
    done = labrig("import", "auto", str(tmp_path / "retail.json"), "--out", str(out))
    assert done.returncode != 0 and "different targets" in done.stderr


def test_what_is_none_of_them() -> None:
    for document in (
        [],
        {},
        [{"task_id": 1}],
        {"suite_name": "s"},
        [{"timestamp": "t", "source": "x"}],
        {"history": []},
    ):
        assert chats.read(document) == [] and openhands.read(document) == []
