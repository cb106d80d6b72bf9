"""Turns at hosts: how often, how many at a time, across processes, whatever happens to them."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.http.hosts import Hosts, Limit
from support.web import Standing

HOST = "api.example.org"
FAST = Limit(per_second=1000, concurrent=50)

OTHER = """
import asyncio, os, sys, time
from pathlib import Path
from labrig.http.hosts import Hosts, Limit
hosts, HOST = Hosts(Path(sys.argv[1])), "api.example.org"
def say(text):
    print(text, flush=True)
async def main():
"""


@contextmanager
def another_process(folder: Path, code: str) -> Iterator[subprocess.Popen[str]]:
    """Run the body of a coroutine in a process of its own, and end that if it has not ended."""
    source = OTHER + "".join(f"    {line}\n" for line in code.strip().splitlines()) + "asyncio.run(main())\n"
    command = [sys.executable, "-c", source, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def most_in_a_second(starts: list[float]) -> int:
    """A timestamp is taken a little after its start: 50 ms are allowed for that."""
    starts = sorted(starts)
    return max(sum(begin <= each < begin + 0.95 for each in starts[at:]) for at, begin in enumerate(starts))


def most_at_once(held: list[tuple[float, float]]) -> int:
    events = sorted([(begin, 1) for begin, _ in held] + [(end, -1) for _, end in held])
    inside = most = 0
    for _, step in events:
        inside += step
        most = max(most, inside)
    return most


@pytest.mark.parametrize("shared", [True, pytest.param(False, marks=pytest.mark.accept)])
async def test_two_hundred_at_once(shared: bool, tmp_path: Path) -> None:
    hosts = Hosts(tmp_path / "hosts" if shared else None)
    held: list[tuple[float, float]] = []
    order: list[int] = []

    async def one(number: int) -> None:
        async with hosts.turn(HOST, Limit(per_second=100, concurrent=4), 120):
            begin = time.time()
            order.append(number)
            await asyncio.sleep(0.03)
            held.append((begin, time.time()))

    await asyncio.gather(*map(one, range(200)))
    starts = [begin for begin, _ in held]
    assert len(held) == 200
    assert 1 < most_at_once(held) <= 4
    assert most_in_a_second(starts) <= 101
    assert max(starts) - min(starts) >= 1.9
    assert all(
        abs(place - number) <= 50 for place, number in enumerate(order)
    )  # half a second, for a busy machine


@pytest.mark.accept
async def test_two_processes_share_one_limit(tmp_path: Path) -> None:
    code = """
say("ready")
sys.stdin.readline()
async def one():
    async with hosts.turn(HOST, Limit(per_second=50, concurrent=3), 120):
        begin = time.time()
        await asyncio.sleep(0.05)
        return begin, time.time()
for begin, end in await asyncio.gather(*(one() for _ in range(50))):
    say(f"{begin!r} {end!r}")
