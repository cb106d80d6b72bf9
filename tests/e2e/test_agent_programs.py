"""Real agent programs on a real item: their models scripted on 127.0.0.1, their records as good as the reference's.

The binaries come from npm (``.ci/run`` installs them); where they are absent the tests skip.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.isolation.process import Outcome
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.endings import (
    AgentFailed,
    CostLimit,
    EndReason,
    ModelError,
    RateLimited,
    Refused,
    StepLimit,
)
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.trajectory import Trajectory
from labrig_programs.concluding import conclude
from labrig_programs.reading.read_run import ReadRun
from support.basics import basics
from support.scripted_model import Fault, Reply, Turn, scripted_model
from support.toys_installed import toys_installed

CLIENTS = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
KEY = "sk-test-0123456789-of-these-tests"
KEYS = {"claude-code": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
BINARIES = {"claude-code": "claude", "codex": "codex", "gemini": "gemini"}
MODELS = {"claude-code": "scripted-model", "codex": "scripted-model", "gemini": "gemini-2.5-flash"}
PROGRAMS = pytest.mark.parametrize("program", list(KEYS), indirect=True)


@pytest.fixture
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a program reachable, with a key of ours; skip where it is not installed."""
    name = str(request.param)
    folder = CLIENTS / "node_modules" / ".bin"
    if not (folder / BINARIES[name]).exists():
        pytest.skip(f"{BINARIES[name]} is not installed in {CLIENTS.name} (.ci/run does it)")
    for variable in KEYS.values():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv(KEYS[name], KEY)
    return name


def plan(agent: AgentSpec, **arm: Any) -> RunPlan:
    suite = suites.load("phreeqc-basics")
    return RunPlan(suite, replace(suite.arm("agent-outline"), **arm), agent, basics()[:1])


def spec(program: str, url: str, **settings: Any) -> AgentSpec:
    base = f"{url}/v1" if program == "codex" else url
    return AgentSpec(program, MODELS[program], {"base_url": base, **settings})


def play(
    script: Sequence[Turn], program: str, out: Path, **arm: Any
) -> tuple[Trajectory, list[dict[str, Any]]]:
    """Run one item with a scripted model; return its record and what the model was sent."""
    with scripted_model(list(script)) as model:
        (folder,) = asyncio.run(run(plan(spec(program, model.url), **arm), out))
    return Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text())), model.requests


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, databases: Path) -> tuple[Path, list[Turn]]:
    """The reference's record, and its calls as a script for a model."""
    out = tmp_path_factory.mktemp("reference")
    (folder,) = asyncio.run(run(plan(AgentSpec("reference")), out))
    calls: list[Turn] = [(call.tool, call.arguments) for call in CallLog(folder)]
    return out, [*calls, "The answer is in final_answer.txt."]


@pytest.mark.accept
@PROGRAMS
def test_a_real_program_scores_as_the_reference(
    program: str, reference: tuple[Path, list[Turn]], tmp_path: Path
) -> None:
    played, script = reference
    record, requests = play(script, program, tmp_path)
    truth = score_folder(played).scores[0]
    score = score_folder(tmp_path).scores[0]
    assert (score.strict, score.compat, score.answer) == (truth.strict, truth.compat, truth.answer)
    assert score.strict == 1.0
    assert record.end == "answered"
    assert [(call.tool, call.arguments) for call in record.calls] == script[:-1]
    assert all(call.record >= 0 and not call.fault for call in record.calls)
    assert record.steps[-1].text == script[-1]
    assert record.submission is not None
    assert record.steps[record.submission.step].calls[0].arguments["content"] == truth.answer
    assert record.tokens.total > 0
    assert record.versions[program][0].isdigit()
    assert record.confinement in ("bubblewrap", "unconfined")
    offered = {name for request in requests for name in tool_names(request)}
    ours = {name for name in offered if "phreeqc" in name}
    assert len(ours) > 3, offered
    allowed = {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "request_user_input"}
    assert offered - ours <= (allowed if program == "codex" else set()), "no tools of its own"


@pytest.mark.accept
@PROGRAMS
def test_two_servers_of_an_arm_are_told_apart_by_a_real_program(program: str, tmp_path: Path) -> None:
    """Both have a read_file; results are cut, and the model is sent what was delivered, not the whole."""
    with toys_installed():
        suite = suites.load("toy-volumes")
        (sample, *_) = suite.tasks(seed=0)
        script: list[Turn] = [
            ("shelf__read_file", {"path": sample.truth["mineral"]}),
            ("scale__read_file", {"path": "notes/about.txt"}),
            ("scale__write_file", {"path": "final_answer.txt", "content": sample.truth["answer"]}),
            "Done.",
        ]
        with scripted_model(script) as model:
            toys = RunPlan(suite, suite.arm(), spec(program, model.url), (sample,))
            (folder,) = asyncio.run(run(toys, tmp_path))
        assert score_folder(tmp_path).scores[0].strict == 1.0
    record = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text()))
    assert [call.tool for call in record.calls] == ["shelf__read_file", "read_file", "write_file"]
    assert [each.server for each in CallLog(folder)] == ["shelf", "scale", "scale"]
    sent = json.dumps(model.requests[-1])
    assert "characters are shown]" in sent
    assert sent.count("a line about it") < 30 < 50, "the whole has fifty"


