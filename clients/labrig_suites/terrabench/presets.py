"""Parts of a set by track and level."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Preset
from labrig_suites.terrabench.truth import LEVELS


def _of(label: str, value: str) -> Callable[[Sequence[Sample]], list[Sample]]:
    return lambda samples: [each for each in samples if each.labels[label] == value]


PRESETS = {
    f"level-{level}": Preset(f"the items of level {level}", _of("level", level), {}) for level in LEVELS
}
