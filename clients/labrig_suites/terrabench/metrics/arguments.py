"""How alike the arguments of two calls are: their keys and their values, a named comparison for each kind of value.

========= =========================================================================================================
kind      equal, if
========= =========================================================================================================
number    within 1e-3 of the reference's value (1e-9 at zero); numbers may be written as text; true is no number
date      the same moment: 2020-07-01, 2020/07/01, 20200701, 2020-07-01T00:00Z; a month is its first day
box       each of the four sides within 0.01, in the order given (west, south, east, north); the named sides
          west/lon_min, south/lat_min, east/lon_max, north/lat_max are put in that order
name      the same letters and digits, whatever case and what stands between; names that mean one thing (``words.toml``)
flag      the same truth; "true", "yes" and 1 are true
file      the same last part of the path, or the same handle
made      a file that the run itself makes, under a name of its choice: the same ending
text      graded: the F1 of their words
list      graded: of numbers and dates in their order; of names the F1 of what both hold
object    graded: the mean over the reference's keys
========= =========================================================================================================

The score of a pair of calls is the mean of keys and values. Keys: the F1 of the two sets. Values: the mean over the
reference's keys, one that is missing counting 0. Without arguments on either side both are 1.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from labrig.errors import unknown_name
from labrig_suites.terrabench.metrics.families import words

NUMBER_REL, NUMBER_ABS, BOX_SIDE = 1e-3, 1e-9, 0.01
DEEPEST = 8
"""Objects and lists in each other that are compared; below that they must be equal."""
WORDS = 2_000
"""Words of a text that are compared."""
SIDES = (
    ("west", "lon_min", "min_lon", "xmin", "minx"),
    ("south", "lat_min", "min_lat", "ymin", "miny"),
    ("east", "lon_max", "max_lon", "xmax", "maxx"),
    ("north", "lat_max", "max_lat", "ymax", "maxy"),
)
_DATE = re.compile(
    r"(\d{4})[-/]?(\d{2})(?:[-/]?(\d{2}))?(?:[T ](\d{2})(?::?(\d{2}))?(?::?\d{2}(?:\.\d+)?)?)?(?:Z|\+00:?00)?"
)
_HANDLE = re.compile(r"sha256:[0-9a-f]{16,64}")
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def similarity(
    predicted: Mapping[str, Any], reference: Mapping[str, Any], kinds: Mapping[str, str] = {}
) -> float:
    """Return how alike the arguments of two calls are, in [0, 1].

    Parameters
    ----------
    kinds
        By key of the reference, the kind to compare by; where there is none, `kind_of` finds it.

    Raises
    ------
    LabrigError
        ``not_found``: a kind that `KINDS` lacks.

    >>> similarity({"variable": "t2m"}, {"variable": "2m_temperature"}), similarity({}, {"threshold": 35})
    (1.0, 0.0)
    >>> similarity({"threshold": 30, "unit": "C"}, {"threshold": 35, "unit": "C"})
    0.75
    """
    keys, values = similarity_parts(predicted, reference, kinds)
    return (keys + values) / 2


def similarity_parts(
    predicted: Mapping[str, Any], reference: Mapping[str, Any], kinds: Mapping[str, str] = {}
) -> tuple[float, float]:
    """Return how alike keys and values are, each in [0, 1]; parameters as in `similarity`."""
    mine, theirs = _by_key(predicted), _by_key(reference)
    if not mine and not theirs:
        return 1.0, 1.0
    keys = 2 * len(mine.keys() & theirs.keys()) / (len(mine) + len(theirs))
    if not theirs:
        return keys, 0.0
    named = {canonical_key(key): kind for key, kind in kinds.items()}
    total = 0.0
    for key, value in theirs.items():
        if key in mine:
            total += compare(mine[key], value, named.get(key) or kind_of(key, value))
    return keys, total / len(theirs)


def compare(predicted: Any, reference: Any, kind: str) -> float:
    """Return how alike two values are by a kind of `KINDS`, in [0, 1]."""
    if kind not in KINDS:
        raise unknown_name("kind of argument", kind, list(KINDS))
    return KINDS[kind](predicted, reference)


def kind_of(key: str, value: Any) -> str:
    """Return the kind of a reference's value, by its key and what it is.

    >>> [
    ...     kind_of(*each)
    ...     for each in (
    ...         ("bbox", [1, 2, 3, 4]),
    ...         ("start", "2020-07"),
    ...         ("threshold", 35),
    ...         ("soil_path", "a.csv"),
    ...     )
    ... ]
    ['box', 'date', 'number', 'file']
    """
    if isinstance(value, bool):
        return "flag"
    if key == "bbox" and box_of(value) is not None:
        return "box"
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, list | tuple):
        return "list"
    if isinstance(value, str):
        if _is_file(key, value):
            return "file"
        if moment(value) is not None and not value.strip().isdigit():
            return "date"
        return "text" if len(value.split()) > 6 else "number" if number(value) is not None else "name"
    return "number" if isinstance(value, int | float) else "name"


def number(value: Any) -> float | None:
    """Return a finite number, also one that is written as text; None for anything else, a truth value included."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value) if not isinstance(value, str) or len(value) < 64 else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def moment(value: Any) -> datetime | None:
    """Return the moment (UTC) that a text says, to the minute; None where it says none."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value) > 40:
        return None
    found = _DATE.fullmatch(value.strip())
    if found is None:
        return None
    year, month, day, hour, minute = found.groups()
    try:
        return datetime(int(year), int(month), int(day or 1), int(hour or 0), int(minute or 0))
    except ValueError:
        return None


def box_of(value: Any) -> tuple[float, float, float, float] | None:
    """Return a box as it is given (west, south, east, north, where its sides are named); None for another value."""
    if isinstance(value, str):
        value = re.split(r"[,\s]+", value.strip().strip("[]()")) if len(value) < 200 else None
    if isinstance(value, Mapping):
        found = [next((value[name] for name in names if name in value), None) for names in SIDES]
    elif isinstance(value, list | tuple):
        found = list(value)
    else:
        return None
    sides = [number(each) for each in found]
    if len(sides) != 4 or any(each is None for each in sides):
        return None
    west, south, east, north = (float(each) for each in sides if each is not None)
    return west, south, east, north


def canonical_key(key: str) -> str:
    """Return the one key for all that mean the same."""
    return _aliases("keys").get(plain(key), plain(key))


@lru_cache(maxsize=65_536)
def plain(text: str) -> str:
    """Return letters and digits alone, in lower case, whatever stood between as one underscore."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "_", folded).strip("_")


