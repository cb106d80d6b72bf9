"""The attacker who sees words alone finds a tell that is planted, and none in the questions as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attackers.science_gym import ALLOWED, attacked, masked
from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_suites.science_gym import items

pytestmark = pytest.mark.accept


def with_a_tell(sample: Sample) -> Sample:
    """As questions were once: only columns that were there had a unit."""
    unit = "" if sample.truth["expected"]["kind"] == "impossible" else " (in its unit)"
    return replace(sample, brief=replace(sample.brief, prompt=sample.brief.prompt + unit))


def test_a_planted_tell_is_found_and_no_other() -> None:
    made = items.generate("attack", 6000)
    for style in ("template", "plain"):
        right, always, count = attacked(made, style)
        assert count > 400 and right < always + 2 * ALLOWED
        assert attacked([*map(with_a_tell, made)], style)[0] > always + 0.15
    with pytest.raises(LabrigError, match="too few"):
        attacked(made[:40], "plain")


def test_ids_paths_and_numbers_are_masked() -> None:
    asked = 'about isg/1:7.\n\nIn "a/b7.csv", rows where "x" is above 3.25, level 0.05?'
    assert masked(asked) == 'In "PATH", rows where "x" is above 0.0, level 0.0?'
