"""Parts of a set by variant and level."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Preset
from labrig_suites.amazing_race.legs import LEVELS, VARIANTS


def _of(variant: str, level: str) -> Callable[[Sequence[Sample]], list[Sample]]:
    return lambda samples: [
        each
        for each in samples
        if variant in ("", each.labels["variant"]) and level in ("", each.labels["level"])
    ]


PRESETS = {
    "-".join(filter(None, (variant, level))): Preset(
        f"the {' '.join(filter(None, (level, variant)))} legs", _of(variant, level), {}
    )
    for variant in (*VARIANTS, "")
    for level in (*LEVELS, "")
    if variant or level
}
