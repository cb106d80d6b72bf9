"""What is wrong with a leg, ours or a published one: ``python -m labrig_suites.amazing_race.lint FILE..``.

============================ =======================================================================================
operand in the riddle        the riddle prints an operand of three digits or more: the clue that gives it is not needed
no operand's source          an operand is the value of no stop
bare coordinate              a place is searched for by a lone number: the other coordinate was lost
tool not offered             a chain needs a tool that the arm does not have
stop without effect          nothing that the stop gives reaches the finish line
no roadblock needed          no tool's value reaches the finish line
no page needed               no page's value or name reaches the finish line
answered without tools       every value that reaches the finish line stands in the riddle
last step printed            all operands of the finish line are printed: the digit follows from one clue alone
day for a year               a year is asked for, and the value is 31 or less: the day of a month, or another number
title in the riddle          the riddle names a page that it should describe
tool in the riddle           the riddle names a tool
chatter                      the riddle begins with words of the model that wrote it
page not there               an address that the pages of the world do not hold
============================ =======================================================================================
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from labrig_suites.amazing_race.closure import matching, matter, operands, texts_of
from labrig_suites.amazing_race.legs import Leg, Stop, read_leg
from labrig_suites.amazing_race.pages import title_of
from labrig_suites.amazing_race.path import is_roadblock
from labrig_suites.amazing_race.tool_names import FAMILIES
from labrig_suites.amazing_race.values import folded, number, numbers_in

WRONG = ("day for a year", "bare coordinate", "no operand's source")
"""Flags of a stop whose value cannot be found as its clue asks for it."""
GIVEN = ("last step printed", "answered without tools")
"""Flags of a leg whose digit follows from its riddle."""
SHOWN_FROM = 100
"""Operands from here on are looked for in the riddle: smaller ones are numbers of clues."""
MOST_DAYS = 31
_YEAR = re.compile(r"(?:the )?(?:[\w/-]+ )?year\b", re.IGNORECASE)
"""The beginning of a target that is a year; lengths in years and numbers a year begin otherwise."""
_NO_VALUE = re.compile(
    r"^[\s*_#]*\d+[.):]"  # the number of a clue, and references to such
    r"|\bclues?\s*#?\d+(?:(?:\s*,)?\s*(?:and|or|to|through|&|[–-])?\s*#?\d+\b)*"
    r"|(?:\bmod(?:ulo|ulus)?|%|\bdivi(?:ded|sion)\s+by)\s*(?:of\s+)?10\b"
    r"|\b0\s*(?:[–-]|to|and|through)\s*9\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Numbers of a riddle that are no values."""
