"""Drawn questions: conditions that hold what they promise, answers that were wanted, nothing that tells which."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator

import numpy as np
import pytest

from labrig_repository.gym.design import specification
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository, open_repository
from labrig_repository.gym.values import Decimal, Levels, Moments
from labrig_suites.science_gym import selection
from labrig_suites.science_gym.drawing import OUTCOMES, REASONS, absent, draw
from labrig_suites.science_gym.drawing.subject import MOST_FILES, MOST_OTHER_FILES
from labrig_suites.science_gym.drawing.univariate import DIVIDED
from labrig_suites.science_gym.grading import grade
from labrig_suites.science_gym.pool import pool
from labrig_suites.science_gym.question import NOT_POSSIBLE, TYPES, Question
from support.gym_questions import drawn


def of_statistics() -> Iterator[tuple[GeneratedRepository, str, Question]]:
    """Yield the questions about rows."""
    return ((each[0], each[2], each[3]) for each in drawn() if each[3].query.statistic)


@pytest.mark.accept
def test_every_type_and_answer_is_found_and_is_the_one_wanted() -> None:
    wanted = {(type, want) for type in TYPES for want in ("", *REASONS[type], *OUTCOMES.get(type, ()))}
    assert {(type, want) for _, type, want, _ in drawn()} == wanted
    for _, type, want, question in drawn():
        expected = question.expected
        if want in REASONS[type]:
            assert (expected.kind, expected.value, expected.reason) == ("impossible", NOT_POSSIBLE, want)
        elif want:
            assert expected.value == want
        else:
            assert expected.kind != "impossible"
        assert expected.kind != "choice" or expected.value in expected.choices


@pytest.mark.accept
def test_the_other_divisor_is_wrong_as_the_question_asks_for_it() -> None:
    """Of a variance or standard deviation, by NumPy; exact and rounded to the digits of the question."""
    seen = 0
    for repository, _, question in of_statistics():
        query, expected = question.query, question.expected
        if expected.kind != "number" or query.statistic not in DIVIDED:
            continue
        places = (
            [repository.place(query.path)]
            if query.path
            else selection.files_matching(repository, query.files)
        )
        cells = repository.cells(places)
        kept = np.ones(len(cells), dtype=bool)
        for each in query.rows:
            variable = repository.columns.variables[each.variable]
            kept &= selection.holds(each, variable, repository.columns.column(each.variable, cells).data)
        column = repository.columns.column(query.variables[0], cells.keep(kept))
        values = column.data / 10**column.form.decimals
        of = np.std if query.statistic.endswith("sd") else np.var
        ddof = int(query.statistic.startswith("sample"))
        right, wrong = of(values, ddof=ddof), of(values, ddof=1 - ddof)
        for said in (f"{right:.15g}", f"{right:.{expected.digits - 1}e}"):
            assert grade(expected, None, said).strict, (question, said)
        for said in (f"{wrong:.15g}", f"{wrong:.{expected.digits - 1}e}"):
            assert not grade(expected, None, said).strict, (question, said)
        seen += 1
    assert seen > 10


def test_a_question_is_the_same_each_time_and_others_differ() -> None:
    for repository, type, want, question in drawn()[::7]:
        assert (
            draw(GeneratedRepository(specification(int(repository.name.split(":")[1]))), type, 0, want)
            == question
        )
    repository = open_repository("7")
    five = [draw(repository, "univariate-file", number) for number in range(5)]
    assert len({str(each) for each in five}) == 5


@pytest.mark.accept
def test_conditions_leave_what_the_answer_needs() -> None:
    """Counted by the rows of the files that the columns give, condition by condition."""
    for repository, want, question in of_statistics():
        query = question.query
        assert len(query.files) <= 3 and len(query.rows) <= 3
        if want == "missing file":
            assert query.path not in repository.files.texts
            assert re.fullmatch(query.scheme, query.path)
            continue
        places = (
            [repository.place(query.path)]
            if query.path
            else selection.files_matching(repository, query.files)
        )
        most = MOST_FILES.get(repository.specification.extension, MOST_OTHER_FILES)
        assert len(places) <= most
        cells = repository.cells(places)
        kept = np.ones(len(cells), dtype=bool)
        for each in query.rows:
            variable = repository.columns.variables[each.variable]
            alone = selection.holds(each, variable, repository.columns.column(each.variable, cells).data)
            assert alone.any() or not len(cells)  # each condition alone is fulfilled by rows
            kept &= alone
        rows = int(kept.sum())
        if want == "empty selection":
            assert rows == 0
            for each in query.files:
                assert len(selection.files_matching(repository, [each]))
        elif want == "undefined":
            assert rows == 1
        elif want not in REASONS[query.type]:
            assert rows >= (5 if query.type.startswith("univariate") else 12)


@pytest.mark.accept
def test_no_bound_of_a_column_with_decimals_is_a_value_it_can_have() -> None:
    seen = 0
    for repository, _, question in of_statistics():
        for each in question.query.rows:
            variable = repository.columns.variables[each.variable]
            if isinstance(variable.form, Levels):
                assert each.operator == "in" and set(each.values) < {*variable.form.texts}
            elif isinstance(variable.form, Decimal) and variable.form.decimals:
                seen += 1
                for value in each.values:
                    assert value.endswith("5")
                    assert len(value.partition(".")[2]) == variable.form.decimals + 1
    assert seen > 100


@pytest.mark.parametrize(
    ("mantissa", "decimals"), [(345, 2), (-345, 2), (0, 2), (-1, 2), (-100, 2), (7, 0), (-7, 0)]
)
def test_a_bound_lies_half_a_step_above(mantissa: int, decimals: int) -> None:
    text = selection.bound(mantissa, decimals)
    assert float(text) == pytest.approx(
        mantissa / 10**decimals + (0.5 / 10**decimals if decimals else 0), abs=1e-12
    )


def test_conditions_are_read_as_a_reader_of_the_file_would() -> None:
    """The comparison of mantissas is that of the numbers in the file."""
    compare = {
        "at least": lambda x, a: x >= a[0],
        "at most": lambda x, a: x <= a[0],
        "above": lambda x, a: x > a[0],
        "below": lambda x, a: x < a[0],
        "between": lambda x, a: a[0] <= x <= a[1],
    }
    tried = 0
    for number in range(1, 40):
        repository = open_repository(str(number))
        if repository.specification.extension not in ("csv", "txt", "log"):
            continue
        path = repository.files.texts[0]
        rows = list(csv.DictReader(io.StringIO(repository.read(path).decode())))
        cells = repository.cells([0])
        draws = Draws("test", str(number))
        for _ in range(20):
            chosen = selection.row_conditions(draws, repository, cells, [], 1, 2)
            for each in chosen.conditions:
                variable = repository.columns.variables[each.variable]
                ours = selection.holds(each, variable, repository.columns.column(each.variable, cells).data)
                if each.operator == "in":
                    theirs = [row[each.variable] in each.values for row in rows]
                else:
                    bounds = [float(value) for value in each.values]
                    theirs = [compare[each.operator](float(row[each.variable]), bounds) for row in rows]
                assert ours.tolist() == theirs, each
                tried += 1
    assert tried > 100


def test_missing_variables_are_nowhere() -> None:
    for repository, type, want, question in drawn():
        if want != "missing variable":
            continue
        specification = repository.specification
        has = {each.name for each in (*specification.variables, *specification.placeholders)}
        if type == "files-by-condition":
            (absent,) = (each for each in question.query.files if each.variable not in has)
            assert not any(
                value.lower() in path.lower() for value in absent.values for path in repository.paths()
            )
        else:
            assert question.query.variables[0] not in has


def test_conditions_on_paths_can_be_told_apart() -> None:
    """Without a README that explains the paths and without labels, a value that two placeholders share is not asked."""
    for repository, _, _, question in drawn():
        specification = repository.specification
        if specification.readme is not None and specification.readme.scheme:
            continue
        for each in question.query.files:
            for other in specification.placeholders:
                if other.name != each.variable and not all("=" in value for value in each.values):
                    assert not {*each.values} & {*other.written}


def test_prefixes_are_those_of_some_files() -> None:
    for repository, type, _, question in drawn():
        if type == "files-by-prefix":
            count = sum(each.startswith(question.query.prefix) for each in repository.paths())
            assert str(count) == question.expected.value
            assert 1 < count < len(repository.files.texts)


@pytest.mark.accept
def test_a_pool_has_five_of_each_type_that_involves_chance() -> None:
    questions = pool(open_repository("118"))
    counts = {type: sum(each.query.type == type for each in questions) for type in TYPES}
    assert counts == {
        type: 1 if type in ("readme", "title", "abstract", "extension") else 5 for type in TYPES
    }
    many = [each for number in range(1, 30) for each in pool(open_repository(str(number)))]
    assert 0.2 < np.mean([each.expected.kind == "impossible" for each in many]) < 0.35


def test_missing_variables_cannot_be_told_by_what_is_there() -> None:
    """Years follow from dates, a wage from income and hours; run 2 may be repeat 2."""
    dated = asked = 0
    for number in range(1, 300):
        described = open_repository(str(number)).specification
        has = [*described.variables, *described.placeholders]
        alike = absent.likeness(described)
        if any(getattr(each, "kind", "") == "date" or isinstance(each.form, Moments) for each in has):
            dated += 1
            for about in ("year of the trial", "season", "phase of the Moon", "kind of day"):
                assert alike("", about)
        if any(each.name == "income_kEUR" for each in has):
            asked += 1
            assert alike("wage_h_EUR", "hourly wage") and alike("savings_pct", "saving rate")
        if any(getattr(each, "kind", "") == "sequence" for each in has):
            assert alike("", "repeat") and alike("", "replicate")
    assert dated > 100 and asked > 10


def test_texts_of_wrong_type_are_no_numbers() -> None:
    for repository, _, want, question in drawn():
        if want == "wrong type":
            variable = repository.columns.variables[question.query.variables[0]]
            assert variable.role != "identifier" or "number" not in variable.about
            if isinstance(variable.form, Levels):
                assert not all(re.search(r"\d", text) for text in variable.form.texts)


def test_an_extension_is_right_with_and_without_its_point() -> None:
    for _, type, _, question in drawn():
        if type == "extension":
            for said in (question.expected.value, f".{question.expected.value}"):
                answer = json.dumps({"answer": said})
                graded = grade(question.expected, answer, answer)
                assert graded.strict and graded.compat
