"""The search of names and contents."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Answer
from labrig.tables import Description
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_repository.folder.searching import MOST_QUERY
from labrig_repository.folder.searching import search as looked_for
from labrig_repository.server.base import IdArgument, State, toolbox
from labrig_repository.server.files import PAGE_BYTES, CursorArgument
from labrig_repository.server.tables import described

HITS = 40

LOOKS_LIKE_REGEX = re.compile(r"\\[dwsbDWSB.]|\[[^\]]+\]|\.[*+?]|[^\s|]\|[^\s|]|\(\?|^\^|\$$|\{\d+,?\d*\}")
"""A query that finds nothing and was meant as a regular expression, most likely."""


@toolbox.tool(
    title="Search names and contents",
    read_only=True,
    words="grep lines, word, string, error code, logs, notes, csv headers, file names ending in something, find "
    "text anywhere, contain or mention, where is it defined, git repository, line numbers, regular expression, "
    "regex, find a file by name or extension",
)
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
    regex: Annotated[
        bool, Field(description="The query is a regular expression (RE2), as in temp_[FC] or ^site,.*mg/L.")
    ] = False,
    where: Annotated[
        Literal["both", "names", "contents"],
        Field(description="Search names (paths), contents (text), or both."),
    ] = "both",
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Find files whose path or text contains the query; matching lines come with their numbers.

    Of tables that are no text (xlsx, NetCDF, HDF5, Parquet) sheets, columns, units and attributes are searched; other
    contents are skipped and counted. Case is ignored, and uS/cm finds \N{MICRO SIGN}S/cm.

    As grep does: lines with a word or an error code in log files, data and code, with line numbers. Hunt for
    everything in an archive or deposit that mentions a word, where somebody must have written it: headers of csv
    files, notes, codes such as QF=9, file names ending in _raw.h5.

    Example: {"query": "oxygen"}
    """
    state: State = session().state
    repository = state.repository(id)
    loop = asyncio.get_running_loop()

    def describe(path: str) -> Description:  # in the thread that searches, which waits for it
        return asyncio.run_coroutine_threadsafe(
            described(state, repository, path, values=False), loop
        ).result()

    page = await in_thread(
        lambda: looked_for(
            repository,
            query,
            pattern=pattern,
            regex=regex,
            names=where != "contents",
            contents=where != "names",
            cursor=cursor,
            size=HITS,
            most_bytes=PAGE_BYTES,
            kept=state.kept,
            describe=describe,
        )
    )
    data: dict[str, Any] = {"hits": page.hits, "files": page.files, "searched": page.searched}
    if page.skipped:
        data["skipped"] = page.skipped
    warnings = [] if page.files else [f"No file matches {pattern}"]
    if not page.hits and not cursor and not regex and LOOKS_LIKE_REGEX.search(query):
        warnings.append("The text was looked for as it stands; regex=true takes it as a regular expression")
    elif not page.hits and not (cursor or page.cursor or regex) and len(query.split()) > 1:
        warnings.append(
            "The words were looked for as one phrase; fewer words find more, and regex=true takes one|other"
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
