"""A run that rests for others stands with its time, whatever it does and however its files are looked at."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from labrig.sandbox import Limits
from support.sandbox_rig import BACKENDS, children, rig

pytestmark = pytest.mark.accept

WAKES_ITSELF = """
import os, signal, threading
def wake(name):
    while True:
        try:
            os.kill(os.getpid(), signal.SIGCONT)
        except PermissionError:
            pass
        open(name, "w").close()
        os.rename(name, name + "2")
for name in "abc":
    threading.Thread(target=wake, args=(name,), daemon=True).start()
while True:
    pass
"""


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("scratch_bytes", [1 << 26, 2 << 30], ids=["in memory", "on disk"])
def test_a_run_that_rests_stands_and_its_time_with_it(backend: str, scratch_bytes: int) -> None:
    with rig(backend=backend, warm=False) as lab:

        async def rested() -> tuple[set[str], bool, str]:
            await lab.sandbox.run("1")
            server = lab.sandbox._server
            assert server is not None
            idle = children(server.process.pid) | {server.process.pid}
            limits = Limits(wall_s=1.2, scratch_bytes=scratch_bytes)
            task = asyncio.create_task(lab.sandbox.run(WAKES_ITSELF, limits=limits))
            while not (new := children(server.process.pid) - idle):
                await asyncio.sleep(0.01)
            (process,) = new
            await asyncio.sleep(0.3)
            after: set[str] = set()
            began = asyncio.get_running_loop().time()
            while asyncio.get_running_loop().time() - began < 1.6:
                server.share(list(server.runs))
                async with asyncio.timeout(20):  # the fork server may be busy with a look
                    while state(process) != "T":
                        await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                after.add(state(process))
            stood = not task.done()
            server.share([])
            return after, stood, (await task).status

        assert lab.go(rested()) == ({"T"}, True, "wall_limit")
        assert lab.run("1 + 1").output == "2\n" and children(os.getpid())
