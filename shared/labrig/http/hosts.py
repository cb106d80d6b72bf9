"""Turns: how often and how many at a time a host is asked, by all processes of this computer together.

Of each host a file holds three times: when the last request started, until when nobody starts one, and from when a turn
is free. It is locked only for the moment in which they are read and written. A caller

1. reserves the next free turn, or is refused at once if that is further away than its patience,
2. sleeps until then,
3. waits for one of the host's slots, a locked file each, which the kernel frees when its process dies,
4. starts once the last start, by whomever, is far enough behind.

A reservation says how long to wait; what keeps the distance is the fourth step. So a turn that is given up, or comes
late, leaves no gap and no crowd.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import math
import os
import random
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from weakref import WeakValueDictionary

from labrig.canonical import sha256
from labrig.errors import LabrigError

LONGEST_S = 3600.0
"""Of a pause, and of any time ahead that is believed: clocks may jump, and files hold anything."""
GRACE_S = 0.1
"""By which a promised turn may be late (timers, other processes) and is taken all the same."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limit:
    """What a host is asked at most.

    Attributes
    ----------
    per_second
        Starts of requests, evenly spaced.
    concurrent
        Requests under way.
    after_429_s
        Seconds that a host is left alone after it has refused one for being too many, where it states no longer time.
    """

    per_second: float = 5.0
    concurrent: int = 4
    after_429_s: float = 0.0

    def __post_init__(self) -> None:
        if not self.per_second > 0 or self.concurrent < 1:
            raise ValueError(f"nothing could ever be asked with {self}")

    @property
    def distance_s(self) -> float:
        """Seconds from one start to the next."""
        return 1 / self.per_second


@dataclass
class _Times:
    """What is known of a host, in seconds of the wall clock, which all processes share."""

    last: float = 0.0
    until: float = 0.0
    free: float = 0.0

    @classmethod
    def read(cls, data: bytes, now: float) -> _Times:
        """Return what a file holds; what cannot be right counts as unknown."""
        try:
            last, until, free = map(float, data.partition(b"\n")[0].split())
        except ValueError:
            return cls()
        believed = [each if each <= now + LONGEST_S else 0.0 for each in (until, free)]  # a NaN is not
        return cls(min(last, now) if math.isfinite(last) else 0.0, *believed)

    def line(self) -> bytes:
        """Return what is written: always of one length, so that a shorter line leaves no rest of a longer one."""
        return b"%20.6f %20.6f %20.6f\n" % astuple(self)