@pytest.mark.accept
@PROGRAMS
def test_a_leg_of_the_race_in_a_real_program(program: str, tmp_path: Path) -> None:
    from labrig_suites.amazing_race import items

    suite = suites.load("amazing-race")
    sample = items.generate("in a program", 1)[0]
    answer = {"path": "answer.txt", "content": sample.truth["answer"]}
    calls: list[Turn] = [(call["tool"], call["arguments"]) for call in sample.truth["trace"]]
    with scripted_model([*calls, ("write_file", answer), Reply("Done.")]) as model:
        plan = RunPlan(suite, suite.arm("agent-paper"), spec(program, model.url), (sample,))
        asyncio.run(run(plan, tmp_path))
    (score,) = score_folder(tmp_path).scores
    assert (score.strict, score.compat) == (1.0, 1.0)
    assert score.facts["pvr"] in (1.0, None) and score.facts["rcr"] in (1.0, None)


@pytest.mark.accept
@PROGRAMS
def test_limits_end_a_real_program_and_keep_its_calls(
    program: str, reference: tuple[Path, list[Turn]], tmp_path: Path
) -> None:
    _, script = reference
    record, _ = play(script, program, tmp_path / "steps", max_steps=2)
    assert record.end == "step_limit", record.end_detail
    assert [call.tool for call in record.calls] == [name for name, _ in script[:2]]
    assert len(record.turns) == 2
    # Two calls, then a model that does not answer in time.
    slow = [*script[:2], Reply(text="too late", delay_s=60)]
    record, _ = play(slow, program, tmp_path / "wall", wall_s=25)
    assert record.end == "wall_limit"
    assert [(call.tool, call.arguments) for call in record.calls] == script[:2]
    assert all(call.record >= 0 for call in record.calls)


@pytest.mark.accept
@PROGRAMS
def test_a_token_budget_ends_a_real_program(
    program: str, reference: tuple[Path, list[Turn]], tmp_path: Path
) -> None:
    _, script = reference
    record, _ = play(script, program, tmp_path, max_tokens=20)  # 18 for each reply
    assert record.end == "token_limit", record.end_detail
    assert record.tokens.total >= 20
    if program == "claude-code":  # the one whose log shows tokens while it grows
        assert len(record.calls) < len(script) - 1


@pytest.mark.accept
@PROGRAMS
def test_a_failing_service_is_no_fault_of_the_agent(program: str, tmp_path: Path, databases: Path) -> None:
    refused = Fault(401, f"the key {KEY} is not valid")
    record, _ = play([refused], program, tmp_path)
    assert record.end == "model_error", (record.end, record.end_detail)
    assert record.submission is None
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.accept
@PROGRAMS
def test_what_is_set_is_sent(program: str, tmp_path: Path, databases: Path) -> None:
    sent: dict[str, dict[str, Any]] = {
        "claude-code": {"effort": "low", "max_output_tokens": 1234},
        "codex": {"effort": "low"},
        "gemini": {"temperature": 0.25, "top_p": 0.5, "max_output_tokens": 1234, "thinking_budget": 128},
    }
    with scripted_model(["B"]) as model:
        (folder,) = asyncio.run(run(plan(spec(program, model.url, **sent[program])), tmp_path))
    record = json.loads((folder / "trajectory.json").read_text())
    assert record["end"] == "no_answer"
    assert sent[program].items() <= record["settings"].items()
    request = json.dumps(model.requests[-1])
    for expected in {
        "claude-code": ['"effort": "low"', '"max_tokens": 1234'],
        "codex": ['"effort": "low"'],
        "gemini": ['"temperature": 0.25', '"topP": 0.5', '"maxOutputTokens": 1234', '"thinkingBudget": 128'],
    }[program]:
        assert expected in request, expected


