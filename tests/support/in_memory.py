"""Servers in the process of the tests: what the harness asks goes through MCP all the same, without a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastmcp.client.transports import FastMCPTransport

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.registry import servers

REAL = servers.Target.transport


def _transport(target: servers.Target, options: ServeOptions, token: str = "") -> Any:
    if target.url or target.argv:
        return REAL(target, options, token)
    return FastMCPTransport(build(servers.toolbox(target.name), options))


@contextmanager
def in_memory() -> Iterator[None]:
    """Reach servers that are asked for by name in memory; one by URL or by command is reached as ever."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers.Target, "transport", _transport)
        yield
