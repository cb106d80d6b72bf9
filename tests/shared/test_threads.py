"""Work in threads: one owner's does not hold up another's, and what was taken back is dropped, ends, or counts."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from labrig.threads import ALONE, AT_ONCE, SLOTS, TakenBack, aside, in_thread, look
from labrig.turns import OWNER


async def until(true: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


async def test_a_result_an_exception_and_the_owner() -> None:
    OWNER.set("ann")
    assert await in_thread(lambda a, b: (a + b, OWNER.get(), threading.current_thread().name[:6]), 1, b=2) == (
        3, "ann", "labrig",
    )  # fmt: skip
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 // 0)
    look()


async def test_calls_taken_back_hold_up_nobody_else() -> None:
    """Forty endless ones, each taken back: with `asyncio.to_thread` the next call would wait for all of them."""
    go, begun = threading.Event(), []

    def long(number: int) -> None:
        begun.append(number)
        go.wait(20)

    async def call(number: int) -> None:
        OWNER.set("greedy")
        await in_thread(long, number)

    calls = [asyncio.create_task(call(number)) for number in range(40)]
    try:
        await until(lambda: len(begun) == ALONE)
        for each in calls:
            each.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        OWNER.set("other")
        assert await asyncio.wait_for(in_thread(lambda: "answered"), 10) == "answered"
        OWNER.set("greedy")
        waiting = asyncio.create_task(in_thread(lambda: "mine"))
        await asyncio.sleep(0.05)
        assert not waiting.done(), "what runs still counts"
    finally:
        go.set()
    assert await asyncio.wait_for(waiting, 10) == "mine"
    assert len(begun) == ALONE > SLOTS, "what waited was dropped"


async def test_work_learns_that_it_is_not_wanted() -> None:
    ended, running = [], threading.Event()

    def parts() -> None:
        running.set()
        try:
            for _ in range(4_000):
                look()
                time.sleep(0.005)
        except TakenBack:
            ended.append("taken back")
            raise

    call = asyncio.create_task(in_thread(parts))
    await until(running.is_set)
    call.cancel()
    await until(lambda: bool(ended))


async def test_what_is_small_is_done_at_once_and_what_is_large_in_a_thread() -> None:
    here = threading.current_thread().name
    assert await aside(AT_ONCE - 1, lambda: threading.current_thread().name) == here
    assert await aside(AT_ONCE, lambda: threading.current_thread().name) != here
