"""Files of others that have no end to those who read them: tables that are views, and JSON within JSON."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

DEEP = "[" * 100_000
LEDGER = ("meta", "exchanges", "blobs")
CORPUS = ("documents", "pages", "mentions", "words")
STORE = ("about", "pages", "names")


def views(path: Path, names: Sequence[str], *, application: int = 0, layout: int = 0) -> Path:
    """Write a database whose tables are views of rows without end."""
    rows = "WITH RECURSIVE c(name, value) AS (SELECT 'x', 1 UNION ALL SELECT 'x', value + 1 FROM c) SELECT * FROM c"
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA application_id={application}")
    database.execute(f"PRAGMA user_version={layout}")
    for name in names:
        database.execute(f"CREATE VIEW {name} AS {rows}")
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
