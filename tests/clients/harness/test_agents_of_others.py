"""Agents that another package brings by entry points: run by the command, recorded, and refused where they are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig_harness.registry.entries import entries
from support.command import labrig

AGENTS = """
class Patient:
    confinement = "in_process"

    def __init__(self, spec, seed):
        self.spec, self.seed = spec, seed

    def accept(self, arm):
        pass

    async def run(self, bench):
        bench.versions["my-lab"] = "3"
        bench.turn(f"waited {self.spec.settings['days']} days with {self.seed}")


class Bare:
    def accept(self, arm):
        pass


class Broken(Patient):
    async def run(self, bench):
        raise RuntimeError("no more")


class Idle:
    def __init__(self, spec, seed):
        pass
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a distribution with two agents and one that cannot be imported."""
    about = tmp_path / "my_lab-3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-lab\nVersion: 3\n")
    (about / "entry_points.txt").write_text(
        "[labrig.agents]\npatient = my_lab:Patient\nbroken = my_lab:Broken\nidle = my_lab:Idle\nlost = my_other:Lost\n"
        "loop = my_lab:Patient\n"
    )
    (tmp_path / "my_lab.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    entries.cache_clear()
    yield
    entries.cache_clear()


@pytest.fixture
def asked(tmp_path: Path) -> str:
    """Write four questions to a file: no server is started for them."""
    path = tmp_path / "asked.jsonl"
    question = {"question": "Which?", "kind": "choice", "options": ["a", "b"], "answer": "a"}
    path.write_text("".join(json.dumps({"id": name, **question}) + "\n" for name in "abcd"))
    return str(path)


def test_an_agent_of_another_package_runs_by_its_name(tmp_path: Path) -> None:
    out = tmp_path / "runs"
    words = ("run", "phreeqc-basics", "--limit", "1", "--seed", "7", "--set", "days=3", "--out", str(out))
    done = labrig(*words, "--agent", "patient")
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("agent-toc.patient/*/epoch0/trajectory.json")
    record = json.loads(path.read_text())
    assert "waited 3 days with 7/0" in path.read_text() and record["versions"]["my-lab"] == "3"
    again = labrig("resume", str(out))
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("patent", "did you mean patient"),
        ("idle", "lacks the method accept and run"),
        ("lost", "the distribution my-lab 3"),
        ("loop", "needs a model"),
    ],
)
def test_what_is_no_agent_is_refused_before_anything_runs(name: str, said: str, tmp_path: Path) -> None:
    done = labrig("run", "phreeqc-basics", "--agent", name, "--out", str(tmp_path / "runs"))
    assert done.returncode == 2 and said in done.stderr and not (tmp_path / "runs").exists()


def test_a_run_stops_at_the_error_that_it_is_told_to_and_keeps_what_is_recorded(
    asked: str, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    words = ("run", asked, "--agent", "broken", "--jobs", "1", "--out", str(out))
    done = labrig(*words, "--fail-on-error", "2")
    assert done.returncode == 1 and "Stopped at 2 records" in done.stderr and "no more" in done.stderr
    assert len(list(out.glob("*/*/epoch0/trajectory.json"))) == 2
    assert labrig("resume", str(out)).returncode == 0, "without the flag, an error ends no run"
    assert len(list(out.glob("*/*/epoch0/trajectory.json"))) == 4
    assert labrig(*words, "--fail-on-error", "0").returncode == 2


def test_several_epochs_are_reported_as_pass_at_k(asked: str, tmp_path: Path) -> None:
    words = ("run", asked, "--agent", "random", "--limit", "3", "--epochs", "3", "--out")
    done = labrig(*words, str(tmp_path / "runs"))
    assert done.returncode == 0, done.stderr
    assert "pass@k and pass^k" in done.stdout and "pass@k: one of k attempts" in done.stdout


def test_a_class_of_a_file_is_an_agent(asked: str, tmp_path: Path) -> None:
    """It needs no package, and a run of it is gone on with from any folder."""
    (tmp_path / "mine.py").write_text(AGENTS)
    out, where = tmp_path / "runs", f"{tmp_path / 'mine.py'}:Patient"
    words = ("run", asked, "--limit", "1", "--set", "days=3", "--out", str(out))
    done = labrig(*words, "--agent", where)
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("*.Patient/*/epoch0/trajectory.json")
    assert "waited 3 days" in json.loads(path.read_text())["steps"][-1]["text"]
    path.unlink()
    assert labrig("resume", str(out)).returncode == 0 and path.is_file()
    for named, told in (
        (f"{tmp_path / 'other.py'}:Patient", "no such file"),
        (f"{tmp_path / 'mine.py'}:Patiant", "Patient"),
        (f"{tmp_path / 'mine.py'}:Idle", "accept"),
        (f"{tmp_path / 'mine.py'}:Bare", "cannot be made: TypeError"),
    ):
        refused = labrig(*words, "--agent", named)
        assert refused.returncode == 2 and told in refused.stderr, refused.stderr
    (tmp_path / "bad.py").write_text("1/0\n")
    assert "ZeroDivisionError" in labrig(*words, "--agent", f"{tmp_path / 'bad.py'}:A").stderr
