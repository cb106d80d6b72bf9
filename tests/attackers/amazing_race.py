"""The cheapest cheats: how often is the digit right without a tool, and without what the world says?

    PYTHONPATH=tests python -m attackers.amazing_race legs.jsonl

Each is fitted on one half of the legs and tried on the other, both ways. Chance is 10 %, 11 % where the digital root
leaves out 0. Two more use tools and do not go from page to page: they believe the first hit of a search.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from labrig.errors import LabrigError
from labrig_harness.asking import AskText, asking
from labrig_harness.records.items_file import read_tasks
from labrig_harness.sample import Sample
from labrig_study.statistics.proportions import wilson
from labrig_suites.amazing_race import suite
from labrig_suites.amazing_race.closure import operands
from labrig_suites.amazing_race.legs import leg_of
from labrig_suites.amazing_race.page_text import NotThere
from labrig_suites.amazing_race.solution import reduction_of
from support.riddle_solver import Lost, Solver

Guess = Callable[[Sample], int]


def most_frequent(values: Sequence[int]) -> int:
    return min(Counter(values).items(), key=lambda each: (-each[1], each[0]))[0] if values else 0


def majority_digit(known: Sequence[Sample]) -> Guess:
    digit = most_frequent([leg_of(each).passcode for each in known])
    return lambda sample: digit


def majority_by_finish(known: Sequence[Sample]) -> Guess:
    """The digit that is most frequent among legs whose last clue asks for the same, which the riddle tells."""

    def finish(sample: Sample) -> str:
        return re.sub(
            r"clues [\d, and]+", "", sample.brief.prompt.rstrip().splitlines()[-1].partition(". ")[2]
        )[:60]

    digits: dict[str, list[int]] = {}
    for each in known:
        digits.setdefault(finish(each), []).append(leg_of(each).passcode)
    return lambda sample: most_frequent(digits.get(finish(sample), []))


def last_number(known: Sequence[Sample]) -> Guess:
    """The last digit of the last number that the clues print, clue numbers left out."""
    return lambda sample: int(
        (
            re.findall(r"\d+", re.sub(r"clues? [\d, and]+", "", sample.brief.prompt.rpartition("\n\n")[0]))
            or ["0"]
        )[-1][-1]
    )


def sum_of_numbers(known: Sequence[Sample]) -> Guess:
    """The reduction that the last clue names, of all numbers that the riddle prints."""

    def guess(sample: Sample) -> int:
        body = re.sub(r"clues? [\d, and]+|^\d+\. ", "", sample.brief.prompt, flags=re.MULTILINE)
        number = sum(int(each) for each in re.findall(r"\d+", body.replace(",", "")))
        return reduction_of(leg_of(sample)).reduce(number)

    return guess


def most_frequent_operand(known: Sequence[Sample]) -> Guess:
    """As if each operand were the value that operands most often have."""
    values = [each for sample in known for each in operands(leg_of(sample).finish.bridge.expression or "")]
    usual = [each for each, _ in Counter(values).most_common(4)]

    def guess(sample: Sample) -> int:
        reduction, count = reduction_of(leg_of(sample)), len(leg_of(sample).finish.bridge.referenced_stops)
        return reduction.reduce(reduction.combine((usual * 4)[:count]))

    return guess


class FirstHit(Solver):
    """Opens the first hit of a search for what a clue describes, and looks at no other page."""

    def guess(self) -> int:
        for number, clue in self.clues[:-1]:
            try:
                self.values[int(number)] = self.follow(int(number), clue)
            except (Lost, LabrigError, NotThere, LookupError, TypeError, ValueError):
                continue
        try:
            return self.finish(self.clues[-1][1])[0]
        except (LookupError, TypeError, ValueError):
            return 5

    def first(self, number: int, found: re.Match[str]) -> Any:
        said = found.groupdict()
        query = said.get("said") or f"{said['kind']} {said['text']} {said['label']}"
        hits = self.json("web_search", query=query, num_results=1)["organic"]
        return self.hit(number, hits[0], said["question"])

    def hit(self, number: int, hit: dict[str, Any], question: str) -> Any:
        return self.arrive(number, self.fetch(hit["link"]), question)

    by_link = by_search = riddle = riddle_of_links = first


class TitlesAlone(FirstHit):
    """Opens no page: a title that a search gives is a name, and what else a page says is not known."""

    def hit(self, number: int, hit: dict[str, Any], question: str) -> Any:
        if question.startswith("What is it called?"):
            return str(hit["title"]).partition(" (")[0]
        raise Lost(question)

    def begin(self, number: int, found: re.Match[str]) -> Any:
        title = unquote(self.start.rpartition("/")[2]).replace("_", " ")
        return self.hit(number, {"title": title}, found["question"])


ATTACKERS = (majority_digit, majority_by_finish, last_number, sum_of_numbers, most_frequent_operand)


def rates(samples: Sequence[Sample], ask: AskText | None = None) -> dict[str, tuple[int, int]]:
    """Return for each attacker how many of the samples it has right, and of how many; `ask` is for those with tools."""
    found = {}
    for solver in (FirstHit, TitlesAlone) if ask is not None else ():
        guesses = [solver(each.brief.prompt, ask).guess() for each in samples]
        right = sum(guess == leg_of(each).passcode for guess, each in zip(guesses, samples, strict=True))
        found[solver.__name__] = (right, len(samples))
    for attacker in ATTACKERS:
        right = 0
        for known, tried in ((samples[::2], samples[1::2]), (samples[1::2], samples[::2])):
            guess = attacker(known)
            right += sum(guess(each) == leg_of(each).passcode for each in tried)
        found[attacker.__name__] = (right, len(samples))
    return found


if __name__ == "__main__":
    with asking("atlas", suite.arms[0].serve) as tools:
        for name, (right, count) in rates(read_tasks(Path(sys.argv[1]), suite), tools).items():
            low, high = wilson(right, count)
            print(f"{name}: {right} of {count}, {right / count:.1%} ({low:.1%} to {high:.1%})")
