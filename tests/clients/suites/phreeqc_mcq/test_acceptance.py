"""phreeqc-mcq, the whole way: a set over all stems, twice; reference, nop and random; each result that is corrupted."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from fastmcp import Client

from clients.suites.phreeqc_mcq.test_items import corrupted
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_cli import main
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm
from labrig_phreeqc.server import toolbox
from labrig_suites.phreeqc_mcq import items
from labrig_suites.phreeqc_mcq.solution import solution
from labrig_suites.phreeqc_mcq.stems import STEMS
from support.late import late
from support.solved import answer_of

scipy_stats = late("scipy.stats")

pytestmark = [pytest.mark.accept, pytest.mark.timeout(1800)]

COUNT = int(os.environ.get("LABRIG_MCQ_ITEMS", "64"))
"""Items of the set; 64 have every stem. With 200 it is the suite's own measure, and takes about 20 minutes."""


@pytest.fixture(scope="module")
def file(databases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mcq") / "items.jsonl"
    assert (
        main(["generate", "phreeqc-mcq", "--seed", "acceptance", "--n", str(COUNT), "--out", str(path)]) == 0
    )
    return path


@pytest.fixture(scope="module")
def made(file: Path) -> list[Sample]:
    return [items.from_row(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_set_has_every_stem_and_the_sizes_of_the_paper(made: list[Sample]) -> None:
    assert {sample.labels["stem"] for sample in made} == {stem.name for stem in STEMS}
    sizes = [sample.truth["output_chars"] for sample in made]
    assert 0.15 <= sum(size > 250_000 for size in sizes) / len(sizes) <= 0.25
    assert not any(100_000 < size <= 250_000 for size in sizes)
    letters = Counter(sample.truth["answer"] for sample in made)
    assert max(letters.values()) - min(letters.values()) <= 1


def test_the_same_seed_gives_the_same_bytes(file: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    make = ["generate", "phreeqc-mcq", "--seed", "acceptance", "--n", str(COUNT), "--out", str(again)]
    assert main(make) == 0
    assert again.read_bytes() == file.read_bytes()


def test_reference_nop_and_random_over_mcp(
    file: Path, private_home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for agent in ("reference", "nop", "random"):
        run = ["run", "phreeqc-mcq", "--tasks", str(file), "--agent", agent, "--out", str(out), "--jobs", "2"]
        assert main(run) == 0
    capfd.readouterr()
    assert main(["score", str(out), "--json"]) == 0
    scores = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    right = {
        agent: [each["compat"] for each in scores if each["agent"] == agent]
        for agent in ("reference", "nop", "random")
    }
    missed = [each["task"] for each in scores if each["agent"] == "reference" and each["strict"] < 1]
    assert not missed
    assert {len(each) for each in right.values()} == {COUNT} and sum(right["nop"]) == 0
    low, high = scipy_stats.binom.interval(0.999, COUNT, 0.25)
    assert low <= sum(right["random"]) <= high
    assert all(each["facts"]["break"] == "" for each in scores if each["agent"] == "reference")


async def test_every_answer_hangs_on_what_was_read(
    made: list[Sample], private_home: Path, tmp_path: Path
) -> None:
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "w")
    arm = Arm("agent", "phreeqc", options)
    async with Client(build(toolbox, options)) as client:
        for sample in made:
            solved = solution(sample, arm)
            for at in (1, 2):
                assert await answer_of(client, solved, corrupted, at) != sample.truth["answer"], (
                    sample.labels["stem"],
                    at,
                )


@pytest.mark.parametrize("protocol", ["toc:50", "outline", "raw:100000", "raw:500000"])
async def test_long_outputs_are_read_under_every_protocol(
    made: list[Sample], private_home: Path, tmp_path: Path, protocol: str
) -> None:
    options = ServeOptions(toolsets=("paper",), output=protocol, workspace=tmp_path / "w")
    arm = Arm("agent", "phreeqc", options)
    large = {sample.labels["stem"]: sample for sample in made if sample.truth["output_chars"] > 250_000}
    async with Client(build(toolbox, options)) as client:
        for sample in large.values():
            solved = solution(sample, arm)
            assert await answer_of(client, solved) == sample.truth["answer"], sample.labels["stem"]
            assert len(solved.calls) < 24
    assert len(large) == sum(stem.large for stem in STEMS)


def test_corruption_changes_digits_and_counts() -> None:
    assert corrupted("pH 7.05\n a 1\n b 9\n") == "pH 0.38\n a 4\n"
