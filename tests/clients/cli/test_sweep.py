"""A sweep: each agent with each model, arm and seed, in one folder, on the same samples, and gone on with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from labrig_harness.records import outfolder
from labrig_harness.records.scoring import score_folder
from support.command import labrig

SWEEP = """
[sweep]
suite = "phreeqc-basics"
limit = 2
jobs = 1
out = "{out}"

[[sweep.agents]]
agent = "random"
arm = ["agent-toc", "direct"]
seed = [0, 1]

[[sweep.agents]]
agent = ["nop"]
arm = "direct"
name = "silent"
epochs = 2
"""


@pytest.mark.accept
def test_each_with_each_in_one_folder_and_gone_on_with(databases: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "sweep.toml", tmp_path / "out"
    path.write_text(SWEEP.format(out=out))
    assert "random-seed1" in labrig("run", str(path), "--dry-run").stdout and not out.exists()
    done = labrig("run", str(path))
    assert done.returncode == 0, done.stderr
    labels = [f"{arm}.random-seed{seed}" for arm in ("agent-toc", "direct") for seed in (0, 1)]
    assert outfolder.labels(out) == sorted([*labels, "direct.silent"])
    assert len(outfolder.read_tasks(out)) == 2, "all are asked the same"
    runs = {label: outfolder.read_run(out, label) for label in outfolder.labels(out)}
    assert [runs[label]["seed"] for label in labels] == [0, 1, 0, 1]
    assert runs["direct.silent"]["epochs"] == 2 and runs["direct.silent"]["agent"]["kind"] == "nop"
    assert len(score_folder(out).records) == 4 * 2 + 4
    gone = next((out / "direct.random-seed1").glob("*/epoch0"))
    kept = {
        each: each.stat().st_mtime_ns
        for each in out.glob("*/*/epoch*/trajectory.json")
        if gone not in each.parents
    }
    shutil.rmtree(gone)
    assert labrig("run", str(path)).returncode == 0
    assert (gone / "trajectory.json").is_file()
    assert {each: each.stat().st_mtime_ns for each in kept} == kept, "what is there is not made again"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('suite = "toy"\nagnt = "nop"', "agent"),
        ('suite = "toy"\nagent = "nop"\nlimit = [1, 2]', "limit takes one value"),
        ('agent = "nop"', "names its suite"),
        ('suite = "phreeqc-basics"\nagent = ["nop", "nop"]\nlimit = 1', "Two runs are called"),
        ('suite = "phreeqc-basics"\nlimit = 1', "needs --agent"),
        ('suite = "phreeqc-basics"\nagent = "nop"\nagents = 3', "no list of tables"),
    ],
)
def test_what_no_sweep_can_be_is_said(said: str, told: str, databases: Path, tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(f"[sweep]\n{said}\n")
    done = labrig("run", str(path), "--out", str(tmp_path / "out"))
    assert done.returncode == 2 and told in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_sweep_of_a_file_of_questions(tmp_path: Path) -> None:
    """Flags of the command line stand for what the file does not say; its repeats hold for every run."""
    questions = tmp_path / "questions.toml"
    questions.write_text(
        'repeats = 2\n[[question]]\nid = "a"\nquestion = "How many?"\nkind = "number"\nanswer = 7\ntolerance = 0\n'
    )
    path = tmp_path / "sweep.toml"
    path.write_text(f'[sweep]\nsuite = "{questions}"\nagent = ["nop", "random"]\n')
    done = labrig("run", str(path), "--out", str(tmp_path / "out"), "--name", "")
    assert done.returncode == 0, done.stderr
    runs = [json.loads(each.read_text()) for each in sorted((tmp_path / "out").glob("*/run.json"))]
    assert [(each["agent"]["kind"], each["epochs"]) for each in runs] == [("nop", 2), ("random", 2)]
