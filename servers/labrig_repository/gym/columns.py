"""The cells of columns: of one file, of one cell, or of one column in ten thousand files, by the same code.

A cell is named by its file and its row. Which cells are wanted is said by two arrays, `Cells`; what is computed is
a column of integers for them (`values.Column`), and only the columns that are asked for and those that they follow
from. So a filter can be applied to one column and the next be computed for the rows that are left.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig.errors import unknown_name
from labrig_repository.gym import distributions, expressions
from labrig_repository.gym.numbers import Integers, Reals, Words, fractions, words
from labrig_repository.gym.paths import Paths
from labrig_repository.gym.specification import (
    Clock,
    Computed,
    Cut,
    FileVariable,
    Label,
    Number,
    Specification,
    Weighted,
)
from labrig_repository.gym.values import Column, Decimal, Labels, mantissas

FEWEST_ROWS, MOST_ROWS = 20, 300
"""Rows of a file are uniform between these. The paper's algorithm 1 draws them from a Normal without saying its
parameters; the released code draws integers from 20 to 299 with equal chances."""
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
FILE_COLUMN = 0
"""The column of the words that are the file's own: how many rows, which day. The first real column is 1."""
BLOCK = 32_768
"""Cells that are computed at a time: what they need stays in the cache of a processor."""
DAY_S, MINUTE_S = 86_400, 60
OPENING_MINUTE, MINUTES = 6 * 60, 12 * 60
"""A first row is dated between 06:00 and 18:00."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows of files.

    Attributes
    ----------
    file
        The place of the file in `Paths.texts`, for each cell.
    row
        From 0, for each cell.
    """

    file: Integers
    row: Integers

    def __len__(self) -> int:
        return len(self.file)

    def keep(self, wanted: NDArray[np.bool_] | slice) -> Cells:
        """Return the cells that are wanted."""
        return Cells(self.file[wanted], self.row[wanted])


