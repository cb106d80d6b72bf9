"""Turns at something of which a few can go on at once, shared fairly between the callers of one server.

    turns = Turns("PHREEQC", slots=4)
    async with turns.turn():
        ...

Each owner (a token, over HTTP) has `slots` of its own from its first call on, and a queue of its own; so one with many
long runs holds up nobody else's short one. The machine's processors are then shared by the kernel, and `most` bounds
how many run in all: the more owners there are, the fewer each may have, and who has none comes first. Beyond `most` a
place is kept for each owner who has nothing running, up to `kept` of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextvars import ContextVar

from labrig.errors import LabrigError

LOCAL = "local"
"""Who calls where no token tells callers apart."""
OWNER: ContextVar[str] = ContextVar("owner", default=LOCAL)
"""Whose call this is; set by the server for each call, and inherited by what the call starts."""
OWNERS_AT_ONCE = 4
"""Owners that can use all their slots at the same time."""
KEPT = 12
"""Owners beyond those of `OWNERS_AT_ONCE` who find a place while all slots are taken by work that does not end."""
LINGER_S = 3.0
"""An owner whose last turn ended so short ago still counts as one: it thinks about its next call."""
GRANTED_AT_ONCE = 2
"""Of the owners that wait when a slot comes back: who is alone again gets more step by step."""


class Turns:
    """Slots that owners take and give back.

    Parameters
    ----------
    what
        What has the turns, for messages.
    slots
        How many one owner may have at a time.
    places
        How many of one owner may wait; one more is refused as ``busy``.
    most
        How many there are at a time over all owners.
    kept
        How many there are beyond `most` for owners who have nothing running; by default 0 where `most` is given, else
        `KEPT`.
    alone
        How many an owner may have while nobody else has or waits for any; by default `slots`.
    """

    def __init__(
        self,
        what: str,
        slots: int,
        *,
        places: int,
        most: int | None = None,
        kept: int | None = None,
        alone: int | None = None,
    ) -> None:
        self.slots = slots
        self._alone = slots if alone is None else alone
        self._what = what
        self._places = places
        self._most = slots * OWNERS_AT_ONCE if most is None else most
        self._kept = kept if kept is not None else KEPT if most is None else 0
        self._running: Counter[str] = Counter()
        self._seen: dict[str, float] = {}
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @contextlib.asynccontextmanager
    async def turn(self, owner: str = "", *, patience_s: float | None = None) -> AsyncIterator[None]:
        """Hold a slot; `owner` is that of the call where it is not given.

        Raises
        ------
        LabrigError
            ``busy`` if too many of the owner wait already, or no slot came free in `patience_s`.
        """
        owner = owner or OWNER.get()
        try:
            async with asyncio.timeout(patience_s):
                await self._enter(owner)
        except TimeoutError:
            raise LabrigError(
                f"{self._what} is busy: no place came free in {patience_s:g} s",
                expected=f"at most {self.slots} runs at a time",
                try_="the same call later; long jobs can be looked at and cancelled",
                code="busy",
            ) from None
        try:
            yield
        finally:
            self._leave(owner)

    def waiting(self, owner: str = "") -> int:
        """Return how many of an owner wait."""
        return len(self._waiting.get(owner or OWNER.get(), ()))

    async def _enter(self, owner: str) -> None:
        queue = self._waiting.get(owner, deque())
        if not queue and self._may(owner):
            self._running[owner] += 1
            return
        if len(queue) >= self._places:
            raise LabrigError(
                f"{self._what} is busy: {len(queue)} of your runs wait already",
                try_="the same call later",
                code="busy",
            )
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(owner)  # the slot was ours already
            else:
                self._forget(owner, turn)
            raise

    def _may(self, owner: str) -> bool:
        others = (self._running.keys() | self._waiting.keys() | self._recent().keys()) - {owner}
        own = self.slots if others else self._alone
        now = len(self._running.keys() | self._waiting.keys() | {owner})
        share = min(own, max(1, self._most // now))
        running = self._running[owner]
        return running < share and self._running.total() < self._most + (0 if running else self._kept)

    def _recent(self) -> dict[str, float]:
        """Return who had a turn a short while ago, and when it ended."""
        return {name: moment for name, moment in self._seen.items() if time.monotonic() - moment < LINGER_S}

    def _forget(self, owner: str, turn: asyncio.Future[None]) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._waiting[owner].remove(turn)
            if not self._waiting[owner]:
                del self._waiting[owner]

    def _leave(self, owner: str) -> None:
        """Give a slot back, and hand on what is free: to the owner with the fewest, of these to who waits longest."""
        self._running[owner] -= 1
        self._seen = self._recent() | {owner: time.monotonic()}
        if not self._running[owner]:
            del self._running[owner]
        for _ in range(GRANTED_AT_ONCE):
            if not (ready := [each for each in self._waiting if self._may(each)]):
                return
            chosen = min(ready, key=self._running.__getitem__)
            turns = self._waiting.pop(chosen)
            turn = turns.popleft()
            if turns:
                self._waiting[chosen] = turns  # at the end: the others come first
            if not turn.done():
                self._running[chosen] += 1
                turn.set_result(None)
