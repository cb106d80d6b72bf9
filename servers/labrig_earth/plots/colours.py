"""Colour maps that colour-blind people can read, and their limits.

Viridis and cividis rise evenly in lightness (Nuñez, Anderton and Renslow 2018, doi:10.1371/journal.pone.0199239); the
diverging one, from purple to orange (Brewer), is used where a field lies on both sides of 0 and this means something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig.plotting.style import COLOURS

SEQUENTIAL = ("viridis", "cividis", "magma", "YlGnBu", "YlOrBr", "Greys")
DIVERGING = ("PuOr_r", "BrBG", "RdBu_r")
_WET = re.compile(r"\b(precipitation|rain|rainfall|humidity)\b")


_OF_CLASSES = (
    ("shadow", "#5b5b5b"),
    ("cloud", "#c9c9c9"),
    ("cirrus", "#dcd6e8"),
    ("snow", "#f4f8ff"),
    ("not vegetated", "#d9b77e"),
    ("bare", "#d9b77e"),
    ("water", "#0072B2"),
    ("forest", "#00654a"),
    ("vegetat", "#009E73"),
    ("crop", "#E69F00"),
    ("built", "#D55E00"),
    ("urban", "#D55E00"),
    ("no data", "#ffffff"),
)


def extend_of(values: Any, low: float, high: float) -> str:
    """Return which ends of a colour bar get an arrow: those beyond which there are values."""
    import numpy as np

    below, above = bool((np.asarray(values) < low).any()), bool((np.asarray(values) > high).any())
    return "both" if below and above else "min" if below else "max" if above else "neither"


def class_colours(names: Sequence[str]) -> list[str]:
    """Return a colour for each class: what people expect of water, clouds and forest, else the next of the palette."""
    meant: list[str] = []
    for name in names:
        own = next((colour for word, colour in _OF_CLASSES if word in name.casefold()), "")
        meant.append("" if own in meant else own)
    others = iter([each for each in COLOURS if each not in meant])
    return [each or next(others, "#888888") for each in meant]


@dataclass(frozen=True)
class Colours:
    """A colour map, its limits, and which ends have values beyond (matplotlib's ``extend``)."""

    name: str
    low: float
    high: float
    extend: str
    diverging: bool = False


def colours_for(
    values: Any,
    *,
    what: str = "",
    name: str = "",
    low: float | None = None,
    high: float | None = None,
    diverging: bool | None = None,
) -> Colours:
    """Return colours for an array.

    Parameters
    ----------
    what
        Name of the quantity: anomalies, changes, biases and differences are diverging.
    name
        One of `SEQUENTIAL` or `DIVERGING`.
    low, high
        Limits; by default the least and the greatest value, of a diverging one the same distance from 0.

    Raises
    ------
    LabrigError
        ``bad_input`` for an array without values, limits in the wrong order, and another colour map.
    """
    import numpy as np

    good = np.asarray(values, dtype=float)
    good = good[np.isfinite(good)]
    if not good.size:
        raise LabrigError("There is no value to draw: all cells are missing", where=what or "data")
    if name and name not in (*SEQUENTIAL, *DIVERGING):
        raise unknown_name("colour map", name, (*SEQUENTIAL, *DIVERGING), where="colours")
    least, greatest = float(good.min()), float(good.max())
    words = what.casefold()
    if diverging is None:
        both = least < 0 < greatest
        difference = any(
            word in words for word in ("anomal", "change", "bias", "differ", "trend", "response")
        )
        diverging = name in DIVERGING or (not name and both and difference)
    if low is not None and high is not None and not low < high:
        raise LabrigError(f"Limits {low:g} and {high:g}", where="limits", expected="low below high")
    if diverging and low is None and high is None:
        reach = max(abs(least), abs(greatest)) or 1.0
        bottom, top = -reach, reach
    else:
        bottom, top = least if low is None else low, greatest if high is None else high
    if bottom == top:
        bottom, top = bottom - (abs(bottom) * 0.01 or 0.5), top + (abs(top) * 0.01 or 0.5)
    extend = extend_of(good, bottom, top)
    if not name:
        name = "PuOr_r" if diverging else "YlGnBu" if _WET.search(words) else "viridis"
    return Colours(name, bottom, top, extend, diverging)
