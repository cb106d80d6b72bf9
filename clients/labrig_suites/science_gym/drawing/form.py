"""The form of a question: what is drawn before anything is known of a repository, or of whether there is an answer.

A question that can be answered is drawn in the form of one that cannot, for a reason that is dealt as often as among
those: as many conditions, the same statistic, digits and kind of variable. So nothing of the form tells which it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from labrig_repository.gym.numbers import Draws
from labrig_suites.science_gym.question import Statistic, Type
from labrig_suites.science_gym.selection import MOST_CONDITIONS

DIGITS = (2, 3, 4)
ALPHAS = ("0.05", "0.01")
NUMERIC: tuple[Statistic, ...] = (
    *("minimum", "maximum", "median", "mean"),
    *("sample-sd", "population-sd", "sample-variance", "population-variance"),
)
NO_TEXTS = NUMERIC[3:]
"""A text has a minimum, by the alphabet, and no mean."""
NEEDS_TWO: tuple[Statistic, ...] = ("sample-sd", "sample-variance")
MODES = (1, 6)
"""One question in six asks for the most frequent level of a category."""
BIVARIATE: dict[Statistic, int] = {
    "pearson": 5,
    "spearman": 2,
    "chi-square": 2,
    "anova": 2,
    "kruskal-wallis": 2,
}
"""With weights. A chi-square test has enough rows for two clear decisions with one condition at most."""
OF_FILES: Type = "univariate-condition"
"""The type whose files are chosen by conditions."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a question is like.

    Attributes
    ----------
    like
        The reason for which it is, or would be, impossible.
    rows
        Conditions on rows; None for two of which the second is a bound near the greatest value that the first leaves.
    files
        Conditions on files.
    single
        These have one value each.
    variable
        What is asked about and not there; empty where the maker is to choose.
    """

    like: str = ""
    statistic: Statistic | Literal[""] = ""
    digits: int = 0
    alpha: str = ""
    rows: int | None = 0
    files: int = 0
    single: bool = False
    variable: str = ""

    @property
    def unitless(self) -> bool:
        """Whether what is asked about has no unit, as a text has none."""
        return self.like == "wrong type"


def form(type: Type, like: str, draws: Draws) -> Form:
    """Return the form of a question of a type that is, or would be, impossible for a reason."""
    if not type.startswith(("univariate", "bivariate")):
        return Form(like)
    hypothesis = type == "bivariate-hypothesis"
    single = type == OF_FILES and like == "empty selection" and draws.chance(1, 2)
    near = like == "undefined" or (like == "empty selection" and not single) or draws.chance(1, 2)
    most = MOST_CONDITIONS
    statistic: Statistic
    if type.startswith("bivariate"):
        statistic = draws.weighted(tuple(BIVARIATE), tuple(BIVARIATE.values()))
        if like == "wrong type" or (hypothesis and near and statistic == "chi-square"):
            statistic = "pearson"
        most = 1 if hypothesis and statistic == "chi-square" else most
    elif like in ("wrong type", "undefined"):
        statistic = draws.one(NO_TEXTS if like == "wrong type" else NEEDS_TWO)
    else:
        statistic = "mode" if draws.chance(*MODES) else draws.one(NUMERIC)
    return Form(
        like,
        statistic,
        0 if statistic == "mode" or hypothesis else draws.one(DIGITS),
        draws.one(ALPHAS) if hypothesis else "",
        None if near else draws.between(0, most),
        draws.between(2 if single else 1, MOST_CONDITIONS) if type == OF_FILES else 0,
        single,
    )