"""
    with another_process(tmp_path, code) as first, another_process(tmp_path, code) as second:
        for each in (first, second):
            assert line(each) == "ready"
        said = await asyncio.gather(
            *(asyncio.to_thread(each.communicate, "go\n") for each in (first, second))
        )
    held = [(float(begin), float(end)) for out, _ in said for begin, end in map(str.split, out.splitlines())]
    starts = [begin for begin, _ in held]
    assert len(held) == 100
    assert 1 < most_at_once(held) <= 3
    assert most_in_a_second(starts) <= 51
    assert max(starts) - min(starts) >= 1.9


async def test_patience_ends_at_once_in_an_error_that_says_how_long(tmp_path: Path) -> None:
    clock, rare = Standing(), Limit(per_second=0.1, concurrent=4)
    hosts, begin = Hosts(tmp_path, clock), clock.time()
    async with hosts.turn(HOST, rare, 0):
        pass
    for _ in range(20):  # who is refused has reserved nothing
        with pytest.raises(LabrigError) as caught:
            async with hosts.turn(HOST.upper(), rare, 3):
                raise AssertionError("a turn too early")
        assert caught.value.code == "rate_limited"
        assert caught.value.retry_after_s is not None
        assert 3 < caught.value.retry_after_s <= 10
        assert HOST in str(caught.value).lower()
    assert clock.time() == begin, "nobody has waited"
    async with hosts.turn("another.example.org", rare, 0):
        pass


async def test_a_place_far_back_in_the_queue_is_refused_at_once(tmp_path: Path) -> None:
    clock, slow = Standing(), Limit(per_second=1, concurrent=50)
    hosts, begin = Hosts(tmp_path, clock), clock.time()

    async def one() -> None:
        async with hosts.turn(HOST, slow, 600):
            pass

    waiting = [asyncio.create_task(one()) for _ in range(60)]
    await asyncio.sleep(0)
    with pytest.raises(LabrigError) as caught:
        async with hosts.turn(HOST, slow, 20):
            raise AssertionError("past all others")
    assert clock.time() == begin, "nobody has waited"
    assert caught.value.retry_after_s is not None
    assert 40 < caught.value.retry_after_s <= 60
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


@pytest.mark.accept
async def test_those_who_come_late_into_their_turns_start_one_after_another(tmp_path: Path) -> None:
    hosts, limit = Hosts(tmp_path), Limit(per_second=5, concurrent=6)
    starts: list[float] = []
    order: list[int] = []
    enough = asyncio.Event()

    async def one(number: int) -> None:
        async with hosts.turn(HOST, limit, 120):
            starts.append(time.time())
            order.append(number)
            await enough.wait()

    tasks = [asyncio.create_task(one(number)) for number in range(12)]
    await asyncio.sleep(3)  # the turns of all twelve have come, and six are inside
    assert len(starts) <= 6
    enough.set()
    await asyncio.gather(*tasks)
    assert all(later - earlier > 0.1 for earlier, later in pairwise(starts))
    assert order == list(range(12))


async def test_requests_under_way_are_waited_for_so_long_and_no_longer(tmp_path: Path) -> None:
    hosts, single = Hosts(tmp_path), Limit(per_second=1000, concurrent=1)
    for other in (hosts, Hosts(tmp_path)):  # the same client, and another one, as another process would be
        async with hosts.turn(HOST, single, 1):
            with pytest.raises(LabrigError) as caught:
                async with other.turn(HOST, single, 0.2):
                    raise AssertionError("two at a time")
            assert (caught.value.code, bool(caught.value.retry_after_s)) == ("rate_limited", True)
        async with other.turn(HOST, single, 10):
            pass
    for each in (hosts, Hosts(None)):  # callers may differ in what they hold for right
        async with each.turn(HOST, Limit(per_second=1000, concurrent=2), 10):
            with pytest.raises(LabrigError):
                async with each.turn(HOST, single, 0.2):
                    raise AssertionError("two at a time")


@pytest.mark.accept
async def test_a_pause_holds_for_all_processes_and_those_who_wait(tmp_path: Path) -> None:
    code = 'say("ready")\nsys.stdin.readline()\nhosts.pause(HOST, 4)\nsay(time.time())'
    hosts = Hosts(tmp_path)
    starts: list[float] = []

    async def one() -> None:
        async with hosts.turn(HOST, Limit(per_second=0.5, concurrent=4), 120):
            starts.append(time.time())

    with another_process(tmp_path, code) as other:
        assert await asyncio.to_thread(line, other) == "ready"
        waiting = [asyncio.create_task(one()) for _ in range(2)]
        while not starts:
            await asyncio.sleep(0.01)
        said, _ = await asyncio.to_thread(other.communicate, "go\n")
    with pytest.raises(LabrigError, match="would come in"):
        async with hosts.turn(HOST, FAST, 0.1):
            raise AssertionError("a turn in a pause")
    await asyncio.gather(*waiting)
    assert starts[1] >= float(said) + 3.9


async def test_the_longest_of_several_pauses_counts_up_to_an_hour(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path)
    for seconds, wanted in ((60, 60), (60, 60), (30, 60), (0, 60), (-5, 60), (120, 120), (1e9, 3600)):
        hosts.pause(HOST, seconds)
        with pytest.raises(LabrigError) as caught:
            async with hosts.turn(HOST, FAST, 1):
                raise AssertionError("a turn in a pause")
        assert caught.value.retry_after_s is not None
        assert wanted - 25 < caught.value.retry_after_s <= wanted + 0.1


async def test_slots_of_a_killed_process_are_free(tmp_path: Path) -> None:
    pair = Limit(per_second=1000, concurrent=2)
    code = """
async with hosts.turn(HOST, Limit(1000, 2), 5), hosts.turn(HOST, Limit(1000, 2), 5):
    say("held")
    await asyncio.sleep(600)
"""
    hosts = Hosts(tmp_path)
    with another_process(tmp_path, code) as other:
        assert await asyncio.to_thread(line, other) == "held"
        with pytest.raises(LabrigError):
            async with hosts.turn(HOST, pair, 0.3):
                raise AssertionError("a third at a time")
        other.send_signal(signal.SIGKILL)
        async with hosts.turn(HOST, pair, 60), hosts.turn(HOST, pair, 60):
            pass


async def test_a_child_that_was_forked_meanwhile_keeps_no_slot(tmp_path: Path) -> None:
    code = """
one = Limit(1000, 1)
until_the_parent_ends, _parents = os.pipe()
async with hosts.turn(HOST, one, 5):
    if not os.fork():
        os.close(_parents)
        os.read(until_the_parent_ends, 1)
        os._exit(0)
async with hosts.turn(HOST, one, 10):
    say("again")
