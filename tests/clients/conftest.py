"""What tests of the clients share: the harness reaches servers by their names in memory, as MCP without a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.in_memory import REAL, in_memory


@pytest.fixture(scope="module", autouse=True)
def servers_in_memory() -> Iterator[None]:
    """Start no process for a server that is asked for by its name."""
    with in_memory():
        yield


@pytest.fixture
def server_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start one after all: for tests of what a process does."""
    monkeypatch.setattr("labrig_harness.registry.servers.Target.transport", REAL)
