"""A table is described by a child process: the readers of Parquet, HDF5 and workbooks are large, and a file may be
made to crash them, to fill the memory or to take for ever. That ends the child, and the server says so.

The child is given one file that is open already. Before it reads, it closes itself in (`labrig.isolation.closing`): a
reader that is taken over by a file can open no other one, write nowhere and reach nobody.
"""

from __future__ import annotations

import json
import mimetypes
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.isolation.closing import close_in
from labrig.isolation.inside.answering import FIRST_FILE
from labrig.isolation.process import Limits
from labrig.tables import Description, describe_table
from labrig.tables.spreadsheet import read_sheets
from labrig.tools.reading import OpenFile

LIMITS = Limits(wall_s=40, cpu_s=40, memory_bytes=4 << 30, data_bytes=768 << 20, output_bytes=4 << 20)
"""Of one description; a client waits 60 s. Address space is more than memory: pyarrow maps a lot that it never uses.
20,000 columns of a Parquet file are described in 1.4 MB; what is read of JSON takes up to thirty times its bytes, and
above `data_bytes` it is refused."""
TOGETHER = 50
"""Files of one child, at most; a socket passes 253 descriptors (SCM_MAX_FD of Linux)."""
CELLS_BYTES = 32 << 20
"""Of the cells of a workbook."""
MOST = 4
"""Descriptions of all callers at a time: together 3 GiB of memory at most."""
WHAT = "Describing the table"
SLOW: Sequence[str] = ("numpy", "openpyxl", "python_calamine")
"""Imported before the first table. pyarrow and h5py start threads, which a fork would leave behind."""


def readers(*, slots: int = 4, places: int = 100) -> Children:
    """Return what describes tables in processes of their own, so many at a time for each caller."""
    home = {"HOME": os.environ["HOME"]} if "HOME" in os.environ else {}
    return Children(
        __name__,
        what=WHAT,
        limits=LIMITS,
        slots=slots,
        places=places,
        most=MOST,
        preload=SLOW,
        variables=home | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
    )


async def describe_apart(
    by: Children, descriptor: int, path: str, *, sheet: str = "", values: bool = True
) -> Description:
    """Describe a table that is open, as `describe_table` does.

    Parameters
    ----------
    by
        What `readers` returned.
    path
        Its name, for the format and for errors.

    Raises
    ------
    LabrigError
        As `describe_table`; ``limit`` for what takes too long or too much memory, ``bad_input`` for what crashes a
        reader, ``busy`` for too many at a time.
    """
    spent = "read what is needed of it in run_python_code"
    question = {"path": path, "sheet": sheet, "values": values}
    said = await by.answer(question, [descriptor], limits=LIMITS, reads=path, spent=spent)
    try:
        return _described(json.loads(said))
    except (ValueError, TypeError, RecursionError):  # a reader that was taken over may answer anything
        raise LabrigError(
            "The reader of this format gave no description: the file is broken, or made to do that",
            where=path,
        ) from None


async def describe_together(
    by: Children, files: Sequence[tuple[int, str]]
) -> list[Description | LabrigError]:
    """Describe several small text tables that are open, in one child: a process costs more than such a table.

    A child that one of them crashes or holds up has described none; then each gets a child of its own.

    Parameters
    ----------
    files
        Descriptor and path of each, `TOGETHER` at most. Readers of binary formats can be taken over by a file, and
        would then speak for the others: such files go to `describe_apart`.
    """
    question = {"paths": [path for _, path in files]}
    try:
        said = json.loads(await by.answer(question, [descriptor for descriptor, _ in files], limits=LIMITS))
        return [
            LabrigError(str(each["what"]), where=path) if "what" in each else _described(each)
            for each, (_, path) in zip(said, files, strict=True)
        ]
    except LabrigError as error:
        if error.code == "busy":
            raise
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    found: list[Description | LabrigError] = []
    for descriptor, path in files:
        try:
            found.append(await describe_apart(by, descriptor, path))
        except LabrigError as error:
            found.append(error)
    return found


async def sheets_apart(
    by: Children, descriptor: int, path: str, *, sheet: str = "", rows: int, columns: int
) -> dict[str, list[list[str]]]:
    """Return the cells of a workbook that is open, as `spreadsheet.read_sheets` does; errors as `describe_apart`."""
    question = {"path": path, "sheet": sheet, "rows": rows, "columns": columns}
    limits = replace(LIMITS, output_bytes=CELLS_BYTES)
    said = await by.answer(question, [descriptor], limits=limits, reads=path)
    try:
        sheets = json.loads(said).items()
        return {str(name): [[str(cell) for cell in row] for row in cells] for name, cells in sheets}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise LabrigError("The reader of this format gave no cells: the file is broken", where=path) from None


def _described(said: Any) -> Description:
    """Return what a child said, if its parts are of the kinds that a description has; else raise."""
    found = Description(**said)
    columns = isinstance(found.columns, list) and all(isinstance(each, dict) for each in found.columns)
    notes = isinstance(found.notes, list) and all(isinstance(each, str) for each in found.notes)
    rows = found.rows is None or type(found.rows) is int
    sound = (
        isinstance(found.format, str) and isinstance(found.complete, bool) and isinstance(found.about, dict)
    )
    if not (columns and notes and rows and sound):
        raise TypeError("a description of another shape")
    return found


class _Opened(OpenFile):
    """A file that the child was given; the first, unless it is told."""

    def __init__(self, number: int = 0) -> None:
        self.descriptor = FIRST_FILE + number


def work(question: Any) -> bytes:
    """Return the description, or the cells of a workbook, as JSON; whatever a reader finds wrong becomes a refusal."""
    mimetypes.init()  # from the system's tables, which cannot be opened behind the walls
    if "paths" in question:
        files = [_Opened(number) for number in range(len(question["paths"]))]
        close_in([each.descriptor for each in files])
        return json.dumps(list(map(_said, files, question["paths"]))).encode()
    path = question["path"]
    try:
        opened = _Opened()
        close_in([opened.descriptor])
        if "rows" in question:
            return json.dumps(read_sheets(opened, **question)).encode()
        return json.dumps(asdict(describe_table(opened, **question))).encode()
    except LabrigError:
        raise
    except PermissionError:
        raise LabrigError("The file system does not permit this", where=path, code="refused") from None
    except MemoryError:
        raise LabrigError(
            f"Describing the table needs more than {LIMITS.data_bytes or 0:,} bytes of memory",
            where=path,
            try_="read what is needed of it in run_python_code",
            code="limit",
        ) from None
    except Exception as error:  # each reader has its own, and a broken file finds others
        raise LabrigError(f"The file cannot be read: {type(error).__name__}: {error}", where=path) from None


def _said(file: OpenFile, path: str) -> dict[str, Any]:
    """Return a description as plain data, or ``what`` is wrong with the file."""
    try:
        return asdict(describe_table(file, path))
    except LabrigError as error:
        return {"what": error.what}
    except Exception as error:
        return {"what": f"The file cannot be read: {type(error).__name__}"}
