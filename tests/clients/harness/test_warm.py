"""Forked servers: each is a process like a fresh one, and where none can be forked a fresh one is started."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import FastMCPTransport, StdioTransport

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.recording import warm
from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.recording.warm import WarmProcess, WarmServers, wanted
from labrig_harness.registry import entries as registered
from labrig_harness.registry import servers
from labrig_harness.registry.servers import STARTER, Target, command
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from support.agent_program import agent_at
from support.basics import basics

PACKAGES = Path(__file__).parents[2] / "support" / "packages"
FORKED, FRESH = "labrig.serving.warm", "labrig_toy.__main__"


@pytest.fixture(scope="module", autouse=True)
def toy_installed() -> Iterator[None]:
    """Have a server of the name toy, in this process and in those it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PACKAGES)
        patch.setenv("PYTHONPATH", str(PACKAGES))
        installed = EntryPoint("toy", "labrig_toy:toolbox", "labrig.servers")
        real = registered.entries
        for module in (registered, servers):
            patch.setattr(module, "entries", lambda group: [installed, *real(group)])
        read = warm.read_at_import  # all but what pytest changes all the time
        patch.setattr(
            warm,
            "read_at_import",
            lambda: {name: value for name, value in read().items() if name != "PYTEST_CURRENT_TEST"},
        )
        yield


@pytest.fixture(scope="module")
def started(toy_installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmServers]:
    """Start a warm process that the tests share."""
    made = WarmServers()
    yield made
    made.close()


@pytest.fixture
def mine(toy_installed: None) -> Iterator[WarmServers]:
    """Give a test warm processes of its own."""
    made = WarmServers()
    yield made
    made.close()


def client(made: WarmServers, workspace: Path, cwd: Path | None = None, **variables: str) -> Client[Any]:
    argv = made.command("toy", ServeOptions(workspace=workspace))
    environment = {**os.environ, **variables}
    return Client(
        StdioTransport(argv[0], argv[1:], env=environment, cwd=str(cwd) if cwd else None, keep_alive=False)
    )


async def looked(toy: Client[Any]) -> dict[str, Any]:
    result = await toy.call_tool_mcp("look", {})
    seen: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
    return seen


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def until(condition: Callable[[], bool]) -> bool:
    for _ in range(500):
        if condition():
            return True
        await asyncio.sleep(0.02)
    return False


