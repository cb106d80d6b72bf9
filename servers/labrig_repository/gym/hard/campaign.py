"""A hard repository as the tools read it: every file is written when it is read."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from labrig.errors import LabrigError, nearest
from labrig_repository.folder.store import Entry, Kind, PathTree
from labrig_repository.gym.encoding import MEDIA_TYPES
from labrig_repository.gym.hard.levels import VERSION, read_id
from labrig_repository.gym.hard.plan import Plan, plan
from labrig_repository.gym.hard.records import Records
from labrig_repository.gym.hard.writing import lists, paths, table


class HardRepository:
    """A repository of the hard tier."""

    def __init__(self, campaign: Plan) -> None:
        self.plan = campaign
        self.records = Records(campaign)
        self._lists = {path: text.encode() for path, text in lists(campaign).items()}
        self._data = paths(campaign)
        self._all = tuple(sorted((*self._lists, *self._data)))
        self._tree = PathTree(self._all)
        self._read = functools.lru_cache(maxsize=8)(self._written)

    @property
    def name(self) -> str:
        """The id that tools are given."""
        return self.plan.id

    @property
    def about(self) -> str:
        """One line: what it is, and its version."""
        return (
            f"generated repository {self.name}, made by version {VERSION} of the hard tier of the science gym"
        )

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
        return len(self._read(path))

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of a file from `start`, or all to its end; LabrigError ``not_found`` if there is none."""
        return self._read(path)[start : None if size is None else start + size]

    def media_type(self, path: str) -> str:
        """Return the media type that a file's name stands for."""
        return MEDIA_TYPES[path.rpartition(".")[2]]

    def _written(self, path: str) -> bytes:
        if path in self._lists:
            return self._lists[path]
        if path not in self._data:
            raise LabrigError(
                f"There is no file {path!r} in repository {self.name}",
                where=path,
                expected="a path that list_directory shows",
                try_=" or ".join(nearest(path, self._all, 2)),
                code="not_found",
            )
        number, which = self._data[path]
        return table(self.plan, self.records, number, old=which == "old").encode()


@functools.lru_cache(maxsize=8)
def open_hard(name: str) -> HardRepository:
    """Return the repository with an id of the hard tier; LabrigError for what is no such id."""
    return HardRepository(plan(*read_id(name)))
