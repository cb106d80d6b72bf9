"""What goes wrong around a run leaves nothing behind, and the next one works: clients, processes, disks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastmcp import Client

from labrig.answer import Answer
from labrig.config import home
from labrig.sandbox import Sandbox, backends, environment
from labrig.sandbox.answers import answer
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, Toolbox, session
from support.sandbox_rig import BACKENDS, children, rig, skip_unless

BOTH = pytest.mark.parametrize("backend", BACKENDS)


def descriptors(pid: int | str = "self") -> list[str]:
    found = []
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(os.readlink(each))
    return sorted(found)


def wait_until(holds, seconds: float = 10.0) -> bool:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


KINDS = (
    "1 + 1",
    "1 / 0",
    "import os; os.abort()",
    "import os; os._exit(3)",
    "import sys; sys.exit(2)",
    "open('f', 'w').write('x' * 1000); __import__('os').makedirs('a/b/c')",
    "x = bytearray(1 << 40)",
    "print('x' * 300_000)",
    "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
    "import os; os.close(3)",
    "import os; os.write(3, b'no message\\n')",
    "import os; [os.open('/dev/null', 0) for _ in range(100)]",
)


@BOTH
@pytest.mark.parametrize(
    "calls",
    [
        *(pytest.param(calls, marks=pytest.mark.accept) for calls in (60, 250)),
        pytest.param(1_000, marks=pytest.mark.soak),
    ],
)
@pytest.mark.timeout(600)
def test_many_calls_in_a_row_leave_nothing(backend: str, calls: int) -> None:
    others = _own_folders()  # of the sandbox that other tests share
    with rig(backend=backend, warm=False) as lab:
        for code in KINDS:
            lab.run(code)
        assert lab.sandbox.pid is not None
        processes = children(os.getpid())
        zygote = max(children(lab.sandbox.pid) | {lab.sandbox.pid})
        before = descriptors(), descriptors(zygote)
        ends = [lab.run(KINDS[number % len(KINDS)]).status for number in range(calls)]
        assert set(ends) == {"ok", "error", "crashed", "exit", "memory_limit", "flood"}
        assert lab.run("1 + 1").output == "2\n"
        assert children(os.getpid()) == processes
        assert (descriptors(), descriptors(zygote)) == before
        assert lab.sandbox._server is not None and os.listdir(lab.sandbox._server.scratch) == []
    assert _own_folders() <= others


def _own_folders() -> set[Path]:
    """Return the folders and locks of this process's sandboxes."""
    return set((home() / "sandbox" / "scratch").glob(f"{os.getpid()}-*"))


@BOTH
def test_a_killed_child_is_told_and_harms_no_neighbour(backend: str) -> None:
    with rig(backend=backend, warm=False) as lab:

        async def begun(before: set[int]) -> set[int]:
            assert lab.sandbox.pid is not None
            while not (new := children(lab.sandbox.pid) - before):
                await asyncio.sleep(0.02)
            return new

        async def both() -> tuple[str, str, str]:
            await lab.sandbox.run("1")
            assert lab.sandbox.pid is not None
            idle = children(lab.sandbox.pid)
            victim = asyncio.create_task(lab.sandbox.run("import time; time.sleep(60)"))
            (process,) = await begun(idle)
            neighbour = asyncio.create_task(lab.sandbox.run("import time; time.sleep(1); print('well')"))
            await begun(idle | {process})
            os.kill(process, signal.SIGKILL)
            dead, other = await victim, await neighbour
            return dead.status, dead.signal, other.output

        assert lab.go(both()) == ("crashed", "SIGKILL", "well\n")


