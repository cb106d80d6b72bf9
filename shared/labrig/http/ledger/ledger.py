"""What was asked of services and what they answered, in one SQLite file, from which the same can be answered again.

Large bodies are files beside it (`labrig.http.ledger.bodies`). Only what is redacted gets here, and is redacted once
more. Threads and processes may share a ledger: the first recording of a request is kept, and the others are given it,
so that all go on with the same answer.
"""

from __future__ import annotations

import dataclasses
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from labrig.config import home, setting
from labrig.errors import LabrigError
from labrig.http.exchange import Exchange, Outcome, clean, is_answer
from labrig.http.ledger import errors as ledger_errors
from labrig.http.ledger import rows as ledger_rows
from labrig.http.ledger import schema as ledger_schema
from labrig.http.ledger.bodies import LARGE, Bodies, beside
from labrig.http.ledger.nearest import nearest
from labrig.http.ledger.reader import Reader
from labrig.http.ledger.rows import Entry
from labrig.http.messages import Request, Response, now
from labrig.http.parts import sweep

__all__ = ["Entry", "Exchange", "Ledger", "Outcome", "default_path"]

T = TypeVar("T")
PAGE = 500
"""Entries that are read at a time; whole exchanges, which may be large, are read one by one."""
TRIES = 5
"""How often a reader looks again where others write."""


def default_path() -> Path:
    """Return the ledger of the setting ``http.ledger``, else the one in `home`."""
    configured = setting("http", "ledger")
    try:
        return Path(configured).expanduser() if configured else home() / "http" / "ledger.sqlite"
    except RuntimeError as error:  # ~somebody
        raise LabrigError(
            f"This path cannot be used: {error}", where=f"http.ledger = {configured}"
        ) from error


