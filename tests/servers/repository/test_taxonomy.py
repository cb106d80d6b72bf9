"""The taxonomy is of the size it says, and its words can be used as they are: in paths, heads, cells and sentences."""

from __future__ import annotations

import io
import itertools
import json
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from labrig_repository.gym.taxonomy.field import SLOTS, Domain, Drawn, Field, PathVariable, Phrases, RowNumber
from labrig_repository.gym.taxonomy.loading import load

PAPER = {  # Table 2: domains, subdomains
    "Computer Science": (11, 41),
    "Engineering - Bioengineering": (9, 32),
    "Engineering - Chemical and Materials": (7, 31),
    "Engineering - Civil and Environmental": (9, 25),
    "Engineering - Electrical and Computer": (17, 59),
    "Engineering - Industrial and Systems": (8, 24),
    "Engineering - Mechanical and Aerospace": (9, 29),
    "Life Science - Agricultural and Plant": (19, 49),
    "Life Science - Biology": (9, 45),
    "Life Science - Biomedical and Health": (25, 68),
    "Life Science - Neuroscience": (17, 48),
    "Natural - Astronomy and Space": (6, 34),
    "Natural - Chemistry": (12, 43),
    "Natural - Earth and Environmental": (18, 59),
    "Natural - Physics": (18, 47),
    "Social - Economics": (8, 18),
    "Social - Education": (9, 21),
    "Social - Geography and Demography": (6, 21),
    "Social - Political Science": (6, 20),
    "Social - Psychology and Cognitive": (9, 27),
    "Social - Sociology and Anthropology": (9, 21),
    "Math - Statistics and Applied": (3, 18),
}
HEAD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,23}")
PATH_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,11}")
PATH_LEVEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*(\.[0-9]+[A-Za-z0-9]*)?")
PLAIN = re.compile(r"[A-Za-z0-9 ,.;:()/'=?{}_%-]+")
PARAMETERS = {
    "Bernoulli": 1,
    "Binomial": 2,
    "Geometric": 1,
    "NegativeBinomial": 2,
    "Poisson": 1,
    "Beta": 2,
    "Exponential": 1,
    "Normal": 2,
    "Uniform": 0,
}
WHOLE = {"Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"}


def each_field() -> list[Any]:
    return [pytest.param(field, id=field.name) for field in load()]


def columns(field: Field) -> Iterator[str]:
    for part in (
        field.categories,
        field.numbers,
        field.dependents,
        field.thresholds,
        field.identifiers,
        field.moments,
    ):
        yield from (each.name for each in part)


def views(field: Field) -> Iterator[tuple[Domain, Field]]:
    return ((domain, field.within(domain)) for domain in field.domains)


def distinct(texts: Iterable[str]) -> bool:
    listed = [text.casefold() for text in texts]
    return len(set(listed)) == len(listed)


def test_fields_domains_and_subdomains_are_as_many_as_in_the_paper() -> None:
    counts = {each.name: (len(each.domains), sum(len(d.subdomains) for d in each.domains)) for each in load()}
    assert list(counts) == list(PAPER)
    assert counts == PAPER
    assert [sum(column) for column in zip(*counts.values(), strict=True)] == [244, 780]


@pytest.mark.parametrize("field", each_field())
def test_no_domain_and_no_subdomain_stands_twice(field: Field) -> None:
    assert distinct(domain.name for domain in field.domains)
    assert distinct(itertools.chain.from_iterable(domain.subdomains for domain in field.domains))
    for domain in field.domains:
        assert len(domain.subjects) >= 3
        assert distinct(domain.subjects)
        for text in (domain.name, *domain.subdomains, *domain.subjects):
            assert PLAIN.fullmatch(text), text
            assert text == text.strip()


@pytest.mark.parametrize("field", each_field())
def test_there_are_enough_variables_for_the_field_and_for_each_domain(field: Field) -> None:
    assert len(field.paths) >= 12
    assert len(field.categories) + len(field.numbers) >= 25
    assert len(field.dependents) + len(field.thresholds) >= 20
    for domain, view in views(field):
        found = (
            len(view.paths),
            len(view.categories),
            sum(n.whole for n in view.numbers),
            sum(not n.whole for n in view.numbers),
            len(view.dependents),
            len(view.thresholds),
            len(view.identifiers),
            len(view.moments),
            len(view.settings),
            len(view.methods),
        )
        enough = (8, 4, 4, 5, 7, 1, 2, 1, 3, 4)
        assert all(a >= b for a, b in zip(found, enough, strict=True)), (domain.name, found)
        assert sum(not path.nuisance for path in view.paths) >= 6, domain.name


@pytest.mark.parametrize("field", each_field())
def test_strands_are_those_of_the_domains(field: Field) -> None:
    known = {domain.strand for domain in field.domains}
    parts = (
        field.paths,
        field.categories,
        field.numbers,
        field.dependents,
        field.thresholds,
        field.identifiers,
        field.moments,
        field.settings,
        field.methods,
    )
    named = {strand for part in parts for each in part for strand in each.strands}
    assert named == known - {""}
    assert "" not in known or known == {""}
    for domain in field.domains:  # what it leaves out is there to be left out
        whole = field.within(replace(domain, without=frozenset()))
        assert domain.without <= {*columns(whole), *(path.name for path in whole.paths)}, domain.name


