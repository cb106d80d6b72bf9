"""A second solution: pages as HTML, and all arithmetic in one program that runs in the sandbox at the end.

It looks up the same places, since there is one world, but reads each page in another form and leaves every merge,
conversion, detour and the finish line to Python code of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.amazing_race.legs import Leg, Stop, leg_of
from labrig_suites.amazing_race.page_text import read_html
from labrig_suites.amazing_race.path import is_roadblock
from labrig_suites.amazing_race.solution import CODE, Way, committed
from labrig_suites.amazing_race.values import dates_in


def another(sample: Sample, arm: Arm) -> Solution:
    """Return the second solution of a leg of ours."""
    leg = leg_of(sample)
    if leg.number is None:
        raise Unsolvable("a published leg has no trace that could be followed")
    way = _Way(leg)
    calls = way.calls()

    def answer(results: Sequence[str]) -> str:
        try:
            digit, number = json.loads(json.loads(results[-1])["stdout"])
        except (ValueError, LookupError, TypeError) as error:
            raise Unsolvable(f"the program gave nothing: {error}") from error
        return committed(arm, digit, number)

    return Solution((*calls, Call(CODE, lambda results: {"code": way.program(results)})), answer)


class _Way(Way):
    """The pages and roadblocks alone; programs are left to the end."""

    def __init__(self, leg: Leg) -> None:
        super().__init__(leg, read_html, {"raw_html": True})
        count = 0
        for stop in leg.stops:
            self.first[stop.index] = count
            count += (
                1 if stop.stop_type == "page" else len(stop.bridge.tool_chain) if is_roadblock(stop) else 0
            )

    def calls(self) -> list[Call]:
        made = []
        for stop in self.leg.stops:
            if stop.stop_type == "page":
                made.append(Call("fetch_webpage", self._fetch(stop)))
            elif is_roadblock(stop):
                made += [
                    Call(step.tool_name, self._step(stop, place))
                    for place, step in enumerate(stop.bridge.tool_chain)
                ]
        return made

    def program(self, results: Sequence[str]) -> str:
        """Return the program, with the values of pages and roadblocks in it."""
        known: dict[str, Any] = {}
        steps: list[list[Any]] = []
        for stop in self.leg.stops[:-1]:
            if stop.stop_type == "page" or is_roadblock(stop):
                value = self.value(stop, results)
                days = (
                    dates_in(value) if isinstance(value, str) and stop.extracted_value_type == "date" else ()
                )
                known[str(stop.index)] = min(days).isoformat() if days else value
            else:
                steps.append([stop.index, *_operation(stop)])
        expression = self.leg.finish.bridge.expression or ""
        kind = "abs" if expression.startswith("abs") else "*" if "*" in expression else "+"
        said = (
            json.dumps(known),
            json.dumps(steps),
            json.dumps(list(self.leg.finish.bridge.referenced_stops)),
            "root" if expression.startswith("digital_root") else kind,
        )
        program = files(__package__).joinpath("arithmetic.py").read_text(encoding="utf-8")
        return f"{program}\n\nfinish({', '.join(map(repr, said))})\n"


def _operation(stop: Stop) -> tuple[str, list[int], list[float]]:
    """Return what a stop does: a name of `arithmetic.DO`, the stops that it uses, further numbers."""
    if stop.stop_type == "reason":
        return str(stop.reason_transform), [stop.reason_source_stop or 0], []
    (step,) = stop.bridge.tool_chain
    code = str(step.arguments["code"])
    if step.output_key == "days":
        return "days", list(stop.depends_on), []
    if step.output_key == "converted":
        return "times", list(stop.depends_on), [float(code.partition("value * ")[2].split()[0])]
    return "abs_diff" if "abs(" in code else "add", list(stop.depends_on), []
