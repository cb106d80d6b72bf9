"""The reference solution: write the right build, run it, read one number in the printed output.

The answer comes from the results of the calls and the options of the prompt, and from nothing else: the truth
is not looked at, and the number is read from ``result.out``, not from selected output, which is
how the truth was made. With a table of contents the solution reads the one section that its entry points to;
with the outline it reads the whole file; with raw output it takes what execute_phreeqc returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.common.numbers import last_place
from labrig_suites.phreeqc_basics.stems import stems
from labrig_suites.phreeqc_mcq.solution import (
    INPUT,
    RESULT,
    cell,
    executed,
    letter,
    line_count,
    section_lines,
)

SECTIONS = (
    "Solution composition",
    "Description of solution",
    "Distribution of species",
    "Saturation indices",
    "Surface composition",
    "Gas phase",
    "Phase assemblage",
    "Exchange composition",
)
"""Where a section ends another begins. The authors' list (``toc:50``) has entries within sections, too."""


def solution(sample: Sample, arm: Arm) -> Solution:
    """Return the reference solution of a task under an arm's output protocol.

    Raises
    ------
    Unsolvable
        When the task has a stem that this version does not know.
    """
    name = sample.labels.get("stem", "")
    stem = next((each for each in stems() if each.name == name), None)
    if stem is None:
        raise Unsolvable(f"no reference solution for the stem {name!r}")
    protocol = arm.serve.output or "toc"
    by_section = protocol.startswith("toc")
    run = (
        Call("write_file", {"path": INPUT, "content": stem.build}),
        Call("execute_phreeqc", {"input_path": INPUT, "database": stem.database}),
    )

    def choose(text: str, row: int = stem.row) -> str:
        """Return the option that differs from the printed number by the rounding of both at most."""
        printed = cell(text, stem.printed, row)
        value, place = (each * stem.printed.scale for each in (float(printed), last_place(printed)))
        return letter(
            value,
            lambda shown: abs(float(shown) - value) <= place + last_place(shown),
            sample.brief.prompt,
        )

    if protocol.startswith("raw:"):
        return Solution(run, lambda results: choose(executed(results)))

    def lines(results: Sequence[str]) -> tuple[int, int]:
        text = executed(results)
        if by_section:
            return section_lines(text, stem.printed.section, stem.row, SECTIONS)
        return 1, line_count(text)

    def read(results: Sequence[str]) -> dict[str, Any]:
        first, last = lines(results)
        return {"path": RESULT, "start_line": first, "end_line": last}

    def answer(results: Sequence[str]) -> str:
        first, last = lines(results)
        if results[-1].count("\n") != last - first:
            raise Unsolvable(f"lines {first} to {last} of {RESULT} were not what was read")
        return choose(results[-1], -1 if by_section else stem.row)

    return Solution((*run, Call("read_file", read)), answer)
