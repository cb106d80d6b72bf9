"""A recorded call through shim and socket against the direct stdio call, for an echo tool, in turn, in one run.

The client writes a JSON line and waits for the answer. ``direct`` is the server's own stdio; ``recorded`` goes through
the shim, the socket and the relay of a harness process, which writes record and result before it hands the result on.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.startup import META

CALLS, WARM_UP = 1000, 50
SIZES = {"100 bytes": 100, "20 kB": 20_000}
ECHO = """
from fastmcp import FastMCP
server = FastMCP("echo")
@server.tool(annotations={"readOnlyHint": True})
async def echo(text: str) -> str:
    return text
server.run("stdio", show_banner=False)
"""
HARNESS = """
import asyncio, sys
from pathlib import Path
from labrig.calls import CallLog
from labrig.toolbox import ServeOptions
from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.registry.servers import Target
async def main():
    target = Target(name="echo", argv=(sys.executable, "-c", sys.argv[2]))
    async with relay(target, ServeOptions(), Recorder(CallLog(Path(sys.argv[1])), "echo"), call_s=60) as path:
        print(path, flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""


class Caller:
    """One way to the server."""

    def __init__(self, argv: list[str]) -> None:
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._count = 0
        self.ask("server/discover", {})

    def ask(self, method: str, params: dict[str, object]) -> float:
        """Send a request, wait for its answer, and return the seconds it took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._count += 1
        message = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": {**params, "_meta": META}}
        line = json.dumps(message).encode() + b"\n"
        started = time.perf_counter()
        self._process.stdin.write(line)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        elapsed = time.perf_counter() - started
        assert json.loads(answer)["id"] == self._count
        return elapsed

    def close(self) -> None:
        """End the way."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def measure(size: int) -> tuple[float, float]:
    """Return the median seconds of a direct and of a recorded call."""
    from labrig_programs import shim

    with tempfile.TemporaryDirectory() as folder:
        harness = subprocess.Popen(
            [sys.executable, "-c", HARNESS, folder, ECHO],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert harness.stdin is not None
        assert harness.stdout is not None
        ways = [Caller([sys.executable, "-c", ECHO]), Caller(shim.command(harness.stdout.readline().strip()))]
        seconds: tuple[list[float], list[float]] = ([], [])
        for n in range(WARM_UP + CALLS):
            text = f"{n:08d}".ljust(size, "x")
            for way, taken in zip(ways, seconds, strict=True):
                elapsed = way.ask("tools/call", {"name": "echo", "arguments": {"text": text}})
                if n >= WARM_UP:
                    taken.append(elapsed)
        for way in ways:
            way.close()
        harness.stdin.close()
        harness.wait()
        recorded = len((Path(folder) / "calls.jsonl").read_text().splitlines())
        assert recorded == WARM_UP + CALLS, "every call was recorded"
    direct, through = (statistics.median(each) for each in seconds)
    return direct, through


def main() -> None:
    """Print medians and the ratio."""
    for name, size in SIZES.items():
        direct, recorded = measure(size)
        print(
            f"echo of {name}, medians of {CALLS}: direct {direct * 1e3:.2f} ms, recorded {recorded * 1e3:.2f} ms, "
            f"ratio {recorded / direct:.2f} (at most 1.60)"
        )


if __name__ == "__main__":
    main()