@pytest.mark.parametrize("field", each_field())
def test_names_are_heads_of_columns_and_distinct_in_the_field(field: Field) -> None:
    names = [*columns(field), *(path.name for path in field.paths)]
    assert distinct(names), sorted(n for n in names if names.count(n) > 1)
    for name in columns(field):
        assert HEAD.fullmatch(name), name
    timed = {moment.name for moment in field.moments}
    for name in set(columns(field)) - timed:  # pandas.read_json makes dates of these, whatever they hold
        assert not name.lower().startswith("timestamp") and name.lower() not in ("date", "modified"), name
        assert not name.lower().endswith(("_at", "_time")), name


@pytest.mark.parametrize("field", each_field())
def test_path_names_and_levels_can_be_told_apart_in_a_path(field: Field) -> None:
    for path in field.paths:
        assert PATH_NAME.fullmatch(path.name), path.name
        assert 3 <= len(path.levels) <= 8
        assert distinct(path.levels)
        for level in path.levels:
            assert PATH_LEVEL.fullmatch(level), level
    for domain, view in views(field):
        names = [path.name.casefold() for path in view.paths]
        assert not [(a, b) for a, b in itertools.permutations(names, 2) if b.startswith(a)], domain.name
        levels = [level for path in view.paths for level in path.levels]
        assert distinct(levels), (domain.name, sorted(x for x in levels if levels.count(x) > 1))


@pytest.mark.parametrize("field", each_field())
def test_levels_that_are_numbers_rise_and_read_as_their_values(field: Field) -> None:
    for path in field.paths:
        if path.kind == "number":
            assert list(path.values) == sorted(set(path.values)), path.name
            assert all(
                f"{value:.12g}" in level for value, level in zip(path.values, path.levels, strict=True)
            ), path
        else:
            assert path.values == () and path.unit == "", path.name


@pytest.mark.parametrize("field", each_field())
def test_categories_have_positive_weights_and_keep_their_texts_in_pandas(field: Field) -> None:
    pandas = pytest.importorskip("pandas")
    for column in (*field.categories, *field.thresholds):
        assert len(column.levels) >= (3 if column in field.categories else 2), column.name
        assert distinct(column.levels)
        assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", level) for level in column.levels), column.levels
    levels = sorted({level for column in (*field.categories, *field.thresholds) for level in column.levels})
    alone = {
        f"c{n}": level for n, level in enumerate(levels)
    }  # a column each, so that no level protects another
    kept = {head: [level, level] for head, level in alone.items()}
    csv = ",".join(alone) + "\n" + 2 * (",".join(levels) + "\n")
    assert pandas.read_csv(io.StringIO(csv)).to_dict("list") == kept
    assert pandas.read_json(io.StringIO(json.dumps([alone, alone]))).to_dict("list") == kept
    for category in field.categories:
        assert len(category.weights) == len(category.levels)
        assert all(isinstance(weight, int) and weight > 0 for weight in category.weights), category.name


@pytest.mark.parametrize("field", each_field())
def test_parameters_are_in_range_and_bounds_hold_the_bulk(field: Field) -> None:
    for number in field.numbers:
        draw = number.draw
        assert len(draw.parameters) == PARAMETERS[draw.distribution], number.name
        assert number.whole == (draw.distribution in WHOLE), number.name
        assert number.low < number.high
        assert 0 <= number.decimals <= 6
        for bound in (number.low, number.high):
            assert round(bound, number.decimals) == bound, number.name
        assert share_within(number) >= 0.98, (number.name, share_within(number))


def share_within(number: Drawn) -> float:
    """Return the probability that a value lies within the bounds, before anything is brought to them."""
    stats = pytest.importorskip("scipy.stats")
    low, high, p = number.low, number.high, number.draw.parameters
    positive = p[1:] if number.draw.distribution == "Normal" else p
    assert all(parameter > 0 for parameter in positive), number.name
    if number.draw.distribution in ("Beta", "NegativeBinomial"):  # so that both can be made without a power
        assert all(
            parameter * 2 % 1 == 0 for parameter in p[: 2 if number.draw.distribution == "Beta" else 1]
        )
    match number.draw.distribution:
        case "Beta" | "Uniform":
            return 1.0
        case "Exponential":
            law = stats.expon(low, p[0])
        case "Normal":
            law = stats.norm(p[0], p[1])
        case "Bernoulli":
            law = stats.bernoulli(p[0])
        case "Binomial":
            law = stats.binom(p[0], p[1])
        case "Geometric":
            law = stats.geom(p[0])
        case "NegativeBinomial":
            law = stats.nbinom(p[0], p[1])
        case "Poisson":
            law = stats.poisson(p[0])
    share = law.cdf(high) - law.cdf(low - 1 if number.whole else low)
    return 0.0 if share != share else float(share)  # scipy answers a parameter out of range with NaN


