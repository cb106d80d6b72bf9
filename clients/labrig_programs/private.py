"""A place of its own for a program on one item: folder, environment, and what it may not see."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from labrig_harness.records import outfolder
from labrig_programs import confinement

PASSED_ON = (
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
)
"""What a program needs of this process's environment to reach the network; no key is among it."""


PATH = "/usr/local/bin:/usr/bin:/bin"


def records_above(kept: Path) -> Path:
    """Return the output folder that a kept file lies in: the folder that holds the truths."""
    return next((each for each in kept.parents if (each / "tasks.jsonl").exists()), kept.parent)


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """Give a folder of our own for the time of one item; the next run removes what a killed one left behind."""
    folder = Path(tempfile.mkdtemp(prefix=outfolder.workspace_prefix()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, onerror=_unlock_and_remove)


def _unlock_and_remove(remove: Callable[..., Any], path: str, _: object) -> None:
    """Remove what a program made read-only."""
    with contextlib.suppress(OSError):
        for place in (os.path.dirname(path), path):  # noqa: PTH120
            if not os.path.islink(place):  # noqa: PTH114
                os.chmod(place, stat.S_IRWXU)  # noqa: PTH101
        remove(path)


def environment(home: Path, program: Path) -> dict[str, str]:
    """Return the environment of a program: nothing of this process's but what the network needs."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    runs_it = confinement.interpreter(program)
    path = f"{runs_it.parent}:{PATH}" if runs_it else PATH
    return {"HOME": str(home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", **passed}
