"""Resuming: what is recorded stays, what is missing is made, attempts are remembered."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_harness.records.outfolder import MAKING, labels
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import plans
from support.command import labrig


def records(out: Path) -> list[Path]:
    return sorted(out.glob("*/*/epoch*/trajectory.json"))


def kill_at(out: Path, count: int, *words: str) -> None:
    """Start a run and kill it, without a chance to tidy up, once it has so many records."""
    process = subprocess.Popen(
        [sys.executable, "-m", "labrig_harness", *words, "--out", str(out)],
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
    command = f"{sys.executable} -m labrig_harness"
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
