"""The cells of a hard repository as integers: what each file holds in its own units, and what that is in the base unit.

Every cell is a function of the campaign's number, the visit, the column and the row (`labrig_repository.gym.numbers`),
so a file is written alone and a truth needs no file. A file holds the base value rounded to its own unit and decimals;
what counts is what the file holds, converted exactly.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from labrig_repository.gym.hard.levels import PREFIX, VERSION
from labrig_repository.gym.hard.plan import Logger, Measured, Plan
from labrig_repository.gym.hard.worlds import Unit
from labrig_repository.gym.numbers import Integers, keys, words

SCALE_BITS = 20
SPIKES, GAPS = 64, 24
"""One cell in so many is a spike, or missing."""
CATEGORY, SHARED, SPIKE, MISSING, OWN = range(5)
"""Columns of random words; those of quantities follow `OWN`, four each."""
OLD = 1 << 32
"""Added to the rows of a superseded file: its cells are others."""


@dataclass(frozen=True, slots=True)
class Written:
    """How a quantity stands in the files of a logger: ``mantissa / 10**decimals`` in a unit."""

    unit: Unit
    decimals: int

    def exact(self) -> tuple[Fraction, Fraction]:
        """Return by what a mantissa is multiplied, and what is added, for a value in the base unit."""
        return self.unit.factor / 10**self.decimals, self.unit.zero


def how_written(logger: Logger, measured: Measured, place: int) -> Written:
    """Return the unit and the decimals of a quantity in the files of a logger: about as fine as in its base unit."""
    unit, decimals, factor = logger.units[place], measured.decimals, logger.units[place].factor
    while factor >= Fraction(316, 100):
        factor, decimals = factor / 10, decimals + 1
    while factor < Fraction(316, 1000):
        factor, decimals = factor * 10, decimals - 1
    return Written(unit, max(decimals, 0))


def limit(measured: Measured) -> Fraction:
    """Return above which recorded value a reading is a fault, in the base unit."""
    return Fraction(2 * measured.high, 10**measured.decimals)


class Records:
    """The samples of a campaign."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._keys = keys(f"{PREFIX}{VERSION}:{plan.number}", [each.code for each in plan.visits])

    def _words(
        self, visits: Integers, rows: Integers, column: int, *, old: bool = False
    ) -> NDArray[np.uint64]:
        place = rows.astype(np.uint64) + np.uint64(OLD if old else 0)
        return words(self._keys[visits], np.full(1, column, np.uint64), place)

    def _uniform(self, visits: Integers, rows: Integers, column: int, *, old: bool = False) -> Integers:
        """Return the mean of three parts of a word: integers below 2**20, most of them in the middle."""
        drawn = self._words(visits, rows, column, old=old)
        mask = np.uint64((1 << SCALE_BITS) - 1)
        parts = sum((drawn >> np.uint64(shift)) & mask for shift in (0, 21, 42))
        return np.asarray(parts).astype(np.int64) // 3

    def categories(self, visits: Integers, rows: Integers) -> Integers:
        """Return the level of the category of each row."""
        count = len(self.plan.world.category.levels)
        return (self._words(visits, rows, CATEGORY) % np.uint64(count)).astype(np.int64)

    def missing(
        self, visits: Integers, rows: Integers, place: int, *, old: bool = False
    ) -> NDArray[np.bool_]:
        """Return which cells of a quantity are missing from the files, be it by a code or with the whole column."""
        absent = np.array([each.absent == place for each in self.plan.loggers])[self.loggers[visits]]
        if not self.plan.levels["missing"]:
            return np.asarray(absent)
        drawn = self._words(visits, rows, OWN + 4 * place + MISSING, old=old)
        return np.asarray(absent | (drawn % np.uint64(GAPS) == 0))

    @functools.cached_property
    def loggers(self) -> Integers:
        """The logger of each visit."""
        return np.array([each.logger for each in self.plan.visits], dtype=np.int64)

    @functools.cached_property
    def sites(self) -> Integers:
        """The place of each visit."""
        return np.array([each.site for each in self.plan.visits], dtype=np.int64)

    def base(self, visits: Integers, rows: Integers, place: int, *, old: bool = False) -> Integers:
        """Return the mantissas of a quantity in its base unit, before they are written."""
        plan, measured = self.plan, self.plan.measured[place]
        quantity = (0, 0, 2, 3, 3)[place]  # two ways to measure one quantity share what it was
        shared = self._uniform(visits, rows, OWN + 4 * quantity + SHARED, old=old)
        third = self._uniform(visits, rows, OWN + SHARED, old=old) if quantity == 2 else shared
        own = self._uniform(visits, rows, OWN + 4 * place, old=old)
        factors = np.array([each.factor for each in plan.sites])[self.sites[visits]]
        blocks = np.array([each.block for each in plan.sites])[self.sites[visits]]
        effect = (factors * (quantity + 1) + blocks * 2) % 5 * (1 << SCALE_BITS) // 20
        level = (3 * shared + 2 * third + 2 * own) // 8 + effect
        level = np.minimum(level, (1 << SCALE_BITS) - 1)
        found = measured.low + (measured.high - measured.low) * level // (1 << SCALE_BITS)
        if plan.levels["outliers"]:
            drawn = self._words(visits, rows, OWN + 4 * place + SPIKE, old=old)
            spiked = drawn % np.uint64(SPIKES) == 0
            times = 3 + (drawn >> np.uint64(40)).astype(np.int64) % 5
            found = np.where(spiked, np.maximum(measured.high, 1) * times, found)
        return np.asarray(found, dtype=np.int64)

    def mantissas(self, visits: Integers, rows: Integers, place: int, *, old: bool = False) -> Integers:
        """Return what the files hold of a quantity, in the unit and the decimals of each row's logger."""
        found = self.base(visits, rows, place, old=old)
        measured, by = self.plan.measured[place], self.loggers[visits]
        for number, logger in enumerate(self.plan.loggers):
            chosen = by == number
            if not chosen.any():
                continue
            form = how_written(logger, measured, place)
            scale, zero = form.exact()
            # (m / 10**d - zero) / scale, rounded half up, as (m * a + b) // c
            step = Fraction(1, 10**measured.decimals) / scale
            shift = -zero / scale + Fraction(1, 2)
            c = step.denominator * shift.denominator
            a, b = int(step * c), int(shift * c)
            written = (found[chosen] * a + b) // c
            if logger.missing:
                code = Fraction(logger.missing) if logger.missing not in ("NA",) else None
                if code is not None:
                    written = np.where(written == int(code * 10**form.decimals), written + 1, written)
            found[chosen] = written
        return found

    def times(self, visits: Integers, rows: Integers) -> Integers:
        """Return the minute of each row since 1970, UTC."""
        starts = np.array([each.start for each in self.plan.visits], dtype=np.int64)
        return np.asarray(starts[visits] + rows * self.plan.step)