async def test_each_server_is_a_process_of_its_own_with_what_it_was_given(
    started: WarmServers, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    async with (
        client(started, tmp_path / "a", LABRIG_TOY_WORD="one", TOY_A="1") as first,
        client(started, tmp_path / "b", tmp_path / "here", LABRIG_TOY_WORD="two") as second,
    ):
        one, two, again = await looked(first), await looked(second), await looked(first)
        listed = await first.list_tools()
    async with client(started, tmp_path / "a") as third:
        three = await looked(third)
    assert [each["main"] for each in (one, two, three)] == [FORKED] * 3
    assert [each["looks"] for each in (one, two, three, again)] == [1, 1, 1, 2]
    assert [each["setting"] for each in (one, two, three)] == ["one", "two", ""]
    assert [each["variables"] for each in (one, two)] == [["TOY_A"], []]
    assert [each["cwd"] for each in (one, two)] == [str(Path.cwd()), str(tmp_path / "here")]
    assert [Path(each["workspace"]).name for each in (one, two)] == ["a", "b"]
    assert (
        len({each["pid"] for each in (one, two, three)})
        == len({each["random"] for each in (one, two, three)})
        == 3
    )
    assert one["group"] == one["pid"] and one["open"] == two["open"] == three["open"]
    async with Client(FastMCPTransport(build(servers.toolbox("toy")))) as in_memory:
        assert [each.model_dump_json() for each in await in_memory.list_tools()] == [
            each.model_dump_json() for each in listed
        ]
    assert not any(alive(each["pid"]) for each in (one, two, three))


@pytest.mark.parametrize("how", ["exit", "crash"])
@pytest.mark.parametrize("way", ["forked", pytest.param("fresh", marks=pytest.mark.accept)])
async def test_through_the_shim_a_server_dies_of_what_a_fresh_one_dies_of(
    started: WarmServers, tmp_path: Path, way: str, how: str
) -> None:
    recorder = Recorder(CallLog(tmp_path), "toy")
    token = STARTER.set(started.command if way == "forked" else None)
    try:
        options = ServeOptions(workspace=tmp_path / "workspace")
        async with relay(Target(name="toy"), options, recorder) as path, agent_at(path) as agent:
            agent.call(1, "look")
            assert json.loads(await agent.text(1))["main"] == (FORKED if way == "forked" else FRESH)
            agent.call(2, "die", how=how)
            said = (await agent.answer(2))["error"]["message"]
    finally:
        STARTER.reset(token)
    ended = "ended with exit code 7" if how == "exit" else f"was killed by signal {signal.SIGSEGV:d}"
    program = Path(sys.executable).name
    assert said == f"The server ({program} -m labrig_toy) {ended}: the reactor is on fire"


async def test_flags_that_are_refused_are_refused_alike(started: WarmServers, tmp_path: Path) -> None:
    options = ServeOptions(workspace=tmp_path, toolsets=("no",))
    with pytest.raises(LabrigError) as refused:
        build(servers.toolbox("toy"), options)
    argv = started.command("toy", options)
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    assert (done.returncode, done.stderr) == (2, f"labrig: {refused.value}\n")


async def test_a_server_and_what_it_started_end_with_their_client(
    started: WarmServers, tmp_path: Path
) -> None:
    argv = started.command("toy", ServeOptions(workspace=tmp_path))
    process = await asyncio.create_subprocess_exec(*argv, stdin=-1, stdout=-1)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    calls = [("tools/call", {"name": name, "arguments": {}}) for name in ("look", "leave")]
    texts = []
    assert process.stdin is not None and process.stdout is not None
    for number, (method, params) in enumerate([("initialize", about), *calls]):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        texts.append(json.loads(await process.stdout.readline())["result"].get("content"))
    server, left = json.loads(texts[1][0]["text"])["pid"], int(texts[2][0]["text"])
    assert alive(server) and alive(left)
    process.kill()
    await process.wait()
    assert await until(lambda: not alive(server) and not alive(left))


async def test_a_forked_server_has_umask_and_limits_of_who_asks_and_leaves_no_zombie(
    started: WarmServers, tmp_path: Path
) -> None:
    argv = started.command("toy", ServeOptions(workspace=tmp_path / "w"))
    limited = ["sh", "-c", 'umask 027; ulimit -Sn 77; ulimit -Hn 99; exec "$@"', "sh", *argv]
    async with Client(StdioTransport(limited[0], limited[1:], env=dict(os.environ), keep_alive=False)) as toy:
        seen = await looked(toy)
        about = Path(f"/proc/{seen['pid']}")
        assert seen["main"] == FORKED
        assert "Umask:\t0027" in (about / "status").read_text()
        assert "Max open files            77                   99 " in (about / "limits").read_text()
    process = started._processes["toy"]
    assert process is not None
    pid = process._process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children")
    assert await until(lambda: not children.read_text()), "a supervisor that ended is let go of at once"


@pytest.mark.accept
async def test_when_the_warm_process_is_killed_servers_go_on_and_another_is_started_once(
    mine: WarmServers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with client(mine, tmp_path) as first:
        await looked(first)
        argv = mine.command("toy", ServeOptions(workspace=tmp_path))  # made before, used after
        process = mine._processes["toy"]
        assert process is not None
        process._process.kill()
        process._process.wait()
        async with Client(
            StdioTransport(argv[0], argv[1:], env=dict(os.environ), keep_alive=False)
        ) as second:
            assert (await looked(second))["main"] == FRESH
        async with client(mine, tmp_path) as third:
            assert (await looked(third))["main"] == FORKED
        process = mine._processes["toy"]
        assert process is not None
        process._process.kill()
        process._process.wait()
        for _ in range(2):
            assert mine.command("toy", ServeOptions()) == command("toy", ServeOptions())
        assert await looked(first) | {"random": 0} == await looked(first) | {"looks": 2, "random": 0}
    assert [each.message for each in caplog.records if each.name == "labrig"] == [
        "labrig: the server toy: its warm process ended with -9; another one is started, once",
        "labrig: the server toy is started afresh for each record: its warm process ended with -9",
    ]


@pytest.mark.accept
@pytest.mark.parametrize(
    ("keeps", "why"),
    [
        ("thread", "has 2 threads, and only one can be forked"),
        ("file", "keeps 1 files open, and forks would share them"),
        ("error", "the toy cannot be loaded"),
    ],
)
async def test_a_server_that_cannot_be_forked_is_started_afresh(
    mine: WarmServers, tmp_path: Path, monkeypatch: Any, caplog: Any, keeps: str, why: str
) -> None:
    monkeypatch.setenv("TOY_KEEPS", keeps)
    async with client(mine, tmp_path) as first:
        assert (await looked(first))["main"] == FRESH
    assert mine.command("toy", ServeOptions()) == command("toy", ServeOptions())
    (note,) = [each.message for each in caplog.records if each.name == "labrig"]
    assert why in note


async def test_variables_that_an_import_may_have_read_are_those_of_the_warm_process(
    mine: WarmServers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    options = ServeOptions()
    forked = mine.command("toy", options)
    assert "stand_in.py" in forked[3] and forked[-len(command("toy", options)) :] == command("toy", options)
    monkeypatch.setenv("LABRIG_TOY_WORD", "any")
    assert mine.command("toy", options) == forked
    monkeypatch.setenv("FASTMCP_LOG_LEVEL", "DEBUG")
    monkeypatch.delenv("PYTHONPATH")
    for _ in range(2):
        assert mine.command("toy", options) == command("toy", options)
    assert [each.message.rpartition(": ")[2] for each in caplog.records] == ["FASTMCP_LOG_LEVEL, PYTHONPATH"]


def test_the_setting_and_the_system_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for system in ("linux", "darwin"):
        monkeypatch.setattr(warm.sys, "platform", system)
        for way in warm.WAYS:
            monkeypatch.setenv("LABRIG_HARNESS_SERVERS", way)
            found[system, way] = wanted()
    assert [way for way, yes in found.items() if yes] == [
        ("linux", "auto"),
        ("linux", "warm"),
        ("darwin", "warm"),
    ]
    monkeypatch.delattr(os, "fork")
    assert not wanted()
    monkeypatch.setenv("LABRIG_HARNESS_SERVERS", "hot")
    with pytest.raises(LabrigError, match="hot"):
        wanted()


def test_a_command_and_a_url_are_never_forked() -> None:
    token = STARTER.set(lambda *_: pytest.fail("asked"))
    try:
        assert Target(name="x", argv=("a", "b")).start(ServeOptions()) == ["a", "b"]
        Target(name="http://127.0.0.1:9/mcp", url="http://127.0.0.1:9/mcp").transport(ServeOptions())
    finally:
        STARTER.reset(token)


def test_a_process_with_another_thread_or_an_open_file_is_not_forked() -> None:
    code = """
import threading
from labrig.serving.warm import check_alone
check_alone(0, 1, 2)
for more in ("kept = open('/dev/null')", "threading.Thread(target=threading.Event().wait, daemon=True).start()"):
    exec(more)
    try:
        check_alone(0, 1, 2)
    except Exception as refused:
        print(refused)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    first, second = done.stdout.splitlines()
    assert "keeps 1 files open" in first and "has 2 threads" in second


@pytest.mark.accept
def test_records_of_forked_servers_are_those_of_fresh_ones(
    databases: Path, tmp_path: Path, server_processes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked: list[str] = []
    made = WarmProcess.command
    monkeypatch.setattr(WarmProcess, "command", lambda self, *a: forked.append("") or made(self, *a))
    suite = suites.load("phreeqc-basics")
    for way in ("auto", "cold"):
        monkeypatch.setenv("LABRIG_HARNESS_SERVERS", way)
        asyncio.run(
            run(RunPlan(suite, suite.arm(), AgentSpec("reference"), basics(0)[:3], jobs=2), tmp_path / way)
        )
    assert len(forked) == 3
    files = {path.relative_to(tmp_path / "auto") for path in (tmp_path / "auto").rglob("*") if path.is_file()}
    assert len(files) > 10
    for path in files:
        warm_one, cold_one = ((tmp_path / way / path).read_text() for way in ("auto", "cold"))
        if path.suffix == ".jsonl" or path.name == "trajectory.json":
            warm_one, cold_one = (
                str([_without_meta(json.loads(line)) for line in text.splitlines()])
                for text in (warm_one, cold_one)
            )
        assert warm_one == cold_one, path


def _without_meta(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_meta(each) for key, each in value.items() if key != "meta"}
    return [_without_meta(each) for each in value] if isinstance(value, list) else value


async def test_a_package_whose_main_starts_another_server_serves_that_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its toolbox is not what ``python -m PACKAGE`` serves: the fork does what that does."""
    package = tmp_path / "labrig_other"
    package.mkdir()
    toy = (PACKAGES / "labrig_toy" / "__init__.py").read_text()
    (package / "__init__.py").write_text(toy.replace("async def look()", "async def never_seen()"))
    (package / "__main__.py").write_text(
        "import os, sys\n\nos.execv(sys.executable, [sys.executable, '-m', 'labrig_toy', *sys.argv[1:]])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{PACKAGES}")
    other = EntryPoint("other", "labrig_other:toolbox", "labrig.servers")
    monkeypatch.setattr(servers, "entries", lambda group: [other])
    monkeypatch.setattr(registered, "entries", lambda group: [other])
    made = WarmServers()
    try:
        argv = made.command("other", ServeOptions(workspace=tmp_path / "a"))
        assert argv != command("other", ServeOptions(workspace=tmp_path / "a")), "it is forked"
        transport = StdioTransport(argv[0], argv[1:], env={**os.environ}, keep_alive=False)
        async with Client(transport) as reached:
            tools = {tool.name for tool in await reached.list_tools()}
    finally:
        made.close()
    assert "look" in tools and "never_seen" not in tools
