"""Heavy libraries that a file of tests compares with, imported by the first test that uses them.

Every process of the tests collects every file, and runs a part of them: what is imported at the top of a file is paid
by all, SciPy's statistics a second each time.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Late:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pytest asks everything in a file whether it is a test
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def late(name: str) -> Any:
    """Return what stands for a module that is not yet imported."""
    return _Late(name)
