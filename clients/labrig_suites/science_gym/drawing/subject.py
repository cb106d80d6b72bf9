"""Which files and which rows a statistic is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from labrig_repository.gym.columns import Cells
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_suites.science_gym import selection
from labrig_suites.science_gym.drawing.form import OF_FILES, Form
from labrig_suites.science_gym.drawing.parts import a_path, about, rows_of
from labrig_suites.science_gym.question import Query, Type

MOST_FILES = {"xlsx": 150, "json": 600}
"""Files of one selection: as many as are read within half of the sandbox's time on a slow machine."""


MOST_OTHER_FILES = 1200


@dataclass(frozen=True, slots=True)
class Asked:
    """Files that are asked about.

    Attributes
    ----------
    query
        With the file, or the conditions on files.
    cells
        The rows of those files.
    likely
        The same; where there are no such files, the rows of files that a question like it could have asked about.
    """

    query: Query
    cells: Cells
    likely: Cells


def where_asked(
    repository: GeneratedRepository, type: Type, draws: Draws, want: str, form: Form
) -> Asked | None:
    """Return which files are asked about; None where the repository has none that are wanted."""
    base = about(repository, type)
    if type != OF_FILES:
        path = a_path(repository, draws, missing=want == "missing file")
        if path is None:
            return None
        query = replace(base, path=path)
        if want == "missing file":
            another = [draws.below(len(repository.files.texts))]
            return Asked(query, repository.cells([]), repository.cells(another))
        cells = rows_of(repository, path)
        return Asked(query, cells, cells)
    most = MOST_FILES.get(repository.specification.extension, MOST_OTHER_FILES)
    conditions = selection.path_conditions(draws, repository, most, form.files, single=form.single)
    if conditions is None:
        return None
    cells = repository.cells(selection.files_matching(repository, conditions))
    if want == "empty selection" and form.single:
        none = selection.no_files(draws, repository, conditions)
        if none is None:
            return None
        return Asked(replace(base, files=none), repository.cells([]), cells)
    return Asked(replace(base, files=conditions), cells, cells)


def chosen_rows(
    repository: GeneratedRepository,
    draws: Draws,
    want: str,
    form: Form,
    asked: Asked,
    apart: Sequence[str],
    fewest: int,
) -> selection.Selection | None:
    """Return conditions on rows that leave none, one, or enough of them, as is wanted."""
    cells, likely = asked.cells, asked.likely
    drawn: selection.Selection | None
    if form.rows is None:
        left = {"empty selection": 0, "undefined": 1}.get(want) if len(cells) else None
        drawn = selection.top_rows(draws, repository, likely, apart, left, fewest)
    else:
        drawn = selection.row_conditions(draws, repository, likely, apart, fewest, form.rows)
        if len(drawn.conditions) < form.rows:
            return None
    return drawn if drawn is None or len(cells) else selection.Selection(drawn.conditions, cells)
