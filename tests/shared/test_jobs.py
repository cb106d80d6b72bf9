"""Jobs: queued, run, watched, cancelled and forgotten, and each seen by its owner only."""

import asyncio
import logging
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.jobs import Jobs, JobState
from labrig.progress import Progress


async def until(jobs: Jobs, job_id: str, state: str, owner: str = "ann") -> JobState:
    for _ in range(6000):
        seen = await jobs.get(job_id, owner=owner)
        if seen.state == state:
            return seen
        await asyncio.sleep(0.01)
    raise AssertionError(f"never {state}: {seen}")


async def test_a_job_runs_reports_and_returns() -> None:
    jobs, go = Jobs(), asyncio.Event()

    async def work(progress: Progress) -> dict[str, Any]:
        progress(0.25, "cell 1 of 4")
        await go.wait()
        progress(7)
        return {"pH": 7.0}

    job_id = jobs.start("transport", work, owner="ann")
    seen = await until(jobs, job_id, "running")
    assert (seen.progress, seen.message, seen.result, seen.finished) == (0.25, "cell 1 of 4", None, False)
    assert (await jobs.get(job_id, wait_s=0.05, owner="ann")).state == "running"
    go.set()
    done = await jobs.get(job_id, wait_s=45, owner="ann")
    assert (done.state, done.result, done.error, done.progress) == ("done", {"pH": 7.0}, None, 1.0)
    assert done.meta["elapsed_s"] >= 0.05
    assert await jobs.get(job_id, owner="ann") == done, "the clock of a finished job stands still"
    assert (await jobs.cancel(job_id, owner="ann")).state == "done"


async def test_failures_are_told_or_masked(caplog: pytest.LogCaptureFixture) -> None:
    jobs = Jobs()

    async def refused(_: Progress) -> dict[str, Any]:
        raise LabrigError("No convergence", where="SOLUTION 1", code="engine")

    async def broken(_: Progress) -> dict[str, Any]:
        raise RuntimeError("password=hunter2")

    told = await jobs.get(jobs.start("run", refused, owner="ann"), wait_s=45, owner="ann")
    assert told.state == "failed"
    assert told.error == {"code": "engine", "what": "No convergence", "where": "SOLUTION 1"}
    with caplog.at_level(logging.ERROR):
        masked = await jobs.get(jobs.start("run", broken, owner="ann"), wait_s=45, owner="ann")
    assert masked.error is not None and masked.error["code"] == "internal"
    assert "hunter2" not in repr(masked) and "hunter2" in caplog.text


async def test_order_queue_and_busy() -> None:
    jobs, go, order = Jobs(max_running=1, max_queued=2), asyncio.Event(), []

    def make(name: str) -> Any:
        async def work(_: Progress) -> dict[str, Any]:
            order.append(name)
            await go.wait()
            return {}

        return work

    ids = [jobs.start("run", make(name), owner="ann") for name in "abc"]
    with pytest.raises(LabrigError) as caught:
        jobs.start("run", make("d"), owner="ann")
    assert caught.value.code == "busy"
    await until(jobs, ids[0], "running")
    assert [each.state for each in jobs.list(owner="ann")] == ["running", "queued", "queued"]
    assert (await jobs.cancel(ids[1], owner="ann")).state == "cancelled"
    ids.append(jobs.start("run", make("d"), owner="ann"))
    go.set()
    for job_id in ids:
        await jobs.get(job_id, wait_s=45, owner="ann")
    assert order == ["a", "c", "d"]
    assert [each.job_id for each in jobs.list(owner="ann")] == ids


async def test_a_job_that_has_just_ended_is_done() -> None:
    """Between a task's end and its callback lies a turn of the event loop, in which a caller may look."""
    jobs = Jobs()

    async def at_once(progress: Any) -> dict[str, Any]:
        return {"n": 1}

    for turns in range(8):
        job_id = jobs.start("run", at_once, owner="ann")
        for _ in range(turns):
            await asyncio.sleep(0)
        assert (await jobs.get(job_id, wait_s=45, owner="ann")).result == {"n": 1}, turns


