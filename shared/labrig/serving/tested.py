"""How the tools of a server were tested, as its package says in ``tested.csv``, which is made from the tests."""

from __future__ import annotations

import csv
import functools
import sys
from pathlib import Path
from typing import Any

NAME = "tested.csv"
META = "labrig/tested"
"""The key of a tool's ``_meta``."""


@functools.cache
def read_standings(package: str) -> dict[str, dict[str, Any]]:
    """Return what is said of each tool of a package: `standing`, and where it is validated `cases` and `against`."""
    folders = getattr(
        sys.modules.get(package), "__path__", ()
    )  # a script's tools have no package, and no list
    path = next((Path(folder) / NAME for folder in folders if (Path(folder) / NAME).is_file()), None)
    if path is None:
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["tool"]: {"standing": row["standing"]}
            | ({"cases": int(row["cases"]), "against": row["against"]} if row["against"] else {})
            for row in csv.DictReader(file)
        }


def describe_standing(package: str, tool: str) -> dict[str, Any]:
    """Return the part of a tool's ``_meta``; empty where its package says nothing of it."""
    said = read_standings(package).get(tool)
    return {META: said} if said else {}
