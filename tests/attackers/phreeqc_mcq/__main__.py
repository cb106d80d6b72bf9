"""Guess without an engine: ``PYTHONPATH=tests python -m attackers.phreeqc_mcq [--items N] [--tasks FILE]``

Exit code 1 if an attacker leaks or a rule is broken, 2 if the items cannot be tried.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from attackers.phreeqc_mcq.learners import classifiers
from attackers.phreeqc_mcq.report import report
from attackers.phreeqc_mcq.results import Result
from attackers.phreeqc_mcq.rules_of_thumb import rules_of_thumb
from attackers.phreeqc_mcq.seen import seen
from attackers.phreeqc_mcq.set_rules import set_rules
from labrig.errors import LabrigError
from labrig_harness.records.items_file import read_tasks
from labrig_harness.sample import Sample
from labrig_suites.phreeqc_mcq import items, suite
from labrig_suites.phreeqc_mcq.in_words import JUDGED
from labrig_suites.phreeqc_mcq.stems import STEMS


def attack(samples: Sequence[Sample]) -> list[Result]:
    """Return what each attacker finds."""
    found = [seen(sample) for sample in samples]
    return sorted([*rules_of_thumb(found), *classifiers(found)], key=lambda each: each.group)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="PYTHONPATH=tests python -m attackers.phreeqc_mcq",
        description="Let attackers guess the answers of samples without an engine, and check the rules of the set.",
    )
    parser.add_argument("--items", type=int, default=2_500, help="how many to generate (default: 2500)")
    parser.add_argument("--seed", default="attack", help="seed of the generated samples")
    parser.add_argument(
        "--tasks", type=Path, metavar="FILE", help="JSONL file of samples to use instead of generating any"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to keep the generated samples")
    parser.add_argument("--words", action="store_true", help="use only stems that are answered in words")
    parser.add_argument("--small", action="store_true", help="use only stems with small outputs")
    given = parser.parse_args(arguments)
    try:
        samples = read_tasks(given.tasks, suite) if given.tasks else _generated(given)
        rules = set_rules(samples, given.small or given.words)
        results = attack(samples)
    except LabrigError as error:
        print(error, file=sys.stderr)
        return 2
    print(report(results, rules))
    return 1 if any(each.leaks for each in results) or any(rule.broken for rule in rules) else 0


def _generated(given: argparse.Namespace) -> list[Sample]:
    stems = JUDGED if given.words else [stem for stem in STEMS if not (given.small and stem.large)]
    samples = items.generate(given.seed, given.items, stems=stems)
    if given.out:
        given.out.write_text(
            "".join(json.dumps(items.row(sample)) + "\n" for sample in samples), encoding="utf-8"
        )
    return samples


if __name__ == "__main__":
    raise SystemExit(main())
