"""What the makers of questions share: queries and answers to begin with, files, rows, kinds of columns."""

from __future__ import annotations

import re

from labrig_repository.gym.columns import Cells
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.specification import FileVariable
from labrig_repository.gym.values import Decimal, Levels
from labrig_suites.science_gym.drawing.form import Form
from labrig_suites.science_gym.question import NOT_POSSIBLE, Expected, Query, Type

Made = tuple[Query, Expected] | None
TRIES = 12


def about(repository: GeneratedRepository, type: Type) -> Query:
    """Return a question of a type about nothing in particular yet."""
    return Query(repository.name, type, scheme(repository))


def scheme(repository: GeneratedRepository) -> str:
    """Return the regular expression of the paths, a group for each placeholder, as it is written."""
    specification = repository.specification
    levels = []
    for level in specification.levels:
        groups = [
            f"(?P<{each.name}>{'|'.join(map(re.escape, sorted(each.written, key=len, reverse=True)))})"
            for each in level.placeholders
        ]
        marks = [re.escape(each) for each in level.separators]
        levels.append(
            groups[0] + "".join(mark + group for mark, group in zip(marks, groups[1:], strict=True))
        )
    return "/".join(levels) + rf"\.{specification.extension}"


def impossible(reason: str, digits: int = 0, choices: tuple[str, ...] = ()) -> Expected:
    """Return the answer of a question that the repository does not answer."""
    return Expected("impossible", NOT_POSSIBLE, choices, digits, reason)


def a_path(repository: GeneratedRepository, draws: Draws, missing: bool = False) -> str | None:
    """Return the path of a file, or one that follows the scheme and is not there."""
    if not missing:
        return draws.one(repository.files.texts)
    there = set(repository.files.texts)
    for _ in range(TRIES * 4):
        parts = []
        for level in repository.specification.levels:
            values = [draws.one(each.written) for each in level.placeholders]
            parts.append(
                values[0]
                + "".join(mark + value for mark, value in zip(level.separators, values[1:], strict=True))
            )
        path = f"{'/'.join(parts)}.{repository.specification.extension}"
        if path not in there:
            return path
    return None


def rows_of(repository: GeneratedRepository, path: str) -> Cells:
    """Return the rows of a file."""
    return repository.cells([repository.place(path)])


def numbers(repository: GeneratedRepository, *, unitless: bool = False) -> list[str]:
    """Return the names of the columns of numbers, or of those that have no unit."""
    able = repository.specification.variables
    return [each.name for each in able if isinstance(each.form, Decimal) and not (unitless and each.unit)]


def askable(repository: GeneratedRepository, form: Form) -> list[str]:
    """Return the columns that a question of a form may ask about first."""
    if form.statistic in ("mode", "chi-square", "anova", "kruskal-wallis"):
        return categories(repository)
    return numbers(repository, unitless=form.unitless)


def categories(repository: GeneratedRepository) -> list[str]:
    """Return the names of the columns of categories."""
    return [each.name for each in repository.specification.variables if isinstance(each.form, Levels)]


def texts(repository: GeneratedRepository) -> list[str]:
    """Return the names of columns of texts that nobody would take for numbers.

    Labels, but none that is described as a number ("run number": R0001), and categories of three levels or more, but
    none with a number in each (cap54, cap56, cap58).
    """
    return [each.name for each in repository.specification.variables if _no_number(each)]


def _no_number(variable: FileVariable) -> bool:
    if variable.role == "identifier":
        return "number" not in variable.about
    form = variable.form
    return (
        isinstance(form, Levels)
        and len(form.texts) > 2
        and not all(any(map(str.isdigit, each)) for each in form.texts)
    )
