"""From the number of a repository to its specification: context, columns, paths, words, number of files.

Each step draws from a stream of its own, named by the id and the step. Nothing is read but the taxonomy, nothing
is asked of a model.
"""

from __future__ import annotations

import datetime
import functools
import math
from collections.abc import Sequence

import numpy as np

from labrig_repository.gym import distributions, effects, layout, wording
from labrig_repository.gym.encoding import EXTENSIONS
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.specification import (
    Clock,
    Computed,
    Context,
    Cut,
    FileVariable,
    Label,
    Level,
    Number,
    Placeholder,
    Readme,
    Specification,
    Weighted,
)
from labrig_repository.gym.taxonomy.field import (
    Categorical,
    Dependent,
    Domain,
    Drawn,
    Field,
    Identifier,
    Moment,
    RowNumber,
    Threshold,
)
from labrig_repository.gym.taxonomy.loading import load
from labrig_repository.gym.values import Decimal, Labels, Levels, Moments, mantissa

VERSION = 1
"""Of everything that decides a byte or a truth. A change in any of it is a new version."""
FEWEST_COLUMNS, MOST_COLUMNS = 7, 20
FEWEST_FILES, MOST_FILES = 15, 10_000
FILES_BETA = (1.05, 25.0)
"""The paper, appendix A.2: l + Beta(1.05, 25) (min(h, h_max) - l) with l = 15 and h = 10,000."""
MOST_WORKBOOKS = 2_000
"""Workbooks are read at some 50 to 170 a second inside the sandbox, whose calls last 60 s at most."""


def repository_id(number: int) -> str:
    """Return the id of a repository of this version."""
    return f"isg/{VERSION}:{number}"


@functools.lru_cache(maxsize=128)
def specification(number: int) -> Specification:
    """Return the specification of a repository of this version."""
    name = repository_id(number)
    field, domain, context = _context(number)
    field = field.within(domain)
    chosen = _Chosen(Draws(name, "columns"), field)
    levels = layout.levels(Draws(name, "paths"), field, chosen.names(), bool(chosen.moments))
    placeholders = tuple(each for level in levels for each in level.placeholders)
    variables = _variables(Draws(name, "effects"), chosen, placeholders)
    words = wording.slots(Draws(name, "words"), field, domain, context, placeholders, variables)
    extension = Draws(name, "extension").one(EXTENSIONS)
    return Specification(
        name,
        context,
        wording.title(Draws(name, "title"), field, words),
        wording.abstract(Draws(name, "abstract"), field, words),
        _readme(Draws(name, "readme")),
        levels,
        extension,
        _files(Draws(name, "files"), levels, extension),
        variables,
    )


def context(number: int) -> Context:
    """Return the subject of a repository, in a hundredth of the time of its specification."""
    return _context(number)[2]


def _context(number: int) -> tuple[Field, Domain, Context]:
    draws = Draws(repository_id(number), "context")
    field = draws.one(load())
    domain = draws.one(field.domains)
    return field, domain, Context(field.name, domain.name, draws.one(domain.subdomains))


def _readme(draws: Draws) -> Readme | None:
    """Return what the README says: one repository in two has one, and each of its parts is there as often."""
    if not draws.chance(1, 2):
        return None
    return Readme(draws.chance(1, 2), draws.chance(1, 2), draws.chance(1, 2))


def _files(draws: Draws, levels: Sequence[Level], extension: str) -> int:
    possible = math.prod(len(each.values) for level in levels for each in level.placeholders)
    word = np.array([draws.word()], dtype=np.uint64)
    share = float(distributions.beta(*FILES_BETA, word)[0])
    count = FEWEST_FILES + int(share * (min(MOST_FILES, possible) - FEWEST_FILES))
    return min(count, MOST_WORKBOOKS) if extension == "xlsx" else count


