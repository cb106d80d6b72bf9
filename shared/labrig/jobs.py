"""Long work with an id: start it, look in on it, cancel it.

    jobs = Jobs(max_running=2)
    job_id = jobs.start("transport", lambda progress: simulate(model, progress), owner=workspace_key)
    state = await jobs.get(job_id, wait_s=30, owner=workspace_key)

Jobs live in the event loop of the process and end with it. Whoever holds the owner's key sees the owner's
jobs; to anybody else a job id is unknown.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from labrig.artifacts import holding
from labrig.errors import LabrigError
from labrig.progress import Progress
from labrig.turns import Turns

log = logging.getLogger(__name__)

State = Literal["queued", "running", "done", "failed", "cancelled"]
MAX_WAIT_S = 45.0  # clients give up on a call after about a minute
CANCEL_WAIT_S = 10.0
KEPT = 200


Make = Callable[[Progress], Awaitable[Any]]


@dataclass(frozen=True)
class JobState:
    """What is known of a job at one moment.

    Attributes
    ----------
    job_id, kind
        Its handle, and the name its maker gave to this sort of work.
    state
        "queued", "running", "done" (then `result` is set), "failed" (then `error` is) or "cancelled".
    progress, message
        Fraction done (0 to 1, or None if unknown) and the last line for people.
    result
        What the maker returned.
    error
        `LabrigError.to_dict` of what it raised.
    meta
        ``elapsed_s``: seconds since the start was asked for, up to the end.
    """

    job_id: str
    kind: str
    state: State
    progress: float | None
    message: str
    result: Any
    error: dict[str, str] | None
    meta: dict[str, float]

    @property
    def finished(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


@dataclass
class _Job:
    job_id: str
    kind: str
    owner: str
    make: Make | None  # forgotten at the end, with all it refers to
    task: asyncio.Task[Any] | None = None
    state: State = "queued"
    progress: Progress = field(default_factory=Progress)
    result: Any = None
    error: dict[str, str] | None = None
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None

    def seen(self) -> JobState:
        elapsed = (time.monotonic() if self.ended is None else self.ended) - self.started
        return JobState(
            job_id=self.job_id,
            kind=self.kind,
            state=self.state,
            progress=1.0 if self.state == "done" else self.progress.fraction,
            message=self.progress.message,
            result=self.result,
            error=self.error,
            meta={"elapsed_s": round(elapsed, 3)},
        )


class Jobs:
    """A few jobs at a time for each owner, a short queue, and the results for a while.

    Parameters
    ----------
    max_running
        Jobs of one owner that run at once; see `labrig.turns`.
    max_queued
        Jobs of one owner that may wait; one more is refused as "busy".
    kept
        Finished jobs that are remembered, over all owners; the one that ended first is dropped first.
    """

    def __init__(self, max_running: int = 2, max_queued: int = 16, kept: int = KEPT) -> None:
        self._most = max_running + max_queued
        # Where many owners run, none of an owner's jobs may: a place for each that `start` accepts.
        self._turns = Turns("The server", max_running, places=self._most)
        self._kept = kept
        self._active: dict[tuple[str, str], _Job] = {}
        self._finished: dict[tuple[str, str], _Job] = {}
        self._started: dict[str, int] = {}
        self._closed = False

    def start(self, kind: str, make: Make, *, owner: str) -> str:
        """Begin `make`, or queue it, and return the job id.

        Raises
        ------
        LabrigError
            "busy" if the queue is full, "unavailable" after `close`.
        """
        if self._closed:
            raise LabrigError("The server is shutting down", code="unavailable")
        theirs = sum(job.owner == owner for job in self._active.values())
        if theirs >= self._most:
            raise LabrigError(
                f"{theirs} of your jobs run or wait",
                where=kind,
                try_="wait for one of them, or cancel one",
                code="busy",
            )
        self._started[owner] = self._started.get(owner, 0) + 1
        job = _Job(f"{kind}-{self._started[owner]}", kind, owner, make)
        job.progress.job_id = job.job_id
        self._active[owner, job.job_id] = job
        job.task = asyncio.get_running_loop().create_task(self._work(job), name=f"job {kind} {job.job_id}")
        job.task.add_done_callback(lambda task: self._settle(job, task))
        return job.job_id

    async def get(
        self, job_id: str, wait_s: float = 0.0, *, owner: str, shown: Progress | None = None
    ) -> JobState:
        """Return the state of a job, waiting up to `wait_s` (0 to 45 s) for its end.

        Parameters
        ----------
        shown
            Shows how far the job is while somebody waits.

        Raises
        ------
        LabrigError
            "not_found" for an id that is unknown, forgotten or another owner's; "bad_input" for the wait.
        """
        if not 0 <= wait_s <= MAX_WAIT_S:
            raise LabrigError(
                f"Cannot wait for {wait_s} s", where="wait_s", expected=f"0 to {MAX_WAIT_S:g} seconds"
            )
        job = self._find(job_id, owner)
        if shown is not None and job.task is not None:
            shown.follow(job.progress)
        await self._wait(job, wait_s)
        return job.seen()

    async def cancel(self, job_id: str, *, owner: str) -> JobState:
        """End a job and return its state; a finished job stays as it is.

        It is "cancelled" once its clean-up has ended. If that takes more than 10 s the state still says
        "running", and changes later.
        """
        job = self._find(job_id, owner)
        if job.task is not None and not job.task.done():
            job.task.cancel()
            await self._wait(job, CANCEL_WAIT_S)
        return job.seen()

    def list(self, *, owner: str) -> tuple[JobState, ...]:
        """Return the owner's jobs in the order they were started."""
        jobs = [job for job in (*self._finished.values(), *self._active.values()) if job.owner == owner]
        return tuple(job.seen() for job in sorted(jobs, key=lambda job: job.started))

    async def close(self) -> None:
        """Cancel every job, wait for their ends, and accept no more."""
        self._closed = True
        tasks = [job.task for job in self._active.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _find(self, job_id: str, owner: str) -> _Job:
        job = self._active.get((owner, job_id)) or self._finished.get((owner, job_id))
        if job is None:
            raise LabrigError(
                "There is no such job",
                where=job_id[:64],
                expected="the id that a start_ tool returned; the oldest finished jobs are forgotten",
                code="not_found",
            )
        return job

    async def _wait(self, job: _Job, seconds: float) -> None:
        """Wait for the end of a job, which being cancelled ourselves does not touch."""
        if job.task is not None and not job.task.done() and seconds > 0:
            await asyncio.wait({job.task}, timeout=seconds)
        if job.task is not None and job.task.done():
            await asyncio.sleep(0)  # a task that has just ended is settled in the loop's next turn

    async def _work(self, job: _Job) -> Any:
        async with self._turns.turn(job.owner):
            job.state = "running"
            assert job.make is not None
            with holding():  # what it makes stays until it ends
                return await job.make(job.progress)

    def _settle(self, job: _Job, task: asyncio.Task[Any]) -> None:
        """Note how a job ended; a cancelled task may never have begun, so this is not part of the task."""
        job.ended = time.monotonic()
        job.make = job.task = None
        if task.cancelled():
            job.state = "cancelled"
        elif (error := task.exception()) is None:
            job.state, job.result = "done", task.result()
        else:
            job.state, job.error = "failed", self._explain(job, error).to_dict()
        del self._active[job.owner, job.job_id]
        self._finished[job.owner, job.job_id] = job
        while len(self._finished) > self._kept:
            del self._finished[next(iter(self._finished))]

    @staticmethod
    def _explain(job: _Job, error: BaseException) -> LabrigError:
        """Return a refusal as it is, and anything else masked: its text may hold paths or secrets."""
        if isinstance(error, LabrigError):
            return error
        log.error("job %s (%s) failed", job.job_id, job.kind, exc_info=error)
        return LabrigError(
            "The job failed by a defect of Labrig",
            where=job.job_id,
            try_="`labrig doctor` names the log that has the details",
            code="internal",
        )
