"""Questions that the README and the names of files answer."""

from __future__ import annotations

from labrig_repository.gym.encoding import EXTENSIONS
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_suites.science_gym.drawing.form import Form
from labrig_suites.science_gym.drawing.parts import Made, about, impossible
from labrig_suites.science_gym.question import README_CHOICES, Expected, Type

EXTENSION_CHOICES = tuple(EXTENSIONS)
"""Without the point: compat wants the right choice to be part of the answer, and ".csv" has "csv" in it."""


def readme(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Ask what the README states; the paper asks whether there is one."""
    says = repository.specification.readme
    if says is None:
        found = "no README"
    elif says.title:
        found = "title and abstract" if says.abstract else "title only"
    else:
        found = "abstract only" if says.abstract else "neither"
    if want not in ("", found):
        return None
    return about(repository, type), Expected("choice", found, README_CHOICES)


def stated(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Ask for the title or the abstract."""
    specification = repository.specification
    says = specification.readme
    stated = says is not None and (says.title if type == "title" else says.abstract)
    reason = "" if stated else "no README" if says is None else "not stated"
    if want != reason:
        return None
    text = specification.title if type == "title" else specification.abstract
    return about(repository, type), Expected("text", text) if stated else impossible(reason)


def extension(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Ask for the file extension of the data."""
    found = repository.specification.extension
    if want not in ("", found):
        return None
    return about(repository, type), Expected("choice", found, EXTENSION_CHOICES)
