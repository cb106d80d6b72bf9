"""What a table holds, without its rows."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, json_bytes
from labrig.tables import Description
from labrig.tables.apart import describe_apart
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools import cursor as cursors
from labrig.tools.reading import Files
from labrig.tools.sources import Source
from labrig_repository.folder.folder import Folder
from labrig_repository.server.base import IdArgument, SourceArgument, State, toolbox
from labrig_repository.server.files import CursorArgument, opened

COLUMNS = 40
"""Columns on a page, at most; fewer where an answer would be too large."""

SAID_BYTES = 120
"""Of what an answer says of its next page."""


async def described(state: State, files: Files, path: str, sheet: str) -> Description:
    """Describe a table in a child process; a generated one is written for it."""
    if isinstance(files, Source):
        return await describe_apart(state.readers, files.descriptor, path, sheet=sheet)
    if not isinstance(files, Folder):
        with tempfile.TemporaryFile() as file:
            file.write(await in_thread(files.read, path))
            file.flush()
            return await describe_apart(state.readers, file.fileno(), path, sheet=sheet)
    with files.readable(path) as descriptor:
        return await describe_apart(state.readers, descriptor, path, sheet=sheet)


@toolbox.tool(title="Describe a table", read_only=True)
async def describe_table(
    path: SourceArgument,
    sheet: Annotated[str, Field(description="Sheet of a workbook; by default the first.")] = "",
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Describe a table without loading it: columns with type, unit (if stated), range, missing and distinct values.

    It reads CSV and its relatives, Parquet, xlsx, JSON and JSON lines, and the headers of NetCDF and HDF5.

    It is a data dictionary: columns with types, missing share, ranges and sample values, and the sheets of a workbook
    (xlsx) with their names and sizes.

    Example: {"path": "casts.csv"}
    """
    state: State = session().state
    with ExitStack() as held:
        files, found, about = await in_thread(lambda: held.enter_context(opened(state, id, path)))
        description = await described(state, files, found, sheet)
    data: dict[str, Any] = description.to_dict()
    place = about if isinstance(files, Source) else state.repository(id).name
    question = [place, found, sheet, len(description.columns)]
    partly = (
        ()
        if description.complete
        else ("Only the beginning of the file was read; ranges and counts are for that part",)
    )
    answer = Answer(
        source=about,
        status="ok" if description.complete else "partial",
        data=data,
        warnings=(*partly, *description.notes),
    )
    beside = json_bytes(replace(answer, data=data | {"columns": []}).to_dict()) + SAID_BYTES
    page, following = cursors.page(
        description.columns, question, cursor, size=COLUMNS, most_bytes=ANSWER_BYTES - beside
    )
    data["columns"] = list(page)
    if following:
        data["columns_altogether"] = len(description.columns)
        return replace(answer, next=f"repeat the call with cursor={following!r}")
    return answer
