"""The reference solution: the stops in order, with every value read from results; nothing of the truth is looked at.

What a leg says of its stops (which page, which tools, which transform) leads the way. A page that an earlier value
names is opened by the link that stands beside that value, and every argument is made of values that results gave, so
that one result that is changed changes what follows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.amazing_race.closure import inputs, naming
from labrig_suites.amazing_race.legs import Leg, Step, Stop, leg_of
from labrig_suites.amazing_race.making import roadblocks
from labrig_suites.amazing_race.making.detours import BY_NAME
from labrig_suites.amazing_race.making.reductions import REDUCTIONS, Reduction
from labrig_suites.amazing_race.page_text import NotThere, PageText, read_markdown
from labrig_suites.amazing_race.score import DIGIT_ALONE
from labrig_suites.amazing_race.values import whole

CODE = "python_execute_code"
T = TypeVar("T")


def solution(sample: Sample, arm: Arm) -> Solution:
    """Return the reference solution of a leg of ours in an arm with the paper's tools.

    Raises
    ------
    Unsolvable
        For a published leg: it holds no trace, and what live services said when it was made is lost.
    """
    leg = leg_of(sample)
    if leg.number is None:
        raise Unsolvable("a published leg has no trace that could be followed")
    if arm.server and "paper" not in arm.serve.toolsets:
        raise Unsolvable("the reference uses the toolset paper")
    way = Way(leg)
    return Solution(tuple(way.calls()), lambda results: committed(arm, *way.finish(results)))


def committed(arm: Arm, digit: int, number: int) -> str:
    """Return an answer in the form that an arm asks for."""
    if arm.channel.kind == "json":
        return json.dumps({"code": digit, "number": number})
    return f"{digit}\n" if arm.name in DIGIT_ALONE else f"{digit}\n{number}\n"


class Way:
    """The calls of a leg, and what their results say.

    Parameters
    ----------
    read
        How a page is read.
    page_arguments
        Further arguments of ``fetch_webpage``.
    """

    def __init__(
        self,
        leg: Leg,
        read: Callable[[str], PageText] = read_markdown,
        page_arguments: dict[str, Any] | None = None,
    ) -> None:
        self.leg, self.read, self.page_arguments = leg, read, page_arguments or {}
        self.first: dict[int, int] = {}
        count = 0
        for stop in leg.stops:
            self.first[stop.index] = count
            count += 1 if stop.stop_type == "page" else len(stop.bridge.tool_chain)

    def calls(self) -> list[Call]:
        """Return the calls, in the order of the stops."""
        made = []
        for stop in self.leg.stops:
            if stop.stop_type == "page":
                made.append(Call("fetch_webpage", self._fetch(stop)))
            for place, step in enumerate(stop.bridge.tool_chain):
                made.append(Call(step.tool_name, self._step(stop, place)))
        return made

    def _fetch(self, stop: Stop) -> Callable[[Sequence[str]], dict[str, Any]]:
        return lambda results: {"url": _read(lambda: self.url(stop, results), stop), **self.page_arguments}

    def _step(self, stop: Stop, place: int) -> Callable[[Sequence[str]], dict[str, Any]]:
        def arguments(results: Sequence[str]) -> dict[str, Any]:
            return _read(lambda: self.arguments(stop, place, results), stop)

        return arguments

    def url(self, stop: Stop, results: Sequence[str]) -> str:
        """Return the address of a page: the link beside the value that names it, else the leg's."""
        named = naming(self.leg, stop)
        for place in inputs(self.leg, stop):
            before = self.leg.stops[place]
            if place in named and before.extraction_target.endswith("(infobox)"):
                page = self.page(before, results)
                return page.link(page.cell(before.extraction_target.removesuffix(" (infobox)")))
            if place not in named and stop.page_url not in self.page(before, results).addresses:
                raise NotThere("the link of a clue")
        return str(stop.page_url)

    def page(self, stop: Stop, results: Sequence[str]) -> PageText:
        """Return the page of a stop."""
        return self.read(results[self.first[stop.index]])

    def value(self, stop: Stop, results: Sequence[str]) -> Any:
        """Return the value of a stop from the results."""
        return _read(lambda: self._value(stop, results), stop)

    def _value(self, stop: Stop, results: Sequence[str]) -> Any:
        if stop.stop_type == "page":
            page = self.page(stop, results)
            return page.value(stop.extraction_target, stop.extraction_section, stop.extracted_value_type)
        if stop.stop_type == "reason":
            source = self.value(self.leg.stops[stop.reason_source_stop or 0], results)
            return BY_NAME[str(stop.reason_transform)].apply(source)
        last = len(stop.bridge.tool_chain) - 1
        return self.output(stop, last, results)

    def output(self, stop: Stop, place: int, results: Sequence[str]) -> Any:
        """Return what a step of a chain gave."""
        step = stop.bridge.tool_chain[place]
        return output_of(step, json.loads(results[self.first[stop.index] + place]))

    def arguments(self, stop: Stop, place: int, results: Sequence[str]) -> dict[str, Any]:
        """Return the arguments of a step, made of values that earlier results gave."""
        used = [self.leg.stops[each] for each in stop.depends_on]
        values = [self.value(each, results) for each in used]
        step = stop.bridge.tool_chain[place]
        if step.tool_name == CODE:
            return {"code": code_of(stop, values)}
        given = {key: each for key, each in step.arguments.items() if not key.startswith("__")}
        for before, value in zip(used, values, strict=True):
            given = {
                key: replaced(each, str(before.extracted_value), str(value)) for key, each in given.items()
            }
        points = {
            each.output_key: self.output(stop, at, results)
            for at, each in enumerate(stop.bridge.tool_chain[:place])
        }
        for key, named in step.arguments.items():
            if key == "__from_previous":
                given |= {"latitude": points[named][0], "longitude": points[named][1]}
            elif key == "__from_previous_as_locations":
                given["locations"] = [{"latitude": points[named][0], "longitude": points[named][1]}]
            elif key == "__from_previous_as_origins_destinations":
                start, end = (",".join(map(str, points[each])) for each in named)
                given |= {"origins": [start], "destinations": [end]}
        return given

    def operands(self, results: Sequence[str]) -> list[int]:
        """Return the whole numbers that the finish line combines."""
        values = [
            self.value(self.leg.stops[each], results) for each in self.leg.finish.bridge.referenced_stops
        ]
        found = [whole(each) for each in values]
        if None in found:
            raise Unsolvable("an operand is no number")
        return [each for each in found if each is not None]

    def finish(self, results: Sequence[str]) -> tuple[int, int]:
        """Return the digit, and the number that is reduced to it."""
        reduction = reduction_of(self.leg)
        number = reduction.combine(self.operands(results))
        return reduction.reduce(number), number


