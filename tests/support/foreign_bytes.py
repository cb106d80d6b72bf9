"""Who reads the bytes of others, as docs/security.md says: which library, in which rooms, behind which wall."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from support.places import PROJECT

PAGE = PROJECT / "docs" / "security.md"
HEAD = ["bytes", "read by", "rooms", "where", "wall"]


@dataclass(frozen=True)
class Room:
    """A row of the table.

    Attributes
    ----------
    libraries, rooms
        What stands in backticks: libraries (or functions) that read, and the packages in which they are named.
    """

    about: str
    libraries: frozenset[str]
    rooms: tuple[str, ...]
    where: str
    wall: str

    @property
    def is_walled(self) -> bool:
        """Whether it is read in a process of its own, behind walls."""
        return self.wall.startswith("walled")

    def holds(self, module: str) -> bool:
        """Tell whether a module is of its rooms."""
        return any(module == room or module.startswith(f"{room}.") for room in self.rooms)


def read_rooms() -> list[Room]:
    """Return the rows of the table."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    head: Any = f"| {' | '.join(HEAD)} |"
    assert head in lines, "docs/security.md has no table of who reads the bytes of others"
    next(lines)
    found = []
    for line in lines:
        if not line.startswith("|"):
            break
        about, libraries, rooms, where, wall = (each.strip() for each in line.split("|")[1:-1])
        found.append(Room(about, frozenset(_quoted(libraries)), tuple(_quoted(rooms)), where, wall))
    return found


def kept_out_of_servers() -> set[str]:
    """Return the libraries that children read with, behind walls, and no server by itself."""
    rooms = read_rooms()
    walled = {each for room in rooms if room.is_walled for each in room.libraries}
    beside = {each for room in rooms if "the server" in room.where for each in room.libraries}
    return {each for each in walled - beside if "." not in each} - STANDARD


STANDARD = {"zlib", "zipfile", "sqlite3", "xml", "gzip", "bz2", "lzma", "pickle", "marshal"}
"""Python's own, which other libraries import for themselves."""


def _quoted(cell: str) -> list[str]:
    return re.findall(r"`([\w.]+)`", cell)
