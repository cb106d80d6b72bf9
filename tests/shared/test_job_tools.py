"""The tools for long work, as any server offers them: look in on a job, cancel it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError
from labrig.progress import Progress
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig.tools import jobs

DONE = Answer(source="clock", values=(Quantity("age", 3.5, "s"),), text="rang", data={"rows": [[1, None]]})
BROKEN = Answer(source="clock", status="late", failed=True)


def _toolbox(**options: Any) -> Toolbox:
    box = Toolbox("clock", "A clock", "Start with start_alarm.", **options)

    @box.tool(title="Start an alarm", read_only=False, idempotent=False)
    async def start_alarm(how: str) -> Answer:
        """Start an alarm that rings, fails or goes on."""

        async def work(progress: Progress) -> Answer:
            if how == "fails":
                raise LabrigError("The spring broke", where="alarm", code="engine")
            if how == "goes on":
                await asyncio.sleep(1000)
            return BROKEN if how == "rings wrong" else DONE

        return Answer(
            source="clock", data={"job": session().jobs.start("alarm", work, owner=session().owner)}
        )

    jobs.offer(box, started_by="start_alarm")
    return box


@pytest.fixture
async def clock(tmp_path: Path) -> AsyncIterator[Client[Any]]:
    async with Client(build(_toolbox(), ServeOptions(workspace=tmp_path / "w"))) as client:
        yield client


async def _started(clock: Client[Any], how: str) -> str:
    result = await clock.call_tool_mcp("start_alarm", {"how": how})
    job: str = result.structured_content["data"]["job"]
    return job


async def test_descriptions_name_what_starts_jobs(clock: Client[Any]) -> None:
    tools = {tool.name: tool for tool in await clock.list_tools()}
    assert list(tools) == ["start_alarm", "get_job", "cancel_job"]
    assert tools["get_job"].description == (
        "Look at a job that start_alarm started; when it is done, its result is in the answer."
    )
    assert tools["cancel_job"].description == (
        "Stop a job that start_alarm started. A job that has ended stays as it is."
    )
    assert (
        tools["get_job"].annotations.read_only_hint,
        tools["cancel_job"].annotations.destructive_hint,
    ) == (
        True,
        True,
    )


async def test_a_job_that_is_done_gives_its_own_answer(clock: Client[Any]) -> None:
    job = await _started(clock, "rings")
    done = await clock.call_tool_mcp("get_job", {"job": job, "wait_s": 45})
    assert done.structured_content == DONE.to_dict() and not done.is_error
    broken = await clock.call_tool_mcp("get_job", {"job": await _started(clock, "rings wrong"), "wait_s": 45})
    assert broken.structured_content == {"status": "late", "source": "clock"} and broken.is_error
    again = await clock.call_tool_mcp("cancel_job", {"job": job})
    assert again.structured_content == done.structured_content, "what has ended stays as it is"


async def test_a_job_that_goes_on_is_seen_and_cancelled(clock: Client[Any]) -> None:
    job = await _started(clock, "goes on")
    await asyncio.sleep(0.05)
    seen = (await clock.call_tool_mcp("get_job", {"job": job})).structured_content
    hint = f"get_job(job={job!r}, wait_s=45)"
    assert seen == {"status": "running", "data": {"job": job}, "source": "labrig clock", "next": hint}
    ended = await clock.call_tool_mcp("cancel_job", {"job": job})
    assert ended.structured_content == {"status": "cancelled", "data": {"job": job}, "source": "labrig clock"}
    assert not ended.is_error


async def test_what_a_job_refused_and_jobs_that_are_none_are_refusals(clock: Client[Any]) -> None:
    job = await _started(clock, "fails")
    for tool, arguments, code in (
        ("get_job", {"job": job, "wait_s": 45}, "engine"),
        ("cancel_job", {"job": job}, "engine"),
        ("get_job", {"job": "nothing"}, "not_found"),
        ("cancel_job", {"job": "nothing"}, "not_found"),
        ("get_job", {"job": job, "wait_s": 46}, "bad_input"),
    ):
        refused = await clock.call_tool_mcp(tool, arguments)
        assert refused.is_error and refused.meta["labrig"]["error"]["code"] == code, (tool, arguments)


async def test_slots_and_places_are_the_toolboxs(tmp_path: Path) -> None:
    """Ten jobs of one caller are taken where there is room for ten; the eleventh is told that it is busy."""
    box = _toolbox(job_slots=3, job_places=7)
    async with Client(build(box, ServeOptions(workspace=tmp_path / "w"))) as client:
        for _ in range(10):
            assert not (await client.call_tool("start_alarm", {"how": "goes on"})).is_error
        refused = await client.call_tool("start_alarm", {"how": "rings"}, raise_on_error=False)
        assert refused.is_error and "10 of your jobs run or wait" in str(refused.content)
        states = [
            (await client.call_tool("get_job", {"job": f"alarm-{number}"})).structured_content["status"]
            for number in range(1, 11)
        ]
        assert states == ["running"] * 3 + ["queued"] * 7
        for number in range(1, 11):
            await client.call_tool("cancel_job", {"job": f"alarm-{number}"})
        assert not (await client.call_tool("start_alarm", {"how": "rings"})).is_error
