"""A server on small files, for the tests of TerraAgent's sub-tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.terra import make


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the files."""
    folder = tmp_path_factory.mktemp("terra") / "work"
    folder.mkdir()
    make(folder)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def served(small: Path) -> AsyncIterator[Client[Any]]:
    """A client of a server with all groups."""
    async with Client(build(toolbox, ServeOptions(workspace=small, toolsets=("terra",)))) as opened:
        yield opened
