"""48 connections of one token, each with one call after the other, and one connection of another token.

python tests/hostile/servers/crowd.py [--server NAME] [--calls N]

What is counted is no time, so that it is the same on a busy machine: how many calls of the crowd are answered while
the other waits for one answer of hers. In a fair queue of callers it is a few, however many connections the crowd has.
Exit code 1 if it is more than `FAIR`.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import multiprocessing
import os
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hostile.guard import until
from hostile.servers.channels import MINE, THEIRS, Http, message, tool_headers

CROWD, CALLS = 48, 40
FAIR = 12
"""Calls of the crowd for one of the other: 8 that are worked on when hers comes, and what comes in meanwhile."""
QUIET = "list_file"


def answered_meanwhile(server: Http, calls: int) -> list[int]:
    """Return, for each call of one caller, how many of the crowd were answered while it waited."""
    context = multiprocessing.get_context("spawn")  # another process: its threads take no turn of ours
    answered = context.Array("q", CROWD, lock=False)
    crowd = context.Process(target=call_over_and_over, args=(server.port, answered), daemon=True)
    crowd.start()
    counts = []
    try:
        assert until(lambda: min(answered) > 0, 60), "a call of the crowd is not answered"
        for _ in range(calls):
            before = sum(answered)
            assert ask(server.port, MINE) == "ok"
            counts.append(sum(answered) - before)
    finally:
        crowd.terminate()
        crowd.join()
    return counts


def call_over_and_over(port: int, answered: Any) -> None:
    """Be the crowd: count the answers of each connection."""

    def one(number: int) -> None:
        while ask(port, THEIRS) == "ok":
            answered[number] += 1

    for number in range(CROWD):
        threading.Thread(target=one, args=(number,)).start()


def ask(port: int, token: str) -> str:
    """Make a call that does little, and return what came of it."""
    body, headers = message(QUIET, {}, 1), tool_headers("tools/call", QUIET, token)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request("POST", "/mcp", body, headers)
        raw = connection.getresponse().read()
    return "ok" if b'"isError":true' not in raw and b'"result"' in raw else "refused"


def main() -> int:
    """Start a server, let the crowd at it, and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--server", default="phreeqc", choices=("papers", "phreeqc"))
    parser.add_argument("--calls", type=int, default=CALLS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        argv = [sys.executable, "-P", "-m", f"labrig_{asked.server}", "--workspace", folder]
        server = Http(argv, os.environ, Path(folder))
        try:
            counts = answered_meanwhile(server, asked.calls)
        finally:
            server.process.terminate()
            server.process.wait(30)
    median = statistics.median(counts)
    print(f"{asked.server}: {median:g} calls of the crowd for one of the other (most {max(counts)})")
    return int(median > FAIR)


if __name__ == "__main__":
    sys.exit(main())
