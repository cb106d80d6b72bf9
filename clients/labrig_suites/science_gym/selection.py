"""Conditions of a question: which files and which rows are meant, drawn so that a known number of them is left.

A bound of a column with decimals lies half a step between two values that cells can have, so that no reading of a
decimal number decides whether a cell is within; "at least" and "above" then mean the same. Bounds of whole numbers are
whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig_repository.gym.columns import Cells
from labrig_repository.gym.numbers import Draws, Integers
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.specification import FileVariable, Placeholder
from labrig_repository.gym.values import Decimal, Levels
from labrig_suites.science_gym.question import Condition, Operator

MOST_CONDITIONS = 3
ORDERS: tuple[Operator, ...] = ("at least", "at most", "above", "below", "between")
FROM, TO = 2, 8
"""Bounds lie between these tenths of the ordered values that are left."""
TRIES = 8


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions, and what they leave."""

    conditions: tuple[Condition, ...]
    cells: Cells


def told_apart(repository: GeneratedRepository) -> list[Placeholder]:
    """Return the placeholders whose values an agent can find in the paths.

    A README that explains the paths tells all of them, and so does a label before the value. Else no value may be
    written like one of another placeholder.
    """
    specification = repository.specification
    if specification.readme is not None and specification.readme.scheme:
        return list(specification.placeholders)
    written = [value for each in specification.placeholders for value in set(each.written)]
    once = {value for value in written if written.count(value) == 1}
    return [each for each in specification.placeholders if each.label or once.issuperset(each.written)]


