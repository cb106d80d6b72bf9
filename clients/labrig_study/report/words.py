"""Names, numbers and findings in words that a reader needs no manual for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labrig_study.report.leaderboard import Row
    from labrig_study.statistics.comparison import Comparison, Paired

ENDS = {
    "answered": "stopped with an answer",
    "no_answer": "stopped without an answer",
    "step_limit": "step limit",
    "wall_limit": "time limit",
    "token_limit": "token limit",
    "cost_limit": "cost limit",
    "model_error": "the model’s service failed",
    "agent_error": "the agent program failed",
    "server_error": "a tool server failed",
    "refused": "the model declined",
}

FAULTS = {
    "not_json": "arguments were no JSON object",
    "unknown_tool": "called a tool that is not offered",
    "bad_arguments": "arguments that the tool forbids",
    "timeout": "call took longer than allowed",
    "not_delivered": "call that no server saw",
    "empty_reply": "empty reply",
    "cut_off": "reply cut off at the output limit",
}


def p_value(p: float | None) -> str:
    """Return a p value: two digits, three decimals at most, and never 0."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.0995 else f"{p:.2f}"


def points(share: float | None) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    if share is None:
        return "–"
    shown = f"{100 * share:+.1f}".replace("-", "−")
    return "0.0" if shown in ("+0.0", "−0.0") else shown


def share(value: float | None) -> str:
    """Return a share as a percentage with its sign of percent, or a dash."""
    return "–" if value is None else f"{100 * value:.1f}\u00a0%".replace("-", "−")


def span(interval: tuple[float, float] | None, signed: bool = False) -> str:
    """Return an interval of shares in per cent, or of differences in points."""
    if interval is None:
        return "no interval"
    low, high = interval
    return (
        f"{points(low)} to {points(high)}"
        if signed
        else f"{100 * low:.1f} to {100 * high:.1f}".replace("-", "−")
    )


def amount(value: float | None, digits: int = 3) -> str:
    """Return a count or a size in few digits with separators, or ``not reported``."""
    if value is None:
        return "not reported"
    if value and abs(value) < 10 ** (digits - 1):
        return f"{value:.{digits}g}"
    return f"{value:,.0f}"


def size(count: float) -> str:
    """Return a number of bytes."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count:.0f} B"


def headline(rows: Sequence[Row], comparison: Comparison | None) -> list[str]:
    """Return what a report says first: the best run, and how the next one stands to it, where that is compared."""
    if not rows:
        return []
    best = rows[0]
    among = f"Best of {len(rows)} runs" if len(rows) > 1 else "One run"
    interval = f", 95 % interval {span(best.interval)}" if best.interval else ""
    samples = f"{best.items} sample{'' if best.items == 1 else 's'}"
    said = f"{among}: {best.run.name}, {share(best.strict)} of {samples} right by strict{interval}."
    if comparison is None or comparison.paired is None:
        return [said]
    return [said, f"In pairs, {_describe_difference(comparison.paired, 'run 1', 'run 2', reach=False)}"]


def findings(comparison: Comparison, a: str = "A", b: str = "B") -> list[str]:
    """Return what a comparison says and what it does not say, a sentence each."""
    pair = comparison.paired
    if pair is None:
        return []
    said = (_describe_difference(pair, a, b), _describe_retention(pair, comparison, a))
    return [each[:1].upper() + each[1:] for each in said]


def _describe_difference(pair: Paired, a: str, b: str, *, reach: bool = True) -> str:
    d = pair.difference
    over = f"{pair.clusters} clusters" if pair.clusters < pair.n else "samples"
    head = f"{b} is {points(d.value)} points from {a} on {pair.n} samples"
    if d.interval is None:
        return f"{head}; no interval can be had ({d.note or 'too little to go by'})."
    low, high = d.interval
    interval = f"95 % interval over {over}, {span(d.interval, True)}"
    if low <= 0 <= high:
        least = pair.detectable.paired
        found = (
            f" These samples would find a true difference of {100 * min(least, 1.0):.0f} points 4 times in 5."
            if least is not None and reach
            else ""
        )
        return f"{head} ({interval}): the two cannot be told apart.{found}"
    return f"{head} ({interval}): {b} is {'better' if d.value > 0 else 'worse'}."


def _describe_retention(pair: Paired, comparison: Comparison, a: str) -> str:
    kept, gain = pair.retention, pair.gain_rate
    if kept is None or gain is None:
        which = "right" if kept is None else "wrong"
        return f"No sample was {which} in {a}: there is no retention to compare with a gain rate."
    head = f"Retention is {share(kept.value)}, and the gain rate {share(gain.value)}"
    less = pair.retention_less_gain
    if less is None or less.interval is None:
        return f"{head}; no interval of their difference can be had."
    low, high = less.interval
    between = f"difference {points(less.value)} points, 95 % interval {span(less.interval, True)}"
    if low <= 0 <= high:
        said = (
            f"{head} ({between}): the two cannot be told apart, so this retention does not show that "
            f"what {a} had right was kept because it had it right"
        )
    elif low > 0:
        said = f"{head} ({between}): samples that {a} had right come out right more often than the others"
    else:
        said = f"{head} ({between}): samples that {a} had right come out right less often than the others"
    null = comparison.a.rerun_null
    if null is not None and null.retention is not None:
        said += f". Between reruns of {a} itself, where nothing changed, retention is {share(null.retention.value)}"
    return f"{said}."
