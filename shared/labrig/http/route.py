"""The way of one request: its address is checked; the ledger is asked; the site's rules; the polite cache; the host's
turn; the wire. Redirects are followed here, each hop as checked as the first.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakValueDictionary

import httpx2

from labrig.errors import LabrigError
from labrig.http import hiding
from labrig.http.cache import cached, from_cache
from labrig.http.difference import difference
from labrig.http.exchange import Exchange, is_answer
from labrig.http.guard import Guard
from labrig.http.hosts import Hosts, Limit
from labrig.http.ledger.ledger import Ledger
from labrig.http.messages import Hop, Request, Response, now
from labrig.http.parts import NotStored
from labrig.http.redirects import REDIRECTS, redirected
from labrig.http.retrying import PoliteTransport
from labrig.http.robots import Robots
from labrig.http.services import Service
from labrig.http.wire import EXTENSION, RETRIEVED, Terms, WireTransport, closed

MOST_HOPS = 8
NOT_FOLLOWED = ("labrig-redirects", "not followed")
HEEDED = ("labrig-robots", "heeded")
"""These stand among the headers of a request in the ledger; they are not sent."""


@dataclass(frozen=True)
class Manner:
    """How a request is meant; see `labrig.http.client.Client.request`."""

    follow: bool = True
    robots: bool = False
    poll: bool = False
    service: Service | None = None


class Route:
    """The way that requests of one client take.

    Parameters
    ----------
    mode, ledger, cache
        See `labrig.http.client.Client`; no ledger in the mode ``live``.
    robots
        Tells what the rules of a site allow.
    """

    def __init__(
        self, mode: str, ledger: Ledger | None, guard: Guard, hosts: Hosts, robots: Robots, cache: Path | None
    ) -> None:
        self._mode = mode
        self._ledger = ledger
        self._guard = guard
        self._robots = robots
        self._direct: httpx2.AsyncBaseTransport = PoliteTransport(WireTransport(guard), hosts)
        self._cached = cached(self._direct, cache) if cache and mode != "replay" else self._direct
        self._polls: Counter[str] = Counter()
        self._refreshed: set[tuple[str, int]] = set()
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.closed = False

    async def aclose(self) -> None:
        """Close connections, cache and ledger."""
        if self.closed:
            return
        self.closed = True
        await self._cached.aclose()
        if self._ledger is not None:
            self._ledger.close()

    async def answer(self, asked: Request, terms: Terms, manner: Manner) -> Response:
        """Return the answer, whatever its status.

        Raises
        ------
        LabrigError
            What came of it instead.
        """
        # Other questions: for the redirect itself; for what the site's rules allow.
        marks = [*([] if manner.follow else [NOT_FOLLOWED]), *([HEEDED] if manner.robots else [])]
        asked = replace(asked, headers=tuple(sorted((*asked.headers, *marks))))
        if manner.service is not None and manner.service.moved:
            self._guard.trust(manner.service.origin())
        if self._mode != "replay":
            self._guard.check(asked.wire.url)
        try:
            outcome = await self._outcome(asked, terms, manner)
        except Exception as error:
            if self.closed:  # under it: what failed is the ledger, the cache or a connection
                raise closed() from error
            raise
        if isinstance(outcome, LabrigError):
            raise outcome
        return outcome

    async def _outcome(self, asked: Request, terms: Terms, manner: Manner) -> Response | LabrigError:
        """Return what the ledger holds, or what the network says, which is then recorded."""
        ledger = self._ledger
        if ledger is None or terms.private:
            if ledger is not None and self._mode == "replay":
                return _not_recorded(ledger, asked, "exchanges that hold a secret are never recorded")
            return await self._try(asked, terms, manner, direct=manner.poll or terms.private)
        lock = self._asking.setdefault(asked.key, asyncio.Lock())
        async with lock:  # two that ask the same at the same time ask once
            ordinal = self._polls[asked.key] if manner.poll else 0
            refresh = self._mode == "refresh" and (asked.key, ordinal) not in self._refreshed
            if not refresh:
                held = await asyncio.to_thread(ledger.find, asked, ordinal)
                if self._mode == "replay":
                    if held is None:
                        self._guard.check(asked.wire.url)
                        return await asyncio.to_thread(_not_recorded, ledger, asked)
                    if _cut_short(held, terms.max_bytes):
                        return _not_recorded(
                            ledger,
                            asked,
                            f"it was recorded with a limit of {held.limit_bytes:,} bytes, and was larger",
                        )
                    self._polls[asked.key] += manner.poll
                    return _with_origin(held.outcome)
                if held is not None and held.ordinal == ordinal and is_answer(held.outcome):
                    self._polls[asked.key] += manner.poll
                    return _with_origin(held.outcome)
            began = time.monotonic()
            outcome = await self._try(asked, terms, manner, direct=manner.poll or self._mode == "refresh")
            exchange = Exchange(
                request=asked,
                outcome=outcome,
                ordinal=ordinal,
                recorded_at=now(),
                took_ms=round(1000 * (time.monotonic() - began)),
                service=manner.service.name if manner.service else "",
                limit_bytes=terms.max_bytes,
            )
            replaces = refresh and is_answer(outcome)  # no network is no reason to lose what is recorded
            kept = await asyncio.to_thread(ledger.add, exchange, replace=replaces, replace_error=True)
            if refresh:
                self._refreshed.add((asked.key, ordinal))
            self._polls[asked.key] += manner.poll
            if kept.outcome == outcome or _cut_short(kept, terms.max_bytes) or (refresh and not replaces):
                return outcome
            return kept.outcome

    async def _try(
        self, asked: Request, terms: Terms, manner: Manner, *, direct: bool
    ) -> Response | LabrigError:
        try:
            return await self._follow(asked, terms, manner, direct=direct)
        except NotStored:
            raise
        except LabrigError as error:
            if error.code in ("internal", "not_recorded"):
                raise
            return LabrigError.from_dict(error.to_dict())  # as it comes back from a ledger

    async def _follow(self, asked: Request, terms: Terms, manner: Manner, *, direct: bool) -> Response:
        """Ask, and go where the answer points, up to `MOST_HOPS` times."""
        hops: list[Hop] = []
        while True:
            limit = terms.limit
            if manner.robots:
                pause_s = (await self._robots.check(asked.wire.url, terms.patience_s)).pause_s
                if pause_s and pause_s > 1 / limit.per_second:
                    limit = Limit(1 / pause_s, 1)
            response = await self._send(asked, replace(terms, limit=limit), direct=direct)
            to = response.headers.get("location", "")
            if not manner.follow or response.status not in REDIRECTS or not to:
                return replace(response, redirects=tuple(hops))
            after = redirected(asked, response.status, to)
            hops.append(Hop(response.status, asked.url, after.url))
            if len(hops) > MOST_HOPS or any(
                hop.url == after.url and after.method == asked.method for hop in hops
            ):
                raise LabrigError(
                    f"{asked.host} sends requests round in a circle, or on and on: {len(hops)} redirects",
                    where=f"{hops[0].url} -> {' -> '.join(hop.to for hop in hops[:3])}",
                    code="unreachable",
                )
            self._guard.check(after.wire.url)
            asked = after

    async def _send(self, asked: Request, terms: Terms, *, direct: bool) -> Response:
        """Make one request through cache, turns and wire."""
        # What one person may see is not for another: the cache does not know who asks. Nor does it keep files or parts.
        direct = direct or asked.method != "GET" or hiding.somebodys(asked.wire.headers)
        direct = direct or terms.receiver is not None or "range" in dict(asked.headers)
        transport = self._direct if direct else self._cached
        message = httpx2.Request(
            asked.method,
            _quoted(asked.url),
            headers=dict(asked.headers),
            extensions={EXTENSION: (asked, terms)},
        )
        answer = await transport.handle_async_request(message)
        content = await answer.aread()
        await answer.aclose()
        headers = {
            name: value
            for name, value in sorted(answer.headers.items())
            if name not in (RETRIEVED, "content-length", "age")
        }
        return Response(
            answer.status_code,
            asked.url,
            headers,
            content,
            retrieved_at=answer.headers.get(RETRIEVED, ""),
            origin="cache" if from_cache(answer) else "network",
            stored=terms.receiver.stored(asked) if terms.receiver and terms.receiver.whole else None,
        )


def _not_recorded(ledger: Ledger, asked: Request, why: str = "") -> LabrigError:
    nearest = ledger.nearest(asked, 1) if not why else []
    hint = f"the nearest recorded: {nearest[0]} ({difference(nearest[0], asked)}); " if nearest else ""
    return LabrigError(
        f"This request is not in the ledger{': ' + why if why else ''}: {asked}",
        where=str(ledger.path),
        try_=f"{hint}to record it, run in the mode record",
        code="not_recorded",
    )


def _quoted(url: str) -> str:
    return url.replace("[key", "%5Bkey").replace("]", "%5D") if "[key" in url else url


def _cut_short(held: Exchange, max_bytes: int) -> bool:
    return (
        isinstance(held.outcome, LabrigError)
        and held.outcome.code == "too_large"
        and max_bytes > held.limit_bytes
    )


def _with_origin(outcome: Response | LabrigError) -> Response | LabrigError:
    return outcome if isinstance(outcome, LabrigError) else replace(outcome, origin="ledger")
