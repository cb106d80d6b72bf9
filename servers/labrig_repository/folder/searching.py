"""Looking for a text in the names and in the contents of files, bounded in time, a page at a time.

The text is looked for as it stands, case ignored; in names also with wildcards. Regular expressions are those of RE2,
whose time grows with the text alone and whose memory has a limit; so it has no lookaround and no references back
(https://github.com/google/re2/wiki/Syntax). A page ends after so many hits or so many bytes; its cursor says where the
next one begins.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from labrig.answer import json_bytes
from labrig.errors import LabrigError
from labrig.threads import look
from labrig.tools import cursor as cursors
from labrig_repository.folder.contents import Contents, Describe, Kept, alike, read_contents
from labrig_repository.folder.listing import ASIDE, Found, list_directory, matcher
from labrig_repository.folder.names import parts_in, shown
from labrig_repository.folder.store import Repository

MOST_QUERY = 200
MOST_DESCRIBED = 100
"""Tables that are no text and are described for one page, some 30 ms each; those that are kept do not count."""

MOST_PAGE_BYTES = 64 << 20
LOOKS = 100
"""Files after which a search looks whether it is still wanted."""
EXCERPT = 160
HITS_PER_FILE = 5
"""Lines of one file that are shown; the others are counted."""

Finds = Callable[[str], Iterable[int]]
"""Gives the places at which a text that was made `alike` holds what is looked for; `()` where it surely does not."""


@dataclass(frozen=True)
class Page:
    """What one call found.

    Attributes
    ----------
    hits
        ``{path, kind}`` for a name, ``{path, line, text}`` for a line, ``{path, heading}`` for a heading, unit, sheet
        or attribute of a table that is no text; a file with more lines has ``more``.
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
    regex: bool = False,
    names: bool = True,
    contents: bool = True,
    cursor: str = "",
    size: int = 40,
    most_bytes: int = 1 << 20,
    kept: Kept | None = None,
    describe: Describe | None = None,
) -> Page:
    """Look for a text.

    Parameters
    ----------
    regex
        The query is a regular expression, in names and in lines.
    pattern
        Which files: a path with ``*`` and ``?`` within its parts and ``**`` for any folders; ``*.csv`` alone means
        files of that name in any folder. Folders that hold no work of their owner (``.venv``, ``node_modules``, caches;
        see `listing.listed`) are passed over, unless a part of the pattern names one or begins with a dot.
    size
        Hits on a page, at least; a file's hits stay together.
    most_bytes
        Of the hits of a page as JSON: the page ends before a file that would take more, but has one file at least.
    kept
        Contents of earlier searches; default none.
    describe
        See `contents.read_contents`.

    Raises
    ------
    LabrigError
        For a text that is empty or too long, for what is no regular expression, and a cursor of another search.
    """
    wanted = query.strip()
    if not wanted or len(wanted) > MOST_QUERY:
        raise LabrigError(
            "The text to look for is empty" if not wanted else f"The text has {len(wanted)} characters",
            where="query",
            expected=f"1 to {MOST_QUERY} characters",
        )
    finds = _expression(wanted) if regex else _literal(wanted)
    files, passed = matching_files(repository, pattern)
    question = [repository.name, wanted, regex, pattern, names, contents, len(files)]
    start = min(cursors.decode(cursor, question), len(files)) if cursor else 0  # one can be made up
    reader = _Reader(repository, finds, passed, Kept() if kept is None else kept, describe)
    named = _name_matcher(wanted, finds, regex=regex)
    hits: list[dict[str, Any]] = []
    place = start
    for place in range(start, len(files)):
        if place % LOOKS == 0:
            look()
        if len(hits) >= size or reader.bytes >= MOST_PAGE_BYTES or reader.described >= MOST_DESCRIBED:
            break
        found = files[place]
        here: list[dict[str, Any]] = []
        if names and named(shown(found.path)):
            here.append({"path": shown(found.path), "kind": found.kind})
        if contents and found.kind == "file":
            here += reader.hits(found)
        if hits and here and json_bytes([*hits, *here]) > most_bytes:
            break
        hits += here
    else:
        place = len(files)
    following = cursors.encode(question, place) if place < len(files) else ""
    return Page(hits, len(files), place - start, reader.skipped, following)


def _literal(wanted: str) -> Finds:
    """Return what finds a text as it stands, case ignored."""
    text = alike(wanted)
    small, plain = text.lower(), text.isascii()
    pattern = re.compile(re.escape(text), re.IGNORECASE)

    def finds(within: str) -> Iterable[int]:
        if plain and within.isascii() and small not in within.lower():  # ten times as fast as the expression
            return ()
        return (match.start() for match in pattern.finditer(within))

    return finds