def chosen_values(draws: Draws, placeholder: Placeholder, has: int, *, single: bool = False) -> Condition:
    """Return a condition on a placeholder that the value at place `has` fulfils."""
    count = 1 if single or draws.chance(3, 5) else draws.between(2, max(2, len(placeholder.values) // 2))
    others = draws.some([n for n in range(len(placeholder.values)) if n != has], count - 1)
    return Condition(
        placeholder.name, "in", tuple(placeholder.written[each] for each in sorted([has, *others]))
    )


def files_matching(repository: GeneratedRepository, conditions: Iterable[Condition]) -> Integers:
    """Return the places of the files that fulfil conditions on their paths."""
    by_name = {each.name: each for each in repository.specification.placeholders}
    wanted: dict[str, tuple[str, ...]] = {}
    for condition in conditions:
        known = dict(
            zip(by_name[condition.variable].written, by_name[condition.variable].values, strict=True)
        )
        wanted[condition.variable] = tuple(known[value] for value in condition.values)
    return repository.files.matching(wanted)


def path_conditions(
    draws: Draws, repository: GeneratedRepository, most: int, count: int, *, single: bool = False
) -> tuple[Condition, ...] | None:
    """Return `count` conditions that 1 to `most` files fulfil, and not all; None where none were found."""
    able = told_apart(repository)
    if len(able) < count:
        return None
    total = len(repository.files.texts)
    names = [each.name for each in repository.files.placeholders]
    for _ in range(TRIES * 2):
        file = draws.below(total)
        drawn = [
            chosen_values(
                draws, each, int(repository.files.places[file, names.index(each.name)]), single=single
            )
            for each in draws.some(able, count)
        ]
        if 1 <= len(files_matching(repository, drawn)) <= min(most, total - 1):
            return tuple(drawn)
    return None


def no_files(
    draws: Draws, repository: GeneratedRepository, conditions: Sequence[Condition]
) -> tuple[Condition, ...] | None:
    """Return conditions on the same as some others that no file fulfils, though files fulfil each of them alone."""
    total = len(repository.files.texts)
    columns = {each.name: each for each in repository.files.placeholders}
    names = list(columns)
    for _ in range(TRIES * 8):
        drawn = []
        for name in (each.variable for each in conditions):
            place = int(repository.files.places[draws.below(total), names.index(name)])
            drawn.append(Condition(name, "in", (columns[name].written[place],)))
        if not len(files_matching(repository, drawn)):
            return tuple(drawn)
    return None


def holds(condition: Condition, variable: FileVariable, data: Integers) -> NDArray[np.bool_]:
    """Return which cells of a column fulfil a condition."""
    form = variable.form
    if condition.operator == "in":
        assert isinstance(form, Levels)
        return np.isin(data, [form.texts.index(value) for value in condition.values])
    assert isinstance(form, Decimal)
    # A bound with one decimal more than the cells: ten times the cell is compared with its digits.
    bounds = [_digits(value, form.decimals + 1) for value in condition.values]
    tenfold = data * np.int64(10)
    match condition.operator:
        case "at least":
            return tenfold >= bounds[0]
        case "at most":
            return tenfold <= bounds[0]
        case "above":
            return tenfold > bounds[0]
        case "below":
            return tenfold < bounds[0]
        case _:
            return (tenfold >= bounds[0]) & (tenfold <= bounds[1])


def _digits(text: str, decimals: int) -> int:
    whole, _, fraction = text.partition(".")
    return int(whole + fraction.ljust(decimals, "0"))


def bound(mantissa: int, decimals: int) -> str:
    """Return a bound as text: half a step above a value with decimals, or the whole number itself."""
    if not decimals:
        return str(mantissa)
    sign, digits = ("-" if mantissa < 0 else ""), abs(mantissa)
    if mantissa < 0:
        digits -= 1  # -3.45 and half a step is -3.445
    whole, rest = divmod(digits, 10**decimals)
    return f"{sign}{whole}.{rest:0{decimals}d}5"


def row_conditions(
    draws: Draws,
    repository: GeneratedRepository,
    cells: Cells,
    apart: Sequence[str],
    fewest: int,
    count: int,
) -> Selection:
    """Return up to `count` conditions on rows that leave `fewest` rows or more, and what they leave.

    Parameters
    ----------
    cells
        The rows of the files that are meant.
    apart
        Columns that no condition is on: those that the question is about.
    """
    kept: list[Condition] = []
    able = [each for each in conditioned(repository) if each.name not in apart]
    for variable in draws.some(able, count):
        data = repository.columns.column(variable.name, cells).data
        drawn = _condition(draws, variable, data)
        if drawn is None:
            continue
        wanted = holds(drawn, variable, data)
        if fewest <= int(wanted.sum()) < len(cells):
            kept.append(drawn)
            cells = cells.keep(wanted)
    return Selection(tuple(kept), cells)


def conditioned(repository: GeneratedRepository) -> list[FileVariable]:
    """Return the columns that a condition may be on: numbers and categories."""
    return [each for each in repository.specification.variables if isinstance(each.form, (Decimal, Levels))]


def _condition(draws: Draws, variable: FileVariable, data: Integers) -> Condition | None:
    form = variable.form
    if isinstance(form, Levels):
        present = sorted(set(data.tolist()))
        if len(present) < 2:
            return None
        count = 1 if draws.chance(1, 2) else draws.between(1, len(present) - 1)
        return Condition(
            variable.name, "in", tuple(form.texts[each] for each in sorted(draws.some(present, count)))
        )
    assert isinstance(form, Decimal)
    ordered = np.sort(data)
    low, high = (int(ordered[len(ordered) * each // 10]) for each in (FROM, TO))
    if low == high:
        return None
    operator = draws.one(ORDERS)
    if operator == "between":
        least = draws.between(low, (low + high) // 2)
        most = draws.between(max(least + 1, (low + high) // 2), high)
        return Condition(variable.name, operator, (bound(least, form.decimals), bound(most, form.decimals)))
    return Condition(variable.name, operator, (bound(draws.between(low, high - 1), form.decimals),))


def top_rows(
    draws: Draws,
    repository: GeneratedRepository,
    cells: Cells,
    apart: Sequence[str],
    rows: int | None,
    fewest: int,
) -> Selection | None:
    """Return two conditions that `rows` rows fulfil together: a level of a category, and a bound near its greatest.

    Of the level there are more than twice the `fewest` rows, and rows of other levels fulfil the bound. With no rows
    left, or one, a statistic does not exist; with more (None: the `fewest`, up to a third of the level) it does, and
    the question reads the same.
    """
    able = [each for each in conditioned(repository) if each.name not in apart]
    categories = [each for each in able if isinstance(each.form, Levels)]
    numbers = [each for each in able if isinstance(each.form, Decimal)]
    for _ in range(TRIES):
        if not (categories and numbers):
            return None
        category, number = draws.one(categories), draws.one(numbers)
        assert isinstance(category.form, Levels) and isinstance(number.form, Decimal)
        table = repository.columns.columns([category.name, number.name], cells)
        levels, data = table[category.name].data, table[number.name].data
        level = draws.one(sorted(set(levels.tolist())))
        within, others = np.sort(data[levels == level]), data[levels != level]
        if len(within) <= 2 * fewest or not len(others):
            continue
        left = draws.between(fewest, max(2 * fewest, len(within) // 3)) if rows is None else rows
        low, high = int(within[-1 - left]), int(others.max())  # the bound is above the one, below the other
        if left:
            high = min(high, int(within[-left]))
        if high <= low:
            continue
        at = draws.between(low, low + (high - low - 1) // 2)
        conditions = (
            Condition(category.name, "in", (category.form.texts[level],)),
            Condition(number.name, "above", (bound(at, number.form.decimals),)),
        )
        wanted = (levels == level) & holds(conditions[1], number, data)
        if int(wanted.sum()) == left:
            return Selection(conditions, cells.keep(wanted))
    return None