def f1(mine: Counter[Any], theirs: Counter[Any]) -> float:
    """Return the F1 of two multisets; 1 where both are empty."""
    size = mine.total() + theirs.total()
    return 2 * (mine & theirs).total() / size if size else 1.0


# ------------------------------------------------------------------------------------------------ comparisons


def _number(mine: Any, theirs: Any) -> float:
    first, second = number(mine), number(theirs)
    if first is None or second is None:
        return 0.0
    return float(abs(first - second) <= max(NUMBER_ABS, NUMBER_REL * abs(second)))


def _date(mine: Any, theirs: Any) -> float:
    first, second = moment(mine), moment(theirs)
    return float(first is not None and first == second)


def _box(mine: Any, theirs: Any) -> float:
    first, second = box_of(mine), box_of(theirs)
    if first is None or second is None:
        return 0.0
    return float(all(abs(a - b) <= BOX_SIDE + 1e-9 for a, b in zip(first, second, strict=True)))


def _name(mine: Any, theirs: Any) -> float:
    return float(_word(mine) == _word(theirs))


def _flag(mine: Any, theirs: Any) -> float:
    first, second = (_TRUTHS.get(str(each).strip().casefold()) for each in (mine, theirs))
    return float(first is not None and first == second)


def _file(mine: Any, theirs: Any) -> float:
    if not isinstance(mine, str) or not isinstance(theirs, str):
        return 0.0
    return float(_last(mine) == _last(theirs))


