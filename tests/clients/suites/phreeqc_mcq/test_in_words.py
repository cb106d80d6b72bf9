"""phreeqc-mcq: questions that are answered in words, and several questions about one scenario."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig_cli import main
from labrig_harness import suites
from labrig_harness.sample import Sample
from labrig_phreeqc.server import toolbox
from labrig_suites.phreeqc_mcq import items
from labrig_suites.phreeqc_mcq.in_words import JUDGED
from labrig_suites.phreeqc_mcq.judged import Judged, in_order, most, supersaturated, trend
from labrig_suites.phreeqc_mcq.quantities import index, total
from labrig_suites.phreeqc_mcq.solution import scene
from labrig_suites.phreeqc_mcq.stems import of_module
from support.solved import answer_of

NAMED = {name.lower(): index(name) for name in ("Calcite", "Gypsum", "Barite")}
AMOUNTS = {name: total(name, name) for name in ("Na", "K", "Ca")}


@pytest.fixture(scope="module")
def made(databases: Path) -> list[Sample]:
    return items.generate("words", len(JUDGED), stems=JUDGED)


@pytest.mark.parametrize(
    ("asked", "found", "said"),
    [
        (supersaturated(*map(str.title, NAMED))[0], [0.3, -0.2, 1.0], "calcite, barite"),
        (supersaturated(*map(str.title, NAMED))[0], [-0.3, None, -1.0], "none of them"),
        (supersaturated(*map(str.title, NAMED))[0], [0.3, -0.01, 1.0], None),  # gypsum is at equilibrium
        (supersaturated(*map(str.title, NAMED))[1], [0.3, -0.2, 1.0], "2"),
        (in_order("order", "{}", NAMED), [0.3, -0.2, 1.0], "barite, calcite, gypsum"),
        (in_order("order", "{}", NAMED), [0.3, 0.28, 1.0], None),
        (in_order("order", "{}", NAMED), [0.3, None, 1.0], None),
        (most("most", "{}", AMOUNTS), [1.0, 1.05, None], "K"),
        (most("most", "{}", AMOUNTS), [1.0, 1.03, 0.2], None),
        (
            trend("trend", lambda n, s: -2, AMOUNTS),
            [2.0, 1.0, 4.0, 1.0, 2.0, 3.0],
            "Na rises, K falls, Ca rises",
        ),
        (trend("trend", lambda n, s: -2, AMOUNTS), [2.0, 1.0, 4.0, 1.0, 1.01, 3.0], None),
        (most("most", "{}", AMOUNTS), [None], None),  # a run that failed
    ],
)
def test_an_answer_stands_where_no_number_is_near_the_line(
    asked: Judged, found: list[float | None], said: str | None
) -> None:
    value = asked.judge(found)
    assert (None if value is None else asked.show(value)) == said


@pytest.mark.accept
async def test_both_solutions_find_the_words(made: list[Sample], private_home: Path, tmp_path: Path) -> None:
    """The reference reads what is printed, the second solution reads tables; the truth was punched by Basic."""
    suite = suites.load("phreeqc-mcq")
    arm = suite.arm()
    assert {sample.labels["stem"] for sample in made} == {stem.name for stem in JUDGED}
    for number, sample in enumerate(made):
        serve = replace(arm.serve, workspace=tmp_path / str(number))
        async with Client(build(toolbox, serve)) as client:
            for solve in (suite.solution, suite.another):
                assert solve is not None
                assert await answer_of(client, solve(sample, arm)) == sample.truth["answer"], (
                    sample.brief.prompt
                )


@pytest.mark.accept
def test_options_in_words_are_four_answers_of_scenes_that_differ_by_mistakes(made: list[Sample]) -> None:
    for sample in made:
        assert items.from_row(json.loads(json.dumps(items.row(sample)))) == sample
        meant, texts = scene(sample), items.row(sample)["options"]
        assert len(set(texts.values())) == 4
        for letter, option in sample.truth["options"].items():
            other = meant
            for missed in option["missed"]:
                other = other.missing(missed["switch"], missed["state"])
            assert other.build == option["input"] and meant.quantity.show(option["value"]) == texts[letter]


@pytest.mark.accept
def test_a_set_of_all_kinds_has_a_quarter_in_words_and_the_others_of_the_seed(databases: Path) -> None:
    stems = of_module("saturation")
    both = items.generate("kinds", 4, stems=stems, kinds="all")
    assert Counter("kind" in sample.labels for sample in both) == {False: 3, True: 1}
    plain = items.generate("kinds", 4, stems=stems)
    assert not {sample.id for sample in both} & {sample.id for sample in plain}


@pytest.mark.accept
def test_questions_of_one_scenario_are_read_in_one_output(databases: Path) -> None:
    made = items.generate("shared", 5, stems=of_module("redox"), per_scenario=3)
    groups = Counter(sample.labels["scenario"] for sample in made)
    assert sorted(groups.values()) == [2, 3]
    for scenario in groups:
        group = [sample for sample in made if sample.labels["scenario"] == scenario]
        assert len({scene(sample).build for sample in group}) == 1
        assert len({sample.labels["quantity"] for sample in group}) == len(group)
        assert {
            frozenset(each["input"] for each in sample.truth["options"].values()) for sample in group
        } == {frozenset(each["input"] for each in group[0].truth["options"].values())}


@pytest.mark.accept
def test_a_set_that_is_ended_half_way_goes_on(
    databases: Path, private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stems, whole, asked = of_module("saturation"), 3, []
    make = items._items
    monkeypatch.setattr(items, "LEAST_KEPT", 1)

    async def ended(*given: Any) -> list[Sample]:
        asked.append(given[3].start)
        if len(asked) == whole:
            raise LabrigError("PHREEQC is busy", code="busy")
        return await make(*given)

    monkeypatch.setattr(items, "AT_ONCE", 1)
    monkeypatch.setattr(items, "_items", ended)
    with pytest.raises(LabrigError, match="is busy"):
        items.generate("half", whole, stems=stems)
    (part,) = private_home.rglob("*.part")
    assert part.stat().st_mode & 0o077 == 0 and len(part.read_text().splitlines()) == 2
    with part.open("a") as torn:
        torn.write('{"first": 2, "ro')
    made = items.generate("half", whole, stems=stems)
    assert len(asked) == 4 and not list(private_home.rglob("*.part"))
    monkeypatch.undo()
    assert made == items.generate("half", whole, stems=stems)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("kinds=some", "There are no kinds 'some'"),
        ("per_scenario=0", "A scenario cannot have 0 samples"),
        ("per_scenario=true", "A scenario cannot have True samples"),
        ("share=3", "Unknown setting 'share'"),
    ],
)
def test_what_cannot_be_set_is_said(
    setting: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["generate", "phreeqc-mcq", "--n", "2", "--set", setting, "--out", str(tmp_path / "items.jsonl")]
    assert main(made) == 2
    assert said in capsys.readouterr().err
    with pytest.raises(LabrigError):
        items.configured({"kinds": 7})
