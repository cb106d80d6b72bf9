"""Papers of level 5: what they hold, what PDFium reads where their values stand, and how they are chosen."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean

import pypdfium2
import pytest

from attackers import supercon_extraction as attack
from labrig.errors import LabrigError
from labrig_cli import main
from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Unsolvable
from labrig_harness.trajectory import Step, Submission, Trajectory
from labrig_suites.supercon_extraction import items, suite, tasks
from labrig_suites.supercon_extraction.arms import ARMS
from labrig_suites.supercon_extraction.fixtures import entry
from labrig_suites.supercon_extraction.grading.evidence import folded, grounded
from labrig_suites.supercon_extraction.making.long_papers import language
from labrig_suites.supercon_extraction.making.papers import make_paper
from labrig_suites.supercon_extraction.making.writing import Paper
from labrig_suites.supercon_extraction.targets import field
from support.long_paper_reader import read
from support.solved import results_of, served

SEEDS = ("long-1", "long-2")
STANDINGS = {"own", "cited", "calculated", "negated", "rounded", "setting"}


@cache
def paper(seed: str) -> Paper:
    return make_paper(seed, 5)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_long_paper_holds_what_real_ones_do(seed: str) -> None:
    made = paper(seed)
    counts = Counter(each.standing for each in made.values)
    assert 6 <= len(made.pages) <= 12 and 60 <= len(made.values) <= 150 and 8 <= len(made.rows) <= 18
    assert set(counts) == STANDINGS and counts["cited"] > 2 * len(made.rows)
    assert {"Curie temperature", "glass temperature"} <= {each.property for each in made.values}
    assert any("(" in row.value and "× 10" in row.value for row in made.rows)
    text = " ".join(" ".join(made.pages).split("REFERENCES")[0].split())
    plain = [each for each in re.split(r"(?<=[a-z][.^])\s", text) if re.fullmatch(r"[A-Z][^\d]{20,}", each)]
    assert len(plain) > 60 and max(Counter(plain).values()) == 1
    cut = [page for page, lines in enumerate(made.pages) if re.match(r"[^A-Z\d]", lines.split("\n")[2])]
    assert cut, "a sentence goes from one page to the next"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_value_stands_in_its_box_and_every_quote_on_its_page(seed: str) -> None:
    made = paper(seed)
    with pypdfium2.PdfDocument(made.pdf) as document:
        pages = [page.get_textpage() for page in document]
        for each in made.values:
            left, bottom, right, top = each.box
            found = pages[each.page - 1].get_text_bounded(left - 1, bottom - 2, right + 1, top + 2)
            assert folded(each.value)[0] in folded(found.replace("´", "×"))[0], (each, found)
    for row in made.rows:
        for place in row.places:
            assert grounded(place.quote, place.page, made.pages), place
            assert (row.value, "own") in {(each.value, each.standing) for each in made.values}


def second(made: Paper) -> None:
    """Hold what another hand reads of the drawn page against the truth."""
    keys = {target.name: target.key for target in field("supercon").targets}
    known = {(row.sample, keys[row.name], re.sub(r"_\{([^{}]*)\}", r"\1", row.printed)) for row in made.rows}
    assert read(made.pdf) == known


@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_solution_finds_the_truth_on_the_drawn_pages(seed: str) -> None:
    second(paper(seed))


@pytest.mark.accept
def test_a_second_solution_finds_the_truth_of_twenty_papers() -> None:
    for number in range(20):
        second(make_paper(f"by another hand {number}", 5))


def scored(sample: Sample, text: str) -> Score:
    submission = Submission(text, 1)
    return suite.score(
        sample,
        Trajectory(sample.id, suite.name, "t", ARMS[0].name, 0, 0, (Step(1, "."),), submission, "answered"),
    )


def test_who_reads_all_has_all_and_some_arms_have_no_reference() -> None:
    """A range with one exponent for both ends is read as it is printed."""
    (sample,) = items.of_level(5, "all", 1)
    rows = [
        entry(row["name"], row["material"], f"{row['value']} {row['unit']}".strip(), at["page"], at["quote"])
        for row in sample.truth["rows"]
        for at in row["places"][:1]
    ]
    score = scored(sample, json.dumps({"properties": rows}))
    assert (score.strict, score.compat) == (1, 1), score.answer
    for arm in ARMS:
        if arm.name in ("agent-reading", "zeroshot"):
            with pytest.raises(Unsolvable):
                suite.solution(sample, arm)
    assert suite.another is not None
    with pytest.raises(Unsolvable):
        suite.another(sample, ARMS[0])


@pytest.mark.accept
async def test_the_tools_alone_find_about_half_and_cheap_answers_nothing(tmp_path: Path) -> None:
    samples, marks = items.of_level(5, "lv", 6), []
    for sample in samples:
        blind = replace(sample, truth={})
        async with served(sample, ARMS[0], tmp_path / sample.id) as client:
            solved = suite.solution(blind, ARMS[0])
            marks.append(scored(sample, solved.answer(await results_of(client, solved))).facts["f1"])
    print(marks)
    assert 0.4 <= fmean(marks) <= 0.7 and max(marks) < 0.9
    for name, (proved, values, _, _) in attack.measured(samples).items():
        assert max(proved, values) < 0.1, name


def test_signs_are_coded_by_numbers_and_drawn_all_the_same() -> None:
    """A font of signs says by its names alone what its glyphs are; each of them leaves ink."""
    made = next(each for each in map(paper, SEEDS) if b"MathematicalPi" in each.pdf)
    assert b"/H11003" in made.pdf and b"/ToUnicode" not in made.pdf
    (box, page) = next((each.box, each.page) for each in made.values if "× 10" in each.value)
    with pypdfium2.PdfDocument(made.pdf) as document:
        sign = document[page - 1].get_textpage()
        at = next(
            sign.get_charbox(number)
            for number in range(sign.count_chars())
            if sign.get_text_range(number, 1) in "×´" and box[0] < sign.get_charbox(number)[0] < box[2]
        )
        high = document[page - 1].get_height()
        picture = document[page - 1].render(scale=4, grayscale=True).to_pil()
    drawn = picture.crop(tuple(round(4 * each) for each in (at[0], high - at[3], at[2], high - at[1])))
    assert min(drawn.tobytes()) < 100


def test_level_5_is_chosen_and_never_dealt(tmp_path: Path) -> None:
    assert "5" not in {str(items.dealt(number)[0]) for number in range(200)}
    out = tmp_path / "long.jsonl"
    words = ["generate", suite.name, "--set", "level=5", "--seed", "7", "--n", "1", "--out", str(out)]
    assert main(words) == 0
    (sample,) = tasks.long_papers(7, 1)
    assert suite.generator is not None and suite.generator.configured is not None
    assert suite.generator.task(json.loads(out.read_text("utf-8"))).to_dict() == sample.to_dict()
    assert sample.labels["level"] == "5" and len(sample.truth["values"]) >= 60
    for settings in ({"level": "6"}, {"levels": "5"}, {"level": "five"}):
        with pytest.raises(LabrigError, match="make no papers"):
            suite.generator.configured(settings)
    for level, name in ((5, "thermoelectrics"), (6, "supercon")):
        with pytest.raises(LabrigError):
            make_paper("1", level, name)


def test_all_wordings_of_the_language_close_their_brackets() -> None:
    for kind, sentences in language()["filler"].items():
        assert len(sentences) == len(set(sentences)), kind
        for each in sentences:
            assert not re.search(r"[\[\]|]", re.sub(r"\[[^\[\]{}]*\|[^\[\]{}]*\]", "", each)), each
