"""Resuming: what is recorded stays, what is missing is made, attempts are remembered."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_harness.records.outfolder import MAKING, labels
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import plans
from support.command import labrig
from support.toys_installed import toys_installed


def records(out: Path) -> list[Path]:
    return sorted(out.glob("*/*/epoch*/trajectory.json"))


def kill_at(out: Path, count: int, *words: str) -> None:
    """Start a run and kill it, without a chance to tidy up, once it has so many records."""
    process = subprocess.Popen(
        [sys.executable, "-m", "labrig_cli", *words, "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 240
    while len(records(out)) < count:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait(30)


@pytest.mark.parametrize(
    "epochs", [pytest.param(2, marks=pytest.mark.accept), pytest.param(10, marks=pytest.mark.soak)]
)
def test_a_run_killed_half_way_goes_on_with_the_other_half(
    databases: Path, tmp_path: Path, epochs: int
) -> None:
    out, half = tmp_path / "out", 5 * epochs
    kill_at(out, half, "run", "phreeqc-basics", "--agent", "random", "--limit", "10", "--epochs", str(epochs))
    kept = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in records(out)}
    assert half <= len(kept) < 2 * half
    done = labrig("resume", str(out))
    assert done.returncode == 0, done.stderr
    assert len(records(out)) == 2 * half
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in kept} == kept
    assert not list(out.glob(f"*/*/{MAKING}*"))
    assert score_folder(out).whole


@pytest.mark.accept
def test_resume_makes_what_is_missing_as_it_was_started(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("run", "phreeqc-basics", "--agent", "random", "--arm", "agent-outline", "--seed", "3")
    assert (
        labrig(*words, "--limit", "2", "--max-steps", "5", "--name", "guesser", "--out", str(out)).returncode
        == 0
    )
    (label,) = labels(out)
    first, second = records(out)
    wanted = json.loads(first.read_text())
    for path in first.parent.iterdir():
        path.unlink() if path.is_file() else None
    before = second.stat().st_mtime_ns
    (plan,) = plans(out, [label])
    assert (plan.arm.name, plan.arm.max_steps, plan.seed, plan.agent.label) == (
        "agent-outline",
        5,
        3,
        "guesser",
    )
    done = labrig("resume", str(out))
    assert done.returncode == 0, done.stderr
    again = json.loads(first.read_text())
    assert again["submission"] == wanted["submission"]
    assert second.stat().st_mtime_ns == before


def test_what_cannot_be_resumed_says_why(tmp_path: Path) -> None:
    done = labrig("resume", str(tmp_path))
    assert done.returncode == 2
    assert "not an output folder" in done.stderr and done.stderr.count("\n") == 1
    (tmp_path / "tasks.jsonl").write_text('{"schema": "labrig.task/2"')
    assert "tasks.jsonl:1" in labrig("resume", str(tmp_path)).stderr


@pytest.mark.accept
def test_a_damaged_plan_is_named(databases: Path, tmp_path: Path) -> None:
    assert (
        labrig("run", "phreeqc-basics", "--agent", "nop", "--limit", "1", "--out", str(tmp_path)).returncode
        == 0
    )
    (label,) = labels(tmp_path)
    path = tmp_path / label / "run.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "agent": "nop"}))
    with pytest.raises(LabrigError, match=r"run\.json cannot be used"):
        plans(tmp_path, [label])
    path.write_text(path.read_text()[:50])
    assert labrig("resume", str(tmp_path)).returncode == 2


@pytest.mark.accept
def test_a_full_disk_is_one_line_and_what_is_there_stands(databases: Path, tmp_path: Path) -> None:
    """A run into a file system of 130 kB, in a mount namespace of its own; then it grows, and the run goes on."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("no mount namespace can be made here")
    command = f"{sys.executable} -m labrig_cli"
    script = f"""
        mount -t tmpfs -o size=130k tmpfs {tmp_path} || exit 9
        {command} run phreeqc-basics --agent reference --limit 8 --out {tmp_path}/out
        echo "first $?"
        find {tmp_path}/out -name '{MAKING}*' | wc -l
        find {tmp_path}/out -path '*/epoch*/trajectory.json' | wc -l
        mount -o remount,size=50m {tmp_path}
        {command} resume {tmp_path}/out
        echo "second $?"
        find {tmp_path}/out -path '*/epoch*/trajectory.json' | wc -l
    """
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=280)
    said = done.stdout.split("\n")
    first = said.index("first 1")
    assert int(said[first + 1]) == 0, "nothing half-made is left"
    assert 0 < int(said[first + 2]) < 8
    errors = [line for line in done.stderr.splitlines() if line.startswith("labrig:")]
    assert errors == [errors[0]] and "No space left on device" in errors[0]
    assert "Traceback" not in done.stderr
    assert said[said.index("second 0") + 1] == "8"


