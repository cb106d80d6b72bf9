"""Do legs still hold: ``python -m labrig_suites.amazing_race.check legs.jsonl``.

A leg's truth is what the tools of its world said when it was made. Another release of Labrig may bring another world.
Every call of a leg's trace is made again, and its result compared by its hash.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness.asking import AskText
from labrig_harness.records.items_file import read_tasks
from labrig_harness.sample import Sample
from labrig_suites.amazing_race import suite
from labrig_suites.amazing_race.making.world import race_world


def changed(sample: Sample, ask: AskText) -> list[str]:
    """Return the calls of a leg's trace that give another result than when it was made."""
    found = []
    for number, call in enumerate(sample.truth["trace"], 1):
        if "sha256" not in call:
            continue
        try:
            same = sha256(ask(call["tool"], call["arguments"]).encode()) == call["sha256"]
        except LabrigError:
            same = False
        if not same:
            found.append(f"call {number}, {call['tool']} {str(call['arguments'])[:80]}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the legs of a file; 1 if one does not hold any more."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="what labrig generate amazing-race wrote")
    samples = read_tasks(parser.parse_args(arguments).file, suite)
    stale = 0
    for name in sorted({each.labels.get("world", "") for each in samples} - {""}):
        with race_world(name) as world:
            for sample in samples:
                if sample.labels.get("world") == name and (calls := changed(sample, world.ask_text)):
                    stale += 1
                    print(f"{sample.id}: {'; '.join(calls)}")
    made = sum("trace" in each.truth for each in samples)
    print(f"{made - stale} of {made} legs hold; {len(samples) - made} have no trace")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
