"""The machine's processors, shared between owners: who has had more than another who wants one gives way for a moment.

Turns (`labrig.turns`) bound how many runs an owner may have. The kernel shares the processors between processes and
threads, so an owner of two runs, or of one with sixteen threads, would get as many times the share of another. Here
processor time is counted for each owner. While runs of more than one owner want more processors than there are, those
of an owner who is ahead rest (SIGSTOP; `labrig.isolation.inside.forking`) until the others have caught up. Nobody rests
while there are processors for all, and a run that waits for something else holds up nobody.

    sharing = sharing_here()
    sharing.begin(server, number)      # of this call's owner
    sharing.end(server, number, cpu_s)
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol
from weakref import ReferenceType, WeakKeyDictionary, ref

from labrig.turns import OWNER

TICK_S = 0.2
"""How often it is looked who has had what, while more than one owner has a run."""
SLACK_S = 0.4
"""Processor seconds that an owner may be ahead of another before it gives way."""
CREDIT_S = 0.4
"""Processor seconds that an owner keeps of what it did not use; nobody saves up more by waiting."""
DEBT_S = 2.0
"""Processor seconds that an owner is ahead of another at most: what nobody else wanted is not held against it."""
REMEMBERED_S = 3.0
"""So long after its last run an owner still counts: it thinks about its next call."""
UNKNOWN = -1.0


class Server(Protocol):
    """A fork server as it is seen from here."""

    def share(self, rest: Sequence[int]) -> None:
        """Have these of its runs rest, and say what all have used."""


@dataclass
class Going:
    """A run: whose it is, what it has used, how many of its threads have or want a processor, whether it rests."""

    owner: str
    server: Server
    number: int
    cpu_s: float = 0.0
    wanting: int = 1
    resting: bool = False
    ended: bool = False


class Sharing:
    """Who has had how much, in one event loop.

    Parameters
    ----------
    processors
        How many there are; by default `processors`.
    """

    def __init__(self, count: int | None = None) -> None:
        self._processors = processors() if count is None else count
        self._runs: dict[tuple[Server, int], Going] = {}
        self._had: dict[str, float] = {}
        self._seen: dict[str, float] = {}
        self._asked: set[Server] = set()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, server: Server, number: int) -> None:
        """Count a run as one of this call's owner."""
        run = Going(OWNER.get(), server, number)
        self._seen[run.owner] = time.monotonic()
        if self._timer is None and len(self._recent()) > 1:
            for each in self._runs.values():
                each.cpu_s = UNKNOWN  # what it had while nobody else wanted it does not count
            self._again()
        self._runs[server, number] = run

    def told(self, server: Server, used: Mapping[str, Sequence[float]]) -> None:
        """Take what a fork server says of its runs: processor seconds and threads that want a processor, by number."""
        self._asked.discard(server)
        for number, (cpu_s, wanting) in used.items():
            run = self._runs.get((server, int(number)))
            if run is not None and not run.ended:
                self._charge(run, cpu_s)
                if not run.resting:
                    run.wanting = int(wanting)

    def end(self, server: Server, number: int, cpu_s: float = 0.0) -> None:
        """Count what is left of a run that has ended; until the next look its owner is taken to want the next one."""
        run = self._runs.get((server, number))
        if run is None:
            return
        self._charge(run, cpu_s)
        self._seen[run.owner] = time.monotonic()
        run.ended, run.resting, run.wanting = True, False, 1
        if self._timer is None:
            del self._runs[server, number]

    def _charge(self, run: Going, cpu_s: float) -> None:
        if run.cpu_s != UNKNOWN:
            self._had[run.owner] = self._had.get(run.owner, 0.0) + max(0.0, cpu_s - run.cpu_s)
        run.cpu_s = max(run.cpu_s, cpu_s)

    def _recent(self) -> set[str]:
        """Return the owners that have a run, or had one a short while ago; forget the others."""
        now = time.monotonic()
        running = {run.owner for run in self._runs.values()}
        self._seen = {
            each: at for each, at in self._seen.items() if each in running or now - at < REMEMBERED_S
        }
        self._had = {each: had for each, had in self._had.items() if each in self._seen}
        return set(self._seen)

    def _tick(self) -> None:
        """Look who is ahead of whom, and have runs rest or go on."""
        runs = list(self._runs.values())
        several = len(self._recent()) > 1
        self._had = evened(self._had, runs)
        resting = giving_way(runs, self._had, self._processors)
        self._runs = {key: run for key, run in self._runs.items() if not run.ended}
        self._asked &= {run.server for run in self._runs.values()}
        for run in self._runs.values():
            run.resting = any(run is each for each in resting)
        for server in {run.server for run in self._runs.values()} - self._asked:
            self._asked.add(server)  # one that is busy has not answered the last word yet
            server.share([run.number for run in resting if run.server is server])
        self._timer = None
        if self._runs and (several or self._asked):  # who has not answered has not heard that all may go on
            self._again()

    def _again(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self._tick)


def evened(had: Mapping[str, float], runs: Iterable[Going]) -> dict[str, float]:
    """Return what owners have had, with those who come now at the least of those who want a processor.

    Nobody is more than `DEBT_S` ahead of that one, or more than `CREDIT_S` behind.
    """
    runs = list(runs)
    least = min((had[run.owner] for run in runs if run.wanting and run.owner in had), default=0.0)
    between = {each: min(max(value, least - CREDIT_S), least + DEBT_S) for each, value in had.items()}
    return dict.fromkeys((run.owner for run in runs), least) | between


def giving_way(runs: Iterable[Going], had: Mapping[str, float], count: int) -> list[Going]:
    """Return the runs that are to rest.

    Processors are given out one run of each owner after the other, to who has had least first. What no processor is
    left for rests, if its owner is ahead by `SLACK_S` of one who wants one.
    """
    wanting = [run for run in runs if run.wanting]
    owners = {run.owner for run in wanting}
    if len(owners) < 2:
        return []
    least = min(had[owner] for owner in owners)
    nth: Counter[str] = Counter()
    queue: list[tuple[int, float, Going]] = []
    for run in sorted(wanting, key=lambda run: run.cpu_s):  # of one owner's runs, those that have had least
        queue.append((nth[run.owner], had[run.owner], run))
        nth[run.owner] += 1
    resting, free = [], count
    for _, owner_had, run in sorted(queue, key=lambda each: each[:2]):
        if run.wanting <= free or owner_had <= least + SLACK_S:
            free -= run.wanting
        elif not run.ended:
            resting.append(run)
    return resting


@cache
def processors() -> int:
    """Return how many processors this process may use: its affinity, and the quota of its control group."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # "max 100000", or "150000 100000": cgroups(7), version 2
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(count, math.ceil(int(quota) / int(period))))
    with suppress(OSError, ValueError):  # version 1
        group = Path("/sys/fs/cgroup/cpu")
        quota_us, period_us = (
            int((group / f"cpu.cfs_{each}_us").read_text()) for each in ("quota", "period")
        )
        if quota_us > 0:
            return max(1, min(count, math.ceil(quota_us / period_us)))
    return count


# Servers hold what is shared, and that holds servers, which hold their loop; so it is held by nobody else.
_HERE: WeakKeyDictionary[asyncio.AbstractEventLoop, ReferenceType[Sharing]] = WeakKeyDictionary()


def sharing_here() -> Sharing:
    """Return that of the running event loop, which lasts as long as somebody holds it."""
    loop = asyncio.get_running_loop()
    known = _HERE.get(loop)
    sharing = known() if known is not None else None
    if sharing is None:
        sharing = Sharing()
        _HERE[loop] = ref(sharing)
    return sharing
