"""What a table holds, without its rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, json_bytes
from labrig.errors import LabrigError
from labrig.tables import Description
from labrig.tables.apart import TOGETHER, describe_apart, describe_together
from labrig.tables.delimited import MOST_BYTES as MOST_TEXT
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools import cursor as cursors
from labrig.tools.reading import LOOKED_AT, Files, encoding_of
from labrig.tools.sources import Source, names_artifact
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.hierarchy import MOST_BYTES, gather
from labrig_repository.folder.listing import Found
from labrig_repository.folder.names import located, shown
from labrig_repository.folder.searching import matching_files
from labrig_repository.folder.store import Repository
from labrig_repository.folder.together import combine
from labrig_repository.server.base import IdArgument, State, toolbox
from labrig_repository.server.files import CursorArgument, opened

COLUMNS = 40
"""Columns on a page, at most; fewer where an answer would be too large."""

SAID_BYTES = 120
"""Of what an answer says of its next page."""

REFUSED_BYTES = 2_500
"""Of an answer about many tables, what is said beside the kinds of them."""

MOST_FILES, MOST_TOGETHER_BYTES = 5_000, 16 << 20
"""Files and bytes that one pattern describes: small tables some 500 a second, or 1 MB a second."""


@contextmanager
def _on_disk(files: Files, path: str) -> Iterator[int]:
    """Give a descriptor of a file; a generated one is written for it."""
    if isinstance(files, Source):
        yield files.descriptor
    elif isinstance(files, Folder):
        with files.readable(path) as descriptor:
            yield descriptor
    else:
        with tempfile.TemporaryFile() as file:
            file.write(files.read(path))
            file.flush()
            yield file.fileno()


async def described(
    state: State, files: Files, path: str, sheet: str = "", *, values: bool = True
) -> Description:
    """Describe a table in a child process, as `labrig.tables.describe_table` does."""
    with ExitStack() as held:
        if isinstance(files, Folder) and files.kind(path) == "folder":
            file = held.enter_context(tempfile.TemporaryFile())
            whole = await in_thread(gather, files, path, file)
            zipped = f"{path.removesuffix('.zarr')}.zarr"
            found = await describe_apart(state.readers, file.fileno(), zipped, values=values and whole)
            notes = (
                [*found.notes]
                if whole
                else [*found.notes, f"of more than {MOST_BYTES:,} bytes no range is read"]
            )
            return replace(found, notes=notes)
        descriptor = await in_thread(lambda: held.enter_context(_on_disk(files, path)))
        return await describe_apart(state.readers, descriptor, path, sheet=sheet, values=values)


def has_wildcards(repository: Repository, path: str) -> bool:
    """Tell whether a path is a pattern; a file may be named like one."""
    return ("*" in path or "?" in path) and repository.kind(located(repository, path)) is None


async def described_together(
    state: State, repository: Repository, pattern: str, **further: str
) -> dict[str, Any]:
    """Describe the tables that a pattern names, as one.

    Parameters
    ----------
    further
        Arguments that one table alone takes, by name: all must be empty.

    Returns
    -------
    dict
        ``files`` that match and how many were ``described``, what `together.combine` says of these, and ``refused``:
        reason -> how many, with one path.

    Raises
    ------
    LabrigError
        ``not_found`` for a pattern that no file matches, ``bad_input`` for an argument of one table.
    """
    for name in filter(further.get, further):
        raise LabrigError(
            "A pattern describes many tables at once: it has no sheet and no pages",
            where=name,
            try_="the path of one table, or a narrower pattern",
        )
    matching = [
        each for each in (await in_thread(matching_files, repository, pattern))[0] if each.kind == "file"
    ]
    if not matching:
        raise LabrigError(
            f"No file matches {pattern}",
            where="path",
            expected="a pattern such as runs/*.csv or **/*.xlsx",
            try_="list_directory shows what there is",
            code="not_found",
        )
    found: list[tuple[str, Description]] = []
    refused: dict[str, dict[str, Any]] = {}
    looked = size = 0
    while looked < len(matching) and looked < MOST_FILES and size < MOST_TOGETHER_BYTES:
        batch = _next_batch(matching[looked : looked + TOGETHER], MOST_TOGETHER_BYTES - size)
        looked += len(batch)
        sizes, said = await _batch(state, repository, [each.path for each in batch])
        size += sizes
        for each, one in zip(batch, said, strict=True):
            if isinstance(one, Description):
                found.append((shown(each.path), one))
            else:
                entry = refused.setdefault(one.what, {"count": 0, "such_as": shown(each.path)})
                entry["count"] += 1
    data = {"files": len(matching), "described": len(found), "looked_at": looked}
    return (
        data
        | combine(found, ANSWER_BYTES - REFUSED_BYTES)
        | ({"refused": dict(list(refused.items())[:10])} if refused else {})
    )


def _next_batch(files: list[Found], room: int) -> list[Found]:
    """Return the first files whose parts that are looked at have room; one at least. One on no disk is small."""
    for number, each in enumerate(files):
        room -= min(each.version.size, MOST_TEXT) if each.version else 0
        if room < 0:
            return files[: max(1, number)]
    return files


async def _batch(
    state: State, repository: Repository, paths: list[str]
) -> tuple[int, list[Description | LabrigError]]:
    """Describe some files, texts among them together; return the bytes that were looked at, too."""
    with ExitStack() as held:

        def opens() -> tuple[int, list[tuple[int, str] | LabrigError], list[bool]]:
            opened, texts, size = list[tuple[int, str] | LabrigError](), list[bool](), 0
            for path in paths:
                try:
                    descriptor = held.enter_context(_on_disk(repository, path))
                    opened.append((descriptor, path))
                    texts.append(encoding_of(os.pread(descriptor, LOOKED_AT, 0)) is not None)
                    size += min(os.fstat(descriptor).st_size, MOST_TEXT)
                except LabrigError as error:
                    opened.append(error)
                    texts.append(False)
            return size, opened, texts

        size, opened, texts = await in_thread(opens)
        small = [
            each
            for each, text in zip(opened, texts, strict=True)
            if text and not isinstance(each, LabrigError)
        ]
        together = iter(await describe_together(state.readers, small) if small else [])
        said: list[Description | LabrigError] = []
        for each, text in zip(opened, texts, strict=True):
            if isinstance(each, LabrigError):
                said.append(each)
            elif text:
                said.append(next(together))
            else:
                try:
                    said.append(await describe_apart(state.readers, *each))
                except LabrigError as error:
                    said.append(error)
        return size, said


@toolbox.tool(
    title="Describe a table",
    read_only=True,
    words="list columns of a csv file, header, column names, types, row count, number of rows, count of missing "
    "values, NaN, blanks in a column, data types, schema, data dictionary, codebook, profile, summary, min and max, "
    "range, unique, distinct values, sheets of a workbook, Excel, xlsx, parquet, hdf5, mat, sqlite, all CSVs of a "
    "folder, same columns",
)
async def describe_table(
    path: Annotated[
        str,
        Field(
            description="Path of a table in the repository, an artifact's handle, or a pattern for many: runs/*.csv."
        ),
    ],
    sheet: Annotated[str, Field(description="Sheet of a workbook; by default the first.")] = "",
    id: IdArgument = "",
    cursor: CursorArgument = "",
) -> Answer:
    """Describe a table without loading it: columns with type, unit (if stated), range, missing and distinct values.

    It reads CSV and its relatives, Parquet, xlsx, xls, JSON, NetCDF, HDF5, Zarr, GeoTIFF, shapefiles, MATLAB, SQLite.

    A pattern (*, ?, ** for any folders) describes all tables that it names as one: which have the same columns, how the
    others differ, and ranges over all of them.

    It is a data dictionary: how many rows and columns (row count), for each column its type, the count of missing
    values, min, max and sample values, and the sheets of a workbook (xlsx) with their names and sizes.

    Example: {"path": "casts.csv"}
    """
    state: State = session().state
    if not names_artifact(path) and has_wildcards(repository := state.repository(id), path):
        together = await described_together(state, repository, path, sheet=sheet, cursor=cursor)
        partly = together["looked_at"] < together["files"]
        return Answer(
            source=f"{repository.about}: {path}",
            status="partial" if partly else "ok",
            data=together,
            warnings=(
                f"Only the first {together['looked_at']:,} of {together['files']:,} files were looked at",
            )
            if partly
            else (),
            next="a narrower pattern describes the others" if partly else "",
        )
    with ExitStack() as held:
        files, found, about = await in_thread(lambda: held.enter_context(opened(state, id, path)))
        description = await described(state, files, found, sheet)
    data: dict[str, Any] = description.to_dict()
    place = about if isinstance(files, Source) else state.repository(id).name
    question = [place, found, sheet, len(description.columns)]
    partly = (
        ()
        if description.complete
        else ("Only a part of the file was read; ranges and counts are for that part",)
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
