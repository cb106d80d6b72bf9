"""Does a server help: two runs on the same samples, measure by measure, each difference with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from statistics import fmean
from typing import TYPE_CHECKING

from labrig_harness.records.scoring import Record
from labrig_harness.suite import Table
from labrig_study.report.runs import Run, score_of, tokens_of, wall_of

if TYPE_CHECKING:
    from labrig_study.statistics.bootstrap import Estimate

COLUMNS = ("measure", "samples", "A", "B", "B - A", "95 % CI", "settled", "samples to settle it")
NOTE = (
    "Means over the samples that both runs have; repeats of a sample are averaged first. The intervals resample "
    "samples with both their sides, or whole groups of them; where all differ alike an exact sign test stands in "
    "their place. settled: the interval leaves 0 out, or p is below 0.05. Strict counts what a question asserts of "
    "calls, which cannot hold without a server; compat does not. samples to "
    "settle it: so many like these would find a difference as large as the one seen 4 times in 5, at the 5 % level."
)


def _read_false_completion(record: Record) -> float:
    """Return 1 for an answer that was given and is wrong; a scorer that knows abstentions says so itself."""
    score = score_of(record)
    return float(score.facts.get("false_completion", record.committed and score.compat == 0))


def _read_cost(record: Record) -> float | None:
    return float(record.cost.amount) if record.cost else None


MEASURES: Mapping[str, Callable[[Record], float | None]] = {
    "accuracy (strict)": lambda record: score_of(record).strict,
    "accuracy (compat)": lambda record: score_of(record).compat,
    "false completions": _read_false_completion,
    "tokens": tokens_of,
    "cost": _read_cost,
    "seconds": wall_of,
    "failed calls": lambda record: float(record.failed_calls),
}
"""What is compared, from a record; None where the record does not tell."""


@dataclass(frozen=True)
class Gain:
    """One measure of run B against run A.

    Attributes
    ----------
    difference
        B - A, with the paired bootstrap over clusters.
    wanted
        Samples at which a difference of this size would be found; None where nothing differs or there is no spread.
    p
        Exact sign test, where every sample or group differs in the same way: there is no interval then; else None.
    """

    measure: str
    samples: int
    a: float
    b: float
    difference: Estimate
    wanted: int | None
    p: float | None = None

    @property
    def settled(self) -> bool:
        """Whether the interval leaves 0 out, or the test says as much."""
        interval = self.difference.interval
        if self.p is not None:
            return self.p < 0.05
        return interval is not None and (interval[0] > 0 or interval[1] < 0)


def gains(a: Run, b: Run, *, resamples: int = 10_000, seed: int = 0) -> list[Gain]:
    """Return each measure that both runs tell of at least one sample they share."""
    found = []
    for name, read in MEASURES.items():
        first, second = _average_samples(a, read), _average_samples(b, read)
        both = [item for item in first if item in second]
        if both:
            clusters = [a.clusters.get(item, f"sample {item}") for item in both]
            pairs = [first[item] for item in both], [second[item] for item in both]
            found.append(measure_gain(name, *pairs, clusters, resamples=resamples, seed=seed))
    return found


def measure_gain(
    measure: str, a: list[float], b: list[float], clusters: list[str], *, resamples: int, seed: int
) -> Gain:
    """Return the difference of two sides of the same samples."""
    from labrig_study.statistics.bootstrap import bootstrap_difference
    from labrig_study.statistics.clustered import detectable
    from labrig_study.statistics.paired import mcnemar

    difference = bootstrap_difference(a, b, clusters, resamples=resamples, seed=seed)
    least = detectable(a, b, clusters).paired
    wanted = None
    if least is not None and difference.value:
        wanted = ceil(len(a) * (least / abs(difference.value)) ** 2)
    alike = difference.interval is None and difference.value != 0
    p = mcnemar(len(set(clusters)), 0).exact_p if alike else None
    return Gain(measure, len(a), fmean(a), fmean(b), difference, wanted, p)


def _average_samples(run: Run, read: Callable[[Record], float | None]) -> dict[str, float]:
    """Return the mean of a measure for each sample whose records all tell it."""
    found = {}
    for item, records in run.items.items():
        values = [read(each) for each in records]
        known = [each for each in values if each is not None]
        if len(known) == len(values):
            found[item] = fmean(known)
    return found


def gain_table(a: Run, b: Run, found: list[Gain]) -> Table:
    """Return the gains of one pair as they are printed."""
    rows = [
        (
            each.measure,
            each.samples,
            _write_number(each.a),
            _write_number(each.b),
            _write_number(each.difference.value, "+"),
            " to ".join(_write_number(end, "+") for end in each.difference.interval)
            if each.difference.interval
            else None
            if each.p is None
            else f"p {each.p:.2g} (exact)",
            "yes" if each.settled else "no",
            each.wanted,
        )
        for each in found
    ]
    return Table(f"A: {a.name}   B: {b.name}", COLUMNS, tuple(rows), NOTE)


def _write_number(value: float, sign: str = "") -> str:
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.3g}"