def _made(mine: Any, theirs: Any) -> float:
    if not isinstance(mine, str) or not isinstance(theirs, str):
        return 0.0
    if _HANDLE.match(mine):  # a handle names a file that some call made, and shows no ending
        return 1.0
    return float(_ending(mine) == _ending(theirs))


def _text(mine: Any, theirs: Any) -> float:
    first, second = (Counter(re.findall(r"\w+", str(each).casefold())[:WORDS]) for each in (mine, theirs))
    return f1(first, second)


def _list(mine: Any, theirs: Any, depth: int = 0) -> float:
    first = list(mine) if isinstance(mine, list | tuple) else [mine]
    second = list(theirs) if isinstance(theirs, list | tuple) else [theirs]
    if not first or not second:
        return float(not first and not second)
    if depth >= DEEPEST:
        return float(mine == theirs)
    if all(isinstance(each, str) and kind_of("", each) == "name" for each in second):
        return f1(Counter(map(_word, first)), Counter(map(_word, second)))
    pairs = zip(first, second, strict=False)
    return sum(_any(a, b, depth + 1) for a, b in pairs) / max(len(first), len(second))


def _object(mine: Any, theirs: Any, depth: int = 0) -> float:
    if not isinstance(mine, Mapping) or not isinstance(theirs, Mapping):
        return 0.0
    if not theirs:
        return float(not mine)
    if depth >= DEEPEST:
        return float(mine == theirs)
    first = {canonical_key(str(key)): value for key, value in mine.items()}
    second = {canonical_key(str(key)): value for key, value in theirs.items()}
    found = (_any(first[key], value, depth + 1, key) for key, value in second.items() if key in first)
    return sum(found) / len(second)


def _any(mine: Any, theirs: Any, depth: int, key: str = "") -> float:
    kind = kind_of(key, theirs)
    if kind == "list":
        return _list(mine, theirs, depth)
    return _object(mine, theirs, depth) if kind == "object" else KINDS[kind](mine, theirs)


KINDS: dict[str, Callable[[Any, Any], float]] = {
    "number": _number,
    "date": _date,
    "box": _box,
    "name": _name,
    "flag": _flag,
    "file": _file,
    "made": _made,
    "text": _text,
    "list": _list,
    "object": _object,
}
"""By name, the comparisons of the table at the head of this module."""


# ------------------------------------------------------------------------------------------------ words


@lru_cache(maxsize=4)
def _aliases(table: str) -> dict[str, str]:
    named: dict[str, Sequence[str]] = words()[table]
    return {plain(each): plain(name) for name, others in named.items() for each in (name, *others)}


@lru_cache(maxsize=1)
def _ignored() -> frozenset[str]:
    return frozenset(words()["ignored"])


def _by_key(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by their canonical key, without those that change no number, and those that are null."""
    kept: dict[str, Any] = {}
    for key, value in arguments.items():
        if value is not None and plain(str(key)) not in _ignored():
            kept.setdefault(canonical_key(str(key)), value)
    return kept


def _word(value: Any) -> str:
    if not isinstance(value, str):
        value = json.dumps(value, sort_keys=True, default=str)
    return _aliases("names").get(plain(value), plain(value))


def _is_file(key: str, value: str) -> bool:
    if key == "data" or key.endswith(("_path", "_file", "_paths")) or _HANDLE.match(value):
        return True
    return bool(re.search(r"\.[A-Za-z][A-Za-z0-9]{1,7}$", value)) and " " not in value


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.strip())[-1].casefold()


def _ending(path: str) -> str:
    return _last(path).rpartition(".")[2]
