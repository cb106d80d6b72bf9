"""The pages of a folder under watch on 127.0.0.1, for browsers of this machine alone."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from labrig.errors import LabrigError
from labrig_study.view.pages import Asked, render_list, render_record
from labrig_study.view.watching import EVERY_S, Watch

HOST = "127.0.0.1"
SILENT_LOOKS = 15
"""Looks without a change after which a browser is sent a sign of life."""


def make_app(watch: Watch) -> Starlette:
    """Return the application; a page of another site that found the port is refused by its host's name."""

    def show_list(request: Request) -> Response:
        page = request.query_params.get("page", "")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 8 else 1
        return HTMLResponse(render_list(watch, Asked.of(request.query_params), number))

    def show_record(request: Request) -> Response:
        label, sample, epoch = (request.path_params[name] for name in ("run", "sample", "epoch"))
        try:
            return HTMLResponse(render_record(watch, (label, sample, epoch), Asked.of(request.query_params)))
        except KeyError:
            return PlainTextResponse("There is no such record.", 404)

    async def tell(request: Request) -> Response:
        since = request.query_params.get("since", "")
        return StreamingResponse(_tell_changes(watch, since), media_type="text/event-stream")

    return Starlette(
        routes=[
            Route("/", show_list),
            Route("/record/{run}/{sample}/{epoch:int}", show_record),
            Route("/events", tell),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
    )


async def _tell_changes(watch: Watch, told: str) -> AsyncIterator[str]:
    """Yield an event for each change since the version that a page was told, at most one a look."""
    silent = 0
    while True:
        if str(watch.version) != told or silent >= SILENT_LOOKS:
            yield f"data: {watch.version}\n\n" if str(watch.version) != told else ":\n\n"
            told, silent = str(watch.version), 0
        silent += 1
        await asyncio.sleep(EVERY_S)


def serve(out: Path, port: int, say: Callable[[str], None]) -> None:
    """Serve a folder until Ctrl-C; `say` is told the address.

    Raises
    ------
    LabrigError
        As `Watch`, and for a port that is taken.
    """
    import uvicorn

    watch = Watch(out)
    with listen(port) as (listening, address):
        say(address)
        follower = threading.Thread(target=watch.follow, daemon=True)
        follower.start()
        config = uvicorn.Config(
            make_app(watch), log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            watch.end()


@contextmanager
def listen(port: int) -> Iterator[tuple[socket.socket, str]]:
    """Give a socket at a port of this machine alone, and its address; a LabrigError for a port that is taken."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise LabrigError(
                f"The port cannot be had: {error.strerror}", where=f"--port {port}", try_="another, or none"
            ) from error
        yield listening, f"http://{HOST}:{listening.getsockname()[1]}/"
