"""uv or pip: which of them is here, and how it is run."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from labrig.errors import LabrigError

TIMEOUT_S = 1800


def find_uv() -> str | None:
    """Return the uv program: on PATH, beside this Python, the one that started us, or inside the package ``uv``."""
    beside = Path(sys.executable).with_name("uv")
    found = shutil.which("uv") or shutil.which(str(beside)) or shutil.which(os.environ.get("UV", ""))
    if found or importlib.util.find_spec("uv") is None:
        return found
    try:
        return str(importlib.import_module("uv").find_uv_bin())
    except (ImportError, AttributeError, FileNotFoundError):
        return None


def installer() -> list[str]:
    """Return the command that installs wheels for this Python, up to the word "install"."""
    if uv := find_uv():
        return [uv, "pip", "install", "--python", sys.executable]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip", "install", "--disable-pip-version-check"]
    raise LabrigError(
        "There is neither uv nor pip to fetch a wheel with",
        where=sys.executable,
        try_="install uv and put it on PATH, or name a folder that has the files with --source DIR",
        code="unavailable",
    )


def call(command: Sequence[str], cwd: Path, what: str, env: Mapping[str, str] | None = None) -> str:
    """Run a step to its end, in a folder without a project, and return what it printed."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabrigError(f"The installer did not run: {error}", where=what, code="unavailable") from error
    said = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode:
        full = "No space left" in said or "Disk quota" in said
        raise LabrigError(
            f"The installer ended with exit code {done.returncode}: {said[-600:]}",
            where=what,
            try_=f"free some space on the disk of {cwd.parent}, or of the installer's cache"
            if full
            else "check the network and try again, or name a folder that has the files with --source DIR",
            code="unavailable",
        )
    return said
