"""Stored calls: record, replay without a server, refuse the unseen, refresh, and several writers of one store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_cli import main
from labrig_harness import suites
from labrig_harness.recording import call_store
from labrig_harness.recording.budget import Budget
from labrig_harness.recording.call_store import CallStore, Session, Setting
from labrig_harness.recording.recorder import CallFailed, Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.registry.servers import Target
from labrig_harness.run.bench import WorkBench
from labrig_harness.suite import Unsolvable
from labrig_programs import shim
from support import toy_server
from support.basics import basics

TOY = str(Path(toy_server.__file__).resolve())


class Bench:
    """Makes calls of the toy server through relay and shim with a real client, in one mode."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp = tmp_path
        self.count = 0

    def recorder(self, mode: str, store: str = "store") -> Recorder:
        self.count += 1
        log = self.tmp / f"log{self.count}"
        log.mkdir()
        call_store._opened.clear()  # as another process would find it
        opened = CallStore.open(self.tmp / store, mode=mode)
        return Recorder(
            CallLog(log), "toy", mode=mode, store=opened, setting=Setting("toy", {"argv": ["toy"]})
        )

    async def play(
        self, mode: str, *calls: tuple[str, dict[str, Any]], era: Any = "auto"
    ) -> tuple[Recorder, list[str]]:
        recorder = self.recorder(mode)
        state = self.tmp / f"state{self.count}"
        state.mkdir()
        # A replay that started a server would fail: there is no such program.
        argv = (sys.executable, "-I", "-S", TOY, str(state)) if mode != "replay" else ("/no/such/server",)
        texts = []
        async with relay(Target(name="toy", argv=argv), ServeOptions(), recorder) as path:
            command = shim.command(path)
            async with Client(StdioTransport(command[0], command[1:], keep_alive=False), mode=era) as client:
                tools = await client.list_tools()
                assert [tool.name for tool in tools] == [tool["name"] for tool in toy_server.TOOLS]
                for tool, arguments in calls:
                    try:
                        result = await client.call_tool_mcp(tool, arguments)
                        texts.append(("error: " if result.is_error else "") + result.content[0].text)
                    except Exception as error:
                        texts.append(f"{type(error).__name__}: {error}")
        assert not recorder.failure
        return recorder, texts


SESSION: list[tuple[str, dict[str, Any]]] = [
    ("read", {}),
    ("write", {"text": "first"}),
    ("read", {}),
    ("write", {"text": "second"}),
    ("read", {}),
    ("poll", {}),
    ("poll", {}),
    ("poll", {}),
    ("table", {}),
    ("refuse", {}),
]
TEXTS = ["nothing", "written", "first", "written", "second", "running", "running", "done"]


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_session_with_a_state_is_replayed_without_its_server(tmp_path: Path, era: Any) -> None:
    bench = Bench(tmp_path)
    recorded, texts = await bench.play("record", *SESSION, era=era)
    assert texts[:8] == TEXTS
    replayed, again = await bench.play("replay", *SESSION, ("poll", {}), era=era)
    assert again[:10] == texts, "the protocol error included"
    assert again[10] == "done", "the last answer to a poll stays"
    assert [(r.tool, r.arguments, r.result, r.is_error, r.tools_hash) for r in replayed.records][:10] == [
        (r.tool, r.arguments, r.result, r.is_error, r.tools_hash) for r in recorded.records
    ]
    assert {r.meta["source"] for r in recorded.records} == {"server"}
    assert {r.meta["source"] for r in replayed.records} == {"store"}
    assert replayed.versions["toy"] == "1.2.3"
    assert replayed.unseen == 0


