"""Confinement of agent programs: what a hostile one cannot do, and that an unconfined one can.

`hostile/agent/agent.py` is the program. Every attack is tried twice, under bubblewrap and without: an attack that
fails in both would prove nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.channels import Channel
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.trajectory import Trajectory
from labrig_programs import confinement
from labrig_programs.streaming import streamed
from support.basics import basics
from support.places import PROJECT

HOSTILE = PROJECT / "tests" / "hostile" / "agent" / "agent.py"
PYTHON = str(confinement.shim_python()[0])


@pytest.fixture
def confine(request: pytest.FixtureRequest) -> str:
    mode = str(request.param)
    if mode == "required" and confinement.decide("auto") != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    return mode


def plan(mode: str, facts: dict[str, Any], *more: str, settings: dict[str, Any], **arm: Any) -> RunPlan:
    suite = suites.load("phreeqc-basics")
    command = (PYTHON, str(HOSTILE), mode, json.dumps(facts), *more)
    agent = AgentSpec("command", settings=settings, command=command)
    return RunPlan(suite, replace(suite.arm("agent-outline"), **arm), agent, basics()[:1])


BOTH = pytest.mark.parametrize(
    "confine", ["required", pytest.param("off", marks=pytest.mark.accept)], indirect=True
)


def play(
    out: Path, mode: str, facts: dict[str, Any] | None = None, *more: str, confine: str = "auto", **arm: Any
) -> tuple[Trajectory, Path]:
    """Run one item with a mode of the hostile program; return the record and its folder."""
    settings = {"confine": confine, **arm.pop("settings", {})}
    (folder,) = asyncio.run(run(plan(mode, facts or {}, *more, settings=settings, **arm), out))
    return Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text())), folder


@pytest.fixture
def service() -> Iterator[Callable[[socket.socket], None]]:
    """Say hello on listening sockets until the test ends."""
    open_sockets: list[socket.socket] = []

    def serve(listener: socket.socket) -> None:
        open_sockets.append(listener)
        listener.listen()

        def greet() -> None:
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                with line:
                    line.sendall(b"hello")

        threading.Thread(target=greet, daemon=True).start()

    yield serve
    for each in open_sockets:
        each.shutdown(socket.SHUT_RDWR)
        each.close()


@pytest.fixture
def facts(
    tmp_path: Path, service: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Any]]:
    """What the attacker is told: where everything lies that it must not have."""
    secret = f"secret-{uuid4().hex}"
    monkeypatch.setenv("HARNESS_ONLY_TOKEN", secret)
    # monkeypatch changes the environment of this process for its children, not what /proc shows of it.
    bearer = subprocess.Popen([sys.executable, "-c", "input()", secret], stdin=subprocess.PIPE)
    other = tmp_path / "labrig-item-other"
    other.mkdir()
    (other / "secret.txt").write_text("another item's")
    names = (
        (socket.AF_UNIX, str(tmp_path / "s")),
        (socket.AF_UNIX, f"\0{secret}"),
        (socket.AF_INET, ("127.0.0.1", 0)),
    )
    port = 0
    for family, name in names:
        listener = socket.socket(family)
        listener.bind(name)
        service(listener)
        port = listener.getsockname()[1] if family == socket.AF_INET else port
    yield {
        "out": str(tmp_path / "out"),
        "pid": os.getpid(),
        "secret": secret,
        "sources": [str(PROJECT / each) for each in ("clients", "shared", "servers")],
        "python": sys.executable,
        "other_workspace": str(other),
        "socket": str(tmp_path / "s"),
        "abstract": secret,
        "port": port,
    }
    bearer.communicate(b"\n")


# Nothing stops these without privileges to lose: they fail for an ordinary user in either case.
NEEDS_ROOT = {"write_to_the_system"}
NOT_WITHOUT = {
    "inherited_descriptors",
    "secrets_in_own_environment",
}  # no program gets these, confined or not


NETWORK = {
    "abstract_sockets",
    "loopback",
}  # the network stays unless it is cut off: the model's service is there


@pytest.mark.accept
@pytest.mark.parametrize(
    ("confine", "network"), [("required", False), ("required", True), ("off", True)], indirect=["confine"]
)
def test_a_hostile_program_gets_nothing(
    confine: str, network: bool, facts: dict[str, Any], databases: Path
) -> None:
    out = Path(facts["out"])
    settings = {} if network else {"network": False}
    record, folder = play(
        out, "attack", facts, confine=confine, settings=settings, builtin_tools=True, wall_s=200
    )
    tried = [json.loads(line) for line in (folder / "command.out").read_text().splitlines() if line.strip()]
    got = {each["attack"]: each["got"] for each in tried if "attack" in each and "got" in each}
    failed = {each["attack"]: each["failed"] for each in tried if "attack" in each and "failed" in each}
    assert len(got) + len(failed) >= 25, (folder / "command.out").read_text()[-2000:]
    through_tools = [each for each in tried if "tool" in each]
    assert len(through_tools) == 8
    assert all("failed" in each for each in through_tools), (
        "the server itself is outside, and gives nothing away"
    )
    assert record.end == "answered"
    assert record.submission is not None
    suite = suites.load("phreeqc-basics")
    score = suite.score(basics()[0], record)
    if confine == "required":
        # Who writes to a path that is not there gets a file in the cell's own memory, and nothing else.
        assert set(got) == {"write_a_trajectory"} | (NETWORK if network else set()), got
        assert record.confinement == "bubblewrap"
        assert (record.submission.text, score.compat) == ("Z", 0.0)
        assert not (out / "forged").exists()
    else:
        could = NOT_WITHOUT | (NEEDS_ROOT if os.geteuid() != 0 else set())
        assert set(failed) <= could | {"trace_the_harness", "new_namespaces"}, failed  # as the kernel is set
        assert record.confinement == "unconfined"
        assert score.compat == 1.0, "the control answers from the truth that it found"


def test_a_confined_program_still_works(tmp_path: Path, databases: Path) -> None:
    if confinement.decide("auto") != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    record, folder = play(tmp_path, "honest", {"answer": "B"}, "{mcp_config}", confine="required")
    assert record.end == "answered", record.end_detail
    assert record.submission is not None
    assert record.submission.text == "B"
    assert [call.tool for call in record.calls] == ["write_file"]
    assert record.steps[-1].text == "It is written."
    assert (folder / "calls.jsonl").exists()


@pytest.mark.accept
def test_without_bubblewrap_the_record_says_so(
    tmp_path: Path, databases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    confinement._probe_cell.cache_clear()
    try:
        record, _ = play(tmp_path / "out", "silent")
        assert (record.confinement, record.end) == ("unconfined", "no_answer")
        with pytest.raises(LabrigError, match="cannot be confined here: bubblewrap"):
            play(tmp_path / "required", "silent", confine="required")
        with pytest.raises(LabrigError, match="network"):
            play(tmp_path / "network", "silent", settings={"network": False})
        # One that runs the program and confines nothing is refused, whatever was asked for.
        fake = tmp_path / "bwrap"
        fake.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
        fake.chmod(0o755)
        confinement._probe_cell.cache_clear()
        with pytest.raises(LabrigError, match="does not confine"):
            play(tmp_path / "leaking", "silent")
    finally:
        confinement._probe_cell.cache_clear()


def test_what_must_be_hidden_is_not_shown_on_request(tmp_path: Path, databases: Path) -> None:
    if confinement.decide("auto") != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    inside = PROJECT / "clients" / "labrig_suites" / "phreeqc_basics"
    assert inside.is_dir()
    with pytest.raises(ExceptionGroup) as stopped:  # the whole run stops: no item could be worked on
        play(tmp_path / "out", "silent", confine="required", settings={"readable": str(inside)})
    assert "agents must not see" in str(stopped.value.exceptions[0])
    # A folder above what is hidden is shown with a hole in it.
    (tmp_path / "shown").write_text("seen")
    for part in ("home", "private"):
        (tmp_path / part).mkdir()
    cell = confinement.Cell(
        readable=(tmp_path, PROJECT / "clients"), writable=(tmp_path / "home",), hidden=(tmp_path / "out",)
    )
    arguments = confinement.write_arguments(cell, tmp_path / "private", tmp_path / "home")

    def seen(folder: Path) -> list[str]:
        look = confinement.command(arguments, ["/bin/ls", "-A", str(folder)])
        done = subprocess.run(look, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert "shown" in seen(tmp_path)
    assert "tasks.jsonl" not in seen(tmp_path / "out")
    packages = [each.parent for each in PROJECT.glob("clients/labrig_*/__init__.py")]
    assert len(packages) == 5
    for package in packages:
        assert "__init__.py" not in seen(package), package


@BOTH
@pytest.mark.parametrize(
    ("mode", "end", "detail"),
    [
        pytest.param("silent", "no_answer", "", marks=pytest.mark.accept),
        pytest.param("crash", "agent_error", "exit code 1", marks=pytest.mark.accept),
        pytest.param("greedy", "step_limit", "calls", marks=pytest.mark.accept),
        pytest.param("long_line", "no_answer", "", marks=pytest.mark.accept),
        pytest.param("flood", "agent_error", "wrote more than", marks=pytest.mark.accept),
        pytest.param("flood_errors", "agent_error", "wrote more than", marks=pytest.mark.accept),
    ],
)
def test_bad_behaviour_has_its_end(
    mode: str,
    end: str,
    detail: str,
    confine: str,
    tmp_path: Path,
    databases: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOSTILE_API_KEY", "sk-hostile-0123456789")
    record, folder = play(
        tmp_path, mode, confine=confine, settings={"env": "HOSTILE_API_KEY"}, max_steps=3, wall_s=120
    )
    assert record.end == end, record.end_detail
    assert detail in record.end_detail
    assert (folder / "command.out").stat().st_size < 300 << 20
    for path in folder.rglob("*"):
        assert not path.is_file() or b"sk-hostile-0123456789" not in path.read_bytes(), path
    if mode == "greedy":
        assert len(record.calls) == 3
    if mode == "long_line":
        assert record.steps[-1].text.endswith("The end.")


async def test_a_full_disk_ends_the_program_and_says_so(tmp_path: Path) -> None:
    why: list[Exception] = []
    os.mkfifo(tmp_path / "pipe")
    async with streamed(tmp_path / "pipe", Path("/dev/full"), lambda _: None, why.append):
        done = await asyncio.create_subprocess_shell(f"seq 100000 > {tmp_path}/pipe")
        await done.wait()
    assert [type(each) for each in why] == [OSError]
    assert "No space left" in str(why[0])


@pytest.mark.accept
def test_the_python_of_labrigs_own_environment_runs_confined_without_labrig(
    tmp_path: Path, databases: Path
) -> None:
    """Who names the Python that Labrig runs in gets its packages, and not Labrig."""
    if confinement.decide("auto") != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    suite = suites.load("phreeqc-basics")
    look = "import pydantic, importlib.util as u; print(pydantic.__name__, u.find_spec('labrig_harness'))"
    agent = AgentSpec("command", settings={"confine": "required"}, command=(sys.executable, "-c", look))
    (folder,) = asyncio.run(run(RunPlan(suite, suite.arm(), agent, basics()[:1]), tmp_path))
    assert (folder / "command.out").read_text() == "pydantic None\n"


def bearing(token: str) -> list[str]:
    """Return the processes that bear a token on their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(token.encode() in word for word in words) and int(path.parent.name) != os.getpid():
            found.append(path.parent.name)
    return found


