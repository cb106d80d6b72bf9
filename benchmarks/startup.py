"""From spawn to tools/list over stdio: every installed server against a bare FastMCP server, in turn, in one run."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

from labrig.answer import json_bytes
from labrig_harness.registry.servers import module, names, toolbox

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


def tools_list_size(server: str, *options: str) -> tuple[int, int, int]:
    """Return how many tools a server lists, the bytes that a model reads of them, and those of its instructions.

    ``_meta`` is the client's.
    """
    done = subprocess.run(
        [sys.executable, "-m", "labrig_cli", "tools", server, *options, "--json"],
        capture_output=True,
        check=True,
    )
    listed = json.loads(done.stdout)["tools"]
    tools = [{key: value for key, value in tool.items() if key != "_meta"} for tool in listed]
    return len(tools), json_bytes(tools), json_bytes(toolbox(server).instructions)


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
    print(
        "tools of the default list (at most 20), its bytes (at most 28000) and those of the instructions (600)"
    )
    commands = {name: [sys.executable, *module(name)] for name in names()}
    more = {"earth, terra": [sys.executable, *module("earth"), "--toolsets", "terra"]}
    found = ratios(commands | more)
    for name in commands:
        count, listed, instructions = tools_list_size(name)
        print(f"  {name:12} {found[name]:.2f}   {count} tools, {listed} bytes, instructions {instructions}")
    _, without, _ = tools_list_size("earth", "--toolsets", "terra")
    ratio = found["earth, terra"]
    print(f"  {'earth, terra':12} {ratio:.2f}   {without} bytes: all of TerraAgent's (at most 1.50, 56000)")


if __name__ == "__main__":
    main()