async def test_the_unseen_is_refused_by_name_and_counted(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.play("record", *SESSION)
    replayed, texts = await bench.play(
        "replay",
        ("echo", {"text": "new"}),
        ("write", {"text": "frist"}),
        ("read", {}),
    )
    assert "no result of echo" in texts[0] and "no call of this tool was recorded" in texts[0]
    assert 'the nearest recorded call is write({"text": "first"})' in texts[1]
    assert "after other calls that change" in texts[2], "a read after another write is not the recorded read"
    assert replayed.unseen == 3
    assert {(r.is_error, (r.error or {})["code"]) for r in replayed.records} == {(True, "not_found")}
    with pytest.raises(LabrigError, match="no store here"):
        bench.recorder("replay", "elsewhere")
    with pytest.raises(LabrigError, match="'other' set up like this"):
        CallStore(tmp_path / "store").about(Setting("other"))


async def test_record_keeps_the_first_result_and_refresh_takes_the_new_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    name = {"name": "LABRIG_TEST_VALUE"}
    os.environ["LABRIG_TEST_VALUE"] = "one"
    await bench.play("record", ("environment", name))
    os.environ["LABRIG_TEST_VALUE"] = "two"
    noted, texts = await bench.play("record", ("environment", name), ("echo", {"text": "added"}))
    assert texts == ["two", "added"], "the server answers while recording"
    assert any("keeps it" in note for note in noted.notes)
    _, texts = await bench.play("replay", ("environment", name), ("echo", {"text": "added"}))
    assert texts == ["one", "added"]
    await bench.play("refresh", ("environment", name))
    _, texts = await bench.play("replay", ("environment", name), ("echo", {"text": "added"}))
    assert texts == ["two", "added"]


def test_the_place_of_a_call_depends_on_setup_files_and_changes_before_it() -> None:
    def places(setting: Setting, *tools: str) -> list[tuple[str, str, int]]:
        session = Session(setting.start)
        made = [session.place("s", tool, {}, changes=tool.isupper()) for tool in tools]
        return [(each.call, each.state, each.number) for each in made]

    base = places(Setting("s"), "r", "r", "W", "r", "r")
    assert [number for _, _, number in base] == [1, 2, 1, 1, 2]
    assert base[0][1] == base[2][1] != base[3][1]
    assert places(Setting("s"), "r", "q", "r", "W", "r")[4] == base[3], "reads between do not count"
    for other in (Setting("t"), Setting("s", {"output": "toc"}), Setting("s", {}, {"a": "b"})):
        assert places(other, "r")[0][1] != base[0][1]


WRITER = """
import asyncio, sys
from pathlib import Path
from labrig.calls import CallLog
from labrig_harness.recording.call_store import CallStore, Setting
from labrig_harness.recording.recorder import Recorder
folder, worker = Path(sys.argv[1]), int(sys.argv[2])
log = CallLog(folder / f"own{worker}")
log.folder.mkdir()
recorder = Recorder(log, "toy", mode="record", store=CallStore(folder), setting=Setting("toy"))
recorder.learn([{"name": "echo", "inputSchema": {}, "annotations": {"readOnlyHint": True}}])
async def calls():
    for n in range(60):
        async def answer():
            return {"content": [{"type": "text", "text": f"{n}" * 3000}]}
        await recorder.call("echo", {"n": n if n % 2 else n + 1000 * worker}, answer)
asyncio.run(calls())
"""


def test_several_processes_write_one_store_and_nothing_is_lost(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(n)]) for n in range(3)]
    assert [each.wait(60) for each in writers] == [0, 0, 0]
    store = CallStore(tmp_path)
    assert len(store) == 30 + 3 * 30
    assert store.skipped == 0
    for record in store.log:
        assert store.log.result(record)["content"][0]["text"] == str(record.arguments["n"] % 1000) * 3000


