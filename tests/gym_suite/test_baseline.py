"""The baseline program is short, knows the clean tier, and does not get far in the hard one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from gym_suite.baseline import Baseline
from labrig_harness.sample import Sample
from labrig_repository.gym.repository import open_any
from labrig_suites.science_gym import items
from labrig_suites.science_gym.grading import grade
from labrig_suites.science_gym.question import EXPECTED
from labrig_suites.science_gym.wording import STYLES

LINES = 150
"""Of code: blank lines are not counted."""


def share(samples: Sequence[Sample]) -> float:
    """Return the share of samples that the baseline answers right, by strict."""
    right = 0
    for sample in samples:
        repository = open_any(sample.labels["repository"])
        said = json.dumps(
            {"answer": Baseline(repository.paths(), repository.read).answer(sample.brief.prompt)}
        )
        right += grade(EXPECTED.validate_python(sample.truth["expected"]), said, said).strict
    return right / len(samples)


def test_it_is_short_and_has_nothing_of_labrig() -> None:
    text = Path(__file__).with_name("baseline.py").read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in text.splitlines()) <= LINES
    assert "import labrig" not in text and "from labrig" not in text


def test_a_few_questions_of_either_tier() -> None:
    assert share(items.generate("baseline", 24)[:: len(STYLES)]) >= 0.9
    assert share(items.configured({"tier": "hard", "files": 0})("baseline", 28)[:: len(STYLES)]) < 0.5


@pytest.mark.accept
@pytest.mark.timeout(900)
def test_it_knows_the_clean_tier_and_not_the_hard_one() -> None:
    assert share(items.generate("baseline", 1200)[:: len(STYLES)]) >= 0.99
    assert share(items.configured({"tier": "hard"})("baseline", 840)[:: len(STYLES)]) < 0.4
