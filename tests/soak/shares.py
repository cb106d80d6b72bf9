"""Some owners come first with all they may run, then others with one call at a time: what does each get?

python tests/soak/shares.py [--seconds S] [--owners N ..] [SERVER ..]

A server listens on HTTP with a token for each owner. Up to four owners are greedy: each has two long calls at a time
from the beginning, in the code tool of eight threads each. The others come two seconds later, and make a short call
after the other. Of every call it is known how much work it is. What an owner gets is the work of its calls in the time
that is measured; of a call that began before it or ended after it, as much as of its duration lies in it. Fair is
within a factor of 1.5 of 1/N, of N owners. Exit code 1 if somebody gets less or more, or has no call answered.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

GREEDY, AT_ONCE, THREADS = 4, 2, 8
LONG, SHORT = 8, 1
"""Work of a call of a greedy owner, and of another: `UNIT` of it is some 0.3 s of a processor."""
FACTOR = 1.5
BASIC = """SOLUTION 1
USER_PRINT
10 FOR i = 1 TO {loops}
20 x = SIN(i) * COS(i)
30 NEXT i
40 PRINT "done"
END
"""
PYTHON = """import hashlib
from threading import Thread
data = bytes(1 << 20)
def work():
    for _ in range({each}):
        hashlib.sha256(data).digest()
threads = [Thread(target=work) for _ in range({threads})]
for each in threads:
    each.start()
for each in threads:
    each.join()
print("done")
"""
BASIC_LOOPS, HASHES = 1_700_000, 600


def phreeqc(work: int, greedy: bool) -> tuple[str, dict[str, Any]]:
    """Return a call of so much work."""
    return "execute_phreeqc", {"input": BASIC.format(loops=work * BASIC_LOOPS)}


def code(work: int, greedy: bool) -> tuple[str, dict[str, Any]]:
    """Return a call of so much work."""
    threads = THREADS if greedy else 1
    return "run_python_code", {"code": PYTHON.format(each=work * HASHES // threads, threads=threads)}


SERVERS = {"phreeqc": (phreeqc, []), "earth": (code, ["--toolsets", "code"])}


@dataclass
class Owner:
    """One who calls: when its calls began and ended, with their work."""

    token: str
    greedy: bool
    calls: list[tuple[float, float, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def got(self, begin: float, end: float) -> float:
        """Return the work of its calls between two moments."""
        return sum(
            work * max(0.0, min(end, ended) - max(begin, began)) / (ended - began)
            for began, ended, work in self.calls
        )


async def calling(server: str, address: str, owner: Owner, over: asyncio.Event) -> None:
    """Make one call after the other until it is over."""
    work = LONG if owner.greedy else SHORT
    tool, arguments = SERVERS[server][0](work, owner.greedy)
    async with Client(StreamableHttpTransport(address, auth=owner.token), timeout=300) as client:
        while not over.is_set():
            began = time.monotonic()
            reply = await client.call_tool(tool, arguments, raise_on_error=False)
            said = str(reply.content) + str(reply.structured_content)
            if "done" in said and not reply.is_error:
                owner.calls.append((began, time.monotonic(), work))
            else:
                owner.refused.append(said[:200])
                await asyncio.sleep(0.5)


async def measured(server: str, address: str, owners: list[Owner], seconds: float) -> tuple[float, float]:
    """Have all call, and return the time in which all did."""
    over = asyncio.Event()
    tasks = [
        asyncio.create_task(calling(server, address, each, over))
        for each in owners
        if each.greedy
        for _ in range(AT_ONCE)
    ]
    await asyncio.sleep(2)
    tasks += [asyncio.create_task(calling(server, address, each, over)) for each in owners if not each.greedy]
    await asyncio.sleep(2)
    begin = time.monotonic()
    await asyncio.sleep(seconds)
    over.set()
    end = time.monotonic()
    await asyncio.gather(*tasks)
    return begin, end


def run(server: str, count: int, seconds: float) -> bool:
    """Measure one server with so many owners, print what each got, and return whether it is fair."""
    greedy = min(GREEDY, count - 1)
    owners = [Owner(f"owner-{number:02d}-{'x' * 16}", number < greedy) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens"
        tokens.write_text("\n".join(each.token for each in owners))
        tokens.chmod(0o600)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = int(found.getsockname()[1])
        process = subprocess.Popen(
            [
                *(str(Path(sys.executable).with_name("labrig")), "serve", server, *SERVERS[server][1]),
                *("--http", f"127.0.0.1:{port}", "--token-file", str(tokens), "--workspace", f"{folder}/w"),
            ],
            stderr=subprocess.DEVNULL,
        )
        address = f"http://127.0.0.1:{port}/mcp"
        try:
            for _ in range(300):
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            asyncio.run(warmed(server, address, owners[-1]))
            begin, end = asyncio.run(measured(server, address, owners, seconds))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    got = [each.got(begin, end) for each in owners]
    shares = [each / sum(got) * count for each in got]
    refused = [said for each in owners for said in each.refused]
    fair = min(shares) >= 1 / FACTOR and max(shares) <= FACTOR and not refused
    print(
        f"{server}: {count} owners, {sum(got) / (end - begin):.1f} units of work a second; of 1/{count} each got "
        f"{', '.join(f'{each:.2f}' for each in shares)} ({greedy} of them greedy): {'fair' if fair else 'UNFAIR'}",
        flush=True,
    )
    for said in refused[:3]:
        print(f"  refused: {said}")
    return fair


async def warmed(server: str, address: str, owner: Owner) -> None:
    """Make one call, which starts what is started once."""
    tool, arguments = SERVERS[server][0](1, False)
    async with Client(StreamableHttpTransport(address, auth=owner.token), timeout=300) as client:
        await client.call_tool(tool, arguments, raise_on_error=False)


def main() -> int:
    """Measure each server with each number of owners."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--owners", type=int, nargs="+", default=[2, 5, 10])
    parser.add_argument("servers", nargs="*", default=list(SERVERS))
    given = parser.parse_args()
    fair = [run(server, count, given.seconds) for server in given.servers for count in given.owners]
    return 0 if all(fair) else 1


if __name__ == "__main__":
    sys.exit(main())
