"""Opening a ledger only to read: nothing on disk is made or changed, for it may be a file of an installed package.

SQLite keeps new data in a ``-wal`` beside the file until a writer moves it over. While there is such data, readers need
locks, which are in the ``-shm`` beside it. Else the file can be opened as ``immutable``, without locks
(https://www.sqlite.org/wal.html#read_only_databases), as long as somebody looks whether it changes after all.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path

from labrig.http.ledger import errors as ledger_errors
from labrig.http.ledger import schema as ledger_schema


class Reader:
    """The connection of a ledger that is only read, made anew when somebody else has written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, ...] = ()
        self._db: sqlite3.Connection | None = None
        self._copy: tempfile.TemporaryDirectory[str] | None = None

    def connection(self) -> sqlite3.Connection:
        """Return a connection to the file as it is now."""
        if self._db is None or not self.unchanged():
            self.close()
            self._seen = self._state()
            try:
                self._db = self._open()
                if ledger_schema.is_empty(self._db):
                    raise ledger_errors.missing(self.path, "The ledger is empty")
                ledger_schema.check(self._db, self.path)
            except BaseException:
                self.close()
                raise
        return self._db

    def unchanged(self) -> bool:
        """Tell whether the file is still what was opened; under locks, SQLite itself follows its changes."""
        return self._state() == self._seen

    def _state(self) -> tuple[int, ...]:
        try:
            stat = self.path.stat()
        except OSError:
            return ()
        if self._in_work():
            return stat.st_ino, self._beside("-shm").exists()
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def _in_work(self) -> bool:
        """Tell whether some data is beside the file, or in it that belongs to an unfinished transaction."""
        return any(
            path.exists() and path.stat().st_size for path in (self._beside("-wal"), self._beside("-journal"))
        )

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def _open(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise ledger_errors.missing(self.path)
        if not self._in_work():
            return ledger_schema.connect(self.path, "mode=ro&immutable=1")
        wal = self._beside("-wal")
        if not wal.exists() or self._beside("-shm").exists():
            return ledger_schema.connect(self.path, "mode=ro")
        # Nobody is writing, and SQLite would make a -shm here.
        self._copy = tempfile.TemporaryDirectory(prefix="labrig-ledger-")
        copy = Path(self._copy.name, "ledger")
        shutil.copyfile(self.path, copy)
        shutil.copyfile(wal, copy.with_name("ledger-wal"))
        return ledger_schema.connect(copy, "mode=rw")

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None
