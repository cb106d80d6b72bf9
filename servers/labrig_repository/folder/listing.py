"""What a prefix with wildcards lists: the rules of the paper's list_directory, over any repository.

The rules, as the authors' released code has them: ``*`` and ``?`` hold within one part of the path; a prefix without
them names a folder, whose contents are listed, or a file; a matched name is kept in front of what is below it, a
literal part is not, so results are relative to the last literal part; `depth` counts the parts of a result, a
folder at that depth stands for what it holds, and without a depth files alone are listed. Names come sorted, folder
by folder.

It departs from that code in four things. ``[`` and ``]`` are themselves: there they formed a character class, but only
beside a wildcard. A negative depth is refused: there it listed nothing. ``..`` above the top is refused: there
``/../a`` was ``/a``, and ``../a`` nothing. A literal part that names nothing is looked for in its other Unicode form.
"""

from __future__ import annotations

import fnmatch
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from labrig.errors import LabrigError
from labrig_repository.folder.names import parts_in, spelled
from labrig_repository.folder.store import Entry, Kind, Repository, Version

ASIDE = frozenset({"__pycache__", "node_modules"})
MARKS = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
"""Files that say that their folder is a virtual environment (PEP 405), or a cache (https://bford.info/cachedir/)."""

MOST_SEEN = 2_000_000
"""Names that one listing looks at before it gives up."""

MOST_SECONDS = 40.0
"""What one listing takes; links that go round in circles can make few names endless."""


class Found(NamedTuple):
    """One line of a listing.

    Attributes
    ----------
    shown
        The path relative to the last literal part of the prefix, as the paper's tool returns it.
    path
        The path in the repository.
    """

    shown: str
    path: str
    kind: Kind
    link: bool = False
    note: str = ""
    version: Version | None = None


def checked_depth(depth: object) -> int | None:
    """Return a depth; None and 0 both mean all the way down, as in the released code."""
    if depth is None:
        return None
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 0:
        raise LabrigError(
            f"The depth cannot be {depth!r}",
            where="depth",
            expected="1 for the folder itself, 2 for one level below it, ...; null for all files",
        )
    return depth or None


def list_directory(
    repository: Repository, prefix: object = "/*", depth: object = 1, *, aside: bool = True
) -> Iterator[Found]:
    """Give what a prefix lists, one by one.

    Parameters
    ----------
    prefix
        A path, in which ``*`` stands for any characters of one part and ``?`` for one; the leading ``/`` may be left
        out.
    depth
        Parts of each result at most; None or 0 for no limit.
    aside
        Also look into folders that hold no work of their owner: whose names begin with a dot or are in `ASIDE`, or
        that have one of `MARKS` in them. Else they are named and passed over.

    Raises
    ------
    LabrigError
        For an invalid prefix or depth; ``limit`` after `MOST_SEEN` names. A prefix that names nothing gives
        nothing.
    """
    parts = parts_in(repository, prefix, where="prefix")
    return _Walk(repository, checked_depth(depth), aside).below("", "", 0, parts)


def matcher(pattern: str) -> Callable[[str], object]:
    """Return what tells whether a name matches a part with wildcards; case counts."""
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]"))).match


class _Spent:
    """What a listing has taken so far; the walks within it share one."""

    def __init__(self) -> None:
        self.names = 0
        self.end = time.monotonic() + MOST_SECONDS


class _Walk:
    def __init__(
        self, repository: Repository, depth: int | None, aside: bool, spent: _Spent | None = None
    ) -> None:
        self._repository = repository
        self._depth = depth
        self._aside = aside
        self._spent = spent or _Spent()

    def below(self, folder: str, shown: str, level: int, parts: list[str]) -> Iterator[Found]:
        """Give what `parts` list below a folder; `shown` has `level` parts that were matched before."""
        for index, part in enumerate(parts):
            rest = parts[index + 1 :]
            if "*" in part or "?" in part:
                yield from self._matching(folder, shown, level, part, rest)
                return
            path = spelled(self._repository, folder, part)
            kind = self._repository.kind(path)
            if kind != "folder":
                if kind is not None and not rest:
                    yield Found(_join(shown, path.rpartition("/")[2]), path, kind)
                return
            folder = path
        yield from self._contents(folder, shown, level)

    def _matching(self, folder: str, shown: str, level: int, part: str, rest: list[str]) -> Iterator[Found]:
        matches = matcher(part)
        for entry in self._entries(folder):
            if not matches(entry.name):
                continue
            found = _found(entry, folder, shown)
            deepest = self._depth is not None and level + 1 >= self._depth
            if rest and (entry.kind != "folder" or (deepest and not self._holds(found.path, rest))):
                continue
            if deepest or entry.kind != "folder":
                yield found
                continue
            try:
                yield from self.below(found.path, found.shown, level + 1, rest)
            except LabrigError as error:
                if error.code != "refused":
                    raise
                yield found._replace(note="cannot be entered")

    def _holds(self, folder: str, rest: list[str]) -> bool:
        """Tell whether anything is listed below a folder, of which only the name is shown."""
        walk = _Walk(self._repository, 1, True, self._spent)
        try:
            return next(walk.below(folder, "", 0, rest), None) is not None
        except LabrigError as error:
            if error.code != "refused":
                raise
            return True  # nobody knows, and it is named

    def _contents(self, folder: str, shown: str, level: int) -> Iterator[Found]:
        """Give what a folder holds down to the depth; linked folders are named, as they may go round in a circle."""
        pending = [(iter(self._entries(folder)), folder, shown)]
        while pending:
            entries, folder, shown = pending[-1]
            deepest = self._depth is not None and level + len(pending) >= self._depth
            for entry in entries:
                found = _found(entry, folder, shown)
                if entry.kind != "folder" or entry.link or deepest:
                    yield found
                    continue
                held, note = self._inside(entry, found)
                if held is None:
                    yield found._replace(note=note)
                    continue
                pending.append((iter(held), found.path, found.shown))
                break
            else:
                pending.pop()

    def _inside(self, entry: Entry, found: Found) -> tuple[Sequence[Entry] | None, str]:
        """Return what a folder holds, or None and why it is not looked into."""
        if not self._aside and (entry.name.startswith(".") or entry.name in ASIDE):
            return None, "passed over"
        try:
            held = self._entries(found.path)
        except LabrigError as error:
            if error.code != "refused":
                raise
            return None, "cannot be entered"
        if not self._aside and not MARKS.isdisjoint([each.name for each in held]):
            return None, "passed over"
        return held, ""

    def _entries(self, folder: str) -> Sequence[Entry]:
        """Return the names in a folder; one that vanished meanwhile holds none."""
        try:
            entries = self._repository.entries(folder)
        except LabrigError as error:
            if error.code != "not_found":
                raise
            return []
        self._spent.names += len(entries)
        many = self._spent.names > MOST_SEEN
        if many or time.monotonic() > self._spent.end:
            most = (
                f"looked at more than {MOST_SEEN:,} names" if many else f"took more than {MOST_SECONDS:g} s"
            )
            raise LabrigError(
                f"The listing {most}",
                where="prefix, depth",
                try_="a longer prefix or a smaller depth",
                code="limit",
            )
        return entries


def _found(entry: Entry, folder: str, shown: str) -> Found:
    name, kind, link, note, version = entry
    path = f"{folder}/{name}" if folder else name
    below = path if shown == folder else f"{shown}/{name}" if shown else name
    return Found(below, path, kind, link, note, version)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