class Columns:
    """The columns of a repository."""

    def __init__(self, specification: Specification, files: Paths, keys: Words) -> None:
        self.specification = specification
        self.variables = {each.name: each for each in specification.variables}
        self._address = {
            variable.name: np.uint64(number)
            for number, variable in enumerate(specification.variables, FILE_COLUMN + 1)
        }
        self._keys = keys
        self._sources = {each.name: self._sources_of(each) for each in specification.variables}
        self._places = {each.name: files.places[:, n] for n, each in enumerate(files.placeholders)}
        self._numbers = {
            placeholder.name: np.array([float(text) for text in placeholder.numbers])
            for placeholder in files.placeholders
            if placeholder.numbers
        }
        span = np.uint64(MOST_ROWS - FEWEST_ROWS + 1)
        self._rows = _share(self._of_files(0) >> HALF, span) + FEWEST_ROWS
        self._starts = {
            variable.name: self._start(variable.source)
            for variable in specification.variables
            if isinstance(variable.source, Clock)
        }

    def rows(self, files: Integers | None = None) -> Integers:
        """Return the number of rows of each file, or of each of these."""
        return self._rows if files is None else self._rows[files]

    def _of_files(self, number: int) -> Words:
        """Return the word of each file with this number."""
        return words(
            self._keys, np.array([FILE_COLUMN], dtype=np.uint64), np.array([number], dtype=np.uint64)
        )

    def cells(self, files: Integers) -> Cells:
        """Return every row of these files."""
        counts = self.rows(files)
        ends = np.cumsum(counts)
        file = np.repeat(files, counts)
        return Cells(file, np.arange(len(file), dtype=np.int64) - np.repeat(ends - counts, counts))

    def columns(self, names: Iterable[str], cells: Cells) -> dict[str, Column]:
        """Return columns for these cells.

        Raises
        ------
        LabrigError
            ``not_found`` if there is no such column.
        """
        names = list(names)
        for name in names:
            if name not in self.variables:
                raise unknown_name("column", name, self.variables)
        needed = self._needed(names)
        parts = [
            self._block(needed, cells.keep(slice(start, start + BLOCK)))
            for start in range(0, max(len(cells), 1), BLOCK)
        ]
        return {
            name: Column(name, self.variables[name].form, np.concatenate([each[name] for each in parts]))
            for name in names
        }

    def column(self, name: str, cells: Cells) -> Column:
        """Return one column for these cells."""
        return self.columns([name], cells)[name]

    def _sources_of(self, variable: FileVariable) -> list[str]:
        """Return the columns that a column is computed from."""
        match variable.source:
            case Computed(expression):
                return [each for each in expressions.names(expression) if each in self.variables]
            case Cut(source, _):
                return [source]
        return []

    def _needed(self, names: Sequence[str]) -> list[FileVariable]:
        """Return the columns asked for and those that they follow from, in the order of the file."""
        needed: set[str] = set()
        left = list(names)
        while left:
            name = left.pop()
            if name not in needed:
                needed.add(name)
                left += self._sources[name]
        return [each for each in self.specification.variables if each.name in needed]

    def _block(self, needed: Sequence[FileVariable], cells: Cells) -> dict[str, Integers]:
        address = np.array([self._address[each.name] for each in needed], dtype=np.uint64)[:, None]
        drawn = words(self._keys[cells.file], address, cells.row.astype(np.uint64))
        noisy = [n for n, each in enumerate(needed) if isinstance(each.source, Computed)]
        noise = dict(zip(noisy, distributions.normal(drawn[noisy]), strict=True)) if noisy else {}
        data: dict[str, Integers] = {}
        for number, variable in enumerate(needed):
            data[variable.name] = self._data(variable, cells, drawn[number], data, noise.get(number))
        return data

    def _data(
        self,
        variable: FileVariable,
        cells: Cells,
        drawn: Words,
        before: Mapping[str, Integers],
        noise: Reals | None,
    ) -> Integers:
        """Return one column; `before` are those that it may follow from."""
        form = variable.form
        match variable.source:
            case Label() if isinstance(form, Labels):
                return cells.row * np.int64(form.choices) + _share(drawn >> HALF, np.uint64(form.choices))
            case Clock() as clock:
                return self._starts[variable.name][cells.file] + cells.row * np.int64(clock.step_s)
            case Weighted(weights):
                total = sum(weights)
                rising = [(each << 53) // total for each in itertools.accumulate(weights)]
                return np.searchsorted(np.array(rising[:-1]), fractions(drawn), side="right")
            case Number(draw, low, high, least, most) if isinstance(form, Decimal):
                if form.decimals or draw.distribution in ("Beta", "Exponential", "Normal", "Uniform"):
                    found = mantissas(distributions.reals(draw, low, high, drawn), form.decimals)
                else:
                    found = distributions.integers(draw, drawn)
                return np.minimum(np.maximum(found, least), most)
            case Computed(expression) if isinstance(form, Decimal) and noise is not None:
                inputs = self._inputs(cells, before, noise)
                return mantissas(expressions.evaluate(expression, inputs), form.decimals)
            case Cut(source, cuts):
                return np.searchsorted(np.array(cuts), before[source], side="right")
        raise AssertionError(f"{variable.name}: a source and a form that do not go together")

    def _start(self, clock: Clock) -> Integers:
        """Return the second of the first row of each file."""
        drawn = self._of_files(1)
        minute = _share(drawn & LOW_HALF, np.uint64(MINUTES))
        if clock.date:
            (said,) = (each for each in self.specification.placeholders if each.name == clock.date)
            texts = said.values if said.kind == "date" else said.numbers  # a year: its first day
            days = 1 if said.kind == "date" else 364 - MOST_ROWS * clock.step_s // DAY_S
            first_day = np.array(texts, dtype="datetime64[D]").astype(np.int64)[self._places[clock.date]]
        else:
            first_day, days = np.array([clock.first_day]), clock.days
        day = first_day + _share(drawn >> HALF, np.uint64(days))
        return day * np.int64(DAY_S) + (minute + np.int64(OPENING_MINUTE)) * np.int64(MINUTE_S)

    def _inputs(self, cells: Cells, before: Mapping[str, Integers], noise: Reals) -> expressions.Inputs:
        """Return where an expression finds its variables: in columns before it, else in the path."""

        def numbers(name: str) -> Reals:
            if name not in before:
                return self._numbers[name][self._places[name][cells.file]]
            form = self.variables[name].form
            assert isinstance(form, Decimal)
            return form.values(before[name])

        def places(name: str) -> Integers:
            return before[name] if name in before else self._places[name][cells.file]

        return expressions.Inputs(numbers, places, noise)


def _share(halves: Words, limit: np.uint64) -> Integers:
    """Return integers below `limit` (itself below 2**32) from numbers of 32 bits."""
    return (halves * limit >> HALF).astype(np.int64)
