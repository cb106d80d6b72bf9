"""How a command of Labrig is typed where this process runs: ``uvx`` puts none on the path."""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import entry_points
from pathlib import Path


def in_uvx() -> bool:
    """Return whether this Python is one that ``uvx`` made: it lies in uv's cache and goes with it."""
    return "archive-v0" in Path(sys.executable).parts


def uvx() -> str | None:
    """Return the program ``uvx`` where this process was started by it and it is on the path."""
    return shutil.which("uvx") if in_uvx() else None


def setup_command(side_env: str) -> str:
    """Return the line that brings a side environment: ``labrig setup phreeqc``, behind ``uvx`` if need be.

    Parameters
    ----------
    side_env
        Its name. The extra that knows it is the server whose package declares it.
    """
    line = f"labrig setup {side_env}"
    if not in_uvx():
        return line
    packages = [
        each.value.partition(".")[0] for each in entry_points(group="labrig.side_envs", name=side_env)
    ]
    extras = [f"[{each.removeprefix('labrig_')}]" for each in packages if each.startswith("labrig_")]
    wanted = f"'labrig{extras[0]}'" if extras else "labrig"
    return f"uvx --from {wanted} {line}"
