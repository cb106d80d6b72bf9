"""A pytest fixture for people who develop tools: ``labrig_server(name)`` gives a client of a real server.

Examples
--------
>>> async def test_lists(labrig_server):  # doctest: +SKIP
...     async with labrig_server("phreeqc") as client:
...         print(await client.list_tools())
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fastmcp import Client


@pytest.fixture
def labrig_server(tmp_path: Path) -> Callable[..., Client[Any]]:
    """Return a function from a server's name to an MCP client, in memory, with a workspace of its own.

    ``labrig_server(name, toolsets=("paper",), output="toc", stdio=True, ...)`` takes the fields of
    `labrig.toolbox.ServeOptions`; ``stdio=True`` starts a real process instead. Use it with ``async with``.
    """
    from fastmcp import Client

    from labrig.serving.builder import build
    from labrig.toolbox import ServeOptions
    from labrig_harness.registry.servers import Target, toolbox

    numbers = count(1)

    def make(name: str, *, stdio: bool = False, **fields: Any) -> Client[Any]:
        options = ServeOptions(**fields)
        if options.workspace is None:
            options = replace(options, workspace=tmp_path / f"workspace-{name}-{next(numbers)}")
        if stdio:
            return Client(Target.parse(name, ()).transport(options))
        return Client(build(toolbox(name), options))

    return make
