"""An agent program for the suite of the toys, standard library only: it starts each server of its MCP configuration.

It lists the tools of both, solves the sample by the calls of the reference, and prints what it saw.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import Any

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "toy-agent", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """One MCP server, spoken to in lines."""

    def __init__(self, about: dict[str, Any]) -> None:
        self.process = subprocess.Popen(
            [about["command"], *about["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = 0

    def ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**params, "_meta": META}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)


def text(result: Any) -> str:
    return "\n".join(str(part.get("text", "")) for part in result["content"])


def main() -> None:
    with open(os.environ["LABRIG_MCP_CONFIG"]) as file:
        servers = {name: Server(about) for name, about in json.load(file)["mcpServers"].items()}
    with open(os.environ["LABRIG_PROMPT_FILE"]) as file:
        mineral = re.search(r"grains of (\w+)", file.read())
    assert mineral is not None
    tools = {name: server.ask("tools/list")["tools"] for name, server in servers.items()}
    scale, shelf = servers["scale"], servers["shelf"]
    started = scale.call("start_weighing", path="masses.f8", pause_s=0.05)
    job = re.search(r"weighing-\d+", text(started))
    assert job is not None
    done = text(scale.call("get_job", job=job[0], wait_s=20))
    read = shelf.call("read_file", path=mineral[1])
    mass, density = re.search(r"mass = ([\d.e-]+) (\w+)", done), re.search(r"density ([\d.]+)", text(read))
    assert mass is not None and density is not None
    volume = float(mass[1]) * (1000 if mass[2] == "kg" else 1) / float(density[1])
    scale.call("write_file", path="final_answer.txt", content=f"{volume:.2f}")
    over = scale.call("read_file", path="final_answer.txt") if os.environ.get("TOY_ONE_MORE") else None
    print(
        json.dumps(
            {
                "schemas": sorted(
                    tool["name"] for each in tools.values() for tool in each if "outputSchema" in tool
                ),
                "structured": "structuredContent" in read,
                "read": text(read),
                "over": text(over) if over else "",
            }
        )
    )


main()
