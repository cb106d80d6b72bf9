"""The bundled world of Atlas, made once for all tests of a run, whichever worker asks first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from labrig_atlas.world.database import World, open_world


@contextmanager
def opened_earth(factory: pytest.TempPathFactory) -> Iterator[World]:
    """Open the world ``earth`` in a LABRIG_HOME that all tests share."""
    base = factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "atlas-home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABRIG_HOME", str(home))
        with open_world() as world:
            yield world
