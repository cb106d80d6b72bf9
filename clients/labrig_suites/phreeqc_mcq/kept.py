"""Sets of items in Labrig's home: whole ones, and those that are being made, which go on where they were ended."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
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


class Unfinished:
    """The items of a set that is being made, a line for those of one scenario, by the number of the first."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_suffix(".part")

    def read(self) -> dict[int, list[dict[str, Any]]]:
        """Return the rows that are there already; a line that was not written to its end is none."""
        found: dict[int, list[dict[str, Any]]] = {}
        with suppress(OSError):
            for line in self.path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError, KeyError, TypeError):
                    kept = json.loads(line)
                    found[int(kept["first"])] = list(kept["rows"])
        return found

    def add(self, first: int, rows: Sequence[dict[str, Any]]) -> None:
        """Keep the rows of a scenario, for the owner, since they hold truths; where that cannot be, go on without."""
        line = json.dumps({"first": first, "rows": rows}) + "\n"
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "a", encoding="utf-8") as file:
                file.write(line)

    def remove(self) -> None:
        """Forget them, since the set is whole."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
