"""What went wrong in a run, by the categories of Figures 8 and 10. A run may show several.

The paper names the categories and gives no thresholds. Here:

================== ==================================================================================================
category           shown, if
================== ==================================================================================================
tool selection     ToolAcc is below one half
argument           less than half of the values of paired calls are right (or nothing is paired)
execution          less than half of the calls succeeded
order              OrderScore is below one half
schema             there is a sidecar, and it breaks the five-field schema
answer format      there is no field that can be read
numeric            a number is missing, unreadable or beyond its tolerance
document grounding a wrong value is the one that the document reports
simulator          a simulator of the reference was not run to its end
none               none of these
================== ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from labrig_harness.suite import Score

HALF = 0.5

CATEGORIES: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "tool selection": lambda facts: facts["metrics"]["ToolAcc"] < HALF,
    "argument": lambda facts: facts["parts"]["values"] < HALF,
    "execution": lambda facts: facts["metrics"]["ToolCallSuccessRate"] < HALF,
    "order": lambda facts: facts["metrics"]["OrderScore"] < HALF,
    "schema": lambda facts: facts["committed"] and not facts["schema"],
    "answer format": lambda facts: not facts["answered"],
    "numeric": lambda facts: facts["missed"] > 0,
    "document grounding": lambda facts: facts["document"][1] > 0,
    "simulator": lambda facts: facts["simulators"][1] < facts["simulators"][0],
}
NONE = "none"


def failures(score: Score) -> list[str]:
    """Return the categories that a run shows; ``none`` alone where it shows none."""
    return [name for name, shown in CATEGORIES.items() if shown(score.facts)] or [NONE]


def shares(scores: Iterable[Score]) -> dict[str, float]:
    """Return for each category the share of runs that show it; they add up to more than 1."""
    rows = [failures(each) for each in scores]
    return {
        name: sum(name in row for row in rows) / len(rows) if rows else 0.0 for name in (*CATEGORIES, NONE)
    }
