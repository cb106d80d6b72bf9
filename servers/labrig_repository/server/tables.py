"""What a table holds, without its rows."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import Field

from labrig import tables
from labrig.answer import Answer
from labrig.tables import Description
from labrig.tables.apart import describe_apart
from labrig.toolbox import session
from labrig.tools import cursor as cursors
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.names import shown
from labrig_repository.folder.store import Repository
from labrig_repository.server.base import IdArgument, PathArgument, State, toolbox
from labrig_repository.server.files import CursorArgument, existing

COLUMNS = 40
"""Columns on a page."""


async def described(state: State, repository: Repository, path: str, sheet: str) -> Description:
    """Describe a table of a repository: a folder's in a child process, a generated one, which is made by us, here."""
    if not isinstance(repository, Folder):
        return await asyncio.to_thread(tables.describe_table, repository, path, sheet=sheet)
    with repository.opened_file(path) as descriptor:
        return await describe_apart(state.readers, descriptor, path, sheet=sheet)


@toolbox.tool(title="Describe a table", read_only=True)
async def describe_table(
    path: PathArgument,
    sheet: Annotated[str, Field(description="Sheet of a workbook; by default the first.")] = "",
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Describe a table without loading it: columns with type, unit (if stated), range, missing and distinct values.

    It reads CSV and its relatives, Parquet, xlsx, JSON and JSON lines, and the headers of NetCDF and HDF5.
    """
    state: State = session().state
    repository = state.repository(id)
    found = await asyncio.to_thread(existing, repository, path)
    description = await described(state, repository, found, sheet)
    data: dict[str, Any] = description.to_dict()
    question = [repository.name, found, sheet, len(description.columns)]
    page, following = cursors.page(description.columns, question, cursor, size=COLUMNS)
    data["columns"] = list(page)
    if following:
        data["columns_altogether"] = len(description.columns)
    partly = (
        ()
        if description.complete
        else ("Only the beginning of the file was read; ranges and counts are for that part",)
    )
    return Answer(
        source=f"{repository.about}: {shown(found)}",
        status="ok" if description.complete else "partial",
        data=data,
        warnings=(*partly, *description.notes),
        next=f"repeat the call with cursor={following!r}" if following else "",
    )