"""
    with another_process(tmp_path, code) as other:
        assert await asyncio.to_thread(line, other) == "again"


async def test_cancelled_waiters_leave_nothing_behind(tmp_path: Path) -> None:
    hosts, slow = Hosts(tmp_path), Limit(per_second=4, concurrent=1)

    async def one() -> None:
        async with hosts.turn(HOST, slow, 600):
            await asyncio.sleep(600)

    tasks = [asyncio.create_task(one()) for _ in range(40)]
    await asyncio.sleep(0.8)  # one is inside, some wait for it, others for their turn
    for each in tasks:
        each.cancel()
    assert all(
        isinstance(each, asyncio.CancelledError)
        for each in await asyncio.gather(*tasks, return_exceptions=True)
    )
    for path in tmp_path.iterdir():
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    async with hosts.turn(HOST, slow, 3):  # not after the forty turns that nobody took
        pass


async def test_an_error_inside_frees_the_slot(tmp_path: Path) -> None:
    hosts, single = Hosts(tmp_path), Limit(per_second=1000, concurrent=1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            async with hosts.turn(HOST, single, 5):
                raise ZeroDivisionError


AHEAD = time.time() + 1800
"""A clock that was put back by half an hour, after a start; a last start lies behind."""


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"garbage", b"\xff\x00" * 5000, b"1 2", b"nan nan nan", b"inf inf inf", b"1e300 1e300 1e300",
     b"0 99999999999 99999999999\n", pytest.param(f"{AHEAD} 0 0".encode(), id="ahead 0 0"), b"-1 -inf -1"],
)  # fmt: skip
async def test_what_cannot_be_right_counts_as_unknown(content: bytes, tmp_path: Path) -> None:
    hosts = Hosts(tmp_path)
    async with hosts.turn(HOST, FAST, 5):
        pass
    [times] = tmp_path.glob("*.times")
    times.write_bytes(content)
    async with hosts.turn(HOST, Limit(per_second=2), 5):
        pass
    with pytest.raises(LabrigError):  # and it is known again
        async with hosts.turn(HOST, Limit(per_second=0.02), 0):
            pass


async def test_a_folder_that_cannot_be_written_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    hosts, rare = Hosts(tmp_path / "file" / "hosts"), Limit(per_second=0.1, concurrent=2)
    with caplog.at_level(logging.WARNING):
        for host in ("a.example", "b.example", "c.example"):
            async with hosts.turn(host, rare, 5):
                pass
    assert [each.levelname for each in caplog.records] == ["WARNING"]
    assert str(tmp_path / "file") in caplog.text
    with pytest.raises(LabrigError):  # the limit holds in this process
        async with hosts.turn("a.example", rare, 1):
            pass


async def test_names_of_hosts_are_only_names(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "hosts"
    hosts = Hosts(folder)
    names = [
        "../x",
        "/etc/passwd",
        ".",
        "..",
        "",
        "a\0b",
        "-rf",
        "a" * 10_000,
        "a" * 10_001,
        "漢字.example",
        "\ud800",
        "[::1]:80",
    ]
    for name in names:
        async with hosts.turn(name, Limit(per_second=0.01), 0):
            pass
    assert len(list(folder.glob("*.times"))) == len(names)
    assert [each.name for each in tmp_path.rglob("*") if each.is_file() and each.parent != folder] == []


async def test_a_process_that_stands_still_with_the_file_blocks_no_loop(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path)
    async with hosts.turn(HOST, FAST, 5):
        pass
    [times] = tmp_path.glob("*.times")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    with times.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LabrigError) as caught:
            async with hosts.turn(HOST, FAST, 1):
                pass
        assert caught.value.code == "rate_limited"
        assert ticks > 10
        hosts.pause(HOST, 60)
    ticking.cancel()
    with pytest.raises(LabrigError) as caught:  # the pause came late, and came
        async with hosts.turn(HOST, FAST, 1):
            pass
    assert caught.value.retry_after_s is not None
    assert caught.value.retry_after_s > 30


def test_one_event_loop_after_another(tmp_path: Path) -> None:
    """What is left of the first one, such as the frames in the traceback of an error, does not disturb the second."""
    hosts, single = Hosts(tmp_path), Limit(per_second=1000, concurrent=1)

    async def refused() -> LabrigError:
        async with hosts.turn(HOST, single, 60):
            with pytest.raises(LabrigError) as caught:
                async with hosts.turn(HOST, single, 0.1):
                    raise AssertionError("two at a time")
        return caught.value

    errors = [asyncio.run(refused()), asyncio.run(refused())]
    assert [each.code for each in errors] == ["rate_limited"] * 2


@pytest.mark.parametrize(("per_second", "concurrent"), [(0, 1), (-1, 1), (float("nan"), 1), (1, 0)])
def test_a_limit_that_lets_nothing_through_is_a_mistake(per_second: float, concurrent: int) -> None:
    with pytest.raises(ValueError, match="nothing could ever be asked"):
        Limit(per_second, concurrent)
