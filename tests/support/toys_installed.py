"""The package of `support/toys` as if it were installed, in this process and in those it starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from labrig_harness.registry.entries import entries

TOYS = Path(__file__).with_name("toys")


@contextmanager
def toys_installed() -> Iterator[None]:
    """Install the toys."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(TOYS)
        before = os.environ.get("PYTHONPATH", "")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(TOYS), before))))
        entries.cache_clear()
        yield
    entries.cache_clear()