_BARE = re.compile(r"\bnear -?\d+(?:\.\d+)?\s*$")
_CHATTER = re.compile(r"\s*(?:here is|here's|sure|certainly|of course)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Flag:
    """Something wrong; `stop` is None where it is the leg as a whole."""

    name: str
    stop: int | None
    what: str


def lint(
    leg: Leg, tools: Collection[str] | None = None, has_page: Callable[[str], bool] | None = None
) -> list[Flag]:
    """Return what is wrong with a leg.

    Parameters
    ----------
    tools
        The tools of the arm; None where any will do.
    has_page
        Whether an address leads to a page; None where that cannot be told.
    """
    used = matter(leg)
    riddle = folded(_NO_VALUE.sub(" clue ", leg.riddle))
    flags = [*_operands(leg, riddle), *_stops(leg, used, tools, has_page), *_words(leg)]
    needed = [leg.stops[place] for place in sorted(used)]
    if not any(is_roadblock(stop) for stop in needed):
        flags.append(Flag("no roadblock needed", None, "the digit follows without any tool but Python"))
    if not any(stop.stop_type == "page" for stop in needed):
        flags.append(Flag("no page needed", None, "the digit follows without any page"))
    facts = [stop for stop in needed if stop.stop_type == "page" or is_roadblock(stop)]
    if facts and all(_printed(str(stop.extracted_value), riddle) for stop in facts):
        flags.append(Flag("answered without tools", None, "all values that are needed stand in the riddle"))
    return flags


def _operands(leg: Leg, riddle: str) -> list[Flag]:
    finish = leg.finish.index
    flags = []
    for operand, place in matching(leg):
        if place is None:
            flags.append(Flag("no operand's source", finish, f"{operand} is the value of no stop"))
        if operand >= SHOWN_FROM and _printed(str(operand), riddle):
            flags.append(
                Flag("operand in the riddle", finish if place is None else place, f"{operand} is printed")
            )
    if _last_step_is_printed(leg):
        flags.append(Flag("last step printed", finish, leg.finish.bridge.expression or ""))
    return flags


def _last_step_is_printed(leg: Leg) -> bool:
    """Return whether the operands stand in the riddle with signs between them, or all of them in the last clue."""
    wanted = operands(leg.finish.bridge.expression or "")
    told = _NO_VALUE.sub(" clue ", leg.riddle).replace(",", "")
    joined = r"[\s()|]*[-+−–]\s*\(?-?".join(map(str, wanted))
    if not wanted or re.search(rf"(?<![\d.]){joined}(?!\d|\.\d)", told):
        return bool(wanted)
    return {*map(float, wanted)} <= {abs(each) for each in numbers_in(told.strip().rpartition("\n")[2])}


def _stops(
    leg: Leg, used: set[int], tools: Collection[str] | None, has_page: Callable[[str], bool] | None
) -> list[Flag]:
    flags = []
    for stop in leg.stops:
        if stop.index not in used:
            flags.append(Flag("stop without effect", stop.index, stop.extraction_target[:80]))
        if _is_day_for_year(stop):
            said = f"{stop.extraction_target[:60]}: {stop.extracted_value}"
            flags.append(Flag("day for a year", stop.index, said))
        for step in stop.bridge.tool_chain:
            if tools is not None and step.tool_name not in tools:
                flags.append(Flag("tool not offered", stop.index, step.tool_name))
            if any(_BARE.search(text) for text in texts_of(step.arguments)):
                flags.append(Flag("bare coordinate", stop.index, str(step.arguments)[:80]))
        if has_page is not None and stop.stop_type == "page" and not has_page(stop.page_url or ""):
            flags.append(Flag("page not there", stop.index, stop.page_url or ""))
    return flags


def _is_day_for_year(stop: Stop) -> bool:
    value = number(stop.extracted_value)
    asked = stop.stop_type == "page" and _YEAR.match(stop.extraction_target.strip())
    return bool(asked) and value is not None and value <= MOST_DAYS


def _words(leg: Leg) -> list[Flag]:
    riddle = folded(leg.riddle)
    flags = []
    for stop in leg.of_type("page"):
        title = folded(title_of(stop.page_url or ""))
        if len(title) > 3 and re.search(rf"\b{re.escape(title)}\b", riddle):
            flags.append(Flag("title in the riddle", stop.index, title))
    for name in sorted(name for names in FAMILIES.values() for name in names if "_" in name):
        if name in riddle:
            flags.append(Flag("tool in the riddle", None, name))
    if _CHATTER.match(leg.riddle):
        flags.append(Flag("chatter", None, leg.riddle.strip().partition("\n")[0][:80]))
    return flags


def _printed(value: str, riddle: str) -> bool:
    if number(value) is not None:
        return (
            re.search(rf"(?<![\w.,]){re.escape(value)}(?![\w]|[.,]\d)", riddle.replace(",", "")) is not None
        )
    return folded(value) in riddle


def main() -> None:
    """Print the flags of legs, and how many legs have each."""
    import json

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="legs in the published JSON form")
    counts: Counter[str] = Counter()
    files = parser.parse_args().files
    for path in files:
        flags = lint(read_leg(json.loads(path.read_text(encoding="utf-8"))))
        counts.update({flag.name for flag in flags})
        for flag in flags:
            print(
                f"{path.name}: {flag.name}{'' if flag.stop is None else f' (stop {flag.stop})'}: {flag.what}"
            )
    for name, count in counts.most_common():
        print(f"{name}: {count} of {len(files)} legs")


if __name__ == "__main__":
    main()
