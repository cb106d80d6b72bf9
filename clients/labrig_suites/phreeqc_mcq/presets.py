"""Appendix H of PHREEQC-MCQ-200: one sample of items for our loop and for agent programs as they are shipped.

The budgets are its figures: 24 steps for the paper's own agent, 20 turns for Claude Code, no limit of steps for Codex
CLI, 600 s for both programs. The paper's sample is by index and its indices are not in its text; ours are 50 positions
drawn with the same seed, 42, so every agent that runs the same file is given the same items.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Preset

SEED, COUNT = 42, 50
NO_LIMIT = 100_000
"""Turns that no run of 600 s reaches."""


def sample(samples: Sequence[Sample]) -> list[Sample]:
    """Return 50 of the items, in their order.

    Raises
    ------
    LabrigError
        For a set with fewer.
    """
    if len(samples) < COUNT:
        raise LabrigError(
            f"The preset takes {COUNT} samples, but there are only {len(samples)}", where="--preset"
        )
    return [samples[n] for n in sorted(random.Random(SEED).sample(range(len(samples)), COUNT))]


PRESETS = {
    "appendix-h": Preset(
        f"{COUNT} samples drawn with seed {SEED}; 20 turns for claude-code, no limit on turns for codex, 600 s each",
        sample,
        {
            "claude-code": {"max_steps": 20, "wall_s": 600.0},
            "codex": {"max_steps": NO_LIMIT, "wall_s": 600.0},
        },
    )
}
