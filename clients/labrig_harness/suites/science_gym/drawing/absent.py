"""What a field has and a repository has not: placeholders and columns that nothing in it resembles."""

from __future__ import annotations

import re
from collections.abc import Callable

from labrig_harness.suites.science_gym.drawing.parts import TRIES
from labrig_harness.suites.science_gym.question import Condition
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.taxonomy import Categorical, Dependent, Drawn, Field, load


def placeholder(repository: GeneratedRepository, draws: Draws) -> Condition | None:
    """Return a condition on a placeholder that neither paths nor columns have, with a value that no path holds."""
    field = _field(repository)
    alike = _likeness(repository)
    able = [each for each in field.paths if not alike(each.name, each.about)]
    paths = "\n".join(repository.files.texts).lower()
    for each in draws.some(able, TRIES):
        values = [value for value in each.levels if len(value) > 2 and value.lower() not in paths]
        if values:
            return Condition(each.name, "in", (draws.one(values),))
    return None


def column(repository: GeneratedRepository, draws: Draws, numeric: bool) -> str | None:
    """Return the name of a column of the field that the repository has not, nor anything like it."""
    field = _field(repository)
    alike = _likeness(repository)
    words: list[Categorical | Drawn | Dependent] = [*field.numbers, *field.dependents]
    if not numeric:
        words = [*field.categories]
    able = [each.name for each in words if not alike(each.name, each.about)]
    return draws.one(able) if able else None


def _field(repository: GeneratedRepository) -> Field:
    return next(each for each in load() if each.name == repository.specification.context.field)


def _likeness(repository: GeneratedRepository) -> Callable[[str, str], bool]:
    """Return what says whether a name or a description shares a word with what the repository has."""
    specification = repository.specification
    has = [(each.name, each.about) for each in specification.variables]
    has += [(each.name, each.about) for each in specification.placeholders]
    known = set().union(*(_words(name) | _words(about) for name, about in has))
    return lambda name, about: bool((_words(name) | _words(about)) & known)


COMMON = frozenset(
    "a an and at by for from in index is level mean number of on per rate share the to with".split()  # noqa: SIM905
)
"""Words that make no two descriptions alike."""


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{2,}", text.lower())) - COMMON
