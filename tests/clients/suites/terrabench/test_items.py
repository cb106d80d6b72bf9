"""Items of ours: linted, the same from the same seed, played over MCP by two solutions and by agents with faults."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from attackers.terrabench import rates
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness import blobs
from labrig_harness.sample import Sample
from labrig_harness.suite import Unsolvable
from labrig_suites.terrabench import items, suite
from labrig_suites.terrabench.lint import lint, lint_set
from labrig_suites.terrabench.making.assembling import ENGINES, PER_TRACK, make_item
from labrig_suites.terrabench.making.domains import domains
from labrig_suites.terrabench.making.world import world
from labrig_suites.terrabench.reckoning import places, reckoned
from labrig_suites.terrabench.truth import DOMAINS, LEVELS, TRACKS
from support.crops import needs_crops
from support.recomputed import recomputed
from support.terrabench_faults import faulty, reference
from support.terrabench_runs import TERRA, full_marks, play, results_of, with_changed

PROCESS = ("InstAcc", "ToolCallSuccessRate", "ToolAcc", "CategoryF1", "ArgAcc", "OrderScore")
NEEDED = {
    "Agriculture": ("crops",),
    "Water resources": ("crops",),
    "Emergency response": ("sumo",),
    "Infrastructure": ("energyplus",),
    "Hurricane / cyclone": ("climada",),
}
"""What items of the track Simulator-Grounded need, by domain; others nothing."""


def test_items_of_every_domain_and_level_are_in_order_and_come_back_from_their_lines() -> None:
    whole = items.generate("lines", 32)
    samples = whole[::3]
    assert {each.labels["domain"] for each in samples} == set(DOMAINS)
    assert {each.labels["level"] for each in samples} == set(LEVELS)
    for sample in samples:
        assert lint(sample) == [], sample.labels
        assert items.from_row(json.loads(json.dumps(sample.to_dict()))) == sample
        solution = suite.solution(sample, TERRA)
        with pytest.raises(Unsolvable):
            solution.answer([""] * len(solution.calls))
        assert set(sample.truth["tolerances"]) == {row["key"] for row in sample.truth["fields"]}
    assert items.generate("lines", 2)[1] == whole[1]


def test_what_is_no_item_is_refused_and_a_published_one_is_adopted() -> None:
    row = {
        "number_ground_truth": [{"key": "days", "value": 12, "abs_tol": 1, "rel_tol": 0, "floor_scale": 0}],
        "question_input": {"item_id": "Q1", "question": "How many days?", "track": "Fundamentals"},
        "Main_trace": {"steps": [{"type": "tool", "name": "fetch_era5", "arguments": {"variable": "t2m"}}]},
    }
    (sample,) = items.adopt([row], {})
    assert (sample.id, sample.labels["kind"]) == ("Q1", "published")
    assert items.from_row(json.loads(json.dumps(sample.to_dict()))) == sample
    with pytest.raises(Unsolvable, match="published"):
        suite.solution(sample, TERRA)
    for bad in ({}, {"number_ground_truth": "12"}, {"number_ground_truth": [{"key": "days"}]}):
        with pytest.raises(LabrigError, match="row 0"):
            items.adopt([bad], {})
    for count in (0, -1):
        with pytest.raises(LabrigError, match="at least one"):
            items.generate("x", count)
    for fields in ({}, {**sample.to_dict(), "suite_version": "0"}, {**sample.to_dict(), "truth": {}}):
        with pytest.raises(LabrigError):
            items.from_row(fields)


@pytest.mark.accept
def test_the_same_seed_gives_the_same_bytes_and_sets_are_long_enough_for_the_linter() -> None:
    first = [json.dumps(each.to_dict(), sort_keys=True) for each in items.generate("bytes", 3)]
    world.cache_clear()
    assert [json.dumps(each.to_dict(), sort_keys=True) for each in items.generate("bytes", 3)] == first
    samples = items.generate("lines", 32)
    assert lint_set(samples) == []
    for name, row in rates(samples).items():
        assert row["Hit@tol"] < 0.05, name
        assert (row["ToolUseScore"] > 0.5) == (name == "tool names"), name


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_the_reference_has_full_marks_over_mcp_and_an_answer_that_hangs_on_its_results() -> None:
    for sample in items.generate("played", 32)[::6]:  # and four more by the second solution, in test_fixtures
        full_marks(sample)


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", [35, 57])
def test_items_of_an_engine_have_full_marks_over_mcp(number: int) -> None:
    needs_crops()
    sample = make_item("engines", number, f"engine-{number}")
    assert lint(sample) == [] and sample.labels["track"] == TRACKS[1]
    assert sample.needs == NEEDED.get(sample.labels["domain"], ())
    full_marks(sample)
    assert suite.preset("no-crops").items([sample]) == ([] if sample.needs else [sample])


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_items_with_a_document_have_full_marks_where_it_can_be_read_and_copying_it_is_worth_nothing() -> None:
    for number in (66, 74):
        sample = make_item("documents", number, f"document-{number}")
        assert lint(sample) == [] and sample.labels["track"] == TRACKS[2]
        full_marks(sample, suite.arm("agent-documents"))
        with pytest.raises(Unsolvable, match="papers"):
            suite.solution(sample, TERRA)
        copied = suite.score(sample, faulty(sample, "answer from the document"))
        assert copied.strict < 1 and copied.facts["document"][0] == 5
    assert sample.labels["verification"] != "exact" and copied.facts["document"][1] == 5


@pytest.mark.accept
def test_a_harvest_says_which_of_several_pasts_it_was_and_shorter_ways_are_accepted() -> None:
    needs_crops()
    sample = make_item("pasts", 59, "pasts")
    long, short = sample.truth["paths"]
    assert (sample.labels["level"], len(long) - len(short)) == ("3", 2)
    run = reference(replace(sample, truth={**sample.truth, "paths": [short]}))
    score = suite.score(sample, run)
    assert score.facts["metrics"]["ToolUseScore"] == score.strict == 1
    assert reckoned({"do": "nearest", "with": [2.2, 1.0, 2.0, 3.0, 10.0, 20.0, 30.0]}, []) == 20.0


@pytest.mark.accept
def test_a_corrupted_result_changes_the_answer_in_the_arm_that_switches_groups_on() -> None:
    arm = suite.arm("agent-activation")
    sample = items.generate("switched", 1)[0]
    run, score = play(sample, arm)
    assert score.strict == 1 and run.calls[0].tool == "reset_equipped_tools"
    formulas = sample.truth["formulas"]
    used = sorted(set().union(*(places(each) for each in formulas.values())))
    results = results_of(sample, arm)
    answer = suite.solution(sample, arm).answer(results)
    assert len(used) > 6
    for place in used:
        assert suite.solution(sample, arm).answer(with_changed(results, place + 1)) != answer, place


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(
            ("wrong-window", "swapped-box", "proxy", "unknown-tools", "stopped"), marks=pytest.mark.accept
        ),
        pytest.param(
            ("wrong-tool", "wrong-order", "wrong-unit", "no-sidecar", "own-tolerance", "extra-key"),
            marks=pytest.mark.soak,
        ),
    ],
)
def test_agents_with_one_fault_move_the_metric_that_names_it(kinds: Sequence[str]) -> None:
    sample = items.generate("faults", 1)[0]
    scores = {kind: play(sample, kind=kind)[1] for kind in kinds}
    moved = {
        kind: {name for name, value in each.facts["metrics"].items() if value < 1}
        for kind, each in scores.items()
    }
    named = {
        "wrong-tool": "ToolAcc", "wrong-order": "OrderScore", "wrong-window": "ArgAcc", "swapped-box": "ArgAcc",
        "proxy": "ToolAcc", "unknown-tools": "InstAcc", "stopped": "ToolAcc",
    }  # fmt: skip
    for kind, score in scores.items():
        if kind in named:
            assert named[kind] in moved[kind], (kind, moved[kind])
        else:
            assert not moved[kind] & set(PROCESS) and score.strict == 0, (kind, moved[kind])
        assert (score.strict == 1) == (kind == "unknown-tools"), kind
    if "wrong-window" in scores:
        assert 0 < scores["wrong-window"].strict < 1


def test_worlds_of_one_item_are_not_those_of_another() -> None:
    """No file of fields is shared: what one item tells does not answer another."""
    samples: Sequence[Sample] = items.generate("lines", 4)
    hashes = [sha256(str(each.brief.files["data/hindcast.nc"])) for each in samples]
    assert len(set(hashes)) == len(hashes)


@pytest.mark.accept
def test_no_day_of_an_exposure_has_a_risk_that_a_response_refuses() -> None:
    """Of a very bad day the drawn slope made exp(5.3), and the tool takes up to exp(5)."""
    files = make_item("soak", 9, "soak-9").brief.files
    texts = {name: each if isinstance(each, str) else each.read().decode() for name, each in files.items() if name in (
        "data/response.json", "data/exposure.csv")}  # fmt: skip
    spec = json.loads(texts["data/response.json"])
    days = [float(line.rsplit(",", 1)[1]) for line in texts["data/exposure.csv"].splitlines()[1:]]
    assert max(days) > 150
    assert spec["beta_ci"][1] * (max(days) - spec["reference_exposure"]) < 4.01


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_truths_of_44_items_are_found_again_in_their_files_by_nothing_of_labrig(tmp_path: Path) -> None:
    """Of all tracks, domains and levels; those with a simulator on the way are played by the tests of their engine."""
    fundamentals, documents = range(0, PER_TRACK, 2), range(2 * PER_TRACK + 1, 3 * PER_TRACK, 2)
    simulated = [each for each in range(PER_TRACK, 2 * PER_TRACK) if domains()[each % 8].name not in ENGINES]
    asked = found = 0
    seen: set[tuple[str, str]] = set()
    for number in (*fundamentals, *simulated, *documents):
        sample = make_item("again", number, f"again-{number}")
        folder = tmp_path / str(number)
        folder.mkdir()
        blobs.place(sample.brief.files, folder)
        again = recomputed(sample.brief.prompt, folder)
        seen.add((sample.labels["track"], sample.labels["level"]))
        for row in sample.truth["fields"]:
            asked += 1
            if row["key"] in again:
                found += 1
                near = row["abs_tol"] + row["rel_tol"] * abs(row["value"])
                assert again[row["key"]] == pytest.approx(row["value"], abs=near), (number, row["key"])
    assert len(seen) == len(TRACKS) * len(LEVELS)
    assert found / asked > 0.55, f"{found} of {asked} numbers are known a second time"
