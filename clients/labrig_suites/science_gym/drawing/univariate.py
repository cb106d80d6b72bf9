"""Statistics of one column."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.values import Column, Decimal, Levels
from labrig_suites.science_gym import truth
from labrig_suites.science_gym.drawing import absent
from labrig_suites.science_gym.drawing.form import Form
from labrig_suites.science_gym.drawing.parts import (
    TRIES,
    Made,
    askable,
    impossible,
    texts,
)
from labrig_suites.science_gym.drawing.subject import chosen_rows, where_asked
from labrig_suites.science_gym.question import Expected, Statistic, Type

FEWEST_ROWS = 5
DIVIDED: tuple[Statistic, ...] = ("sample-sd", "population-sd", "sample-variance", "population-variance")


def univariate(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Ask for a statistic of a column, in one file or over files chosen by their paths."""
    for _ in range(TRIES):
        made = _try_univariate(repository, type, draws, want, form)
        if made is not None:
            return made
    return None


def _try_univariate(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    statistic, numeric = form.statistic, form.statistic != "mode"
    if want == "missing variable":
        name = form.variable or absent.column(repository, draws, numeric)
    else:
        able = texts(repository) if want == "wrong type" else askable(repository, form)
        name = draws.one(able) if able else None
    asked = where_asked(repository, type, draws, want, form)
    if name is None or asked is None:
        return None
    chosen = chosen_rows(repository, draws, want, form, asked, [name], FEWEST_ROWS)
    if chosen is None:
        return None
    digits = max(form.digits, telling(statistic, len(asked.likely))) if numeric else 0
    query = replace(
        asked.query,
        rows=chosen.conditions,
        statistic=statistic,
        variables=(name,),
    )
    if want:
        levels = () if numeric or want == "missing variable" else _levels(repository, name)
        return query, impossible(want, digits, levels)
    expected = answer(repository.columns.column(name, chosen.cells), statistic, digits)
    return (query, expected) if expected is not None else None


def telling(statistic: str, rows: int) -> int:
    """Return the digits from which a variance or standard deviation of so many rows shows its divisor.

    Divided by n instead of n - 1, a variance is smaller by 1/n of it and a standard deviation by more than 1/2n; both
    must be more than one unit of the last digit, which is at most 10**(1 - digits) of the number. The rows are those of
    the files, before conditions on rows: so a question that is not possible asks for as many.

    >>> telling("sample-sd", 60), telling("population-variance", 60), telling("mean", 60)
    (4, 3, 0)
    """
    if statistic not in DIVIDED:
        return 0
    return 1 + len(str(2 * rows if statistic.endswith("sd") else rows))


def _levels(repository: GeneratedRepository, name: str) -> tuple[str, ...]:
    form = repository.columns.variables[name].form
    assert isinstance(form, Levels)
    return form.texts


def answer(column: Column, statistic: str, digits: int) -> Expected | None:
    """Return the answer of a univariate question; None for a tie, a zero, or a number near a rounding edge."""
    if statistic == "mode":
        assert isinstance(column.form, Levels)
        try:
            return Expected("choice", truth.mode(column), column.form.texts)
        except truth.Undefined:
            return None
    assert isinstance(column.form, Decimal)
    data, decimals = column.data.tolist(), column.form.decimals
    if statistic in ("minimum", "maximum", "median"):
        exact = truth.extreme(data, decimals, statistic)
        if not decimals:
            return Expected("integer", str(exact)) if exact.denominator == 1 else None
        number = truth.decimal(exact)
    elif statistic == "mean":
        exact = truth.mean(data, decimals)
        if abs(exact) * 10**6 < max(map(abs, data)) * Fraction(1, 10**decimals):
            return None  # what is left of sums that cancel is not a digit of a float64
        number = truth.decimal(exact)
    else:
        exact = truth.variance(data, decimals, ddof=1 if statistic.startswith("sample") else 0)
        number = truth.root(exact) if statistic.endswith("sd") else truth.decimal(exact)
    if not truth.well_placed(number, digits):
        return None
    return Expected("number", truth.as_text(number), digits=digits)
