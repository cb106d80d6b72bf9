"""Parts of a set by track and level, and without items that need an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Preset
from labrig_suites.terrabench.tasks import of_track
from labrig_suites.terrabench.truth import LEVELS, TRACKS

ENGINES = ("climada", "crops", "energyplus", "sumo")
"""Side environments that made items need."""


def _of(label: str, value: str) -> Callable[[Sequence[Sample]], list[Sample]]:
    return lambda samples: [each for each in samples if each.labels[label] == value]


def _without(engine: str) -> Callable[[Sequence[Sample]], list[Sample]]:
    return lambda samples: [each for each in samples if engine not in each.needs]


PRESETS: Mapping[str, Preset] = {
    **{f"level-{each}": Preset(f"the items of level {each}", _of("level", each), {}) for each in LEVELS},
    **{
        each.casefold().replace(" ", "-"): Preset(
            f"the items of {each}", _of("track", each), {}, of_track(number)
        )
        for number, each in enumerate(TRACKS)
    },
    **{f"no-{each}": Preset(f"the items that do not need {each}", _without(each), {}) for each in ENGINES},
}
