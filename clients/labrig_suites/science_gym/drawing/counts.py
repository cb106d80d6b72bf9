"""Questions that count rows of a file, or files by their paths."""

from __future__ import annotations

from dataclasses import replace

from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_suites.science_gym import selection
from labrig_suites.science_gym.drawing.form import Form
from labrig_suites.science_gym.drawing.parts import TRIES, Made, a_path, about, impossible, rows_of
from labrig_suites.science_gym.question import Expected, Type


def count_rows(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Count the rows of a file, without the header."""
    path = a_path(repository, draws, missing=want == "missing file")
    if path is None:
        return None
    query = replace(about(repository, type), path=path)
    if want:
        return query, impossible(want)
    return query, Expected("integer", str(len(rows_of(repository, path))))


def prefix(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Count files by the beginning of their paths: part of a name or a whole folder, some files and not all."""
    texts = repository.files.texts
    for _ in range(TRIES):
        text = draws.one(texts)
        prefix = text[: draws.between(2, max(text.rfind("/"), 2) + 2)]
        count = sum(each.startswith(prefix) for each in texts)
        if 1 < count < len(texts):
            return replace(about(repository, type), prefix=prefix), Expected("integer", str(count))
    return None


def by_condition(repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form) -> Made:
    """Count files by values in their paths."""
    count = draws.between(1, selection.MOST_CONDITIONS)
    conditions = selection.path_conditions(draws, repository, len(repository.files.texts), count)
    if conditions is None:
        return None
    count = len(selection.files_matching(repository, conditions))
    return replace(about(repository, type), files=conditions), Expected("integer", str(count))
