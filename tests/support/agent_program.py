"""An agent program's side of the recording proxy: the real shim as a child process, and JSON lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from labrig_programs import shim

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Agent:
    """Sends requests and reads answers."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.received: list[dict[str, Any]] = []

    def send(self, *messages: Any, raw: bytes = b"") -> None:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.write(raw)

    def call(self, id: Any, tool: str, **arguments: Any) -> None:
        params = {"name": tool, "arguments": arguments, "_meta": META}
        self.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    async def answer(self, id: Any, seconds: float = 60) -> dict[str, Any]:
        """Read until the answer to a request; what comes before it is kept in `received`."""
        assert self.process.stdout is not None
        async with asyncio.timeout(seconds):
            while True:
                for message in self.received:
                    if (
                        "method" not in message
                        and message.get("id") == id
                        and type(message["id"]) is type(id)
                    ):
                        self.received.remove(message)
                        return message
                line = await self.process.stdout.readline()
                assert line, f"the connection ended before the answer to {id!r}"
                self.received.append(json.loads(line))

    async def text(self, id: Any) -> str:
        return str((await self.answer(id))["result"]["content"][0]["text"])

    async def close(self) -> bytes:
        """Close our side, read what is left, and wait for the shim."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        async with asyncio.timeout(60):
            rest = await self.process.stdout.read()
            await self.process.wait()
        return rest


@asynccontextmanager
async def agent_at(path: Path) -> AsyncIterator[Agent]:
    process = await asyncio.create_subprocess_exec(*shim.command(path), stdin=-1, stdout=-1, limit=1 << 28)
    try:
        yield Agent(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
