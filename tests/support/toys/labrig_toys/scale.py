"""The server ``scale``: masses in files of bytes (float64, little-endian, in grams)."""

from __future__ import annotations

import asyncio
import os
import struct
import zlib
from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Picture, Quantity
from labrig.errors import LabrigError
from labrig.progress import Progress
from labrig.server_settings import ServerSetting
from labrig.toolbox import Toolbox, session
from labrig.tools import jobs

SOURCE = "toy scale 1"
GRAMS = {"g": 1.0, "kg": 1000.0}

toolbox = Toolbox(
    "scale",
    "A scale",
    "Weighs files of masses: start_weighing, then get_job.",
    settings=(ServerSetting("unit", "g", "unit of masses", choices=tuple(GRAMS)),),
    job_slots=2,
)
PathArgument = Annotated[str, Field(description="File of the workspace.")]


@toolbox.tool(title="Write a file", read_only=False)
async def write_file(path: PathArgument, content: str) -> Answer:
    """Write a text file."""
    return Answer(
        source=SOURCE, values=(Quantity("size", session().workspace.write_text(path, content), "B"),)
    )


@toolbox.tool(title="Read a file", read_only=True)
async def read_file(path: PathArgument) -> Answer:
    """Read a text file."""
    return Answer(source=SOURCE, text=session().workspace.read_text(path))


@toolbox.tool(title="Say who serves", read_only=True)
async def process() -> Answer:
    """Give the number of the server's process."""
    return Answer(source=SOURCE, values=(Quantity("pid", os.getpid(), ""),))


@toolbox.tool(title="Weigh", read_only=True)
async def start_weighing(path: PathArgument, pause_s: float = 0.0) -> Answer:
    """Start to weigh all masses of a file."""
    content = session().workspace.read_bytes(path)
    if len(content) % 8 or not content:
        raise LabrigError("This is not a file of masses", where=path, expected="float64, 8 bytes each")
    unit = str(session().setting("unit"))

    async def weigh(progress: Progress) -> Answer:
        masses = struct.unpack(f"<{len(content) // 8}d", content)
        for number in range(4):
            progress(number / 4, f"quarter {number + 1}")
            await asyncio.sleep(pause_s / 4)
        return Answer(source=SOURCE, values=(Quantity("mass", sum(masses) / GRAMS[unit], unit),))

    job = session().jobs.start("weighing", weigh, owner=session().owner)
    return Answer(source=SOURCE, status="started", data={"job": job}, next=f"get_job(job={job!r}, wait_s=45)")


@toolbox.tool(title="Draw", read_only=True, picture=True)
async def draw_dial(fraction: float) -> Picture:
    """Draw a dial: a bar of one row."""
    return Picture(_png(bytes(255 if x < 64 * fraction else 0 for x in range(64))), "a dial", SOURCE)


def _png(row: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(row), 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" + row))
        + chunk(b"IEND", b"")
    )


jobs.offer(toolbox, started_by="start_weighing")
