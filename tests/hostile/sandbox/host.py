"""The process that holds the sandbox under attack, or starts the unprotected control: requests in, answers out.

A server in miniature: it has a key in its environment and an open sandbox. Started by `hostile.sandbox.attack` with
one JSON argument: ``profile`` (of the sandbox), ``backend`` ("control" for none), ``python`` (the side environment's),
``abi`` (Landlock's, or null).
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Protocol

Request = dict[str, Any]
Reply = dict[str, Any]
KEPT = 50 << 20
SHOWN = 1 << 20
"""Of each file that a run left: what this process takes to say more would be counted as the sandbox's."""
signals: list[int] = []
calls: list[str] = []
lags: list[float] = []
"""Seconds by which a task of this process was woken too late: how long its other callers waited."""


class Box(Protocol):
    """What code is sent to."""

    backend: str
    pid: int

    async def run(self, request: Request) -> Reply:
        """Run one program."""


class Protected:
    """The real sandbox."""

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox

    @property
    def backend(self) -> str:
        """Which backend it found."""
        return str(self.sandbox.backend)

    @property
    def pid(self) -> int:
        """The number of the fork server."""
        return int(self.sandbox.pid)

    async def run(self, request: Request) -> Reply:
        """Run one program in the sandbox."""
        from labrig.sandbox import Limits

        result = await self.sandbox.run(
            request["code"],
            functions={"lookup": lookup},
            inputs={name: Path(path) for name, path in request["inputs"].items()},
            limits=Limits(**request["limits"]),
        )
        reply = dict(vars(result))
        reply["files"] = {
            name: base64.b64encode(data[:SHOWN]).decode() for name, data in result.files.items()
        }
        reply["sizes"] = {name: len(data) for name, data in result.files.items()}
        return reply


async def lookup(*arguments: object, **named: object) -> str:
    """Answer a host function; what it was asked is counted."""
    calls.append(repr(arguments)[:50])
    return "not found"


class Control:
    """No sandbox: each program in a child like any other, which inherits what a child inherits."""

    backend = "control"
    pid = 0

    def __init__(self, python: str) -> None:
        self.python = python

    async def run(self, request: Request) -> Reply:
        """Run one program unprotected; it is killed, with its group, one second after its time."""
        limits = request["limits"]
        top = tempfile.mkdtemp()
        try:
            folder = Path(top, "scratch")
            (folder / "inputs").mkdir(parents=True)
            for name, path in request["inputs"].items():
                (folder / "inputs" / name).symlink_to(path)
            began = time.monotonic()
            process = await asyncio.create_subprocess_exec(
                *(self.python, "-c", request["code"]),
                cwd=folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            output, error = bytearray(), bytearray()
            reading = asyncio.gather(_read(process.stdout, output), _read(process.stderr, error))
            status = "ok"
            try:
                await asyncio.wait_for(process.wait(), limits["wall_s"] + 1)
            except TimeoutError:
                status = "wall_limit"
            wall_s = time.monotonic() - began
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reading, 1)
            if status == "ok" and process.returncode:
                status = "crashed" if process.returncode < 0 else "error"
            files, sizes = _collected(folder)
            return {
                "status": status,
                "output": output.decode(errors="replace"),
                "error": error.decode(errors="replace"),
                "files": files,
                "sizes": sizes,
                "figures": [],
                "detail": "",
                "wall_s": wall_s,
            }
        finally:
            # Not shutil.rmtree, which ends at a thousand nested folders.
            subprocess.run(["rm", "-rf", top], check=False, stderr=subprocess.DEVNULL)


async def _read(stream: asyncio.StreamReader | None, into: bytearray) -> None:
    assert stream is not None
    while data := await stream.read(1 << 16):
        if len(into) < KEPT:
            into += data


def _collected(folder: Path) -> tuple[dict[str, str], dict[str, int]]:
    """Collect as one does who thinks no evil: everything that opens, links followed."""
    files, sizes = {}, {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = Path(top, name)
            with contextlib.suppress(OSError):
                if not stat.S_ISREG(path.stat().st_mode) or path.parent.name == "inputs":
                    continue
                sizes[str(path.relative_to(folder))] = path.stat().st_size
                if len(files) < 1000:
                    with path.open("rb") as file:
                        files[str(path.relative_to(folder))] = base64.b64encode(file.read(1 << 20)).decode()
    return files, sizes


def facts(box: Box) -> Reply:
    """Say how this process fares."""
    status = Path("/proc/self/status").read_text()
    memory = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith("Vm")}
    said = {
        "pid": os.getpid(),
        "backend": box.backend,
        "fork_server": box.pid,
        "descriptors": len(os.listdir("/proc/self/fd")) - 1,
        "signals": list(signals),
        "calls": len(calls),
        "lag": max(lags, default=0.0),
        "rss": int(memory["VmRSS"]) * 1024,
        "peak": int(memory["VmHWM"]) * 1024,
    }
    signals.clear()
    calls.clear()
    lags.clear()
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
    return said


async def watch_lag() -> None:
    """Wake up every 20 ms, and note by how much that was late."""
    while True:
        began = time.monotonic()
        await asyncio.sleep(0.02)
        lags.append(time.monotonic() - began - 0.02)
        if len(lags) > 1000:
            lags[:] = [max(lags)]


async def serve(box: Box) -> None:
    """Answer requests until stdin ends; runs go on beside each other."""
    loop = asyncio.get_running_loop()
    watching = asyncio.create_task(watch_lag())
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    answers = os.fdopen(os.dup(1), "w")

    def answer(reply: Reply) -> None:
        answers.write(json.dumps(reply) + "\n")
        answers.flush()

    async def run(request: Request) -> None:
        try:
            reply = await box.run(request)
        except Exception as error:  # the watcher shows it; this process goes on as a server would
            reply = {"refused": f"{type(error).__name__}: {error}"}
        answer({"id": request["id"], **reply})

    tasks = set()
    answer(facts(box))
    while line := await reader.readline():
        request = json.loads(line)
        if request["op"] == "facts":
            answer({"id": request["id"], **facts(box)})
        else:
            task = asyncio.create_task(run(request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    watching.cancel()


async def main() -> None:
    """Open the sandbox, or none, and serve."""
    asked = json.loads(sys.argv[1])
    loop = asyncio.get_running_loop()
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGURG, signal.SIGIO, signal.SIGALRM):
        loop.add_signal_handler(number, signals.append, number)
    if asked["backend"] == "control":
        await serve(Control(asked["python"]))
        return
    from labrig.sandbox import Sandbox

    more: dict[str, Any] = {} if asked["abi"] is None else {"_landlock_abi": asked["abi"]}
    async with Sandbox(profile=asked["profile"], backend=asked["backend"], slots=2, **more) as sandbox:
        await sandbox.run("1")  # a sandbox starts with its first run
        await serve(Protected(sandbox))


if __name__ == "__main__":
    asyncio.run(main())
