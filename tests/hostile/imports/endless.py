"""Files of others that have no end to those who read them: views, values that swell, JSON within JSON."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path

DEEP = "[" * 100_000
DOTS = "a." * 50_000 + "a=1"
LEDGER = ("meta", "exchanges", "blobs")
CORPUS = ("documents", "pages", "mentions", "words")
STORE = ("about", "pages", "names")


def views(path: Path, names: Sequence[str], *, application: int = 0, layout: int = 0) -> Path:
    """Write a database whose tables are views of rows without end."""
    first, more = "SELECT 'x', 'x', 1", "SELECT 'x', 'x', value + 1 FROM c"
    rows = f"WITH RECURSIVE c(name, key, value) AS ({first} UNION ALL {more}) SELECT * FROM c"
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA application_id={application}")
    database.execute(f"PRAGMA user_version={layout}")
    for name in names:
        database.execute(f"CREATE VIEW {name} AS {rows}")
    database.commit()
    database.close()
    return path


def swollen(path: Path, table: str, column: str, *, computed: bool) -> Path:
    """Have a column of a good database hold a packed value of 300 MB, in 300 kB or as a column that is computed."""
    database = sqlite3.connect(path)
    if computed:
        names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        fields = [f"{name} AS (zeroblob(300000000))" if name == column else name for name in names]
        others = ", ".join(name for name in names if name != column)
        database.execute(f"CREATE TABLE swollen ({', '.join(fields)})")
        database.execute(f"INSERT INTO swollen ({others}) SELECT {others} FROM {table}")
        database.execute(f"DROP TABLE {table}")
        database.execute(f"ALTER TABLE swollen RENAME TO {table}")
    else:
        database.execute(f"UPDATE {table} SET {column} = ?", (zlib.compress(b" " * 300_000_000),))
    database.commit()
    database.close()
    return path


def deep_folder(folder: Path) -> Path:
    """Write an output folder of a run, each file of which is JSON within JSON."""
    record = folder / "run" / "item" / "epoch1"
    record.mkdir(parents=True)
    for path in (folder / "tasks.jsonl", folder / "run" / "run.json", record / "trajectory.json"):
        path.write_text(DEEP)
    return folder


def beside_store(store: Path, kind: str, outside: Path) -> None:
    """Lay out what waits for who builds a store in a folder of somebody else."""
    part, lock = store.with_name(f"{store.name}.part"), store.with_name(f"{store.name}.lock")
    match kind:
        case "lock that is a link":
            lock.symlink_to(outside)
        case "part that is a link":
            part.symlink_to(outside)
        case "part of views":
            views(part, STORE)
