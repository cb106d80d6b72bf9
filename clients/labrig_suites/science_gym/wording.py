"""A question in words, in four styles: the template, and three paraphrases made without a model.

======== ==========================================================================================================
template one sentence with the names of variables in quotes, as the paper's templates have them
plain    what the variables mean instead of their names, the conditions first
note     a list of what is wanted, as in a laboratory notebook
letter   a colleague's request, with what the project is about, begun by the grammar of the hard tier
======== ==========================================================================================================

All four say the same: which files, which rows, which statistic, how it is defined, which test, which level. A path
is put in last, into a text that does not depend on it, so that no style can change it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from labrig_repository.gym.hard.campaign import HardRepository
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.specification import FileVariable, Placeholder
from labrig_repository.gym.taxonomy.field import Categorical, Dependent, Drawn, PathVariable
from labrig_repository.gym.taxonomy.loading import load
from labrig_suites.science_gym.grammar import composed
from labrig_suites.science_gym.question import README_CHOICES, Condition, Query, Question

STYLES = ("template", "plain", "note", "letter")
PATH = "{path}"

STATISTICS = {
    "mode": "most frequent value",
    "minimum": "smallest value",
    "maximum": "largest value",
    "median": "median",
    "mean": "arithmetic mean",
    "sample-sd": "sample standard deviation (divisor n - 1)",
    "population-sd": "population standard deviation (divisor n)",
    "sample-variance": "sample variance (divisor n - 1)",
    "population-variance": "population variance (divisor n)",
    "pearson": "Pearson correlation coefficient",
    "spearman": "Spearman rank correlation coefficient (mean ranks for ties)",
    "chi-square": "Pearson chi-square statistic (without Yates' correction) of the contingency table",
    "anova": "F statistic of a one-way analysis of variance (equal variances assumed)",
    "kruskal-wallis": "Kruskal-Wallis H statistic (corrected for ties)",
}
TESTS = {
    "pearson": "the two-sided test of Pearson's correlation coefficient",
    "spearman": "the two-sided test of Spearman's rank correlation (mean ranks for ties, t approximation)",
    "chi-square": "the chi-square test of independence (without Yates' correction)",
    "anova": "a one-way analysis of variance (equal variances assumed)",
    "kruskal-wallis": "the Kruskal-Wallis test (corrected for ties, chi-square approximation)",
}
GROUPED = ("anova", "kruskal-wallis")
OPERATORS = {
    "at least": "{} or more",
    "at most": "{} or less",
    "above": "above {}",
    "below": "below {}",
    "between": "between {} and {} (inclusive)",
}
PART_OF_README = {"title": "title of the project", "abstract": "abstract of the project"}
OPENINGS = ("{greeting}\n\n{reason}", "{greeting}\n\n{reason}", "{reason}")
EITHER = "; ".join(README_CHOICES)
DIGITS = "If your answer has decimals, report it to {} significant figures; do not round whole numbers."


SPELT = {
    "a": "year",
    "d": "day",
    "h": "hour",
    "min": "minute",
    "week": "week",
    "month": "month",
    "frames": "frame",
    "10^2": "hundred",
    "10^3": "thousand",
    "1/1000": "per 1000",
}
"""Units that may stand in a description as words."""
_PLURALS = (
    "atoms captures cells cigarettes counts cycles days deaths equivalents fills frames hours initials injections "
    "minutes mites months orbits oxides persons plants points shelves solids terms tokens units weeks years"
)
_AFTER_A_NOUN = (
    "above absent after against as at before below between by finished for from in of on per seeded served since so "
    "spent to until with"
)
PLURALS, AFTER_A_NOUN = frozenset(_PLURALS.split()), frozenset(_AFTER_A_NOUN.split())
"""Nouns that descriptions begin with, and what ends such a noun: hours of sleep *are* above seven."""


@dataclass(frozen=True, slots=True)
class Names:
    """How a style calls variables and their values."""

    variable: Callable[[str], str]
    value: Callable[[Condition, str], str]


def worded(question: Question, repository: GeneratedRepository, style: str) -> str:
    """Return a question in a style, and how to round.

    Parameters
    ----------
    repository
        The one that the question is about: what its variables mean.
    style
        One of `STYLES`.
    """
    query = question.query
    text = MAKERS[style](query, _names(repository, style), repository)
    if question.expected.digits or _may_be_rounded(query):
        break_ = "\n\n" if style == "note" else " "
        text += break_ + DIGITS.format(question.expected.digits or _whole_digits(query))
    return text.replace(PATH, query.path)


def _may_be_rounded(query: Query) -> bool:
    return query.statistic in ("minimum", "maximum", "median")


def _whole_digits(query: Query) -> int:
    """Return digits for a question whose answer is a whole number: the sentence must not tell it from others."""
    return 2 + sum(map(ord, query.repository + query.path)) % 3


def asked_of(repository: GeneratedRepository | HardRepository) -> str:
    """Return the sentence that names the repository."""
    return f'This question is about repository {repository.name}. Pass id="{repository.name}" to the tools.'


def _names(repository: GeneratedRepository, style: str) -> Names:
    placeholders = {each.name: each for each in repository.specification.placeholders}
    abouts = _abouts(repository)

    def value(condition: Condition, text: str) -> str:
        placeholder = placeholders.get(condition.variable)
        if placeholder is None or text not in placeholder.written:
            return text
        return placeholder.values[placeholder.written.index(text)]

    if style in ("template", "note"):
        return Names(lambda name: f'"{name}"', value)
    return Names(lambda name: f"the {abouts[name]}" if name in abouts else f'"{name}"', value)


def _abouts(repository: GeneratedRepository) -> dict[str, str]:
    """Return what each variable is, a column with its unit where it has one; its name beside it where two are the same.

    Variables of the field that the repository has not are described like those that it has.
    """
    specification = repository.specification
    has: list[FileVariable | Placeholder] = [*specification.variables, *specification.placeholders]
    field = next(each for each in load() if each.name == specification.context.field)
    known = {each.name for each in has}
    columns: list[Drawn | Dependent] = [*field.numbers, *field.dependents]
    others: list[Drawn | Dependent | Categorical | PathVariable] = [*columns, *field.categories, *field.paths]
    said = {each.name: each.about for each in has}
    said |= {each.name: each.about for each in others if each.name not in known}
    there = [each.about for each in has]
    units = {each.name: each.unit for each in (*columns, *specification.variables)}
    return {
        name: about
        + _in_unit(about, units.get(name, ""))
        + (f' ("{name}")' if there.count(about) > 1 else "")
        for name, about in said.items()
    }


def _in_unit(about: str, unit: str) -> str:
    """Return a unit in parentheses, or nothing where the description begins a word with it: hours of sleep."""
    if not unit or (unit in SPELT and re.search(rf"\b{SPELT[unit]}", about)):
        return ""
    return f" ({'years' if unit == 'a' else unit})"


def _is(variable: str) -> str:
    """Return the verb of a variable as it is called: are for hours of sleep."""
    words = re.findall(r"[a-z-]+", variable.removeprefix("the ").partition(" (")[0])
    noun = itertools.takewhile(lambda word: word not in AFTER_A_NOUN, words)
    return "are" if variable.startswith("the ") and PLURALS & {*noun} else "is"


def _one_of(values: Sequence[str]) -> str:
    quoted = [f'"{each}"' for each in values]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _holds(condition: Condition, names: Names) -> str:
    """Return a condition as a clause: the variable, is, and what."""
    if condition.operator == "in":
        what = _one_of([names.value(condition, each) for each in condition.values])
    else:
        what = OPERATORS[condition.operator].format(*condition.values)
    variable = names.variable(condition.variable)
    return f"{variable} {_is(variable)} {what}"


def _all_of(conditions: Sequence[Condition], names: Names) -> str:
    clauses = [_holds(each, names) for each in conditions]
    return clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def _of(query: Query, names: Names) -> str:
    """Return the statistic with its variables, as a noun."""
    what = STATISTICS[query.statistic]
    called = [names.variable(each) for each in query.variables]
    if len(called) == 1:
        return f"the {what} of {called[0]}"
    if query.statistic in GROUPED:
        return f"the {what} for {called[1]} grouped by {called[0]}"
    joint = "of" if query.statistic == "chi-square" else "between"
    return f"the {what} {joint} {called[0]} and {called[1]}"


def _hypotheses(query: Query, names: Names) -> str:
    """Return the two null hypotheses of a question, numbered."""
    first, *others = (names.variable(each) for each in query.variables)
    return "; ".join(
        f"({number}) {first} and {other} are unrelated" for number, other in enumerate(others, 1)
    )


def _template(query: Query, names: Names, repository: GeneratedRepository) -> str:
    match query.type:
        case "readme":
            return f"What does the README file of this repository state about the project? Choose one of: {EITHER}."
        case "title" | "abstract":
            return f"What is the {PART_OF_README[query.type]}, as stated in the README file?"
        case "extension":
            return "What is the file extension of the data files in this repository?"
        case "count-rows":
            return f'How many rows of data, not counting any header, does the file "{PATH}" have?'
        case "files-by-prefix":
            return f'How many files in this repository have a path that begins with "{query.prefix}"?'
        case "files-by-condition":
            return (
                f"How many data files are there in this repository for which {_all_of(query.files, names)}?"
            )
    where = (
        f'In the file "{PATH}"' if query.path else f"Across all files for which {_all_of(query.files, names)}"
    )
    rows = f", using only rows where {_all_of(query.rows, names)}" if query.rows else ""
    if query.type == "bivariate-hypothesis":
        return (
            f"{where}{rows}, can you reject these null hypotheses by {TESTS[query.statistic]} at a significance level "
            f"of {query.alpha}: {_hypotheses(query, names)}? Answer with two words, each yes or no, in this order."
        )
    return f"{where}{rows}, what is {_of(query, names)}?"


def _plain(query: Query, names: Names, repository: GeneratedRepository) -> str:
    match query.type:
        case "readme":
            return (
                "Is there a README, and does it give the title of the project, its abstract, both or neither? "
                f"Reply with one of these: {EITHER}."
            )
        case "title" | "abstract":
            return f"What does the README give as the {PART_OF_README[query.type]}?"
        case "extension":
            return "All the data are kept in files of one type. What extension do their names end in?"
        case "count-rows":
            return f'Leaving out any header, how many observations does "{PATH}" contain?'
        case "files-by-prefix":
            return f'Count the files whose path starts with "{query.prefix}", whatever comes next. How many are there?'
        case "files-by-condition":
            return f"Take the files whose path says that {_all_of(query.files, names)}. How many are there?"
    if query.path:
        where = f'Consider the observations in "{PATH}"'
    else:
        where = (
            f"Put together the observations from all files whose path says that {_all_of(query.files, names)}"
        )
    rows = f", and use only those for which {_all_of(query.rows, names)}" if query.rows else ""
    if query.type == "bivariate-hypothesis":
        return (
            f"{where}{rows}. Does {TESTS[query.statistic]} give enough evidence, at the {query.alpha} level, to reject "
            f"each of these null hypotheses: {_hypotheses(query, names)}? Give yes or no for each, in this order."
        )
    return f"{where}{rows}. What is {_of(query, names)}?"


def _note(query: Query, names: Names, repository: GeneratedRepository) -> str:
    lines: list[str] = []
    if query.path:
        lines.append(f'file: "{PATH}"')
    if query.files:
        lines.append("files: " + "; ".join(_holds(each, names) for each in query.files))
    if query.rows:
        lines.append("rows: " + "; ".join(_holds(each, names) for each in query.rows))
    match query.type:
        case "readme":
            lines.append(f"wanted: what the README states about the project ({EITHER})")
        case "title" | "abstract":
            lines.append(f"wanted: {PART_OF_README[query.type]}, from the README")
        case "extension":
            lines.append("wanted: file extension of the data files")
        case "count-rows":
            lines.append("wanted: number of rows of data, header not counted")
        case "files-by-prefix":
            lines.append(f'wanted: number of files whose path begins with "{query.prefix}"')
        case "files-by-condition":
            lines.append("wanted: number of data files")
        case "bivariate-hypothesis":
            lines += [
                f"test: {TESTS[query.statistic]}, significance level {query.alpha}",
                f"null hypotheses: {_hypotheses(query, names)}",
                "wanted: rejected, yes or no, for each in this order",
            ]
        case _:
            lines.append(f"wanted: {_of(query, names)}")
    return "\n".join(f"- {each}" for each in lines)


def _letter(query: Query, names: Names, repository: GeneratedRepository) -> str:
    draws = Draws(repository.name, "letter", repr(query))
    slots = {"title": f"the data on {repository.specification.context.subdomain}"}
    opening = composed(draws, draws.one(OPENINGS), slots)
    match query.type:
        case "readme":
            ask = f"Could you check what the README says about the project? I need to tick one of these: {EITHER}."
        case "title" | "abstract":
            ask = f"Could you send me the {PART_OF_README[query.type]} exactly as it stands in the README?"
        case "extension":
            ask = "Which extension do the data files have? I need it to set up the import."
        case "count-rows":
            ask = (
                f'I have to report how many rows of data there are in "{PATH}", without the header. '
                "Could you count them?"
            )
        case "files-by-prefix":
            ask = f'How many of our files have a path beginning with "{query.prefix}"?'
        case "files-by-condition":
            ask = f"How many data files do we have from runs for which {_all_of(query.files, names)}?"
        case "bivariate-hypothesis":
            ask = (
                f"{_letter_rows(query, names)} Using {TESTS[query.statistic]} at the {query.alpha} level, "
                f"can we reject these two null hypotheses: {_hypotheses(query, names)}? "
                "A yes or a no for each, in this order, is all I need."
            )
        case _:
            ask = f"{_letter_rows(query, names)} Could you tell me {_of(query, names)}?"
    return f"{opening} {ask}"


def _letter_rows(query: Query, names: Names) -> str:
    if query.path:
        where = f'It is about the file "{PATH}"'
    else:
        where = (
            f"It is about all files from runs for which {_all_of(query.files, names)}, with their rows pooled"
        )
    rows = f", but please keep only the rows in which {_all_of(query.rows, names)}" if query.rows else ""
    return f"{where}{rows}."


MAKERS: Mapping[str, Callable[[Query, Names, GeneratedRepository], str]] = {
    "template": _template,
    "plain": _plain,
    "note": _note,
    "letter": _letter,
}
