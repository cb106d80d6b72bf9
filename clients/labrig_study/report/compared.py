"""A comparison as lines of text: what a console and a page show of it alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labrig_study.report.words import amount, p_value, points, share, span

if TYPE_CHECKING:
    from labrig_study.statistics.arms import ArmSummary
    from labrig_study.statistics.bootstrap import Estimate
    from labrig_study.statistics.comparison import Comparison, Paired


@dataclass(frozen=True)
class Line:
    """A quantity: its name, its value, and what to know of it."""

    name: str
    value: str
    about: str = ""


def arm_lines(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return (name, A, B) for each run over all of its own items."""
    names = (
        *("Samples", "Clusters", "Records (epochs)", "Accuracy", "95 %, bootstrap", "95 %, Wilson"),
        *("Design effect", "Committed", "Steps per record", "Tokens per record", "Tokens per right answer"),
        *("Rerun SD, range", "Samples that flip between reruns"),
    )
    a, b = _describe_arm(comparison.a), _describe_arm(comparison.b)
    rows = list(zip(names, a, b, strict=True))
    return [row for row in rows if (row[1], row[2]) != ("–", "–")]


def _describe_arm(arm: ArmSummary) -> tuple[str, ...]:
    stable = arm.stability
    spread = stable.accuracy if stable else None
    unknown = f" (unknown for {arm.tokens_unknown})" if arm.tokens_unknown and arm.tokens is not None else ""
    return (
        str(arm.n),
        str(arm.clusters) if arm.clusters < arm.n else "–",
        f"{arm.records} ({arm.epochs})",
        share(arm.accuracy.value),
        span(arm.accuracy.interval),
        span(arm.wilson),
        f"{arm.design.deff:.2f}" if arm.design.deff is not None and arm.clusters < arm.n else "–",
        share(arm.committed),
        amount(arm.steps),
        amount(arm.tokens_mean) + unknown,
        "–" if arm.tokens is not None and arm.tokens_per_right is None else amount(arm.tokens_per_right),
        f"{100 * (spread.sd or 0):.1f}, {100 * spread.range:.1f} points" if spread else "–",
        share(stable.flipping) if stable else "–",
    )


def paired_lines(
    comparison: Comparison, holm_p: float | None = None, tests: int = 0
) -> list[tuple[str, list[Line]]]:
    """Return headed groups of lines on the items that both runs have; nothing where there are none."""
    pair = comparison.paired
    if pair is None:
        return []
    by = f", by the score {comparison.score}" if comparison.score else ""
    return [
        (f"Difference{by}", _describe_difference(pair, holm_p, tests)),
        (f"Which samples{by}", _describe_movement(comparison, pair)),
    ]


def _describe_difference(pair: Paired, holm_p: float | None, tests: int) -> list[Line]:
    over = f"{pair.clusters} clusters" if pair.clusters < pair.n else f"{pair.n} samples"
    t = pair.t_test
    lines = [
        Line(
            "Accuracy", f"{share(pair.accuracy_a)} → {share(pair.accuracy_b)}", f"on {pair.n} samples of both"
        ),
        Line(
            "Difference, points",
            f"{points(pair.difference.value)} ({span(pair.difference.interval, True)})",
            f"95 %, resampling {over} in pairs",
        ),
    ]
    if pair.clusters < pair.n:
        by_item = pair.difference_by_item
        lines.append(
            Line(
                "the same, by samples",
                f"{points(by_item.value)} ({span(by_item.interval, True)})",
                "too narrow where samples of a cluster resemble one another",
            )
        )
        if pair.design.deff is not None:
            lines.append(
                Line("Design effect", f"{pair.design.deff:.2f}", "of the clusters on the difference")
            )
    permutation = pair.permutation
    how = "all" if permutation.exact else "drawn"
    swapped = "clusters swapped whole" if pair.clusters < pair.n else "samples swapped"
    lines.append(
        Line(
            "Permutation p",
            p_value(permutation.p),
            f"{swapped}, {permutation.patterns:,} patterns ({how})",
        )
    )
    if holm_p is not None:
        lines.append(Line("after Holm", p_value(holm_p), f"for all {tests} pairs shown"))
    lines += [
        Line(
            "McNemar p",
            f"{p_value(pair.mcnemar.mid_p)} mid, {p_value(pair.mcnemar.exact_p)} exact",
            "samples as independent",
        ),
        Line(
            "Paired t",
            p_value(t.p) if t.t is None else f"t {t.t:.2f}, p {p_value(t.p)}".replace("-", "−"),
            f"{t.df} df",
        ),
        Line(
            "Detectable, points",
            "–" if pair.detectable.paired is None else f"{100 * min(pair.detectable.paired, 1.0):.1f}",
            "true difference found 4 times in 5 at 5 %, on these samples",
        ),
    ]
    if pair.tokens_saved is not None:
        lines.append(
            Line("Tokens saved", share(pair.tokens_saved), "1 − B/A, samples whose tokens are known")
        )
    return lines


def _describe_movement(comparison: Comparison, pair: Paired) -> list[Line]:
    moved, test, odds, guess = pair.movement, pair.test, pair.odds_ratio, pair.guess_corrected
    lines = [
        Line("Kept", str(moved.kept), "right in A, right in B"),
        Line("Gained", str(moved.gained), "wrong in A, right in B"),
        Line("Lost", str(moved.lost), "right in A, wrong in B"),
        Line("Neither", str(moved.neither), "wrong in both"),
        Line("Retention", _show_estimate(pair.retention), "kept / (kept + lost)"),
        Line(
            "Gain rate",
            _show_estimate(pair.gain_rate),
            "gained / (gained + neither): read retention beside it",
        ),
        Line(
            "Retention − gain rate",
            "–"
            if pair.retention_less_gain is None
            else f"{points(pair.retention_less_gain.value)} ({span(pair.retention_less_gain.interval, True)})",
            "points; where the interval covers 0 the two cannot be told apart",
        ),
        Line("Fisher’s exact p", p_value(test.fisher_p), "retention = gain rate, samples as independent"),
        Line(
            "Odds ratio",
            "–"
            if odds.value is None or odds.interval is None
            else f"{odds.value:.2f} ({odds.interval[0]:.2f} to {odds.interval[1]:.2f})",
            "1: having been right in A says nothing",
        ),
    ]
    if guess is not None:
        interval = f" ({span(guess.interval)})" if guess.interval else ""
        lines.append(
            Line(
                "Guess-corrected retention",
                "–" if guess.retention is None else f"{share(guess.retention)}{interval}",
                ""
                if guess.retention is None
                else f"{guess.lucky:.1f} of the {moved.right} right in A taken as guessed",
            )
        )
    for name, arm in (("A", comparison.a), ("B", comparison.b)):
        null = arm.rerun_null
        if null is not None and null.retention is not None:
            gain = "–" if null.gain_rate is None else share(null.gain_rate.value)
            lines.append(
                Line(
                    f"Reruns of {name}",
                    f"retention {share(null.retention.value)}, gain rate {gain}",
                    "nothing changed: what is missing to 100 % is noise",
                )
            )
    if pair.retention_over_epochs is not None:
        lines.append(
            Line(
                "Retention over epochs",
                _show_estimate(pair.retention_over_epochs),
                "mean over all pairs of epochs",
            )
        )
    return lines


def _show_estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    return share(estimate.value) + (f" ({span(estimate.interval)})" if estimate.interval else "")