@pytest.mark.parametrize("field", each_field())
def test_dependents_have_drivers_in_every_domain_that_sees_them(field: Field) -> None:
    paths = {path.name: path for path in field.paths}
    known = {*paths, *(each.name for each in field.categories), *(each.name for each in field.numbers)}
    texts = {each.name for each in field.categories} | {
        p.name for p in field.paths if p.kind == "categorical"
    }
    for dependent in field.dependents:
        assert dependent.low < dependent.high
        assert dependent.decimals == 0 or not dependent.whole
        for bound in (dependent.low, dependent.high):
            assert round(bound, dependent.decimals) == bound, dependent.name
        names = [driver.name for driver in dependent.drivers]
        assert distinct(names) and set(names) <= known, (dependent.name, set(names) - known)
        for driver in dependent.drivers:
            assert driver.sign in "+-~"
            assert driver.sign == "~" or driver.name not in texts, (dependent.name, driver.name)
    for domain, view in views(field):
        seen = {each.name for each in (*view.paths, *view.categories, *view.numbers)}
        inside = {each.name for each in (*view.categories, *view.numbers)}
        for dependent in view.dependents:
            drivers = {driver.name for driver in dependent.drivers}
            assert len(drivers & seen) >= 2, (domain.name, dependent.name, drivers & seen)
            assert drivers & inside, (domain.name, dependent.name)


@pytest.mark.parametrize("field", each_field())
def test_thresholds_cut_a_dependent_that_stands_beside_them(field: Field) -> None:
    for _, view in views(field):
        sources = {dependent.name: dependent for dependent in view.dependents}
        for threshold in view.thresholds:
            source = sources[threshold.source]
            assert len(threshold.levels) == len(threshold.cuts) + 1
            assert list(threshold.cuts) == sorted(set(threshold.cuts))
            assert source.low < threshold.cuts[0] and threshold.cuts[-1] < source.high


@pytest.mark.parametrize("field", each_field())
def test_identifiers_are_texts_for_a_parser_and_moments_hold_only_known_signs(field: Field) -> None:
    for identifier in field.identifiers:
        first = identifier.pieces[0]
        assert not isinstance(first, RowNumber) and all(text[0].isalpha() for text in first), identifier.name
        for piece in identifier.pieces:
            if not isinstance(piece, RowNumber):
                assert piece and distinct(piece)
                assert all(re.fullmatch(r"[A-Za-z0-9_-]+", text) for text in piece), identifier.name
    for moment in field.moments:
        assert set(re.findall("%.", moment.form)) <= {"%Y", "%m", "%d", "%H", "%M", "%S"}
        assert moment.form.startswith("%Y-%m-%d") and moment.step_s > 0
        assert moment.step_s % 86400 == 0 or "%H" in moment.form, moment.name


@pytest.mark.parametrize("field", each_field())
def test_units_and_descriptions_are_plain(field: Field) -> None:
    described = (
        *field.paths,
        *field.categories,
        *field.numbers,
        *field.dependents,
        *field.thresholds,
        *field.identifiers,
        *field.moments,
    )
    for each in described:
        assert PLAIN.fullmatch(each.about) and not each.about.endswith("."), each.name
        assert "{" not in each.about
    for _, view in views(field):
        abouts = [each.about for each in (*view.paths, *view.categories, *view.numbers, *view.dependents)]
        assert distinct(abouts), sorted(a for a in abouts if abouts.count(a) > 1)
    for measured in (*field.numbers, *field.dependents, *(p for p in field.paths if p.unit)):
        assert isinstance(measured, PathVariable) or measured.unit.isascii()
        assert "<" not in measured.unit and "&" not in measured.unit


@pytest.mark.parametrize("field", each_field())
def test_phrases_have_known_slots_and_are_enough(field: Field) -> None:
    for part in fields(Phrases):
        patterns: tuple[str, ...] = getattr(field.phrases, part.name)
        assert 5 <= len(patterns) <= (12 if part.name == "titles" else 8), part.name
        assert distinct(patterns)
        for pattern in patterns:
            slots = {name for _, name, _, _ in string.Formatter().parse(pattern) if name is not None}
            assert slots <= SLOTS, pattern
            assert PLAIN.fullmatch(pattern), pattern
            assert pattern.endswith(".") == (part.name != "titles"), pattern


def test_no_two_fields_share_a_subject_or_their_own_patterns() -> None:
    subjects = [s for field in load() for domain in field.domains for s in domain.subjects]
    assert distinct(subjects), sorted(s for s in subjects if subjects.count(s) > 1)
    shared = set.intersection(*(set(field.phrases.aims) for field in load()))
    own = [pattern for field in load() for pattern in field.phrases.aims if pattern not in shared]
    assert distinct(own)


def test_load_gives_the_same_object_again() -> None:
    assert load() is load()