async def test_another_owner_sees_nothing() -> None:
    jobs = Jobs()
    job_id = jobs.start("run", lambda _: asyncio.sleep(100, {}), owner="ann")
    assert jobs.list(owner="bob") == ()
    for call in (jobs.get, jobs.cancel):
        messages = set()
        for unknown, owner in ((job_id, "bob"), ("run-99", "ann")):
            with pytest.raises(LabrigError) as caught:
                await call(unknown, owner=owner)
            assert caught.value.code == "not_found"
            messages.add((caught.value.what, caught.value.expected))
        assert len(messages) == 1, "an error must not tell whether the id exists"
    with pytest.raises(LabrigError, match="wait_s"):
        await jobs.get(job_id, wait_s=46, owner="ann")
    assert jobs.start("run", lambda _: asyncio.sleep(100, {}), owner="bob") == job_id, "ids count by owner"
    assert (await jobs.cancel(job_id, owner="bob")).state == "cancelled"
    assert (await jobs.get(job_id, owner="ann")).state == "running"
    with pytest.raises(LabrigError, match="your jobs") as caught:
        for _ in range(19):
            jobs.start("run", lambda _: asyncio.sleep(100, {}), owner="ann")
    assert len(jobs.list(owner="ann")) == 18
    assert caught.value.code == "busy"
    assert jobs.start("run", lambda _: asyncio.sleep(0, {}), owner="bob"), "one owner cannot shut others out"
    await jobs.close()


async def test_a_waiter_that_gives_up_leaves_the_job_alone_and_close_ends_all() -> None:
    jobs, cleaned = Jobs(max_running=1), asyncio.Event()

    async def work(_: Progress) -> dict[str, Any]:
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(0.05)
            cleaned.set()
        return {}

    running, queued = (jobs.start("run", work, owner="ann") for _ in range(2))
    await until(jobs, running, "running")
    waiter = asyncio.create_task(jobs.get(running, wait_s=45, owner="ann"))
    await asyncio.sleep(0.05)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    assert (await jobs.get(running, owner="ann")).state == "running"
    await jobs.close()
    assert cleaned.is_set()
    assert [(await jobs.get(each, owner="ann")).state for each in (running, queued)] == ["cancelled"] * 2
    with pytest.raises(LabrigError, match="shutting down"):
        jobs.start("run", work, owner="ann")


async def test_the_oldest_finished_jobs_are_forgotten() -> None:
    jobs = Jobs(kept=3)
    ids = []
    for number in range(5):
        ids.append(jobs.start("run", lambda _, n=number: asyncio.sleep(0, {"n": n}), owner="ann"))  # type: ignore[misc]
        await jobs.get(ids[-1], wait_s=45, owner="ann")
    assert [each.result for each in jobs.list(owner="ann")] == [{"n": 2}, {"n": 3}, {"n": 4}]
    with pytest.raises(LabrigError):
        await jobs.get(ids[0], owner="ann")


async def test_what_was_accepted_waits_however_many_others_run() -> None:
    """Owners can use all their slots four at a time; of a fifth one job runs, the others wait, and none fails."""
    jobs, go = Jobs(max_running=2, max_queued=3), asyncio.Event()

    async def work(_: Progress) -> str:
        await go.wait()
        return "done"

    for owner in "abcd":
        for _ in range(2):
            jobs.start("run", work, owner=owner)
    late = [jobs.start("run", work, owner="e") for _ in range(5)]
    await asyncio.sleep(0.01)
    assert sorted(job.state for job in jobs.list(owner="e")) == ["queued"] * 4 + ["running"]
    go.set()
    assert [(await jobs.get(job, 10, owner="e")).state for job in late] == ["done"] * 5
    await jobs.close()
