"""The runs of an output folder: their records gathered, item by item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from labrig_harness.records.outfolder import safe
from labrig_harness.records.scoring import Record, Scored
from labrig_harness.suite import Score


@dataclass(frozen=True)
class Run:
    """An agent in an arm: what one folder of records holds.

    Attributes
    ----------
    label
        Name of the folder, which `labrig compare` takes.
    records
        Those that have a score, in the order of items and epochs.
    unscored
        Those of items without a truth.
    clusters
        For each item the label of the cluster it belongs to; items that belong to none are not in it.
    """

    label: str
    arm: str
    agent: str
    records: tuple[Record, ...]
    unscored: tuple[Record, ...]
    clusters: dict[str, str]

    @property
    def name(self) -> str:
        """How reports call it; what makes a label longer than arm and agent (a change of results) is said."""
        rest = self.label.removeprefix(f"{self.arm}.{safe(self.agent)}").lstrip(".")
        return f"{self.arm}, {self.agent}" + (f" ({rest})" if rest and rest != self.label else "")

    @property
    def changed(self) -> bool:
        """Whether results were changed on their way to the agent: its accuracy then means something else."""
        return any(each.perturbation is not None for each in (*self.records, *self.unscored))

    @cached_property
    def items(self) -> dict[str, list[Record]]:
        """The scored records by item."""
        by_item: dict[str, list[Record]] = {}
        for record in self.records:
            by_item.setdefault(record.task, []).append(record)
        return by_item

    @property
    def epochs(self) -> int:
        """Different epochs among the scored records."""
        return len({record.epoch for record in self.records})

    def means(self, by: str = "strict") -> dict[str, float]:
        """Return the mean over epochs for each item."""
        return {item: fmean(scores_of(records, by)) for item, records in self.items.items()}

    def labels(self) -> list[str]:
        """Return a cluster for each item, in the order of `items`; an item without one is its own."""
        return [self.clusters.get(item, f"sample {item}") for item in self.items]


def runs_of(scored: Scored) -> list[Run]:
    """Return the runs: by strict accuracy, then in the suite's order of arms; unscored ones last."""
    groups: dict[str, list[Record]] = {}
    for kept in scored.records:
        groups.setdefault(kept.folder.parent.parent.name, []).append(kept)
    cluster = scored.suite.cluster
    clusters = {
        name: sample.labels[cluster] for name, sample in scored.tasks.items() if sample.labels.get(cluster)
    }
    place = {arm.name: number for number, arm in enumerate(scored.suite.arms)}
    for members in groups.values():  # resampling is not to depend on the order in which records were found
        members.sort(key=lambda record: (record.task, record.epoch))
    made = [
        Run(
            label,
            members[0].arm,
            members[0].agent,
            tuple(each for each in members if each.score is not None),
            tuple(each for each in members if each.score is None),
            clusters,
        )
        for label, members in groups.items()
    ]

    def order(run: Run) -> tuple[bool, float, int, str]:
        accuracy = fmean(run.means().values()) if run.records else 0.0
        return not run.records, -accuracy, place.get(run.arm, len(place)), run.label

    return sorted(made, key=order)


def ranked(scored: Scored) -> list[Run]:
    """Return the runs that a leaderboard ranks: those with scores whose results nobody changed."""
    return [run for run in runs_of(scored) if run.records and not run.changed]


def score_of(record: Record) -> Score:
    """Return the score of a record that has one."""
    if record.score is None:
        raise ValueError(f"{record.task} has no score")
    return record.score


def scores_of(records: list[Record], by: str = "strict") -> list[float]:
    """Return scores by one of the two definitions, ``strict`` or ``compat``."""
    return [score_of(each).compat if by == "compat" else score_of(each).strict for each in records]


def steps_of(record: Record) -> int | None:
    """Return the turns, or None where the record tells none though an answer was committed."""
    return record.steps if record.steps or not record.committed else None


def wall_of(record: Record) -> float | None:
    """Return the seconds a run took, or None where it is not recorded."""
    return record.duration_s if record.duration_s > 0 else None


def tokens_of(record: Record) -> int | None:
    """Return input and output tokens, or None where not every turn reported them."""
    return record.tokens.total if record.tokens.measured else None


def median_of(values: list[float] | list[int]) -> float | None:
    """Return a median; None where there is nothing."""
    return median(values) if values else None
