"""The engine that tests of PHREEQC share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from labrig_phreeqc.engine.engine import Engine


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def engine(databases: Path) -> AsyncIterator[Engine]:
    """An engine for tests that need none of their own: its process starts once."""
    async with Engine() as running:
        yield running