@pytest.mark.accept
@BOTH
@pytest.mark.parametrize("both", [False, True])
def test_the_server_killed_ends_everything(backend: str, both: bool) -> None:
    """Killed together with its fork server, nobody of ours is left to end the run: the kernel does."""
    skip_unless(backend=backend)
    lone = backends.choose(backend).name == "landlock"  # bubblewrap has processes of its own
    program = textwrap.dedent(
        f"""
        import asyncio
        from labrig.sandbox import Sandbox
        async def main():
            async with Sandbox(backend={backend!r}) as sandbox:
                await sandbox.run("1")
                print(sandbox.pid, flush=True)
                await sandbox.run("open('f', 'w').write('x')\\nwhile True: pass")
        asyncio.run(main())
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        fork_server = int(server.stdout.readline())
        assert wait_until(lambda: len(children(fork_server)) >= (1 if lone else 3))
        family = {fork_server, *children(fork_server)}
        if both:
            for pid in family - {max(family)}:
                with contextlib.suppress(ProcessLookupError):  # the end of the first may have ended it
                    os.kill(pid, signal.SIGKILL)
        server.kill()
    assert wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))
    scratch = home() / "sandbox" / "scratch"
    with rig(backend=backend, warm=False) as lab:
        lab.run("1")
        left = [each for each in scratch.iterdir() if each.name.startswith(f"{server.pid}-")]
        assert left == [], "what a killed server left is removed by the next one"


@pytest.mark.accept
@BOTH
def test_a_full_disk_is_an_error_of_the_code_and_nothing_more(backend: str, tmp_path: Path) -> None:
    """The folder of scratch folders lies on a file system of 1 MB, in a mount namespace of the test's own."""
    skip_unless(backend=backend)
    house = tmp_path / "home"
    scratch = house / "sandbox" / "scratch"
    scratch.mkdir(parents=True)
    found = environment.find("science").prefix
    (house / "sandbox" / found.name).symlink_to(found)
    program = textwrap.dedent(
        f"""
        import asyncio, os
        from labrig.sandbox import Limits, Sandbox
        async def main():
            async with Sandbox(backend={backend!r}, slots=1) as sandbox:
                big = Limits(scratch_bytes=1 << 40, file_bytes=1 << 40)
                code = "print('begun')\\nwith open('f', 'wb') as f:\\n    while True: f.write(bytes(1 << 20))"
                full = await sandbox.run(code, limits=big)
                print(full.status, "No space left" in full.error, full.output.strip())
                again = await sandbox.run("open('f', 'w').write('x'); print(open('f').read())")
                print(again.status, again.output.strip(), sorted(again.files))
        asyncio.run(main())
        """
    )
    script = tmp_path / "program.py"
    script.write_text(program)
    size = "1m" if backends.choose(backend).name == "landlock" else "64k"
    mount = f"mount -t tmpfs -o size={size} none {scratch} && exec {sys.executable} {script}"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount],
        env=os.environ | {"LABRIG_HOME": str(house)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no mount namespace here: {done.stderr.strip()}")
    assert done.stdout.splitlines() == ["error True begun", "ok x ['f']"], done.stderr


def _toolbox(backend: str) -> Toolbox:
    @contextlib.asynccontextmanager
    async def opens(options: ServeOptions) -> AsyncIterator[Sandbox]:
        async with Sandbox.configured(backend=backend, unsafe_local=options.unsafe_local) as sandbox:
            yield sandbox

    box = Toolbox("calculator", "A calculator", "Compute with run_python_code.", opens=opens)

    @box.tool(read_only=True, title="Run Python")
    async def run_python_code(code: str) -> Answer:
        """Run Python code."""
        here = session()
        result = await here.state.run(code, owner=here.owner)
        return answer(result, code=code, artifacts=here.artifacts, source="numpy")

    return box


@pytest.mark.accept
@BOTH
async def test_a_client_that_takes_its_call_back_ends_the_code(backend: str, tmp_path: Path) -> None:
    skip_unless(backend=backend)
    async with Client(build(_toolbox(backend), ServeOptions(workspace=tmp_path / "w"))) as client:
        first = await client.call_tool("run_python_code", {"code": "1 + 1"})
        assert first.structured_content["text"] == "2\n"
        idle = children(os.getpid())
        call = asyncio.create_task(client.call_tool("run_python_code", {"code": "while True: pass"}))
        for _ in range(100):
            await asyncio.sleep(0.05)
            if children(os.getpid()) - idle:
                break
        else:
            raise AssertionError("the code did not start")
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        for _ in range(100):
            if not children(os.getpid()) - idle:
                break
            await asyncio.sleep(0.05)
        assert children(os.getpid()) == idle
        again = await client.call_tool("run_python_code", {"code": "3"})
        assert again.structured_content["text"] == "3\n"


@pytest.mark.accept
async def test_an_answer_is_small_and_its_files_are_artifacts(tmp_path: Path) -> None:
    skip_unless()
    async with Client(build(_toolbox("auto"), ServeOptions(workspace=tmp_path / "w"))) as client:
        code = "import matplotlib.pyplot as plt\nplt.plot([1])\nopen('t.csv', 'w').write('a')\n"
        code += "for n in range(9_000): print(n)"
        said = (await client.call_tool("run_python_code", {"code": code})).structured_content
        assert said["status"] == "ok" and len(str(said)) < 8_000
        names = [(each["name"], each["type"], each.get("figure", False)) for each in said["artifacts"]]
        assert names == [
            ("output.txt", "text/plain", False),
            ("figure-1.png", "image/png", True),
            ("t.csv", "text/csv", False),
        ]
        assert said["artifacts"][0]["handle"] in said["text"]
        failed = await client.call_tool("run_python_code", {"code": "1 / 0"}, raise_on_error=False)
        assert failed.is_error and failed.structured_content["status"] == "error"
        assert "ZeroDivisionError" in failed.structured_content["text"]
    unsafe = ServeOptions(workspace=tmp_path / "w", unsafe_local=True)
    async with Client(build(_toolbox("auto"), unsafe)) as client:
        said = (await client.call_tool("run_python_code", {"code": "1"})).structured_content
        assert "no protection" in said["warnings"][0] and "unsafe-local" in said["source"]