def until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


@pytest.mark.accept
@BOTH
def test_at_the_wall_limit_everything_ends_and_the_calls_are_kept(
    confine: str, tmp_path: Path, databases: Path
) -> None:
    token = uuid4().hex
    record, _ = play(tmp_path, "stubborn", {"token": token}, confine=confine, wall_s=10)
    assert record.end == "wall_limit"
    assert [call.tool for call in record.calls] == ["write_file"]
    assert until(lambda: not bearing(token), 5), bearing(token)


@pytest.mark.accept
@BOTH
def test_daemons_do_not_outlive_the_program(confine: str, tmp_path: Path, databases: Path) -> None:
    token = uuid4().hex
    record, _ = play(tmp_path, "daemons", {"token": token}, confine=confine)
    assert record.end == "no_answer"
    assert until(lambda: not bearing(token), 5), bearing(token)


@pytest.mark.accept
@BOTH
def test_nothing_outlives_a_killed_harness(confine: str, tmp_path: Path, databases: Path) -> None:
    token = uuid4().hex
    (
        tmp_path / "t"
    ).mkdir()  # what a killed harness leaves behind is removed by its next run, and here by pytest
    harness = subprocess.Popen(
        [
            *(sys.executable, "-m", "labrig_cli", "run", "phreeqc-basics", "--arm", "agent-outline"),
            *(
                "--limit",
                "1",
                "--out",
                str(tmp_path / "out"),
                "--agent",
                "command",
                "--set",
                f"confine={confine}",
            ),
            *("--", PYTHON, str(HOSTILE), "stubborn", json.dumps({"token": token})),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "t")},
    )
    try:
        # The harness, the supervisor's order, the program, and its three daemons bear the token.
        assert until(lambda: len(bearing(token)) >= 5, 60), bearing(token)
    finally:
        os.kill(harness.pid, signal.SIGKILL)
        harness.wait()
    assert until(lambda: not bearing(token), 15), bearing(token)


