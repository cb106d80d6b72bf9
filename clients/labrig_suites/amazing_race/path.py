"""The way that an agent took, strictly: pages that matter, and tool chains made in order with the right arguments.

Only calls count that a server carried out. A page is one however its address is written; a chain counts when a call of
the same kind follows for each of its steps, and each has what the step was about: its names, days and numbers, whatever
the tool calls its arguments. A step that passes on coordinates must have had those of the golden trace, where the leg
holds one; published legs hold none, and any coordinates pass. Chains of Python alone are left out: whoever adds two
numbers in the head has not missed a roadblock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig_harness.trajectory import ToolCall
from labrig_suites.amazing_race.closure import matter, texts_of
from labrig_suites.amazing_race.legs import Leg, Step, Stop
from labrig_suites.amazing_race.pages import page_of
from labrig_suites.amazing_race.tool_names import family
from labrig_suites.amazing_race.values import dates_in, folded, number, numbers_in

NEAR = 0.05
"""Degrees of latitude and longitude within which coordinates are those of the golden trace."""
CLOSE = 0.01
"""Relative difference within which a number of an argument is the same, as for the published verifier."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Path:
    """How many pages and roadblocks that matter were passed.

    Attributes
    ----------
    resolved
        Whether coordinates could be compared in every chain: false for legs without a golden trace that pass some on.
    """

    pages: int
    pages_passed: int
    roadblocks: int
    roadblocks_passed: int
    resolved: bool

    @property
    def page_rate(self) -> float | None:
        """Pages passed of those that matter; None where none does."""
        return self.pages_passed / self.pages if self.pages else None

    @property
    def roadblock_rate(self) -> float | None:
        """Roadblocks passed of those that matter; None where none does."""
        return self.roadblocks_passed / self.roadblocks if self.roadblocks else None


def follow(leg: Leg, calls: Sequence[ToolCall], same_page: Mapping[str, str] | None = None) -> Path:
    """Return what of a leg was passed.

    Parameters
    ----------
    calls
        In the order in which they were made; those that failed are passed over.
    same_page
        Redirects, from a page to the one that it leads to, both as `pages.page_of` names them.
    """
    made = [call for call in calls if call.succeeded]
    mattering = [leg.stops[place] for place in sorted(matter(leg))]
    leads = same_page or {}

    def page(url: str) -> str:
        return leads.get(page_of(url), page_of(url))

    wanted = {page(stop.page_url or "") for stop in mattering if stop.stop_type == "page"}
    seen = {
        page(url)
        for call in made
        if family(call.tool) == "page" and isinstance(url := call.arguments.get("url"), str)
    }
    chains = [stop for stop in mattering if is_roadblock(stop)]
    return Path(
        len(wanted),
        len(wanted & seen),
        len(chains),
        sum(passed(leg, stop, made) for stop in chains),
        all(_golden(leg, stop) is not None or not _passes_on(stop) for stop in chains),
    )


def is_roadblock(stop: Stop) -> bool:
    """Return whether a stop needs a tool beside Python."""
    return stop.stop_type == "tool" and any(
        family(step.tool_name) != "code" for step in stop.bridge.tool_chain
    )


def passed(leg: Leg, stop: Stop, made: Sequence[ToolCall]) -> bool:
    """Return whether the steps of a chain were made, in order.

    Steps that do not use each other (two places that are looked up) may come in either order.
    """
    golden = _golden(leg, stop)
    outputs: dict[str, Any] = {}
    done: dict[str, int] = {}
    for place, step in enumerate(stop.bridge.tool_chain):
        after = max((done[name] for name in referred(step) if name in done), default=-1)
        at = next((at for at, call in enumerate(made) if at > after and _made(step, call, outputs)), None)
        if at is None:
            return False
        done[step.output_key] = at
        if golden is not None and place < len(golden):
            outputs[step.output_key] = golden[place]
    return True


def referred(step: Step) -> list[str]:
    """Return the earlier outputs that a step uses."""
    names: list[str] = []
    for key, value in step.arguments.items():
        if key.startswith("__"):
            names += [str(each) for each in value] if isinstance(value, list) else [str(value)]
    return names


def _made(step: Step, call: ToolCall, outputs: Mapping[str, Any]) -> bool:
    if family(call.tool) != family(step.tool_name):
        return False
    if family(step.tool_name) == "code":
        return True
    sent = texts_of(call.arguments)
    told = texts_of({key: value for key, value in step.arguments.items() if key not in ("mode", "select")})
    if not all(any(_says(text, each) for each in sent) for text in told):
        return False
    numbers = [each for text in sent for each in numbers_in(text)]
    for name in referred(step):
        if name in outputs:
            if not _has_point(numbers, outputs[name]) and not _has_name(step, sent):
                return False
        elif len(numbers) < 2 and not any(_WORD.search(each) for each in sent):
            return False
    return True


def _has_name(step: Step, sent: Sequence[str]) -> bool:
    """A matrix or a route may be asked for by the names of its places, which were looked up for nothing else."""
    return family(step.tool_name) in ("matrix", "route") and any(number(each) is None for each in sent)


def _has_point(numbers: Sequence[float], point: Any) -> bool:
    try:
        latitude, longitude = (float(each) for each in point)
    except (TypeError, ValueError):  # the golden output is a number, which the next step does not send on
        return True
    return any(abs(each - latitude) <= NEAR for each in numbers) and any(
        abs((each - longitude + 180) % 360 - 180) <= NEAR for each in numbers
    )


def _says(golden: str, sent: str) -> bool:
    """Return whether an argument says what the golden one says.

    Days and numbers must be the same. Of names one may have more qualifiers behind it ("Oxford" and "Oxford, England"),
    but none that the other contradicts.

    >>> [
    ...     _says("Oxford , England", each)
    ...     for each in ("Oxford", "oxford, england, UK", "Oxford, Ohio", "Cambridge")
    ... ]
    [True, True, False, False]
    """
    days = dates_in(golden)
    if days:
        return days <= dates_in(sent)
    one, other = number(golden), number(sent)
    if one is not None and other is not None:
        return abs(one - other) <= CLOSE * max(abs(one), 1e-9)
    head = set(_WORD.findall(folded(golden.partition(",")[0])))
    first, second = set(_WORD.findall(folded(golden))), set(_WORD.findall(folded(sent)))
    return bool(head) and head <= second and (first <= second or second <= first)


def _passes_on(stop: Stop) -> bool:
    return any(referred(step) for step in stop.bridge.tool_chain)


def _golden(leg: Leg, stop: Stop) -> list[Any] | None:
    return leg.golden.get(str(stop.index))
