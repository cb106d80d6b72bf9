"""The switches of the hard tier: one difficulty each, with levels, and the id that says them.

An id is ``isg/hard-1:NUMBER-LEVELS``: the levels are digits, one a switch, in the order of `SWITCHES`. Level 0 is the
absence of a difficulty; each further level keeps what the one below it has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from labrig.errors import LabrigError, unknown_name

VERSION = 1
"""Of all that a number and its levels make: another one, other repositories."""
ID = re.compile(r"isg/hard-([0-9]{1,4}):([1-9][0-9]{0,8})-([0-9]{1,40})", re.ASCII)
PREFIX = "isg/hard-"


@dataclass(frozen=True, slots=True)
class Switch:
    """A difficulty: what each level adds, and the level that is meant where none is said."""

    name: str
    levels: tuple[str, ...]
    usual: int


SWITCHES = (
    Switch(
        "missing",
        (
            "every cell is filled",
            "one code, told in the README",
            "a code for each logger",
            "a code that could be a value",
        ),
        3,
    ),
    Switch(
        "units-row", ("units in the heading", "a row of units", "the one or the other, and comments above"), 2
    ),
    Switch(
        "units", ("one unit", "units by factors", "also scales with another zero, and units told apart"), 2
    ),
    Switch("columns", ("alike in all files", "in another order", "other names", "absent from some files"), 3),
    Switch("copies", ("none", "rows and files twice", "superseded files", "withdrawn visits and samples"), 3),
    Switch("joins", ("factors in each row", "factors by site", "sites by visit, factors by site"), 2),
    Switch("readme", ("agrees with the files", "contradicts the files", "also corrections to be made"), 2),
    Switch("dates", ("ISO in UTC", "a form for each logger", "a clock for each logger"), 2),
    Switch("outliers", ("none", "a limit in the README", "also times of maintenance"), 2),
    Switch("separators", ("commas", "semicolons and decimal commas in some files"), 1),
    Switch("steps", ("one condition", "two", "three"), 1),
    Switch("rows", ("10 a file", "40 a file", "1,000 a file", "1,000,000 in all"), 1),
    Switch("files", ("8", "30", "400", "10,000"), 1),
)
NAMES = tuple(each.name for each in SWITCHES)
ROWS = (10, 40, 1_000, 0)
FILES = (8, 30, 400, 10_000)
MOST_ROWS, LARGE_FILES = 1_000_000, 12
"""Of a repository. A file of more than 8 MB cannot be read in one call, so a million rows are twelve files."""


@dataclass(frozen=True, slots=True)
class Levels:
    """A level of each switch."""

    digits: str

    def __getitem__(self, name: str) -> int:
        return int(self.digits[NAMES.index(name)])

    @property
    def files(self) -> int:
        """How many visits there are: files, superseded ones and copies not counted."""
        return LARGE_FILES if self["rows"] == 3 else FILES[self["files"]]

    @property
    def rows(self) -> int:
        """Rows of each file, before copies."""
        return MOST_ROWS // LARGE_FILES if self["rows"] == 3 else ROWS[self["rows"]]


def usual() -> Levels:
    """Return the levels of a hard set where nothing else is said."""
    return Levels("".join(str(each.usual) for each in SWITCHES))


def chosen(settings: Mapping[str, int]) -> Levels:
    """Return the usual levels with those that are given.

    Raises
    ------
    LabrigError
        For an unknown switch, a level that it does not have, and more than `MOST_ROWS` rows.
    """
    digits = list(usual().digits)
    for name, level in settings.items():
        if name not in NAMES:
            raise unknown_name("switch", name, NAMES, where="--set")
        switch = SWITCHES[NAMES.index(name)]
        if level not in range(10):
            raise LabrigError(
                f"{name} has no level {level}", where="--set", expected=f"0 to {len(switch.levels) - 1}"
            )
        digits[NAMES.index(name)] = str(level)
    if "files" in settings and digits[NAMES.index("rows")] == "3":
        raise LabrigError(
            "rows=3 says how many files there are", where="--set", expected="rows=3 without files"
        )
    return _checked("".join(digits))


def _checked(digits: str) -> Levels:
    for switch, digit in zip(SWITCHES, digits, strict=True):
        if int(digit) >= len(switch.levels):
            said = "; ".join(f"{number} {text}" for number, text in enumerate(switch.levels))
            raise LabrigError(f"{switch.name} has no level {digit}", where=digits, expected=said)
    levels = Levels(digits)
    if levels.files * levels.rows > MOST_ROWS:
        raise LabrigError(
            "So many files of so many rows are more than a million rows",
            where=digits,
            expected="files=3 with rows 0 or 1, files=2 with rows up to 2, or rows=3",
        )
    return levels


def read_id(name: str) -> tuple[int, Levels]:
    """Return number and levels of an id; LabrigError for what is none, or of another version."""
    match = ID.fullmatch(name)
    if match is None or len(match[3]) != len(SWITCHES):
        raise LabrigError(
            "This is not an id of a hard repository",
            where=name,
            try_=f"{PREFIX}{VERSION}:118-{usual().digits}",
        )
    if int(match[1]) != VERSION:
        raise LabrigError(
            f"Version {match[1]} of the hard tier is not installed",
            where=name,
            expected=f"{PREFIX}{VERSION}:{match[2]}-{match[3]}",
            code="not_found",
        )
    return int(match[2]), _checked(match[3])


def written(number: int, levels: Levels) -> str:
    """Return the id of a number with its levels."""
    return f"{PREFIX}{VERSION}:{number}-{levels.digits}"
