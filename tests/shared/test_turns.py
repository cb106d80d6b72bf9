"""Turns: slots for each owner from its first call on, bounded queues, and nothing lost by a cancelled wait."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from labrig import turns as turns_module
from labrig.errors import LabrigError
from labrig.turns import OWNER, Turns


async def held(turns: Turns, owner: str, until: asyncio.Event, log: list[str]) -> None:
    async with turns.turn(owner):
        log.append(owner)
        await until.wait()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_many_of_one_owner_do_not_hold_up_the_first_of_another() -> None:
    turns, end, log = Turns("X", 2, places=10), asyncio.Event(), []
    tasks = [asyncio.create_task(held(turns, "a", end, log)) for _ in range(8)]
    await settle()
    assert log == ["a", "a"] and turns.waiting("a") == 6
    tasks.append(asyncio.create_task(held(turns, "b", end, log)))
    await settle()
    assert log == ["a", "a", "b"]
    end.set()
    await asyncio.gather(*tasks)
    assert len(log) == 9 and turns.waiting("a") == 0


async def test_over_all_owners_there_is_a_bound_and_who_has_fewest_comes_first() -> None:
    turns, log = Turns("X", 2, places=10, most=4), []
    ends = {name: asyncio.Event() for name in ("a", "b", "c")}
    tasks = [
        asyncio.create_task(held(turns, name, ends[name], log))
        for name in ("a", "a", "b", "b", "b", "c", "c")
    ]
    await settle()
    assert log == list("aabb")
    ends["a"].set()
    await settle()
    assert log[4:] == list("cc")
    for end in ends.values():
        end.set()
    await asyncio.gather(*tasks)
    assert sorted(log) == ["a", "a", "b", "b", "b", "c", "c"]


async def test_who_is_alone_may_have_more_until_another_comes() -> None:
    turns, log = Turns("X", 1, places=10, most=10, alone=3), []
    ends = {name: asyncio.Event() for name in ("a", "b")}
    tasks = [asyncio.create_task(held(turns, "a", ends["a"], log)) for _ in range(4)]
    await settle()
    assert log == ["a"] * 3
    tasks += [asyncio.create_task(held(turns, "b", ends["b"], log)) for _ in range(2)]
    await settle()
    assert log == ["a"] * 3 + ["b"] and turns.waiting("a") == turns.waiting("b") == 1
    ends["a"].set()
    await settle()
    assert log == ["a"] * 3 + ["b", "a"]  # who has just ended may come again
    ends["b"].set()
    await asyncio.gather(*tasks)
    assert sorted(log) == ["a"] * 4 + ["b"] * 2


async def test_places_are_an_owners_own() -> None:
    turns = Turns("X", 1, places=1)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(turns.turn("a"))
        waiting = asyncio.create_task(stack.enter_async_context(turns.turn("a")))
        await settle()
        with pytest.raises(LabrigError, match="X is busy: 1 of your runs wait already") as refused:
            await stack.enter_async_context(turns.turn("a"))
        assert refused.value.code == "busy"
        await stack.enter_async_context(turns.turn("b"))
        waiting.cancel()
        await settle()
        assert turns.waiting("a") == 0
    async with turns.turn("a"):
        pass


async def test_patience_ends_in_busy_and_leaves_no_trace() -> None:
    turns = Turns("X", 1, places=5)
    async with turns.turn("a"):
        with pytest.raises(LabrigError, match="no place came free") as refused:
            async with turns.turn("a", patience_s=0.01):
                pass
        assert refused.value.code == "busy" and turns.waiting("a") == 0
    async with turns.turn("a", patience_s=0.01):
        pass


async def test_a_slot_that_was_granted_to_a_cancelled_wait_goes_on() -> None:
    """Granted and cancelled in the same turn of the loop: the next one gets it."""
    turns, end, log = Turns("X", 1, places=5), asyncio.Event(), []
    first = asyncio.create_task(held(turns, "a", end, log))
    await settle()
    cancelled, last = (asyncio.create_task(held(turns, "a", asyncio.Event(), log)) for _ in range(2))
    await settle()
    end.set()
    await first  # which has granted its slot to the second
    cancelled.cancel()
    await settle()
    assert len(log) in (2, 3) and turns.waiting("a") == 0
    last.cancel()
    await settle()
    async with turns.turn("a", patience_s=1):
        pass


async def test_the_owner_is_that_of_the_call() -> None:
    turns = Turns("X", 1, places=0)

    async def call(owner: str) -> None:
        OWNER.set(owner)
        async with turns.turn():
            await asyncio.sleep(0.01)

    await asyncio.gather(*(asyncio.create_task(call(name)) for name in "abc"))
    with pytest.raises(LabrigError):
        await asyncio.gather(call("a"), call("a"))


async def test_who_is_alone_again_gets_more_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "LINGER_S", 0.0)
    turns, log = Turns("X", 2, places=50, most=100, alone=20), []
    ends = {name: asyncio.Event() for name in ("a", "b")}
    tasks = [asyncio.create_task(held(turns, "b", ends["b"], log))]
    await settle()
    tasks += [asyncio.create_task(held(turns, "a", ends["a"], log)) for _ in range(12)]
    await settle()
    assert log == ["b", "a", "a"]
    ends["b"].set()
    await settle()
    assert log == ["b", *["a"] * 4], "not all that wait at once"
    ends["a"].set()
    await asyncio.gather(*tasks)
    assert log.count("a") == 12


async def test_who_has_nothing_running_finds_a_place_beside_work_without_end() -> None:
    turns, end, log = Turns("X", 2, places=10), asyncio.Event(), []
    tasks = [asyncio.create_task(held(turns, name, end, log)) for name in "abcd" for _ in range(6)]
    await settle()
    assert sorted(log) == list("aabbccdd")
    tasks += [asyncio.create_task(held(turns, name, end, log)) for name in "efgefg"]
    await settle()
    assert log[8:] == list("efg"), "one each, and no more of anybody's"
    end.set()
    await asyncio.gather(*tasks)
    assert turns.waiting("a") == 0


@pytest.mark.parametrize("owners", [2, 5, 10])
async def test_each_owner_gets_its_share_of_the_turns(owners: int) -> None:
    """The first comes with many long ones, long before the others; the machine is one loop that steps all that run."""
    turns, done, steps = Turns("X", 4, places=1000), dict.fromkeys(map(str, range(owners)), 0), 400

    async def work(owner: str, length: int) -> None:
        async with turns.turn(owner):
            for _ in range(length):
                await clock
                if counting:
                    done[owner] += 1

    counting = False
    clock = asyncio.get_running_loop().create_future()
    tasks = [asyncio.create_task(work("0", 40)) for _ in range(500)]
    for step in range(steps):
        if step == 10:
            tasks += [
                asyncio.create_task(work(str(name), 3 + name))
                for name in range(1, owners)
                for _ in range(900)
            ]
        counting = step >= 60
        await settle()
        clock, before = asyncio.get_running_loop().create_future(), clock
        before.set_result(None)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    shares = {name: count / sum(done.values()) * owners for name, count in done.items()}
    assert max(shares.values()) <= 1.5 and min(shares.values()) >= 1 / 1.5, shares
