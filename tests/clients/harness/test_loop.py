"""Agents with a model, end to end: real runner, real server, a scripted service on loopback in four wire forms."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.agents.loop import TOLD, Loop
from labrig_harness.agents.single import Single
from labrig_harness.models import service as models
from labrig_harness.models.names import PROVIDERS
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.sample import Attachment, Sample
from labrig_harness.suite import Arm
from labrig_harness.trajectory import Step, Trajectory
from support.basics import basics
from support.scripted_model import KEY, Fault, Reply, ScriptedModel, Turn, Usage, scripted_model

if find_spec("pydantic_ai") is None:  # an import would take a second, in every process that collects
    pytest.skip("agents with a model need labrig[agents]", allow_module_level=True)

FORMS = {
    "anthropic:claude-sonnet-4-5": "",
    "openai:gpt-4.1": "/v1",
    "openai-chat:gpt-4.1": "/v1",
    "google:gemini-2.5-flash": "",
}
CHAT = "openai-chat:gpt-4.1"
EVERY = [CHAT, *(pytest.param(each, marks=pytest.mark.accept) for each in FORMS if each != CHAT)]
"""Every wire form in full acceptance, one elsewhere."""
SECRET = "distinctive-and-no-real-key-7f3a"
WRITE = ("write_file", {"path": "final_answer.txt", "content": "A"})
SUITE = suites.load("phreeqc-basics")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, databases: Path) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setattr(models, "FIRST_WAIT_S", 0.02)


@pytest.fixture(scope="module")
def task(databases: Path) -> Sample:
    return basics()[0]


@dataclass
class Played:
    """A run of one item against the scripted service."""

    trajectory: Trajectory
    service: ScriptedModel
    out: Path

    @property
    def turns(self) -> tuple[Step, ...]:
        return self.trajectory.turns

    @property
    def faults(self) -> list[str]:
        """The faults of all turns and calls, in order."""
        return [f for turn in self.turns for f in (*turn.faults, *(c.fault for c in turn.calls if c.fault))]


def play(
    script: list[Turn],
    task: Sample,
    out: Path,
    *,
    model: str = CHAT,
    kind: str = "loop",
    arm: Arm | None = None,
    by: Any = "requests",
    prices: str = "",
    retries: int = 0,
    **settings: Any,
) -> Played:
    with scripted_model(script, by=by) as service:
        spec = AgentSpec(kind, model, {"base_url": service.url + FORMS[model], **settings}, prices=prices)
        arm = arm or SUITE.arm("" if kind == "loop" else kind)
        plan = RunPlan(SUITE, arm, spec, (task,), jobs=1, retries=retries)
        folder = asyncio.run(run(plan, out))[0]
    text = (folder / "trajectory.json").read_text(encoding="utf-8")
    return Played(Trajectory.from_dict(json.loads(text)), service, out)


# -------------------------------------------------------------------------------------------- one item, end to end


@pytest.fixture(scope="module")
def reference(databases: Path, task: Sample, tmp_path_factory: pytest.TempPathFactory) -> Trajectory:
    out = tmp_path_factory.mktemp("reference")
    folder = asyncio.run(run(RunPlan(SUITE, SUITE.arm(), AgentSpec("reference"), (task,)), out))[0]
    return Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text()))


@pytest.mark.parametrize("model", EVERY)
def test_an_item_scores_as_the_reference_does(
    model: str, reference: Trajectory, task: Sample, tmp_path: Path
) -> None:
    calls = [(call.tool, call.arguments) for call in reference.calls]
    script: list[Turn] = [*calls[:-1], Reply("I am sure.", (calls[-1],), version="model-0042"), "Done."]
    usage = [
        Reply(calls=(calls[0],), usage=Usage(100, 40, 0, 30, 9), reasoning="First the input."),
        *script[1:],
    ]
    played = play(usage, task, tmp_path, model=model, by="results")
    done = played.trajectory
    assert (done.end, played.faults) == ("answered", [])
    assert [(c.tool, c.arguments, c.is_error) for c in done.calls] == [
        (c.tool, c.arguments, c.is_error) for c in reference.calls
    ]
    assert done.turns[0].reasoning == "First the input."
    assert done.turns[0].tokens.input_uncached == 100
    assert done.turns[0].tokens.cache_read == 40
    assert done.turns[-2].model == "model-0042"
    assert done.submission is not None
    assert done.submission.step == done.steps[-2].index
    assert done.versions["pydantic-ai-slim"]
    asyncio.run(run(RunPlan(SUITE, SUITE.arm(), AgentSpec("reference"), (task,)), tmp_path))
    scored = score_folder(tmp_path)
    assert scored.whole
    assert [(each.strict, each.compat) for each in scored.scores] == [(1.0, 1.0), (1.0, 1.0)]


@pytest.mark.accept
@pytest.mark.parametrize("model", FORMS)
def test_a_picture_reaches_the_model_as_one(model: str, task: Sample, tmp_path: Path) -> None:
    waters = "Well,Temp (C),pH,Ca (mg/L),Na (mg/L),HCO3 (mg/L),Cl (mg/L)\nA,12,7.6,82,30,268,41\n"
    script: list[Turn] = [
        ("write_file", {"path": "waters.csv", "content": waters}),
        ("speciate_waters", {"path": "waters.csv"}),
        ("draw_plot", {"kind": "saturation", "path": "speciated_waters.json"}),
        "Seen.",
    ]
    arm = replace(SUITE.arm(), serve=ServeOptions(toolsets=("default", "waters")))
    played = play(script, task, tmp_path, model=model, arm=arm, by="results")
    assert [call.is_error for call in played.trajectory.calls] == [False, False, False]
    png = base64.b64encode(b"\x89PNG\r\n").decode()[:7]
    assert png in json.dumps(played.service.requests[-1]).replace("-", "+").replace("_", "/")
    assert png not in json.dumps(played.service.requests[-2])
    if model == CHAT:
        without = play(script, task, tmp_path / "without", model=model, arm=arm, by="results", images=False)
        said = json.dumps(without.service.requests[-1])
        assert png not in said
        assert "[image image/png: not shown]" in said


# -------------------------------------------------------------------------------------------- mistakes of the model


def test_mistakes_are_turns_that_the_model_is_told_about(task: Sample, tmp_path: Path) -> None:
    script: list[Turn] = [
        Reply(calls=(("write_file", '{"path": "final'),)),
        Reply(calls=(("no.such tool", {"x": 1}), ("write_file", {"path": 3}), WRITE)),
        Reply("", usage=None),
        Reply("", calls=(WRITE,)),
        "Done.",
    ]
    played = play(script, task, tmp_path)
    assert played.trajectory.end == "answered"
    assert played.faults == ["not_json", "unknown_tool", "bad_arguments", "empty_reply"]
    first, parallel = played.turns[0], played.turns[1]
    assert first.calls[0].raw == '{"path": "final'
    assert [call.record for call in parallel.calls] == [-1, 0, 1], "in order, all in one turn"
    assert [turn.tokens.measured for turn in played.turns] == [True, True, False, True, True]
    assert not played.trajectory.tokens.measured
    told = [json.dumps(request) for request in played.service.requests]
    assert "no JSON object" in told[1]
    assert "There is no tool 'no.such tool'" in told[2]
    assert TOLD["empty_reply"] in told[3]
    assert [step.text for step in played.trajectory.steps if step.source == "user"][1:] == [
        TOLD["empty_reply"]
    ]


BAD = (
    '{"path": "x", "content": 1e999}',
    '{"a":' * 5000,
    '{"path": "\\ud800"}',
    "null",
    "[" * 99_999,
    '{"path": "x',
)


@pytest.mark.parametrize("model", EVERY)
def test_arguments_of_any_kind_do_not_end_the_run(model: str, task: Sample, tmp_path: Path) -> None:
    """Each is in the history of all requests after it; Gemini's service keeps them to itself and says so."""
    mistakes: list[Turn] = []
    for arguments in BAD:
        mistakes += [
            Reply("q\ud800", (("write_file", arguments),)),
            Reply(calls=(("a.tool", {"deep": deep(400)}),)),
        ]
    played = play([*mistakes, Reply(calls=(WRITE,)), "A"], task, tmp_path, model=model)
    assert played.trajectory.end == "answered", played.trajectory.end_detail
    assert played.faults == ["not_json"] * len(mistakes)
    assert len(played.service.requests) == len(mistakes) + 2


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "model", [pytest.param("anthropic:claude-sonnet-4-5", marks=pytest.mark.accept), CHAT]
)
def test_one_that_says_nothing_of_use_twice_has_stopped(model: str, task: Sample, tmp_path: Path) -> None:
    two_calls = (("write_file", {"path": "a", "content": "b"}), WRITE)
    script: list[Turn] = [
        Reply(""),
        Reply("x", calls=two_calls, stop="length"),
        Reply("and so on", stop="length"),
        Reply(calls=(WRITE,)),
        Reply(""),
        Reply("\n"),
        "never asked",
    ]
    played = play(script, task, tmp_path, model=model)
    assert played.faults == ["empty_reply", "cut_off", "cut_off", "cut_off", "empty_reply", "empty_reply"]
    faults = [call.fault for call in played.trajectory.calls]
    assert faults == ["", "cut_off", ""], "the last call of a reply that was cut off may not be whole"
    assert len(played.service.requests) == 6
    assert TOLD["cut_off"] in json.dumps(played.service.requests[3])
    assert played.trajectory.end == "answered", "it had committed"


