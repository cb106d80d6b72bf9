"""The sets that ``labrig run supercon-extraction --seed S`` runs without a file: 20 papers, by preset of level 5."""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_harness.suite import Preset
from labrig_suites.supercon_extraction import items
from labrig_suites.supercon_extraction.making.long_papers import LEVEL as LONG

COUNT = 20


def tasks(*, seed: int) -> list[Sample]:
    """Return the papers of a seed; they take some two seconds to make."""
    return items.generate(str(seed), COUNT)


def first(seed: int, count: int) -> list[Sample]:
    """Return the first papers of a seed."""
    return items.generate(str(seed), COUNT, first=count)


def long_papers(seed: int, count: int | None) -> list[Sample]:
    """Return papers of level 5."""
    return items.of_level(LONG, str(seed), COUNT if count is None else count)


PRESETS = {"level-5": Preset("long papers, most of whose values do not count", list, {}, long_papers)}
