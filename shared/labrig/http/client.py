"""The one client for all that Labrig asks of the network.

    async with Client.configured() as client:
        page = await client.get("https://example.org/data.json", params={"q": "quartz"})
        page.json(), page.source()
        file = await client.download("https://example.org/dem.tif", folder)
        file.stored.path, file.sha256

What can be asked and what comes back is here; what happens in between is `labrig.http.route`. Everything above the
wire is free of keys.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace as replace_
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypedDict, Unpack, get_args

import ssrfguard

from labrig import __version__
from labrig.config import YES_NO, home, setting
from labrig.errors import LabrigError, unknown_name
from labrig.http import hiding
from labrig.http.guard import Guard
from labrig.http.hosts import Clock, Hosts, Limit
from labrig.http.ledger.ledger import Ledger, default_path
from labrig.http.messages import Params, Request, Response
from labrig.http.parts import Part, sweep
from labrig.http.receiving import CallersError, Progress, Receiver, too_large
from labrig.http.robots import AGENT, MOST_BYTES, Robots
from labrig.http.route import Manner, Route
from labrig.http.services import Service
from labrig.http.statuses import unwelcome
from labrig.http.stored import Stored
from labrig.http.targets import Target
from labrig.http.wire import Terms, closed

Mode = Literal["live", "record", "replay", "refresh"]
MODES: tuple[str, ...] = get_args(Mode)
ANY: Collection[int] = range(100, 1000)
"""For `accept`: every status comes back as a response."""
MAX_BYTES = 64 << 20
MAX_DOWNLOAD_BYTES = 1 << 30
TIMEOUT_S = 30.0
TOTAL_S = 3600.0
PATIENCE_S = 20.0
LARGEST = float(1 << 40)


class Asking(TypedDict, total=False):
    """What a request and a download take alike; `Client.request` says what each is."""

    params: Params | None
    headers: Mapping[str, str] | None
    body: bytes | str | None
    form: Params | None
    data: Any
    timeout_s: float
    patience_s: float
    robots: bool
    private: bool
    service: Service | None


class Client:
    """Asks the network, or the ledger in its place. For one event loop; close it when done.

    Parameters
    ----------
    mode
        ``live``: the network. ``record``: the ledger, and the network for what it does not hold, which is then
        added; what is no answer (429, 5xx, errors) is asked again. ``refresh``: the network, once for each request,
        replacing what the ledger holds.
        ``replay``: the ledger; what it does not hold is refused.
    ledger
        Where the ledger is; all modes but ``live`` need one.
    contact
        The operator's e-mail address or page, for the User-Agent.
    private_origins
        Origins that may lie at private addresses: see `labrig.http.guard.Guard`.
    cache
        Folder of the polite cache; None for no cache.
    state
        Folder in which the processes of this machine keep their turns; None for this client's own.
    limit
        How often a host may be asked that no service declares.
    resolver
        Stands in for `socket.getaddrinfo`.
    clock
        By which hosts are asked in turn and again.
    """

    def __init__(
        self,
        *,
        mode: str = "live",
        ledger: Path | None = None,
        contact: str = "",
        private_origins: Iterable[str] = (),
        cache: Path | None = None,
        state: Path | None = None,
        limit: Limit | None = None,
        resolver: ssrfguard.Resolver | None = None,
        clock: Clock | None = None,
    ) -> None:
        if mode not in MODES:
            raise unknown_name("HTTP mode", mode, MODES, where="http.mode")
        if mode != "live" and ledger is None:
            raise LabrigError(f"The mode {mode} needs a ledger", where="http.ledger", try_="--ledger FILE")
        if not re.fullmatch(r"[\x20-\x7e]{0,200}", contact) or re.search(r"[()\\]", contact):
            raise LabrigError(
                "This is not a contact", where="http.contact", expected="an e-mail address or a URL"
            )
        self.mode: Mode = mode  # type: ignore[assignment]
        self.ledger_path = ledger
        self._ledger = Ledger(ledger, write=mode != "replay") if ledger and mode != "live" else None
        self._contact = contact
        self._limit = limit or Limit()
        guard = Guard(private_origins, resolver)
        self._route = Route(mode, self._ledger, guard, Hosts(state, clock), Robots(self._robots_file), cache)
        self._loop: asyncio.AbstractEventLoop | None = None

    @classmethod
    def configured(cls, **given: Any) -> Client:
        """Return a client set up by the settings ``http.*``; arguments go before them.

        Raises
        ------
        LabrigError
            For a setting that cannot be used, or a ledger that cannot be opened.
        """
        folder = home() / "http"
        mode = str(given.get("mode") or setting("http", "mode") or "live")
        settings: dict[str, Any] = {
            "mode": mode,
            "ledger": None if mode == "live" else default_path(),
            "contact": setting("http", "contact"),
            "private_origins": [
                origin for origin in setting("http", "private_origins").split(",") if origin.strip()
            ],
            "cache": folder / "cache" if _is_on(setting("http", "cache") or "on") else None,
            "state": folder / "hosts",
        }
        chosen = {name: value for name, value in given.items() if value is not None}
        return cls(**settings | chosen | {"mode": mode})  # an empty mode is none, as `ServeOptions` has it

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close connections, cache and ledger."""
        await self._route.aclose()

    @property
    def replays(self) -> bool:
        """Whether the network is not touched: then no token need be fetched, `hiding.MASK` stands for any."""
        return self.mode == "replay"

    async def get(self, url: str, **more: Any) -> Response:
        """Ask with GET: see `request`."""
        return await self.request("GET", url, **more)

    async def ask(
        self,
        service: Service,
        path: str = "",
        *,
        method: str = "GET",
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        to: Path | None = None,
        **more: Any,
    ) -> Response:
        """Ask a declared service: its address, limit, key and wishes are seen to.

        The rest as in `request`, or, where `to` says where the answer goes, as in `download`.

        Raises
        ------
        LabrigError
            ``unavailable`` if it wants a key or a contact that is not set, naming the setting.
        """
        pairs = list(params.items() if isinstance(params, Mapping) else params or ())
        heads = dict(headers or {})
        missing: LabrigError | None = None
        for value in self._keys(service):
            given: dict[str, Any] = {"params": pairs, "headers": heads}
            if value and service.key is not None and service.key.param:
                given["params"] = [*pairs, (service.key.param, service.key.prefix + value)]
            elif value and service.key is not None:
                given["headers"] = heads | {service.key.header: service.key.prefix + value}
            try:
                given |= {"service": service, **more}
                if to is not None:
                    return await self.download(service.at(path), to, method=method, **given)
                return await self.request(method, service.at(path), **given)
            except LabrigError as error:
                if error.code != "not_recorded":
                    raise
                missing = missing or error
        assert missing is not None
        raise missing

    def _keys(self, service: Service) -> list[str]:
        """Return the key to ask a service with, empty for none; in a replay those that it may be recorded with."""
        if service.key is None:
            return [""]
        value = service.key.value()
        if self.mode == "replay":
            recorded = value or hiding.MASK
            return [recorded] if service.key.required else [recorded, ""] if value else ["", recorded]
        if not value and service.key.required:
            raise LabrigError(
                f"{service.name} wants a key",
                where=service.key.variable,
                try_=f"set it, or the setting {service.key.name} in [{service.key.section}] of labrig.toml"
                + (f"; get a key at {service.key.get_it}" if service.key.get_it else ""),
                code="unavailable",
            )
        return [value]

    async def request(
        self,
        method: str,
        url: str,
        *,
        max_bytes: int = MAX_BYTES,
        follow: bool = True,
        accept: Collection[int] = (),
        poll: bool = False,
        **asking: Unpack[Asking],
    ) -> Response:
        """Ask, and return the answer.

        Parameters
        ----------
        method, url, params, headers, body, form, data
            See `labrig.http.messages.Request.make`.
        max_bytes
            Of the body, unpacked.
        timeout_s
            For one attempt, body included.
        patience_s
            For waiting in turn and between attempts.
        follow
            Redirects.
        robots
            Whether the site's rules for programs hold: for pages, not for interfaces made for programs.
        accept
            Statuses outside of 200 to 299 that are an answer too; `ANY` for all.
        poll
            Each time is another question ("is it done yet?"): recorded one by one, replayed in order.
        private
            For exchanges that hold a secret (a token): neither recorded, nor kept in the cache, nor redacted.
        service
            Whose limits hold.

        Raises
        ------
        LabrigError
            ``refused``, ``unreachable``, ``rate_limited`` with the seconds to wait, ``too_large``, ``not_found``,
            ``not_recorded``, ``unavailable``, ``bad_input``.
        """
        asked, terms, manner = self._question(method, url, max_bytes, **asking)
        outcome = await self._route.answer(asked, terms, replace_(manner, follow=follow, poll=poll))
        if outcome.size > max_bytes:
            raise too_large(asked, max_bytes, outcome.size)
        outcome = await _in_memory(outcome)
        if outcome.ok or outcome.status in accept:
            return outcome
        raise unwelcome(outcome, manner.service)

    async def download(
        self,
        url: str,
        to: Path,
        *,
        name: str = "",
        replace: bool = False,
        sha256: str = "",
        progress: Progress | None = None,
        max_bytes: int = MAX_DOWNLOAD_BYTES,
        total_s: float = TOTAL_S,
        method: str = "GET",
        **asking: Unpack[Asking],
    ) -> Response:
        """Ask, and write the answer to a file, of any size in little memory; the file is there whole, or not at all.

        A connection that breaks is gone on with where the service can do that. In the ledger it is the same question
        as with `request`. What is not named here is as there.

        Parameters
        ----------
        to
            The file, or a folder that is there.
        name
            Of the file in the folder; default: what the service proposes (Content-Disposition, else the end of its
            address), made a safe name.
        replace
            Whether a file of that name may be replaced; a link is replaced itself.
        sha256
            What the file must have, 64 hex digits.
        progress
            Called from the event loop with the bytes that are there, and how many there will be or None. They may get
            fewer, where a service has to begin anew. What it raises ends the download and comes out of it.
        total_s
            For everything: waiting and all attempts. `timeout_s` is how long nothing may come.

        Returns
        -------
        Response
            Without a body; `Response.stored` is the file, with its path, size and hash.

        Raises
        ------
        LabrigError
            Also ``limit`` where the disk is full, ``refused`` where there is a file of that name or a key stands in
            the body, ``unavailable`` where the folder cannot be written.
        """
        if not (isinstance(sha256, str) and re.fullmatch(r"|[0-9a-fA-F]{64}", sha256)):
            raise LabrigError(
                "This is no SHA-256", where=f"sha256={sha256!r}"[:100], expected="64 hex digits"
            )
        _check_limits(total_s=total_s)
        asked, terms, manner = self._question(method, url, max_bytes, **asking)
        if asked.method == "HEAD" or "range" in dict(asked.headers):
            raise LabrigError(
                "A download asks for the whole of a file",
                where="method" if asked.method == "HEAD" else "headers: range",
                try_="Client.get, or labrig.http.ranges for parts of a file",
            )
        target = Target(Path(to), name, replace=replace)
        await asyncio.to_thread(sweep, target.folder)
        part = Part(target.folder)
        try:
            receiver = Receiver(
                part, max_bytes=max_bytes, total_s=total_s, settle=target.settle, progress=progress
            )
            outcome = await self._route.answer(asked, replace_(terms, receiver=receiver), manner)
            if not outcome.ok:
                raise unwelcome(await _in_memory(outcome), manner.service)
            if outcome.size > max_bytes:
                raise too_large(asked, max_bytes, outcome.size)
            path = target.settle(outcome.url, outcome.headers)
            if outcome.stored is None or outcome.stored.path != part.path:
                await receiver.copy(outcome)
            if sha256 and part.sha256 != sha256.lower():
                raise LabrigError(
                    f"{asked.host} sends another file: its sha256 is {part.sha256}",
                    where=str(asked),
                    expected=f"sha256 {sha256.lower()}",
                    code="unreachable",
                )
            part.move(path, replace=replace)
            return replace_(outcome, body=b"", stored=Stored(part.size, part.sha256, path, str(asked)))
        except CallersError as error:
            assert error.__cause__ is not None
            raise error.__cause__ from None
        finally:
            part.discard()

    async def recorded_ranges(
        self, url: str, *, params: Params | None = None, headers: Mapping[str, str] | None = None
    ) -> list[tuple[int, int]]:
        """Return first and last byte of the parts of a file that the ledger holds; none where there is no ledger."""
        if self._ledger is None:
            return []
        asked = Request.make("GET", url, params=params, headers=headers)
        return await asyncio.to_thread(self._ledger.ranges, asked)

    def _question(
        self,
        method: str,
        url: str,
        max_bytes: int,
        *,
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
        robots: bool = False,
        private: bool = False,
        service: Service | None = None,
        **said: Any,
    ) -> tuple[Request, Terms, Manner]:
        """Return what is asked, on which terms, and how it is meant."""
        asked = Request.make(method, url, **said)
        if self._route.closed:
            raise closed()
        self._loop = self._loop or asyncio.get_running_loop()
        if self._loop is not asyncio.get_running_loop():
            raise LabrigError(
                "This client belongs to another event loop",
                expected="a client for each",
                try_="labrig.http.sync.SyncClient, for threads",
                code="internal",
            )
        _check_limits(max_bytes=max_bytes, timeout_s=timeout_s, patience_s=patience_s)
        limit = service.limit if service else self._limit
        terms = Terms(max_bytes, timeout_s, patience_s, limit, self._agent(service), private)
        return asked, terms, Manner(robots=robots, service=service)

    def _agent(self, service: Service | None) -> str:
        if service is not None and service.contact and not self._contact and self.mode != "replay":
            raise LabrigError(
                f"{service.name} wants to know who asks",
                where="LABRIG_HTTP_CONTACT",
                expected="your e-mail address or page" + (f" ({service.terms})" if service.terms else ""),
                try_="set it, or contact in [http] of labrig.toml",
                code="unavailable",
            )
        return f"{AGENT}/{__version__}" + (f" ({self._contact})" if self._contact else "")

    async def _robots_file(self, url: str, patience_s: float) -> Response:
        return await self.request("GET", url, accept=ANY, max_bytes=MOST_BYTES, patience_s=patience_s)


async def _in_memory(response: Response) -> Response:
    if response.stored is None:
        return response
    return replace_(response, body=await asyncio.to_thread(response.stored.read), stored=None)


def _is_on(text: str) -> bool:
    """Return what the setting ``http.cache`` says."""
    if text.lower() not in YES_NO:
        raise LabrigError(f"{text!r} is neither on nor off", where="http.cache", expected="on or off")
    return YES_NO[text.lower()]


def _check_limits(**limits: float) -> None:
    for name, value in limits.items():
        if not (isinstance(value, int | float) and 0 <= value <= LARGEST):
            raise LabrigError(
                "This is not a limit", where=f"{name}={value!r}", expected=f"a number from 0 to {LARGEST:g}"
            )