def test_an_installation_is_what_a_program_needs_and_no_more(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "node_modules"
    script = packages / "tool" / "cli.js"
    script.parent.mkdir(parents=True)
    node = tmp_path / "node" / "bin" / "node"
    node.parent.mkdir(parents=True)
    for path, text in ((script, f"#!{node}\n"), (node, "binary"), (tmp_path / "alone", "#!/bin/sh\n")):
        path.write_text(text)
    link = tmp_path / "bin" / "tool"
    link.parent.mkdir()
    link.symlink_to(script)
    assert set(confinement.installation(link)) == {link, packages, node}
    assert confinement.installation(tmp_path / "alone") == (tmp_path / "alone",)
    assert confinement.installation(Path("/usr/bin/env")) == ()
    environment = Path(sys.executable).parent.parent
    if (environment / "pyvenv.cfg").exists():
        assert environment in confinement.installation(Path(sys.executable))


def test_every_link_from_an_environment_to_its_python_is_seen(tmp_path: Path) -> None:
    python = tmp_path / "versions" / "bin" / "python3.12"
    library = tmp_path / "versions" / "lib"
    environment = tmp_path / "venv"
    for folder in (python.parent, library, environment / "bin"):
        folder.mkdir(parents=True)
    python.touch()
    link = python.with_name("python")
    link.symlink_to("python3.12")  # as pyenv has it: the environment's link leads to another one
    (environment / "bin" / "python").symlink_to(link)
    (environment / "pyvenv.cfg").touch()
    assert {environment, link, python, library} <= set(
        confinement.installation(environment / "bin" / "python")
    )


@pytest.mark.accept
def test_a_message_is_an_answer_where_the_arm_says_so(tmp_path: Path, databases: Path) -> None:
    record, _ = play(tmp_path, "honest", {"answer": "B"}, "{mcp_config}", channel=Channel("letter"))
    assert record.end == "no_answer"
    assert record.steps[-1].text == "It is written."


@pytest.mark.parametrize(
    ("command", "settings", "wrong"),
    [
        ((), {}, "needs a program"),
        (("no-such-program-here",), {}, "no program"),
        (("true",), {"temperature": 1}, "temperature"),
        (("true",), {"confine": "maybe"}, "maybe"),
        (("true",), {"log": "xml"}, "xml"),
        (("true",), {"network": "flase"}, "flase"),
        (("true",), {"readable": "/no/such/folder"}, "/no/such/folder"),
        (("true",), {"env": "NO_SUCH_VARIABLE_HERE"}, "NO_SUCH_VARIABLE_HERE"),
    ],
)
def test_a_wrong_request_is_refused_before_any_item(
    command: tuple[str, ...], settings: dict[str, Any], wrong: str, tmp_path: Path
) -> None:
    suite = suites.load("phreeqc-basics")
    agent = AgentSpec("command", settings=settings, command=command)
    with pytest.raises(LabrigError, match=wrong):
        RunPlan(suite, suite.arm(), agent, ()).check()
    with pytest.raises(LabrigError, match="has no tools"):
        RunPlan(suite, suite.arm("direct"), AgentSpec("command", command=("true",)), ()).check()
