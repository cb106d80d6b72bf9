"""All attack programs, by group, in the order of the table."""

from __future__ import annotations

from hostile.sandbox.case import Case
from hostile.sandbox.programs import (
    calls,
    changing,
    kernel,
    keys,
    memory,
    network,
    others,
    plumbing,
    processes,
    reading,
)

CASES: list[Case] = [
    case
    for module in (reading, changing, keys, network, processes, memory, others, kernel, plumbing, calls)
    for case in module.CASES
]
