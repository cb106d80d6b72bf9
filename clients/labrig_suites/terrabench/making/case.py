"""What the stages of one item share: its domain, its fields, its random numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labrig_suites.terrabench.making.domains import Domain
from labrig_suites.terrabench.making.grids import Grids
from labrig_suites.terrabench.making.world import World


@dataclass(frozen=True)
class Case:
    """An item to be: where it plays, and the random numbers that its stages draw, in the order of the stages.

    `mode` is the mode of verification that its document would have (`stages_document.MODES`).
    """

    domain: Domain
    level: int
    world: World
    grids: Grids
    rng: np.random.Generator
    mode: str
