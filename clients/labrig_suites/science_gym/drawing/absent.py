"""What a field has and a repository has not: columns that nothing in it resembles.

Nor may anything in it tell them: years and seasons follow from dates, a wage from income and hours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from labrig_repository.gym.design import context, specification
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.specification import Specification
from labrig_repository.gym.taxonomy.field import Categorical, Dependent, Drawn, Field
from labrig_repository.gym.taxonomy.loading import load

MOST_NUMBER = 999_999_999
"""Of a repository."""
MATES, MOST_SEEN = 24, 20_000
"""Repositories of the same domain that are looked at for one without a column, and those of any domain."""


def column(repository: GeneratedRepository, draws: Draws, numeric: bool) -> str | None:
    """Return the name of a column of the field that the repository has not, nor anything like it."""
    alike = likeness(repository.specification)
    for field in _fields(repository):
        words: list[Categorical | Drawn | Dependent] = [*field.numbers, *field.dependents]
        if not numeric:
            words = [*field.categories]
        able = [each.name for each in words if not alike(each.name, each.about)]
        if able:
            return draws.one(able)
    return None


def _fields(repository: GeneratedRepository) -> tuple[Field, Field]:
    """Return what suits the domain, since what does not would be known to be missing; then the whole field."""
    context = repository.specification.context
    whole = next(each for each in load() if each.name == context.field)
    return whole.within(next(each for each in whole.domains if each.name == context.domain)), whole


def without(draws: Draws, repository: GeneratedRepository, name: str) -> Iterator[Specification]:
    """Give repositories of the same domain that have not a column of this one, nor anything like it.

    Of a column that a question asks about, and of one that it misses, there is a repository with and one without: so
    both are the same columns, as often.
    """
    here = repository.specification.context
    field = next(each for each in load() if each.name == here.field)
    words: list[Categorical | Drawn | Dependent] = [*field.numbers, *field.dependents, *field.categories]
    about = next((each.about for each in words if each.name == name), None)
    mates = 0
    for _ in range(MOST_SEEN if about is not None else 0):
        number = draws.between(1, MOST_NUMBER)
        other = context(number)
        if (other.field, other.domain) != (here.field, here.domain):
            continue
        design = specification(number)
        if not likeness(design)(name, about or ""):
            yield design
        mates += 1
        if mates == MATES:
            return


def likeness(specification: Specification) -> Callable[[str, str], bool]:
    """Return what says whether a name or a description shares a word with what a repository has."""
    has = [(each.name, each.about) for each in specification.variables]
    has += [(each.name, each.about) for each in specification.placeholders]
    known = set().union(*(_words(name) | _words(about) for name, about in has))
    dated = any(each.kind == "date" for each in specification.placeholders)
    if dated or any(each.role == "datetime" for each in specification.variables):
        known |= CALENDAR
    return lambda name, about: bool((_words(name) | _words(about)) & known)


COMMON = frozenset(
    "a an and at by for from in index is level mean number of on per rate share the to with".split()  # noqa: SIM905
)
"""Words that make no two descriptions alike."""
CALENDAR = frozenset({"day", "hour", "month", "moon", "season", "term", "week", "year"})
"""What dates and times tell as well: an agent that is asked for files of 2019 finds them by their dates."""
ALIKE = (
    ("run", "repeat", "replicate", "trial"),  # run 2 may be called repeat 2
    ("wave", "round"),
    ("accuracy", "error", "errors", "wrong"),  # one less the other
    ("income", "wage", "consumption", "saving"),  # income less consumption, income by hours
    ("wealth", "assets"),
    ("score", "correct"),  # items answered correctly
    ("yield", "turnover"),  # yield by catalyst loading
    ("cycle", "finished"),  # units per hour
    ("headway", "vehicles"),  # vehicles in 15 min
    ("sky", "cloud"),  # overcast is eight eighths
    ("easting", "northing", "grid"),  # E100N204
    ("born", "birth", "origin"),
)
"""Different words that may mean the same, or follow one from the other."""
_FIRST = {word: words[0] for words in ALIKE for word in words}


def _words(text: str) -> set[str]:
    found = set(re.findall(r"[a-z]{2,}", text.lower())) - COMMON
    return {_FIRST.get(word, word) for word in found}
