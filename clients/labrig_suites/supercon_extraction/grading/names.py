"""Names of properties: the standard name, or one of those that the list gives beside it.

The published scorer embeds names and asks a model about the nearest three. Here a name is right by the list, so that
two runs of the scorer agree; another judge may be given to `strict` and `literal`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from labrig_suites.supercon_extraction.grading.text import bare

SameName = Callable[[str, str, Sequence[str]], bool]
"""Tells whether a name that was said means a true one, given other names of that."""

MOST_CHARS = 300


@lru_cache(maxsize=8192)
def key(name: str) -> str:
    """Return a name without case, scripts and marks, with one space between words.

    >>> key("H_{c2} at 0 K for single crystal for H_{//}c-axis") == key(
    ...     "Hc2 at 0 K for single crystal for H // c axis"
    ... )
    True
    """
    text = bare(name[:MOST_CHARS]).replace("||", "//").replace("parallel to", "//")
    text = re.sub(r"\bt c\b", "tc", text)
    text = re.sub(r"\s*([/()=,:+])\s*", r"\1", text)
    return re.sub(r"[\s\-]+", " ", text).strip(" .:")


def same_name(said: str, true: str, also: Sequence[str] = ()) -> bool:
    """Tell whether a name is the true one or one of its other names."""
    return key(said) in {key(true), *map(key, also)}
