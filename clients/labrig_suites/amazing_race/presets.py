"""Parts of a set: by variant and level, and the legs on whose way to the digit the audit finds no fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Preset
from labrig_suites.amazing_race.audit import is_clean
from labrig_suites.amazing_race.legs import LEVELS, VARIANTS, leg_of


def _of(variant: str, level: str) -> Callable[[Sequence[Sample]], list[Sample]]:
    return lambda samples: [
        each
        for each in samples
        if variant in ("", each.labels["variant"]) and level in ("", each.labels["level"])
    ]


def _clean(samples: Sequence[Sample]) -> list[Sample]:
    return [each for each in samples if is_clean(leg_of(each))]


PRESETS = {
    "-".join(filter(None, (variant, level))): Preset(
        f"the {' '.join(filter(None, (level, variant)))} legs", _of(variant, level), {}
    )
    for variant in (*VARIANTS, "")
    for level in (*LEVELS, "")
    if variant or level
}
PRESETS["clean"] = Preset("the legs on whose way to the digit the audit finds no fault", _clean, {})
