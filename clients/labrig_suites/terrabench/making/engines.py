"""An engine asked for true values: a script of ours in the engine's own Python, JSON in and JSON out."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError, Lacking

if TYPE_CHECKING:
    from labrig.sideenv import PythonEnv

SECONDS = 300


def answered(env: PythonEnv, needs: str, script: Path, title: str, given: Any) -> Any:
    """Return what a script answers to a question.

    Parameters
    ----------
    env
        The side environment whose Python runs it.
    needs
        What an item that needs it names, and ``labrig setup`` brings.
    title
        The engine, as errors name it.

    Raises
    ------
    Lacking
        The engine is not installed.
    LabrigError
        ``engine``: it failed, with what it said, or took more than `SECONDS`.
    """
    from labrig.sideenv import status

    if status(env).state != "installed":
        raise Lacking(needs, f"{title} is not installed", try_=f"labrig setup {needs}")
    try:
        done = subprocess.run(
            [env.path / "bin" / "python", "-I", script],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LabrigError(f"{title} took more than {SECONDS} s", code="engine") from None
    if done.returncode:
        raise LabrigError(f"{title} failed: {done.stderr[-500:]}", code="engine")
    return json.loads(done.stdout)
