"""The bench: budgets, a model's mistakes as results it can act on, servers that fail, keys that stay out of records."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from labrig.calls import CallLog
from labrig_harness.endings import CostLimit, ServerError, StepLimit, TokenLimit
from labrig_harness.recording.call_store import Session
from labrig_harness.recording.recorder import Course
from labrig_harness.records.verify import contradiction
from labrig_harness.registry.servers import Target
from labrig_harness.run.bench import WorkBench
from labrig_harness.run.linking import link
from labrig_harness.sample import SampleInput
from labrig_harness.suite import Arm
from labrig_harness.trajectory import Cost, Step, Tokens, ToolCall, Trajectory
from support import toy_server
from support.agent_program import agent_at

KEY = "sk-a-very-secret-key-0123456789"


class ToyBench(WorkBench):
    """A bench whose server is the toy."""

    def target(self, server: str) -> Target:
        return Target(
            name="toy", argv=(sys.executable, "-I", "-S", toy_server.__file__ or "", str(self.workspace))
        )


def bench(tmp_path: Path, **arm: Any) -> ToyBench:
    for name in ("record", "workspace"):
        (tmp_path / name).mkdir()
    return ToyBench(
        SampleInput("i", "What?"), Arm("a", "toy", **arm), tmp_path / "record", tmp_path / "workspace"
    )


@pytest.fixture
async def toy(tmp_path: Path) -> AsyncIterator[ToyBench]:
    async with bench(tmp_path) as opened:
        yield opened


def check(opened: WorkBench) -> list[ToolCall]:
    """Check the record against itself and return its calls."""
    made = Trajectory("i", "s", "a", "a", 0, 0, tuple(opened.steps), None, "no_answer")
    assert contradiction(opened.folder, made) == ""
    return made.calls


async def test_steps_tokens_and_cost_end_a_run_before_the_next_turn(tmp_path: Path) -> None:
    async with bench(tmp_path, max_steps=2, max_tokens=100, max_cost=1.0) as opened:
        opened.turn("thinking", tokens=Tokens(input_uncached=60, output=39))
        opened.check_budget()
        opened.charge(Cost(1.0, "USD", "test"))
        with pytest.raises(CostLimit, match="1 of 1 USD"):
            opened.check_budget()
        opened.charge(Cost(0.5, "USD", "test"))
        await opened.turn(tokens=Tokens(cache_read=1)).call("echo", {"text": "in a turn"})
        with pytest.raises(StepLimit, match="2 steps"):
            await opened.call("echo", {"text": "never made"})
    assert [each.arguments for each in check(opened)] == [{"text": "in a turn"}]
    (tmp_path / "more").mkdir()
    async with bench(tmp_path / "more", max_tokens=100) as opened:
        opened.turn(tokens=Tokens(input_uncached=60, cache_write=40))
        with pytest.raises(TokenLimit, match="100 of 100"):
            await opened.call("echo", {})
    assert opened.recorder.records == []


async def test_a_models_mistakes_are_results_it_can_act_on(toy: ToyBench) -> None:
    unknown = await toy.call("ehco", {})
    assert unknown.is_error and "echo" in unknown.text
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    for bad in ({"x": float("nan")}, {"x": "\ud800"}, {"x": {1, 2}}, deep):
        told = await toy.call("echo", bad)
        assert told.is_error and "cannot be sent as JSON" in told.text
        assert toy.steps[-1].calls[0].fault == "bad_arguments"
    assert (await toy.call("echo", {"text": "still there"})).text == "still there"


async def test_faults_are_recorded_with_the_call(tmp_path: Path) -> None:
    async with bench(tmp_path, call_s=0.5) as opened:
        turn = opened.turn("several calls")
        await turn.call("nosuch", {}, id="c0")
        odd = await turn.call(
            "echo", {"text": 7}, id="c1"
        )  # and the toy answers with a text that is a number
        slow = await turn.call("sleep", {"s": 5}, id="c2")
        turn.miscall("echo", '{"text": ', "not_json", "no JSON", id="c3")
        refused = await turn.call("refuse", {}, id="c4")
        fine = await turn.call("echo", {"text": "after"}, id="c5")
    calls = check(opened)
    assert [(each.id, each.fault) for each in calls] == [
        ("c0", "unknown_tool"), ("c1", "bad_arguments"), ("c2", "timeout"), ("c3", "not_json"), ("c4", ""), ("c5", ""),
    ]  # fmt: skip
    assert odd.is_error and "ValidationError" in odd.text
    assert slow.is_error and "0.5 s" in slow.text and calls[2].told == slow.text
    assert refused.is_error and refused.text == "not today"
    assert (opened.recorder.records[2].error or {})["rpc"]["data"] == {"why": "rain"}
    assert not fine.is_error
    assert [each.record for each in calls] == [-1, 0, 1, -1, 2, 3]
    assert opened.recorder.failure == ""
    opened.settle()


async def test_equal_calls_in_parallel_keep_their_own_records(toy: ToyBench) -> None:
    turn = toy.turn("at once")
    await asyncio.gather(*(turn.call("echo", {"text": "same"}) for _ in range(20)))
    assert sorted(each.record for each in check(toy)) == list(range(20))


async def test_a_server_that_dies_is_no_fault_of_the_agent(toy: ToyBench) -> None:
    await toy.call("echo", {"text": "before"})
    with pytest.raises(ServerError, match="die"):
        await toy.call("die", {})
    with pytest.raises(ServerError):
        toy.settle()
    calls = check(toy)
    assert [(each.tool, each.is_error, each.result == "") for each in calls] == [
        ("echo", False, False),
        ("die", True, True),
    ]


async def test_a_server_that_does_not_start_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = Target(name="toy", argv=("/no/such/program",))
    monkeypatch.setattr(ToyBench, "target", lambda self, server: gone)
    async with bench(tmp_path) as opened:
        with pytest.raises(ServerError, match="toy did not start"):
            await opened.tools()
    assert check(opened) == []


async def test_a_run_that_is_ended_under_a_call_keeps_it(tmp_path: Path) -> None:
    async with bench(tmp_path) as opened:
        await opened.tools()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await opened.call("sleep", {"s": 10})
    (call,) = check(opened)
    assert (call.tool, call.is_error, call.record) == ("sleep", True, 0)
    assert (opened.recorder.records[0].error or {})["code"] == "cancelled"


async def test_a_full_disk_is_no_fault_of_the_agent(toy: ToyBench) -> None:
    await toy.tools()
    (toy.folder / "calls.jsonl").mkdir()
    with pytest.raises(ServerError, match="could not be recorded"):
        await toy.call("echo", {"text": "lost"})


async def test_keys_stay_out_of_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", KEY)
    async with bench(tmp_path) as opened:
        result = await opened.call("environment", {"name": "EXAMPLE_API_KEY"})
        assert result.text == KEY, "the server has it, as any program that is started with it"
        await opened.call("echo", {"text": f"is it {KEY}?"})
        async with opened.sockets() as paths, agent_at(paths["toy"]) as agent:
            agent.call(1, "environment", name="EXAMPLE_API_KEY")
            await agent.answer(1)
            agent.call(2, "die", note=KEY)
            await agent.answer(2)
    written = b"".join(path.read_bytes() for path in opened.folder.rglob("*") if path.is_file())
    assert len(opened.recorder.records) == 4
    assert KEY.encode() not in written and b"[key]" in written


async def test_a_program_at_the_socket_shares_log_budget_and_end(toy: ToyBench) -> None:
    await toy.call("write", {"text": "from the bench"})
    async with toy.sockets(max_calls=2) as paths, agent_at(paths["toy"]) as agent:
        agent.call(1, "read")
        assert await agent.text(1) == "from the bench"
        agent.call(2, "echo", text="second")
        await agent.answer(2)
        toy.settle()
        agent.call(3, "echo", text="third")
        assert (await agent.answer(3))["result"]["isError"]
    with pytest.raises(StepLimit, match="budget of calls"):
        toy.settle()
    told = [
        Step(0, "What?", source="user"),
        Step(
            1,
            "I read",
            (ToolCall("write", {"text": "from the bench"}, -1, False), ToolCall("read", {}, -1, False)),
        ),
        Step(2, "third", (ToolCall("echo", {"text": "third"}, -1, False),)),
    ]
    toy.adopt(told)
    calls = check(toy)
    assert [each.record for each in calls] == [0, 1, 2], (
        "a call with other arguments is the same call, retold"
    )
    log = CallLog(toy.folder)
    assert json.loads(json.dumps([each.tool for each in log])) == ["write", "read", "echo"]


def test_a_claimed_success_that_no_server_saw_is_not_delivered(tmp_path: Path) -> None:
    """Also where the server saw no call at all; a tool of the program's own is none of the server's."""
    calls = (
        ToolCall("write_file", {}, -1, False, meta={"server": "phreeqc"}),
        ToolCall("Bash", {}, -1, False),
        ToolCall("no_such_tool", {}, -1, True, meta={"server": "phreeqc"}),
    )
    course = Course(CallLog(tmp_path), Session(""), servers={"phreeqc": []})
    (step,) = link([Step(0, calls=calls)], course)
    assert [call.fault for call in step.calls] == ["not_delivered", "", ""]