class _Chosen:
    """The columns of a repository as the taxonomy has them.

    Outcomes are chosen first, then a driver for each, then what fills the table: so that every outcome has
    something in the file that it depends on.
    """

    def __init__(self, draws: Draws, field: Field) -> None:
        total = draws.between(FEWEST_COLUMNS, MOST_COLUMNS)
        self.identifiers = draws.some(field.identifiers, draws.between(1, 2 if total > 8 else 1))
        self.moments = draws.some(field.moments, draws.between(0, 1))
        data = total - len(self.identifiers) - len(self.moments)
        smooth = [each for each in field.dependents if not each.whole]
        self.outcomes = draws.some(smooth, 2)
        others = [each for each in field.dependents if each not in self.outcomes]
        self.outcomes += draws.some(others, draws.between(0, max(data // 2 - 2, 0)))
        sources = {each.name: each for each in self.outcomes}
        possible = [each for each in field.thresholds if _divides(each, sources.get(each.source))]
        self.cuts = draws.some(possible, 1) if data > 5 and draws.chance(1, 2) else []
        self.independent = self._independent(draws, field, data - len(self.outcomes) - len(self.cuts))

    def _independent(self, draws: Draws, field: Field, count: int) -> list[Categorical | Drawn]:
        words: list[Categorical | Drawn] = [*field.categories, *field.numbers]
        known = {each.name: each for each in words}
        wanted: list[str] = []
        for outcome in self.outcomes:
            drivers = [each.name for each in outcome.drivers if each.name in known]
            wanted += draws.some(drivers, 1)
        wanted.insert(2, draws.one([each.name for each in field.categories]))
        wanted.insert(3, draws.one([each.name for each in field.numbers if not each.whole]))
        wanted += draws.some(tuple(known), len(known))
        return draws.some([known[each] for each in list(dict.fromkeys(wanted))[:count]], count)

    def names(self) -> set[str]:
        """Return the names of all columns."""
        columns = (*self.identifiers, *self.moments, *self.independent, *self.outcomes, *self.cuts)
        return {each.name for each in columns}


def _divides(threshold: Threshold, outcome: Dependent | None) -> bool:
    """Return whether a cut lies in the middle half of the outcome's range, so that more than one level occurs."""
    if outcome is None:
        return False
    quarter = (outcome.high - outcome.low) / 4
    return any(outcome.low + quarter < each < outcome.high - quarter for each in threshold.cuts)


def _variables(
    draws: Draws, chosen: _Chosen, placeholders: Sequence[Placeholder]
) -> tuple[FileVariable, ...]:
    """Return the columns, in the order of the file."""
    dates = [each.name for each in placeholders if each.kind == "date" or each.name == layout.YEAR]
    made = [_identifier(each) for each in chosen.identifiers]
    made += [_moment(draws, each, dates) for each in chosen.moments]
    made += [
        _category(column) if isinstance(column, Categorical) else _number(column)
        for column in chosen.independent
    ]
    candidates: list[FileVariable | Placeholder] = [*made, *placeholders]
    present = {each.name: each for each in candidates}
    outcomes = [_outcome(draws, each, present) for each in chosen.outcomes]
    return (*made, *outcomes, *(_cut(each, outcomes) for each in chosen.cuts))


def _identifier(word: Identifier) -> FileVariable:
    pieces = tuple(each.width if isinstance(each, RowNumber) else each for each in word.pieces)
    return FileVariable(word.name, word.about, "identifier", "", Labels(pieces), Label())


def _moment(draws: Draws, word: Moment, dates: Sequence[str]) -> FileVariable:
    first = (layout.FIRST_DAY - datetime.date(1970, 1, 1)).days + draws.below(layout.DAYS)
    clock = Clock(word.step_s, draws.one(dates) if dates else "", first, draws.between(30, 400))
    return FileVariable(word.name, word.about, "datetime", "", Moments(word.form), clock)


def _category(word: Categorical) -> FileVariable:
    return FileVariable(word.name, word.about, "independent", "", Levels(word.levels), Weighted(word.weights))


def _number(word: Drawn) -> FileVariable:
    bounds = mantissa(word.low, word.decimals), mantissa(word.high, word.decimals)
    source = Number(word.draw, word.low, word.high, *bounds)
    return FileVariable(word.name, word.about, "independent", word.unit, Decimal(word.decimals), source)


def _outcome(draws: Draws, word: Dependent, present: dict[str, FileVariable | Placeholder]) -> FileVariable:
    computed = Computed(effects.expression(draws, word, present))
    return FileVariable(word.name, word.about, "dependent", word.unit, Decimal(word.decimals), computed)


def _cut(word: Threshold, outcomes: Sequence[FileVariable]) -> FileVariable:
    (source,) = (each for each in outcomes if each.name == word.source)
    assert isinstance(source.form, Decimal)
    cuts = tuple(mantissa(each, source.form.decimals) for each in word.cuts)
    return FileVariable(word.name, word.about, "dependent", "", Levels(word.levels), Cut(word.source, cuts))
