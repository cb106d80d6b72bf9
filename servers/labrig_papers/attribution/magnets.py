"""Whether the T_{C} of a paper is a Curie temperature, which is no transition to superconductivity."""

from __future__ import annotations

import re

_CURIE = re.compile(
    r"\b(?:[Cc]urie (?:temperature|point)|"
    r"(?:[Ff]err[io]magnetic|magnetic) (?:phase )?(?:transition|ordering)(?: temperature)?)"
    r"s?,?\s(?:at\s|of\s)?\(?T_?\{?C\}?(?![A-Za-z])"
)
_SUPERCONDUCTING = re.compile(r"superconduct\w*[^.;]{0,60}T_?\{?C\}?(?![A-Za-z])")


def is_of_magnet(text: str) -> bool:
    """Tell whether a paper, marked up or plain, says that its T_{C} is that of a magnet, and of no superconductor."""
    text = " ".join(text.split())
    return _CURIE.search(text) is not None and _SUPERCONDUCTING.search(text) is None
