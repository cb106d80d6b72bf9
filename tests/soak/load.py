"""A hundred clients with two tokens at one server over HTTP: what is nobody else's, what is fair, what grows.

python tests/soak/load.py [--clients N] [--seconds S]

One token has nine clients of ten. Each client sends the next call when it has its answer, and each call has a number of
its own that only its own answer may hold. Fair is that each token gets half of what the server answers, whoever has
more clients: the shares may differ by a factor of 1.5, in the first fifth of the time as well as in all of it.
Exit code 1 if an answer is another's, the server grows by more than 100 MB, or the shares are further apart.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

SERVERS = {
    "phreeqc": (
        "execute_phreeqc",
        "SOLUTION 1\n -temp {number}\nUSER_PRINT\n10 PRINT 'is {number} of {name}'\nEND\n",
    ),
    "repository": ("run_python_code", "print('is {number} of {name}')"),
}
TOKENS = {name: f"{name}-" + name[0] * 20 for name in ("ann", "bob")}
GROWTH = 100 << 20
FACTOR = 1.5
EARLY = 0.2


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def resident(pid: int) -> int:
    """Return the bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Load:
    """The clients of one server, and what they got."""

    def __init__(self, server: str, port: int, seconds: float) -> None:
        self.tool, self.text = SERVERS[server]
        self.address = f"http://127.0.0.1:{port}/mcp"
        self.begin, self.seconds = 0.0, seconds
        self.answered: dict[str, list[float]] = {name: [] for name in TOKENS}
        self.busy = 0
        self.crossed: list[str] = []
        self._numbers = itertools.count(1)

    async def client(self, name: str) -> None:
        """Call until the time is over."""
        transport = StreamableHttpTransport(self.address, auth=TOKENS[name])
        async with Client(transport) as client:
            while self.begin == 0:
                await asyncio.sleep(0.01)
            while time.monotonic() < self.begin + self.seconds:
                number = next(self._numbers)
                text = self.text.format(number=number % 90, name=f"{name}{number}")
                argument = "code" if self.tool == "run_python_code" else "input"
                reply = await client.call_tool(self.tool, {argument: text}, raise_on_error=False)
                said = str(reply.content) + str(reply.structured_content)
                found = set(re.findall(r"is \d+ of (\w+)", said))
                if found and found != {f"{name}{number}"}:
                    self.crossed.append(f"{name}{number}: {found}")
                if found:
                    self.answered[name].append(time.monotonic() - self.begin)
                else:
                    self.busy += 1
                    await asyncio.sleep(random.uniform(0.05, 0.15))

    async def all(self, clients: int) -> None:
        """Connect every client, then let all begin."""
        few = max(1, clients // 10)
        names = ["ann"] * (clients - few) + ["bob"] * few
        tasks = [asyncio.create_task(self.client(name)) for name in names]
        await asyncio.sleep(min(20, 0.1 * clients))
        self.begin = time.monotonic()
        await asyncio.gather(*tasks)

    def ratio(self, until: float) -> float:
        """Return how many times more one token got than the other up to a time."""
        counts = sorted(sum(moment <= until for moment in moments) for moments in self.answered.values())
        return counts[1] / max(1, counts[0])


def run(server: str, clients: int, seconds: float) -> bool:
    """Load one server and print what came of it; return whether it stood."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens"
        tokens.write_text("\n".join(TOKENS.values()))
        tokens.chmod(0o600)
        port = free_port()
        labrig = str(Path(sys.executable).with_name("labrig"))
        command = [labrig, "serve", server, "--http", f"127.0.0.1:{port}"]
        process = subprocess.Popen(
            [*command, "--token-file", str(tokens), "--workspace", f"{folder}/w"], stderr=subprocess.DEVNULL
        )
        try:
            for _ in range(300):
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            load = Load(server, port, 3)
            asyncio.run(load.all(4))  # warm
            before = resident(process.pid)
            load = Load(server, port, seconds)
            asyncio.run(load.all(clients))
            grown = resident(process.pid) - before
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    counts = {name: len(moments) for name, moments in load.answered.items()}
    early, late = load.ratio(EARLY * seconds), load.ratio(seconds + 60)
    stood = not load.crossed and grown < GROWTH and max(early, late) <= FACTOR and min(counts.values()) > 0
    print(
        f"{server}: {clients} clients, {sum(counts.values())} answers {counts}, {load.busy} times busy; "
        f"shares {early:.2f} at first, {late:.2f} in all; grown by {grown / 1e6:.0f} MB; "
        f"{len(load.crossed)} answers of another: {'stood' if stood else 'FAILED'}",
        flush=True,
    )
    return stood


def main() -> int:
    """Load each server in turn."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("servers", nargs="*", default=list(SERVERS))
    given = parser.parse_args()
    stood = [run(server, given.clients, given.seconds) for server in given.servers]
    return 0 if all(stood) else 1


if __name__ == "__main__":
    sys.exit(main())
