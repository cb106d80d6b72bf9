"""The waters an input defines: its SOLUTION and SOLUTION_SPREAD data blocks, read as PHREEQC reads them.

Of isotopes (``-isotope``, lines that start with a number) the name is read. Not read: the electrical potential, and
solutions that are not analyses (SOLUTION_RAW, SOLUTION_MODIFY, MIX, COPY).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from labrig_phreeqc.input.solution import Solution
from labrig_phreeqc.input.solution_lines import BLANKS, OPTIONS, Draft, as_statement, numbers_and_description
from labrig_phreeqc.input.solution_spread import Spread
from labrig_phreeqc.input.statements import Statement, option, statements

_ISOTOPE = re.compile(r"\d+[A-Z][a-z]?(?:\([-+\d.]+\))?")
_MAKES = "RUN_CELLS TRANSPORT ADVECTION SOLUTION_RAW SOLUTION_MODIFY SOLUTION_MIX INCLUDE$ INITIAL_SOLUTIONS"
_MAKES_SOLUTIONS = frozenset(_MAKES.split())


def solutions(text: str) -> tuple[Solution, ...]:
    """Return the solutions of an input, in order.

    What PHREEQC refuses (an unknown option, a concentration that is not a number) is left out: it says so itself. Each
    look at a run asks anew, so those of the inputs that came last are kept.
    """
    return _kept(text) if len(text) <= KEPT_CHARS else _read(text)


def _read(text: str) -> tuple[Solution, ...]:
    reader = _Reader(text)
    for statement in statements(text):
        reader.take(statement)
    reader.end_simulation()
    return tuple(sorted(reader.found, key=lambda each: each.start))


KEPT_CHARS = 100_000
_kept = lru_cache(maxsize=8)(_read)


def overwritten(found: Sequence[Solution]) -> dict[Solution, Solution]:
    """Return the solutions that are never computed, each with the one that takes its place.

    Of two with the same number in one simulation the later counts. A range is computed once and copied to its
    other numbers, in ascending order, over whatever was defined there: ``SOLUTION 1-5`` takes ``SOLUTION 3``.
    """
    lost: dict[Solution, Solution] = {}
    by_simulation: dict[int, dict[int, Solution]] = {}
    for solution in found:
        same = by_simulation.setdefault(solution.simulation, {})
        if solution.first in same:
            lost[same[solution.first]] = solution
        same[solution.first] = solution
    for same in by_simulation.values():
        wide: Solution | None = None
        for number in sorted(same):
            if wide is not None and number <= wide.last:
                lost[same[number]] = wide
            elif same[number].last > number:
                wide = same[number]
    return lost


def missing_in_mixes(text: str) -> tuple[tuple[int, int, int], ...]:
    """Return the solutions that a MIX names and nothing makes: line, number of the mix, number of the solution.

    PHREEQC leaves them out without a word. Where other data blocks may make solutions (RUN_CELLS, TRANSPORT, raw
    data ...) nothing is claimed; a solution made anywhere in the input counts as made.
    """
    ranges: list[tuple[int, int]] = []
    named: list[tuple[int, int, int]] = []
    mix: int | None = None
    for statement in statements(text):
        if statement.is_keyword:
            mix = None
            words = statement.rest.lower().split()
            if statement.block in _MAKES_SOLUTIONS or "INCLUDE" in statement.block:
                return ()
            if statement.block == "MIX":
                mix = numbers_and_description(statement.rest)[0]
            elif statement.block == "SAVE" and words[:1] and words[0].startswith("so"):
                ranges.append(numbers_and_description(" ".join(words[1:]))[:2])
            elif statement.block == "COPY" and words[:1] and words[0].startswith(("so", "c")):
                ranges += [numbers_and_description(word)[:2] for word in words[2:]]
        elif mix is not None:
            number = re.match(r"\d{1,9}(?=[ \t]|$)", statement.text, re.ASCII)
            if number is not None:
                named.append((statement.line, mix, int(number[0])))
    if named:
        ranges += [(each.first, each.last) for each in solutions(text)]
    return tuple(each for each in named if not any(first <= each[2] <= last for first, last in ranges))


def with_charge(solution: Solution) -> tuple[tuple[int, str], ...]:
    """Return its lines with the pH adjusted to charge balance, from the pH it states or 7."""
    lines = [
        (line, text)
        for line, text in solution.lines
        if option(as_statement(line, text), OPTIONS["SOLUTION"]) != "ph"
    ]
    line, start = (solution.pH.line, solution.pH.text) if solution.pH is not None else (solution.line, "7")
    return (*lines, (line, f"pH {start} charge"))


class _Reader:
    """One pass over the statements; what is open is what the next statement may belong to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Solution] = []
        self.simulation = 1
        self.highest = 0  # number of a solution so far
        self.unnumbered: list[Solution] = []
        self.close: Callable[[], None] | None = None
        self.read: Callable[[Statement], None] | None = None

    def take(self, statement: Statement) -> None:
        """Take the next statement."""
        if not statement.is_keyword:
            if self.read is not None:
                self.read(statement)
            return
        if self.close is not None:
            self.close()
        self.close = self.read = None
        match statement.block:
            case "SOLUTION":
                self.open_solution(statement)
            case "SOLUTION_SPREAD":
                self.open_spread(Spread(self.text, self.simulation))
            case "SAVE":
                kind, _, numbers = statement.rest.partition(" ")
                if kind.lower().startswith("so") and numbers.strip():  # not surface
                    self.highest = max(self.highest, numbers_and_description(numbers.strip())[1])
            case "END":
                self.end_simulation()
                self.simulation += 1

    def open_solution(self, keyword: Statement) -> None:
        draft, span = Draft(), [keyword.start, keyword.end]
        first, last, draft.stated["description"] = numbers_and_description(keyword.rest)
        self.highest = max(self.highest, last)

        def read(statement: Statement) -> None:
            span[1] = statement.end
            draft.lines.append((statement.line, statement.text))
            name = option(statement, OPTIONS["SOLUTION"])
            isotope = BLANKS.split(statement.rest)[0] if name == "isotope" else statement.first
            if _ISOTOPE.fullmatch(isotope):
                draft.isotopes.append((isotope, statement.line))
            elif name:
                draft.set(name, statement.rest, statement.line)
            elif not re.match(r"-[A-Za-z]|[\d.-]", statement.first, re.ASCII):
                draft.add(statement.text, statement.line)

        def close() -> None:
            self.found.append(
                draft.solution(first, last, keyword.line, self.simulation, (span[0], span[1]), spread=False)
            )

        self.read, self.close = read, close

    def open_spread(self, spread: Spread) -> None:
        def read(statement: Statement) -> None:
            solution = spread.take(statement)
            if solution is not None and solution.first < 0:
                self.unnumbered.append(solution)
            elif solution is not None:
                self.highest = max(self.highest, solution.last)
                self.found.append(solution)

        self.read = read

    def end_simulation(self) -> None:
        """Close what is open, and number the rows that have none after all others, as PHREEQC does."""
        if self.close is not None:
            self.close()
        self.close = self.read = None
        for solution in self.unnumbered:
            self.highest += 1
            self.found.append(replace(solution, first=self.highest, last=self.highest))
        self.unnumbered.clear()
