"""The recording proxy: real servers, a real shim, real sockets; every call of an agent program is recorded."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from hypothesis import given
from hypothesis import strategies as st

from labrig.calls import CallLog
from labrig.toolbox import ServeOptions
from labrig_harness.recording import wire
from labrig_harness.recording.budget import Budget
from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.registry.servers import Target
from labrig_programs import shim
from labrig_programs.program import SHIM
from support import toy_server
from support.agent_program import META, Agent, agent_at

TOY = str(Path(toy_server.__file__).resolve())

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["id", "method", "params"]), inner)
    ),
)


def toy(*arguments: str) -> Target:
    return Target(name="toy", argv=(sys.executable, "-I", "-S", TOY, *arguments))


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    (tmp_path / "log").mkdir()
    return Recorder(CallLog(tmp_path / "log"), "toy")


@asynccontextmanager
async def connected(recorder: Recorder, target: Target | None = None, **limits: Any) -> AsyncIterator[Agent]:
    async with relay(target or toy(), ServeOptions(), recorder, **limits) as path, agent_at(path) as agent:
        yield agent


@pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=pytest.mark.accept)])
async def test_a_real_client_works_through_shim_and_socket_in_both_eras(
    tmp_path: Path, databases: Path, era: Any
) -> None:
    recorder = Recorder(CallLog(tmp_path), "phreeqc")
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "workspace")
    async with relay(Target(name="phreeqc"), options, recorder) as path:
        assert len(os.fsencode(path)) < 100
        assert path.parent.stat().st_mode & 0o777 == 0o700
        command = shim.command(path)
        async with Client(StdioTransport(command[0], command[1:], keep_alive=False), mode=era) as client:
            assert "execute_phreeqc" in [tool.name for tool in await client.list_tools()]
            await client.call_tool_mcp("write_file", {"path": "a.pqi", "content": "SOLUTION 1\nEND\n"})
            await client.call_tool_mcp("execute_phreeqc", {"input_path": "a.pqi", "database": "phreeqc.dat"})
            read = [client.call_tool_mcp("read_file", {"path": "result.out"}) for _ in range(10)]
            texts = {result.content[0].text for result in await asyncio.gather(*read)}
    assert len(texts) == 1
    assert not path.parent.exists()
    assert not recorder.failure
    records = list(CallLog(tmp_path))
    assert [each.tool for each in records] == ["write_file", "execute_phreeqc", *["read_file"] * 10]
    assert {each.tools_hash for each in records} != {""}
    assert records[0].versions["phreeqc"]
    assert CallLog(tmp_path).result(records[-1])["content"][0]["text"] in texts


async def test_answers_out_of_order_ids_of_two_kinds_and_a_record_before_each_answer(
    recorder: Recorder,
) -> None:
    async with connected(recorder) as agent:
        agent.call(1, "sleep", s=0.4)
        agent.call("1", "sleep", s=0.1)
        agent.call(2, "echo", text="quick")
        assert await agent.text(2) == "quick"
        assert [each.arguments for each in recorder.records] == [{"text": "quick"}]
        assert await agent.text("1") == "slept 0.1"
        assert await agent.text(1) == "slept 0.4"
        agent.call(3, "sleep", s=1)
        agent.call(3, "echo", text="same id")
        assert "under way" in (await agent.answer(3))["error"]["message"]
    assert [each.tool for each in recorder.records][:3] == ["echo", "sleep", "sleep"]
    assert recorder.tools == toy_server.TOOLS, "asked for by the relay, since this agent never did"


async def test_what_is_no_call_goes_through_as_it_is(recorder: Recorder) -> None:
    async with connected(recorder) as agent:
        agent.send(
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
        )
        said = (await agent.answer(0))["result"]
        assert (said["protocolVersion"], said["serverInfo"]["version"]) == ("2025-06-18", "1.2.3")
        agent.send({"jsonrpc": "2.0", "id": 1, "method": "no/such"})
        assert (await agent.answer(1))["error"]["code"] == -32601
        agent.call(2, "progress")
        assert await agent.text(2) == "through"
        assert [each["params"]["progress"] for each in agent.received] == [0, 1, 2]
        agent.received.clear()
        agent.call(3, "ask")  # the server asks the client something before it answers
        assert agent.process.stdout is not None
        request = json.loads(await agent.process.stdout.readline())
        assert request["method"] == "roots/list"
        agent.send({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": ["here"]}})
        assert json.loads(await agent.text(3)) == {"roots": ["here"]}
    assert recorder.versions["toy"] == "1.2.3"
    assert [each.tool for each in recorder.records] == ["progress", "ask"]


async def test_a_call_that_is_cancelled_is_recorded_as_such(recorder: Recorder) -> None:
    async with connected(recorder) as agent:
        agent.call(1, "sleep", s=3)
        await asyncio.sleep(0.2)
        agent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        await asyncio.sleep(3.2)
        agent.call(2, "echo", text="on")
        assert await agent.text(2) == "on"
        assert agent.received == [], "nobody waits for the answer to a cancelled call"
    assert [(each.tool, (each.error or {}).get("code")) for each in recorder.records] == [
        ("sleep", "cancelled"),
        ("echo", None),
    ]
    assert not recorder.failure


async def test_a_slow_call_is_ended_and_the_next_one_goes_on(recorder: Recorder) -> None:
    async with connected(recorder, call_s=0.3) as agent:
        agent.call(1, "sleep", s=5)
        answer = (await agent.answer(1))["result"]
        assert answer["isError"] and "0.3 s" in answer["content"][0]["text"]
        agent.call(2, "echo", text="on")
        assert await agent.text(2) == "on"
    assert recorder.records[0].error == {
        "code": "timeout",
        "what": "The call took longer than 0.3 s and was ended",
    }
    assert not recorder.failure


async def test_a_protocol_error_reaches_the_agent_as_it_was_and_is_no_death(recorder: Recorder) -> None:
    async with connected(recorder) as agent:
        agent.call(1, "refuse")
        error = (await agent.answer(1))["error"]
        assert error == {"code": -32050, "message": "not today", "data": {"why": "rain"}}
    (record,) = recorder.records
    assert (record.result, record.is_error, (record.error or {})["rpc"]) == ("", True, error)
    assert not recorder.failure


async def test_a_server_that_dies_fails_what_waits_and_the_run(recorder: Recorder) -> None:
    async with connected(recorder) as agent:
        agent.call(1, "sleep", s=5)
        agent.call(2, "die")
        assert "exit code 7" in (await agent.answer(1))["error"]["message"]
        assert "the reactor is on fire" in (await agent.answer(2))["error"]["message"]
        assert agent.process.stdout is not None
        assert await asyncio.wait_for(agent.process.stdout.read(), 60) == b"", "the shim ends with the server"
        assert await asyncio.wait_for(agent.process.wait(), 60) == 0
    assert "exit code 7" in recorder.failure
    assert {(each.tool, each.result, (each.error or {})["code"]) for each in recorder.records} == {
        ("sleep", "", "died"),
        ("die", "", "died"),
    }


async def test_a_server_that_cannot_start_is_said_so(recorder: Recorder) -> None:
    async with connected(recorder, Target(name="x", argv=("/no/such/program",))) as agent:
        assert agent.process.stdout is not None
        assert await asyncio.wait_for(agent.process.stdout.read(), 60) == b""
    assert "did not start" in recorder.failure and "No such file" in recorder.failure


async def test_each_connection_has_a_server_of_its_own_and_one_log_holds_all(
    recorder: Recorder, tmp_path: Path
) -> None:
    async with relay(toy(str(tmp_path)), ServeOptions(), recorder) as path:
        async with agent_at(path) as probe:
            probe.send({"jsonrpc": "2.0", "id": 0, "method": "ping"})
            await probe.answer(0)
            assert await probe.close() == b""
        async with agent_at(path) as first, agent_at(path) as second:
            first.call(1, "poll")
            assert await first.text(1) == "running"
            second.call(1, "poll")
            assert await second.text(1) == "running"
            first.call(2, "write", text="shared folder")
            await first.answer(2)
            second.call(2, "read")
            assert await second.text(2) == "shared folder"
    assert not recorder.failure
    assert [each.tool for each in recorder.records] == ["poll", "poll", "write", "read"]


async def test_an_agent_that_closes_its_input_still_gets_what_the_server_says(recorder: Recorder) -> None:
    async with connected(recorder) as agent:
        agent.call(1, "echo", text="last")
        rest = await agent.close()
        assert json.loads(rest)["result"]["content"][0]["text"] == "last"
    assert len(recorder.records) == 1
    assert not recorder.failure


@pytest.mark.accept
async def test_an_agent_that_is_killed_leaves_a_recorded_call_and_no_failure(recorder: Recorder) -> None:
    async with connected(recorder, toy("", "--no-eof")) as agent:
        agent.call(1, "sleep", s=30)
        while not recorder.tools:  # the relay asks for them before it makes the first call
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        agent.process.kill()
        await agent.process.wait()
        started = time.monotonic()
    assert time.monotonic() - started < 20
    assert [(each.error or {})["code"] for each in recorder.records] == ["cancelled"]
    assert not recorder.failure


async def test_the_budget_of_calls_is_kept(recorder: Recorder) -> None:
    async with connected(recorder, budget=Budget(2)) as agent:
        for n in range(4):
            agent.call(n, "echo", text=str(n))
        assert [await agent.text(n) for n in range(2)] == ["0", "1"]
        refused = (await agent.answer(3))["result"]
        assert refused["isError"] and "used up" in refused["content"][0]["text"]
    assert recorder.over_budget
    assert len(recorder.records) == 2


async def test_an_agent_program_gets_cut_results_and_no_schema_of_the_whole(tmp_path: Path) -> None:
    recorder = Recorder(CallLog(tmp_path), "toy", result_chars=20)
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    async with connected(recorder) as agent:
        agent.send(listing)
        tools = (await agent.answer(1))["result"]["tools"]
        assert "table" in {each["name"] for each in tools}
        assert not [each["name"] for each in tools if "outputSchema" in each]
        agent.call(2, "table")
        table = (await agent.answer(2))["result"]
        assert [part["text"] for part in table["content"]] == [
            "Phase      SI\nCalcit",
            "[cut: 20 of 64 characters are shown]",
        ]
        assert "structuredContent" not in table
        agent.call(3, "echo", text="short")
        assert await agent.text(3) == "short"
    assert any("outputSchema" in each for each in recorder.tools)
    assert "structuredContent" in recorder.course.log.result(recorder.records[0])
    assert [*recorder.course.delivered_bytes.values()] == [56, 5]
    assert recorder.records[0].result_bytes > 300, "the record keeps the whole"


async def test_garbage_batches_and_smuggled_calls(recorder: Recorder) -> None:
    hidden = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo"}}'
    bad = [
        b"not json\n",
        b'"text"\n[]\n7\n',
        b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}\n',
        b"{" * 100_000 + b"\n",
        b'{"id":1,"x":' + b"[" * 100_000 + b"\n",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r' + hidden + b"\n",  # two messages for who splits at \r
        b"\xff\xfe\n",
        b"\n\n",
    ]
    async with connected(recorder) as agent:
        for raw in bad:
            agent.send(raw=raw)
        agent.send([{"jsonrpc": "2.0", "id": 50, "method": "ping"}, {"jsonrpc": "2.0", "id": 51, "method": "tools/call",
                     "params": {"name": "echo", "arguments": {"text": "in a batch"}}}])  # fmt: skip
        assert (await agent.answer(50))["result"] == {}
        assert await agent.text(51) == "in a batch"
        # Of doubled keys the last counts, for the recorder and, since the line is written anew, for the server.
        agent.send(raw=b'{"jsonrpc":"2.0","id":52,"method":"ping","method":"tools/call","params":{"name":"echo",'
                   b'"arguments":{"text":"seen"}}}\n')  # fmt: skip
        assert await agent.text(52) == "seen"
        agent.send({"jsonrpc": "2.0", "id": 53, "method": "tools/call", "params": {"arguments": {}}})
        assert (await agent.answer(53))["error"]["code"] == -32602
        agent.send(
            {"jsonrpc": "2.0", "id": 54, "method": "tools/call", "params": {"name": "echo", "arguments": [1]}}
        )
        assert (await agent.answer(54))["error"]["code"] == -32602
        nobody = {"name": "write", "arguments": {"text": "unseen"}}
        agent.send({"jsonrpc": "2.0", "method": "tools/call", "params": nobody})  # no id: nobody is told
        agent.call(55, "garbage")
        assert await agent.text(55) == "after the garbage"
        agent.call(56, "echo", text="half \ud800 pair, emoji 🧪")
        assert await agent.text(56) == "half \ud800 pair, emoji 🧪"
    assert "write" not in {each.tool for each in recorder.records}
    assert not Path("note").exists()
    assert any("without an id" in note for note in recorder.notes)
    assert [each.arguments.get("text") for each in recorder.records if each.tool == "echo"][:2] == [
        "in a batch",
        "seen",
    ]
    assert len([note for note in recorder.notes if "agent" in note]) >= 9
    assert any("server sent a line" in note for note in recorder.notes)
    assert not recorder.failure


LIAR = Path(__file__).parents[2] / "hostile" / "proxied" / "server.py"


@pytest.mark.parametrize("tool", ["unasked", "twice", "doubled", "a_request_too"])
async def test_what_a_lying_server_adds_is_dropped_and_noted(recorder: Recorder, tool: str) -> None:
    """The record is what was delivered: of an answer that was not asked for, neither has a word."""
    liar = Target(name="liar", argv=(sys.executable, "-I", "-S", str(LIAR)))
    async with connected(recorder, liar, call_s=5) as agent:
        agent.call(1, tool)
        assert await agent.text(1) == "true"
        agent.call(2, "plain")
        assert await agent.text(2) == "true"
        assert agent.received == []
    assert [each.tool for each in recorder.records] == [tool, "plain"]
    results = [recorder.course.log.result(each) for each in recorder.records]
    assert "LIE" not in json.dumps(results) and "true" in json.dumps(results[0])
    assert bool([note for note in recorder.notes if "not asked" in note]) is (tool != "doubled")
    assert not recorder.failure


@pytest.mark.parametrize("tool", ["nan", "huge_number", "cut_off", "no_object"])
async def test_an_answer_that_is_none_ends_the_call_at_once(recorder: Recorder, tool: str) -> None:
    liar = Target(name="liar", argv=(sys.executable, "-I", "-S", str(LIAR)))
    async with connected(recorder, liar, call_s=60) as agent:
        agent.call(1, tool)
        agent.call(10, "plain")  # an id that begins with the other
        error = (await asyncio.wait_for(agent.answer(1), 60))["error"]
        assert error["code"] == -32000 and "The server's answer" in error["message"]
        assert await agent.text(10) == "true"
        agent.send({"jsonrpc": "2.0", "id": 3, "method": "ping"})
        assert (await asyncio.wait_for(agent.answer(3), 60))["error"]["code"] == -32000
    record = next(each for each in recorder.records if each.tool == tool)
    assert (record.result, (record.error or {})["code"]) == ("", "protocol")
    assert not recorder.failure


async def test_the_last_words_of_a_server_come_without_escape_sequences(recorder: Recorder) -> None:
    liar = Target(name="liar", argv=(sys.executable, "-I", "-S", str(LIAR)))
    async with connected(recorder, liar) as agent:
        agent.call(1, "dies")
        said = (await agent.answer(1))["error"]["message"]
    assert "exit code 7" in said and "the reactor is on fire" in said
    assert said.isprintable() and recorder.failure.isprintable() and "owned" not in said
    assert (recorder.records[0].error or {})["code"] == "died"


@pytest.mark.accept
async def test_lines_of_tens_of_megabytes(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected(recorder) as agent:
        agent.call(1, "big", bytes=50_000_000)
        assert len((await agent.answer(1, 60))["result"]["content"][0]["text"]) == 50_000_000
        agent.call(2, "echo", text="y" * 20_000_000)
        assert len((await agent.answer(2, 60))["result"]["content"][0]["text"]) == 20_000_000
        monkeypatch.setattr(wire, "LONGEST_LINE", 1_000_000)
        agent.call(3, "big", bytes=5_000_000)
        assert "longer than" in (await agent.answer(3))["error"]["message"]
        agent.call(4, "echo", text="z" * 5_000_000)
        agent.call(5, "echo", text="on")
        assert await agent.text(5) == "on"
    assert recorder.records[0].result_bytes > 50_000_000
    assert sum("dropped" in note for note in recorder.notes) == 2


async def test_a_call_that_cannot_be_recorded_is_not_handed_on(recorder: Recorder, tmp_path: Path) -> None:
    async with connected(recorder) as agent:
        agent.call(1, "echo", text="kept")
        assert await agent.text(1) == "kept"
        (tmp_path / "log" / "calls.jsonl").unlink()
        (tmp_path / "log" / "calls.jsonl").mkdir()  # a file that cannot be written, for root as well
        agent.call(2, "echo", text="secret")
        error = (await agent.answer(2))["error"]
        assert "could not be recorded" in error["message"]
    assert "could not be recorded" in recorder.failure


@given(st.binary() | st.text().map(str.encode) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_line_is_read_or_refused(line: bytes) -> None:
    for message in wire.messages(line):
        if message is not None:
            again = wire.messages(wire.to_line(message))
            assert again == [message], "what the server reads is what the recorder read"


HARNESS = """
import asyncio, sys
from pathlib import Path
from labrig.calls import CallLog
from labrig.toolbox import ServeOptions
from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.registry.servers import Target
async def main():
    argv = tuple(sys.argv[2:])
    recorder = Recorder(CallLog(Path(sys.argv[1])), "toy")
    async with relay(Target(name="toy", argv=argv), ServeOptions(), recorder) as path:
        print(path, flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""


async def test_no_server_outlives_a_killed_harness(tmp_path: Path) -> None:
    """Not even one that ignores the end of its input and SIGTERM."""
    mark = str(tmp_path / "mark")
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, str(tmp_path), *toy(mark, "--no-eof").argv],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert harness.stdout is not None
    path = Path(harness.stdout.readline().strip())
    try:
        async with agent_at(path) as agent:
            agent.send({"jsonrpc": "2.0", "id": 0, "method": "ping"})
            await agent.answer(0)
            assert _processes(mark)
            harness.send_signal(signal.SIGKILL)
            harness.wait()
            assert await asyncio.wait_for(agent.process.wait(), 60) == 0
            for _ in range(100):
                if not _processes(mark):
                    break
                await asyncio.sleep(0.1)
            assert _processes(mark) == []
    finally:
        harness.kill()
        harness.wait()
        harness.stdout.close()
        path.unlink(missing_ok=True)
        path.parent.rmdir()


