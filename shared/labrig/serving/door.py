"""The door of an HTTP server: requests of one caller come in a few at a time while another caller is there.

Before a call has its turn (`labrig.serving.face`) its request is read, checked and handed on, all in the event loop,
where each step waits for those of all other requests. So one caller's many connections would slow another's one in
proportion to their number. Here each caller has a queue of its own, and who has `AT_ONCE` inside waits outside, where
waiting costs no step of the loop. It comes in when its body is there, and has come in when its call asks for its turn
or its answer begins: what takes long is not inside, and the notice that takes a call back never waits for that call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from labrig.serving.gate import App, Scope
from labrig.turns import Turns

AT_ONCE, ALONE, MOST = 1, 64, 10_000
"""Requests of one caller that come in at a time while another's do, too; while none does; and that may wait."""
_ENTERING = "labrig.entering"
"""In the scope of a request: what ends its time in the door."""


class Door:
    """ASGI middleware, behind the one that looks at tokens, that lets callers in by turns."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._turns = Turns("The server", AT_ONCE, places=MOST, most=MOST, alone=ALONE)

    async def __call__(self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        """Pass a request on in its caller's turn; one without a right token is refused behind it, without one."""
        access = getattr(scope.get("user"), "access_token", None)
        if scope["type"] != "http" or scope.get("method") != "POST" or access is None:
            return await self._app(scope, receive, send)

        async def whole() -> Any:
            part = await receive()
            if part["type"] == "http.request" and not part.get("more_body"):
                await entering.enter_async_context(self._turns.turn(access.client_id))
            return part

        async def answer(part: Any) -> None:
            if part.get("body"):
                await entering.aclose()
            await send(part)

        async with contextlib.AsyncExitStack() as entering:
            await self._app({**scope, _ENTERING: entering}, whole, answer)


async def come_in(scope: Scope) -> None:
    """Say that a request has come in: the next one of its caller may."""
    if entering := scope.get(_ENTERING):
        await entering.aclose()
