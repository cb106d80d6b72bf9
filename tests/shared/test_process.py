"""Every way of dying has its name, and nothing survives: not the program, not a descriptor."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from labrig.isolation import process
from labrig.isolation.process import KINDS, Limits, Outcome, outcome_error, run

MB = 1 << 20
ROOMY = Limits(wall_s=200, cpu_s=100)


async def python(code: str, **options: object) -> Outcome:
    return await run([sys.executable, "-I", "-S", "-c", code], **({"limits": ROOMY} | options))  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    """Say whether a process runs; a zombie that nobody has collected yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def eventually(condition: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        await asyncio.sleep(0.02)
    return False


async def test_ok_reports_output_environment_folder_and_use(tmp_path: Path) -> None:
    code = (
        "import os, sys; sys.stderr.write('note'); sum(range(10**6))\n"
        "sys.stdout.buffer.write(os.getcwdb() + b' ' + os.environb[b'LABEL'] + b' %d' % len(os.environ))"
    )
    outcome = await python(code, cwd=tmp_path, env={"LABEL": "a\udcffb", "LC_ALL": "C.UTF-8"})
    assert (outcome.kind, outcome.returncode, outcome.signal) == ("ok", 0, "")
    assert outcome.stdout == os.fsencode(tmp_path) + b" a\xffb 2"
    assert outcome.stderr == b"note"
    assert outcome.wall_s > 0 and outcome.cpu_s > 0 and outcome.max_rss_bytes > MB
    with pytest.raises(ValueError):
        outcome_error(outcome, "It")


@pytest.mark.parametrize(
    ("code", "limits", "kind", "error"),
    [
        ("raise SystemExit(3)", ROOMY, "exit", "engine"),
        ("import os; os.kill(os.getpid(), 11)", ROOMY, "signal", "engine"),
        ("while True: pass", Limits(wall_s=200, cpu_s=1), "cpu_limit", "limit"),
        ("import time; time.sleep(100)", Limits(wall_s=0.5), "wall_limit", "limit"),
        ("x = bytearray(1 << 30)", Limits(wall_s=200, memory_bytes=256 * MB), "memory_limit", "limit"),
        ("while True: print('x' * 1000)", Limits(wall_s=200, output_bytes=5000), "output_limit", "limit"),
    ],
)
async def test_a_way_of_dying(code: str, limits: Limits, kind: str, error: str) -> None:
    outcome = await python(code, limits=limits)
    assert outcome.kind == kind, outcome
    assert outcome_error(outcome, "The run").code == error
    assert (outcome.returncode is None) == bool(outcome.signal)


async def test_output_is_kept_up_to_the_limit_of_both_streams() -> None:
    code = "import sys; sys.stderr.write('e' * 3000); sys.stderr.flush(); print('o' * 9000)"
    outcome = await python(code, limits=Limits(output_bytes=5000))
    assert outcome.kind == "output_limit"
    assert len(outcome.stdout) + len(outcome.stderr) == 5000
    assert outcome.stdout_cut or outcome.stderr_cut


async def test_file_and_descriptor_limits_hold(tmp_path: Path) -> None:
    outcome = await python("import os; [os.open('/', 0) for _ in range(50)]", limits=Limits(descriptors=20))
    assert outcome.kind == "exit" and b"Too many open files" in outcome.stderr
    write = ["dd", "if=/dev/zero", "of=big", "bs=64k", "count=9"]
    outcome = await run(write, limits=Limits(file_bytes=MB // 4), cwd=tmp_path)
    assert outcome.signal == "SIGXFSZ" and outcome_error(outcome, "dd").code == "limit"
    assert (tmp_path / "big").stat().st_size == MB // 4


async def test_not_started_says_why(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for argv, cwd, said in (
        (["no-such-program-here"], None, "No such file"),
        ([plain], None, "Permission denied"),
        (["true"], tmp_path / "nowhere", "nowhere"),
    ):
        outcome = await run(argv, cwd=cwd)
        assert outcome.kind == "not_started" and said in outcome.reason
        assert outcome_error(outcome, "It").code == "unavailable"


async def test_stop_gives_an_outcome_and_cancellation_raises(tmp_path: Path) -> None:
    stop = asyncio.Event()
    begun = tmp_path / "begun"
    stopped = asyncio.create_task(run(["sh", "-c", f"echo > {begun}; exec sleep 100"], stop=stop))
    assert await eventually(begun.exists)
    stop.set()
    outcome = await stopped
    assert outcome.kind == "cancelled" and outcome_error(outcome, "It").what == "It was cancelled"

    pids = tmp_path / "pids"
    task = asyncio.create_task(run(["sh", "-c", f"sleep 100 & echo $! $$ > {pids}; wait"]))
    assert await eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not any(alive(int(pid)) for pid in pids.read_text().split())


async def test_lost_supervisor_takes_the_program_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    task = asyncio.create_task(run(["sh", "-c", f"echo $PPID $$ > {pids}; exec sleep 100"]))
    assert await eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    supervisor, program = map(int, pids.read_text().split())
    os.kill(supervisor, signal.SIGKILL)
    outcome = await task
    assert outcome.kind == "lost" and outcome_error(outcome, "It").code == "internal"
    assert await eventually(lambda: not alive(program))


async def test_killed_parent_leaves_no_orphan(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    argv = ["sh", "-c", f"sleep 100 & echo $PPID $$ $! > {pids}; wait"]
    code = f"import asyncio; from labrig.isolation.process import run; asyncio.run(run({argv!r}))"
    path = os.pathsep.join([str(Path(process.__file__).parents[2]), *sys.path])
    parent = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path})
    try:
        assert await eventually(lambda: pids.exists() and len(pids.read_text().split()) == 3)
        everyone = [int(pid) for pid in pids.read_text().split()]
        assert all(alive(pid) for pid in everyone)
    finally:
        parent.kill()
        parent.wait()
    assert await eventually(lambda: not any(alive(pid) for pid in everyone))


@pytest.mark.parametrize("start", ["sleep 100", "setsid sleep 100"], ids=["group", "own session"])
async def test_leftovers_are_killed(start: str, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = f"{start} & while ! grep -q sleep /proc/$!/cmdline; do :; done; echo $! > {pid}"
    outcome = await run(["sh", "-c", code])
    assert outcome.kind == "ok"
    assert not alive(int(pid.read_text()))


async def test_pipes_of_any_size_and_closed_pipes() -> None:
    much = os.urandom(3 * MB)
    assert (await run(["cat"], stdin=much)).stdout == much
    assert (await run(["true"], stdin=much)).kind == "ok"
    outcome = await run(["sh", "-c", "exec >&- 2>&-; sleep 0.3; exit 7"])
    assert outcome.returncode == 7


async def test_a_parent_without_standard_streams(tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    code = (
        "import asyncio, os, pathlib; os.closerange(0, 3)\n"
        "from labrig.isolation.process import run\n"
        "outcome = asyncio.run(run(['cat'], stdin=b'through'))\n"
        f"pathlib.Path({str(answer)!r}).write_bytes(outcome.kind.encode() + outcome.stdout)"
    )
    path = os.pathsep.join([str(Path(process.__file__).parents[2]), *sys.path])
    subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, check=True, timeout=200
    )
    assert answer.read_bytes() == b"okthrough"


@pytest.mark.parametrize("rounds", [4, pytest.param(20, marks=pytest.mark.accept)])
async def test_nothing_leaks(rounds: int) -> None:
    def descriptors() -> int:
        return len([*Path("/proc/self/fd").iterdir()])

    await run(["true"])
    await asyncio.sleep(0)
    before = descriptors()
    for _ in range(rounds):
        outcomes = await asyncio.gather(
            *(run(["sh", "-c", "read x; echo $x"], stdin=b"hi\n") for _ in range(10))
        )
        assert {(each.kind, each.stdout) for each in outcomes} == {("ok", b"hi\n")}
    assert await eventually(lambda: descriptors() <= before)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    supervisors = [pid for pid in children if b"supervision" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert supervisors == []


def test_the_list_of_kinds_is_complete_here() -> None:
    """Whoever adds a kind adds a test above; that of threads is in test_children."""
    assert set(KINDS) == {
        *("ok", "exit", "signal", "cpu_limit", "wall_limit", "memory_limit"),
        *("output_limit", "thread_limit", "not_started", "cancelled", "lost"),
    }
