"""Trying again, as politely as the service asks: in turn with others, after Retry-After, not for ever.

429, 502, 503 and 504 are tried again, and so is a connection that failed; a POST only where the service has not
taken it (429, 503, no connection). What waiting cannot mend within the caller's patience comes back as it is. A
download that got further than before has its patience and its attempts anew.
"""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx2

from labrig.http.hosts import Hosts
from labrig.http.wire import EXTENSION, BrokeOff, WireTransport

AGAIN = frozenset({429, 502, 503, 504})
AGAIN_FOR_POST = frozenset({429, 503})
LONGEST_S = 24 * 3600.0
"""The longest wait that is passed on."""
MOST_ATTEMPTS = 5
MOST_IN_ALL = 100
"""Attempts of a download that gets a little further each time."""
FIRST_WAIT_S = 1.0


class PoliteTransport(httpx2.AsyncBaseTransport):
    """Makes attempts until one is final."""

    def __init__(self, wire: WireTransport, hosts: Hosts) -> None:
        self._wire, self._hosts, self._clock = wire, hosts, hosts.clock

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Make up to `MOST_ATTEMPTS` attempts within the patience of the request's terms.

        Raises
        ------
        LabrigError
            Of the last attempt; ``rate_limited`` if the host's turn is further away than the patience.
        """
        ours, terms = request.extensions[EXTENSION]
        host = urlsplit(ours.wire.url).netloc.rpartition("@")[2].lower()
        end = self._clock.monotonic() + terms.patience_s
        receiver, attempt = terms.receiver, 0
        for number in range(1, MOST_IN_ALL + 1):
            attempt, furthest = attempt + 1, receiver.furthest if receiver else 0
            failure: BrokeOff | None = None
            response: httpx2.Response | None = None
            async with self._hosts.turn(host, terms.limit, max(0.0, end - self._clock.monotonic())):
                try:
                    response = await self._wire.handle_async_request(request)
                except BrokeOff as error:
                    failure = error
            if receiver is not None and receiver.furthest > furthest:
                attempt, end = 1, self._clock.monotonic() + terms.patience_s
            statuses = AGAIN_FOR_POST if ours.method == "POST" else AGAIN
            if response is not None and response.status_code not in statuses:
                return response
            wait = FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
            asked = retry_after(response.headers) if response is not None else None
            if response is not None and response.status_code == 429:
                asked = max(asked or 0.0, terms.limit.after_429_s) or asked
            if asked is not None:
                wait = asked
                self._hosts.pause(host, asked)
            left = min(MOST_ATTEMPTS - attempt, MOST_IN_ALL - number)
            can_wait = self._clock.monotonic() + wait < end and left > 0
            if receiver is not None and (late := receiver.late(ours, wait)):
                raise late
            if failure is not None and (not can_wait or (failure.sent and ours.method == "POST")):
                raise failure
            if not can_wait:
                assert response is not None
                return response
            await self._clock.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()


def retry_after(headers: httpx2.Headers | dict[str, str], at: str = "") -> float | None:
    """Return the seconds that a service asks to wait, or None: RFC 9110, section 10.2.3, a number or a date.

    Parameters
    ----------
    at
        When the answer came, for a date; default now.
    """
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    if re.fullmatch(r"[0-9]+(\.[0-9]*)?", text):
        return min(float(text), LONGEST_S)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    came = datetime.fromisoformat(at.replace("Z", "+00:00")) if at else datetime.now(UTC)
    seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - came.timestamp()
    return min(max(0.0, seconds), LONGEST_S)
