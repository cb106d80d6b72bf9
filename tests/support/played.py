"""A scripted agent against the Earth server: its calls recorded from the server, or replayed where there is none."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from labrig.calls import CallLog
from labrig.toolbox import ServeOptions
from labrig_harness.recording import call_store
from labrig_harness.recording.call_store import CallStore, Setting
from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.registry.servers import Target
from labrig_programs import shim

Answer = TypeVar("Answer")


async def played(
    tmp_path: Path,
    mode: str,
    agent: Callable[[Client[Any]], Awaitable[Answer]],
    toolsets: str = "impact",
) -> Answer:
    """Return what an agent answers; every call of a replay must be one of the record.

    Parameters
    ----------
    tmp_path
        Holds the workspace ``work`` and the record.
    mode
        ``record`` with a server, ``replay`` without one.
    """
    call_store._opened.clear()  # as another process would find it
    log = tmp_path / f"log-{mode}-{sum(1 for _ in tmp_path.glob('log-*'))}"
    log.mkdir()
    store = CallStore.open(tmp_path / "store", mode=mode)
    setting = Setting("earth", {"toolsets": toolsets.split(",")})
    recorder = Recorder(CallLog(log), "earth", mode=mode, store=store, setting=setting)
    work = str(tmp_path / "work")
    argv = (sys.executable, "-m", "labrig_earth", "--workspace", work, "--toolsets", toolsets)
    target = Target(name="earth", argv=argv if mode != "replay" else ("/no/such/server",))
    async with relay(target, ServeOptions(), recorder) as path:
        command = shim.command(path)
        async with Client(StdioTransport(command[0], command[1:], keep_alive=False)) as client:
            answer = await agent(client)
    assert not recorder.failure
    assert recorder.unseen == 0
    return answer


async def call(client: Client[Any], name: str, /, **arguments: Any) -> dict[str, Any]:
    """Return the structured content of a call that must succeed."""
    found = await client.call_tool(name, arguments, raise_on_error=False)
    assert not found.is_error, found.content[0].text
    assert found.structured_content is not None
    return found.structured_content


async def simulated(client: Client[Any], tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Run a simulator as a job, and return its answer."""
    started = await call(client, "start_simulation", tool=tool, arguments=arguments)
    while True:
        ended = await call(client, "get_job", job=started["data"]["job"], wait_s=45)
        if ended.get("artifacts"):
            return ended
        assert ended["data"].get("state") in ("queued", "running"), ended
