"""Items of a set that is being made, kept in Labrig's home: one that was ended goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any


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
