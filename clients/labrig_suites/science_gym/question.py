"""A question about a repository, as data: what is asked, of which files and rows, and what the answer is.

Five categories and eleven types, those of the InfiniteScienceGym paper (appendix A.5). A question is words only in
`wording`; the truth is computed from it in `truth`, and once more, from the files alone, by the program of `solution`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

Type = Literal[
    "readme",
    "title",
    "abstract",
    "extension",
    "count-rows",
    "files-by-prefix",
    "files-by-condition",
    "univariate-file",
    "univariate-condition",
    "bivariate-statistic",
    "bivariate-hypothesis",
]

CATEGORIES: dict[str, tuple[Type, ...]] = {
    "repository metadata": ("readme", "title", "abstract"),
    "file metadata": ("extension", "count-rows"),
    "directory traversal": ("files-by-prefix", "files-by-condition"),
    "univariate statistics": ("univariate-file", "univariate-condition"),
    "bivariate statistics": ("bivariate-statistic", "bivariate-hypothesis"),
}
TYPES: tuple[Type, ...] = tuple(each for types in CATEGORIES.values() for each in types)
CATEGORY = {each: category for category, types in CATEGORIES.items() for each in types}

Operator = Literal["in", "at least", "at most", "above", "below", "between"]
Kind = Literal["choice", "integer", "number", "text", "impossible"]

Statistic = Literal[
    "mode",
    "minimum",
    "maximum",
    "median",
    "mean",
    "sample-sd",
    "population-sd",
    "sample-variance",
    "population-variance",
    "pearson",
    "spearman",
    "chi-square",
    "anova",
    "kruskal-wallis",
]

NOT_POSSIBLE = "not possible"
README_CHOICES = ("title and abstract", "title only", "abstract only", "neither", "no README")
DECISIONS = ("yes, yes", "yes, no", "no, yes", "no, no")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the path of a file or on a row.

    Attributes
    ----------
    variable
        Name of a placeholder of the paths, or of a column.
    operator
        ``in``: the value is one of `values`. The rest compare numbers with one value; ``between`` has two, both
        inclusive.
    values
        As texts. Of a path: as they are written in it (``run=03``); of a column: as a cell is.
    """

    variable: str
    operator: Operator
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, without words.

    Attributes
    ----------
    repository
        ``isg/1:118``.
    scheme
        A regular expression that a whole path matches, with a named group for every placeholder; the group holds the
        value as it is written. Path conditions are on these groups. Other files (the README) are not data files.
    path
        The file that is asked about; empty where the question is about many.
    prefix
        How the paths that are counted begin.
    files, rows
        All of these hold for the files and for the rows that are meant.
    statistic
        Of `variables`, over all rows that are meant taken together. For ``bivariate-hypothesis`` it names the test.
    variables
        One column; two for ``bivariate-statistic``; three for ``bivariate-hypothesis``: the first is tested with the
        second, and the first with the third. For ``anova`` and ``kruskal-wallis`` the first is the grouping one.
    alpha
        Level of the tests: ``0.05`` or ``0.01``.
    """

    repository: str
    type: Type
    scheme: str
    path: str = ""
    prefix: str = ""
    files: tuple[Condition, ...] = ()
    rows: tuple[Condition, ...] = ()
    statistic: Statistic | Literal[""] = ""
    variables: tuple[str, ...] = ()
    alpha: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """The answer.

    Attributes
    ----------
    kind
        ``choice``: one of `choices`. ``integer``: a whole number, never rounded. ``number``: compared by significant
        digits. ``text``: title or abstract. ``impossible``: the repository does not hold the answer.
    value
        The choice, the text, or the number as a decimal of at least 15 significant digits (``-0.123456789012345``, no
        exponent); "not possible" for ``impossible``.
    choices
        Of a ``choice``; also of an ``impossible`` question whose answer would have been a choice. "not possible" is
        none of them.
    digits
        Significant digits asked for: 2 or more for every question whose answer is, or would have been, a ``number``; 0
        otherwise.
    reason
        Why it is ``impossible``: ``empty selection``, ``wrong type``, ``missing variable``, ``missing file``,
        ``undefined``, ``no README``, ``not stated``.
    """

    kind: Kind
    value: str
    choices: tuple[str, ...] = ()
    digits: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer."""

    query: Query
    expected: Expected


QUERIES: TypeAdapter[Query] = TypeAdapter(Query)
EXPECTED: TypeAdapter[Expected] = TypeAdapter(Expected)