@pytest.mark.accept
@PROGRAMS
def test_its_own_tools_stay_where_the_arm_says_so(
    program: str, reference: tuple[Path, list[Turn]], tmp_path: Path
) -> None:
    """With a shell of its own the program works in the item's workspace; its calls are steps without a record."""
    answer = "echo B > final_answer.txt"
    own: dict[str, tuple[str, dict[str, Any]]] = {
        "claude-code": ("Bash", {"command": answer, "description": "answer"}),
        "codex": ("exec_command", {"cmd": answer}),
        "gemini": ("run_shell_command", {"command": answer}),
    }
    record, requests = play([own[program], "Done."], program, tmp_path, builtin_tools=True)
    offered = {name for request in requests for name in tool_names(request)}
    assert own[program][0] in offered
    assert not {"web_search", "google_web_search", "web_fetch", "WebFetch", "WebSearch"} & offered
    assert record.submission is not None, (record.end_detail, record.steps)
    assert record.submission.text.strip() == "B"
    assert any(call.record == -1 for call in record.calls)


@pytest.mark.accept
@pytest.mark.parametrize("program", ["claude-code"], indirect=True)
def test_deferred_tools_are_found_and_called_as_listed_ones_are(
    program: str, reference: tuple[Path, list[Turn]], tmp_path: Path
) -> None:
    """Beside the arm that lists all tools stands one in which Claude Code's model has to search for them."""
    played, script = reference
    words = {
        "query": "run a PHREEQC input file with a database, read files, write the answer",
        "max_results": 10,
    }
    with scripted_model([("ToolSearch", words), *script]) as model:
        agent = spec(program, model.url, tool_search="on")
        (folder,) = asyncio.run(run(plan(agent), tmp_path))
    record = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text()))
    first, *later = [request for request in model.requests if request.get("tools")]
    assert tool_names(first)[0] == "ToolSearch" and len(tool_names(first)) <= 2, (
        "the first tool is there at once"
    )
    assert len(tool_names(later[-1])) > 2
    assert [(call.tool, call.record >= 0) for call in record.calls] == [
        ("ToolSearch", False),
        *((turn[0], True) for turn in script[:-1]),
    ]
    (found,) = score_folder(tmp_path).scores
    (listed,) = score_folder(played).scores
    assert (found.strict, found.answer) == (listed.strict, listed.answer) and found.strict == 1.0
    with pytest.raises(LabrigError, match="tool_search"):
        plan(spec(program, model.url, tool_search="perhaps")).check()


@PROGRAMS
def test_what_cannot_run_is_refused_before_any_item(
    program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    suite = suites.load("phreeqc-basics")
    agent = AgentSpec(program, MODELS[program])
    with pytest.raises(LabrigError, match="has no tools"):
        RunPlan(suite, suite.arm("cot"), agent, ()).check()
    raw = RunPlan(suite, suite.arm("agent-raw100k"), agent, ())
    if program == "codex":
        raw.check()
    else:
        with pytest.raises(LabrigError, match="cuts tool results"):
            raw.check()
    with pytest.raises(LabrigError, match="colour"):
        RunPlan(suite, suite.arm(), replace(agent, settings={"colour": "red"}), ()).check()
    monkeypatch.delenv(KEYS[program])
    with pytest.raises(LabrigError, match="has no key"):
        RunPlan(suite, suite.arm(), agent, ()).check()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabrigError, match="npm install"):
        RunPlan(suite, suite.arm(), agent, ()).check()


def tool_names(request: dict[str, Any]) -> list[str]:
    """Return what a model was offered, in any of the wire forms."""
    names: list[str] = []
    for tool in request.get("tools", []):
        inner = tool.get("functionDeclarations") or (
            tool["tools"] if tool.get("type") == "namespace" else [tool]
        )
        prefix = tool["name"] + "." if tool.get("type") == "namespace" else ""
        names += [prefix + str(each.get("name") or each.get("type")) for each in inner]
    return names


@pytest.mark.parametrize(
    ("end", "detail", "raised"),
    [
        ("model_error", "API Error: 529 overloaded_error", RateLimited),
        ("model_error", "API Error: 401 invalid key", ModelError),
        ("step_limit", "24 turns", StepLimit),
        ("cost_limit", "", CostLimit),
        ("refused", "it declined", Refused),
        ("agent_error", "cut off", AgentFailed),
    ],
)
def test_what_a_log_says_of_its_end_is_the_end(end: EndReason, detail: str, raised: type[Exception]) -> None:
    with pytest.raises(raised) as caught:
        conclude("claude-code", ReadRun("claude-code", (), end=end, end_detail=detail), Outcome("exit", 1))
    assert type(caught.value) is raised
    conclude("claude-code", ReadRun("claude-code", ()), Outcome("ok", 0))
    with pytest.raises(AgentFailed, match="exit code 3: no model"):
        conclude("claude-code", None, Outcome("exit", 3, stderr=b"a warning\nno model\n"))