class Clock:
    """The time, and waiting for it; a test gives one of its own, on which nothing is late."""

    def time(self) -> float:
        """Return the seconds of the wall clock, which processes share."""
        return time.time()

    def monotonic(self) -> float:
        """Return the seconds of a clock that never jumps."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""
        await asyncio.sleep(seconds)


Change = Callable[[_Times, float], float]
"""Alters the times, given the present one; returns the seconds to wait."""


def _reserve(distance_s: float, patience_s: float) -> Change:
    def change(times: _Times, now: float) -> float:
        wait = max(times.free, times.until, now) - now
        if wait <= patience_s:
            times.free = now + wait + distance_s
        return wait

    return change


def _give_back(distance_s: float) -> Change:
    def change(times: _Times, now: float) -> float:
        times.free -= distance_s
        return 0.0

    return change


def _start(distance_s: float) -> Change:
    def change(times: _Times, now: float) -> float:
        wait = max(times.last + distance_s, times.until) - now
        if wait > 0:
            return wait
        times.last = now
        times.free = max(times.free, now + distance_s)
        return 0.0

    return change


def _pause(until: float) -> Change:
    def change(times: _Times, now: float) -> float:
        longer = until - max(times.until, now)
        if longer > 0:  # those who wait already come after the pause, and before those who ask from now on
            times.free = max(times.free, now) + longer
            times.until = until
        return 0.0

    return change


class Hosts:
    """The turns of all hosts. It belongs to one event loop at a time.

    Parameters
    ----------
    folder
        Where the files lie that processes share. None: no other process is looked at.
    """

    def __init__(self, folder: Path | None, clock: Clock | None = None) -> None:
        self._folder = folder
        self.clock = clock or Clock()
        self._times: dict[str, _Times] = {}  # used without a folder
        self._taken: dict[str, set[int]] = {}
        self._owed: dict[str, list[Change]] = {}
        self._queues: WeakValueDictionary[tuple[object, str, int], _Queue] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, host: str, limit: Limit, patience_s: float) -> AsyncIterator[None]:
        """Wait for the turn to ask a host, and hold it while the request is under way.

        Parameters
        ----------
        patience_s
            How long to wait; more than an hour counts as an hour.

        Raises
        ------
        LabrigError
            ``rate_limited`` with ``retry_after_s`` when the wait would be longer.
        """
        asked = _Asked(host, limit, min(patience_s, LONGEST_S), self.clock)
        wait = await self._change(asked, _reserve(limit.distance_s, asked.patience_s))
        if wait > asked.patience_s:
            raise asked.refusal(wait)
        started = False
        try:
            await self.clock.sleep(wait)
            queue = self._queue(asked)
            async with _in_line(asked, queue.all), self._slot(asked):
                async with _in_line(asked, queue.first):
                    await self._until_start(asked)
                started = True
                yield
        finally:
            if not started:
                self._change_soon(asked.file, _give_back(limit.distance_s))

    def pause(self, host: str, seconds: float) -> None:
        """Let nobody, in any process, start a request to a host before so many seconds (an hour at most) are over."""
        if seconds > 0:
            self._change_soon(_file_name(host), _pause(self.clock.time() + min(seconds, LONGEST_S)))

    def _queue(self, asked: _Asked) -> _Queue:
        key = (asyncio.get_running_loop(), asked.file, asked.limit.concurrent)
        return self._queues.setdefault(key, _Queue(asked.limit.concurrent))

    # ------------------------------------------------------------------------------------------------- the times

    async def _until_start(self, asked: _Asked) -> None:
        """Wait until the last start is far enough behind and no pause is on, and count as the last start."""
        while wait := await self._change(asked, _start(asked.limit.distance_s)):
            if wait > asked.left_s + GRACE_S:
                raise asked.refusal(wait)
            await self.clock.sleep(wait)

    async def _change(self, asked: _Asked, change: Change) -> float:
        while (wait := self._try_change(asked.file, change)) is None:
            if asked.left_s < -GRACE_S:  # a process was stopped while it held the file
                raise asked.refusal(asked.limit.distance_s)
            await asyncio.sleep(random.uniform(0.001, 0.005))
        return wait

    def _change_soon(self, file: str, change: Change) -> None:
        """Change the times without giving way to anybody: now, or with the next change of this process."""
        for _ in range(20):
            if self._try_change(file, change) is not None:
                return
            time.sleep(0.001)
        self._owed.setdefault(file, []).append(change)

    def _try_change(self, file: str, change: Change) -> float | None:
        """Change a host's times; None while another process holds them."""
        now = self.clock.time()
        if self._folder is not None:
            try:
                descriptor = _locked(self._folder / f"{file}.times")
                if descriptor is None:
                    return None
                try:
                    times = _Times.read(os.pread(descriptor, 200, 0), now)
                    before = replace(times)
                    wait = self._changed(file, times, change, now)
                    if times != before:
                        os.pwrite(descriptor, times.line(), 0)
                finally:
                    _unlock(descriptor)
                return wait
            except OSError as error:
                self._share_no_more(error)
        return self._changed(file, self._times.setdefault(file, _Times()), change, now)

    def _changed(self, file: str, times: _Times, change: Change, now: float) -> float:
        for owed in self._owed.pop(file, ()):
            owed(times, now)
        return change(times, now)

    def _share_no_more(self, error: OSError) -> None:
        log.warning(
            "Labrig's processes cannot agree on how often a host is asked, each now counts for itself: %s (%s)",
            error.strerror,
            self._folder,
        )
        self._folder = None

    # ------------------------------------------------------------------------------------------------- the slots

    @asynccontextmanager
    async def _slot(self, asked: _Asked) -> AsyncIterator[None]:
        """Hold one of a host's slots. Whether another process has left one must be looked at again and again."""
        pause_s = 0.01
        while (slot := self._try_slot(asked)) is None:
            if asked.left_s < 0:
                raise asked.refusal(asked.limit.distance_s)
            await asyncio.sleep(random.uniform(0.5, 1) * pause_s)
            pause_s = min(2 * pause_s, 0.1)
        try:
            yield
        finally:
            self._leave(asked.file, *slot)

    def _try_slot(self, asked: _Asked) -> tuple[int, int | None] | None:
        """Take a free slot: its number, and its file if it is shared."""
        taken = self._taken.setdefault(asked.file, set())
        for number in range(asked.limit.concurrent):
            if number in taken:
                continue
            descriptor = None
            if self._folder is not None:
                try:
                    descriptor = _locked(self._folder / f"{asked.file}.slot-{number}")
                    if descriptor is None:
                        continue
                except OSError as error:
                    self._share_no_more(error)
            taken.add(number)
            return number, descriptor
        return None

    def _leave(self, file: str, number: int, descriptor: int | None) -> None:
        self._taken[file].discard(number)
        if descriptor is not None:
            _unlock(descriptor)


