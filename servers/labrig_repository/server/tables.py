"""What a table holds, without its rows."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import Field

from labrig import cursor as cursors
from labrig.answer import Answer
from labrig.toolbox import session
from labrig_repository.folder import Folder
from labrig_repository.names import shown
from labrig_repository.server.base import IdArgument, PathArgument, State, toolbox
from labrig_repository.server.files import CursorArgument, existing
from labrig_repository.store import Repository
from labrig_repository.tables import Description, describe
from labrig_repository.tables.apart import describe_apart

COLUMNS = 40
"""Columns on a page."""


async def described(state: State, repository: Repository, path: str, sheet: str) -> Description:
    """Describe a table of a repository: a folder's in a child process, a generated one, which is made by us, here."""
    if not isinstance(repository, Folder):
        return await asyncio.to_thread(describe, repository, path, sheet=sheet)
    async with state.describing:
        return await describe_apart(repository, path, sheet=sheet)


@toolbox.tool(title="Describe a table", read_only=True)
async def describe_table(
    path: PathArgument,
    sheet: Annotated[str, Field(description="Sheet of a workbook; default the first.")] = "",
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Describe a table without loading it: columns with type, unit (where stated), range, missing and distinct values.

    CSV and its relatives, Parquet, xlsx, JSON, JSON lines; of NetCDF and HDF5 the header.
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
        () if description.complete else ("Only the beginning was looked at: ranges and counts hold for it",)
    )
    return Answer(
        source=f"{repository.about}: {shown(found)}",
        status="ok" if description.complete else "partial",
        data=data,
        warnings=(*partly, *description.notes),
        next=f"the same with cursor={following!r}" if following else "",
    )
