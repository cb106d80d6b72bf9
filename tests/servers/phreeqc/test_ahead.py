"""A child of PHREEQC waits for the next run: as closed in as any, nobody's, and gone when nobody comes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("looks at processes in /proc", allow_module_level=True)

from hostile.guard import until
from labrig.errors import LabrigError
from labrig.isolation.sharing import sharing_here
from labrig_phreeqc.database.databases import list_databases
from labrig_phreeqc.engine import engine as engines
from labrig_phreeqc.engine import forkclient, frames
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.results import parse_frames
from labrig_phreeqc.engine.run import Limits, Run

WATER = "SOLUTION 1\n pH 7\n Na 1\n Cl 1\nEND\n"
LOOP = "SOLUTION 1\nUSER_PRINT\n10 WHILE (1)\n20 WEND\nEND\n"
LOADING_S = 60.0
"""For what has to load a database first, on a machine where much else runs."""
HOARD = 'SOLUTION 1\nUSER_PRINT\n10 a$ = "x"\n20 a$ = a$ + a$\n30 GOTO 20\nEND\n'

pytestmark = pytest.mark.skipif(not list_databases(), reason="needs databases: labrig setup phreeqc")


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with Engine(concurrency=1) as started:
        yield started


def children(engine: Engine) -> list[int]:
    assert engine._server is not None
    return below(engine._server.process.pid)


def below(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def state(pid: int) -> dict[str, str]:
    """Return what the kernel says of the walls and limits of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    said = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    kept = {
        name: said[name] for name in ("NoNewPrivs", "Seccomp", "Seccomp_filters", "CapEff", "CapBnd", "Uid")
    }
    descriptors = sorted(int(each.name) for each in Path(f"/proc/{pid}/fd").iterdir())
    cwd = Path(f"/proc/{pid}/cwd").readlink()
    return kept | {
        "limits": Path(f"/proc/{pid}/limits").read_text(),
        "fds": str(descriptors),
        "cwd": str(cwd),
    }


def walled(pid: int) -> bool:
    """Return whether the filter, the last of the walls, is up: one more than the fork server has."""
    return filters(pid) > filters("self")


def filters(pid: int | str) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/status").read_text().partition("Seccomp_filters:\t")[2].split()[0])
    return 0


def has_state(pid: int, state: str) -> bool:
    with contextlib.suppress(OSError):
        return f"State:\t{state}" in Path(f"/proc/{pid}/status").read_text()
    return False


async def waiting(engine: Engine, *others: int) -> int:
    """Return the child that waits, once it is closed in and asleep."""
    while True:
        for pid in set(children(engine)) - set(others):
            if walled(pid) and has_state(pid, "S"):
                return pid
        await asyncio.sleep(0.005)


async def gone(engine: Engine) -> None:
    while children(engine):
        await asyncio.sleep(0.005)


async def test_a_run_is_solved_by_the_child_that_waited_and_by_no_other(engine: Engine) -> None:
    first = await engine.run(WATER)
    pid = await waiting(engine)
    ahead = engine._server and engine._server._ahead
    second = await engine.run(WATER)
    assert ahead and (await ahead.ended)["exit"] == 0
    assert await waiting(engine, pid) != pid
    assert (first.status, first.output, first.warnings) == (second.status, second.output, second.warnings)


@pytest.mark.accept
async def test_nothing_of_a_run_is_known_to_the_next(engine: Engine) -> None:
    assert (await engine.run("PHASES\n Mine\n NaCl = Na+ + Cl-\n log_k 1\nEND\n" + WATER)).solved
    await waiting(engine)
    assert (await engine.run("USE solution 1\nREACTION 1\n NaCl 1\n 1 mmol\nEND\n")).status == "input_error"
    await waiting(engine)
    unknown = await engine.run(WATER + "EQUILIBRIUM_PHASES 1\n Mine\nUSE solution 1\nEND\n")
    assert unknown.status == "input_error" and "Mine" in " ".join(unknown.errors)


async def test_who_waits_is_closed_in_as_who_runs(engine: Engine) -> None:
    await engine.run(WATER)
    of_waiting = state(await waiting(engine))
    endless = asyncio.create_task(engine.run(LOOP, "wateq4f.dat"))  # for which none waits
    while not (runs := [pid for pid in children(engine) if walled(pid) and is_busy(pid)]):
        await asyncio.sleep(0.005)
    assert state(runs[0]) == of_waiting
    endless.cancel()
    await asyncio.gather(endless, return_exceptions=True)


def is_busy(pid: int) -> bool:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11]) > 10


@pytest.mark.accept
async def test_its_limits_are_those_of_the_run_and_its_time_begins_with_it(engine: Engine) -> None:
    small = Limits(memory_bytes=256 << 20)
    await engine.run(WATER, limits=small)
    await waiting(engine)
    assert (await engine.run(HOARD, limits=small)).status == "memory_limit"
    short = Limits(wall_s=0.5)
    await engine.run(WATER, limits=short)
    pid = await waiting(engine)
    await asyncio.sleep(short.wall_s + 0.2)
    assert pid in children(engine), "no time passes for it"
    assert (await engine.run(LOOP, limits=short)).status == "wall_limit"