@pytest.mark.parametrize("model", EVERY)
def test_a_refusal_ends_the_run(model: str, task: Sample, tmp_path: Path) -> None:
    script: list[Turn] = [Reply("I will not.", stop="refusal"), "never asked"]
    played = play(script, task, tmp_path, model=model, kind="direct")
    assert (played.trajectory.end, played.trajectory.end_detail) == ("refused", "I will not.")
    assert played.turns[0].text == "I will not."
    assert len(played.service.requests) == 1


# ---------------------------------------------------------------------------------------------------------- budget


@pytest.mark.accept
def test_budgets_are_kept(task: Sample, tmp_path: Path) -> None:
    again: list[Turn] = [Reply(calls=(("list_file", {}),), usage=Usage(900, output=100))]
    arm = replace(SUITE.arm(), max_steps=3)
    played = play(again, task, tmp_path / "steps", arm=arm)
    assert (played.trajectory.end, len(played.service.requests)) == ("step_limit", 3)
    played = play(again, task, tmp_path / "tokens", arm=replace(arm, max_steps=9, max_tokens=1500))
    assert (played.trajectory.end, len(played.service.requests)) == ("token_limit", 2)
    table = tmp_path / "prices.toml"
    table.write_text(
        f'name="t"\ndate="d"\ncurrency="EUR"\n[models."{CHAT}"]\ninput=1\ncache_read=0\ncache_write=0\noutput=1\n'
    )
    arm = replace(SUITE.arm(), max_cost=0.0025)
    played = play(again, task, tmp_path / "cost", arm=arm, prices=str(table))
    assert (played.trajectory.end, len(played.service.requests)) == ("cost_limit", 3)
    cost = played.trajectory.cost
    assert cost is not None
    assert (cost.amount, cost.currency) == (pytest.approx(0.003), "EUR")
    assert cost.table.startswith("t d sha256:")
    slow: list[Turn] = [Reply("late", delay_s=20)]
    clock = time.monotonic()
    played = play(slow, task, tmp_path / "wall", arm=replace(SUITE.arm(), wall_s=4))
    assert played.trajectory.end == "wall_limit"
    assert time.monotonic() - clock < 15


