"""Legs of the race from a seed: how long one takes, beside a walk over it with the same tools.

The walk makes every call of the leg's trace once; a leg is planned with many calls that lead nowhere.
"""

from __future__ import annotations

import time

from labrig_suites.amazing_race import arms, check, items
from labrig_suites.amazing_race.making.world import race_world

LEGS = 16
"""Two of each level and variant."""


def main() -> None:
    """Print seconds a leg, at most 3 on two quiet cores (20 a minute), and the ratio to walking over it."""
    with race_world(arms.WORLD):
        pass  # the world is made on first use, which is not what is measured
    begun = time.perf_counter()
    samples = items.generate("bench", LEGS)
    made = (time.perf_counter() - begun) / LEGS
    with race_world(arms.WORLD) as world:
        begun = time.perf_counter()
        assert not any(check.changed(sample, world.ask_text) for sample in samples)
        walked = (time.perf_counter() - begun) / LEGS
    print(f"a leg: {made:.2f} s made (at most 3), {walked:.3f} s walked (ratio {made / walked:.0f})")


if __name__ == "__main__":
    main()
