"""What the published evaluator reports of a run (src/evaluation/evaluate.py, commit 78eff566).

It counts per stop, and by the exact text of an address, where the verifier counts distinct pages. The paper's roadblock
completion is defined here. Its third way to compare values, a model's judgement, is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from labrig_harness.trajectory import ToolCall
from labrig_suites.amazing_race.legs import Leg


def page_visit_rate(leg: Leg, calls: Sequence[ToolCall]) -> float | None:
    """Return the share of page stops whose address was fetched, letter by letter; None for a leg without any."""
    fetched = {call.arguments.get("url") for call in calls if call.tool == "fetch_webpage"}
    stops = list(leg.of_type("page"))
    return sum(stop.page_url in fetched for stop in stops) / len(stops) if stops else None


def tool_completion_rate(leg: Leg, calls: Sequence[ToolCall]) -> float | None:
    """Return the share of roadblocks all of whose tools were called at any time, for anything; None without any."""
    called = {call.tool for call in calls}
    stops = list(leg.of_type("tool"))
    if not stops:
        return None
    done = sum({step.tool_name for step in stop.bridge.tool_chain} <= called for stop in stops)
    return done / len(stops)
