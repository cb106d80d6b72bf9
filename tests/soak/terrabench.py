"""Made items of terrabench: the linter, cheap answers, and the reference over MCP on every one.

    PYTHONPATH=tests python tests/soak/terrabench.py [--items 128] [--jobs 2] [--seed soak]

A table of tracks and levels says on how many items the reference got every mark. Two processes play at a time.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attackers.terrabench import rates
from labrig_harness.sample import Sample
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.lint import lint, lint_set
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.truth import LEVELS, TRACKS
from support.in_memory import in_memory
from support.terrabench_runs import full_marks

ARM = "agent-documents"
MOST_HIT = 0.05


def played(seed: str, number: int) -> tuple[Sample, str]:
    """Make an item and play it; return it and what went wrong."""
    warnings.simplefilter("ignore")
    sample = make_item(seed, number, f"{seed}-{number}")
    try:
        with in_memory():
            full_marks(sample, suite.arm(ARM))
    except Exception:
        return sample, traceback.format_exc(limit=-2)
    return sample, ""


def main() -> int:
    """Play all, say what came of them, and return 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=128)
    parser.add_argument("--first", type=int, default=0, help="number of the first item")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", default="soak")
    given = parser.parse_args()
    samples, wrong = [], 0
    made, right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    numbers = range(given.first, given.first + given.items)
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, mp_context=fresh) as pool:
        for number, (sample, said) in zip(
            numbers, pool.map(played, [given.seed] * len(numbers), numbers), strict=True
        ):
            cell = sample.labels["track"], sample.labels["level"]
            flags = [str(each) for each in lint(sample)]
            made[cell] += 1
            right[cell] += not said and not flags
            samples.append(sample)
            state = f"{said} {flags}" if said or flags else "right"
            print(f"{number} {sample.labels['domain']}, {sample.labels['kind']}: {state}", flush=True)
    for track in TRACKS:
        cells = (f"{right[track, level]} of {made[track, level]}" for level in LEVELS)
        print(f"| {track} | {' | '.join(cells)} |")
    for flag in lint_set(samples):
        wrong += 1
        print(f"the set: {flag}")
    for attacker, row in rates(samples).items():
        wrong += row["Hit@tol"] >= MOST_HIT
        print(f"{attacker}: ToolUseScore {row['ToolUseScore']:.3f}, Hit@tol {row['Hit@tol']:.3f}")
    total = sum(right.values())
    print(f"{len(samples)} items: every mark on {total}, {wrong} doubts about the set")
    return int(bool(wrong) or total < len(samples))


if __name__ == "__main__":
    sys.exit(main())
