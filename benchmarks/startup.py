"""From spawn to tools/list over stdio: every installed server against a bare FastMCP server, in turn, in one run."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

from labrig_harness.registry.servers import module, names

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


def tools_list_bytes(server: str, *options: str) -> tuple[int, int]:
    """Return the size of the tools/list of a server in bytes, without and with output schemas."""
    done = subprocess.run(
        [sys.executable, "-m", "labrig_cli", "tools", server, *options, "--json"],
        capture_output=True,
        check=True,
    )
    tools = json.loads(done.stdout)["tools"]
    lean = [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools]
    without, whole = (len(json.dumps(each, separators=(",", ":")).encode()) for each in (lean, tools))
    return without, whole


def ratios(commands: dict[str, list[str]]) -> dict[str, float]:
    """Return the median ratio of each command to the bare server, all of them in turn in each round."""
    bare = [sys.executable, "-c", BARE]
    for argv in (bare, *commands.values()):
        seconds_to_tools_list(argv)
    found: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        first = seconds_to_tools_list(bare)
        for name, argv in commands.items():
            found[name].append(seconds_to_tools_list(argv) / first)
    return {name: statistics.median(each) for name, each in found.items()}


def main() -> None:
    """Print a line for each server: the ratio, and the size of its tools list."""
    print(
        f"spawn to tools/list, median of {ROUNDS} rounds, as a ratio to a bare FastMCP server (at most 1.20);"
    )
    print("bytes of the default tools/list (at most 12000), and with output schemas (at most 16000)")
    commands = {name: [sys.executable, *module(name)] for name in names()}
    more = {"earth, terra": [sys.executable, *module("earth"), "--toolsets", "terra"]}
    found = ratios(commands | more)
    for name in commands:
        without, whole = tools_list_bytes(name)
        print(f"  {name:12} {found[name]:.2f}   {without} bytes, {whole} with output schemas")
    without, _ = tools_list_bytes("earth", "--toolsets", "terra")
    ratio = found["earth, terra"]
    print(f"  {'earth, terra':12} {ratio:.2f}   {without} bytes: all of TerraAgent's (at most 1.50, 56000)")


if __name__ == "__main__":
    main()
