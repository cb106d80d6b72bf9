"""From spawn to tools/list over stdio: our server against a bare FastMCP server, in turn, in one run."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

ROUNDS = 9
BARE = """
from fastmcp import FastMCP
server = FastMCP("bare")
@server.tool
async def echo(text: str) -> str:
    return text
server.run("stdio", show_banner=False)
"""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def seconds_to_tools_list(argv: list[str]) -> float:
    """Return seconds from the start of a server process to its tools/list result."""
    started = time.perf_counter()
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    assert process.stdout is not None
    for number, method in enumerate(("server/discover", "tools/list"), 1):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": META}}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        while json.loads(process.stdout.readline()).get("id") != number:
            pass
    elapsed = time.perf_counter() - started
    process.stdin.close()
    process.wait()
    return elapsed


def tools_list_bytes() -> tuple[int, int]:
    """Return the size of the default tools/list in bytes, without and with output schemas."""
    done = subprocess.run(
        [sys.executable, "-m", "labrig_harness", "tools", "phreeqc", "--json"],
        capture_output=True,
        check=True,
    )
    tools = json.loads(done.stdout)["tools"]
    lean = [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools]
    without, whole = (len(json.dumps(each, separators=(",", ":")).encode()) for each in (lean, tools))
    return without, whole


def main() -> None:
    """Print medians and the ratio."""
    bare, ours = [sys.executable, "-c", BARE], [sys.executable, "-m", "labrig_phreeqc"]
    seconds_to_tools_list(bare), seconds_to_tools_list(ours)
    pairs = [(seconds_to_tools_list(bare), seconds_to_tools_list(ours)) for _ in range(ROUNDS)]
    ratio = statistics.median(second / first for first, second in pairs)
    print(f"spawn to tools/list, median of {ROUNDS} pairs")
    print(f"  labrig-phreeqc / bare FastMCP server: {ratio:.2f}   (at most 1.20)")
    without, whole = tools_list_bytes()
    print(f"  tools/list of the default toolset: {without} bytes (at most 12000)")
    print(f"  ... with output schemas: {whole} bytes (at most 16000)")


if __name__ == "__main__":
    main()
