"""Whether the servers of others that an arm names can be started: asked once, before the run."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness.arm import Arm
from labrig_harness.recording.client import ServerClient
from labrig_harness.recording.recorder import CallFailed, Recorder


async def list_foreign_tools(arm: Arm) -> dict[str, list[str]]:
    """Return by server the names of the tools of the arm's servers that are not ours; all are asked at once.

    A server that the run keeps goes on to its first record.

    Raises
    ------
    LabrigError
        For one that does not start, cannot be reached, or has no tools.
    """
    with tempfile.TemporaryDirectory(prefix="labrig-probe-") as folder:
        asked = (_list_tools(arm, name, Path(folder)) for name in arm.targets)
        answers = await asyncio.gather(*asked, return_exceptions=True)
    found: dict[str, list[str]] = {}
    for name, answer in zip(
        arm.targets, answers, strict=True
    ):  # of two that fail, the first is always the one told of
        if isinstance(answer, BaseException):
            raise answer
        found[name] = answer
    return found


async def _list_tools(arm: Arm, name: str, folder: Path) -> list[str]:
    target = replace(arm.target(name), cwd=folder)
    recorder = Recorder(CallLog(folder / name), name)
    where = target.url or " ".join(target.argv)
    try:
        async with ServerClient(target, ServeOptions(), recorder, arm.call_s):
            found = recorder.course.servers[name]
    except CallFailed as failure:
        raise LabrigError(
            f"The server {failure}",
            where=where,
            try_=f"labrig tools {target.url}" if target.url else f"labrig tools -- {where}",
            code="unavailable",
        ) from failure
    if not found:
        raise LabrigError(f"The server {name} has no tools", where=where)
    return found
