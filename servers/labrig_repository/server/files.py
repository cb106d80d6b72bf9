"""Our own readers and the search: answers that carry their source, and cursors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer
from labrig.canonical import sha256
from labrig.errors import LabrigError, nearest
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools import cursor as cursors
from labrig.tools import reading
from labrig.tools.reading import Files, Text
from labrig.tools.sources import names_artifact, opened_source
from labrig_repository.folder import listing
from labrig_repository.folder.listing import Found, checked_depth
from labrig_repository.folder.names import located, parts_in, shown
from labrig_repository.folder.searching import MOST_QUERY
from labrig_repository.folder.searching import search as looked_for
from labrig_repository.folder.store import Repository
from labrig_repository.server.base import (
    HeadArgument,
    IdArgument,
    SourceArgument,
    StartLineArgument,
    State,
    TailArgument,
    toolbox,
)

LISTED = 200
"""Names on a page."""

PAGE_BYTES = ANSWER_BYTES - 600
"""Of a page of names or hits, as JSON; the rest is for what is said beside them."""

WHOLE_BYTES, LINES_BYTES = 20_000, 100_000
"""Bytes of text without and with head or tail."""

BINARY_BYTES = 48_000
VIEWED = (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".bmp", ".jp2", ".pdf")
"""Names of what view_file shows: where another tool refuses such a file, it says so."""
HITS = 40

LOOKS_LIKE_REGEX = re.compile(r"\\[dwsbDWSB.]|\[[^\]]+\]|\.[*+?]|[^\s|]\|[^\s|]|\(\?|^\^|\$$|\{\d+,?\d*\}")
"""A query that finds nothing and was meant as a regular expression, most likely."""

CursorArgument = Annotated[str, Field(description="Cursor from an earlier answer, to get its next page.")]


@toolbox.tool(title="List a directory", read_only=True)
async def list_directory(
    prefix: Annotated[
        str,
        Field(description="Path; * and ? match characters within one part of it, as in runs/2020*/*.csv."),
    ] = "/*",
    depth: Annotated[
        int | None, Field(ge=0, description="How many levels to show; null for all files below.")
    ] = 1,
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """List a directory, or the names that match wildcards. The paths can be given to the other tools as they are.

    A directory ends with /. Entries that are neither file nor directory, or lead outside, have a note saying so.

    It shows what is in a folder: subfolders to any depth or level, how many files of which types, their sizes (which
    are bigger than 100 MB) and when they were last changed, names that end in something.

    Example: {}
    """
    repository = session().state.repository(id)
    found = await in_thread(lambda: list(listing.list_directory(repository, prefix, depth)))
    if not found and not cursor:
        return await in_thread(_nothing, repository, prefix)
    question = [repository.name, prefix, checked_depth(depth), len(found)]
    page, following = cursors.page(found, question, cursor, size=LISTED, most_bytes=PAGE_BYTES, written=_line)
    return Answer(
        source=repository.about,
        text="\n".join(map(_line, page)),
        data={"names": len(found)},
        warnings=_stars(prefix),
        next=f"repeat the call with cursor={following!r}" if following else "",
    )


def _line(found: Found) -> str:
    note = f"  ({found.note})" if found.note else "  (a link)" if found.link else ""
    return f"{shown(found.path)}{'/' if found.kind == 'folder' else ''}{note}"


def _stars(prefix: str) -> tuple[str, ...]:
    """Return the warning for a part ``**``, which people write for any folders."""
    if "**" not in prefix.split("/"):
        return ()
    return (
        "** stands for one folder here, as * does. depth=null lists all files below a prefix; "
        'search_files(query=".csv", where="names") finds them by name in any folder',
    )


def _nothing(repository: Repository, prefix: str) -> Answer:
    """Say that there is nothing: an error where the prefix names what does not exist."""
    parts = parts_in(repository, prefix, where="prefix")
    if any("*" in each or "?" in each for each in parts):
        return Answer(
            source=repository.about,
            data={"names": 0},
            warnings=(f"Nothing matches {prefix}", *_stars(prefix)),
        )
    path = located(repository, prefix)
    if repository.kind(path) == "folder":
        return Answer(source=repository.about, data={"names": 0}, warnings=("The folder is empty",))
    raise missing(repository, path, "file or folder")


def missing(repository: Repository, path: str, what: str = "file") -> LabrigError:
    """Return the error for a path that names nothing, with the nearest names in the folder where it would be."""
    folder, name = path.rpartition("/")[::2]
    while folder and repository.kind(folder) != "folder":
        folder, name = folder.rpartition("/")[::2]
    try:
        names = [shown(each.name) for each in repository.entries(folder)[:2000]]
    except LabrigError:  # a folder that cannot be listed has no names to offer
        names = []
    close = [f"{folder}/{each}".lstrip("/") for each in nearest(name, names)]
    return LabrigError(
        f"There is no such {what}",
        where=shown(path),
        try_=f"did you mean {' or '.join(close)}?" if close else f"list_directory(prefix={folder or '/'!r})",
        code="not_found",
    )


def existing(repository: Repository, path: str) -> str:
    """Return what a path stands for in a repository; LabrigError ``not_found`` with the nearest names."""
    found = located(repository, path)
    if repository.kind(found) is None:
        try:
            repository.size(found)  # what is hidden has a better reason
        except LabrigError as error:
            if error.code != "not_found":
                raise
        raise missing(repository, found)
    return found


@contextmanager
def opened(state: State, id: object, path: str, *, viewed: bool = False) -> Iterator[tuple[Files, str, str]]:
    """Give what holds a file, its path there, and one line of what it is: a file of a repository, or an artifact.

    A refusal of a picture names view_file, unless that is what was `viewed` with.
    """
    if names_artifact(path):
        with opened_source(path) as source:
            yield source, source.name, f"artifact {path}: {source.name}"
    else:
        repository = state.repository(id)
        found = existing(repository, path)
        try:
            yield repository, found, f"{repository.about}: {shown(found)}"
        except LabrigError as error:
            if not viewed and error.code == "bad_input" and found.lower().endswith(VIEWED):
                error.try_ = f"view_file(path={shown(found)!r})"
            raise


@toolbox.tool(title="Read a text file", read_only=True)
async def read_text_file(
    path: SourceArgument,
    head: HeadArgument = None,
    tail: TailArgument = None,
    start_line: StartLineArgument = None,
    id: IdArgument = "",
) -> Answer:
    """Read a text file, or some of its lines: the first (head), the last (tail), or those from one on (start_line).

    Whole files come up to 20,000 bytes, lines up to 100,000; longer text is cut, and the answer says so.

    Show the first lines of a README, or open a script (R, Python) from one line to another.

    Example: {"path": "README.txt", "head": 5}
    """
    state: State = session().state
    most = WHOLE_BYTES if head is None and tail is None and start_line is None else LINES_BYTES

    def reads() -> tuple[str, Text]:
        with opened(state, id, path) as (files, found, about):
            return about, reading.read_text_file(
                files, found, head=head, tail=tail, start_line=start_line, most_bytes=most
            )

    about, text = await in_thread(reads)
    warnings = []
    if text.cut:
        side = (
            "end"
            if tail is not None
            else "beginning"
            if start_line is None
            else f"beginning of line {start_line}"
        )
        warnings.append(
            f"Cut to {len(text.text):,} characters from the {side} of a file of {text.size:,} bytes"
        )
    if text.replaced:
        warnings.append(
            f"{text.replaced} bytes are not valid {text.encoding} and are shown as \N{REPLACEMENT CHARACTER}"
        )
    return Answer(
        source=about,
        status="partial" if text.cut else "ok_with_warnings" if warnings else "ok",
        text=text.text,
        data={"bytes": text.size, "encoding": text.encoding},
        warnings=tuple(warnings),
        next="use start_line, head or tail; describe_table for a table; run_python_code to compute with the whole file"
        if text.cut
        else "",
        record={"text_sha256": sha256(text.text.encode("utf-8", "surrogatepass"))},
    )


@toolbox.tool(title="Read a file as Base64", read_only=True)
async def read_binary_file(path: SourceArgument, id: IdArgument = "") -> Answer:
    """Read a small file of any kind as Base64 (up to 48,000 bytes). Larger files can be read in run_python_code.

    Example: {"path": "README.txt"}
    """
    state: State = session().state

    def reads() -> tuple[str, str, str]:
        with opened(state, id, path) as (files, found, about):
            return about, *reading.read_binary_file(files, found, most_bytes=BINARY_BYTES)

    about, content, media_type = await in_thread(reads)
    return Answer(source=about, data={"media_type": media_type, "base64": content})


@toolbox.tool(title="Search names and contents", read_only=True)
async def search_files(
    query: Annotated[
        str,
        Field(
            max_length=MOST_QUERY,
            description="Text to look for, case ignored; for names also with * and ?, as in *.csv or meta/*2024*.",
        ),
    ],
    pattern: Annotated[
        str,
        Field(
            description="Which files: *.csv, runs/**, data/*/log_?.txt; ** is any folders but hidden ones and caches."
        ),
    ] = "**",
    where: Annotated[
        Literal["both", "names", "contents"], Field(description="Search paths, text, or both.")
    ] = "both",
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Find files whose path or text contains the query; matching lines come with their numbers.

    Contents that are not text are skipped and counted.

    Hunt for everything in an archive or deposit that mentions a word, where somebody must have written it: headers of
    csv files, notes, codes such as QF=9, file names ending in _raw.h5.

    Example: {"query": "oxygen"}
    """
    repository = session().state.repository(id)
    page = await in_thread(
        lambda: looked_for(
            repository,
            query,
            pattern=pattern,
            names=where != "contents",
            contents=where != "names",
            cursor=cursor,
            size=HITS,
            most_bytes=PAGE_BYTES,
        )
    )
    data: dict[str, Any] = {"hits": page.hits, "files": page.files, "searched": page.searched}
    if page.skipped:
        data["skipped"] = page.skipped
    warnings = [] if page.files else [f"No file matches {pattern}"]
    if not page.hits and not cursor and LOOKS_LIKE_REGEX.search(query):
        warnings.append(
            "The text is looked for as it stands, not as a regular expression. In run_python_code, re.search over the "
            'files of Path().rglob("*") finds what a regular expression names'
        )
    if page.cursor and len(page.hits) < HITS:  # time or room ended the page
        warnings.append(
            f"This page covers {page.searched:,} of {page.files:,} files; a narrower pattern selects fewer"
        )
    return Answer(
        source=repository.about,
        data=data,
        warnings=tuple(warnings),
        next=f"repeat the call with cursor={page.cursor!r}" if page.cursor else "",
    )
