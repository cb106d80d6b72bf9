"""Four styles of one question: paths untouched, everything said that the answer needs, one question each."""

from __future__ import annotations

import re

import pytest

from labrig_harness.suites.science_gym.drawing import draw
from labrig_harness.suites.science_gym.wording import DIGITS, STATISTICS, STYLES, TESTS, worded
from labrig_repository.gym.repository import open_repository
from support.gym_questions import drawn

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.mark.parametrize("style", STYLES)
def test_every_style_says_what_the_answer_needs(style: str) -> None:
    for repository, type, _, question in drawn():
        query, text = question.query, worded(question, repository, style)
        assert "{" not in text.replace(query.path, "") and "None" not in text
        if query.path:
            assert text.count(query.path) == 1, (type, style)
        if query.prefix:
            assert query.prefix in text
        for each in query.rows:
            assert all(value in text for value in each.values)
        placeholders = {each.name: each for each in repository.specification.placeholders}
        for each in query.files:
            if each.variable in placeholders:
                known = placeholders[each.variable]
                said = [known.values[known.written.index(value)] for value in each.values]
                assert all(f'"{value}"' in text for value in said)
        if type == "bivariate-hypothesis":
            assert TESTS[query.statistic] in text and query.alpha in text and "(1)" in text and "(2)" in text
        elif query.statistic:
            assert STATISTICS[query.statistic] in text


def test_the_template_names_variables_and_the_letter_tells_what_they_are() -> None:
    asked = 0
    for repository, _, want, question in drawn():
        abouts = {each.name: each.about for each in repository.specification.variables}
        for name in question.query.variables:
            assert f'"{name}"' in worded(question, repository, "template")
            if want != "missing variable":
                assert abouts[name] in worded(question, repository, "letter")
                asked += 1
    assert asked > 200


def test_whether_to_round_does_not_tell_whether_an_answer_exists() -> None:
    """The sentence depends on the statistic alone; its digits are those that the scorer uses."""
    sentence = re.compile(re.escape(DIGITS).replace(r"\{\}", "([234])"))
    for repository, _, _, question in drawn():
        found = sentence.search(worded(question, repository, "plain"))
        statistic, type = question.query.statistic, question.query.type
        assert bool(found) == (statistic not in ("", "mode") and type != "bivariate-hypothesis")
        if found and question.expected.digits:
            assert int(found[1]) == question.expected.digits


def test_a_path_with_the_words_of_a_template_stays_as_it_is() -> None:
    repository = open_repository("118")
    question = draw(repository, "count-rows", 1)
    assert question is not None
    for style in STYLES:
        quoted = re.search(r'"([^"]*/[^"]*)"', worded(question, repository, style))
        assert quoted is not None and quoted[1] == question.query.path


def test_styles_differ() -> None:
    for repository, _, _, question in drawn()[::5]:
        assert len({worded(question, repository, style) for style in STYLES}) == len(STYLES)
