"""Items that need an engine: refused where it is missing, or left out by a preset that every table names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labrig_harness import blobs
from labrig_harness.records.chosen import said_of
from labrig_suites.terrabench import items, suite
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.truth import DOMAINS, LEVELS, TRACKS
from support.command import labrig

STORMS = 39
"""An item that runs CLIMADA; its truth is made without it."""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("items") / "items.jsonl"
    samples = [make_item("presets", number, f"presets-{number}") for number in (0, STORMS)]
    for each in samples:
        blobs.keep(each.blobs, file.parent)
    file.write_text("".join(json.dumps(each.to_dict()) + "\n" for each in samples))
    return file


def run(tasks: Path, out: Path, *more: str, **environment: str) -> str:
    words = (
        "run",
        "terrabench",
        "--tasks",
        str(tasks),
        "--agent",
        "nop",
        "--arm",
        "direct",
        "--out",
        str(out),
    )
    done = labrig(*words, *more, **environment)
    return done.stderr if done.returncode else ""


def titles(out: Path) -> list[str]:
    """Return the titles of the paper's tables, and of those printed with the scores: three lines above a rule."""
    paper = json.loads(labrig("tables", str(out), "--format", "json").stdout)
    lines = labrig("score", str(out), COLUMNS="200").stdout.splitlines()
    printed = [lines[at - 3].strip() for at, line in enumerate(lines) if line.strip().startswith("──")]
    assert len(paper) > 15 and len(printed) > 6
    return [*(each["title"] for each in paper), *printed]


@pytest.mark.accept
def test_a_run_that_lacks_the_engine_is_refused_or_leaves_the_items_out_and_every_table_says_so(
    tasks: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    refused = run(tasks, tmp_path / "refused", LABRIG_HOME=str(home))
    assert "labrig setup climada" in refused and not list((tmp_path / "refused").glob("*/presets-*"))
    assert run(tasks, tmp_path / "out", "--preset", "no-climada", LABRIG_HOME=str(home)) == ""
    said = titles(tmp_path / "out")
    assert all(each.endswith("(preset no-climada, 1 item left out)") for each in said), said
    labrig("report", str(tmp_path / "out"), "-o", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    assert "are of a part of the set: preset no-climada, 1 item left out." in page
    assert run(tasks, tmp_path / "out", "--limit", "1", "--epochs", "2", LABRIG_HOME=str(home)) == ""
    assert titles(tmp_path / "out")[0].endswith(
        "(preset no-climada, 1 item left out)"
    )  # also when it goes on
    assert run(tasks, tmp_path / "more", "--preset", "level-0", LABRIG_HOME=str(home)).count("climada") > 0


@pytest.mark.accept
def test_tables_of_a_run_without_a_preset_name_none(tasks: Path, tmp_path: Path) -> None:
    assert run(tasks, tmp_path / "out", "--limit", "1") == ""
    assert not [each for each in titles(tmp_path / "out") if "preset" in each]
    assert "preset" not in json.loads((tmp_path / "out" / "direct.nop" / "run.json").read_text())


def test_of_several_runs_those_with_a_preset_are_named() -> None:
    assert said_of({"a": "preset p, 2 items left out", "b": ""}) == "a: preset p, 2 items left out"
    assert said_of({"a": "", "b": ""}) == said_of({}) == ""


@pytest.mark.accept
def test_a_preset_of_a_track_makes_the_items_of_that_track_alone() -> None:
    """The set of a seed is Fundamentals, which needs no engine; its numbers go on with the other tracks."""
    preset = suite.preset("document-grounded-verification")
    assert preset.tasks is not None
    (sample,) = preset.items(preset.tasks(7, 1))
    assert sample.labels["track"] == TRACKS[2]
    assert sample == items.item("7", 2 * len(DOMAINS) * len(LEVELS))
    assert suite.preset("fundamentals").tasks(7, 1) == items.generate("7", 1)  # type: ignore[misc]
