"""The score of a leg: the digit by the published verifier, and the number behind it.

``compat`` is the published reward: the digit, which one in ten guesses. ``strict`` wants the whole number that the
finish line reduces as well, where the leg holds one and the arm asks for it; elsewhere it is the digit, read as a
person would. Neither asks for the way: what was visited and called stands beside it, by the published definitions
(`verifier`, `evaluator`) and by ours (`path`). A shortcut is seen in these facts.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.amazing_race import evaluator, path, verifier
from labrig_suites.amazing_race.legs import leg_of
from labrig_suites.amazing_race.reading import committed
from labrig_suites.amazing_race.tool_names import family

VERSION = "2"
DIGIT_ALONE = ("agent-paper", "agent-code")
"""Arms that ask for the digit alone, as the paper does."""


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score one leg.

    Parameters
    ----------
    sample
        Its truth holds ``leg``, in the published JSON form, and ``same_page`` where redirects are known.
    trajectory
        Its submission is the answer file: the digit, and in a second line the number; or both as JSON.
    """
    leg = leg_of(sample)
    seen = [call for call in trajectory.calls if call.record >= 0]
    answer = committed(trajectory.submission.text if trajectory.submission else None)
    verified = verifier.verify(leg, answer.first if trajectory.submission else None, seen)
    walked = path.follow(leg, seen, sample.truth.get("same_page"))
    asks = leg.number is not None and trajectory.arm not in DIGIT_ALONE
    right = answer.digit == leg.passcode and (not asks or answer.number == leg.number)
    tokens = trajectory.tokens
    facts: dict[str, Any] = {
        "committed": trajectory.submission is not None,
        "answered": answer.digit is not None,
        "digit": answer.digit,
        "digit_right": answer.digit == leg.passcode,
        "number_asked": asks,
        "number": answer.number,
        "level": leg.level,
        "variant": leg.variant,
        "stops": len(leg.stops),
        "templates": sorted(
            {template(stop.bridge.tool_chain[-1].output_key) for stop in leg.of_type("tool")}
        ),
        "verify": asdict(verified),
        "pvr_verify": _rate(verified.pages_visited, verified.pages),
        "pvr_evaluate": evaluator.page_visit_rate(leg, seen),
        "rcr_evaluate": evaluator.tool_completion_rate(leg, seen),
        "pvr": walked.page_rate,
        "rcr": walked.roadblock_rate,
        "path": asdict(walked),
        "calls": len(seen),
        "searches": sum(family(call.tool) == "search" for call in seen),
        "fetches": sum(family(call.tool) == "page" for call in seen),
        "steps": len(trajectory.turns),
        "end": trajectory.end,
        "model": trajectory.model,
        "wall_s": float(trajectory.meta.get("duration_s", 0.0)),
        "tokens": tokens.total if tokens.measured else None,
    }
    return Score.of(sample, trajectory, float(right), float(verified.reward), answer.first[:40], facts)


TEMPLATES = {
    "elevation": "geocode_elevation",
    "temperature": "geocode_weather_historical",
    "precipitation": "geocode_weather_precipitation",
    "snowfall": "historical_snowfall",
    "sunshine": "historical_sunshine",
    "distance_km": "geocode_distance",
    "duration": "geocode_directions_duration",
    "days": "date_computation",
    "converted": "math_conversion",
    "poi_count": "nearby_poi_count",
    "place_rating": "place_rating",
    "population": "country_population",
    "area_km2": "country_area",
    "stock_price": "stock_price",
    "stock_volume": "stock_volume",
    "crypto_price": "crypto_price",
    "crypto_volume": "crypto_volume",
    "merged": "merge",
}
"""The 17 roadblock templates of Table 6 and the merge of a diamond, by the output of their last step."""


def template(output_key: str) -> str:
    """Return the template of a tool chain by the output of its last step; the output's name for an unknown one."""
    return TEMPLATES.get(output_key, output_key)


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None