def _read(reading: Callable[[], T], stop: Stop) -> T:
    """Return what results say; where they do not say it, the leg cannot be solved from them."""
    try:
        return reading()
    except (NotThere, LookupError, ValueError, TypeError, ArithmeticError) as error:
        raise Unsolvable(f"stop {stop.index}: {error}") from error


def reduction_of(leg: Leg) -> Reduction:
    """Return the reduction of a finish line, known by the form of its expression."""
    text = leg.finish.bridge.expression or ""
    name = (
        "digital_root"
        if text.startswith("digital_root")
        else "abs_diff_mod10"
        if text.startswith("abs")
        else "product_mod10"
        if "*" in text
        else "mod10"
    )
    return next(each for each in REDUCTIONS if each.name == name)


def replaced(value: Any, old: str, new: str) -> Any:
    """Return an argument with a text in place of another."""
    return value.replace(old, new) if isinstance(value, str) and old else value


def code_of(stop: Stop, values: Sequence[Any]) -> str:
    """Return the program of a stop, for these values of its inputs."""
    (step,) = stop.bridge.tool_chain
    old = str(step.arguments["code"])
    if step.output_key == "days":
        ran = roadblocks.days_between(str(values[0]), str(values[1]))
    elif step.output_key == "converted":
        unit, which = next(
            (unit, place)
            for unit, each in roadblocks.CONVERSIONS.items()
            for place, (named, _, _) in enumerate(each)
            if f"Convert {named}" in old
        )
        ran = roadblocks.converted(_whole(values[0]), unit, which)
    else:
        operation = "abs_diff" if "abs(" in old else "add"
        ran = roadblocks.merged(_whole(values[0]), _whole(values[1]), operation)
    return str(ran.steps[0].arguments["code"])


def _whole(value: Any) -> int:
    found = whole(value)
    if found is None:
        raise Unsolvable(f"no number: {str(value)[:40]}")
    return found


def output_of(step: Step, found: Any) -> Any:
    """Return what a published result means, as the published generator reads it."""
    match step.output_key:
        case "coords" | "coords_a" | "coords_b":
            return found["location"]["lat"], found["location"]["lng"]
        case "elevation":
            return found["results"][0]["elevation"]
        case "distance_km":
            return found["results"][0]["elements"][0]["distance"]["value"] / 1000
        case "duration":
            return int(found["routes"][0]["duration"]["value"] / 60)
        case "poi_count":
            return len(found["places"])
        case "place_rating":
            return found["places"][0]["rating"]
        case "population" | "area_km2":
            return found[step.output_key]
        case "stock_price" | "crypto_price":
            return found["close_price"]
        case "stock_volume" | "crypto_volume":
            return found["volume"]
        case "days" | "converted" | "merged":
            return int(found["stdout"])
        case _:
            return roadblocks.picked(found, step.arguments["select"][0])