SLOW = """
import asyncio, os, sys, pathlib

class Slow:
    confinement = "in_process"

    def __init__(self, spec, seed):
        self.spec = spec

    def accept(self, arm):
        pass

    async def run(self, bench):
        with open(self.spec.settings["log"], "a") as log:
            log.write(bench.brief.id + "\\n")
        await asyncio.sleep(0.3)
        if self.spec.settings.get("fails") and pathlib.Path(self.spec.settings["fails"]).exists():
            raise RuntimeError("as it was told")
        bench.turn("done")
"""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install an agent that says whom it works on, and a suite that is cheap to make; give where it says it."""
    about = tmp_path / "slow-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[labrig.agents]\nslow = slow_agent:Slow\n")
    (tmp_path / "slow_agent.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with toys_installed():
        yield tmp_path / "log"


def status(*words: str) -> int:
    return labrig(*words).returncode


def test_two_runners_in_one_folder_make_each_record_once(slow: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = (
        "run",
        "toy-volumes",
        "--agent",
        "slow",
        "--limit",
        "6",
        "--set",
        f"log={slow}",
        "--out",
        str(out),
    )
    other = subprocess.Popen(
        [sys.executable, "-m", "labrig_cli", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    while not slow.exists():  # it is at work
        assert other.poll() is None
        time.sleep(0.02)
    mine = labrig(*words)
    _, said = other.communicate()
    assert (other.returncode, mine.returncode) == (0, 0), (said, mine.stderr)
    worked_on = slow.read_text().split()
    assert len(worked_on) == len(set(worked_on)) == len(records(out)) == 6
    assert not list(out.glob("*/*/.claim-*"))


def test_redo_makes_records_of_some_ends_again_and_keeps_what_they_cost(slow: Path, tmp_path: Path) -> None:
    out, fails = tmp_path / "out", tmp_path / "fails"
    fails.touch()
    words = ("run", "toy-volumes", "--agent", "slow", "--limit", "2", "--set", f"log={slow}")
    assert status(*words, "--set", f"fails={fails}", "--out", str(out)) == 0
    ends = [json.loads(path.read_text())["end"] for path in records(out)]
    assert ends == ["agent_error"] * 2 and score_folder(out).whole
    fails.unlink()
    assert status("resume", str(out)) == 0 and len(slow.read_text().split()) == 2, "they stand"
    wrong = labrig("resume", str(out), "--redo", "agent_eror")
    assert "did you mean agent_error" in wrong.stderr and wrong.returncode == 2
    again = labrig("resume", str(out), "--redo", "wall_limit,agent_error")
    assert again.returncode == 0
    assert "records made again: 2 that ended with agent_error" in again.stderr
    made = [json.loads(path.read_text()) for path in records(out)]
    assert [each["end"] for each in made] == ["no_answer"] * 2
    assert [each["meta"]["attempts"][0]["end"] for each in made] == ["agent_error"] * 2
    assert len(slow.read_text().split()) == 4
    assert status("resume", str(out), "--redo", "agent_error") == 0
    assert len(slow.read_text().split()) == 4, "nothing is left to be made again"


def test_the_exit_status_is_of_this_run_and_not_of_the_folder(slow: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("run", "toy-volumes", "--limit", "2", "--out", str(out))
    assert status(*words, "--agent", "nop") == 0
    records(out)[0].unlink()
    slow_run = (*words, "--agent", "slow", "--set", f"log={slow}")
    assert status(*slow_run) == 0, "the other run of the folder lacks a record"
    assert status("score", str(out)) == 1


def test_a_run_grows_to_more_samples_and_others_stay_as_they_are(slow: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("run", "toy-volumes", "--out", str(out))
    agent = ("--agent", "slow", "--set", f"log={slow}")
    assert status(*words, "--agent", "nop", "--limit", "2") == 0
    assert status(*words, *agent, "--limit", "2") == 0
    kept = {path: path.stat().st_mtime_ns for path in records(out)}
    assert status(*words, *agent, "--limit", "4") == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    counts = [len(list((out / label).glob("*/epoch0/trajectory.json"))) for label in labels(out)]
    assert counts == [2, 4] and score_folder(out).whole
    assert status("resume", str(out)) == 0 and len(records(out)) == 6
    fewer = labrig(*words, *agent, "--limit", "3")
    assert "--limit no less" in fewer.stderr and fewer.returncode == 2
    assert status(*words, *agent, "--seed", "9", "--limit", "9") == 2
