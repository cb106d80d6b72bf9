"""Work in threads, in turns: what a call does there counts as its owner's until it has ended.

    notices = await in_thread(screen, text)
    notices = await aside(len(text), screen, text)

`asyncio.to_thread` gives all callers the same few threads, in which the work of a call that was taken back goes on, and
what waits is still to be done: one caller who takes back ten long ones keeps the others waiting. Here each owner has
`SLOTS` threads at a time (see `labrig.turns`). Work that waits when its call is taken back is dropped; work that runs
then keeps its owner's turn to its end, and may `look` between its parts whether it is still wanted.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import cache
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from labrig.turns import Turns

SLOTS, ALONE = 2, 4
"""Threads of one owner at a time, and of one who is alone."""
MOST, KEPT = 16, 16
AT_ONCE = 20_000
"""Characters below which no reader of PHREEQC's inputs and outputs keeps the others waiting: some milliseconds."""
PLACES = 1_000

P = ParamSpec("P")
T = TypeVar("T")
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()
_TAKEN_BACK: ContextVar[threading.Event | None] = ContextVar("taken_back", default=None)


class TakenBack(Exception):
    """The call for which a thread works was taken back."""


def look() -> None:
    """Say, in a thread of `in_thread`, whether the work is still wanted; elsewhere it always is.

    Raises
    ------
    TakenBack
        If its call was taken back.
    """
    taken_back = _TAKEN_BACK.get()
    if taken_back is not None and taken_back.is_set():
        raise TakenBack


async def in_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a thread, in a turn of the call's owner, and return its result.

    Raises
    ------
    LabrigError
        ``busy`` for too many of one owner that wait; and whatever the function raises.
    """
    taken_back, began = threading.Event(), False

    async def work() -> T:
        nonlocal began
        async with _turns().turn():
            _TAKEN_BACK.set(taken_back)
            context, began = copy_context(), True
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(_pool(), lambda: context.run(function, *args, **kwargs))

    task = asyncio.create_task(work())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        taken_back.set()
        if began:
            task.add_done_callback(_heard)
        else:
            task.cancel()
        raise


async def aside(size: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function on a text of `size` characters: in a thread, or at once where a thread would cost more.

    Handing a millisecond of work to a thread and back takes a millisecond, and as long as a process is switched where
    processors are busy.
    """
    if size < AT_ONCE:
        return function(*args, **kwargs)
    return await in_thread(function, *args, **kwargs)


def _heard(task: asyncio.Task[T]) -> None:
    """Take what nobody waits for any more."""
    if not task.cancelled():
        task.exception()


def _turns() -> Turns:
    loop = asyncio.get_running_loop()
    if loop not in _TURNS:
        _TURNS[loop] = Turns("The server", SLOTS, places=PLACES, most=MOST, kept=KEPT, alone=ALONE)
    return _TURNS[loop]


@cache
def _pool() -> ThreadPoolExecutor:
    """Return as many threads as there are turns, so that none that has one waits."""
    return ThreadPoolExecutor(MOST + KEPT, thread_name_prefix="labrig")
