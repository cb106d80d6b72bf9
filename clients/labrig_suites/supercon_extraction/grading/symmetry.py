"""Symbols of space groups, compared in any writing: P6_{3}/mmc, P 63/mmc, P6<3>/mmc, Fm3̅m."""

from __future__ import annotations

import re

from labrig_suites.supercon_extraction.grading.text import signs

EARLIER = {
    "fm3m": "fm-3m", "im3m": "im-3m", "pm3m": "pm-3m", "pn3m": "pn-3m", "fd3m": "fd-3m", "pm3n": "pm-3n",
    "ia3d": "ia-3d", "fm3c": "fm-3c", "pa3": "pa-3", "ia3": "ia-3", "im3": "im-3", "cmca": "cmce", "aba2": "aea2",
}  # fmt: skip
"""Symbols from before 1983 (cubic) and 1992 (glide planes e): International Tables A, 5th edition, section 1.3."""


def symbol(text: str) -> str:
    """Return a symbol in one writing, empty where the text holds more than a symbol."""
    plain = signs(text)
    plain = re.sub(r"\\(?:bar|overline)\s?\{?\s?(\d)\s?\}?", r"-\1", plain)
    plain = re.sub(r"(\d)[\u0304\u0305]", r"-\1", plain)
    plain = re.sub(r"[\s_{}^<>]", "", plain).casefold()
    if not re.fullmatch(r"[pabcfirh](?:[\dabcdemn/\-])+", plain):
        return ""
    return EARLIER.get(plain, plain)


def same_group(said: str, true: str) -> bool:
    """Tell whether two texts are the symbol of one group, and nothing else."""
    return bool(symbol(true)) and symbol(said) == symbol(true)
