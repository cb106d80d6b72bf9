"""The door of an HTTP server: one caller's many requests come in one after the other while another caller is there."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any

import pytest

from labrig.serving.door import Door, come_in


class Behind:
    """What is behind the door: it notes who has come in, and says so, answers or waits when it is told to."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.go: dict[str, asyncio.Event] = {}
        self.come_in = True

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        self.read.append(scope["path"])
        await self.go.setdefault(scope["path"], asyncio.Event()).wait()
        if self.come_in:
            await come_in(scope)
        else:
            await send({"type": "http.response.body", "body": b"{"})
        await self.go.setdefault(f"{scope['path']} ends", asyncio.Event()).wait()


def request(door: Door, who: str, path: str, body: asyncio.Event | None = None) -> asyncio.Task[None]:
    async def receive() -> dict[str, Any]:
        if body:
            await body.wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(part: Any) -> None:
        pass

    user = SimpleNamespace(access_token=SimpleNamespace(client_id=who)) if who else SimpleNamespace()
    scope = {"type": "http", "method": "POST", "path": path, "user": user}
    return asyncio.create_task(door(scope, receive, send))


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def ended(tasks: list[asyncio.Task[None]]) -> Any:
    try:
        yield
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("come_in", [True, False], ids=["the call has its turn", "the answer begins"])
async def test_a_crowd_of_one_caller_comes_in_one_after_the_other(come_in: bool) -> None:
    behind = Behind()
    behind.come_in = come_in
    door = Door(behind)
    tasks = [request(door, "ann", "ann")]
    async with ended(tasks):
        await settle()
        tasks += [request(door, "bob", f"bob {n}") for n in range(48)]
        await settle()
        assert behind.read == ["ann", "bob 0"]
        behind.go["ann"].set()
        await settle()
        tasks.append(request(door, "ann", "ann again"))
        await settle()
        assert behind.read == ["ann", "bob 0", "ann again"], "no request of Bob comes before hers"
        behind.go["bob 0"].set()
        await settle()
        assert behind.read == ["ann", "bob 0", "ann again", "bob 1"], "his next, while his first one works"


async def test_who_is_alone_or_has_no_token_waits_for_nobody() -> None:
    behind = Behind()
    door = Door(behind)
    tasks = [request(door, "bob", f"{n}") for n in range(48)]
    async with ended(tasks):
        await settle()
        assert len(behind.read) == 48
        tasks += [request(door, "", "stranger"), request(door, "", "stranger")]
        await settle()
        assert behind.read[48:] == ["stranger"] * 2  # refused behind the door, each after a wait


async def test_a_request_whose_body_does_not_come_holds_up_none_of_its_caller() -> None:
    behind, never = Behind(), asyncio.Event()
    door = Door(behind)
    tasks = [request(door, "ann", "ann"), request(door, "bob", "slow", never), request(door, "bob", "quick")]
    async with ended(tasks):
        await settle()
        assert behind.read == ["ann", "quick"]


async def test_a_request_that_ends_without_a_word_gives_its_place_back() -> None:
    behind = Behind()
    door = Door(behind)
    tasks = [request(door, "ann", "ann"), request(door, "bob", "bob 0"), request(door, "bob", "bob 1")]
    async with ended(tasks):
        await settle()
        assert behind.read == ["ann", "bob 0"]
        tasks[1].cancel()
        await settle()
        assert behind.read == ["ann", "bob 0", "bob 1"]
