"""Which stops matter: those whose value can change the digit at the finish line.

A leg's ``depends_on`` does not say it: in published legs it is mostly the stop before. What a stop uses is read from
what it does: the operands of the finish line's expression, the source of a detour, the two branches of a merge, and in
a tool chain the values, names and dates of earlier stops that its arguments hold. A chain that names the page itself
("elevation of X", asked on the page X) uses that page: an agent that missed the page does not know the name. A page
whose title an earlier value gives (a birthplace, then the page of that town) uses that value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from labrig_suites.amazing_race.legs import Leg, Stop
from labrig_suites.amazing_race.pages import page_of, title_of
from labrig_suites.amazing_race.values import dates_in, folded, number, numbers_in, whole

SHORTEST = 3
"""Characters of a text that is looked for in arguments: shorter ones are in everything."""


def operands(expression: str) -> list[int]:
    """Return the operands of a finish line's expression: its whole numbers, but for the 10 that it is reduced by.

    >>> operands("abs(2007 - 3) % 10"), operands("digital_root(270 + 20 + 10)"), operands("(7 * 10) % 10")
    ([2007, 3], [270, 20, 10], [7, 10])
    """
    return [int(each) for each in re.findall(r"\d+", re.sub(r"%\s*10\s*$", "", expression.strip()))]


def matching(leg: Leg) -> list[tuple[int, int | None]]:
    """Return each operand of the finish line, and the stop whose value it is; None where no stop has it.

    A referenced stop is taken before one that is not referenced, each once, the first one first.
    """
    finish = leg.finish
    used: set[int] = set()
    found: list[tuple[int, int | None]] = []
    named = finish.bridge.referenced_stops
    for operand in operands(finish.bridge.expression or ""):
        able = (*named, *(stop.index for stop in leg.stops[:-1] if stop.index not in named))
        place = next((each for each in able if each not in used and _holds(leg.stops[each], operand)), None)
        if place is not None:
            used.add(place)
        found.append((operand, place))
    return found


def inputs(leg: Leg, stop: Stop) -> set[int]:
    """Return the stops whose value, or page, a stop uses."""
    if stop.stop_type == "compute":
        return {place for _, place in matching(leg) if place is not None}
    if stop.stop_type == "reason":
        return set() if stop.reason_source_stop is None else {stop.reason_source_stop}
    if stop.merges or (stop.stop_type == "page" and leg.riddles):
        return set(stop.depends_on)
    if stop.stop_type == "page":
        return naming(leg, stop)
    texts = [text for step in stop.bridge.tool_chain for text in texts_of(step.arguments)]
    return _in_arguments(leg, stop, texts)


def matter(leg: Leg) -> set[int]:
    """Return the stops that the digit at the finish line depends on, the finish line among them."""
    found, pending = {leg.finish.index}, [leg.finish]
    while pending:
        for place in inputs(leg, pending.pop()) - found:
            found.add(place)
            pending.append(leg.stops[place])
    return found


def texts_of(value: Any) -> list[str]:
    """Return the texts and numbers of arguments as texts, those of inner lists and objects too.

    Values of keys that refer to earlier outputs (``__from_previous``) are left out.
    """
    if isinstance(value, dict):
        return [
            text for key, each in value.items() if not str(key).startswith("__") for text in texts_of(each)
        ]
    if isinstance(value, (list, tuple)):
        return [text for each in value for text in texts_of(each)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def naming(leg: Leg, stop: Stop) -> set[int]:
    """Return the stop before a page whose value holds its title: one that it depends on, where the leg says so.

    Where it does not say, the last one. "Sevend Shoria" does not name the Shoria, to which another clue leads.
    """
    title = re.escape(folded(title_of(stop.page_url or "").partition(" (")[0]))
    if len(title) < SHORTEST:
        return set()
    found = [
        each.index
        for each in leg.stops[: stop.index]
        if isinstance(each.extracted_value, str)
        and number(each.extracted_value) is None
        and re.search(rf"(?<!\w){title}(?!\w)", folded(each.extracted_value))
        and page_of(each.page_url or "") != page_of(stop.page_url or "")
    ]
    return set([each for each in found if not stop.depends_on or each in stop.depends_on][-1:])


def _holds(stop: Stop, operand: int) -> bool:
    value = whole(stop.extracted_value)
    return value is not None and abs(value) == operand


def _in_arguments(leg: Leg, stop: Stop, texts: list[str]) -> set[int]:
    earlier = leg.stops[: stop.index]
    low = [folded(text) for text in texts]
    found = {each.index for each in earlier if _named(each, low)}
    for each in (
        *(n for text in texts for n in _plain_numbers(text)),
        *(d for t in texts for d in dates_in(t)),
    ):
        holding = [other.index for other in earlier if each in _values(other)]
        found.update(holding[-1:])  # the last one that has it: an earlier one is only equal
    title = folded(title_of(stop.page_url or ""))
    if len(title) >= SHORTEST and any(title in text for text in low):
        page = page_of(stop.page_url or "")
        same = [
            each.index
            for each in earlier
            if each.stop_type == "page" and page_of(each.page_url or "") == page
        ]
        found.update(same[-1:])
    return found


def _plain_numbers(text: str) -> list[float]:
    """Return the numbers of a program's ``value = ..`` lines or calls of int; none of a day or a factor."""
    assigned = re.findall(r"(?:^value\s*=\s*|\bint\()(-?[\d.,]+)", text, re.MULTILINE)
    return [each for piece in assigned for each in numbers_in(piece)] or (
        [each] if (each := number(text)) is not None else []
    )


def _values(stop: Stop) -> Iterable[Any]:
    """Return what arguments may hold of a value: the number, its whole part, the days that it names."""
    value = number(stop.extracted_value)
    days = dates_in(str(stop.extracted_value))
    return [*([] if value is None else [value, float(int(value))]), *days]


def _named(stop: Stop, texts: list[str]) -> bool:
    value = stop.extracted_value
    if not isinstance(value, str) or number(value) is not None or dates_in(value):
        return False
    name = folded(value)
    return len(name) >= SHORTEST and any(name in text for text in texts)