# ------------------------------------------------------------------------------------------ failures of the service


@pytest.mark.parametrize("model", EVERY)
@pytest.mark.parametrize(
    "fault",
    [
        Fault(429, "slow down", {"retry-after": "0"}),
        Fault(529, "Overloaded", code="overloaded_error"),
        Fault(503, "busy"),
        Fault(500, "boom"),
        Fault(reset=True),
    ],
    ids=["429", "529", "503", "500", "reset"],
)
def test_what_may_pass_is_asked_again_and_recorded(
    model: str, fault: Fault, task: Sample, tmp_path: Path
) -> None:
    played = play([fault, fault, "A"], task, tmp_path, model=model, kind="direct")
    assert played.trajectory.end == "answered"
    assert len(played.service.requests) == 3
    assert len(played.turns[0].meta["retries"]) == 2


@pytest.mark.accept
def test_how_long_to_wait_is_kept(task: Sample, tmp_path: Path) -> None:
    clock = time.monotonic()
    play([Fault(429, headers={"retry-after": "2"}), "A"], task, tmp_path / "short", kind="direct")
    assert time.monotonic() - clock > 2
    # A wait longer than is done in place is the runner's: it makes a new attempt.
    monkey = [Fault(429, headers={"retry-after": "31"}), "A"]
    played = play(monkey, task, tmp_path / "long", kind="direct")
    assert played.trajectory.end == "model_error"
    assert len(played.service.requests) == 1
    from labrig_harness.endings import RateLimited

    with scripted_model(list(monkey), by="requests") as service:
        spec = AgentSpec("direct", CHAT, {"base_url": f"{service.url}/v1"})
        with pytest.raises(RateLimited) as caught:
            asyncio.run(_ask(spec))
    assert caught.value.seconds == 31


async def _ask(spec: AgentSpec) -> models.Reply:
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    async with models.connect(spec) as session:
        return await session.ask([ModelRequest([UserPromptPart("?")])], [], seconds=60)


