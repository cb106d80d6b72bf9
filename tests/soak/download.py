"""A file of gigabytes: downloaded into the ledger, kept, given to a child, and replayed, in little memory.

python tests/soak/download.py [--megabytes N]

A server on 127.0.0.1 makes the file as it sends it and breaks off once in the middle. Two processes take it, one in
the mode record and, with the server gone, one in replay. Each keeps it as an artifact and gives that, open, to a warm
child, which hashes it. Exit code 1 if a hash differs, a process ever holds more than 200 MB, or holds 24 MB more than
after a file of one megabyte.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import http.server
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

PEAK = 200e6
GROWTH = 24e6
MEGABYTE = 1_000_000
BLOCK = random.Random(15).randbytes(MEGABYTE - 8)


def content(size: int, start: int = 0) -> Iterator[bytes]:
    """Yield the file from a place, a megabyte at a time: a number and then the same noise."""
    while start < size:
        number, offset = divmod(start, MEGABYTE)
        piece = (number.to_bytes(8, "big") + BLOCK)[offset : offset + size - start]
        yield piece
        start += len(piece)


class Sender(http.server.BaseHTTPRequestHandler):
    """Sends ``/SIZE``: that many bytes, or the part of them that Range asks for; the first time only half of them."""

    broken: ClassVar[set[str]] = set()

    def do_GET(self) -> None:
        size = int(self.path[1:])
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(found[1]) if found else 0
        self.send_response(206 if found else 200)
        if found:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.send_header("Content-Length", str(size - start))
        self.send_header("ETag", '"1"')
        self.end_headers()
        breaks = size > MEGABYTE and self.path not in self.broken
        self.broken.add(self.path)
        for piece in content(size // 2 if breaks else size, start):
            self.wfile.write(piece)

    def log_message(self, *_: object) -> None: ...


def peak() -> int:
    """Return the most bytes of memory that this process ever held."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


HASHING = """
import hashlib
from labrig.isolation.inside.answering import FIRST_FILE

def work(question):
    with open(FIRST_FILE, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest().encode()
"""


async def given(path: Path, folder: Path) -> tuple[str, str]:
    """Keep a file as an artifact and give it to a child; return its handle's hash and the one that the child finds."""
    from labrig.artifacts import ArtifactStore
    from labrig.isolation.children import Children
    from labrig.isolation.process import Limits
    from labrig.workspace import Workspace

    folder.mkdir()
    (folder / "hashing.py").write_text(HASHING)
    os.environ["PYTHONPATH"] = str(folder)
    os.environ["LABRIG_ARTIFACTS_QUOTA_BYTES"] = "16GB"
    store = ArtifactStore(Workspace(folder / "workspace"))
    kept = store.put_path(path, name="large.bin", media_type="application/octet-stream")
    limits = Limits(wall_s=3_600, cpu_s=3_600)
    async with Children("hashing", what="Hashing", limits=limits) as children:
        with store.opened(kept.handle) as opened:
            outcome = await children.ask({}, [opened.descriptor])
    return kept.sha256, outcome.stdout.decode()


async def take(origin: str, folder: Path, mode: str, size: int) -> dict[str, object]:
    """Download a small file, then the large one; return the hash of what lies on the disk, and the memory."""
    from labrig.http import Client

    told: list[int] = []
    async with Client(mode=mode, ledger=folder / "ledger.sqlite", private_origins=[origin]) as client:
        await client.download(f"{origin}/{MEGABYTE}", folder / f"small-{mode}")
        before = peak()
        began = time.monotonic()
        got = await client.download(
            f"{origin}/{size}",
            folder / mode,
            max_bytes=size,
            total_s=36_000,
            progress=lambda done, _: told.append(done) if not told or done > told[-1] + size / 10 else None,
        )
        seconds = time.monotonic() - began
    hashes = {got.sha256, *await given(folder / mode, folder / f"kept-{mode}")}
    after = peak()
    digest = hashes.pop() if len(hashes) == 1 else "several"
    return {
        "right": len(told) >= min(5, size // MEGABYTE),
        "sha256": digest,
        "before": before,
        "peak": after,
        "seconds": seconds,
    }


def check(size: int) -> bool:
    """Send, record and replay a file; print what came of it, and return whether it stood."""
    digest = hashlib.sha256()
    for piece in content(size):
        digest.update(piece)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sender)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    said, stood = [], True
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("record", "replay"):
            if mode == "replay":
                server.shutdown()
                server.server_close()
            words = [sys.executable, __file__, "--child", origin, folder, mode, str(size)]
            found = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
            growth = found["peak"] - found["before"]
            right = found["right"] and found["sha256"] == digest.hexdigest()
            stood = stood and right and found["peak"] < PEAK and growth < GROWTH
            said.append(
                f"{mode} {'the same bytes' if right else 'OTHER BYTES'} in {found['seconds']:.0f} s, "
                f"peak {found['peak'] / 1e6:.0f} MB, grown by {growth / 1e6:.1f} MB"
            )
        bodies = sum(each.stat().st_size for each in Path(folder, "ledger.sqlite.bodies").rglob("*"))
        stood = stood and bodies >= size
    print(f"{size / 1e6:,.0f} MB: {'; '.join(said)}: {'stood' if stood else 'FAILED'}", flush=True)
    return stood


def main() -> int:
    """Check one size; as a child take the file once."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=3_000)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        origin, folder, mode, size = given.child
        print(json.dumps(asyncio.run(take(origin, Path(folder), mode, int(size)))))
        return 0
    return 0 if check(given.megabytes * MEGABYTE + 17) else 1


if __name__ == "__main__":
    sys.exit(main())
