"""What an agent was shown: which of the four values, the quantity at all, and how large its last output was.

Read from the texts of the results in the record, never from what the agent says. A value counts as shown where a line
of the main output begins with the quantity's row and has the value in its column, in any state; and in other files
(selected output) where a number prints as the option does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import TextOf, Unsolvable
from labrig_harness.trajectory import Trajectory
from labrig_suites.common.choice import EXECUTE, READ, parse, ran
from labrig_suites.phreeqc_mcq import printed, score, solution
from labrig_suites.phreeqc_mcq.scenario import Quantity

SIZE = re.compile(r"^result\.out: (\d+) characters", re.MULTILINE)
ANSWER = "final_answer.txt"


def evidence(sample: Sample, trajectory: Trajectory, text_of: TextOf) -> dict[str, Any]:
    """Return the facts that the texts of the results hold.

    Returns
    -------
    dict
        ``output_chars``: of result.out after the last execution, None without one. ``shown``: letters of the options
        whose values the agent was shown, None for items without a stem. ``break``: as `score.broken`, with it.
    """
    facts: dict[str, Any] = {"output_chars": _size(trajectory, text_of)}
    answer = parse(trajectory.submission.text) if trajectory.submission else ""
    try:
        asked = _read_options(sample)
    except Unsolvable:
        return facts
    seen: dict[str, set[int]] = {letter: set() for letter in asked}
    looked = False
    for text, of_output, whole in _texts(trajectory, text_of):
        looked = looked or whole
        for letter, parts in asked.items():
            for place, (quantity, value) in enumerate(parts):
                found = list(_values(text, quantity, of_output))
                looked = looked or bool(found)
                if any(_agrees(quantity, each, value, of_output) for each in found):
                    seen[letter].add(place)
    shown = {letter for letter, places in seen.items() if len(places) == len(asked[letter])}
    facts["shown"] = sorted(shown)
    if answer != sample.truth["answer"]:
        facts["break"] = score.broken(sample, trajectory, answer, shown, looked)
    return facts


def _size(trajectory: Trajectory, text_of: TextOf) -> int | None:
    """Return the characters of result.out as the last execution left it."""
    for call in reversed(trajectory.calls):
        if call.tool == EXECUTE and (size := SIZE.search(text_of(call))):
            return int(size[1])
    return None


def _read_options(sample: Sample) -> dict[str, list[tuple[Quantity, float]]]:
    """Return for each letter the numbers that its option is made of: one, or all that an answer in words is judged by.

    What an output does not have cannot be shown: it is left out.
    """
    right = solution.scene(sample)
    asked = {}
    for letter, option in sample.truth["options"].items():
        scene = right
        for missed in option["missed"]:
            scene = scene.missing(missed["switch"], missed["state"])
        values = option.get("parts", (option["value"],))
        parts = scene.quantity.parts * len(scene.read_states)
        asked[letter] = [
            (part, float(each)) for part, each in zip(parts, values, strict=True) if each is not None
        ]
    return asked


def _texts(trajectory: Trajectory, text_of: TextOf) -> Iterator[tuple[str, bool, bool]]:
    """Yield what was shown of runs that went well: the text, whether of the main output, and whether all of it."""
    inputs = {ANSWER}
    good, chars = False, inf
    for call in trajectory.calls:
        path = str(call.arguments.get("path", ""))
        if call.tool == EXECUTE:
            good = ran(call)
            if good:
                text = text_of(call)
                size = SIZE.search(text)
                chars = int(size[1]) if size else inf
                yield text, True, len(text) >= chars
        elif call.tool == READ and call.succeeded and good and path not in inputs:
            text, main = text_of(call), path == solution.RESULT
            yield text, main, main and len(text) >= chars - 1  # but for the last line break
        elif call.tool == "write_file":
            inputs.add(path)


def _values(text: str, quantity: Quantity, of_output: bool) -> Iterator[float]:
    """Yield the numbers of a text that may be the quantity."""
    if of_output:
        yield from (printed.in_unit(cell, quantity.printed) for cell in printed.cells(text, quantity.printed))
    else:
        yield from map(float, printed.numbers(text.split()))


def _agrees(quantity: Quantity, found: float, value: float, of_output: bool) -> bool:
    """Return whether a number is an option's value: to half of what options are apart, elsewhere as it is printed."""
    if of_output:
        return quantity.same(found, value)
    return quantity.show(found) == quantity.show(value)
