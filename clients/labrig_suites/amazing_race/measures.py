"""What the tables count, by the published definitions or by ours.

======== ================= ========================= ================================
by       right             pages (PVR)               roadblocks (RCR)
======== ================= ========================= ================================
compat   `Score.compat`    verifier, distinct pages  evaluator, names of tools alone
strict   `Score.strict`    pages that matter         chains that matter, in order
======== ================= ========================= ================================
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_study.cells import mean, percent
from labrig_suites.amazing_race.legs import leg_of
from labrig_suites.amazing_race.pages import page_of

By = Literal["strict", "compat"]
BYS: tuple[By, By] = ("strict", "compat")
LIMITS = ("step_limit", "wall_limit", "token_limit", "cost_limit")
METRICS = "FA: finish-line accuracy. PVR: pit-stop visit rate. RCR: roadblock completion rate."
"""What the paper's abbreviations in heads of tables stand for."""


def fa(score: Score, by: By) -> float:
    """Return whether the finish line was right: 0 or 1."""
    return score.strict if by == "strict" else score.compat


def pvr(score: Score, by: By) -> float | None:
    """Return the pit-stop visit rate; None for a leg without a page that counts."""
    found: float | None = score.facts["pvr" if by == "strict" else "pvr_verify"]
    return found


def rcr(score: Score, by: By) -> float | None:
    """Return the roadblock completion rate; None for a leg without a roadblock that counts."""
    found: float | None = score.facts["rcr" if by == "strict" else "rcr_evaluate"]
    return found


def at_least(rate: float | None, bound: float) -> bool:
    """Return whether a rate reaches a bound; what a leg does not ask for was not missed."""
    return rate is None or rate >= bound


def error(score: Score, by: By) -> str:
    """Return where a trial failed (section 6.4): ``navigation``, ``tool use`` or ``computation``; empty if right.

    >>> def tried(right: float, pvr: float | None, rcr: float | None) -> Score:
    ...     return Score("", "", "", 0, right, right, "", {"pvr": pvr, "rcr": rcr})
    >>> [error(tried(*each), "strict") for each in ((0, 0.4, 1), (0, 0.5, 0.4), (0, 1, None), (1, 0, 0))]
    ['navigation', 'tool use', 'computation', '']
    """
    if fa(score, by):
        return ""
    if not at_least(pvr(score, by), 0.5):
        return "navigation"
    return "computation" if at_least(rcr(score, by), 0.5) else "tool use"


def intermediate(score: Score, by: By) -> float | None:
    """Return the share of values that stood in results; None where results were not at hand, or nothing counts."""
    found = score.facts.get("intermediate" if by == "strict" else "intermediate_verify")
    return found[0] / found[1] if found and found[1] else None


def population(score: Score, by: By) -> list[str]:
    """Return the populations of appendix H that a trial belongs to: they overlap.

    near miss: wrong, with 80 % of the values or more. perfect navigation: wrong, with 90 % of the pages or more.
    shortcut: right, with less than 30 % of the pages. total failure: less than 30 % of pages and of roadblocks.
    """
    right, pages, tools, values = fa(score, by), pvr(score, by), rcr(score, by), intermediate(score, by)
    found = []
    if not right and values is not None and values >= 0.8:
        found.append("near miss")
    if not right and pages is not None and pages >= 0.9:
        found.append("perfect navigation, wrong")
    if right and pages is not None and pages < 0.3:
        found.append("shortcut")
    if not right and not at_least(pages, 0.3) and not at_least(tools, 0.3):
        found.append("total failure")
    return found


def rates(group: Sequence[Score], by: By) -> tuple[float | None, float | None, float | None]:
    """Return the means of FA, PVR and RCR in percent."""
    return (
        percent(mean(fa(each, by) for each in group)),
        percent(mean(pvr(each, by) for each in group)),
        percent(mean(rcr(each, by) for each in group)),
    )


def jaccard(samples: Sequence[Sample], most: int = 10_000) -> tuple[float | None, int]:
    """Return the mean Jaccard similarity of the page sets of pairs of legs, and of how many pairs (appendix C).

    All pairs where there are at most `most`, else every n-th of them.
    """
    sets = [{page_of(stop.page_url or "") for stop in leg_of(each).of_type("page")} for each in samples]
    pairs = len(sets) * (len(sets) - 1) // 2
    if not pairs:
        return None, 0
    step = -(-pairs // most)
    chosen = list(itertools.islice(itertools.combinations(sets, 2), 0, None, step))
    return fmean(len(a & b) / len(a | b) if a | b else 0.0 for a, b in chosen), len(chosen)


def in_bin(bins: Sequence[tuple[int, int]], value: int) -> tuple[int, int] | None:
    """Return the bin (first, last) that a whole number lies in."""
    return next((each for each in bins if each[0] <= value <= each[1]), None)
