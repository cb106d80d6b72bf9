"""The suite: two solutions over the papers server, abstention, names alone, edited lines and published rows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from attackers import precedent_search as attack
from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Unsolvable
from labrig_harness.trajectory import Step, Submission, Trajectory
from labrig_papers.server import toolbox
from labrig_suites.precedent_search import items, suite
from labrig_suites.precedent_search.another import composition
from labrig_suites.precedent_search.arms import ARMS
from labrig_suites.precedent_search.fixtures import CASES, fixtures, said
from labrig_suites.precedent_search.making.stories import DEALT
from labrig_suites.precedent_search.payload import CLAIMS
from support.solved import results_of, served

SEED, FEW = "held out", len(DEALT)


@cache
def few() -> list[Sample]:
    """Return a sample of each kind of story."""
    return items.generate(SEED, FEW)


def scored(sample: Sample, text: str | None, epoch: int = 0) -> Score:
    submission = Submission(text, 1) if text is not None else None
    steps = (Step(1, "."),)
    return suite.score(
        sample, Trajectory(sample.id, suite.name, "t", ARMS[0].name, epoch, 0, steps, submission, "answered")
    )


def shifted(text: str) -> str:
    """Return a text whose temperatures are others."""
    return re.sub(
        r'(?<="kelvin": )[\d.]+|[\d.]+(?=(?:\(\d\))?\s+K\b)',
        lambda found: f"{float(found[0]) * 1.5 + 1:.3f}",
        text,
    )


async def all_right(samples: Sequence[Sample], folder: Path) -> None:
    async with served(samples[0], ARMS[0], folder) as client:
        for sample in samples:
            for solve in (suite.solution, suite.another):
                assert solve is not None
                solved = solve(replace(sample, truth={}), ARMS[0])
                results = await results_of(client, solved)
                answer = solved.answer(results)
                score = scored(sample, answer)
                assert (score.strict, score.compat) == (1, 1), (sample.labels, answer, sample.truth)
                if sample.truth["answer"] != "Unknown":
                    changed = solved.answer([shifted(result) for result in results])
                    assert changed != answer and scored(sample, changed).strict < 1
                with pytest.raises(Unsolvable):
                    solved.answer([""] * len(solved.calls))


async def test_two_solutions_find_what_is_reported(tmp_path: Path) -> None:
    by_kind = {sample.labels["kind"]: sample for sample in few()}
    assert set(by_kind) == set(DEALT)
    kinds = ("criteria", "renamed", "cited", "beside", "absent")
    await all_right([by_kind[kind] for kind in kinds], tmp_path / "w")


@pytest.mark.accept
async def test_the_reference_scores_two_on_sixty_materials(tmp_path: Path) -> None:
    samples = suite.tasks(seed=7)
    assert len(samples) == 60
    await all_right(samples, tmp_path / "w")


async def test_a_changed_state_changes_the_answer(tmp_path: Path) -> None:
    sample = next(each for each in few() if each.labels["kind"] == "tested")
    async with served(sample, ARMS[0], tmp_path / "w") as client:
        solved = suite.solution(sample, ARMS[0])
        results = await results_of(client, solved)
    turned = [result.replace("state = not superconducting", "state = unknown") for result in results]
    assert scored(sample, solved.answer(turned)).facts["category"] == "not attempted"


def test_who_never_abstains_and_who_always_does_are_told_apart() -> None:
    samples = few()
    agents = {
        "never": lambda sample: said("Yes", "9.2"),
        "always": lambda sample: said("Unknown"),
        "silent": lambda sample: None,
    }
    scores = [
        replace(scored(sample, of(sample)), agent=name) for name, of in agents.items() for sample in samples
    ]
    told = {table.title: table for table in suite.tables(samples, scores)}
    rows = {row[1]: dict(zip(told["Outcomes"].columns, row, strict=True)) for row in told["Outcomes"].rows}
    assert (rows["never"]["coverage %"], rows["never"]["not attempted %"], rows["never"]["incorrect %"]) == (
        100,
        0,
        60,
    )
    assert (
        rows["always"]["coverage %"],
        rows["always"]["not attempted %"],
        rows["always"]["incorrect %"],
    ) == (0, 80, 0)
    assert rows["silent"]["failed %"] == 100 and rows["silent"]["coverage %"] is None
    assert rows["never"]["score (strict)"] == rows["always"]["score (strict)"] == 0.4
    by_class = {row[1:3]: row[4:] for row in told["What was said of each class"].rows}
    assert by_class["always", "Unknown"] == (0, 0, 100, 0) and by_class["never", "Unknown"] == (100, 0, 0, 0)


def test_the_name_alone_is_worth_no_more_than_the_most_frequent_class() -> None:
    known = attack.classes("attacked", attack.MATERIALS)
    marks = attack.measured(known)
    balance = max(marks[f"always {claim}"] for claim in CLAIMS)
    chance = 3 * (balance * (1 - balance) / len(known)) ** 0.5
    assert balance == 0.4 and all(right <= balance + chance for right in marks.values()), marks
    leaking = [(f"Sc{3 if answer == 'Yes' else 4}Rh4Ge7", answer) for _, answer in known]
    assert attack.measured(leaking)["amounts"] > balance + chance, (
        "an attack that could not see a leak sees none"
    )
    assert len({tuple(sorted(composition(formula).items())) for formula, _ in known}) == len(known)


def test_a_prompt_tells_nothing_but_the_name() -> None:
    prompts = {
        re.sub(re.escape(found[1]), "M", each.brief.prompt) for each in few() if (found := _named(each))
    }
    assert len(prompts) == 1
    files = {tuple(sorted(each.brief.files)) for each in few()}
    assert len(files) == 1 and b"contradicting" not in few()[0].brief.files["corpus.sqlite"].read()  # type: ignore[union-attr]


def _named(sample: Sample) -> re.Match[str] | None:
    return re.search(r"\*\*(.+?)\*\*", sample.brief.prompt)


@pytest.mark.accept
def test_the_same_seed_gives_the_same_materials_and_lines_are_read_back() -> None:
    from labrig_suites.precedent_search.making.corpus import make_literature

    lines = [json.dumps(each.to_dict()) for each in few()]
    make_literature.cache_clear()
    assert [json.dumps(each.to_dict()) for each in items.generate(SEED, FEW)] == lines
    assert suite.generator is not None
    for line, sample in zip(lines, few(), strict=True):
        assert suite.generator.task(json.loads(line)).to_dict() == sample.to_dict()


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line["truth"].pop("kelvin"),
        lambda line: line["truth"].update(kelvin=[]),
        lambda line: line["truth"].update(kelvin=[True]),
        lambda line: line["truth"].update(kelvin=[-1]),
        lambda line: line["truth"].update(answer="Maybe"),
        lambda line: line["truth"].update(sources=[{"doi": 3}]),
        lambda line: line.update(suite_version="0"),
        lambda line: line.update(truth=None),
        lambda line: line.pop("brief"),
    ],
)
def test_an_edited_line_is_refused_with_a_reason(change: Any) -> None:
    line = json.loads(json.dumps(next(each for each in fixtures()).sample.to_dict()))
    change(line)
    with pytest.raises(LabrigError):
        items.from_row(line)


EXPECTED = {
    "task": "tc-precedent-search",
    "ground_truth": [
        {
            "material": "Nb3Sn",
            "property_name": "is_superconducting",
            "property_value": "Yes",
            "rubric": "categorical",
        },
        {"material": "Nb3Sn", "property_name": "tc", "property_value": "17.8", "property_unit": "K"},
        {"material": "Nb3Sn", "property_name": "tc", "property_value": "18.1", "property_unit": "K"},
    ],
}
ROW = {
    "material": "YPd2Si2",
    "Tc": None,
    "Tcn": 0.35,
    "doi": "10.1000/a; 10.1000/b",
    "title": "Normal at last",
}


def test_published_rows_of_both_forms_are_scored() -> None:
    yes, no = items.adopt([EXPECTED, ROW], {})
    assert yes.truth == {"answer": "Yes", "kelvin": [18.1], "sources": []} and "**Nb3Sn**" in yes.brief.prompt
    assert [each["doi"] for each in no.truth["sources"]] == ["10.1000/a", "10.1000/b"]
    assert items.from_row(json.loads(json.dumps(no.to_dict()))).truth == no.truth
    source = {"doi": "https://doi.org/10.1000/B", "title": "", "quoted_span": ""}
    assert scored(no, said("No", "0.35", source=source)).strict == 1
    assert (scored(no, said("No", "0.35")).strict, scored(no, said("No", "0.35")).compat) == (0.5, 1)
    assert scored(yes, said("Yes", "17.8")).compat == 0.5
    with pytest.raises(Unsolvable):
        suite.solution(yes, ARMS[0])
    for bad in (
        {},
        {"ground_truth": [7]},
        {"ground_truth": []},
        {"ground_truth": EXPECTED["ground_truth"][:1]},
        {"material": "A", "tc": 1, "tcn": 2},
        {"material": "A" * 300, "tc": 1},
        {"material": "A", "tc": 0},
        {"material": "A", "tc": "warm"},
    ):
        with pytest.raises(LabrigError):
            items.adopt([bad], {})
    with pytest.raises(LabrigError):
        items.adopt([ROW], {"papers": "x"})


def test_the_page_has_the_scores_of_the_fixtures() -> None:
    page = (Path(__file__).parents[4] / "docs" / "suites" / "precedent-search.md").read_text(encoding="utf-8")
    for about, _, _, strict, compat, _ in CASES:
        assert f"| {about} | {2 * strict:g} | {2 * compat:g} |" in page, about


def test_arms_have_the_tools_they_name() -> None:
    for arm in ARMS:
        offered = {tool.name for tool in toolbox.select(arm.serve)} if arm.server else set()
        assert set(arm.serve.tools) <= offered and ("validate_precedent" in offered) is (
            arm.name == "agent-default"
        )
        if arm.name != "agent-default":
            with pytest.raises(Unsolvable):
                suite.solution(few()[0], arm)
        assert arm.wall_s == 1200


def test_paper_tables_have_the_papers_denominators() -> None:
    samples = [each.sample for each in fixtures()][:1]
    scores = [suite.score(each.sample, each.trajectory) for each in fixtures()]
    assert suite.paper_tables is not None
    found = {table.title: table for table in suite.paper_tables(samples, scores)}
    (seven,) = found["Table 7. Task performance and citation match"].rows
    read = [score for score in scores if score.facts["read"]]
    right = [score for score in read if score.facts["score"] == 2]
    assert seven[2] == len(scores) and seven[5].startswith(f"{100 * len(right) / len(read):.2f} ± ")
    assert seven[3].startswith(f"{100 * (len(scores) - len(read)) / len(scores):.2f} ± ")
    (nine,) = found["Table 9. Precision"].rows
    assert nine[2] == sum(score.facts["said"] != "Unknown" for score in read)
    six = found["Figures 6 and 7. DOIs of correct answers, and answers with the right DOI"].rows[0]
    assert six[2] == sum(score.facts["truth"] != "Unknown" for score in right)
    (four,) = found["Figure 4. Score distribution"].rows
    assert abs(sum(float(each.split()[0]) for each in four[3:]) - 100) < 0.1
    assert {row[3] for row in found["Figure 9. Tools that look for papers"].rows} == set()