@pytest.mark.accept
async def test_another_database_or_limit_has_a_child_of_its_own(engine: Engine) -> None:
    await engine.run(WATER)
    pid = await waiting(engine)
    run = await engine.run(WATER, "wateq4f.dat")
    assert run.database.name == "wateq4f.dat" and run.solved
    await waiting(engine, pid)
    small = await engine.run(WATER, "wateq4f.dat", Limits(output_bytes=100))
    assert small.status == "output_truncated"


@pytest.mark.accept
async def test_it_holds_no_turn_and_is_nobodys(engine: Engine) -> None:
    await engine.run(WATER)
    await waiting(engine)
    assert not sharing_here()._runs
    assert (await engine.run(WATER, queue_s=5)).solved, "one run at a time, and the place is free"


@pytest.mark.accept
async def test_it_ends_when_nobody_comes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forkclient, "AHEAD_S", 0.02)
    await engine.run(WATER)
    await gone(engine)
    assert (await engine.run(WATER)).solved


@pytest.mark.accept
async def test_one_that_was_killed_is_not_taken(engine: Engine) -> None:
    await engine.run(WATER)
    os.kill(await waiting(engine), signal.SIGKILL)
    await gone(engine)
    assert (await engine.run(WATER)).solved


async def test_it_dies_with_its_server() -> None:
    async with Engine() as engine:
        await engine.run(WATER)
        pid = await waiting(engine)
    assert not Path(f"/proc/{pid}").exists()


async def test_a_run_that_waits_for_its_turn_does_not_begin_after_the_end(engine: Engine) -> None:
    begun = asyncio.Event()
    runs = [asyncio.create_task(engine.run(LOOP, begun=begun.set)) for _ in range(2)]
    await begun.wait()
    assert engine._turns.waiting() == 1
    await engine.close()
    first, second = await asyncio.gather(*runs, return_exceptions=True)
    assert isinstance(first, Run) and first.status == "cancelled"
    assert isinstance(second, LabrigError) and "closed" in str(second)
    assert engine._server is None, "nobody would end it"


def test_it_ends_with_an_engine_that_another_loop_closes() -> None:
    engine = Engine()

    async def run() -> int:
        await engine.run(WATER)
        return await waiting(engine)

    pid = asyncio.run(run())
    asyncio.run(engine.close())
    assert until(lambda: has_ended(pid))


WITH_A_CHILD_THAT_WAITS = f"""
import asyncio
from labrig_phreeqc.engine.engine import Engine
async def main():
    await Engine().run({WATER!r})
    await asyncio.sleep(600)
asyncio.run(main())
"""
COPYING_FOR_EVER = """
import signal
from labrig_phreeqc.engine import touching
touching.LONGEST_S = 600
touching.written(signal.pause)
"""


def test_a_fork_server_that_cannot_see_the_end_ends_with_its_program() -> None:
    """Stopped, it stands for one that loads a database, or waits for what a run touches."""
    program = subprocess.Popen([sys.executable, "-P", "-c", WITH_A_CHILD_THAT_WAITS])
    assert until(lambda: any(map(walled, beneath(program.pid)[1:])), LOADING_S)
    server, child = beneath(program.pid)
    os.kill(server, signal.SIGSTOP)
    assert until(lambda: has_state(server, "T"))
    program.kill()
    program.wait()
    assert until(lambda: has_ended(server) and has_ended(child))


def test_the_child_that_finds_the_pages_ends_with_its_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-P", "-c", COPYING_FOR_EVER])
    assert until(lambda: any(has_state(pid, "S") for pid in below(parent.pid)), LOADING_S)
    (child,) = below(parent.pid)
    parent.kill()
    parent.wait()
    assert until(lambda: has_ended(child))


def beneath(pid: int) -> list[int]:
    """Return the children of a process, and theirs."""
    return [*below(pid), *(each for child in below(pid) for each in below(child))]


def has_ended(pid: int) -> bool:
    return has_state(pid, "Z") or not Path(f"/proc/{pid}").exists()


@pytest.mark.accept
async def test_a_turn_lasts_until_the_child_is_gone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_LEAVING_S", 0.0)  # all are ended that do not end at once
    for _ in range(5):
        assert (await engine.run(WATER)).status == "ok"
    await asyncio.gather(*engine._leaves)
    assert not engine._turns._running


@pytest.mark.parametrize(
    "end", [{"cpu_s": float("nan"), "max_rss_bytes": 1}, {"cpu_s": 1, "max_rss_bytes": 1 << 60}]
)
def test_an_end_that_no_run_can_have_is_not_believed(end: dict[str, float]) -> None:
    raw = bytearray(frames.frame(frames.END, json.dumps(end).encode()))
    assert parse_frames(raw).end is None


COPYING = """
import ctypes, os
from labrig_phreeqc.engine import touching
touching.LONGEST_S = 60
memory = ctypes.create_string_buffer(1 << 22)
place = ctypes.addressof(memory) + (2 << 20)
ranges = touching.written(lambda: ctypes.memset(place, 1, 1))
print([any(first <= each < first + size for first, size in ranges) for each in (place, place + (1 << 20))])
print(touching.written(lambda: os._exit(3)))
touching.copy([*ranges, (1 << 46, 4096)])  # what is no longer there is passed over
print(memory[2 << 20])
"""


def test_pages_that_are_copied_ahead_are_those_that_are_written_to() -> None:
    """In a process of its own: one with many objects writes to too many pages to be typical."""
    said = subprocess.run([sys.executable, "-P", "-c", COPYING], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["[True, False]", "[]", "b'\\x00'"]
