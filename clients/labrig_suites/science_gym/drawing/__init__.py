"""Drawing a question about a repository: what is asked, of which files and rows, and the answer from the generator.

`draw` is all that the suite asks of this package.

- `form`: what is drawn before a repository is looked at, so that no form tells which questions are impossible
- `parts`, `subject`: what makers of questions share; which files and rows are meant
- `metadata`, `counts`, `univariate`, `bivariate`: questions by type
- `absent`: what a repository does not have, for questions that are not possible
"""

from __future__ import annotations

from collections.abc import Callable

from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_suites.science_gym.drawing import form as forms
from labrig_suites.science_gym.drawing.bivariate import bivariate
from labrig_suites.science_gym.drawing.counts import by_condition, count_rows, prefix
from labrig_suites.science_gym.drawing.form import Form
from labrig_suites.science_gym.drawing.metadata import EXTENSION_CHOICES, extension, readme, stated
from labrig_suites.science_gym.drawing.parts import Made
from labrig_suites.science_gym.drawing.univariate import univariate
from labrig_suites.science_gym.question import DECISIONS, README_CHOICES, Question, Type

OF_A_FILE = ("empty selection", "wrong type", "missing variable", "missing file", "undefined")
REASONS: dict[Type, tuple[str, ...]] = {
    "readme": (),
    "title": ("no README", "not stated"),
    "abstract": ("no README", "not stated"),
    "extension": (),
    "count-rows": ("missing file",),
    "files-by-prefix": (),
    "files-by-condition": (),
    "univariate-file": OF_A_FILE,
    "univariate-condition": ("empty selection", "wrong type", "missing variable", "undefined"),
    "bivariate-statistic": OF_A_FILE,
    "bivariate-hypothesis": OF_A_FILE,
}
"""Why a question of a type can be impossible. A README, an extension and a number of files can always be told:
of files whose paths have no such variable there are 0, as truly as their number is "not possible"."""
OUTCOMES: dict[Type, tuple[str, ...]] = {
    "readme": README_CHOICES,
    "extension": EXTENSION_CHOICES,
    "bivariate-hypothesis": DECISIONS,
}
"""The answers of types with the same choices in every repository."""


RARE = ("undefined",)
"""Reasons that are dealt half as often: they suit two statistics alone."""


FORMS = 3
"""Forms that are tried where none is asked for."""


def often(type: Type) -> tuple[str, ...]:
    """Return the reasons of a type, each as many times as it weighs."""
    return tuple(each for each in REASONS[type] for _ in range(1 if each in RARE else 2))


def draw(
    repository: GeneratedRepository, type: Type, number: int, want: str = "", form: Form | None = None
) -> Question | None:
    """Return a question of a type; None where this repository has none with the answer that is wanted.

    Parameters
    ----------
    number
        Which of the questions of this type and answer: choices depend on repository, type, number and `want` alone.
    want
        An answer of `OUTCOMES`, a reason of `REASONS` for a question that is not possible, or nothing for one that is
        possible, with any answer.
    form
        What it is like; default the first of some that are drawn which the repository has.
    """
    draws = Draws(repository.name, "question", type, str(number), want)
    reasons = (want,) if want in REASONS[type] else often(type) or ("",)
    tried = (forms.form(type, draws.one(reasons), draws) for _ in range(FORMS)) if form is None else (form,)
    made = next(filter(None, (MAKERS[type](repository, type, draws, want, each) for each in tried)), None)
    return None if made is None else Question(*made)


MAKERS: dict[Type, Callable[[GeneratedRepository, Type, Draws, str, Form], Made]] = {
    "readme": readme,
    "title": stated,
    "abstract": stated,
    "extension": extension,
    "count-rows": count_rows,
    "files-by-prefix": prefix,
    "files-by-condition": by_condition,
    "univariate-file": univariate,
    "univariate-condition": univariate,
    "bivariate-statistic": bivariate,
    "bivariate-hypothesis": bivariate,
}
