"""Servers of others in an arm: named on the command line, recorded, and replayed when they are gone."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.arm import Arm, Served
from labrig_harness.endings import ServerError
from labrig_harness.recording import client
from labrig_harness.recording.client import kept_servers
from labrig_harness.registry.servers import Target, headers_of, kept_of
from labrig_harness.run.bench import WorkBench
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.probing import list_foreign_tools
from labrig_harness.sample import SampleInput
from labrig_harness.trajectory import ToolCall
from support import toy_server
from support.command import labrig

TOY = Path(toy_server.__file__ or "")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return a copy of the toy that can be removed."""
    return Path(shutil.copy(TOY, tmp_path / "server.py"))


def arm_of(script: Path) -> Arm:
    command = shlex.join([sys.executable, "-I", "-S", str(script), "."])
    targets = [Target.of_word(f"{name}=-- {command}") for name in ("one", "two")]
    return Arm("suite-arm", "phreeqc", also=(Served("earth"),)).on({each.name: each for each in targets})


async def work(arm: Arm, folder: Path, calls: str) -> list[ToolCall]:
    for name in ("record", "workspace"):
        (folder / name).mkdir(parents=True)
    brief = SampleInput("i", "What?")
    opened = WorkBench(
        brief, arm, folder / "record", folder / "workspace", calls=calls, store=folder.parent / "store"
    )
    async with opened as bench:
        names = [each["name"] for each in await bench.tools()]
        assert "write" in names and "two__write" in names
        await bench.call("write", {"text": "pH 7"})
        assert (await bench.call("two__read", {})).text == "pH 7", "they share the workspace"
        await bench.call("no_such", {})
    return [call for step in bench.steps for call in step.calls]


async def test_two_servers_are_recorded_and_replayed_when_they_are_gone(script: Path, tmp_path: Path) -> None:
    arm = arm_of(script)
    assert (arm.name, list(arm.served)) == ("one+two", ["one", "two"])
    assert (await list_foreign_tools(arm))["two"] == (await list_foreign_tools(arm))["one"]
    made = await work(arm, tmp_path / "a", "record")
    assert [(call.tool, call.is_error, call.fault) for call in made] == [
        ("write", False, ""), ("two__read", False, ""), ("no_such", True, "unknown_tool"),
    ]  # fmt: skip
    script.unlink()
    again = await work(arm, tmp_path / "b", "replay")
    assert [call.result for call in again] == [call.result for call in made]
    with pytest.raises(LabrigError, match="one did not start"):
        await list_foreign_tools(arm)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("files=-- ", "is empty"), ("files=-- 'x", "cannot be read"), ("a b=-- x", "no name for"),
        ("https://x.org/mcp", "needs a name"), ("x=https://me:pw@x.org/mcp", "is recorded"), ("phreeq", "did you mean"),
        ("x=ftp://x.org", "neither"),
    ],
)  # fmt: skip
def test_a_word_that_is_no_server_says_why(word: str, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        Target.of_word(word)


def test_a_header_comes_from_the_environment_and_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    targets = {"far": Target.of_word("far=https://x.org/mcp")}
    with pytest.raises(LabrigError, match="not set"):
        headers_of(["far.Authorization=FAR_TOKEN"], targets)
    monkeypatch.setenv("FAR_TOKEN", "Bearer sesame")
    monkeypatch.setenv("LABRIG_TOKEN", "our own")
    (target,) = headers_of(["far.Authorization=FAR_TOKEN"], targets).values()
    assert target.to_dict() == {"url": "https://x.org/mcp", "headers": {"Authorization": "FAR_TOKEN"}}
    assert Target.from_dict("far", target.to_dict()) == target
    transport = target.transport(None)  # type: ignore[arg-type]  # a URL has no options of ours
    assert transport.headers == {"Authorization": "Bearer sesame"}  # type: ignore[attr-defined]
    with pytest.raises(LabrigError, match="server with a URL"):
        headers_of(["near.Authorization=FAR_TOKEN"], targets)


def test_files_of_a_command_are_found_from_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.py").touch()
    (tmp_path / "npx").touch()
    target = Target.of_word("mine=-- npx server.py . --x")
    assert target.argv == ("npx", str(tmp_path / "server.py"), ".", "--x")
    assert replace(target, cwd=tmp_path).to_dict() == {"argv": list(target.argv)}


def test_a_server_that_cannot_start_is_said_before_anything_is_run(tmp_path: Path) -> None:
    words = ("run", "phreeqc-basics", "--agent", "nop", "--limit", "1", "--out", str(tmp_path / "out"))
    done = labrig(*words, "--server", "x=-- /no/such/program")
    assert done.returncode == 2 and "x did not start" in done.stderr
    assert not (tmp_path / "out").exists()


async def test_a_server_that_does_not_start_says_why_in_its_last_words(tmp_path: Path, capfd: Any) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit('the licence file is missing')")
    target = Target.of_word(f"x=-- {shlex.join([sys.executable, '-I', '-S', str(broken)])}")
    with pytest.raises(LabrigError, match=r"x did not start: .*the licence file is missing"):
        await list_foreign_tools(Arm("a").on({"x": target}))
    assert capfd.readouterr().err == "", "the terminal belongs to the run"


async def test_a_server_that_does_not_answer_at_its_start_holds_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "START_S", 0.3)
    target = Target.of_word("x=-- sh -c 'echo one moment >&2; exec sleep 600'")
    with pytest.raises(LabrigError, match=r"x did not start: no answer within 0\.3 s: one moment"):
        await list_foreign_tools(Arm("a").on({"x": target}))