class _Asked:
    """One call of `Hosts.turn`: what it wants, and how much of its patience is left."""

    def __init__(self, host: str, limit: Limit, patience_s: float, clock: Clock) -> None:
        self.host = host
        self.file = _file_name(host)
        self.limit = limit
        self.patience_s = patience_s
        self._clock = clock
        self._began = clock.monotonic()

    @property
    def left_s(self) -> float:
        return self.patience_s - (self._clock.monotonic() - self._began)

    def refusal(self, wait_s: float) -> LabrigError:
        """Return the error for a turn that comes after `wait_s` from now at the earliest."""
        seconds = max(0.1, math.ceil(wait_s * 10) / 10)
        return LabrigError(
            f"The turn of this request to {self.host} would come in {seconds:g} s or later",
            where=self.host,
            expected=f"a turn within {self.patience_s:g} s; the host is asked {self.limit.per_second:g} times a second "
            f"and {self.limit.concurrent} at a time, by all processes together, and not while it asks for a pause",
            try_=f"the same call in {seconds:g} s",
            code="rate_limited",
            retry_after_s=seconds,
        )


class _Queue:
    """Those of this process who wait for a host, in the order in which their turns came."""

    def __init__(self, concurrent: int) -> None:
        self.all = asyncio.Semaphore(concurrent)
        self.first = asyncio.Semaphore(1)


@asynccontextmanager
async def _in_line(asked: _Asked, line: asyncio.Semaphore) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(max(0.0, asked.left_s)):
            await line.acquire()
    except TimeoutError:
        raise asked.refusal(asked.limit.distance_s) from None
    try:
        yield
    finally:
        line.release()


def _file_name(host: str) -> str:
    """Return a safe name for a host's files: what can be read of it, and a hash."""
    host = host.lower()
    readable = re.sub(r"[^a-z0-9.-]", "_", host[:60]).lstrip(".-")
    return f"{readable or 'host'}-{sha256(host.encode('utf-8', 'surrogatepass'))[:16]}"


def _locked(path: Path) -> int | None:
    """Open a file and lock it; None if somebody has it. The kernel lets go of it when the process ends."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, flags, 0o600)
    except PermissionError:  # somebody else's, in a folder that may be ours
        path.unlink()
        descriptor = os.open(path, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _unlock(descriptor: int) -> None:
    """Unlock and close: closing alone does not unlock what a forked child still has open."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)
