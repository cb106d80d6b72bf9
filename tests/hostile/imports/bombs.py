"""Logs in Inspect's form that become far larger than they are: what ``labrig import`` is attacked with.

``bombs.py FOLDER`` writes them all.
"""

from __future__ import annotations

import json
import struct
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HEADER = {"status": "success", "eval": {"task": "bomb", "model": "mock/model", "dataset": {}}}
MB = 2**20


def sample(number: int, **more: Any) -> dict[str, Any]:
    """Return a sample as it should be, with other fields beside or in place of its own."""
    messages = [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "2"}]
    return {"id": f"q{number}", "epoch": 1, "messages": messages, "output": {}, **more}


def _archive(path: Path, members: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        archive.writestr("samples/good_epoch_1.json", json.dumps(sample(0)))
        for name, data in members.items():
            archive.writestr(name, data)


def large_member(path: Path) -> None:
    """Write one sample of 100 MB of blanks, packed into 100 kB."""
    _archive(path, {"samples/q1_epoch_1.json": json.dumps(sample(1, x=" " * 100 * MB)).encode()})


def many_members(path: Path) -> None:
    """Write 30 samples of 15 MB each, none of them large by itself."""
    data = {
        f"samples/q{n}_epoch_1.json": json.dumps(sample(n, x=" " * 15 * MB)).encode() for n in range(1, 31)
    }
    _archive(path, data)


def overlapping(path: Path) -> None:
    """Write 400 entries of the directory that all name the same bytes."""
    data = json.dumps(sample(1, x=[number * 7919 for number in range(20_000)])).encode()
    _archive(path, {"samples/q1_epoch_1.json": data})
    raw = path.read_bytes()
    end = raw.rindex(b"PK\x05\x06")
    size, start = struct.unpack("<II", raw[end + 12 : end + 20])
    directory = raw[start : start + size]
    entry = directory[directory.rindex(b"PK\x01\x02") :]
    name = b"samples/q1_epoch_1.json"
    more = [entry.replace(name, b"samples/q1_epoch_%d.json" % n) for n in range(2, 10)] * 50
    directory += b"".join(more)
    count = raw[end + 8 : end + 10]
    (entries,) = struct.unpack("<H", count)
    tail = struct.pack("<HHIIH", entries + len(more), entries + len(more), len(directory), start, 0)
    path.write_bytes(raw[:start] + directory + b"PK\x05\x06\0\0\0\0" + tail)


def many_values(path: Path) -> None:
    """Write a sample of 12 million empty lists, behind bytes that do not pack, so that the ratio is a small one."""
    from random import Random

    noise = Random(1).randbytes(400_000).hex()
    data = json.dumps(sample(1, noise=noise))[:-1] + ', "x": [' + "[]," * 12_000_000 + "[]]}"
    _archive(path, {"samples/q1_epoch_1.json": data.encode()})


def named_often(path: Path) -> None:
    """Write a sample whose one attachment of 8 MB stands in 60 messages."""
    from random import Random

    messages = [{"role": "user", "content": "attachment://big"}] * 60
    text = Random(1).randbytes(4 * MB).hex()
    _archive(
        path,
        {
            "samples/q1_epoch_1.json": json.dumps(
                sample(1, messages=messages, attachments={"big": text})
            ).encode()
        },
    )


BOMBS: dict[str, Callable[[Path], None]] = {
    each.__name__: each for each in (large_member, many_members, overlapping, many_values, named_often)
}

if __name__ == "__main__":
    for name, write in BOMBS.items():
        target = Path(sys.argv[1]) / f"{name}.eval"
        write(target)
        print(f"{target}: {target.stat().st_size:,} bytes")
