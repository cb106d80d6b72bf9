"""Space groups as the published scorer compares them: by number, whatever the setting (``space_groups.txt``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def numbers() -> Mapping[str, int]:
    """Return the number (International Tables A) of each symbol, in small letters and without marks."""
    lines = files(__package__).joinpath("space_groups.txt").read_text(encoding="utf-8").splitlines()
    return {symbol: number for number, line in enumerate(lines, 1) for symbol in line.split()}


def same_number_of_group(said: str, true: str) -> bool:
    """Tell whether two texts are symbols of one group; what is in no table is right for nothing.

    >>> same_number_of_group("P 1 21/c 1", "P112<1>/b"), same_number_of_group("14", "P112<1>/b")
    (True, False)
    """
    one, other = (numbers().get(re.sub(r"[^a-zA-Z0-9/\-]", "", each).lower()) for each in (said, true))
    return one is not None and one == other