def _expression(wanted: str) -> Finds:
    """Return what finds a regular expression, case ignored; ``^`` and ``$`` are ends of lines."""
    try:
        import re2
    except ImportError:
        raise LabrigError(
            "Regular expressions need the package google-re2, which is not installed",
            where="regex",
            try_="pip install 'labrig[repository]'",
            code="unavailable",
        ) from None
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        pattern = re2.compile(f"(?m){alike(wanted)}", options)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        raise LabrigError(
            f"This is no regular expression: {said.decode() if isinstance(said, bytes) else said}",
            where="query",
            expected="the syntax of RE2, without lookaround and references back: temp_[FC], (north|south)_\\d+",
            try_="regex=false looks for the text as it stands",
        ) from None
    if pattern.search("") is not None:
        raise LabrigError(
            "The expression matches nothing at all, so it would find every line",
            where="query",
            expected="one that needs a character, such as a+ for a*",
        )
    return lambda within: (match.start() for match in pattern.finditer(within))


def _name_matcher(wanted: str, finds: Finds, *, regex: bool) -> Callable[[str], bool]:
    """Return what tells whether a path holds a text or, with ``*`` or ``?`` in it, whether its end matches."""
    text = wanted.casefold()
    if regex or ("*" not in text and "?" not in text):
        return lambda path: next(iter(finds(alike(path))), None) is not None
    matches = path_matcher(["**", *(part for part in text.split("/") if part)])
    return lambda path: text in path.casefold() or matches(path.casefold())


class _Reader:
    """Looks into files, and remembers why it did not."""

    def __init__(
        self,
        repository: Repository,
        finds: Finds,
        passed: list[Found],
        kept: Kept,
        describe: Describe | None,
    ) -> None:
        self._repository = repository
        self._finds = finds
        self._kept = kept
        self._describe = describe
        self.bytes = self.described = 0
        self.skipped: dict[str, dict[str, Any]] = {}
        for folder in passed:
            self._skip(f"folder: {folder.note or 'a link'}", folder.path)

    def hits(self, found: Found) -> list[dict[str, Any]]:
        """Return the lines or headings of a file that hold what is looked for."""
        place = self._repository.name, found.path
        contents = self._kept.find(place, found.version)
        if contents is None:
            contents = read_contents(self._repository, found, self._describe)
            self._kept.keep(place, found.version, contents)
            self.described += contents.headings
        self.bytes += len(contents.text)
        if contents.skipped:
            self._skip(contents.skipped, found.path)
        starts = self._finds(contents.alike)
        return list(self._lines(contents, found.path, starts)) if starts else []

    def _lines(self, contents: Contents, path: str, starts: Iterable[int]) -> Iterator[dict[str, Any]]:
        hits: list[dict[str, Any]] = []
        text = contents.text
        number, counted, after, more = 1, 0, 0, 0
        for start in starts:
            if start < after:
                continue  # on the same line
            end = text.find("\n", start)
            after = len(text) if end < 0 else end + 1
            if len(hits) == HITS_PER_FILE:
                more += 1
                continue
            number += text.count("\n", counted, start)
            counted = start
            begin = text.rfind("\n", 0, start) + 1
            excerpt = _excerpt(text, begin, after, start)
            said = {"heading": excerpt} if contents.headings else {"line": number, "text": excerpt}
            hits.append({"path": shown(path), **said})
        if more:
            hits[-1]["more"] = more
        yield from hits

    def _skip(self, why: str, path: str) -> None:
        entry = self.skipped.setdefault(why, {"count": 0, "such_as": shown(path)})
        entry["count"] += 1


def _excerpt(text: str, begin: int, end: int, hit: int) -> str:
    """Return the line, or what is about the hit in a long one."""
    line = text[begin:end].rstrip("\r\n")
    if len(line) <= EXCERPT:
        return line
    start = min(max(0, hit - begin - EXCERPT // 4), max(0, len(line) - EXCERPT))
    return f"{'...' if start else ''}{line[start : start + EXCERPT]}{'...' if start + EXCERPT < len(line) else ''}"


def matching_files(
    repository: Repository, pattern: str, *, where: str = "pattern"
) -> tuple[list[Found], list[Found]]:
    """Return what lies below the literal beginning of a pattern and matches it, and the folders not looked into."""
    parts = parts_in(repository, pattern, where=where)
    if len(parts) == 1 and parts[0] != "**":
        parts = ["**", *parts]
    literal = list(itertools.takewhile(lambda part: "*" not in part and "?" not in part, parts[:-1]))
    aside = any(part.startswith(".") or part in ASIDE for part in parts)
    found = list(list_directory(repository, "/".join(literal), None, aside=aside))
    passed = [each for each in found if each.kind == "folder"]
    files = [each for each in found if each.kind != "folder"] if passed else found
    if parts != ["**"]:
        matches = path_matcher(parts)
        files = [each for each in files if matches(each.path)]
    return files, passed


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