async def test_a_kept_server_goes_from_record_to_record_until_it_dies(script: Path, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    command = shlex.join([sys.executable, "-I", "-S", str(script), "."])
    word = f"toy=-- sh -c 'pwd >>{starts}; exec {command}'"
    arm = Arm("suite-arm").on(kept_of(["toy"], {"toy": Target.of_word(word)}))

    async def visit(name: str, *calls: tuple[str, dict[str, Any]]) -> str:
        for folder in ("record", "workspace"):
            (tmp_path / name / folder).mkdir(parents=True)
        opened = WorkBench(
            SampleInput("i", "What?"), arm, tmp_path / name / "record", tmp_path / name / "workspace"
        )
        async with opened as bench:
            for tool, arguments in calls:
                text = (await bench.call(tool, arguments)).text
        return text

    async with kept_servers():
        await visit("first", ("write", {"text": "pH 7"}))
        assert await visit("second", ("read", {})) == "pH 7", (
            "it keeps what it is not to keep: it is the same process"
        )
        with pytest.raises(ServerError):
            await visit("third", ("die", {}))
        await asyncio.gather(*(visit(f"beside {number}", ("write", {"text": "pH 8"})) for number in range(2)))
    folders = starts.read_text().split()
    assert 2 <= len(folders) <= 3, "one, then at most two at a time"
    assert not any(Path(folder).exists() for folder in folders), (
        "no folder of a record, and gone with the run"
    )


def test_a_kept_server_is_recorded_as_that(script: Path, tmp_path: Path) -> None:
    asked, out = tmp_path / "questions.toml", tmp_path / "out"
    starts = tmp_path / "starts"
    command = f"sh -c 'pwd >>{starts}; exec {shlex.join([sys.executable, '-I', '-S', str(script), '.'])}'"
    asked.write_text(
        f'server = ["toy=-- {command}"]\nserver_kept = ["toy"]\n'
        "[[question]]\nquestion = 'How many?'\nkind = 'number'\nanswer = 7\ntolerance = 0\n"
    )
    done = labrig("run", str(asked), "--agent", "nop", "--out", str(out))
    assert done.returncode == 0, done.stderr
    about = json.loads((out / "toy.nop" / "run.json").read_text())
    assert about["servers"]["toy"]["kept"] is True
    assert len(starts.read_text().split()) == 1, "the start before the run is that of the first record"
    assert RunPlan.from_dict(about, suites.load("questions"), ()).arm.target("toy").kept
    refused = labrig("run", str(asked), "--agent", "nop", "--out", str(out), "--server-kept", "phreeqc")
    assert refused.returncode == 2 and "server with a command" in refused.stderr
