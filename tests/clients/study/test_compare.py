"""`labrig compare` on folders that the installed suite scores: what pairs, what it says, what it refuses."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_cli import compare as verb
from labrig_harness import suites
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import plans
from labrig_harness.sample import Sample
from labrig_study.report.words import findings
from labrig_study.statistics.arms import ItemRecord
from labrig_study.statistics.comparison import Comparison, compare
from support.report_rig import Rig, modelled, real_task

ARM = "agent-toc"
BASE, OTHER = f"{ARM}.loop+atlas-mini", f"{ARM}.loop+atlas-9"
Labrig = Callable[..., str]


def write(out: Path, tasks: list[Sample], *agents: str, epochs: int = 1) -> Path:
    """Write runs of agents and return the folder."""
    rig = Rig(out, tasks)
    for agent in agents:
        for sample in tasks:
            for epoch in range(epochs):
                modelled(rig, sample, ARM, agent, epoch, lines=3)
    return rig.finish()


@pytest.fixture(scope="module")
def tasks() -> list[Sample]:
    version = suites.load("phreeqc-basics").version
    return [real_task(number, version) for number in range(60)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, tasks: list[Sample]) -> Path:
    out = write(tmp_path_factory.mktemp("runs"), tasks, "loop+atlas-mini", "loop+atlas-9", epochs=2)
    assert score_folder(out).whole
    return out


@pytest.fixture
def labrig(capsys: pytest.CaptureFixture[str]) -> Labrig:
    """Run ``labrig compare`` and return what it prints; a LabrigError is raised."""
    parser = argparse.ArgumentParser()
    verb.add(parser.add_subparsers())

    def run(*words: str | Path) -> str:
        arguments = parser.parse_args(["compare", *map(str, words)])
        assert arguments.run(arguments) == 0
        return capsys.readouterr().out

    return run


def expected(out: Path, score: str, seed: int = 0) -> Comparison:
    """The comparison, computed from the scores without any of the command's code."""
    scored = score_folder(out)

    def side(label: str) -> list[ItemRecord]:
        return [
            ItemRecord(
                each.task,
                scored.tasks[each.task].labels["stem"],
                each.epoch,
                getattr(each.score, score),
                each.committed,
                each.tokens.total,
                each.steps,
            )
            for each in scored.records
            if each.folder.parent.parent.name == label
        ]

    return compare(side(BASE), side(OTHER), guess=0.25, seed=seed)


@pytest.mark.accept
@pytest.mark.parametrize("score", ["strict", "compat"])
def test_everything_of_the_comparison_is_printed_as_json(runs: Path, labrig: Labrig, score: str) -> None:
    found = json.loads(labrig(runs, BASE, OTHER, "--json", "--score", score, "--seed", "3"))
    want = expected(runs, score, 3)
    assert (found["run_a"], found["run_b"], found["score"], found["seed"]) == (BASE, OTHER, score, 3)
    assert want.paired is not None and found["paired"]["n"] == want.paired.n == 60
    assert found["paired"]["difference"]["interval"] == list(want.paired.difference.interval or ())
    assert found["paired"]["permutation"]["p"] == want.paired.permutation.p
    assert found["a"]["rerun_null"]["retention"]["value"] == pytest.approx(
        want.a.rerun_null.retention.value if want.a.rerun_null and want.a.rerun_null.retention else None
    )
    assert found["notes"] == list(want.notes)


def test_it_says_in_words_what_the_numbers_say(runs: Path, labrig: Labrig) -> None:
    text = labrig(runs, BASE, OTHER)
    pair = expected(runs, "strict").paired
    assert pair is not None and pair.retention and pair.gain_rate
    flat = " ".join(text.replace("\u00a0", " ").split())
    for words in (
        f"{100 * pair.accuracy_a:.1f} % → {100 * pair.accuracy_b:.1f} %",
        f"Kept {pair.movement.kept} ",
        f"Lost {pair.movement.lost} ",
        f"Retention is {100 * pair.retention.value:.1f} %, and the gain rate {100 * pair.gain_rate.value:.1f} %",
        "Between reruns of A itself",
        "Odds ratio",
        "Guess-corrected retention",
        "McNemar p",
        "Design effect",
        *pair.movement.__dict__,
    ):
        assert words.lower() in flat.lower(), words


def test_the_paper_s_retention_cannot_be_told_from_its_gain_rate() -> None:
    """GPT-5.4 of Table 2 was right on 54 of 200 items, of which 35 were kept; 110 were gained."""
    counts = {(1, 1): 35, (0, 1): 110, (1, 0): 19, (0, 0): 36}
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    a, b = (
        [ItemRecord(f"q{n:03}", None, 0, float(pair[side])) for n, pair in enumerate(pairs)]
        for side in (0, 1)
    )
    _, retention = findings(compare(a, b, resamples=2000))
    assert "64.8" in retention and "75.3" in retention and "cannot be told apart" in retention


