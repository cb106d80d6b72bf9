"""Where sets of items are kept in Labrig's home: whole ones, and those that are being made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labrig.canonical import content_hash
from labrig.config import home

SUITE = "phreeqc-mcq"


def path_of(*what: Any) -> Path:
    """Return where a set is kept: its name changes with the generator's code and the engine's databases."""
    from labrig_phreeqc.database.databases import list_databases
    from labrig_phreeqc.engine.library import find_library

    here = Path(__file__).parent
    files = (path for folder in (here, here.parent / "common") for path in sorted(folder.rglob("*.py")))
    code = [path.read_text(encoding="utf-8") for path in files]
    engine = [find_library().sha256, *(each.sha256 for each in list_databases())]
    return home() / "suites" / SUITE / f"{content_hash([code, engine, *what])[:16]}.jsonl"
