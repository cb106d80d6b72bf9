"""The reference solution: write the right build, run it, read one number in the printed output.

The answer comes from the results of the calls and the options of the prompt, and from nothing else: the truth
is not looked at, and the number is read from ``result.out``, not from selected output, which is
how the truth was made. With a table of contents the solution reads the one section that its entry points to;
with the outline it reads the whole file; with raw output it takes what execute_phreeqc returned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_harness.suites.phreeqc_basics.stems import STEMS
from labrig_harness.task import Task

INPUT = "input.pqi"
RESULT = "result.out"


@dataclass(frozen=True)
class Evidence:
    """Where the printed output holds a quantity.

    Attributes
    ----------
    section
        Heading; its last occurrence is meant, which is the final state of the calculation.
    row
        First words of the line.
    column
        Which number after them, from 0.
    scale
        Factor from the printed unit (mol/kgw, mol, atm, 1) to that of the options.
    """

    section: str
    row: str
    column: int = 0
    scale: float = 1.0


COMPOSITION = "Solution composition"
DESCRIPTION = "Description of solution"
SPECIES = "Distribution of species"
INDICES = "Saturation indices"
SURFACE = "Surface composition"
GAS = "Gas phase"
SECTIONS = (
    COMPOSITION,
    DESCRIPTION,
    SPECIES,
    INDICES,
    SURFACE,
    GAS,
    "Phase assemblage",
    "Exchange composition",
)
"""Where a section ends another begins. The authors' list (``toc:50``) has entries within sections, too."""

EVIDENCE = {
    "seawater-calcite": Evidence(INDICES, "Calcite"),
    "calcite-soil-co2": Evidence(DESCRIPTION, "pH"),
    "gypsum-in-salt": Evidence(COMPOSITION, "Ca", scale=1e3),
    "mixing-corrosion": Evidence(INDICES, "Calcite"),
    "evaporation": Evidence(DESCRIPTION, "Ionic strength (mol/kgw)"),
    "freshening-exchange": Evidence(COMPOSITION, "Na", scale=1e3),
    "zinc-on-ferrihydrite": Evidence(SURFACE, "Hfo_wOZn+", scale=1e6),
    "calcite-kinetics": Evidence(COMPOSITION, "Ca", scale=1e3),
    "quartz-kinetics": Evidence(COMPOSITION, "Si", scale=1e6),
    "headspace-co2": Evidence(GAS, "CO2(g)", column=1),
    "charge-balanced-ph": Evidence(DESCRIPTION, "pH"),
    "iron-oxidation": Evidence(DESCRIPTION, "pH"),
    "heated-groundwater": Evidence(DESCRIPTION, "pH"),
    "brine-halite": Evidence(INDICES, "Halite"),
    "column-effluent": Evidence(COMPOSITION, "Ca", scale=1e3),
    "mine-drainage": Evidence(COMPOSITION, "S", scale=1e3),
    "sulfate-ion-pair": Evidence(SPECIES, "MgSO4", scale=1e3),
    "acidified-water": Evidence(DESCRIPTION, "pH"),
    "deep-calcite": Evidence(INDICES, "Calcite"),
}

_OPTION = re.compile(r"^([A-D])\. (?:\D* )?(-?\d[\d.]*(?:e[-+]\d+)?)(?: .*)?$", re.MULTILINE)
_SIZE = re.compile(r"^result\.out: \d+ characters, (\d+) lines$", re.MULTILINE)
_STATUS = re.compile(r"^status: (\w+)$", re.MULTILINE)
_HEADING = re.compile(r"^-{3,}([A-Za-z].*?)-{3,}$", re.MULTILINE)


