"""The tree of folders and file names: which placeholders stand in which level, and how their values are written."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Iterable
from dataclasses import replace

from labrig_repository.gym.expressions import number
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.paths import readable
from labrig_repository.gym.specification import Level, Placeholder
from labrig_repository.gym.taxonomy.field import Field, PathVariable

FEWEST_LEVELS, MOST_LEVELS = 2, 4
FEWEST_PLACES, MOST_PLACES = 1, 3
"""Levels of the tree and placeholders in a level, as in the released code of the paper."""
FEWEST_POSSIBLE = 100
"""Paths that the placeholders must allow, so that there is something to choose from."""
SEPARATORS = ("_", "-")
DATE_FORMS = {
    "%Y-%m-%d": "YYYY-MM-DD",
    "%Y%m%d": "YYYYMMDD",
    "%Y_%m_%d": "YYYY_MM_DD",
    "%m_%d_%Y": "MM_DD_YYYY",
    "%d-%m-%Y": "DD-MM-YYYY",
    "%d%b%Y": "DDmonYYYY",
}
FIRST_DAY = datetime.date(2016, 1, 1)
DAYS = 3300
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DATE_NAMES = ("date", "run_date", "day")
SEQUENCE_NAMES = ("seq_number", "run", "rep", "trial", "file_number")
SEQUENCE_WIDTHS = {1: "", 2: "with two digits", 3: "with three digits"}
PERSON_NAMES = ("operator", "observer", "recorded_by")
PEOPLE = ("akm", "bjs", "cfr", "dlw", "ehn", "gvp", "hto", "imk", "jdl", "kwz", "lpa", "mrc", "nsb", "vxe")
YEAR = "year"
CALENDAR = {YEAR, "season", "month", "hour"}
"""Conditions that a date could contradict. A column of times keeps to the year of the path (`columns`)."""


def levels(draws: Draws, field: Field, taken: Iterable[str], timed: bool) -> tuple[Level, ...]:
    """Return the levels of the paths of a repository.

    Parameters
    ----------
    field
        The words to choose from: those that suit the domain.
    taken
        Names of columns, which no placeholder may have.
    timed
        Whether there is a column of dates or times.
    """
    depth = draws.between(FEWEST_LEVELS, MOST_LEVELS)
    sizes = [draws.between(FEWEST_PLACES, MOST_PLACES) for _ in range(depth)]
    chosen = _placeholders(draws, field, sum(sizes), set(taken), timed)
    while sum(sizes) > len(chosen):
        sizes[sizes.index(max(sizes))] -= 1
    while sum(sizes) < len(chosen):
        sizes[sizes.index(min(sizes))] += 1
    rest = iter(chosen)
    return tuple(_level(draws, tuple(itertools.islice(rest, size))) for size in sizes)


def _placeholders(draws: Draws, field: Field, count: int, taken: set[str], timed: bool) -> list[Placeholder]:
    """Return `count` placeholders in the order of the path: fewer where the field has no more, more where
    these allow too few paths."""
    taken = taken | {each.name for each in field.paths}
    labelled, dated = draws.chance(1, 5), draws.chance(1, 2)
    first = [_person(draws, _free(draws, PERSON_NAMES, taken))] if draws.chance(1, 5) else []
    last = [_sequence(draws, _free(draws, SEQUENCE_NAMES, taken))] if draws.chance(2, 3) else []
    left_out = CALENDAR if dated else CALENDAR - {YEAR} if timed else set()
    words = [each for each in field.paths if each.name not in left_out]
    studied = [_studied(draws, each) for each in draws.some(words, len(words))]
    if dated:
        studied.insert(draws.between(1, 4), _date(draws, _free(draws, DATE_NAMES, taken)))
    if labelled:
        first, studied = [_labelled(each) for each in first], [_labelled(each) for each in studied]
    needed = max(count - len(first) - len(last), 1)
    while math.prod(len(each.values) for each in first + studied[:needed] + last) < FEWEST_POSSIBLE:
        needed += 1
    return first + studied[:needed] + last


def _free(draws: Draws, names: tuple[str, ...], taken: set[str]) -> str:
    return draws.one([each for each in names if each not in taken])


def _labelled(placeholder: Placeholder) -> Placeholder:
    """Return a placeholder whose values are written after its name, unless they begin with it as they are."""
    name = placeholder.name
    if any(each.lower().startswith(name.lower()) for each in placeholder.written):
        return placeholder
    written = tuple(f"{name}={each}" for each in placeholder.written)
    return replace(placeholder, written=written, label=f"{name}=")


def _studied(draws: Draws, variable: PathVariable) -> Placeholder:
    """Return the placeholder of a condition, with at least three of its levels."""
    count = draws.between(3, len(variable.levels))
    kept = sorted(draws.some(range(len(variable.levels)), count))
    texts = tuple(variable.levels[each] for each in kept)
    return Placeholder(
        variable.name,
        variable.about,
        variable.kind,
        texts,
        texts,
        tuple(number(variable.values[each], 9).text for each in kept) if variable.values else (),
        variable.unit,
    )


def _date(draws: Draws, name: str) -> Placeholder:
    """Return dates. Where the month may be taken for the day, every day is past the twelfth."""
    form = draws.one(tuple(DATE_FORMS))
    start = FIRST_DAY + datetime.timedelta(days=draws.below(DAYS))
    days: set[datetime.date] = set()
    wanted = draws.between(3, 9)
    while len(days) < wanted:
        day = start + datetime.timedelta(days=draws.below(300))
        if form.startswith("%Y") or "%b" in form or day.day > 12:
            days.add(day)
    dates = sorted(days)
    return Placeholder(
        name,
        "day of the run",
        "date",
        tuple(each.isoformat() for each in dates),
        tuple(_date_text(each, form) for each in dates),
        form=f"as {DATE_FORMS[form]}",
    )


def _date_text(date: datetime.date, form: str) -> str:
    """Return a date as text, with months in English whatever the locale."""
    codes = {
        "%Y": f"{date.year}",
        "%m": f"{date.month:02d}",
        "%d": f"{date.day:02d}",
        "%b": MONTHS[date.month - 1],
    }
    for code, text in codes.items():
        form = form.replace(code, text)
    return form


def _sequence(draws: Draws, name: str) -> Placeholder:
    width = draws.one(tuple(SEQUENCE_WIDTHS))
    label = name.removesuffix("_number") if draws.chance(1, 2) else ""
    numbers = range(1, draws.between(3, 12) + 1)
    return Placeholder(
        name,
        "sequence number of the run",
        "sequence",
        tuple(map(str, numbers)),
        tuple(f"{label}{each:0{width}d}" for each in numbers),
        tuple(map(str, numbers)),
        label=label,
        form=SEQUENCE_WIDTHS[width],
    )


def _person(draws: Draws, name: str) -> Placeholder:
    people = tuple(draws.some(PEOPLE, draws.between(3, 5)))
    return Placeholder(name, "initials of the person who did the run", "person", people, people)


def _level(draws: Draws, placeholders: tuple[Placeholder, ...]) -> Level:
    """Return a level whose separators leave one way to read it."""
    usual = draws.some(SEPARATORS, 2)
    separators = [_separator(draws, usual, each) for each in placeholders[:-1]]
    return Level(placeholders, tuple(separators))


def _separator(draws: Draws, usual: list[str], placeholder: Placeholder) -> str:
    """Return the usual separator of the level, sometimes the other; the first of all that can be read."""
    wanted = usual if draws.chance(4, 5) else usual[::-1]
    for mark in (*wanted, "__", "--"):
        if readable(placeholder.written, mark):
            return mark
    raise AssertionError(f"{placeholder.name}: no separator leaves its values apart")
