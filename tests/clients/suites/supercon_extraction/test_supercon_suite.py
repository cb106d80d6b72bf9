"""The suite: the reference over the papers server, faults and cheats, edited items, published rows, tables."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attackers import supercon_extraction as attack
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Unsolvable
from labrig_harness.trajectory import Step, Submission, Trajectory
from labrig_papers.server import toolbox
from labrig_suites.supercon_extraction import items, suite
from labrig_suites.supercon_extraction.arms import ARMS, READERS
from labrig_suites.supercon_extraction.fixtures import FAULTS, FIGURES, entry, fixtures
from labrig_suites.supercon_extraction.grading.names import key
from labrig_suites.supercon_extraction.making.variants import Variant, make_variant
from labrig_suites.supercon_extraction.reading import pages_of, resolved
from labrig_suites.supercon_extraction.targets import FIELDS, field
from support.solved import results_of, served

SEED = "held out"


def scored(sample: Sample, text: str) -> Score:
    submission = Submission(text, 1)
    return suite.score(
        sample,
        Trajectory(
            sample.id, suite.name, "t", "agent-default", 0, 0, (Step(1, "."),), submission, "answered"
        ),
    )


def blind(sample: Sample) -> Sample:
    """Return a sample without its truth."""
    return replace(sample, truth={})


def shifted(text: str) -> str:
    """Return a text whose numbers are others."""
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), text)


async def right_and_by_its_results(sample: Sample, folder: Path) -> None:
    async with served(sample, ARMS[0], folder / sample.id) as client:
        for solve in (suite.solution, suite.another):
            assert solve is not None
            solved = solve(blind(sample), ARMS[0])
            results = await results_of(client, solved)
            answer = solved.answer(results)
            score = scored(sample, answer)
            assert (score.strict, score.compat, score.facts["f1"]) == (1, 1, 1), (sample.labels, score.answer)
            # A value that stands in a figure alone is read by nobody who reads text.
            assert (
                score.facts["figures"] == (sample.labels["level"] == "4") and score.facts["figures_read"] == 0
            )
            assert score.facts["quoted"] == score.facts["said"]
            for place, result in enumerate(results):
                if (
                    results.count(result) == 1
                    and re.search(r"\d\.\d", result)
                    and "\ntables: [" not in result
                ):
                    lines = [line if "[p." in line else shifted(line) for line in result.split("\n")]
                    changed = [*results[:place], "\n".join(lines), *results[place + 1 :]]
                    assert solved.answer(changed) != answer, (place, result[:200])
            with pytest.raises(Unsolvable):
                solved.answer([""] * len(results))


async def test_the_reference_and_a_second_solution_read_papers(tmp_path: Path) -> None:
    kinds: dict[str, Sample] = {}
    for sample in items.generate(SEED, 8):
        kinds.setdefault(sample.labels["kind"], sample)
        kinds.setdefault(sample.labels["variant"], sample)
    for kind in ("supercon-3", "locked"):
        await right_and_by_its_results(kinds[kind], tmp_path)


@pytest.mark.accept
async def test_the_reference_extracts_twenty_papers(tmp_path: Path) -> None:
    for sample in items.generate("twenty", 20):
        await right_and_by_its_results(sample, tmp_path)


@pytest.mark.parametrize(("level", "variant"), [(4, "plain"), (2, "scanned")])
def test_who_reads_all_that_is_printed_has_all(level: int, variant: Variant) -> None:
    """Eyes need no text in the file: quotes are held against what was printed."""
    paper = make_variant("eyes", level, "supercon", variant)
    said = []
    for row in paper.rows:
        place = row.places[0]
        written = entry(row.name, row.material, row.printed, place.page, place.quote, sample_label=row.sample)
        said.append({**written, "location": {**written["location"], "source_type": place.source}})
    score = scored(items.made("eyes", 0, paper, variant), json.dumps({"properties": said}))
    assert (score.strict, score.compat, score.facts["f1"]) == (1, 1, 1)
    assert score.facts["figures_read"] == score.facts["figures"] == (level == 4)


def test_each_result_matters() -> None:
    """A solution finds nothing in results that say nothing, and no arm without the server has one."""
    sample = items.generate(SEED, 1)[0]
    for arm in ARMS:
        if arm.server:
            assert suite.solution(sample, arm).calls
        else:
            with pytest.raises(Unsolvable):
                suite.solution(sample, arm)
    with pytest.raises(Unsolvable):
        suite.solution(replace(sample, labels={**sample.labels, "level": "published"}), ARMS[0])
    with pytest.raises(Unsolvable):
        pages_of(["status: ok\n"])
    assert resolved("Ba(Fe1-xCox)2As2", 0.06) == "Ba(Fe0.94Co0.06)2As2"


def test_every_fault_of_the_paper_costs_something_and_the_page_has_the_table() -> None:
    page = (Path(__file__).parents[4] / "docs" / "suites" / "supercon-grading.md").read_text(encoding="utf-8")
    for fixture in fixtures():
        if fixture.about in {**FAULTS, **FIGURES}:
            row = f"| {fixture.about} | {fixture.strict:.2f} | {fixture.compat:.2f} |"
            assert row in page, row
    costs = {about: strict for about, (_, strict, _) in FAULTS.items() if strict < 1}
    assert (
        len(costs) >= 24
        and sum(compat == 1 for about, (_, _, compat) in FAULTS.items() if about in costs) >= 14
    )


def test_cheap_answers_are_worth_little() -> None:
    marks = attack.measured(items.generate("attacked", 12))
    for name, (proved, _, _, _) in marks.items():
        assert proved < 0.3, name
    assert marks["all numbers in one value"][0] == 0 and marks["all numbers in one value"][2] > 0.4


def test_the_same_seed_gives_the_same_papers_and_lines_are_read_back() -> None:
    first, again = items.generate(SEED, 3), items.generate(SEED, 5)
    assert [each.to_dict() for each in first] == [each.to_dict() for each in again[:3]]
    assert suite.generator is not None
    for sample in first:
        line = json.loads(json.dumps(suite.generator.row(sample)))
        assert suite.generator.task(line).to_dict() == sample.to_dict()
        assert sample.brief.files["paper.pdf"] == sample.brief.attachments[0].blob
        for row in sample.truth["rows"]:
            assert row["value"] not in sample.brief.prompt or len(row["value"]) < 3


def edited(change: Any) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(json.dumps(items.generate(SEED, 1)[0].to_dict()))
    change(line)
    return line


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line["truth"].pop("rows"),
        lambda line: line["truth"]["rows"].clear(),
        lambda line: line["truth"]["rows"].append({"name": 3}),
        lambda line: line["truth"]["rows"][0].update(rule="guess"),
        lambda line: line["truth"].update(pages="one text"),
        lambda line: line.update(suite_version="0"),
        lambda line: line.update(suite="science-gym"),
        lambda line: line.update(truth=None),
        lambda line: line.pop("brief"),
    ],
)
def test_an_edited_line_is_refused_with_a_reason(change: Any) -> None:
    with pytest.raises(LabrigError):
        items.from_row(edited(change))


def published(name: str, value: object, unit: str | None, rubric: str) -> dict[str, object]:
    return {
        "material": "La1.85Sr0.15CuO4",
        "property_name": name,
        "property_value": value,
        "property_unit": unit,
        "rubric": rubric,
    }


ROWS = [
    published("T_c (of this sample) recommended", "36.9", "K", "0.1% SI"),
    published("density (gcm-3)", 6.5, None, "0.1% SI"),
    published("shape", "poly", "", "exact_match"),
    published("space group", "I4/mmm", "", "space_group"),
]
PUBLISHED = {"task": "supercon", "refno": "JP0001", "ground_truth": ROWS}


def test_published_rows_are_scored_with_papers_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "JP0001.pdf").write_bytes(b"%PDF-1.4 not read by a scorer")
    (sample,) = items.adopt([PUBLISHED], {"papers": str(tmp_path)})
    assert Sample.from_dict(sample.to_dict()).truth == sample.truth
    said = [
        {
            "property_name": row["property_name"],
            "material_or_system": row["material"],
            "value_string": f"{row['property_value']} {row['property_unit'] or ''}".strip(),
        }
        for row in ROWS
    ]
    said[1]["value_string"] = "6.5 g/cm^3"
    score = scored(sample, json.dumps({"properties": said}))
    assert (score.strict, score.compat, score.facts["evidence"]) == (1, 1, "unknown")
    said[2]["value_string"] = "p"
    score = scored(sample, json.dumps({"properties": said}))
    assert (score.strict, score.compat) == (0.75, 1)
    others = (
        {"refno": "../JP0001"},
        {"refno": "other"},
        {"ground_truth": []},
        {"ground_truth": [{"material": "x"}]},
        {"ground_truth": [7]},
    )
    for bad in ({**PUBLISHED, **other} for other in others):
        with pytest.raises(LabrigError):
            items.adopt([bad], {"papers": str(tmp_path)})
    with pytest.raises(LabrigError):
        items.adopt([PUBLISHED], {})


def test_names_of_a_field_are_told_apart() -> None:
    for name in FIELDS:
        names = [each for target in field(name).targets for each in {*map(key, (target.name, *target.also))}]
        assert len(names) == len(set(names)), "a name means two properties"


def test_arms_have_the_tools_they_name_and_the_tables_their_denominators() -> None:
    offered = {tool.name for tool in toolbox.select(ServeOptions())}
    assert set(READERS) <= offered and "find_quantities" in offered - set(READERS)
    samples = [each.sample for each in fixtures()][:1]
    scores: Sequence[Score] = [suite.score(each.sample, each.trajectory) for each in fixtures()]
    assert suite.paper_tables is not None
    found = {
        table.title: table for table in (*suite.tables(samples, scores), *suite.paper_tables(samples, scores))
    }
    (row,) = found["Extraction"].rows
    (reliable,) = found["Figure 5. Reliability"].rows
    failed = sum(not score.facts["read"] or not score.facts["said"] for score in scores)
    assert row[2] == len(scores) and reliable[4] == len(scores) - failed
    mean = sum(score.compat for score in scores) / len(scores)
    assert found["Table 1. Property-material match and F1"].rows[0][3].startswith(f"{mean:.2f} ± ")
    assert found["Tables 3 and 4, Figures 3 and 10. F1, cost and tokens of a paper"].rows[0][5] == 0
