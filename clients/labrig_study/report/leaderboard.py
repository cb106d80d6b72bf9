"""The leaderboard: for each run its accuracy with intervals, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from labrig_harness.records.scoring import Record, Scored
from labrig_harness.trajectory import AT_LEAST
from labrig_study.cells import mean
from labrig_study.report.runs import (
    Run,
    median_of,
    ranked,
    score_of,
    steps_of,
    tokens_of,
    wall_of,
)
from labrig_study.statistics import has_statistics
from labrig_study.statistics.proportions import wilson

if TYPE_CHECKING:
    from labrig_study.statistics.bootstrap import Estimate
    from labrig_study.statistics.clustered import DesignEffect

ENOUGH = 10
"""Clusters from which the interval over clusters is the headline; with fewer it is rough, and likely too narrow."""

WITHOUT = (
    "intervals over clusters, detectable differences and comparisons need: pip install 'labrig[harness]'"
)


@dataclass(frozen=True)
class Spent:
    """Mean cost per record, and what it rests on.

    Attributes
    ----------
    amount
        None where records were priced by different tables, or in different currencies: these do not add up.
    records
        Records that have a cost.
    least
        Whether it is a lower bound: some records did not report all tokens.
    """

    amount: float | None
    currency: str
    table: str
    records: int
    least: bool = False


@dataclass(frozen=True)
class Row:
    """What a run reached. Epochs are averaged within an item; items are what accuracies are means of.

    Attributes
    ----------
    number
        Rank by strict accuracy, from 1.
    n
        Records; more than `items` where there are epochs.
    strict, compat
        Mean scores, in [0, 1].
    wilson
        Wilson's 95 % interval of `strict`, items as independent; None where a score is neither 0 nor 1, to which
        it does not apply.
    resampled
        The bootstrap interval of `strict` over clusters, or over items where the suite has no clusters; None where
        NumPy and SciPy are not installed.
    detectable
        Smallest true difference, in [0, 1], between two runs like this one, each on items of its own, that a test
        at 5 % would find 4 times in 5. Two runs on the same items can tell less apart: see the comparisons.
    committed
        Records with a submission; None where some answered and the log does not show what (a table of flags alone).
    given_commit
        Mean strict score of the records with a submission; None without any.
    steps, tokens_in, tokens_out, wall_s
        Means over the records that report them (`wall_s` is the median); None where none does.
    tokens_known
        Records whose tokens are known.
    tokens_per_right
        Input and output tokens of those, divided by the sum of their strict scores.
    """

    number: int
    run: Run
    n: int
    items: int
    clusters: int
    epochs: int
    strict: float
    compat: float
    wilson: tuple[float, float] | None
    resampled: Estimate | None
    design: DesignEffect | None
    detectable: float | None
    committed: int | None
    given_commit: float | None
    steps: float | None
    tokens_in: float | None
    tokens_out: float | None
    tokens_known: int
    tokens_per_right: float | None
    cost: Spent | None
    wall_s: float | None
    result_bytes: float
    failed_calls: int
    calls: int

    @property
    def arm(self) -> str:
        """The arm."""
        return self.run.arm

    @property
    def agent(self) -> str:
        """The agent."""
        return self.run.agent

    @property
    def clustered(self) -> bool:
        """Whether some items belong together."""
        return self.clusters < self.items

    @property
    def method(self) -> str:
        """What the headline interval is: ``clusters``, ``Wilson``, ``samples``, or empty where there is none."""
        usable = self.resampled is not None and self.resampled.interval is not None
        if usable and self.clustered and self.clusters >= ENOUGH:
            return "clusters"
        return "Wilson" if self.wilson else "samples" if usable else ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The headline interval."""
        if self.method == "Wilson":
            return self.wilson
        return self.resampled.interval if self.method and self.resampled else None

    @property
    def remark(self) -> str:
        """What a reader must know of the interval; empty when there is nothing."""
        if self.method == "clusters" or self.resampled is None or not self.clustered:
            return ""
        why = (
            f"only {self.clusters} clusters, too few to resample"
            if self.clusters < ENOUGH
            else self.resampled.note
        )
        return f"{why}; Wilson’s takes the samples as independent" if self.wilson else why


def leaderboard(scored: Scored) -> list[Row]:
    """Return a row for each run that can be ranked, the best first."""
    resample = has_statistics()
    return [_make_row(number, run, resample) for number, run in enumerate(ranked(scored), 1)]


def _make_row(number: int, run: Run, resample: bool) -> Row:
    means = run.means()
    scores = [score_of(each) for each in run.records]
    whole = all(each.strict in (0.0, 1.0) for each in scores)
    known = [each for each in run.records if each.tokens.measured]
    right = sum(score_of(each).strict for each in known)
    committed = [each for each in run.records if each.committed]
    accuracy = fmean(means.values())
    labels = run.labels()
    estimate, design, least = (
        _resample_scores(list(means.values()), labels) if resample else (None, None, None)
    )
    return Row(
        number=number,
        run=run,
        n=len(run.records),
        items=len(means),
        clusters=len(set(labels)),
        epochs=run.epochs,
        strict=accuracy,
        compat=fmean(run.means("compat").values()),
        # Means of thirds and the like can add up to a little more than n.
        wilson=wilson(min(sum(means.values()), len(means)), len(means)) if whole else None,
        resampled=estimate,
        design=design,
        detectable=least,
        committed=len(committed)
        if all(each.committed or each.end != "answered" for each in run.records)
        else None,
        given_commit=mean(score_of(each).strict for each in committed),
        steps=mean(map(steps_of, run.records)),
        tokens_in=mean(each.tokens.input for each in known),
        tokens_out=mean(each.tokens.output for each in known),
        tokens_known=len(known),
        tokens_per_right=sum(tokens_of(each) or 0 for each in known) / right if right else None,
        cost=_sum_cost(run.records),
        wall_s=median_of([wall for each in run.records if (wall := wall_of(each)) is not None]),
        result_bytes=fmean(each.result_bytes for each in run.records),
        failed_calls=sum(each.failed_calls for each in run.records),
        calls=sum(each.calls for each in run.records),
    )


def _resample_scores(values: list[float], labels: list[str]) -> tuple[Estimate, DesignEffect, float | None]:
    from labrig_study.statistics.bootstrap import bootstrap_mean
    from labrig_study.statistics.clustered import design_effect, minimum_detectable_difference, standard_error

    error = standard_error(values, labels)
    least = minimum_detectable_difference(sqrt(2) * error.se, 2 * error.df) if error and error.se else None
    return (
        bootstrap_mean(values, labels),
        design_effect(values, labels),
        None if least is None else min(least, 1.0),
    )


def _sum_cost(records: tuple[Record, ...]) -> Spent | None:
    costs = [each.cost for each in records if each.cost is not None]
    if not costs:
        return None
    kinds = sorted({(each.currency, each.table.removesuffix(AT_LEAST)) for each in costs})
    if len(kinds) > 1:
        return Spent(None, "", "; ".join(" ".join(kind) for kind in kinds), len(costs))
    least = any(each.table.endswith(AT_LEAST) for each in costs)
    return Spent(fmean(each.amount for each in costs), *kinds[0], len(costs), least)


def chance(scored: Scored) -> float | None:
    """Return the accuracy of guessing over all tasks, or None when one of them is not multiple choice."""
    counts = [len(sample.brief.choices) for sample in scored.tasks.values()]
    return fmean(1 / count for count in counts) if counts and all(counts) else None
