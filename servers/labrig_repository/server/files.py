"""Our own readers and the search: answers that carry their source, and cursors."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

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
from labrig_repository.folder.searching import matching_files
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

MOST_NAMES_KEPT = 100_000
"""Names of a listing whose further pages are of the moment of the first; a longer one is made anew for each."""

PAGE_BYTES = ANSWER_BYTES - 600
"""Of a page of names or hits, as JSON; the rest is for what is said beside them."""

WHOLE_BYTES, LINES_BYTES = 20_000, 100_000
"""Bytes of text without and with head or tail."""

BINARY_BYTES = 48_000
VIEWED = (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".bmp", ".jp2", ".pdf")
"""Names of what view_file shows: where another tool refuses such a file, it says so."""

CursorArgument = Annotated[str, Field(description="Cursor from an earlier answer, to get its next page.")]


@toolbox.tool(
    title="List a directory",
    read_only=True,
    first=True,
    words="what is in an inherited folder, file types, number of files in each folder, folder tree, subfolders, "
    "levels, sizes, bigger than 100 MB, newest, last changed, names, ending, glob, ls",
)
async def list_directory(
    prefix: Annotated[
        str,
        Field(
            description="Path; * and ? match characters within one part of it, as in runs/2020*/*.csv; ** any folders."
        ),
    ] = "/*",
    depth: Annotated[
        int | None, Field(ge=0, description="How many levels to show; null for all files below.")
    ] = 1,
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """List a directory, or the names that match wildcards. The paths can be given to the other tools as they are.

    A directory ends with /; in brackets behind a file stand its size and the day (UTC) of its last change, and behind
    what is neither file nor directory, or leads outside, why it is not read.

    It shows what is in a folder: subfolders to any depth or level, how many files of which types, their sizes (which
    are bigger than 100 MB) and when they were last changed, names that end in something.

    Example: {}
    """
    state: State = session().state
    repository = state.repository(id)
    asked = (repository.name, prefix, checked_depth(depth))
    found = state.listings.get(asked) if cursor else None
    if found is None:
        found = await in_thread(_listed, repository, prefix, depth)
    if not found and not cursor:
        return await in_thread(_nothing, repository, prefix)
    question = [*asked, len(found)]
    page, following = cursors.page(found, question, cursor, size=LISTED, most_bytes=PAGE_BYTES, written=_line)
    if not following:
        state.listings.pop(asked, None)
    elif len(found) <= MOST_NAMES_KEPT:
        state.keep_listing(asked, found)
    return Answer(
        source=repository.about,
        text="\n".join(map(_line, page)),
        data={"names": len(found)},
        next=f"repeat the call with cursor={following!r}" if following else "",
    )


def _listed(repository: Repository, prefix: str, depth: int | None) -> list[Found]:
    """Return what a prefix lists; with a part ``**``, which the paper's tool does not have, the files that match."""
    if "**" in prefix.split("/"):
        return matching_files(repository, prefix, where="prefix")[0]
    return list(listing.list_directory(repository, prefix, depth))


def _line(found: Found) -> str:
    said = [found.note or ("a link" if found.link else "")]
    if found.version is not None:
        said += [_size(found.version.size), _day(found.version.written // (86_400 * 1_000_000_000))]
    note = ", ".join(filter(None, said))
    return f"{shown(found.path)}{'/' if found.kind == 'folder' else ''}{f'  ({note})' if note else ''}"


@functools.lru_cache(maxsize=1_000)
def _day(number: int) -> str:
    """Return a day since 1970 (UTC)."""
    return time.strftime("%Y-%m-%d", time.gmtime(number * 86_400))


@functools.lru_cache(maxsize=1_000)
def _size(size: float) -> str:
    """Return the size of a file in bytes, kB, MB or GB (powers of 1,000)."""
    if size < 1000:
        return f"{size:.0f} bytes"
    for unit in ("kB", "MB"):
        size /= 1000
        if size < 999.95:
            return f"{size:.1f} {unit}"
    return f"{size / 1000:,.1f} GB"


def _nothing(repository: Repository, prefix: str) -> Answer:
    """Say that there is nothing: an error where the prefix names what does not exist."""
    parts = parts_in(repository, prefix, where="prefix")
    if any("*" in each or "?" in each for each in parts):
        return Answer(
            source=repository.about,
            data={"names": 0},
            warnings=(f"Nothing matches {prefix}",),
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


@toolbox.tool(
    title="Read a text file",
    read_only=True,
    words="head, tail, first or last lines of a log, README, script, large, gigabytes, line range",
)
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


@toolbox.tool(
    title="Read a file as Base64", read_only=True, words="bytes, hex, Base64, magic number, unknown format"
)
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