@pytest.mark.accept
def test_two_folders_pair_by_id_and_text(
    runs: Path, tasks: list[Sample], tmp_path: Path, labrig: Labrig
) -> None:
    other = [
        replace(sample, brief=replace(sample.brief, prompt=sample.brief.prompt + " Now."))
        if n < 4
        else sample
        for n, sample in enumerate(tasks[:40])
    ]
    there = write(tmp_path / "there", other, "loop+atlas-9")
    found = json.loads(labrig(runs, there, "--run-a", BASE, "--json"))
    assert found["paired"]["n"] == 36 and found["a"]["n"] == 60 and found["b"]["n"] == 40
    assert "4 samples have the same id and another text" in found["pairing_notes"][0]
    assert labrig(runs, there, "--run-a", BASE).count("another text") >= 1
    same = json.loads(labrig(runs, OTHER, OTHER, "--json"))
    assert same["paired"]["difference"]["value"] == 0 and "same run" in same["pairing_notes"][0]


def test_what_cannot_be_compared_is_said_in_a_line(
    runs: Path, tasks: list[Sample], tmp_path: Path, labrig: Labrig
) -> None:
    version = tasks[0].suite_version
    others = write(tmp_path / "others", [real_task(n, version) for n in range(100, 104)], "loop+atlas-9")
    with pytest.raises(LabrigError, match="Nothing pairs: of 60 samples"):
        labrig(runs, others, "--run-a", BASE)
    with pytest.raises(LabrigError, match="2 runs") as several:
        labrig(runs, others)
    assert BASE in several.value.expected
    with pytest.raises(LabrigError) as near:
        labrig(runs, BASE, OTHER + "x")
    assert OTHER in str(near.value)
    with pytest.raises(LabrigError, match="not a second output folder"):
        labrig(runs, BASE)
    with pytest.raises(LabrigError, match="two folders"):
        labrig(runs, BASE, OTHER, "--run-a", BASE)
    with pytest.raises(LabrigError, match="at least 0"):
        labrig(runs, BASE, OTHER, "--seed", "-1")
    with pytest.raises(LabrigError, match="not an output folder"):
        labrig(tmp_path, others)


def test_a_run_that_is_not_whole_is_said(runs: Path, tmp_path: Path, labrig: Labrig) -> None:
    out = tmp_path / "copy"
    shutil.copytree(runs, out)
    shutil.rmtree(sorted((out / OTHER).glob("*/epoch1"))[0])
    (sorted((out / BASE).glob("*/epoch0"))[3] / "trajectory.json").write_text("{")
    notes = json.loads(labrig(out, BASE, OTHER, "--json"))["pairing_notes"]
    assert any(note.startswith("A is not whole") for note in notes)
    assert any(note.startswith("B is not whole") for note in notes)


def test_records_of_an_earlier_wording_are_scored_and_are_not_those_of_this_one(
    runs: Path, tasks: list[Sample], tmp_path: Path, labrig: Labrig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that differs in wording alone: the same scores, under its own name; a run of it does not go on."""
    there = write(
        tmp_path / "there", [replace(sample, suite_version="0") for sample in tasks[:8]], "loop+atlas-9"
    )
    with pytest.raises(LabrigError, match="records are of phreeqc-basics 0"):
        score_folder(there)
    suite = replace(suites.load("phreeqc-basics"), earlier=("0",))
    monkeypatch.setattr(suites, "load", lambda name: suite)
    scored = score_folder(there)
    assert scored.suite.version == "0" and len(scored.records) == 8
    lines = [json.loads(line) for line in (there / "scores.jsonl").read_text("utf-8").splitlines()]
    same = write(tmp_path / "same", tasks[:8], "loop+atlas-9")
    score_folder(same)
    plain = [json.loads(line) for line in (same / "scores.jsonl").read_text("utf-8").splitlines()]
    assert {line["suite_version"] for line in lines} == {"0"}
    assert [{**line, "suite_version": suite.version} for line in lines] == plain
    said = json.loads(labrig(runs, there, "--run-a", OTHER, "--json"))["pairing_notes"]
    assert any(f"phreeqc-basics {suite.version} " in note and "phreeqc-basics 0 " in note for note in said)
    with pytest.raises(LabrigError, match="runs are of phreeqc-basics 0"):
        plans(there, [OTHER])
