"""The same client for threads: libraries that wait for their answer, and tools that are plain functions.

Its requests run in an event loop of its own, in a thread of its own, so they may come from any thread at once. What a
caller has set in context variables holds inside its request too.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from labrig.errors import LabrigError
from labrig.http.client import Client
from labrig.http.hiding import plain
from labrig.http.messages import Response

T = TypeVar("T")
CLOSING_S = 10.0
"""How long `SyncClient.close` waits for connections to close."""


class Requests(Protocol):
    """What sends the requests: a `Client`, or what has another process send them (`labrig.http.carrying`)."""

    @property
    def replays(self) -> bool: ...
    @property
    def request(self) -> Callable[..., Coroutine[Any, Any, Response]]: ...
    @property
    def download(self) -> Callable[..., Coroutine[Any, Any, Response]]: ...
    @property
    def recorded_ranges(self) -> Callable[..., Coroutine[Any, Any, list[tuple[int, int]]]]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *ended: Any) -> None: ...


class SyncClient:
    """Sends requests for threads, through one `Client`.

    Parameters
    ----------
    make
        Makes the client; called once, inside the event loop that will run it.

    Raises
    ------
    LabrigError
        What `make` raises.
    """

    def __init__(self, make: Callable[[], Requests] = Client.configured) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._closed = False
        self._requests: set[asyncio.Task[Any]] = set()
        self._stop = asyncio.Event()
        started: Future[tuple[asyncio.AbstractEventLoop, Requests]] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(make, started)), name="labrig-http", daemon=True
        )
        self._thread.start()
        self._loop, self._client = started.result()
        atexit.register(self.close)

    async def _serve(
        self, make: Callable[[], Requests], started: Future[tuple[asyncio.AbstractEventLoop, Requests]]
    ) -> None:
        try:
            async with make() as client:
                started.set_result((asyncio.get_running_loop(), client))
                await self._stop.wait()
                for task in self._requests:
                    task.cancel()
                await asyncio.gather(*self._requests, return_exceptions=True)
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    @property
    def replays(self) -> bool:
        """Whether the network is not touched: see `Client.replays`."""
        return self._client.replays

    def request(self, method: str, url: str, **more: Any) -> Response:
        """Send a request and wait for its response; arguments and errors are those of `Client.request`.

        Whatever ends the wait, Ctrl-C included, ends the request.

        Raises
        ------
        LabrigError
            Also ``unavailable`` once the client is closed, and in a process that was forked from the client's own.
        """
        return self._wait(url, lambda client: client.request(method, url, **more))

    def download(self, url: str, to: Path, **more: Any) -> Response:
        """Write an answer to a file, and wait for it: see `Client.download`, and `request` for how it ends.

        `progress` is called in the client's own thread.
        """
        return self._wait(url, lambda client: client.download(url, to, **more))

    def recorded_ranges(self, url: str, **more: Any) -> list[tuple[int, int]]:
        """Return what `Client.recorded_ranges` does."""
        return self._wait(url, lambda client: client.recorded_ranges(url, **more))

    def begin(self, method: str, url: str, **more: Any) -> Future[Response]:
        """Send a request, and return what its response will be in; to cancel that ends the request.

        For those who have an event loop of their own: ``await asyncio.wrap_future(client.begin("GET", url))``.
        """
        return self._begin(url, lambda client: client.request(method, url, **more))

    def _begin(self, url: str, ask: Callable[[Requests], Coroutine[Any, Any, T]]) -> Future[T]:
        if os.getpid() != self._pid:
            raise LabrigError(
                "This HTTP client belongs to the process that this one was forked from",
                where=f"process {os.getpid()}, made in {self._pid}",
                expected="a client that was made after the fork: its thread does not come along",
                code="unavailable",
            )
        with self._lock:
            if self._closed:
                raise _closed(url)
            return asyncio.run_coroutine_threadsafe(self._send(ask), self._loop)

    def _wait(self, url: str, ask: Callable[[Requests], Coroutine[Any, Any, T]]) -> T:
        if threading.current_thread() is self._thread:
            raise RuntimeError("SyncClient would wait for the thread it is called in; await its Client")
        future = self._begin(url, ask)
        try:
            return future.result()
        except CancelledError as error:
            raise _closed(url) from error
        finally:
            future.cancel()  # does nothing to one that is done

    async def _send(self, ask: Callable[[Requests], Coroutine[Any, Any, T]]) -> T:
        task = asyncio.current_task()
        assert task is not None
        self._requests.add(task)
        try:
            return await ask(self._client)
        finally:
            self._requests.discard(task)

    def close(self) -> None:
        """End the requests that wait with an error, and close the client; a second time, do nothing."""
        if os.getpid() != self._pid:
            return  # the loop's descriptors are the other process's too
        with self._lock:
            if self._closed:
                return
            self._closed = True
        atexit.unregister(self.close)
        self._loop.call_soon_threadsafe(self._stop.set)
        if threading.current_thread() is not self._thread:
            self._thread.join(CLOSING_S)

    def __enter__(self) -> SyncClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _closed(url: str) -> LabrigError:
    return LabrigError("The HTTP client is closed", where=plain(url), code="unavailable")
