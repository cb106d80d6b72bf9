"""What a site allows machines to fetch: RFC 9309, read by protego (the standard library's reader gets `*`, `$` and the
longest match wrong).

No such file, or any 4xx: everything is allowed. A site that fails, or cannot be reached: nothing is, until it can.

A file is somebody else's: protego gives each agent that it names its own copy of each rule, so all agents but our own
and `*` are made one before it reads, in a thread, of the beginning of a file alone.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import protego

from labrig.errors import LabrigError
from labrig.http.messages import Response

AGENT = "labrig"
KEPT_S = 24 * 3600.0  # RFC 9309, section 2.4
MOST_BYTES = 2 << 20
"""Of a file that is fetched; a site with a longer one is not asked for anything."""
READ_CHARACTERS = 500 << 10
"""Of a file that is fetched: the rest is not read, as section 2.5 allows."""
MOST_KEPT = 4 * READ_CHARACTERS
"""Characters of all files whose rules are kept; the oldest give way."""
_NAMING = re.compile(r"\s*user(?:-|\s+)?agent(?:\s*:|\s+)([^#]*)", re.IGNORECASE)
"""A line that names an agent, in any of the spellings that protego reads."""
SLOWEST_S = 60.0
"""The longest pause between two requests that a site's file can ask for; more is read as this."""


@dataclass(frozen=True)
class Rules:
    """What one site allows; `file` is None where everything is, and `why` is set where nothing is.

    `size` counts the characters of the file.
    """

    file: protego.Protego | None
    why: str
    read_at: float
    size: int = 0

    @property
    def pause_s(self) -> float:
        """Seconds between two requests that the site asks for; 0 if it does not."""
        if self.file is None:
            return 0.0
        delay = self.file.crawl_delay(AGENT) or 0.0
        rate = self.file.request_rate(AGENT)
        slow = rate.seconds / rate.requests if rate is not None and rate.requests else 0.0
        return min(max(float(delay), float(slow)), SLOWEST_S)


class Robots:
    """The rules of the sites that were asked, read once a day.

    Parameters
    ----------
    fetch
        Gets a URL, whatever its status, with so many seconds of patience.
    """

    def __init__(self, fetch: Callable[[str, float], Awaitable[Response]]) -> None:
        self._fetch = fetch
        self._known: OrderedDict[str, Rules] = OrderedDict()

    async def check(self, url: str, patience_s: float) -> Rules:
        """Return the rules of a URL's site, if they let it be fetched.

        Raises
        ------
        LabrigError
            ``refused`` if they do not, or its address is not fetched; ``unreachable`` if they cannot be read;
            ``not_recorded`` in a replay.
        """
        parts = urlsplit(url)
        if parts.path == "/robots.txt":  # always allowed, section 2.2.2
            return Rules(None, "", time.monotonic())
        site = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        rules = self._known.get(site)
        if rules is None or time.monotonic() - rules.read_at > KEPT_S:
            rules = await self._read(f"{site}/robots.txt", patience_s)
            if not rules.why:
                self._known[site] = rules
                while sum(each.size for each in self._known.values()) > MOST_KEPT:
                    self._known.popitem(last=False)
        if rules.why:
            raise LabrigError(
                f"{site} does not say what may be fetched, so nothing is: {rules.why}",
                where=f"{site}/robots.txt",
                try_="the same call later",
                code="unreachable",
            )
        if rules.file is not None and not await asyncio.to_thread(rules.file.can_fetch, url, AGENT):
            raise LabrigError(
                f"{site} does not allow programs to fetch this page",
                where=url,
                expected=f"what {site}/robots.txt allows the agent {AGENT!r}",
                try_="the site's interface for programs, if it has one, or another source",
                code="refused",
            )
        return rules

    async def _read(self, url: str, patience_s: float) -> Rules:
        try:
            response = await self._fetch(url, patience_s)
        except LabrigError as error:
            if error.code in ("not_recorded", "refused"):  # its address is not fetched, now or later
                raise
            return Rules(None, error.what, time.monotonic())
        if response.ok:
            return await asyncio.to_thread(read, response)
        if 400 <= response.status < 500 and response.status != 429:
            return Rules(None, "", time.monotonic())
        return Rules(None, f"status {response.status}", time.monotonic())


def read(response: Response) -> Rules:
    """Return what a file allows."""
    text = response.text[:READ_CHARACTERS]
    file = protego.Protego.parse("\n".join(map(_with_few_agents, text.splitlines())))
    return Rules(file, "", time.monotonic(), len(text))


def _with_few_agents(line: str) -> str:
    """Return a line; where it names an agent that is neither ours nor `*`, under one name for all of them."""
    naming = _NAMING.match(line)
    if naming is None:
        return line
    name = naming[1].strip().lower()
    ours = name if name == "*" else name.replace("*", "")
    return f"User-agent: {ours if ours in ('*', AGENT) else 'others'}"
