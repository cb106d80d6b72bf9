"""The small world that tests of Earth data share: made once, also where several workers run."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

SEED = 7


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The data of the small world of seed 7."""
    from labrig_earth.world.make import DATA, TRUTH, make_world

    base = tmp_path_factory.getbasetemp()
    base = base if worker_id == "master" else base.parent
    folder = base / f"earth-world-{SEED}"
    with (base / "earth-world.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / TRUTH).exists():
            make_world(folder, SEED)
    return folder / DATA


@pytest.fixture(scope="session")
def truth(world: Path) -> dict[str, Any]:
    """What was planted in the small world."""
    found: dict[str, Any] = json.loads((world.parent / "truth.json").read_text())
    return found
