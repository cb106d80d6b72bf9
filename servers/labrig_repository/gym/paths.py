"""Which paths a repository has, what each says, and how a path is read back.

The possible paths are the product of the values of all placeholders; the paths are a sample of them. A path is
numbered by its place in that product, the last placeholder fastest.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_repository.gym.numbers import Integers, key, sample
from labrig_repository.gym.specification import Level, Placeholder, Specification


@dataclass(frozen=True, slots=True)
class Paths:
    """The files of a repository, sorted by path.

    Attributes
    ----------
    places
        One row for each file, one column for each placeholder: the place of its value.
    """

    placeholders: tuple[Placeholder, ...]
    texts: tuple[str, ...]
    places: Integers

    def matching(self, conditions: Mapping[str, Collection[str]]) -> Integers:
        """Return the files whose placeholders have one of the values asked for, all conditions together.

        Parameters
        ----------
        conditions
            Values (as `Placeholder.values` has them) by the name of the placeholder.
        """
        wanted = np.ones(len(self.texts), dtype=bool)
        names = [each.name for each in self.placeholders]
        for name, values in conditions.items():
            if name not in names:
                raise unknown_name("path variable", name, names)
            column = names.index(name)
            chosen = np.array([each in values for each in self.placeholders[column].values])
            wanted &= chosen[self.places[:, column]]
        return np.flatnonzero(wanted)


def paths(specification: Specification) -> Paths:
    """Return the files of a repository."""
    chosen = np.array(
        sample(key(specification.id, "paths"), specification.files, specification.possible), dtype=np.int64
    )
    columns: list[Integers] = []
    for placeholder in reversed(specification.placeholders):
        chosen, place = np.divmod(chosen, np.int64(len(placeholder.values)))
        columns.insert(0, place)
    texts = _texts(specification, columns)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    return Paths(
        specification.placeholders, tuple(texts[each] for each in order), np.stack(columns, axis=1)[order]
    )


def _texts(specification: Specification, columns: Sequence[Integers]) -> list[str]:
    """Return the paths that places stand for."""
    pieces: list[list[str]] = []
    rest = iter(columns)
    for level in specification.levels:
        last = len(level.placeholders) - 1
        ends = [
            *level.separators,
            f".{specification.extension}" if level is specification.levels[-1] else "/",
        ]
        for number, placeholder in enumerate(level.placeholders):
            texts = [each + ends[min(number, last)] for each in placeholder.written]
            pieces.append([texts[place] for place in next(rest).tolist()])
    return list(map("".join, zip(*pieces, strict=True)))


def read_back(specification: Specification, path: str) -> dict[str, str]:
    """Return the values of the placeholders that a path says, present in the repository or not.

    Raises
    ------
    LabrigError
        ``not_found`` if the path does not follow the scheme.
    """
    wrong = LabrigError(
        "The path does not follow the scheme", where=path, expected=specification.scheme, code="not_found"
    )
    stem, dot, extension = path.rpartition(".")
    parts = stem.split("/")
    if not dot or extension != specification.extension or len(parts) != len(specification.levels):
        raise wrong
    values: dict[str, str] = {}
    for level, part in zip(specification.levels, parts, strict=True):
        found = _read_level(level, part)
        if found is None:
            raise wrong
        values |= found
    return values


def _read_level(level: Level, text: str) -> dict[str, str] | None:
    """Return the values of one level, from the left."""
    values: dict[str, str] = {}
    for placeholder, mark in itertools.zip_longest(level.placeholders, level.separators):
        for value, written in zip(placeholder.values, placeholder.written, strict=True):
            if text.startswith(written + mark) if mark else text == written:
                values[placeholder.name] = value
                text = text[len(written) + len(mark or "") :]
                break
        else:
            return None
    return values


def readable(written: Sequence[str], mark: str) -> bool:
    """Return whether no text followed by `mark` is the beginning of another followed by it."""
    marked = sorted(each + mark for each in written)
    return len(set(marked)) == len(marked) and not any(
        after.startswith(before) for before, after in itertools.pairwise(marked)
    )
