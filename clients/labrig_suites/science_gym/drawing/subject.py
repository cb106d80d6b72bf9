"""Which files and which rows a statistic is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from labrig_repository.gym.columns import Cells
from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.repository import GeneratedRepository
from labrig_suites.science_gym import selection
from labrig_suites.science_gym.drawing.parts import a_path, about, rows_of
from labrig_suites.science_gym.question import Query, Type

MOST_FILES = {"xlsx": 150, "json": 600}
"""Files of one selection: as many as are read within half of the sandbox's time on a slow machine."""


MOST_OTHER_FILES = 1200


def where_asked(
    repository: GeneratedRepository, type: Type, draws: Draws, want: str
) -> tuple[Query, Cells] | None:
    """Return a query with its file or its conditions on files, and the rows of those files."""
    base = about(repository, type)
    if type != "univariate-condition":
        path = a_path(repository, draws, missing=want == "missing file")
        if path is None:
            return None
        cells = repository.cells([]) if want == "missing file" else rows_of(repository, path)
        return replace(base, path=path), cells
    if want == "empty selection" and draws.chance(1, 2):
        conditions = selection.no_files(draws, repository)
        cells = repository.cells([])
    else:
        most = MOST_FILES.get(repository.specification.extension, MOST_OTHER_FILES)
        conditions = selection.path_conditions(draws, repository, most)
        if conditions is None:
            return None
        cells = repository.cells(selection.files_matching(repository, conditions))
    return (replace(base, files=conditions), cells) if conditions is not None else None


def chosen_rows(
    repository: GeneratedRepository,
    draws: Draws,
    want: str,
    cells: Cells,
    apart: Sequence[str],
    fewest: int,
) -> selection.Selection | None:
    """Return conditions on rows that leave none, one, or enough of them, as is wanted."""
    if want == "undefined" or (want == "empty selection" and len(cells)):
        return selection.top_rows(draws, repository, cells, apart, int(want == "undefined"))
    likely = cells
    if not len(cells):  # a file that is missing, or no files: conditions as another file would give them
        likely = repository.cells([draws.below(len(repository.files.texts))])
    drawn = None
    if draws.chance(
        1, 2
    ):  # as often as above, so that two such conditions do not tell a question that is not possible
        drawn = selection.top_rows(draws, repository, likely, apart, draws.between(fewest, 2 * fewest))
    if drawn is None:
        count = draws.between(0, selection.MOST_CONDITIONS)
        drawn = selection.row_conditions(draws, repository, likely, apart, fewest, count)
    return drawn if len(cells) else selection.Selection(drawn.conditions, cells)