def _processes(mark: str) -> list[int]:
    """Return the servers (not the harness) that have a mark in their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if mark.encode() in words and b"-c" not in words:
                found.append(int(folder.name))
    return found


def test_the_shim_needs_nothing_of_ours_and_says_what_is_wrong() -> None:
    tree = ast.parse(SHIM.read_text(), feature_version=(3, 9))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {each.name for node in imports for each in node.names}
    assert names == {"annotations", "os", "socket", "subprocess", "sys", "threading"}
    done = subprocess.run(shim.command("/no/such/socket"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "cannot reach /no/such/socket" in done.stderr


def test_the_command_records_what_goes_through(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "labrig_cli",
        "proxy",
        "--log",
        str(tmp_path / "log"),
        "--",
        *toy().argv,
    ]
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "hi"}},
    }
    done = subprocess.run(
        command, input=json.dumps(request) + "\n", capture_output=True, text=True, timeout=60
    )
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == "hi"
    assert done.returncode == 0 and "1 calls recorded" in done.stderr
    assert [each.tool for each in CallLog(tmp_path / "log")] == ["echo"]
    done = subprocess.run([*command[:-4], "/no/such"], input="", capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("", 3)
    assert (
        done.stderr.splitlines()[-1]
        == "labrig: The server (such) did not start: No such file or directory: /no/such"
    )
