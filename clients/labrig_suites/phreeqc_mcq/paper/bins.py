"""Bins of output size, in characters of result.out: the paper's six (its Table 8), and the one it found empty."""

from __future__ import annotations

from math import inf

LONG = 100_000
"""An output is long above this, the cap of agent-raw100k."""

BINS: tuple[tuple[str, float], ...] = (
    ("<=10k", 10_000),
    ("10-20k", 20_000),
    ("20-50k", 50_000),
    ("50-100k", LONG),
    ("100-250k", 250_000),
    ("250-500k", 500_000),
    (">500k", inf),
)
"""Name and upper bound; the bound belongs to the bin."""

NO_OUTPUT = "no output"


def bin_of(chars: int) -> str:
    """Return the bin of a size.

    >>> bin_of(10_000), bin_of(10_001), bin_of(846_800)
    ('<=10k', '10-20k', '>500k')
    """
    return next(name for name, bound in BINS if chars <= bound)


def is_long(chars: int | None) -> bool:
    """Say whether an output is long; none at all is not."""
    return chars is not None and chars > LONG