TOO_LONG = {
    "anthropic:claude-sonnet-4-5": (
        "prompt is too long: 210000 tokens > 200000 maximum",
        "invalid_request_error",
    ),
    "openai:gpt-4.1": ("Your input exceeds the context window of this model.", "context_length_exceeded"),
    "openai-chat:gpt-4.1": ("This model's maximum context length is 8192 tokens.", ""),
    "google:gemini-2.5-flash": (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "INVALID_ARGUMENT",
    ),
}


@pytest.mark.parametrize("model", EVERY)
def test_what_cannot_pass_ends_the_run_with_one_line(model: str, task: Sample, tmp_path: Path) -> None:
    variable = PROVIDERS[model.partition(":")[0]].keys[0]
    message, code = TOO_LONG[model]
    cases: dict[str, tuple[Fault, str, str]] = {
        "key": (Fault(401, f"bad key {KEY}"), "model_error", variable),
        "forbidden": (Fault(403, f"bad key {KEY[:9]}"), "model_error", variable),
        "model": (Fault(404, "no such model"), "model_error", f"knows no model {model.partition(':')[2]!r}"),
        "request": (Fault(400, "bad field"), "model_error", "rejected the request (status 400): bad field"),
        "long": (Fault(400, message, code=code), "token_limit", "too long"),
        "html": (Fault(200, body=f"<html>{KEY}</html>"), "model_error", "no answer that can be read"),
        "cut": (Fault(200, body='{"id": "x", '), "model_error", "no answer that can be read"),
        "list": (Fault(200, body="[]"), "model_error", "no answer that can be read"),
    }
    for name, (fault, end, words) in cases.items():
        played = play([fault], task, tmp_path / name, model=model, kind="direct")
        detail = played.trajectory.end_detail
        assert played.trajectory.end == end, (name, detail)
        assert words in detail, name
        assert "\n" not in detail
        assert len(played.service.requests) == 1, name
    played = play([Fault(500, "boom")], task, tmp_path / "500", model=model, kind="direct")
    assert "(4 tries): boom" in played.trajectory.end_detail
    assert len(played.service.requests) == models.TRIES


OVERFLOWS = (
    (400, "the request exceeds the available context size. try increasing it", "exceed_context_size_error"),
    (400, "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it", ""),
    (500, "Context size has been exceeded.", ""),
    (400, "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with "
     "context length of only 4096 tokens, which is not enough.", ""),
    (400, "Reached context length of 4096 tokens with model (arch: qwen3vlmoe)", ""),
    (500, "Requested tokens (2285) exceed context window of 2048", ""),
    (400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192.", ""),
    (400, "The input (9000 tokens) is longer than the model's context length (8192 tokens).", ""),
    (422, "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000", ""),
    (400, "This model's maximum prompt length is 131072 but the request contains 150000 tokens.", ""),
    (400, "prompt too long; exceeded max context length by 20 tokens", ""),
    (400, "litellm.ContextWindowExceededError: prompt is too long", ""),
)  # fmt: skip
"""In the words of llama.cpp (four), LM Studio (two), llama-cpp-python, vLLM, SGLang, TGI, xAI, Ollama and LiteLLM."""


@pytest.mark.parametrize(("status", "message", "code"), OVERFLOWS)
def test_a_context_that_overflows_ends_by_the_token_limit(status: int, message: str, code: str) -> None:
    from labrig_harness.endings import TokenLimit

    with scripted_model([Fault(status, message, code=code)]) as service:
        spec = AgentSpec("direct", "vllm:x", {"base_url": f"{service.url}/v1"})
        with pytest.raises(TokenLimit):
            asyncio.run(_ask(spec))
    assert len(service.requests) == 1, "it does not pass"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "the field context is not known"),
        (429, "Request too large: input exceeds the maximum input length a minute"),
    ],
)
def test_what_is_no_overflow_stays_an_error_of_the_service(status: int, message: str) -> None:
    from labrig_harness.endings import ModelError

    with scripted_model([Fault(status, message, headers={"retry-after": "60"})]) as service:
        spec = AgentSpec("direct", "vllm:x", {"base_url": f"{service.url}/v1"})
        with pytest.raises(ModelError):
            asyncio.run(_ask(spec))


