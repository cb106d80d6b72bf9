"""The database of a world, made on first use below ``LABRIG_HOME`` and opened to be read.

It is made beside its place and moved there when it is whole, under a lock, so that of two processes one makes it and
the other waits. Its name holds the hash of everything it is made from: what has changed makes another one. A damaged
one is made anew.
"""

from __future__ import annotations

import contextlib
import errno
import sqlite3
import threading
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any

from labrig.config import home
from labrig.errors import LabrigError
from labrig.sideenv.placing import staging
from labrig_atlas.articles import read_articles
from labrig_atlas.world import sources
from labrig_atlas.world.building import build
from labrig_atlas.world.gazetteer import GAZETTEER, gazetteer_path, read_gazetteer
from labrig_atlas.world.tables import read_tables
from labrig_atlas.world.twin import seed_of, twin

EARTH = "earth"
TODAY = date(2026, 7, 1)
"""The day on which every world stands still: history ends the day before, and a forecast begins here."""


class World:
    """A world that is open to be read, by any number of threads.

    Attributes
    ----------
    name
        ``earth``, or ``twin-7``.
    meta
        What its builder wrote: the seed of what is made up, and the sources of a twin.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self.meta: Mapping[str, str] = dict(self.ask("SELECT key, value FROM meta"))
        self.name = self.meta["world"]
        self.seed = int(self.meta["seed"])
        self.fictional = self.name != EARTH
        self.today = TODAY
        self.kept: dict[str, Any] = {}

    def ask(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query.

        Raises
        ------
        LabrigError
            ``unavailable`` for a database that is damaged.
        """
        try:
            with self._lock:
                return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise LabrigError(
                f"The database of the world cannot be read: {error}",
                where=str(self.path),
                try_="remove that file; the next call makes it anew",
                code="unavailable",
            ) from error

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_name(name: str) -> int | None:
    """Return the seed of a world, None of the Earth.

    Raises
    ------
    LabrigError
        ``not_found`` for the name of no world.
    """
    seed = seed_of(name)
    if name != EARTH and seed is None:
        raise LabrigError(
            f"There is no world named {name!r}",
            where="atlas.world",
            expected="earth, or twin-SEED with a whole number up to 999999999, such as twin-7",
            code="not_found",
        )
    return seed


def open_world(name: str = EARTH) -> World:
    """Open a world, and make its database where there is none or a damaged one.

    Parameters
    ----------
    name
        ``earth``, or ``twin-7`` for the fictional one of the seed 7.

    Raises
    ------
    LabrigError
        ``not_found`` for another name; ``unavailable`` where the database cannot be made: a full disk, a folder that
        cannot be written.
    """
    seed = check_name(name)
    gazetteer = gazetteer_path() if seed is None else None
    key = sources.key_of(*(GAZETTEER.sha256.values() if gazetteer else ()))
    path = home() / "atlas" / f"{name}-{key}.sqlite"
    if (world := _opened(path)) is not None:
        return world
    try:
        with staging(path.parent, path.stem, lambda line: None) as work:
            if (world := _opened(path)) is not None:  # another process made it meanwhile
                return world
            fresh = work / path.name
            with contextlib.closing(sqlite3.connect(fresh)) as connection:
                connection.execute("PRAGMA journal_mode = OFF")
                connection.execute("PRAGMA synchronous = FULL")
                if seed is None:
                    build(
                        connection,
                        name,
                        read_tables(),
                        read_articles(),
                        gazetteer=read_gazetteer(gazetteer) if gazetteer else (),
                        more={"gazetteer": sources.GAZETTEER} if gazetteer else {},
                    )
                else:
                    made = twin(seed)
                    build(connection, name, made.tables, made.articles, seed=seed, source=made.source)
            fresh.replace(path)
    except (OSError, sqlite3.OperationalError) as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise LabrigError(
            f"The database of the world cannot be made: {error}",
            where=str(path.parent),
            try_="free some space" if full else "make the folder writable, or set LABRIG_HOME to one that is",
            code="unavailable",
        ) from error
    world = _opened(path)
    if world is None:
        raise LabrigError(
            "The database of the world was made and cannot be read", where=str(path), code="unavailable"
        )
    return world


def _opened(path: Path) -> World | None:
    """Open a whole database; None for one that is not there or is damaged."""
    if not path.is_file():
        return None
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
    except sqlite3.Error:
        return None
    try:
        whole = connection.execute("SELECT value FROM meta WHERE key = 'complete'").fetchall()
        sound = connection.execute("PRAGMA quick_check(1)").fetchall()
        if whole == [("yes",)] and sound == [("ok",)]:
            return World(path, connection)
    except (sqlite3.DatabaseError, LabrigError, KeyError, ValueError):
        pass
    connection.close()
    return None