class Ledger:
    """One ledger.

    Parameters
    ----------
    path
        A file; with `write` it is made, with its folder, where there is none.
    write
        Without, nothing on disk is made or changed (the locks in a ``-shm`` that a writer has there are used).
    bodies
        Where large bodies are; default: beside the file.

    Raises
    ------
    LabrigError
        ``unavailable`` where there is no ledger, or one that cannot be read or written; ``bad_input`` for another
        kind of file. From any method: ``busy`` where another process holds the file for long, ``limit`` where the disk
        is full, ``unavailable`` where the file is damaged.
    """

    def __init__(self, path: Path, *, write: bool, bodies: Bodies | None = None) -> None:
        self.path = path
        self.bodies = bodies or beside(path)
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._reader = Reader(path)
        with ledger_errors.explained(path):
            if write:
                self._db = ledger_schema.to_write(path)
                self._shut = weakref.finalize(
                    self, ledger_schema.shut, self._db
                )  # also where nobody closes it
            else:
                self._read(lambda _: None)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; a writer first moves everything into it."""
        with self._lock:
            self._reader.close()
            if self._db is not None:
                self._shut()

    # ------------------------------------------------------------------------------------------------- reading

    def find(self, request: Request, ordinal: int = 0) -> Exchange | None:
        """Return what is recorded of a request: under this ordinal, else under the last one before it."""
        key = clean(request).key

        def ask(db: sqlite3.Connection) -> Exchange | None:
            row = db.execute(
                "SELECT * FROM exchanges WHERE key = ? AND ordinal <= ? ORDER BY ordinal DESC LIMIT 1",
                (key, ordinal),
            ).fetchone()
            return ledger_rows.exchange(db, self.bodies, row) if row else None

        return self._read(ask)

    def at(self, number: int) -> Exchange | None:
        """Return the exchange with the number of an `Entry`."""

        def ask(db: sqlite3.Connection) -> Exchange | None:
            row = db.execute("SELECT * FROM exchanges WHERE number = ?", (number,)).fetchone()
            return ledger_rows.exchange(db, self.bodies, row) if row else None

        return self._read(ask)

    def nearest(self, request: Request, n: int = 3) -> list[Request]:
        """Return recorded requests that resemble one, best first: its host and method come before all else."""
        return self._read(lambda db: nearest(db, self.bodies, clean(request), n))

    def ranges(self, request: Request) -> list[tuple[int, int]]:
        """Return first and last byte of the parts that are recorded of what a request asks for."""
        return self._read(lambda db: ledger_rows.ranges(db, clean(request)))

    def verify(self) -> Iterator[tuple[Entry, LabrigError | None]]:
        """Read everything, and yield each entry with what is wrong with its exchange or its body."""
        right: set[str] = set()
        for entry in self.entries():
            wrong = None
            try:
                exchange = self.at(entry.number)
                outcome = exchange.outcome if exchange else None
                if isinstance(outcome, Response) and outcome.stored and outcome.sha256 not in right:
                    for _ in outcome.stored.pieces():
                        pass
                    right.add(outcome.sha256)
            except LabrigError as error:
                wrong = error
            yield entry, wrong

    def count(self) -> int:
        """Return how many exchanges there are."""
        return self._read(lambda db: int(db.execute("SELECT count(*) FROM exchanges").fetchone()[0]))

    def exchanges(self, *, host: str = "", since: str = "") -> Iterator[Exchange]:
        """Yield exchanges in order of recording.

        Parameters
        ----------
        host
            With its port, or without for all of its ports.
        since
            ISO 8601, UTC: those recorded then or later.
        """
        which = ledger_rows.where(host=host, since=since)
        return self._walk(which, 1, lambda db, row: ledger_rows.exchange(db, self.bodies, row))

    def entries(self, *, host: str = "", since: str = "", status: str = "") -> Iterator[Entry]:
        """Yield the table of contents in order of recording; `status` is a number, or ``error``."""
        which = ledger_rows.where(host=host, since=since, status=status)
        return self._walk(which, PAGE, lambda _, row: ledger_rows.entry(row))

    def _walk(
        self,
        which: tuple[str, list[str | int]],
        page: int,
        make: Callable[[sqlite3.Connection, sqlite3.Row], T],
    ) -> Iterator[T]:
        """Read page by page, so that writers need not wait for the reader."""
        last = 0
        while found := self._page(which, last, page, make):
            for _, exchange in found:
                yield exchange
            last = found[-1][0]

    def _page(
        self,
        which: tuple[str, list[str | int]],
        last: int,
        most: int,
        make: Callable[[sqlite3.Connection, sqlite3.Row], T],
    ) -> list[tuple[int, T]]:
        condition, values = which
        query = f"SELECT * FROM exchanges WHERE {condition} AND number > ? ORDER BY number LIMIT ?"
        return self._read(
            lambda db: [(row["number"], make(db, row)) for row in db.execute(query, [*values, last, most])]
        )

    def _read(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock, ledger_errors.explained(self.path):
            if self._db is not None:
                with ledger_schema.transaction(self._db, "DEFERRED"):
                    return ask(self._db)
            for attempt in range(TRIES):
                try:
                    db = self._reader.connection()
                    with ledger_schema.transaction(db, "DEFERRED"):
                        found = ask(db)
                    if self._reader.unchanged():  # else it may be of two minds
                        return found
                except (sqlite3.DatabaseError, ledger_errors.Damaged) as error:
                    if attempt == TRIES - 1 or ledger_errors.is_busy(error):
                        raise
                    self._reader.close()  # a writer may have been at the file: it is opened anew
                    time.sleep(0.01 * attempt)
        raise LabrigError(
            "The ledger is being changed", where=str(self.path), try_="the same again", code="busy"
        )

    # ------------------------------------------------------------------------------------------------- writing

    def add(self, exchange: Exchange, *, replace: bool = False, replace_error: bool = False) -> Exchange:
        """Record an exchange, and return what the ledger holds now, which another process may have recorded.

        The first recording stays. One that replaces it also ends its series: recordings with later ordinals go, for
        they followed what is no longer there.

        Parameters
        ----------
        replace
            Replace what is recorded.
        replace_error
            Replace it where it is no answer (`labrig.http.exchange.is_answer`) and this is one, or where both say that
            the body is too large, this one of a higher limit.
        """
        kept = _as_kept(exchange)
        key, bodies = kept.request.key, ledger_rows.blobs(kept)  # while others need not wait
        db, freed = self._writable(), set[str]()
        with ledger_errors.explained(self.path):
            part = self.bodies.part(kept.outcome) if isinstance(kept.outcome, Response) else None
        try:
            with self._lock, ledger_errors.explained(self.path), ledger_schema.transaction(db):
                row = db.execute(
                    "SELECT * FROM exchanges WHERE key = ? AND ordinal = ?", (key, kept.ordinal)
                ).fetchone()
                better = row and _says_more(kept, ledger_rows.exchange(db, self.bodies, row))
                if row and not (replace or (replace_error and better)):
                    return ledger_rows.exchange(db, self.bodies, row)
                if row:
                    freed = ledger_rows.remove_series(db, key, kept.ordinal)
                if part is not None:
                    self.bodies.place(part)
                    ledger_schema.allow_files(db)
                ledger_rows.insert(db, kept, key, bodies)
        finally:
            if part is not None:
                part.discard()
        self._remove_unnamed(freed)
        return kept

    def prune(self, *, before: str = "", host: str = "", errors: bool = False, dry: bool = False) -> int:
        """Remove the exchanges that meet all conditions given, reclaim their space, and return how many they are.

        Parameters
        ----------
        before
            ISO 8601, UTC: recorded earlier.
        host
            With its port, or without for all of its ports.
        errors
            Those whose outcome is no answer: an error, 429, 5xx.
        dry
            Only count them.

        Raises
        ------
        LabrigError
            ``bad_input`` without a condition.
        """
        if not (before or host or errors):
            raise LabrigError("This would remove everything", expected="a time, a host, or errors")
        condition, values = ledger_rows.where(before=before, host=host, errors=errors)
        if dry:
            count = f"SELECT count(*) FROM exchanges WHERE {condition}"
            return self._read(lambda db: int(db.execute(count, values).fetchone()[0]))
        with self._lock, ledger_errors.explained(self.path):
            db = self._writable()
            with ledger_schema.transaction(db):
                removed = db.execute(f"DELETE FROM exchanges WHERE {condition}", values).rowcount
                db.execute(ledger_rows.REMOVE_UNUSED)
            self.remove_unused()
            sweep(self.bodies.folder)
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def remove_unused(self) -> None:
        """Remove the files of bodies that no exchange has."""
        self._remove_unnamed(self.bodies.names())

    def _remove_unnamed(self, names: Iterable[str]) -> None:
        names = set(names)
        if not names or not self.bodies.folder.is_dir():
            return
        db = self._writable()
        with self._lock, ledger_errors.explained(self.path), ledger_schema.transaction(db):
            self.bodies.remove(ledger_rows.unnamed(db, names))

    def _writable(self) -> sqlite3.Connection:
        if self._db is None:
            raise LabrigError("This ledger was opened to be read only", where=str(self.path), code="refused")
        return self._db


def _as_kept(exchange: Exchange) -> Exchange:
    """Return an exchange as it is written: redacted, with its time, a body in memory unless it is large."""
    outcome = exchange.outcome
    if isinstance(outcome, Response) and outcome.stored is not None and outcome.size <= LARGE:
        outcome = dataclasses.replace(outcome, body=outcome.stored.read(), stored=None)
    kept = dataclasses.replace(exchange, outcome=outcome).clean()
    return kept if kept.recorded_at else dataclasses.replace(kept, recorded_at=now())


def _says_more(new: Exchange, held: Exchange) -> bool:
    """Tell whether one outcome may take the place of another."""
    if is_answer(held.outcome):
        return False
    if isinstance(new.outcome, LabrigError) and isinstance(held.outcome, LabrigError):
        return new.outcome.code == held.outcome.code == "too_large" and new.limit_bytes > held.limit_bytes
    return is_answer(new.outcome)
