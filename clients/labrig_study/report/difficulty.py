"""Which items are hard, and for whom: by item, and by cluster of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from labrig_study.report.leaderboard import Row
from labrig_study.statistics import has_statistics

if TYPE_CHECKING:
    from labrig_study.statistics.bootstrap import Estimate


@dataclass(frozen=True)
class Cluster:
    """A cluster of items, and how each run did on it; None where a run has none of its items."""

    name: str
    items: int
    shares: tuple[float | None, ...]

    @property
    def mean(self) -> float | None:
        """Mean over the runs."""
        found = [each for each in self.shares if each is not None]
        return fmean(found) if found else None

    @property
    def spread(self) -> float | None:
        """Greatest less least share; None for a single run."""
        found = [each for each in self.shares if each is not None]
        return max(found) - min(found) if len(found) > 1 else None


@dataclass(frozen=True)
class Clusters:
    """All clusters, the hardest first, and each run's mean over them, every cluster counting the same.

    Attributes
    ----------
    means
        With the bootstrap over clusters; None where NumPy and SciPy are missing.
    all_right, all_wrong
        Clusters that a run has wholly right, and wholly wrong.
    """

    clusters: tuple[Cluster, ...]
    means: tuple[Estimate | None, ...]
    all_right: tuple[int, ...]
    all_wrong: tuple[int, ...]


@dataclass(frozen=True)
class Spread:
    """How many items all runs have right, or wrong, or only some; of those that every run has."""

    items: int
    right: int
    wrong: int


def by_cluster(rows: Sequence[Row]) -> Clusters | None:
    """Return the clusters of items; None where no two items share one."""
    if not any(row.clustered for row in rows):
        return None
    tables = [_list_shares(row) for row in rows]
    names = dict.fromkeys(name for table in tables for name in table)
    clusters = [
        Cluster(
            name,
            max(len(table.get(name, ())) for table in tables),
            tuple(fmean(table[name]) if name in table else None for table in tables),
        )
        for name in names
    ]
    return Clusters(
        tuple(sorted(clusters, key=lambda each: (each.mean or 0.0, each.name))),
        tuple(_estimate_mean(row) for row in rows),
        tuple(sum(min(each) >= 1 for each in table.values()) for table in tables),
        tuple(sum(max(each) <= 0 for each in table.values()) for table in tables),
    )


def _list_shares(row: Row) -> Mapping[str, list[float]]:
    table: dict[str, list[float]] = {}
    for label, score in zip(row.run.labels(), row.run.means().values(), strict=True):
        table.setdefault(label, []).append(score)
    return table


def _estimate_mean(row: Row) -> Estimate | None:
    if not has_statistics():
        return None
    from labrig_study.statistics.bootstrap import bootstrap_mean

    return bootstrap_mean(list(row.run.means().values()), row.run.labels(), weigh="clusters")


def spread(rows: Sequence[Row]) -> Spread | None:
    """Return how the runs agree on the items they share; None for fewer than two runs."""
    if len(rows) < 2:
        return None
    means = [row.run.means() for row in rows]
    common = [item for item in means[0] if all(item in each for each in means)]
    return Spread(
        len(common),
        sum(all(each[item] >= 1 for each in means) for item in common),
        sum(all(each[item] <= 0 for each in means) for item in common),
    )
