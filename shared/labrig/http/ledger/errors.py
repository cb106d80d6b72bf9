"""What SQLite, the system and damaged files do to a ledger, said so that somebody can act on it.

None of it is ``not_found``: that is what a service says of something that it does not have.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labrig.errors import LabrigError


class Damaged(ValueError):
    """Something in a ledger is not as it was written."""


def missing(path: Path, what: str = "There is no ledger") -> LabrigError:
    """Return the error for a ledger that nobody has recorded."""
    return LabrigError(
        what,
        where=str(path),
        try_="record one: the same work with LABRIG_HTTP_MODE=record; or name another with LABRIG_HTTP_LEDGER",
        code="unavailable",
    )


def no_ledger(path: Path) -> LabrigError:
    """Return the error for another kind of file."""
    return LabrigError(
        "This file is not a ledger", where=str(path), expected="one that the mode record has written"
    )


def damaged(path: Path, why: str) -> LabrigError:
    """Return the error for a ledger whose content is not what was written."""
    return LabrigError(
        f"The ledger is damaged: {why}",
        where=str(path),
        try_="a copy of it; or record anew to another path",
        code="unavailable",
    )


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system refuse into a `LabrigError`."""
    try:
        yield
    except sqlite3.ProgrammingError:  # a defect of ours
        raise
    except (
        Damaged,
        UnicodeDecodeError,
        IndexError,
    ) as error:  # names or messages that are not text; a missing column
        raise damaged(path, str(error)) from error
    except sqlite3.Error as error:
        raise _said(path, error) from error
    except OSError as error:
        raise LabrigError(
            f"The ledger cannot be used: {error.strerror}", where=str(path), code="unavailable"
        ) from error


def is_busy(error: Exception) -> bool:
    """Tell whether another process was waited for in vain."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: Exception) -> int:
    """Return SQLite's primary result code (https://www.sqlite.org/rescode.html)."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _said(path: Path, error: sqlite3.Error) -> LabrigError:
    match _code(error):
        case sqlite3.SQLITE_NOTADB:
            return no_ledger(path)
        case sqlite3.SQLITE_CORRUPT:
            return damaged(path, str(error))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LabrigError(
                "Another process holds the ledger",
                where=str(path),
                try_="the same again, or end the other process",
                code="busy",
            )
        case sqlite3.SQLITE_FULL:
            return LabrigError(
                "There is no room for the ledger: the disk is full",
                where=str(path),
                try_="make room, then the same again; what was recorded before is whole",
                code="limit",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return LabrigError(
                f"The ledger cannot be opened or written: {error}",
                where=str(path),
                expected="a file in a folder that this user may write",
                code="unavailable",
            )
    return LabrigError(f"The ledger cannot be used: {error}", where=str(path), code="unavailable")