def solution(task: Task, arm: Arm) -> Solution:
    """Return the reference solution of a task under an arm's output protocol.

    Raises
    ------
    Unsolvable
        When the task has a stem that this version does not know.
    """
    name = task.labels.get("stem", "")
    stem = next((each for each in STEMS if each.name == name), None)
    if stem is None:
        raise Unsolvable(f"no reference solution for the stem {name!r}")
    evidence = EVIDENCE[stem.name]
    protocol = arm.serve.output or "toc"
    run = (
        Call("write_file", {"path": INPUT, "content": stem.build}),
        Call("execute_phreeqc", {"input_path": INPUT, "database": stem.database}),
    )
    if protocol.startswith("raw:"):
        return Solution(run, lambda results: _choose(_executed(results), evidence, task.brief.prompt))

    def lines(results: Sequence[str]) -> tuple[int, int]:
        text = _executed(results)
        by_toc = protocol.startswith("toc")
        return _section_lines(text, evidence.section) if by_toc else (1, _line_count(text))

    def read(results: Sequence[str]) -> dict[str, Any]:
        first, last = lines(results)
        return {"path": RESULT, "start_line": first, "end_line": last}

    def answer(results: Sequence[str]) -> str:
        first, last = lines(results)
        if results[-1].count("\n") != last - first:
            raise Unsolvable(f"lines {first} to {last} of {RESULT} were not what was read")
        return _choose(results[-1], evidence, task.brief.prompt)

    return Solution((*run, Call("read_file", read)), answer)


# ------------------------------------------------------------------------------ reading what tools returned


def _executed(results: Sequence[str]) -> str:
    """Return what the last execute_phreeqc returned, if the run went well."""
    text = next((each for each in reversed(results) if each.startswith("status: ")), "")
    status = _STATUS.match(text)
    if status is None or status[1] not in ("ok", "ok_with_warnings"):
        raise Unsolvable(f"no run that ended well: {text[:200]!r}")
    return text


def _line_count(text: str) -> int:
    size = _SIZE.search(text)
    if size is None:
        raise Unsolvable("the size of result.out is not given")
    return int(size[1])


def _section_lines(text: str, section: str) -> tuple[int, int]:
    """Return the first and last line of the last section of that name in a table of contents."""
    lists = [line for line in text.splitlines() if line.startswith("[{")]
    try:
        entries = [(int(each["line"]), str(each["section"])) for each in json.loads(lists[-1])]
    except (IndexError, ValueError, TypeError, KeyError) as error:
        raise Unsolvable(f"no table of contents: {error}") from error
    starts = [line for line, name in entries if name == section and line > 0]
    if not starts:
        raise Unsolvable(f"the table of contents has no section {section!r}")
    first = max(starts)
    following = (line - 1 for line, name in entries if line > first and name in SECTIONS)
    return first, min(following, default=_line_count(text))


def _printed_number(text: str, evidence: Evidence) -> str:
    """Return a number as it is printed, from the last section of its name in a text."""
    headings = list(_HEADING.finditer(text))
    where = max((n for n, each in enumerate(headings) if each[1] == evidence.section), default=None)
    if where is None:
        raise Unsolvable(f"no section {evidence.section!r} in what was read")
    end = headings[where + 1].start() if where + 1 < len(headings) else len(text)
    row = evidence.row.split()
    for line in text[headings[where].end() : end].splitlines():
        words = line.split()
        if words[: len(row)] == row:
            cells = [each for each in words[len(row) :] if each != "="]
            if len(cells) <= evidence.column:
                break
            return cells[evidence.column]
    raise Unsolvable(f"no line {evidence.row!r} in the section {evidence.section!r}")


# ------------------------------------------------------------------------------- from a number to an option


def _choose(text: str, evidence: Evidence, prompt: str) -> str:
    """Return the letter of the option that the printed number agrees with.

    It agrees when the two differ by no more than their rounding: one unit in the last place of each.
    """
    options: dict[str, str] = dict(_OPTION.findall(prompt))
    printed = _printed_number(text, evidence)
    try:
        value, place = float(printed) * evidence.scale, last_place(printed) * evidence.scale
    except ValueError as error:
        raise Unsolvable(f"{printed!r} is not a number") from error
    agreeing = [
        letter for letter, shown in options.items() if abs(float(shown) - value) <= place + last_place(shown)
    ]
    if len(agreeing) != 1:
        raise Unsolvable(f"{value:g} agrees with {len(agreeing)} of {len(options)} options")
    return agreeing[0]


def last_place(number: str) -> float:
    """Return the value of one unit in the last printed place of a number.

    >>> last_place("7.28"), last_place("1.898e-02"), last_place("42")
    (0.01, 1e-05, 1.0)
    """
    mantissa, _, exponent = number.lower().partition("e")
    return float(f"1e{int(exponent or 0) - len(mantissa.partition('.')[2])}")
