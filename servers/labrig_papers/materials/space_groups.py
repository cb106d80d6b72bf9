"""Space groups by symbol or number, in any writing, compared by number.

The 530 settings come from spglib; old names (Fm3m, Cmca, F4/mmm) from here. A symbol that two groups share in plain
writing is refused.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from labrig.errors import LabrigError, nearest
from labrig_papers.materials.writing import plain

_OLD = {
    "Fm3m": 225, "Im3m": 229, "Pm3m": 221, "Ia3d": 230, "Fd3m": 227, "Pn3m": 224, "Pn3n": 222, "Pm3n": 223, "Fm3c": 226,
    "Fd3c": 228, "Pm3": 200, "Pn3": 201, "Fm3": 202, "Fd3": 203, "Im3": 204, "Pa3": 205, "Ia3": 206,
    "F4/mmm": 139, "C4/mmm": 123,
}  # fmt: skip
"""Names from before the bar was printed, and of larger cells."""

_SYSTEMS = re.compile(
    r"\b(?:cubic|tetragonal|orthorhombic|hexagonal|trigonal|rhombohedral|monoclinic|triclinic|space group|symmetry|"
    r"noncentrosymmetric|non-centrosymmetric|centrosymmetric|structure|with|the|of|phase)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpaceGroup:
    """A space group.

    Attributes
    ----------
    number
        1 to 230.
    symbol
        International short symbol in plain writing: ``P6_3/mmc``, ``Fm-3m``.
    setting
        The symbol as printed, in plain writing, where it is of another setting (``Pbnm``) or an old one (``Fm3m``).
    crystal_system
        ``hexagonal``, ..
    notes
        What was assumed or left out.
    """

    text: str
    number: int
    symbol: str
    setting: str
    crystal_system: str
    notes: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, int], dict[int, str], frozenset[str]]:
    """Return numbers by key, short symbols by number, and keys that several groups share."""
    import spglib

    keys: dict[str, set[int]] = {}
    short: dict[int, str] = {}
    primary: dict[str, int] = {}
    for hall in range(1, 531):
        with warnings.catch_warnings():  # of a change in how spglib reports errors
            warnings.simplefilter("ignore", DeprecationWarning)
            kind: Any = spglib.get_spacegroup_type(hall)
        short.setdefault(kind.number, kind.international_short)
        primary.setdefault(_key(kind.international_short), kind.number)
        if 3 <= kind.number <= 15:  # P 1 2_1/n 1 is printed as P2_1/n, R-3m as R-3mH
            keys.setdefault(re.sub(r"(?<=[A-Z])1|1(?=$)", "", _key(kind.international_full)), set()).add(
                kind.number
            )
        if str(kind.choice) in ("H", "R"):
            keys.setdefault(_key(kind.international_short) + kind.choice, set()).add(kind.number)
        written = [kind.international_short, kind.international_full, *str(kind.international).split("=")]
        for symbol in written:
            symbol = re.sub(r"\s*[:;].*", "", symbol).strip()
            for key in {_key(symbol), *_e_glides(_key(symbol))}:
                keys.setdefault(key, set()).add(kind.number)
    for number, symbol in list(short.items()):
        primary[_key(symbol)] = number
    found = {key: min(numbers) for key, numbers in keys.items() if len(numbers) == 1}
    shared = frozenset(key for key, numbers in keys.items() if len(numbers) > 1 and key not in primary)
    found.update(primary)
    for old, number in _OLD.items():
        found.setdefault(old, number)
    return found, short, shared


def _key(symbol: str) -> str:
    return re.sub(r"[\s_]", "", symbol)


def _e_glides(key: str) -> set[str]:
    """Return the writings of a symbol with a double glide e by the older a, b and c."""
    return {key.replace("e", letter, 1) for letter in "abc"} if "e" in key else set()


def _system(number: int) -> str:
    bounds = (
        (2, "triclinic"),
        (15, "monoclinic"),
        (74, "orthorhombic"),
        (142, "tetragonal"),
        (167, "trigonal"),
        (194, "hexagonal"),
    )
    return next((system for last, system in bounds if number <= last), "cubic")


def normalize_space_group(text: str) -> SpaceGroup:
    """Return the space group that a text names.

    Raises
    ------
    LabrigError
        If there is none, the symbol is shared by several groups, or symbol and number disagree.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > 120:
        raise LabrigError(
            "The space group is empty or too long", where="space_group", expected="such as I4/mmm or 139"
        )
    notes: list[str] = []
    label = _SYSTEMS.sub(" ", text)
    if label != text:
        notes.append("words beside the symbol were left out")
    number = None
    if match := re.search(r"[(,]?\s*(?:No\.?|#|number|nr\.?)\s*:?\s*(\d{1,3})\s*\)?", label, re.IGNORECASE):
        number = int(match[1])
        label = label[: match.start()] + label[match.end() :]
    elif match := re.fullmatch(r"\s*(\d{1,3})\s*", label):
        number, label = int(match[1]), ""
    if number is not None and not 1 <= number <= 230:
        raise LabrigError(
            f"There is no space group number {number}", where="space_group", expected="1 to 230"
        )
    found, short, shared = _table()
    symbol = _plain_symbol(label)
    if not symbol and number is not None:
        return SpaceGroup(text, number, short[number], short[number], _system(number), tuple(notes))
    by_symbol = found.get(symbol)
    if by_symbol is None and symbol in shared:
        raise LabrigError(
            f"{text!r} is a symbol of several space groups",
            where="space_group",
            expected="the full symbol or the number",
        )
    if by_symbol is None and len(symbol) > 2:
        folded = {key for key in found if key.casefold() == symbol.casefold()}
        if len({found[key] for key in folded}) == 1:
            by_symbol = found[next(iter(folded))]
            notes.append("read without regard to capital letters")
    if by_symbol is None:
        near = nearest(symbol, found)
        raise LabrigError(
            f"{text[:60]!r} is no space group",
            where="space_group",
            expected="a symbol such as P6_3/mmc or a number from 1 to 230",
            try_="did you mean " + " or ".join(near) + "?" if near else "",
        )
    if number is not None and number != by_symbol:
        raise LabrigError(
            f"{text[:60]!r}: the symbol is number {by_symbol}, the number is {short[number]}",
            where="space_group",
            expected="symbol and number of one group",
        )
    if symbol in _OLD:
        notes.append(f"an older name of {short[by_symbol]}")
    setting = symbol if _key(short[by_symbol]) != symbol else short[by_symbol]
    return SpaceGroup(text, by_symbol, short[by_symbol], setting, _system(by_symbol), tuple(notes))


def _plain_symbol(label: str) -> str:
    """Return a symbol without spaces, with -3 for a barred 3 however the bar was drawn."""
    label = re.sub(r"\\(?:bar|overline)\s*\{?\s?(\d)\s?\}?", r"-\1", label)
    label = re.sub(r"(\d)[\u0304\u0305]", r"-\1", label)
    label = re.sub(r"[\u00af\u02c9\u203e]\s?(\d)", r"-\1", label)
    label = re.sub(r"(\d)\s?[\u00af\u02c9\u203e]", r"-\1", label)
    label = re.sub(r"[{}]", "", plain(re.sub(r"_\{?\s?(\d)\s?\}?", r"\1", label)))
    return re.sub(r"[\s_()\[\],;:.*]|^:|$", "", label)
