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
        "[labrig.agents]\npatient = my_lab:Patient\nidle = my_lab:Idle\nlost = my_other:Lost\n"
        "loop = my_lab:Patient\n"
    )
    (tmp_path / "my_lab.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    entries.cache_clear()
    yield
    entries.cache_clear()


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
