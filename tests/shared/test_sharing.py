"""Processors are shared between owners: who is ahead of another rests, with its time, and can be ended all the same."""

from __future__ import annotations

import asyncio
import gc
import itertools
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from labrig.isolation import sharing as sharing_module
from labrig.isolation.children import Children
from labrig.isolation.inside.forking import LEASE_S
from labrig.isolation.process import Limits
from labrig.isolation.sharing import CREDIT_S, DEBT_S, SLACK_S, Going, evened, giving_way
from labrig.isolation.warm import WarmServer
from labrig.turns import OWNER

SPIN = """
import time
def work(question):
    if question is None:
        time.sleep(600)
    end = time.process_time() + question
    while time.process_time() < end:
        pass
    return b"done"
"""


class Nobody:
    def share(self, rest: object) -> None:
        pass


def going(owner: str, *, wanting: int = 1, cpu_s: float = 0.0, ended: bool = False) -> Going:
    return Going(owner, Nobody(), 0, cpu_s, wanting, ended=ended)


def owners(runs: list[Going]) -> str:
    return "".join(sorted(run.owner for run in runs))


def test_who_is_ahead_gives_way_while_there_are_not_processors_for_all() -> None:
    runs = [going("a", cpu_s=9), going("a", cpu_s=3), going("b")]
    ahead = {"a": SLACK_S + 1, "b": 0.0}
    assert giving_way(runs, ahead, 2) == [runs[0]], "of its runs the one that had more"
    assert giving_way(runs, ahead, 3) == [], "there are processors for all"
    assert giving_way(runs, {"a": SLACK_S, "b": 0.0}, 2) == [], "not for a moment's difference"
    assert giving_way(runs[:2], ahead, 1) == [], "there is nobody to give way to"
    assert owners(giving_way([*runs, going("c"), going("d")], {**ahead, "c": 0.0, "d": 9.0}, 2)) == "aad"


def test_threads_count_and_who_waits_for_something_else_holds_up_nobody() -> None:
    many, one, asleep = going("a", wanting=16), going("b"), going("c", wanting=0)
    ahead = {"a": 5.0, "b": 0.0, "c": 0.0}
    assert giving_way([many, one, asleep], ahead, 2) == [many]
    assert giving_way([many, asleep], ahead, 2) == []
    just_ended = going("b", ended=True)
    assert giving_way([many, just_ended], ahead, 2) == [many], "it thinks about its next call"
    assert giving_way([just_ended, one], {"b": 9.0}, 1) == []


def test_nobody_saves_up_by_waiting_and_nobody_pays_for_what_nobody_wanted() -> None:
    runs = [going("new"), going("old"), going("hoard"), going("asleep", wanting=0)]
    had = evened({"old": 10.0, "hoard": 500.0, "asleep": 1.0}, runs)
    assert had == {"new": 10.0, "old": 10.0, "hoard": 10.0 + DEBT_S, "asleep": 10.0 - CREDIT_S}


@pytest.mark.parametrize(("count", "processors"), [(2, 2), (5, 2), (10, 2), (3, 8)])
@pytest.mark.parametrize("threads", [1, 16])
def test_each_gets_its_share_of_a_machine_whose_kernel_knows_threads_alone(
    count: int, processors: int, threads: int
) -> None:
    """The first four come with two runs of some threads, the others with one of one; all want all they can get."""
    runs = [
        going(str(owner), wanting=threads if owner < min(4, count - 1) else 1)
        for owner in range(count)
        for _ in range(2 if owner < min(4, count - 1) else 1)
    ]
    had: dict[str, float] = {}
    got: dict[str, float] = dict.fromkeys(map(str, range(count)), 0.0)
    for step in range(600):
        had = evened(had, runs)
        resting = giving_way(runs, had, processors)
        awake = [run for run in runs if not any(run is each for each in resting)]
        wanted = sum(run.wanting for run in awake)
        assert wanted >= min(processors, sum(run.wanting for run in runs)) or threads > processors
        for run in awake:
            took = 0.2 * run.wanting * min(1.0, processors / wanted)
            run.cpu_s += took
            had[run.owner] += took
            got[run.owner] += took if step > 50 else 0.0
    most = {owner: sum(run.wanting for run in runs if run.owner == owner) for owner in had}
    if sum(most.values()) <= processors:
        return
    fair = sum(got.values()) / count
    assert all(got[owner] >= fair / 1.5 or most[owner] < processors / count for owner in had), got
    assert max(got.values()) <= fair * 1.5 or processors > count, got


