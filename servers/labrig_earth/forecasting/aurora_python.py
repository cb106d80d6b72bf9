"""The Python that runs Aurora: made by the operator, looked at by a short child before anything is loaded."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from labrig.errors import LabrigError

PACKAGE = "microsoft-aurora"
MADE_BY = f"python -m venv aurora && aurora/bin/pip install {PACKAGE}"
"""PyTorch's wheels for Linux on PyPI carry CUDA, several GB; those of its own index for processors do as well."""
LOOK_S = 20.0
_LOOK = """\
import importlib.metadata, json, sys
found = {}
for name in ("microsoft-aurora", "torch"):
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        found[name] = ""
print(json.dumps({"python": list(sys.version_info[:2]), **found}))
"""
_LEAST = (3, 11)


@dataclass(frozen=True)
class AuroraPython:
    """A Python with the package: its path, and the versions it states."""

    path: Path
    aurora: str
    torch: str


def looked_at(setting: str, where: str) -> AuroraPython:
    """Return what the Python at a path has, by its packages' metadata; nothing is imported there.

    Raises
    ------
    LabrigError
        ``unavailable`` for no Python, one that does not start, one below 3.11, and one without the package.
    """
    path = Path(setting).expanduser()
    if not path.is_absolute() or not path.is_file() or not os.access(path, os.X_OK):
        raise _lacking(f"There is no Python at {setting[:200]}", where)
    clean = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            [str(path), "-I", "-c", _LOOK], stdin=subprocess.DEVNULL, capture_output=True, timeout=LOOK_S,
            check=False, env=clean, cwd="/",
        )  # fmt: skip
        said = json.loads(done.stdout)
        python, aurora, torch = tuple(said["python"]), str(said[PACKAGE]), str(said["torch"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        raise _lacking(f"What is at {setting[:200]} does not answer as a Python", where) from None
    if python < _LEAST:
        raise _lacking(f"The Python at {setting[:200]} is {'.'.join(map(str, python))}", where)
    for name, version in ((PACKAGE, aurora), ("torch", torch)):
        if not version:
            raise _lacking(f"The Python at {setting[:200]} has no {name}", where)
    return AuroraPython(path, aurora, torch)


def _lacking(what: str, where: str) -> LabrigError:
    return LabrigError(
        what,
        where=where,
        expected=f"the full path of a Python from {'.'.join(map(str, _LEAST))} on, with {PACKAGE}",
        try_=MADE_BY,
        code="unavailable",
    )
