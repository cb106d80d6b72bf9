"""Parts of a set: by variant and level, and the legs on whose way to the digit the linter finds no fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Preset
from labrig_suites.amazing_race.closure import matter
from labrig_suites.amazing_race.legs import LEVELS, VARIANTS, leg_of
from labrig_suites.amazing_race.lint import lint

WRONG = ("day for a year", "bare coordinate", "no operand's source")
"""Flags of a stop whose value cannot be found as its clue asks for it: they count where the digit needs the stop."""
GIVEN = ("last step printed", "answered without tools")
"""Flags of a leg whose digit follows from its riddle."""


def _of(variant: str, level: str) -> Callable[[Sequence[Sample]], list[Sample]]:
    return lambda samples: [
        each
        for each in samples
        if variant in ("", each.labels["variant"]) and level in ("", each.labels["level"])
    ]


def is_clean(sample: Sample) -> bool:
    """Return whether no flag touches the way to the digit: no needed stop is `WRONG`, and nothing is `GIVEN`."""
    leg = leg_of(sample)
    needed = matter(leg)
    return not any(flag.name in GIVEN or (flag.name in WRONG and flag.stop in needed) for flag in lint(leg))


def _clean(samples: Sequence[Sample]) -> list[Sample]:
    return [each for each in samples if is_clean(each)]


PRESETS = {
    "-".join(filter(None, (variant, level))): Preset(
        f"the {' '.join(filter(None, (level, variant)))} legs", _of(variant, level), {}
    )
    for variant in (*VARIANTS, "")
    for level in (*LEVELS, "")
    if variant or level
}
PRESETS["clean"] = Preset("the legs on whose way to the digit the linter finds no fault", _clean, {})
