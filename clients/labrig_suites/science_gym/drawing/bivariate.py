"""Statistics of two columns, and tests of one with two others."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.values import Column
from labrig_suites.science_gym import truth
from labrig_suites.science_gym.drawing import absent
from labrig_suites.science_gym.drawing.form import Form
from labrig_suites.science_gym.drawing.parts import (
    TRIES,
    Made,
    askable,
    categories,
    impossible,
    numbers,
    texts,
)
from labrig_suites.science_gym.drawing.subject import chosen_rows, where_asked
from labrig_suites.science_gym.question import DECISIONS, Expected, Type

FEWEST_ROWS = 12
SMALLEST = Decimal("0.001")


def bivariate(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Ask for a statistic of two columns of a file, or test one column with two others."""
    for _ in range(TRIES * (4 if want in DECISIONS else 1)):
        made = _try_bivariate(repository, type, draws, want, form)
        if made is not None:
            return made
    return None


def _try_bivariate(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    reason = "" if want in DECISIONS else want
    count = 3 if type == "bivariate-hypothesis" else 2
    names = _pair(repository, draws, form, count, reason)
    asked = where_asked(repository, type, draws, reason, form)
    if names is None or asked is None:
        return None
    chosen = chosen_rows(repository, draws, reason, form, asked, names, FEWEST_ROWS)
    if chosen is None:
        return None
    statistic, alpha, digits = form.statistic, form.alpha, form.digits
    query = replace(
        asked.query, rows=chosen.conditions, statistic=statistic, variables=tuple(names), alpha=alpha
    )
    if reason:
        return query, impossible(reason, digits, DECISIONS if count == 3 else ())
    table = repository.columns.columns(names, chosen.cells)
    try:
        tests = [test(statistic, table[names[0]], table[other]) for other in names[1:]]
    except truth.Undefined:
        return None
    if count == 2:
        number = tests[0].statistic
        if abs(number) < SMALLEST or not truth.well_placed(number, digits):
            return None
        return query, Expected("number", truth.as_text(number), digits=digits)
    if any(0.5 <= each.p / float(alpha) <= 2 for each in tests):
        return None
    decision = ", ".join("yes" if each.p < float(alpha) else "no" for each in tests)
    return (query, Expected("choice", decision, DECISIONS)) if want in ("", decision) else None


def test(statistic: str, first: Column, second: Column) -> truth.Test:
    """Return a statistic of two columns with its p value."""
    match statistic:
        case "pearson":
            return truth.pearson(first.data.tolist(), second.data.tolist())
        case "spearman":
            return truth.spearman(first.data, second.data)
        case "chi-square":
            return truth.chi_square(first.data.tolist(), second.data.tolist())
        case "anova":
            return truth.anova(first.data.tolist(), second.data.tolist())
        case _:
            return truth.kruskal_wallis(first.data.tolist(), second.data)


def _pair(
    repository: GeneratedRepository, draws: Draws, form: Form, count: int, reason: str
) -> list[str] | None:
    """Return the columns of a bivariate question; where one is to be missing or a text, it is the first."""
    correlated = form.statistic in ("pearson", "spearman")
    able = texts(repository) if reason == "wrong type" else askable(repository, form)
    first: str | None = draws.one(able) if able else None
    if reason == "missing variable":
        first = form.variable or absent.column(repository, draws, numeric=correlated)
    rest = categories(repository) if form.statistic == "chi-square" else numbers(repository)
    others = draws.some([each for each in rest if each != first], count - 1)
    if first is None or len(others) < count - 1:
        return None
    return [first, *others]
