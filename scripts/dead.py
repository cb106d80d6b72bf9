"""Name what nothing uses: functions, classes, methods, imports and constants of the packages, by vulture.

    python scripts/dead.py

What only a test uses counts as used. Fields of records are left out: their readers are elsewhere.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parent.parent
OWN = ("shared", "servers", "clients")
READERS = ("scripts", "tests", "docs", "benchmarks")
CONSTANT = re.compile("[A-Z_]{3,}")
CALLED_BY_DECORATORS = [
    "@toolbox.*",
    "@paper_tool",
    "@common.simulator_tool",
    "@field_validator",
    "@model_validator",
    "@pytest.*",
]
CALLED_BY_NAME = [
    *("__*__", "visit_*"),
    "on_*",  # of an outline of PHREEQC, by the statement that is read
    "make_*",  # inputs of simulators, by their kind
    *("readall", "isdir", "ls", "mtime", "rm"),  # files, as libraries that read parts of them ask
    *("get_partial_values", "supports_*", "list_prefix", "list_dir"),  # a store, as Zarr asks
    *("get_adapter", "connect_unix_socket", "verify_token", "get_meta"),  # requests, httpcore, FastMCP
    "MAX_IMAGE_PIXELS",  # Pillow
]


def entry_points() -> list[str]:
    """Return the objects that the project declares as entry points."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    return [place.rpartition(":")[2] for group in groups.values() for place in group.values()]


def main() -> int:
    """Print a line for each; return 1 if there is one."""
    names = [*CALLED_BY_NAME, *entry_points()]
    found = Vulture(ignore_names=names, ignore_decorators=CALLED_BY_DECORATORS)
    found.scavenge([str(ROOT / folder) for folder in (*OWN, *READERS)])
    dead = [
        f"{each.filename.relative_to(ROOT)}:{each.first_lineno}: nothing uses the {each.typ} {each.name}"
        for each in found.get_unused_code(min_confidence=60)
        if each.filename.relative_to(ROOT).parts[0] in OWN
        and (each.typ not in ("attribute", "variable") or CONSTANT.fullmatch(each.name))
    ]
    print("\n".join(dead) or "nothing is dead")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
