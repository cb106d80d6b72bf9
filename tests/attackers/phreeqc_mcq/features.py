"""What learners go by: how an option looks beside the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from attackers.phreeqc_mcq.measures import Measure, ranks_of, scaled, unit_range
from attackers.phreeqc_mcq.seen import Floats, Seen
from labrig_suites.phreeqc_mcq.items import LETTERS


def features(found: Sequence[Seen], measures: Iterable[Measure]) -> Floats:
    """Return (items, 4, features): measures, rank, letter, unit, magnitude, and gaps to the other options."""
    units = sorted({unit for item in found for unit in item.units})
    every = list(measures)
    return np.array([_features(item, every, units) for item in found])


def _features(item: Seen, measures: Sequence[Measure], units: Sequence[str]) -> Floats:
    count = len(LETTERS)
    measured = [values if (values := each(item)) is not None else np.zeros(count) for each in measures]
    ranks = np.eye(count)[ranks_of(item.values).astype(int)]
    of_unit = np.array([[unit == each for each in units] for unit in item.units], dtype=float)
    gaps = []
    for line in (unit_range(item.values), scaled(item.values)):
        apart = line[:, None] - np.sort(line)
        gaps += [
            np.array(
                [np.delete(row, int(rank)) for row, rank in zip(apart, ranks_of(item.values), strict=True)]
            )
        ]
        gaps += [np.tile(np.diff(np.sort(line)), (count, 1))]
    magnitude = np.log10(np.abs(item.values) + 1e-12)[:, None]
    by_rank = (of_unit[:, :, None] * ranks[:, None, :]).reshape(count, -1)
    return np.hstack([np.column_stack(measured), ranks, np.eye(count), of_unit, by_rank, *gaps, magnitude])
