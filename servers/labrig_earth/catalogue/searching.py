"""Entries by box, time, variable and words; what was asked and not found is answered with what there is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from labrig.answer import Quantity
from labrig.errors import LabrigError
from labrig_earth.catalogue.entries import Box, Entry, Variable
from labrig_earth.gis.boxes import box_shape, check_box
from labrig_earth.results import Result

ALIKE: tuple[frozenset[str], ...] = (
    frozenset({"rain", "rainfall", "precipitation", "tp", "precip"}),
    frozenset({"temperature", "t2m", "tas", "heat"}),
    frozenset({"humidity", "dewpoint", "d2m"}),
    frozenset({"wind", "u10", "v10"}),
    frozenset({"street", "streets", "road", "roads", "highway"}),
    frozenset({"elevation", "height", "dem", "terrain", "altitude"}),
    frozenset({"people", "population", "residents", "inhabitants"}),
    frozenset({"building", "buildings", "houses"}),
    frozenset({"pm25", "pm2p5", "particulate", "aerosol"}),
    frozenset({"ozone", "o3"}),
    frozenset({"no2", "dioxide"}),
    frozenset({"vegetation", "ndvi", "nir"}),
    frozenset({"forecast", "hindcast", "ensemble", "seasonal"}),
    frozenset({"enso", "nino"}),
    frozenset({"river", "waterway", "water"}),
    frozenset({"crop", "crops", "yield", "wheat", "maize"}),
)
"""Words that mean the same in a search."""


def search(
    entries: Iterable[Entry],
    *,
    box: Sequence[float] | None = None,
    start: str = "",
    end: str = "",
    variable: str = "",
    text: str = "",
) -> list[Entry]:
    """Return the entries that fit, best first.

    Parameters
    ----------
    box
        (west, south, east, north) in degrees. Entries whose place is not known do not fit.
    start, end
        ISO 8601: a date, a month or a year. Entries without time do not fit.
    variable
        Name or words: ``t2m``, ``temperature``. All words must be found in one variable.
    text
        Words in the name, title or variables; each word that is found counts, one of like meaning half.

    Raises
    ------
    LabrigError
        ``bad_input`` for an invalid box or time.
    """
    shape = None if box is None else box_shape(check_box(box))
    first, last = _bound(start, "start"), _bound(end, "end")
    if first and last and first > _late(last):
        raise LabrigError(f"start {start} is after end {end}", where="start", expected="start before end")
    wanted, asked = _words(variable), _words(text)
    scored: list[tuple[int, str, Entry]] = []
    for entry in entries:
        if shape is not None and (entry.box is None or not box_shape(_wide(entry.box)).intersects(shape)):
            continue
        if (first or last) and not _overlaps(entry, first, last):
            continue
        closest = max((_closeness(wanted, variable, each) for each in entry.variables), default=0)
        if wanted and not closest:
            continue
        there = _words(" ".join([entry.name, entry.title, *(f"{v.name} {v.title}" for v in entry.variables)]))
        score = sum((word in there) + _all_in({word}, there) for word in asked)
        if asked and not score:
            continue
        scored.append((-score - closest, entry.name, entry))
    return [entry for _, _, entry in sorted(scored, key=lambda each: each[:2])]


def _closeness(wanted: set[str], text: str, variable: Variable) -> int:
    """Return how well a variable fits: 3 for its very name, 2 for all words, 1 for words of like meaning, else 0."""
    if not wanted:
        return 0
    if variable.name.casefold() == text.strip().casefold():
        return 3
    there = _words(f"{variable.name} {variable.title}")
    return 2 if wanted <= there else int(_all_in(wanted, there))


def found(entries: Sequence[Entry], fitting: Sequence[Entry], *, most: int = 12) -> Result:
    """Return what was found as a result; of nothing, what there is."""
    shown = [_short(entry) for entry in fitting[:most]]
    warnings = []
    if not fitting:
        names = sorted({each.name for entry in entries for each in entry.variables})
        warnings.append(
            f"nothing fits; there are {len(entries)} data sets: {', '.join(entry.name for entry in entries[:20])}"
            + (f"; variables {', '.join(names[:40])}" if names else "")
        )
    if len(fitting) > most:
        warnings.append(f"{len(fitting) - most} more fit; a box, a time or a variable would tell them apart")
    if any(entry.synthetic for entry in fitting):
        warnings.append("some of these data are synthetic, as their entries say")
    return Result(
        method="box and times that overlap, words in names and titles",
        values=(Quantity("data sets found", len(fitting), "1", f"of {len(entries)}"),),
        data={"found": shown},
        warnings=tuple(warnings),
        source=", ".join(sorted({entry.source for entry in entries})) or "no data",
    )


def _short(entry: Entry) -> dict[str, Any]:
    """Return an entry with at most twelve variables, each as ``name (unit)``."""
    plain = entry.to_dict()
    names = [f"{each.name} ({each.unit})" if each.unit else each.name for each in entry.variables]
    plain["variables"] = names[:12] + ([f"{len(names) - 12} more"] if len(names) > 12 else [])
    plain.pop("name")
    return plain


def _words(text: str) -> set[str]:
    """Return the words of a text, folded, with what means the same for them."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    return set(re.findall(r"[a-z0-9]+", plain.replace("pm2.5", "pm25")))


def _all_in(wanted: set[str], there: set[str]) -> bool:
    """Return whether each word is there, or one that means the same, or one that begins like it."""
    for word in wanted:
        alike = {word}.union(*(group for group in ALIKE if word in group))
        like = (each for each in there if min(len(word), len(each)) > 3)
        if not alike & there and not any(each.startswith(word) or word.startswith(each) for each in like):
            return False
    return True


def _bound(text: str, where: str) -> str:
    plain = text.strip().removesuffix("Z")
    if plain and not re.fullmatch(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}(:\d{2}(:\d{2}(\.\d+)?)?)?)?)?)?", plain):
        raise LabrigError(
            f"{text!r} is no time", where=where, expected="ISO 8601: 2018, 2018-07 or 2018-07-25"
        )
    return plain.replace(" ", "T")


def _late(text: str) -> str:
    """Return the end of what a short time names, so that texts can be compared."""
    return text + "9999-99-99T99:99:99"[len(text) :] if len(text) < 19 else text


def _overlaps(entry: Entry, first: str, last: str) -> bool:
    if not entry.start:
        return False
    begins, ends = entry.start.removesuffix("Z"), (entry.end or entry.start).removesuffix("Z")
    return (not last or begins <= _late(last)) and (not first or first <= _late(ends))


def _wide(box: Box) -> Box:
    """Return a box with an extent, also that of a point."""
    west, south, east, north = box
    east = east + 1e-6 if east == west else east
    return west, south, east, north + 1e-6 if north == south else north
