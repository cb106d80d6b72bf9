"""Looking for a text in the names and in the contents of files, bounded in time, a page at a time.

The text is looked for as it stands, case ignored; in names also with wildcards. There are no regular expressions, of
which some take for ever. A page ends after so many hits or so many bytes; its cursor says where the next one begins.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from labrig.answer import json_bytes
from labrig.errors import LabrigError
from labrig.tools import cursor as cursors
from labrig.tools.reading import encoding_of, read_text_file
from labrig_repository.folder.listing import ASIDE, Found, list_directory, matcher
from labrig_repository.folder.names import parts_in, shown
from labrig_repository.folder.store import Repository

MOST_QUERY = 200
MOST_FILE_BYTES = 8 << 20
"""Of a larger file this much is searched, and it is said."""

MOST_PAGE_BYTES = 64 << 20
EXCERPT = 160
HITS_PER_FILE = 5
"""Lines of one file that are shown; the others are counted."""

_FAST_LOOK = 4096


@dataclass(frozen=True)
class Page:
    """What one call found.

    Attributes
    ----------
    hits
        ``{path, kind}`` for a name, ``{path, line, text}`` for a line; a file with more lines has ``more``.
    files
        How many files there are below the pattern.
    searched
        How many of them this page looked into.
    skipped
        Why some were not searched or not to their end: reason -> how many, with one path.
    cursor
        Where the next page begins; empty at the end.
    """

    hits: list[dict[str, Any]]
    files: int
    searched: int
    skipped: dict[str, dict[str, Any]]
    cursor: str


def search(
    repository: Repository,
    query: str,
    *,
    pattern: str = "**",
    names: bool = True,
    contents: bool = True,
    cursor: str = "",
    size: int = 40,
    most_bytes: int = 1 << 20,
) -> Page:
    """Look for a text.

    Parameters
    ----------
    pattern
        Which files: a path with ``*`` and ``?`` within its parts and ``**`` for any folders; ``*.csv`` alone means
        files of that name in any folder. Folders that hold no work of their owner (``.venv``, ``node_modules``, caches;
        see `listing.listed`) are passed over, unless a part of the pattern names one or begins with a dot.
    size
        Hits on a page, at least; a file's hits stay together.
    most_bytes
        Of the hits of a page as JSON: the page ends before a file that would take more, but has one file at least.

    Raises
    ------
    LabrigError
        For a text that is empty or too long, and a cursor of another search.
    """
    wanted = query.strip()
    if not wanted or len(wanted) > MOST_QUERY:
        raise LabrigError(
            "The text to look for is empty" if not wanted else f"The text has {len(wanted)} characters",
            where="query",
            expected=f"1 to {MOST_QUERY} characters",
        )
    files, passed = _files(repository, pattern)
    question = [repository.name, wanted, pattern, names, contents, len(files)]
    start = min(cursors.decode(cursor, question), len(files)) if cursor else 0  # one can be made up
    reader = _Reader(repository, wanted, passed)
    named = _name_matcher(wanted)
    hits: list[dict[str, Any]] = []
    place = start
    for place in range(start, len(files)):
        if len(hits) >= size or reader.bytes >= MOST_PAGE_BYTES:
            break
        found = files[place]
        here: list[dict[str, Any]] = []
        if names and named(shown(found.path)):
            here.append({"path": shown(found.path), "kind": found.kind})
        if contents and found.kind == "file":
            here += reader.hits(found.path)
        if hits and json_bytes([*hits, *here]) > most_bytes:
            break
        hits += here
    else:
        place = len(files)
    following = cursors.encode(question, place) if place < len(files) else ""
    return Page(hits, len(files), place - start, reader.skipped, following)


def _name_matcher(wanted: str) -> Callable[[str], bool]:
    """Return what tells whether a path holds a text or, with ``*`` or ``?`` in it, whether its end matches."""
    text = wanted.casefold()
    if "*" not in text and "?" not in text:
        return lambda path: text in path.casefold()
    matches = path_matcher(["**", *(part for part in text.split("/") if part)])
    return lambda path: text in path.casefold() or matches(path.casefold())


class _Reader:
    """Looks into files, and remembers why it did not."""

    def __init__(self, repository: Repository, wanted: str, passed: list[Found]) -> None:
        self._repository = repository
        self._pattern = re.compile(re.escape(wanted), re.IGNORECASE)
        self.bytes = 0
        self.skipped: dict[str, dict[str, Any]] = {}
        for folder in passed:
            self._skip(f"folder: {folder.note or 'a link'}", folder.path)

    def hits(self, path: str) -> list[dict[str, Any]]:
        """Return the lines of a file that hold the text."""
        try:
            beginning = self._repository.read(path, 0, _FAST_LOOK)
            self.bytes += len(beginning)
            if encoding_of(beginning) is None:
                return self._skip("not text", path)
            found = read_text_file(self._repository, path, most_bytes=MOST_FILE_BYTES)
        except LabrigError as error:
            return self._skip("not text" if error.code == "bad_input" else error.what, path)
        self.bytes += len(found.text)
        if found.cut:
            self._skip(f"searched in the first {MOST_FILE_BYTES >> 20} MiB only", path)
        return list(self._lines(found.text, path))

    def _lines(self, text: str, path: str) -> Iterator[dict[str, Any]]:
        hits: list[dict[str, Any]] = []
        number, counted, after, more = 1, 0, 0, 0
        for match in self._pattern.finditer(text):
            if match.start() < after:
                continue  # on the same line
            end = text.find("\n", match.start())
            after = len(text) if end < 0 else end + 1
            if len(hits) == HITS_PER_FILE:
                more += 1
                continue
            number += text.count("\n", counted, match.start())
            counted = match.start()
            begin = text.rfind("\n", 0, match.start()) + 1
            hits.append(
                {"path": shown(path), "line": number, "text": _excerpt(text, begin, after, match.start())}
            )
        if more:
            hits[-1]["more"] = more
        yield from hits

    def _skip(self, why: str, path: str) -> list[dict[str, Any]]:
        entry = self.skipped.setdefault(why, {"count": 0, "such_as": shown(path)})
        entry["count"] += 1
        return []


def _excerpt(text: str, begin: int, end: int, hit: int) -> str:
    """Return the line, or what is about the hit in a long one."""
    line = text[begin:end].rstrip("\r\n")
    if len(line) <= EXCERPT:
        return line
    start = min(max(0, hit - begin - EXCERPT // 4), max(0, len(line) - EXCERPT))
    return f"{'...' if start else ''}{line[start : start + EXCERPT]}{'...' if start + EXCERPT < len(line) else ''}"


def _files(repository: Repository, pattern: str) -> tuple[list[Found], list[Found]]:
    """Return what lies below the literal beginning of a pattern and matches it, and the folders not looked into."""
    parts = parts_in(repository, pattern, where="pattern")
    if len(parts) == 1 and parts[0] != "**":
        parts = ["**", *parts]
    literal = list(itertools.takewhile(lambda part: "*" not in part and "?" not in part, parts[:-1]))
    aside = any(part.startswith(".") or part in ASIDE for part in parts)
    matches = path_matcher(parts)
    found = list(list_directory(repository, "/".join(literal), None, aside=aside))
    files = [each for each in found if each.kind != "folder" and matches(each.path)]
    return files, [each for each in found if each.kind == "folder"]


def path_matcher(parts: list[str]) -> Callable[[str], bool]:
    """Return what tells whether a path matches parts with wildcards; ``**`` is any number of names, or none.

    All ways of matching are followed side by side, so that no pattern takes long.
    """
    matchers = [None if part == "**" else matcher(part) for part in parts]

    def matches(path: str) -> bool:
        places = _past_folders({0}, matchers)
        for name in path.split("/"):
            following = set()
            for place in places - {len(matchers)}:
                match = matchers[place]
                if match is None:
                    following.add(place)
                elif match(name):
                    following.add(place + 1)
            places = _past_folders(following, matchers)
        return len(matchers) in places

    return matches


def _past_folders(places: set[int], matchers: list[Callable[[str], object] | None]) -> set[int]:
    """Return the places, and those behind each ``**``, which may stand for nothing."""
    found = set(places)
    for place in range(len(matchers)):
        if place in found and matchers[place] is None:
            found.add(place + 1)
    return found
