"""Designs and paths: counts and shares as the paper says, paths that are read in one way only."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_repository.gym import design, expressions, layout
from labrig_repository.gym.encoding import EXTENSIONS
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.paths import Paths, paths, read_back, readable
from labrig_repository.gym.specification import Computed, Level, Placeholder, Specification
from labrig_repository.gym.taxonomy.loading import load
from labrig_repository.gym.values import Decimal
from labrig_repository.gym.wording import readme
from support.late import late

stats = late("scipy.stats")

MANY = 300


@pytest.fixture(scope="module")
def specifications() -> list[Specification]:
    return [design.specification(number) for number in range(1, MANY + 1)]


@pytest.mark.accept
def test_sizes_are_within_what_is_said(specifications: list[Specification]) -> None:
    for each in specifications:
        assert 7 <= len(each.variables) <= 20
        assert 2 <= len(each.levels) <= 4
        assert all(1 <= len(level.placeholders) <= 3 for level in each.levels)
        assert 15 <= each.files <= min(10_000, each.possible)
        assert each.possible >= 100
    for size in (
        [len(each.variables) for each in specifications],
        [len(each.levels) for each in specifications],
    ):
        assert stats.chisquare(list(Counter(size).values())).pvalue > 1e-4


def test_file_counts_follow_the_beta_of_the_paper(specifications: list[Specification]) -> None:
    """Counts are whole: half a file is added to what the floor took away, where there are many to choose from."""
    large = [each for each in specifications if each.possible > 3_000 and each.extension != "xlsx"]
    shares = [(each.files - 15 + 0.5) / (min(10_000, each.possible) - 15) for each in large]
    assert len(large) > 100
    assert stats.kstest(shares, stats.beta(1.05, 25).cdf).pvalue > 1e-4
    assert np.mean([each.files < 500 for each in specifications]) > 0.7
    assert all(each.files <= 2_000 for each in specifications if each.extension == "xlsx")


def test_shares_of_extensions_fields_and_readmes(specifications: list[Specification]) -> None:
    extensions = Counter(each.extension for each in specifications)
    assert set(extensions) == set(EXTENSIONS)
    assert stats.chisquare(list(extensions.values())).pvalue > 1e-4
    fields = Counter(each.context.field for each in specifications)
    assert stats.chisquare([fields[each.name] for each in load()]).pvalue > 1e-4
    readmes = [each.readme for each in specifications if each.readme is not None]
    assert stats.binomtest(len(readmes), MANY, 0.5).pvalue > 1e-4
    for part in ("scheme", "title", "abstract"):
        assert stats.binomtest(sum(getattr(each, part) for each in readmes), len(readmes), 0.5).pvalue > 1e-4


def test_names_are_told_apart_and_slots_are_filled(specifications: list[Specification]) -> None:
    for each in specifications:
        names = [one.name for one in each.variables] + [one.name for one in each.placeholders]
        assert len(set(names)) == len(names)
        assert not set("{}") & set(each.title + each.abstract)
        assert each.title[0] == each.title[0].upper() and not each.title.endswith(".")
        assert all(each.abstract.count(mark) >= 4 for mark in ".")
        assert "  " not in each.abstract and ".." not in each.abstract


def test_a_readme_says_what_it_should_and_no_more(specifications: list[Specification]) -> None:
    for each in specifications:
        if each.readme is None:
            continue
        text = readme(each)
        assert (each.title in text) == each.readme.title
        assert (each.abstract in text) == each.readme.abstract
        assert (each.scheme in text) == each.readme.scheme


def test_outcomes_follow_from_what_the_repository_shows(specifications: list[Specification]) -> None:
    """Every variable of an expression is a column before it or a placeholder; every outcome has noise."""
    idle = total = 0
    for each in specifications:
        known = {one.name for one in each.placeholders}
        for variable in each.variables:
            if isinstance(variable.source, Computed):
                names = expressions.names(variable.source.expression)
                assert names <= known
                assert expressions.Noise() in expressions.parts(variable.source.expression)
                idle, total = idle + (not names), total + 1
            known.add(variable.name)
    assert idle < 0.03 * total  # few columns and many outcomes leave one now and then without a driver


def test_a_table_has_what_questions_are_asked_about(specifications: list[Specification]) -> None:
    for each in specifications:
        roles = Counter(one.role for one in each.variables)
        assert 1 <= roles["identifier"] <= 2 and roles["datetime"] <= 1
        assert roles["independent"] >= 1 and roles["dependent"] >= 2
    rich = [
        sum(isinstance(one.form, Decimal) and one.form.decimals > 0 for one in each.variables) >= 2
        for each in specifications
    ]
    assert np.mean(rich) > 0.98


def every_reading(level: Level, text: str) -> list[tuple[str, ...]]:
    """Return all ways to read a level, by trying every value of every placeholder."""
    found: list[tuple[tuple[str, ...], str]] = [((), text)]
    for number, placeholder in enumerate(level.placeholders):
        mark = level.separators[number] if number < len(level.separators) else ""
        found = [
            ((*before, value), rest[len(written) + len(mark) :])
            for before, rest in found
            for value, written in zip(placeholder.values, placeholder.written, strict=True)
            if rest.startswith(written + mark)
        ]
    return [values for values, rest in found if not rest]


def test_every_path_is_read_back_in_one_way_only() -> None:
    for number in range(1, 31):
        specification = design.specification(number)
        files = paths(specification)
        assert list(files.texts) == sorted(set(files.texts))
        assert len(files.texts) == specification.files == len(files.places)
        for text, places in zip(files.texts, files.places.tolist(), strict=True):
            true = {each.name: each.values[n] for each, n in zip(files.placeholders, places, strict=True)}
            assert read_back(specification, text) == true
            parts = text.removesuffix(f".{specification.extension}").split("/")
            readings = [every_reading(*each) for each in zip(specification.levels, parts, strict=True)]
            assert [value for (values,) in readings for value in values] == list(true.values())


def test_paths_that_follow_no_scheme_are_refused() -> None:
    specification = design.specification(2)
    path = paths(specification).texts[0]
    for wrong in (
        "",
        "/",
        path + "x",
        "x" + path,
        path.replace("/", "//"),
        path.rpartition("/")[0],
        "README.md",
    ):
        with pytest.raises(LabrigError, match="scheme"):
            read_back(specification, wrong)


@pytest.mark.parametrize(
    ("written", "mark", "apart"),
    [
        (("promoter_swap", "knockout"), "_", True),
        (("a", "a_b"), "_", False),
        (("a", "a_b"), "-", True),
        (("1", "10", "11"), "-", True),
        (("1", "10"), "", False),
        (("x", "x"), "_", False),
        (("a", "aZ", "a_", "b"), "_", False),
    ],
)
def test_a_separator_must_leave_values_apart(written: tuple[str, ...], mark: str, apart: bool) -> None:
    assert readable(written, mark) is apart


def test_a_level_takes_a_separator_that_leaves_its_values_apart() -> None:
    first = Placeholder("dose", "dose", "ordered", ("low", "low_x", "low-x"), ("low", "low_x", "low-x"))
    last = Placeholder("plate", "plate", "categorical", ("a", "b"), ("a", "b"))
    for number in range(20):
        (mark,) = layout._level(Draws("test", str(number)), (first, last)).separators
        assert mark in ("__", "--")
        level = Level((first, last), (mark,))
        for one in first.written:
            assert every_reading(level, f"{one}{mark}a") == [(one, "a")]


def test_ten_thousand_paths() -> None:
    number = next(n for n in range(1, 200) if design.specification(n).possible > 20_000)
    specification = replace(design.specification(number), files=10_000)
    files = paths(specification)
    assert len(set(files.texts)) == 10_000
    assert len({tuple(each) for each in files.places.tolist()}) == 10_000
    for n, placeholder in enumerate(files.placeholders):  # every value is used, about as often as the others
        counts = np.bincount(files.places[:, n], minlength=len(placeholder.values))
        assert stats.chisquare(counts).pvalue > 1e-6


def test_matching_is_what_reading_every_path_gives() -> None:
    checked = 0
    for number in range(1, 40):
        specification = design.specification(number)
        files = paths(specification)
        wanted = {each.name: set(each.values[:2]) for each in specification.placeholders[:2]}
        true = [
            n
            for n, text in enumerate(files.texts)
            if all(read_back(specification, text)[name] in values for name, values in wanted.items())
        ]
        assert files.matching(wanted).tolist() == true
        checked += len(true) > 0
    assert checked > 30
    assert len(files.matching({})) == len(files.texts)
    assert len(files.matching({specification.placeholders[0].name: ["no such value"]})) == 0
    with pytest.raises(LabrigError, match="path variable"):
        files.matching({"no_such_name": ["x"]})


def test_dates_in_paths_leave_no_doubt(specifications: list[Specification]) -> None:
    """A month is never taken for a day: where the form allows it, all days are past the twelfth."""
    forms: Counter[str] = Counter()
    for specification in specifications:
        for each in specification.placeholders:
            if each.kind != "date":
                continue
            forms[each.form] += 1
            for value, written in zip(each.values, each.written, strict=True):
                year, month, day = value.split("-")
                assert year in written and day in written
                if each.form in ("as MM_DD_YYYY", "as DD-MM-YYYY"):
                    assert int(day) > 12 and month in written
    assert len(forms) == 6


def test_values_are_written_as_the_scheme_says(specifications: list[Specification]) -> None:
    """What the README's scheme puts before a placeholder stands before each of its values."""
    labels = 0
    for specification in specifications:
        for each in specification.placeholders:
            assert f"{each.label}{{{each.name}}}" in specification.scheme
            assert all(one.startswith(each.label) for one in each.written)
            labels += each.label.endswith("=")
            if each.kind not in ("date", "sequence"):
                assert each.written == tuple(each.label + one for one in each.values)
            if each.kind == "sequence":
                assert [int(one.removeprefix(each.label)) for one in each.written] == list(
                    map(int, each.values)
                )
    assert labels > 0


def test_numbers_of_conditions_are_in_their_text(specifications: list[Specification]) -> None:
    for specification in specifications:
        for each in specification.placeholders:
            for text, value in zip(each.numbers, each.values, strict=False):
                assert math.isfinite(float(text))
                assert text in value or float(text) == float("".join(c for c in value if c in "0123456789."))


def test_a_specification_is_a_function_of_its_number() -> None:
    design.specification.cache_clear()
    first = design.specification(118)
    design.specification.cache_clear()
    assert design.specification(118) == first
    assert isinstance(paths(first), Paths)
    assert first.id == "isg/1:118"
