"""How far a call is: noted from any thread, told to a client that asks, each notice further on than the one before."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from fastmcp import Client

from labrig.answer import Answer
from labrig.progress import Progress
from labrig.serving import telling
from labrig.serving.builder import build
from labrig.toolbox import Toolbox, session
from labrig.tools import jobs

Notice = tuple[float, float | None, str | None]
notices = threading.Semaphore(0)
"""How many the client has got that nobody has waited for."""
heard: Callable[[], object] = notices.acquire
toolbox = Toolbox("toy", "A toy", "Play.", job_slots=1)
jobs.offer(toolbox, started_by="start_work")


@toolbox.tool(title="Count", read_only=True)
async def count(known: bool) -> Answer:
    """Count from a thread, with or without knowing how far."""
    progress = session().progress

    def work() -> None:
        for number in range(4):
            progress((0.5 if number == 3 else number / 4) if known else None, f"step {number}")
            heard()

    await asyncio.to_thread(work)
    return Answer(source="toy")


@toolbox.tool(title="Start", read_only=True)
async def start_work() -> Answer:
    """Start a job that says how far it is."""

    async def work(progress: Progress) -> Answer:
        for number in range(5):
            progress(number / 5, f"day {number}")
            await asyncio.to_thread(heard)
        return Answer(source="toy")

    return Answer(source="toy", data={"job": session().jobs.start("work", work, owner=session().owner)})


async def noticed(*calls: tuple[str, dict[str, object]]) -> list[Notice]:
    seen: list[Notice] = []

    async def notice(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))
        notices.release()

    async with Client(build(toolbox)) as client:
        for tool, arguments in calls:
            result = await client.call_tool_mcp(tool, arguments, progress_handler=notice)
            assert not result.is_error, result.content
    return seen


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "EVERY_S", 0.01)


@pytest.mark.parametrize("known", [True, False])
async def test_notices_grow_and_say_what_is_known(known: bool) -> None:
    seen = await noticed(("count", {"known": known}))
    values = [progress for progress, _, _ in seen]
    assert len(seen) >= 3 and values == sorted(set(values)), "MCP: the value must increase with each notice"
    assert {total for _, total, _ in seen} == ({1.0} if known else {None})
    assert (seen[0][2] or "").startswith("step")


async def test_who_waits_for_a_job_is_told_how_far_it_is() -> None:
    seen = await noticed(("start_work", {}), ("get_job", {"job": "work-1", "wait_s": 5}))
    assert len(seen) >= 3 and seen[-1][2] == "day 4"


async def test_a_look_at_a_job_tells_how_far_it_is_and_a_finished_one_only_what_came_of_it() -> None:
    reached, go = asyncio.Event(), asyncio.Event()
    box = Toolbox("toy", "A toy", "Play.")
    jobs.offer(box, started_by="start_waiting")

    @box.tool(title="Start", read_only=True)
    async def start_waiting() -> Answer:
        """Start a job that waits."""

        async def work(progress: Progress) -> Answer:
            progress(0.40004, "two of five")
            reached.set()
            await go.wait()
            return Answer(source="toy")

        return Answer(source="toy", data={"job": session().jobs.start("work", work, owner=session().owner)})

    async with Client(build(box)) as client:
        await client.call_tool_mcp("start_waiting", {})
        await reached.wait()
        running = await client.call_tool_mcp("get_job", {"job": "work-1"})
        go.set()
        done = await client.call_tool_mcp("get_job", {"job": "work-1", "wait_s": 5})
    assert running.structured_content["data"] == {"job": "work-1", "progress": 0.4, "message": "two of five"}
    assert done.structured_content == {"status": "ok", "source": "toy"}


async def test_a_client_that_asks_for_nothing_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.heard", lambda: None)
    async with Client(build(toolbox)) as client:
        result = await client.call_tool_mcp("count", {"known": True})
    assert not result.is_error
