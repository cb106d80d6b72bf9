"""What only the texts of results tell: which values of a leg an agent has had before its eyes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.trajectory import ToolCall, Trajectory
from labrig_suites.amazing_race import verifier
from labrig_suites.amazing_race.closure import matter
from labrig_suites.amazing_race.legs import leg_of
from labrig_suites.amazing_race.values import folded, number, numbers_in

CLOSE = 1e-6
"""Relative difference within which a number of a result is the value of a stop."""


def evidence(sample: Sample, trajectory: Trajectory, text_of: Callable[[ToolCall], str]) -> dict[str, Any]:
    """Return how many values of stops stand in results: ``intermediate_verify`` as published, ``intermediate`` ours.

    Each is (found, of how many). Published: the text of any value, in the first 2,000 characters of any result. Ours:
    only stops that matter, numbers as numbers, in all of what servers returned; Python that the agent ran counts, since
    its results are results.
    """
    leg = leg_of(sample)
    texts = [text_of(call) for call in trajectory.calls if call.record >= 0]
    wanted = [leg.stops[place].extracted_value for place in sorted(matter(leg)) if place != leg.finish.index]
    whole = "\n".join(texts)
    numbers = sorted(numbers_in(whole))
    low = folded(whole)
    found = sum(_is_there(value, numbers, low) for value in wanted)
    return {
        "intermediate_verify": list(verifier.found_values(leg, texts)),
        "intermediate": [found, len(wanted)],
    }


def _is_there(value: Any, numbers: list[float], text: str) -> bool:
    wanted = number(value)
    if wanted is None:
        return folded(str(value)) in text
    return any(abs(each - wanted) <= CLOSE * max(1.0, abs(wanted)) for each in numbers)
