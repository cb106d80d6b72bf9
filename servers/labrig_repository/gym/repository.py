"""A generated repository: what the tools read, and what the truth of a question is computed from.

Nothing is stored. A file is written when it is read; the truth of a question over all files is computed from the
columns that it needs, without a file being written.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Sequence

import numpy as np

from labrig.errors import LabrigError, nearest
from labrig_repository.folder.store import Entry, Kind, PathTree
from labrig_repository.gym import design
from labrig_repository.gym.columns import Cells, Columns
from labrig_repository.gym.encoding import MEDIA_TYPES, encoded
from labrig_repository.gym.hard.campaign import HardRepository, open_hard
from labrig_repository.gym.hard.levels import PREFIX
from labrig_repository.gym.numbers import Integers, keys
from labrig_repository.gym.paths import paths
from labrig_repository.gym.specification import Specification
from labrig_repository.gym.values import Column
from labrig_repository.gym.wording import readme

README = "README.md"
MOST_NUMBER = 999_999_999
BLOCK = 32
"""Files whose cells are computed together when they are read one after another: it takes a fifth of the time."""
ID = re.compile(r"(?:isg/([1-9][0-9]{0,3}):)?([1-9][0-9]{0,8})", re.ASCII)


class GeneratedRepository:
    """A repository that follows from its specification.

    Attributes
    ----------
    files
        Its data files, without the README, sorted by path.
    """

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self.files = paths(specification)
        self._encoded = functools.lru_cache(maxsize=8)(self._encode)
        self._block = functools.lru_cache(maxsize=1)(
            lambda block: self._columns_of(block * BLOCK, (block + 1) * BLOCK)
        )
        self._block_before = -1

    @functools.cached_property
    def columns(self) -> Columns:
        """The cells of the files; a listing does not need them."""
        return Columns(self.specification, self.files, keys(self.name, self.files.texts))

    @property
    def name(self) -> str:
        """The id that tools are given."""
        return self.specification.id

    @property
    def about(self) -> str:
        """One line: what it is, and its version."""
        return f"generated repository {self.name}, made by version {design.VERSION} of the science gym"

    @functools.cached_property
    def _all(self) -> tuple[str, ...]:
        texts = self.files.texts
        return texts if self.specification.readme is None else tuple(sorted((*texts, README)))

    @functools.cached_property
    def _tree(self) -> PathTree:
        return PathTree(self._all)

    def paths(self) -> Sequence[str]:
        """Return every file, sorted."""
        return self._all

    def kind(self, path: str) -> Kind | None:
        """Return what a path names; None where it names nothing."""
        return self._tree.kind(path)

    def entries(self, folder: str) -> Sequence[Entry]:
        """Return what a folder holds, sorted by name; LabrigError ``not_found`` if there is no such folder."""
        return self._tree.entries(folder)

    def size(self, path: str) -> int:
        """Return the bytes of a file; LabrigError ``not_found`` if there is none."""
        return len(self._encoded(path))

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `start`, or all to its end; fewer where the file ends before.

        Raises
        ------
        LabrigError
            ``not_found`` if there is no such file.
        """
        content = self._encoded(path)
        return content[start:] if size is None else content[start : start + size]

    def media_type(self, path: str) -> str:
        """Return the media type that a file's name stands for."""
        return MEDIA_TYPES.get(path.rpartition(".")[2], "application/octet-stream")

    def place(self, path: str) -> int:
        """Return the place of a data file in `files`; LabrigError ``not_found`` if there is none."""
        texts = self.files.texts
        place = bisect.bisect_left(texts, path)
        if place == len(texts) or texts[place] != path:
            raise LabrigError(
                f"There is no file {path!r} in repository {self.name}",
                where=path,
                expected="a path that list_directory shows",
                try_=" or ".join(nearest(path, texts[max(place - 50, 0) : place + 50], 2)),
                code="not_found",
            )
        return place

    def cells(self, files: Integers | Sequence[int]) -> Cells:
        """Return every row of these files, given by their places."""
        return self.columns.cells(np.asarray(files, dtype=np.int64))

    def _encode(self, path: str) -> bytes:
        if path == README and self.specification.readme is not None:
            return readme(self.specification).encode()
        return encoded(self._table(self.place(path)), self.specification.extension)

    def _table(self, place: int) -> Sequence[Column]:
        """Return the columns of one file; where the file read before is beside it, those of all about it are made."""
        block = place // BLOCK
        if block != self._block_before:
            self._block_before = block
            return self._columns_of(place, place + 1)[0]
        return self._block(block)[place % BLOCK]

    def _columns_of(self, start: int, end: int) -> list[list[Column]]:
        """Return the columns of each file from `start` to before `end`."""
        names = [each.name for each in self.specification.variables]
        files = np.arange(start, min(end, len(self.files.texts)), dtype=np.int64)
        table = self.columns.columns(names, self.cells(files))
        found, row = [], 0
        for count in self.columns.rows(files).tolist():
            rows = slice(row, row + count)
            found.append([Column(each.name, each.form, each.data[rows]) for each in table.values()])
            row += count
        return found


def open_any(name: str) -> GeneratedRepository | HardRepository:
    """Return the repository with an id of either tier."""
    if name.startswith(PREFIX):
        return open_hard(name)
    return open_repository(name)


def open_repository(name: str) -> GeneratedRepository:
    """Return the repository with this id: ``isg/1:118``, or ``118`` for the same of the current version.

    Raises
    ------
    LabrigError
        ``bad_input`` if it is not an id of a generated repository, ``not_found`` if its version is not this one.
    """
    match = ID.fullmatch(name)
    if match is None:
        raise LabrigError(
            "This is not an id of a generated repository",
            where=name,
            expected=f"a number from 1 to {MOST_NUMBER}, alone or after isg/{design.VERSION}:",
            try_=f'"118" or "isg/{design.VERSION}:118"',
        )
    if match[1] is not None and int(match[1]) != design.VERSION:
        raise LabrigError(
            f"Version {match[1]} of the generator is not installed",
            where=name,
            expected=f"isg/{design.VERSION}:{match[2]}",
            code="not_found",
        )
    return _opened(int(match[2]))


@functools.lru_cache(maxsize=16)
def _opened(number: int) -> GeneratedRepository:
    return GeneratedRepository(design.specification(number))