async def test_a_store_whose_writer_was_killed_loses_one_line_only(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.play("record", ("echo", {"text": "a"}), ("echo", {"text": "b"}))
    log = tmp_path / "store" / "calls.jsonl"
    log.write_bytes(log.read_bytes()[:-30])
    await bench.play("record", ("echo", {"text": "c"}))
    _, texts = await bench.play(
        "replay", ("echo", {"text": "a"}), ("echo", {"text": "c"}), ("echo", {"text": "b"})
    )
    assert texts[:2] == ["a", "c"] and "no result of echo" in texts[2]
    blob = next((tmp_path / "store" / "blobs").glob("*.json"))
    blob.write_bytes(blob.read_bytes() + b" ")
    store = CallStore(tmp_path / "store")
    assert len(store) == 2 and store.skipped == 1


async def test_a_damaged_result_is_not_handed_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.play("record", ("echo", {"text": "a"}))
    for blob in (tmp_path / "store" / "blobs").glob("*.json"):
        blob.write_text(blob.read_text().replace('"a"', '"z"'))
    recorder = bench.recorder("replay")

    async def never() -> dict[str, Any]:
        raise AssertionError("replay forwards nothing")

    with pytest.raises(CallFailed, match="does not have its hash"):
        await recorder.call("echo", {"text": "a"}, never)
    assert "does not have its hash" in recorder.failure


async def test_our_own_agents_replay_a_reference_run(tmp_path: Path, databases: Path) -> None:
    suite = suites.load("phreeqc-basics")
    sample, other = basics()[:2]

    async def play(mode: str, arm_name: str, which: Any, name: str) -> WorkBench:
        arm = suite.arm(arm_name)
        folder, workspace = tmp_path / name, tmp_path / f"{name}-ws"
        folder.mkdir()
        workspace.mkdir()
        solution = suite.solution(which, arm)
        async with WorkBench(which.brief, arm, folder, workspace, calls=mode, store=tmp_path / "s") as bench:
            results: list[str] = []
            try:
                for call in solution.calls:
                    results.append((await bench.call(call.tool, call.bind(results))).text)
                bench.turn(solution.answer(results))
            except Unsolvable:
                bench.turn("unsolvable")
        return bench

    live = await play("record", "agent-toc", sample, "live")
    replayed = await play("replay", "agent-toc", sample, "replayed")
    assert replayed.steps[-1].text == live.steps[-1].text == sample.truth["answer"]
    assert not (tmp_path / "replayed-ws" / "result.out").exists(), "no server ran"
    assert [(c.tool, c.result) for s in live.steps for c in s.calls] == [
        (c.tool, c.result) for s in replayed.steps for c in s.calls
    ]
    assert [r.tools_hash for r in live.recorder.records] == [r.tools_hash for r in replayed.recorder.records]
    unseen = await play("replay", "agent-toc", other, "unseen")
    assert unseen.recorder.unseen and unseen.steps[-1].text == "unsolvable"
    with pytest.raises(LabrigError, match="set up like this"):  # another output protocol gives other results
        await play("replay", "agent-outline", sample, "outline")


@pytest.mark.accept
def test_a_replayed_run_commits_what_the_recorded_one_did(
    tmp_path: Path, private_home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found = {}
    for mode in ("record", "replay"):
        out = tmp_path / mode
        stored = ["--calls", mode, "--store", str(tmp_path / "store"), "--out", str(out)]
        assert main(["run", "phreeqc-basics", "--agent", "reference", "--limit", "2", *stored]) == 0
        capfd.readouterr()
        assert main(["score", str(out), "--json"]) == 0
        scores = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        found[mode] = [(each["task"], each["answer"], each["strict"]) for each in scores]
    assert found["replay"] == found["record"] and all(strict == 1 for _, _, strict in found["replay"])


@pytest.mark.accept
async def test_a_server_behind_a_url_is_recorded_too(tmp_path: Path, private_home: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "labrig_cli", "serve", "phreeqc", "--http", "127.0.0.1:0", "--toolsets", "paper"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stderr is not None
    try:
        url = next(line for line in server.stderr if "http://" in line).split()[-1]
        recorder = Recorder(CallLog(tmp_path), url)
        async with relay(Target(name=url, url=url), ServeOptions(), recorder, budget=Budget(2)) as path:
            command = shim.command(path)
            async with Client(StdioTransport(command[0], command[1:], keep_alive=False)) as client:
                assert "write_file" in [tool.name for tool in await client.list_tools()]
                made = await client.call_tool_mcp("write_file", {"path": "a", "content": "b"})
                read = await client.call_tool_mcp("read_file", {"path": "a"})
                refused = await client.call_tool_mcp("read_file", {"path": "a"})
    finally:
        server.terminate()
        server.wait()
        server.stderr.close()
    assert not made.is_error and "b" in read.content[0].text
    assert refused.is_error and recorder.over_budget
    assert [each.tool for each in recorder.records] == ["write_file", "read_file"]
    assert json.loads((tmp_path / "calls.jsonl").read_text().splitlines()[0])["versions"][url]
