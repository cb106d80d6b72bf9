"""Numbers by address: the same for the same words on every machine, and unrelated for others.

A hash of what is asked for (a world's seed, a place, a date, a name) is the number; nothing is drawn in order, so
that any value can be computed alone.
"""

from __future__ import annotations

from hashlib import blake2b
from struct import Struct

_TWELVE = Struct(">12I")


def whole(*address: object) -> int:
    """Return 64 bits for an address."""
    return int.from_bytes(blake2b(repr(address).encode(), digest_size=8).digest(), "big")


def uniform(*address: object) -> float:
    """Return a number in [0, 1) for an address, with 53 bits."""
    return (whole(*address) >> 11) / float(2**53)


def normal(*address: object) -> float:
    """Return a number of about the standard normal distribution: the sum of 12 uniform ones less 6, within -6 and 6.

    Sums of integers are exact, so it has the same bits everywhere.
    """
    digest = blake2b(repr(address).encode(), digest_size=48).digest()
    total: int = sum(_TWELVE.unpack(digest))
    return total / float(2**32) - 6.0
