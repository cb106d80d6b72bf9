"""Callers that go away, again and again, and requests that are long: nobody else's run ends, and nothing is kept."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.sandbox import Limits, Sandbox
from support.sandbox_rig import Rig, rig

SLOW = "import time\ntime.sleep(0.3)"


@pytest.fixture(scope="module")
def lab() -> Iterator[Rig]:
    """Share a sandbox: each test leaves one that runs, and a start takes its time."""
    with rig(backend="landlock", slots=2, warm=False) as made:
        yield made


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_who_is_cancelled_twice_leaves_nothing_and_ends_nobody_else(lab: Rig) -> None:
    """As anyio does: it cancels until the scope is left."""

    async def cancels(sandbox: Sandbox) -> None:
        await sandbox.run("1")
        before, pid = descriptors(), sandbox.pid
        neighbour = asyncio.create_task(
            sandbox.run("import time\ntime.sleep(2)\nprint('lived')", owner="bob")
        )
        for number in range(20):
            task = asyncio.create_task(sandbox.run(SLOW, owner="ann"))
            await asyncio.sleep(0.002 * (number % 5))
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await task
        result = await neighbour
        assert (result.status, result.output) == ("ok", "lived\n") and sandbox.pid == pid
        assert (await sandbox.run("print(2)", owner="ann")).output == "2\n"
        for _ in range(100):
            if descriptors() <= before:
                break
            await asyncio.sleep(0.05)
        assert descriptors() <= before

    lab.go(cancels(lab.sandbox))


def test_a_request_longer_than_a_sockets_room_arrives_whole(lab: Rig, tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(12):
        folder = folder / ("\N{GRINNING FACE}" * 60)
    folder.mkdir(parents=True)
    inputs = {}
    for number in range(32):
        name = f"{number:02}" + "\N{GRINNING FACE}" * 48
        (folder / name).write_text(str(number))
        inputs[name] = folder / name

    async def asks(sandbox: Sandbox) -> None:
        code = "import os\nprint(len(os.listdir('inputs')))"
        runs = await asyncio.gather(
            *(
                sandbox.run(code, inputs=inputs, limits=Limits(wall_s=20), owner=name)
                for name in ("ann", "bob")
            ),
            sandbox.run("print('beside')", owner="carol"),
        )
        assert [run.output for run in runs] == ["32\n", "32\n", "beside\n"]

    lab.go(asks(lab.sandbox))


def test_a_run_that_is_asked_of_a_server_that_has_died_is_an_error(lab: Rig) -> None:
    """It may die between the look at it and the request: a caller must not wait for ever."""

    async def asks(sandbox: Sandbox) -> None:
        await sandbox.run("1")
        server = await sandbox._running_server()
        server.abandon()
        with pytest.raises(LabrigError, match="The sandbox is gone") as gone:
            await asyncio.wait_for(server.ending(server.submit(99, [], [], Limits())), 60)
        assert gone.value.code == "engine"
        assert (await sandbox.run("print(1)")).output == "1\n"

    lab.go(asks(lab.sandbox))
