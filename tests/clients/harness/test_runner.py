"""Running and scoring: records whole or absent, damage found, outside failures not counted, resumable."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.records.outfolder import MAKING
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from support.basics import basics
from support.in_memory import REAL


def plan(agent: str, *, seed: int = 0, limit: int = 2, epochs: int = 1) -> RunPlan:
    suite = suites.load("phreeqc-basics")
    samples = basics(seed)[:limit]
    return RunPlan(suite, suite.arm(), AgentSpec(agent), samples, seed, epochs, jobs=2)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, databases: Path) -> Path:
    """Two items by the reference and by the guesser, two epochs of the latter."""
    out = tmp_path_factory.mktemp("recorded")
    asyncio.run(run(plan("reference"), out))
    asyncio.run(run(plan("random", epochs=2), out))
    return out


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "copied"))


def without_meta(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_meta(each) for key, each in value.items() if key != "meta"}
    return [without_meta(each) for each in value] if isinstance(value, list) else value


def test_scores_come_from_the_records_alone(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = (copied / "scores.jsonl").read_bytes() if (copied / "scores.jsonl").exists() else b""
    monkeypatch.setenv("LABRIG_PHREEQC_DATABASES", "/nowhere")
    scored = score_folder(copied)
    assert scored.whole
    assert [each.strict for each in scored.scores if each.agent == "reference"] == [1.0, 1.0]
    again = (copied / "scores.jsonl").read_bytes()
    assert first in (b"", again)
    score_folder(copied)
    assert (copied / "scores.jsonl").read_bytes() == again


@pytest.mark.parametrize("server", ["in memory", pytest.param("a process", marks=pytest.mark.accept)])
def test_the_same_seed_gives_the_same_records_but_for_meta(
    recorded: Path, tmp_path: Path, server: str, request: pytest.FixtureRequest
) -> None:
    if server == "a process":
        request.getfixturevalue("server_processes")
    asyncio.run(run(plan("random", epochs=2), tmp_path))
    for path in sorted(tmp_path.glob("*/*/epoch*/*.json*")):
        twin = recorded / path.relative_to(tmp_path)
        for line, other in zip(path.read_text().splitlines(), twin.read_text().splitlines(), strict=True):
            assert without_meta(json.loads(line)) == without_meta(json.loads(other))
    guesses = {json.loads(path.read_text())["submission"]["text"] for path in tmp_path.glob("*/*/*/traj*")}
    assert len(guesses) > 1, "samples and epochs draw for themselves"


@pytest.mark.accept
def test_what_is_recorded_is_not_run_again(copied: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in copied.glob("*/*/*/trajectory.json")}
    asyncio.run(run(plan("reference"), copied))
    assert {path: path.stat().st_mtime_ns for path in before} == before
    with pytest.raises(LabrigError, match="the same samples"):
        asyncio.run(run(plan("reference", seed=7), copied))
    with pytest.raises(LabrigError, match="of 2 samples, not 1"):
        asyncio.run(run(plan("reference", limit=1), copied))


def _edit(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    fields = json.loads(path.read_text())
    change(fields)
    path.write_text(json.dumps(fields))


def _forge_call(fields: dict[str, Any]) -> None:
    fields["steps"][1]["calls"][0]["record"] = -1


DAMAGE: dict[str, Callable[[Path], None]] = {
    "submission edited": lambda r: _edit(r / "trajectory.json", lambda f: f["submission"].update(text="A B")),
    "submission null": lambda r: _edit(r / "trajectory.json", lambda f: f["submission"].update(text=None)),
    "call without record": lambda r: _edit(r / "trajectory.json", _forge_call),
    "step removed": lambda r: _edit(r / "trajectory.json", lambda f: f["steps"].pop(1)),
    "other schema": lambda r: _edit(r / "trajectory.json", lambda f: f.update(schema="labrig.trajectory/9")),
    "other task": lambda r: _edit(r / "trajectory.json", lambda f: f.update(task="x")),
    "other agent": lambda r: _edit(r / "trajectory.json", lambda f: f.update(agent="nop")),
    "other prompt": lambda r: _edit(r / "trajectory.json", lambda f: f["steps"][0].update(text="Say B.")),
    "truncated": lambda r: (r / "trajectory.json").write_text('{"schema": '),
    "a list": lambda r: (r / "trajectory.json").write_text("[]"),
    "not text": lambda r: (r / "trajectory.json").write_bytes(b"\xff\xfe\x00"),
    "log cut": lambda r: (r / "calls.jsonl").write_text((r / "calls.jsonl").read_text()[:200]),
    "log gone": lambda r: (r / "calls.jsonl").unlink(),
    "blob replaced": lambda r: next((r / "blobs").iterdir()).write_text("{}"),
    "blobs gone": lambda r: shutil.rmtree(r / "blobs"),
    "moved": lambda r: r.rename(r.with_name("epoch7")) and None,
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_records_are_named_and_not_scored(copied: Path, kind: str) -> None:
    record = sorted(copied.glob("*.reference/*/epoch0"))[0]
    DAMAGE[kind](record)
    scored = score_folder(copied)
    assert len(scored.skipped) == 1, kind
    assert record.parent.name in scored.skipped[0]
    assert scored.missing == ["agent-toc.reference: 1 of 2 records are missing"]
    assert len([each for each in scored.scores if each.agent == "reference"]) == 1


def test_a_run_without_its_description_and_an_epoch_too_many_are_named(copied: Path) -> None:
    record = sorted(copied.glob("*.reference/*/epoch0"))[0]
    shutil.copytree(record, record.with_name("epoch9"))
    _edit(record.with_name("epoch9") / "trajectory.json", lambda f: f.update(epoch=9))
    next(copied.glob("*.random/run.json")).unlink()
    scored = score_folder(copied)
    assert [
        "run.json cannot be used" in each or "more than the epochs" in each for each in scored.skipped
    ] == [True] * 2
    assert {each.agent for each in scored.scores} == {"reference"} and len(scored.scores) == 2


def test_edited_truths_and_lost_records_are_noticed(copied: Path) -> None:
    shutil.rmtree(next(copied.glob("*.random/*/epoch1")))
    assert score_folder(copied).missing == ["agent-toc.random: 1 of 4 records are missing"]
    text = (copied / "tasks.jsonl").read_text()
    answer = json.loads(text.splitlines()[0])["truth"]["answer"]
    other = "A" if answer != "A" else "B"
    (copied / "tasks.jsonl").write_text(text.replace(f'"answer": "{answer}"', f'"answer": "{other}"', 1))
    scored = score_folder(copied)
    assert scored.scores == []
    assert all("hash" in reason for reason in scored.skipped)


def test_a_dead_server_is_no_answer_and_is_run_again(
    databases: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("labrig_harness.registry.servers.Target.transport", REAL)
        broken.setattr(
            "labrig_harness.registry.servers.command",
            lambda *_: [sys.executable, "-c", "raise SystemExit(3)"],
        )
        broken.setenv("LABRIG_HARNESS_SERVERS", "cold")
        asyncio.run(run(plan("reference"), tmp_path))
    scored = score_folder(tmp_path)
    assert scored.scores == []
    assert all("server_error" in reason for reason in scored.skipped)
    assert not scored.whole
    asyncio.run(run(plan("reference"), tmp_path))
    scored = score_folder(tmp_path)
    assert [each.strict for each in scored.scores] == [1.0, 1.0]
    trajectories = [each.trajectory() for each in scored.records]
    assert [[a["end"] for a in each.meta["attempts"]] for each in trajectories] == [["server_error"]] * 2


def _runner(out: Path, limit: int, background: bool = False) -> subprocess.Popen[str]:
    """Start a run; in the background of a script a shell lets it ignore SIGINT, whatever these tests run in."""
    words = ["run", "phreeqc-basics", "--agent", "reference", "--limit", str(limit), "--out", str(out)]
    action = signal.SIG_IGN if background else signal.SIG_DFL
    return subprocess.Popen(
        [sys.executable, "-m", "labrig_cli", *words],
        preexec_fn=lambda: signal.signal(signal.SIGINT, action),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.accept
@pytest.mark.parametrize(
    ("ending", "background"),
    [(signal.SIGKILL, False), (signal.SIGTERM, False), (signal.SIGINT, False), (signal.SIGTERM, True)],
)
def test_a_killed_run_loses_nothing_and_can_go_on(
    databases: Path, tmp_path: Path, ending: int, background: bool
) -> None:
    process = _runner(tmp_path, 10, background)
    _wait_for(lambda: len(list(tmp_path.glob("*/*/epoch0/trajectory.json"))) >= 2)
    process.send_signal(ending)
    process.wait(30)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*/epoch0/trajectory.json")}
    assert 2 <= len(kept) < 10
    for path in kept:
        json.loads(path.read_text())
    if ending != signal.SIGKILL:
        assert not list(tmp_path.glob(f"*/*/{MAKING}*")), "an orderly end leaves nothing half-made"
        assert process.returncode == 130
    asyncio.run(run(plan("reference", limit=10), tmp_path))
    assert not list(tmp_path.glob(f"*/*/{MAKING}*"))
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert score_folder(tmp_path).whole


@pytest.mark.accept
def test_two_runners_in_one_folder_agree(databases: Path, tmp_path: Path) -> None:
    runners = [_runner(tmp_path, 6) for _ in range(2)]
    for each in runners:
        _, errors = each.communicate(timeout=240)
        assert each.returncode == 0, errors
    scored = score_folder(tmp_path)
    assert scored.whole
    assert len(scored.scores) == 6


def test_a_folder_that_cannot_be_written_is_scored(copied: Path) -> None:
    (copied / "scores.jsonl").unlink(missing_ok=True)
    (copied / "scores.jsonl").mkdir()  # stands in for a read-only file system, which root would pass
    assert score_folder(copied).whole
