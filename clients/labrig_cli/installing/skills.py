"""``labrig install CLIENT --skills``: how to work with the tools, one skill a domain.

A skill is a folder with ``SKILL.md``. It stands in the user's folder of the client, for all her projects. One that is
there already and differs is shown as a diff before it is replaced; ``--undo`` takes out what is still as we wrote it.
"""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

from labrig.errors import LabrigError, unknown_name
from labrig_harness.records.outfolder import write_atomically

NAME = "SKILL.md"
_HOMES: dict[str, Callable[[Mapping[str, str]], Path]] = {
    "claude-code": lambda env: Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "~"), ".claude")),
    "codex": lambda env: Path(env.get("CODEX_HOME") or Path(env.get("HOME", "~"), ".codex")),
}


def find_folder(client: str, env: Mapping[str, str] | None = None) -> Path:
    """Return the folder in which a client keeps its user's skills."""
    if client not in _HOMES:
        raise unknown_name("client with skills", client, list(_HOMES), where="CLIENT")
    return _HOMES[client](os.environ if env is None else env).expanduser() / "skills"


def read_skills() -> dict[str, str]:
    """Return the skills of this release by name."""
    folder = files("labrig_cli") / "skills"
    return {
        each.name: (each / NAME).read_text(encoding="utf-8") for each in sorted(folder.iterdir(), key=str)
    }


def plan(folder: Path) -> dict[Path, tuple[str, str]]:
    """Return what an installation would write: by file, what is there now (empty for none) and what will be."""
    found = {}
    for name, text in read_skills().items():
        path = folder / name / NAME
        now = _read(path)
        if now != text:
            found[path] = (now, text)
    return found


def make_diff(changes: Mapping[Path, tuple[str, str]]) -> str:
    """Return the changes as unified diffs; of a new file its name alone."""
    shown: list[str] = []
    for path, (before, after) in changes.items():
        lines = (before.splitlines(keepends=True), after.splitlines(keepends=True))
        shown += difflib.unified_diff(*lines, str(path), str(path)) if before else [f"new: {path}\n"]
    return "".join(shown)


def apply(changes: Mapping[Path, tuple[str, str]]) -> None:
    """Write what was planned."""
    for path, (_, after) in changes.items():
        write_atomically(path, after)


def undo(folder: Path) -> tuple[list[str], list[str]]:
    """Remove the skills that are as this release has them; return their names, and those that differ and stay."""
    removed, kept = [], []
    for name, text in read_skills().items():
        path = folder / name / NAME
        now = _read(path)
        if now == text:
            path.unlink()
            with contextlib.suppress(OSError):  # somebody keeps something beside it
                path.parent.rmdir()
            removed.append(name)
        elif now:
            kept.append(name)
    return removed, kept


def _read(path: Path) -> str:
    """Return what a file says; an empty text where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise LabrigError(f"This file cannot be read: {error}", where=str(path)) from error
