"""Four styles of one question: paths untouched, everything said that the answer needs, one question each."""

from __future__ import annotations

import re

import pytest

from labrig_repository.gym.repository import open_repository
from labrig_repository.gym.taxonomy.loading import load
from labrig_suites.science_gym.drawing import draw
from labrig_suites.science_gym.wording import (
    AFTER_A_NOUN,
    DIGITS,
    PLURALS,
    SPELT,
    STATISTICS,
    STYLES,
    TESTS,
    worded,
)
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
    sentence = re.compile(re.escape(DIGITS).replace(r"\{\}", "([2-9])"))
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


SINGULAR = frozenset({"census", "diabetes", "lens", "means"})


def test_every_plural_noun_of_the_taxonomy_is_known() -> None:
    """So that hours of sleep are above seven."""
    for field in load():
        for each in (*field.paths, *field.categories, *field.numbers, *field.dependents, *field.thresholds):
            noun: list[str] = []
            for word in re.findall(r"[a-z-]+", each.about.lower()):
                if word in AFTER_A_NOUN:
                    break
                noun.append(word)
            plural = noun[-1].endswith("s") and not re.search("(ss|us|is|as)$", noun[-1])
            if "or" not in noun and noun[-1] not in SINGULAR:
                assert plural == bool(PLURALS & {*noun}), each.about


def test_plurals_have_their_verb_and_units_are_whole_words() -> None:
    told = " ".join(worded(each[3], each[0], "plain") for each in drawn())
    assert not re.search(r"the (?:years|hours|days|minutes) [a-z ]+ is ", told)
    assert (
        len(re.findall(r"the (?:years|hours|days|minutes) [a-z ]+ are (?:above|below|between|\d)", told)) > 3
    )
    assert not re.search(r"(?:\(years\)|number of [a-z ]+) are (?:above|below|between|\d)|\(a\)", told)


def test_missing_columns_have_units_as_others() -> None:
    """Else a number without a unit would tell that it is missing."""
    seen = 0
    for repository, _, want, question in drawn():
        if want == "missing variable" and question.query.variables:
            field = next(each for each in load() if each.name == repository.specification.context.field)
            units = {each.name: each.unit for each in (*field.numbers, *field.dependents)}
            unit = units.get(question.query.variables[0], "")
            if len(unit) > 2 and unit not in SPELT:
                assert f"({unit})" in worded(question, repository, "letter")
                seen += 1
    assert seen > 5
