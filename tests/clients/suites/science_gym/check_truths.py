"""Compare the truths of science-gym with what its recomputation finds in the files, question by question.

``python tests/clients/suites/science_gym/check_truths.py --per-cell 15`` draws so many questions of each type and
file format, lets `recompute` answer each in the sandbox through the readers of the paper, and prints a table of
agreements and every disagreement in full; it exits with 1 if there is any. Every third question is one that is not
possible, where the type has such questions, its reasons in turn; the others have the answers of `OUTCOMES` in turn.
With --second it is the program of the second solution, `rowwise`, which gives no reasons.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache

from labrig.sandbox import Result
from labrig_repository.gym.encoding import EXTENSIONS
from labrig_repository.gym.repository import open_repository
from labrig_repository.server.base import State
from labrig_repository.server.paper import PAPER_LIMITS, functions
from labrig_suites.science_gym import another, solution
from labrig_suites.science_gym.drawing import OUTCOMES, REASONS, draw
from labrig_suites.science_gym.question import NOT_POSSIBLE, TYPES, Expected, Question, Type

AGREE = 1e-9
"""Relative difference of two numbers that agree: far below four significant digits, far above rounding errors."""
REPOSITORIES = 100
"""How many of a format are tried for one question before it is left out."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A type of question and a format of files."""

    type: Type
    extension: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A question, and what the recomputation printed or how it ended."""

    cell: Cell
    question: Question
    found: str
    reasons: bool = True

    @property
    def agrees(self) -> bool:
        """Whether the recomputation finds the truth."""
        return agree(self.question.expected, self.found, self.reasons)


def agree(expected: Expected, found: str, reasons: bool = True) -> bool:
    """Return whether a line that the recomputation printed says what is expected; numbers to nine digits.

    Parameters
    ----------
    reasons
        Whether it also says why an answer is not possible.
    """
    try:
        said = json.loads(found)
        answer = said["answer"]
    except (ValueError, TypeError, KeyError):
        return False
    if expected.kind == "impossible":
        return bool(answer == NOT_POSSIBLE and (not reasons or said["reason"] == expected.reason))
    if expected.kind in ("choice", "text"):
        return bool(answer == expected.value)
    try:
        number, truth = float(answer), float(expected.value)
    except ValueError:
        return False
    return number == truth if expected.kind == "integer" else abs(number - truth) <= AGREE * abs(truth)


@cache
def repositories(extension: str, seed: int) -> tuple[str, ...]:
    """Return the first repositories from a seed on whose files have this format."""
    numbers = map(str, itertools.count(1000 * seed + 1))
    wanted = (each for each in numbers if open_repository(each).specification.extension == extension)
    return tuple(itertools.islice(wanted, REPOSITORIES))


def questions(cell: Cell, count: int, seed: int) -> Iterator[Question]:
    """Give questions of a cell, each about another repository where there are as many."""
    ids = repositories(cell.extension, seed)
    reasons = itertools.cycle(REASONS[cell.type] or ("",))
    outcomes = itertools.cycle([""] if cell.type == "extension" else OUTCOMES.get(cell.type, ("",)))
    for number in range(count):
        want = next(reasons if number % 3 == 2 and REASONS[cell.type] else outcomes)
        for place in range(len(ids)):
            repository = open_repository(ids[(number + place) % len(ids)])
            question = draw(repository, cell.type, number // len(ids), want)
            if question is not None:
                yield question
                break


async def check(
    cells: Sequence[Cell], per_cell: int, seed: int, at_once: int, second: bool = False
) -> list[Checked]:
    """Answer questions of each cell in the sandbox, a few at a time, by the first program or the second."""
    module = another.MODULE if second else "recompute"
    state = State([])
    slots = asyncio.Semaphore(at_once)

    async def checked(cell: Cell, question: Question) -> Checked:
        async with slots:
            result = await state.sandbox.run(
                solution.program(question.query, module=module),
                functions=functions(state),
                limits=PAPER_LIMITS,
            )
        return Checked(cell, question, _said(result), reasons=not second)

    try:
        found: list[Checked] = []
        for cell in cells:
            drawn = list(questions(cell, per_cell, seed))
            found += await asyncio.gather(*(checked(cell, each) for each in drawn))
            print(f"{cell.type} {cell.extension}: {len(drawn)}", file=sys.stderr, flush=True)
        return found
    finally:
        await state.close()


def _said(result: Result) -> str:
    """Return the line that a program printed, or how it ended."""
    return (
        result.output.strip() if result.status == "ok" else f"{result.status}: {result.detail} {result.error}"
    )


def table(checked: Sequence[Checked]) -> str:
    """Return agreements and questions by type and format; in brackets, how many of the questions are not possible."""
    lines = ["type".ljust(22) + "".join(each.rjust(12) for each in EXTENSIONS)]
    for type in TYPES:
        shown = []
        for extension in EXTENSIONS:
            here = [each for each in checked if each.cell == Cell(type, extension)]
            impossible = sum(each.question.expected.kind == "impossible" for each in here)
            shown.append(f"{sum(each.agrees for each in here)}/{len(here)} ({impossible})".rjust(12))
        lines.append(type.ljust(22) + "".join(shown))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, print, and return 1 for any disagreement or a cell without enough questions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--per-cell", type=int, default=15, help="questions of each type and file format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=2, help="runs at a time")
    parser.add_argument("--second", action="store_true", help="by the program of the second solution")
    parser.add_argument("--type", choices=TYPES, action="append", help="only this type; may be repeated")
    parser.add_argument(
        "--extension", choices=EXTENSIONS, action="append", help="only this format; may be repeated"
    )
    chosen = parser.parse_args(arguments)
    types, extensions = chosen.type or TYPES, chosen.extension or EXTENSIONS
    cells = [Cell(type, extension) for type in types for extension in extensions]
    checked = asyncio.run(check(cells, chosen.per_cell, chosen.seed, chosen.at_once, chosen.second))
    print(table(checked))
    wrong = [each for each in checked if not each.agrees]
    for each in wrong:
        print(f"\n{each.cell.type} {each.cell.extension}: the recomputation says {each.found}")
        print(json.dumps(asdict(each.question), indent=1, ensure_ascii=False))
    missing = len(cells) * chosen.per_cell - len(checked)
    print(f"\n{len(checked)} questions, {len(wrong)} disagreements, {missing} could not be drawn")
    return 1 if wrong or missing or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