@pytest.fixture
def spinning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Children:
    (tmp_path / "spinning.py").write_text(SPIN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return Children("spinning", what="The toy", limits=Limits(wall_s=60, cpu_s=60))


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.01)


async def at_work(
    children: Children, wall_s: float, spins_s: float | None = 50
) -> tuple[asyncio.Task[str], WarmServer, int]:
    """Have a child spin, or sleep, and return what it will end as, its server and its process."""

    async def asked() -> str:
        return (await children.ask(spins_s, limits=Limits(wall_s=wall_s, cpu_s=60))).kind

    task = asyncio.create_task(asked())
    await until(lambda: children._server is not None and bool(children._server.runs))
    server = children._server
    assert server is not None
    below = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    await until(lambda: bool(below.read_text().split()))
    return task, server, int(below.read_text().split()[0])


async def resting(server: WarmServer, pid: int, seconds: float) -> None:
    """Have it rest for a while, with a word every now and then."""
    for _ in range(max(1, round(seconds / 0.2))):
        server.share(list(server.runs))
        await until(lambda: state(pid) == "T")
        await asyncio.sleep(0.2)


async def test_the_time_of_who_rests_stands_still_and_goes_on(spinning: Children) -> None:
    async with spinning:
        task, server, pid = await at_work(spinning, 3, spins_s=None)
        await resting(server, pid, 3.2)
        assert not task.done() and state(pid) == "T", "its 3 s were not over"
        server.share([])
        assert await task == "wall_limit"


async def test_who_rests_can_be_ended(spinning: Children) -> None:
    async with spinning:
        task, server, pid = await at_work(spinning, 50)
        await resting(server, pid, 0)
        task.cancel()
        await asyncio.wait([task], timeout=60)
        assert task.cancelled() and not Path(f"/proc/{pid}").exists()
        task, server, pid = await at_work(spinning, 50)
        await resting(server, pid, 0)
    await until(lambda: not Path(f"/proc/{pid}").exists())
    await asyncio.wait([task])


@pytest.mark.accept
async def test_nobody_rests_for_ever(spinning: Children) -> None:
    """The host says nothing more: it hangs, or its word was lost; or it was killed."""
    async with spinning:
        task, server, pid = await at_work(spinning, 50)
        await resting(server, pid, 0)
        await asyncio.sleep(LEASE_S)
        await until(lambda: state(pid) != "T")
        await resting(server, pid, 0)
        server.process.send_signal(signal.SIGKILL)
        await until(lambda: not Path(f"/proc/{pid}").exists())
        await asyncio.wait([task])


@pytest.mark.accept
async def test_two_owners_at_one_server_come_out_even(spinning: Children) -> None:
    """One with four, one with one at a time, on as many processors as there are: what they have had is kept even."""

    async def owner(name: str, numbers: itertools.count[int]) -> None:
        OWNER.set(name)
        while True:
            await spinning.ask(0.3)
            next(numbers)

    async with spinning:
        sharing = sharing_module.sharing_here()
        sharing._processors = 1
        done = {name: itertools.count() for name in "ab"}
        tasks = [asyncio.create_task(owner(name, done[name])) for name in "aaaab"]
        await asyncio.sleep(8)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    counts = {name: next(numbers) for name, numbers in done.items()}
    assert counts["b"] >= counts["a"] / 2.25, counts


def test_what_is_known_of_a_loop_ends_with_it() -> None:
    async def used() -> None:
        sharing = sharing_module.sharing_here()
        assert sharing_module.sharing_here() is sharing
        sharing.begin(Nobody(), 1)

    asyncio.run(used())
    gc.collect()
    assert not [loop for loop in sharing_module._HERE if loop.is_closed()]
