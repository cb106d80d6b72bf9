"""The module of children that have the network: they carry bytes to a walled child, and look into none.

What decodes them (`remote`, behind the walls of `work.inside`) names the addresses of the call, or parts of them, over
a socket; this child sends the request through the client of the house, which guards addresses, waits in turn, records
and replays. Of the settings it holds those of the client alone, of keys none.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Collection
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.http import Client
from labrig.http.carrying import carry
from labrig.isolation.children import Children, refusal
from labrig.isolation.inside.answering import FIRST_FILE
from labrig.isolation.process import Limits, outcome_error

LIMITS = Limits(wall_s=60, cpu_s=100, memory_bytes=4 << 30, output_bytes=1 << 20, file_bytes=2 << 30)
_PASSED_ON = ("HOME", "LABRIG_HOME", "LABRIG_CONFIG", "LABRIG_HTTP_", "SSL_CERT_", "XDG_")


def fetchers() -> Children:
    """Return what has the network, a process for each call."""
    passed = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
    return Children(
        "labrig_earth.catalogue.fetching", what="Fetching", limits=LIMITS, slots=2, variables=passed
    )


@asynccontextmanager
async def carried(
    by: Children,
    *,
    exact: Collection[str] = (),
    below: Collection[str] = (),
    mode: str = "",
    ledger: Path | None = None,
) -> AsyncIterator[int]:
    """Give the descriptor of the socket over which a walled child has addresses fetched.

    Parameters
    ----------
    by
        What `fetchers` returned.
    exact, below
        See `labrig.http.carrying.carry`.
    mode, ledger
        Of the client.

    Raises
    ------
    LabrigError
        What the child of the network refuses, or how it ended, in place of what its end led to.
    """
    loop = asyncio.get_running_loop()
    asked = {"exact": list(exact), "below": list(below), "mode": mode, "ledger": str(ledger or "")}
    with ExitStack() as held:
        ours, theirs = (held.enter_context(end) for end in socket.socketpair())
        carrying = asyncio.ensure_future(by.ask(asked, [ours.fileno()]))

        def end(_: object) -> None:
            with suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)  # whoever waits at the other end waits no longer

        carrying.add_done_callback(end)
        try:
            # Its first word comes when it has its turn; the other child asks for its own afterwards, so that of two
            # calls neither waits for what the other has.
            await _readable(loop, theirs)
            yield theirs.fileno()
        except LabrigError:
            if carrying.done() and not carrying.cancelled():
                outcome = carrying.result()
                if outcome.kind != "ok":
                    raise refusal(outcome) or outcome_error(outcome, "Fetching") from None
            raise
        finally:
            carrying.cancel()
            with suppress(asyncio.CancelledError, LabrigError):
                await carrying


async def _readable(loop: asyncio.AbstractEventLoop, line: socket.socket) -> None:
    here = asyncio.Event()
    loop.add_reader(line, here.set)
    try:
        await here.wait()
    finally:
        loop.remove_reader(line)


def work(asked: Any) -> bytes:
    """Carry what is asked for over the socket that was handed over, until it ends."""

    async def main() -> None:
        ledger = Path(asked["ledger"]) if asked["ledger"] else None
        async with Client.configured(mode=asked["mode"], ledger=ledger) as client:
            with socket.socket(fileno=FIRST_FILE) as line:
                await carry(line, client, exact=asked["exact"], below=asked["below"])

    asyncio.run(main())
    return b""