def test_a_service_that_is_not_there(task: Sample, tmp_path: Path) -> None:
    with scripted_model(["A"]) as service:
        gone = f"{service.url}/v1"
    spec = AgentSpec("direct", "vllm:x", {"base_url": gone})
    plan = RunPlan(SUITE, SUITE.arm("direct"), spec, (task,), retries=0)
    folder = asyncio.run(run(plan, tmp_path))[0]
    done = json.loads((folder / "trajectory.json").read_text())
    assert done["end"] == "model_error"
    assert gone in done["end_detail"]


def test_a_request_has_a_time_limit_of_its_own(task: Sample, tmp_path: Path) -> None:
    script: list[Turn] = [Reply("late", delay_s=3), "A"]
    played = play(script, task, tmp_path, kind="direct", timeout_s=0.5)
    assert played.trajectory.end == "answered"
    assert "took too long" in played.turns[0].meta["retries"][0]["error"]


# ------------------------------------------------------------------------------------------------------------ keys


@pytest.mark.parametrize("model", EVERY)
def test_a_key_is_sent_and_never_written(
    model: str, task: Sample, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The service echoes the key in every place it can: errors, headers, texts, arguments, its own name."""
    leak = {"path": "final_answer.txt", "content": f"A {KEY}"}
    script: list[Turn] = [
        Fault(429, f"slow down, {KEY}", {"retry-after": "0", "x-key": KEY}),
        Reply(f"Your key is {KEY}.", (("write_file", leak),), version=KEY, reasoning=f"key {KEY}"),
        Reply(calls=((f"tool_{KEY}", {KEY: KEY}), ("write_file", f"broken {KEY}"))),
        Reply(calls=(("read_file", {"path": "final_answer.txt"}),)),
        Fault(400, f"no, {KEY}"),
    ]
    played = play(script, task, tmp_path, model=model)
    assert any(SECRET in value for headers in played.service.headers for value in headers.values())
    assert played.trajectory.end == "model_error"
    assert "[key]" in played.trajectory.end_detail
    files = [path for path in played.out.rglob("*") if path.is_file()]
    assert len(files) > 4
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path
    printed = capfd.readouterr()
    assert SECRET not in printed.out + printed.err


# --------------------------------------------------------------------------------------------------- direct and cot


@pytest.mark.parametrize("model", EVERY)
@pytest.mark.parametrize("kind", ["direct", "cot"])
def test_one_call_without_tools(model: str, kind: str, task: Sample, tmp_path: Path) -> None:
    answer = task.truth["answer"]
    played = play(
        [f"Because.\n{answer}", "never asked"], task, tmp_path, model=model, kind=kind, temperature=0
    )
    (request,) = played.service.requests
    assert not request.get("tools")
    assert SUITE.arm(kind).instructions.splitlines()[0][:40] in json.dumps(request)
    assert played.trajectory.settings["temperature"] == 0
    assert played.turns[0].meta["sent"]["temperature"] == 0
    assert [each.strict for each in score_folder(tmp_path).scores] == [1.0]


@pytest.mark.parametrize("model", EVERY)
def test_files_and_attachments_are_shown(model: str, task: Sample, tmp_path: Path) -> None:
    pdf = base64.b64encode(b"%PDF-1.4 a paper").decode()
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n a figure").decode()
    brief = replace(
        task.brief,
        files={"notes/a.txt": "pH was 7.1 in the field"},
        attachments=(Attachment("p.pdf", "application/pdf", pdf), Attachment("f.png", "image/png", png)),
    )
    played = play(["A"], replace(task, brief=brief), tmp_path, model=model, kind="direct")
    assert played.trajectory.end == "answered", played.trajectory.end_detail
    said = json.dumps(played.service.requests[0]).replace("-", "+").replace("_", "/")
    for part in (pdf[:16], png[:16], "notes/a.txt", "pH was 7.1 in the field"):
        assert part.replace("-", "+").replace("_", "/") in said


def test_a_call_where_no_tool_was_offered_is_a_mistake(task: Sample, tmp_path: Path) -> None:
    played = play([Reply("A", calls=(WRITE,))], task, tmp_path, kind="direct")
    assert played.faults == ["unknown_tool"]
    assert played.trajectory.submission is not None


def test_agents_and_arms_that_do_not_fit() -> None:
    def single(kind: str, arm: str) -> None:
        Single(AgentSpec(kind, CHAT)).accept(SUITE.arm(arm))

    single("direct", "direct")
    for kind, arm, words in (("direct", "agent-toc", "has tools"), ("cot", "direct", "instructions")):
        with pytest.raises(LabrigError, match=words):
            single(kind, arm)
    with pytest.raises(LabrigError, match="no tools"):
        Loop(AgentSpec("loop", CHAT)).accept(SUITE.arm("cot"))
