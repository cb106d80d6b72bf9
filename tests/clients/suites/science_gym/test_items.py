"""Sets of items: dealt evenly, the same each time, opaque, and refused when edited into something else."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import pytest
from scipy.stats import chi2_contingency

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_repository.gym.design import context, specification
from labrig_repository.gym.numbers import Draws
from labrig_suites.science_gym import items
from labrig_suites.science_gym.drawing import OUTCOMES, REASONS
from labrig_suites.science_gym.drawing.form import Form, form
from labrig_suites.science_gym.question import TYPES, Type
from labrig_suites.science_gym.wording import STYLES


@lru_cache(maxsize=1)
def made() -> tuple[Sample, ...]:
    return tuple(items.generate("a seed", 120))


def test_a_set_is_dealt_out_evenly() -> None:
    dealt = items.deals("a seed", 1000)
    types = Counter(each.type for each in dealt)
    assert all(abs(types[type] - 2 * items.SHARES[type]) <= 1 for type in TYPES)
    assert 0.2 < sum(each.want in REASONS[each.type] for each in dealt) / len(dealt) < 0.35
    formats = Counter(each.extension for each in dealt)
    assert max(formats.values()) - min(formats.values()) < 30
    for type, outcomes in OUTCOMES.items():
        counts = Counter(each.want for each in dealt if each.type == type)
        assert max(counts.values()) < 0.3 * types[type]  # no constant answer reaches 30 %
        assert {*outcomes} <= {*counts}


def test_yes_and_no_are_balanced_in_either_place() -> None:
    decisions = [each.want for each in items.deals("b", 2000) if each.want[:3] in ("yes", "no,")]
    for place in (0, 1):
        share = sum(each.split(", ")[place] == "yes" for each in decisions) / len(decisions)
        assert abs(share - 0.5) < 0.01


def of_forms() -> Iterator[tuple[items.Deal, Form]]:
    """Yield what questions are to be, and the forms that they are drawn in."""
    for number, deal in enumerate(items.deals("a seed", 30)):
        yield (
            deal,
            form(deal.type, deal.like, Draws(items.NAME, items.DRAWING, "a seed", "form", str(number))),
        )


def test_questions_have_the_form_that_was_drawn_before_their_answer() -> None:
    questions = [each for each in made() if each.labels["style"] == STYLES[0]]
    for (deal, like), sample in zip(of_forms(), questions, strict=True):
        query = sample.truth["query"]
        assert query["type"] == deal.type and deal.want in (
            "",
            sample.truth["expected"]["reason"],
            sample.truth["answer"],
        )
        if query["statistic"]:
            assert query["statistic"] == like.statistic and query["alpha"] == like.alpha
            assert len(query["rows"]) == (2 if like.rows is None else like.rows)
            assert len(query["files"]) == like.files


@pytest.mark.parametrize("type", [each for each in TYPES if each.startswith(("uni", "bi"))])
def test_no_form_tells_which_questions_are_impossible(type: Type) -> None:
    dealt = [each for each in items.deals("a seed", 6000) if each.type == type]
    forms = [form(type, each.like, Draws("test", str(n))) for n, each in enumerate(dealt)]
    said = Counter(
        (each.want == each.like, like.statistic, like.rows, like.files)
        for each, like in zip(dealt, forms, strict=True)
    )
    shapes = {each[1:] for each, count in said.items() if count > 5}
    assert (
        chi2_contingency([[said[able, *each] + 1 for each in shapes] for able in (True, False)]).pvalue > 0.01
    )


def test_a_column_that_is_missing_is_one_that_others_are_asked_about() -> None:
    deal = next(each for each in items.deals("a seed", 400) if each.want == "missing variable")
    repository, question = items.found("a seed", 1, deal)
    known = {each.name for each in repository.specification.variables}
    assert question.query.variables[0] not in known
    domain = repository.specification.context.domain
    others = (specification(number) for number in range(1, 20_000) if context(number).domain == domain)
    assert any(question.query.variables[0] in {each.name for each in other.variables} for other in others)


def test_four_styles_share_a_question_and_nothing_else() -> None:
    questions: dict[str, list[Sample]] = {}
    for each in made():
        questions.setdefault(each.labels["question"], []).append(each)
    assert len(questions) == 30
    for group in questions.values():
        assert [each.labels["style"] for each in group] == [*STYLES]
        assert len({each.brief.prompt for each in group}) == len(STYLES)
        assert all(each.truth == group[0].truth for each in group)
    assert len({each.id for each in made()}) == len(made())


def test_the_same_seed_gives_the_same_set_in_another_process() -> None:
    code = (
        "import json; from labrig_suites.science_gym import items;"
        "print(json.dumps([items.row(each) for each in items.generate('a seed', 120)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert json.loads(done.stdout) == [items.row(each) for each in made()]
    assert items.generate("another seed", 8) != list(made()[:8])


def test_the_first_items_are_those_of_the_set() -> None:
    assert items.generate("a seed", 120, first=6) == list(made()[:6])
    assert len(items.generate("s", 5)) == 5


def test_nothing_but_the_id_of_the_repository_is_told() -> None:
    for each in made():
        assert each.labels["repository"] in each.brief.prompt
        assert each.id.isalnum() and len(each.id) == 12
        assert not each.brief.files and not each.brief.choices


def test_rows_come_back_as_they_went() -> None:
    for each in made():
        assert items.from_row(json.loads(json.dumps(items.row(each)))) == each


def edited(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Return a row that is not about a README, changed."""
    fields = copy.deepcopy(items.row(next(each for each in made() if each.labels["type"] != "readme")))
    change(fields)
    return fields


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: f.pop("id"), "'id' is missing"),
        (lambda f: f.update(id="../x"), "the id"),
        (lambda f: f.update(version="0"), "version"),
        (lambda f: f.update(version="0" * 10**6), "of version '0{40}',"),
        (lambda f: f.update(question=" "), "question"),
        (lambda f: f.update(question="about something else"), "not about"),
        (lambda f: f.update(answer="42.5"), "the truth says otherwise"),
        (lambda f: f["truth"].pop("query"), "'query' is missing"),
        (lambda f: f["truth"]["query"].update(type="readme2"), "readme2"),
        (lambda f: f["truth"]["query"].update(scheme="("), "regular expression"),
        (lambda f: f["truth"]["expected"].update(kind="colour"), "colour"),
        (lambda f: f["labels"].update(type="readme"), "the labels say"),
        (lambda f: f["labels"].update(category="files"), "the labels say 'files: "),
        (lambda f: f["labels"].update(mine=["a"]), "each must be text"),
        (lambda f: f["labels"].pop("style"), "'style' is missing"),
        (lambda f: f.update(labels=[]), "labels"),
        (lambda f: f.update(truth=None), "the truth is not an object"),
    ],
)
def test_edited_rows_are_refused(change: Callable[[dict[str, Any]], Any], says: str) -> None:
    fields = edited(change)
    with pytest.raises(LabrigError, match=f"(?i){says}"):
        items.from_row(fields)


@pytest.mark.parametrize(
    ("kind", "value", "more"),
    [
        ("choice", "maybe", {"choices": ["yes", "no"]}),
        ("integer", "1.5", {}),
        ("number", "1e5", {"digits": 3}),
        ("number", "1.5", {"digits": 0}),
        ("integer", "9" * 5000, {}),
        ("number", "9" * 5000, {"digits": 3}),
        ("text", "", {}),
        ("impossible", "no", {"reason": "missing file"}),
        ("impossible", "not possible", {}),
    ],
)
def test_answers_that_are_none_of_their_kind_are_refused(kind: str, value: str, more: dict[str, Any]) -> None:
    fields = edited(lambda f: None)
    fields["answer"] = value
    fields["truth"]["expected"] = {"kind": kind, "value": value, **more}
    with pytest.raises(LabrigError):
        items.from_row(fields)


def test_there_is_no_set_of_no_items() -> None:
    with pytest.raises(LabrigError, match="at least one sample"):
        items.generate("s", 0)
