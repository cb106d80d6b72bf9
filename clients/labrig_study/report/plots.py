"""Plots as SVG, written by hand: colours come from the page's style, every number also stands in a table beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from markupsafe import Markup, escape

from labrig_study.report.effort import Bucket, Point, Steps
from labrig_study.report.prose import readable

LOG_FROM = 20
"""Ratio of the largest to the smallest number of tokens from which their axis is logarithmic."""


@dataclass(frozen=True)
class Axis:
    """A scale from data to coordinates, and where its marks are."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return the coordinate of a value."""
        low, high, value = (log10(each) if self.log else each for each in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (value - low) / (high - low)


def axis_of(values: Sequence[float], start: float, end: float) -> Axis:
    """Return an axis for numbers of at least 0: from 0, or logarithmic where they differ in size."""
    least, most = min(values), max(values)
    if least > 0 and most / least > LOG_FROM:
        first, last = floor(log10(least)), ceil(log10(most) + 1e-9)
        marks = (1, 3) if last - first <= 3 else (1,)
        every = max(1, (last - first) // 6)
        ticks = [m * 10.0**e for e in range(first, last + 1, every) for m in marks if e < last or m == 1]
        return Axis(10.0**first, 10.0**last, start, end, True, tuple(ticks))
    most = most or 1.0
    scale = 10.0 ** floor(log10(most * 1.05))
    step = next(each * scale for each in (0.1, 0.2, 0.25, 0.5, 1, 2) if most * 1.05 / (each * scale) <= 6)
    count = ceil(most * 1.05 / step)
    return Axis(0.0, count * step, start, end, False, tuple(n * step for n in range(count + 1)))


def short(value: float) -> str:
    """Return a number for the mark of an axis: 1,500 is 1.5k."""
    for unit, scale in (("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{value / scale:.3g}{unit}"
    return f"{value:.3g}"


def scatter(points: Sequence[Point], chance: float | None) -> Markup:
    """Return accuracy against tokens per item, with intervals, names by number, and the front joined by a line."""
    width, height = 640, 340
    x = axis_of([point.tokens for point in points], 52, width - 24)
    y = Axis(0, 1, height - 46, 14, False, (0, 0.25, 0.5, 0.75, 1))
    parts = [
        f'<line class="rule" x1="{x.start}" x2="{x.end}" y1="{y.at(tick):.1f}" y2="{y.at(tick):.1f}"/>'
        f'<text x="{x.start - 8}" y="{y.at(tick) + 4:.1f}" text-anchor="end">{100 * tick:.0f}</text>'
        for tick in y.ticks
    ]
    parts += [
        f'<line class="tick" x1="{x.at(tick):.1f}" x2="{x.at(tick):.1f}" y1="{y.start}" y2="{y.start + 5}"/>'
        f'<text x="{x.at(tick):.1f}" y="{y.start + 18}" text-anchor="middle">{short(tick)}</text>'
        for tick in x.ticks
    ]
    scale = ", logarithmic" if x.log else ""
    parts.append(
        f'<text x="{(x.start + x.end) / 2}" y="{height - 6}" text-anchor="middle">'
        f"tokens per sample, in and out{scale}</text>"
        f'<text x="14" y="{(y.start + y.end) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {(y.start + y.end) / 2})">accuracy, %</text>'
    )
    if chance is not None:
        level = y.at(chance)
        parts.append(f'<line class="chance" x1="{x.start}" x2="{x.end}" y1="{level:.1f}" y2="{level:.1f}"/>')
        parts.append(f'<text x="{x.end}" y="{level - 4:.1f}" text-anchor="end">guessing</text>')
    best = [(x.at(point.tokens), y.at(point.row.strict)) for point in points if point.best]
    if len(best) > 1:
        path = f"M{best[0][0]:.1f} {best[0][1]:.1f}" + "".join(f"H{px:.1f}V{py:.1f}" for px, py in best[1:])
        parts.append(f'<path class="front" d="{path}"/>')
    dots = [(x.at(point.tokens), y.at(point.row.strict)) for point in points]
    for point, (px, py) in zip(points, dots, strict=True):
        if point.row.interval:
            low, high = (y.at(end) for end in point.row.interval)
            parts.append(
                f'<path class="whisker" d="M{px:.1f} {low:.1f}V{high:.1f}'
                f'M{px - 4:.1f} {low:.1f}h8M{px - 4:.1f} {high:.1f}h8"/>'
            )
        parts.append(
            f'<circle class="dot{"" if point.best else " beaten"}" cx="{px:.1f}" cy="{py:.1f}" r="5"/>'
        )
    for point, (px, py) in zip(points, _place_labels(dots, width), strict=True):
        parts.append(f'<text class="mark-no" x="{px:.1f}" y="{py:.1f}">{point.row.number}</text>')
    said = "; ".join(
        f"{point.row.number}, {point.row.run.name}: {100 * point.row.strict:.1f} % at {point.tokens:,.0f} tokens"
        for point in points
    )
    return _make_svg(
        "tokens", f"0 0 {width} {height}", "Accuracy against tokens per sample", said, parts, "plot-wide"
    )


def _place_labels(dots: Sequence[tuple[float, float]], width: float) -> list[tuple[float, float]]:
    """Return a place for the number of each dot, beside it and free of other dots and numbers where that can be."""
    taken: list[tuple[float, float]] = []
    places = ((9, -7), (-18, -7), (9, 15), (-18, 15), (20, 4), (-30, 4), (9, -20), (9, 28))
    for px, py in dots:
        tried = [(px + dx, py + dy) for dx, dy in places if 50 < px + dx < width - 14]

        def crowd(place: tuple[float, float]) -> int:
            mid = (place[0] + 4, place[1] - 4)
            near = [(tx + 4, ty - 4) for tx, ty in taken] + list(dots)
            return sum(abs(mid[0] - nx) < 11 and abs(mid[1] - ny) < 11 for nx, ny in near)

        taken.append(min(tried, key=crowd))
    return taken


def steps_plot(steps: Steps) -> Markup:
    """Return accuracy and share committed by number of steps, over bars of how many records there are."""
    width, height = 320, 196
    left, right, top, bottom = 34, width - 8, 12, height - 50
    y = Axis(0, 1, bottom, top, False, (0, 0.5, 1))
    most = max(bucket.n for bucket in steps.buckets)
    slot = (right - left) / len(steps.buckets)
    parts = [
        f'<line class="rule" x1="{left}" x2="{right}" y1="{y.at(tick):.1f}" y2="{y.at(tick):.1f}"/>'
        f'<text x="{left - 6}" y="{y.at(tick) + 4:.1f}" text-anchor="end">{100 * tick:.0f}</text>'
        for tick in y.ticks
    ]
    line: list[str] = []
    for place, bucket in enumerate(steps.buckets):
        middle = left + slot * (place + 0.5)
        tall = (bottom - top) * bucket.n / most
        parts.append(
            f'<rect class="count" x="{middle - slot * 0.36:.1f}" y="{bottom - tall:.1f}" '
            f'width="{slot * 0.72:.1f}" height="{tall:.1f}"/>'
            f'<text x="{middle:.1f}" y="{bottom + 15}" text-anchor="middle">{bucket.name}</text>'
            f'<text class="faint" x="{middle:.1f}" y="{bottom + 28}" text-anchor="middle">{bucket.n}</text>'
        )
        if bucket.accuracy is None or bucket.committed is None:
            continue
        if bucket.interval:
            low, high = (y.at(end) for end in bucket.interval)
            parts.append(f'<path class="whisker" d="M{middle:.1f} {low:.1f}V{high:.1f}"/>')
        at = y.at(bucket.committed)
        parts.append(f'<path class="committed" d="M{middle - 7:.1f} {at:.1f}h14"/>')
        parts.append(f'<circle class="dot" cx="{middle:.1f}" cy="{y.at(bucket.accuracy):.1f}" r="4"/>')
        line.append(f"{middle:.1f} {y.at(bucket.accuracy):.1f}")
    parts.append(f'<path class="joined" d="M{"L".join(line)}"/>')
    parts.append(
        f'<text x="{(left + right) / 2}" y="{height - 4}" text-anchor="middle">steps (records below)</text>'
    )
    said = "; ".join(map(_describe_bucket, steps.buckets))
    return _make_svg(
        f"steps-{steps.number}",
        f"0 0 {width} {height}",
        f"Accuracy by steps: {steps.run.name}",
        said,
        parts,
        "plot-small",
    )


def _describe_bucket(bucket: Bucket) -> str:
    if bucket.accuracy is None or bucket.committed is None:
        return f"{bucket.name} steps: no record"
    return (
        f"{bucket.name} steps: {100 * bucket.accuracy:.0f} % of {bucket.n} records right, "
        f"{100 * bucket.committed:.0f} % committed"
    )


def _make_svg(name: str, box: str, title: str, said: str, parts: Sequence[str], kind: str) -> Markup:
    """Put an image together; `parts` hold numbers and words of ours only, `title` and `said` anything."""
    return Markup(
        f'<svg class="{kind}" viewBox="{box}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(readable(title))}</title>'
        f'<desc id="{name}-desc">{escape(readable(said))}</desc>'
        f"{''.join(parts)}</svg>"
    )
