"""Two tools for long work, which any server may offer beside those that start it: look in on a job, cancel it.

A job is a function that returns an `Answer`: ``session().jobs.start("transport", work, owner=session().owner)``.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer
from labrig.errors import LabrigError
from labrig.jobs import JobState
from labrig.toolbox import DEFAULT_TOOLSET, Toolbox, session

JobArgument = Annotated[str, Field(description="Job id.")]


def offer(
    toolbox: Toolbox,
    *,
    started_by: str,
    toolsets: tuple[str, ...] = (DEFAULT_TOOLSET,),
    cancel_in: tuple[str, ...] = (),
) -> None:
    """Add `get_job` and `cancel_job` to a toolbox.

    Parameters
    ----------
    started_by
        The tools that start jobs, for the descriptions: ``start_transport``.
    cancel_in
        Toolsets of `cancel_job`, where they are others than those of `get_job`.
    """
    source = f"labrig {toolbox.name}"

    @toolbox.tool(
        title="Get a job",
        read_only=True,
        toolsets=toolsets,
        description=f"Look at a job that {started_by} started; when it is done, its result is in the answer.",
        waits=True,
    )
    async def get_job(
        job: JobArgument,
        wait_s: Annotated[float, Field(ge=0, le=45, description="Most seconds to wait for the end.")] = 0.0,
    ) -> Answer:
        here = session()
        return told(await here.jobs.get(job, wait_s, owner=here.owner, shown=here.progress), source)

    @toolbox.tool(
        title="Cancel a job",
        read_only=False,
        destructive=True,
        toolsets=cancel_in or toolsets,
        description=f"Stop a job that {started_by} started. A job that has ended stays as it is.",
    )
    async def cancel_job(job: JobArgument) -> Answer:
        return told(await session().jobs.cancel(job, owner=session().owner), source)


def _how_far(state: JobState) -> dict[str, Any]:
    """Return the fraction that is done, and what is being done, where its maker said so."""
    fraction = {} if state.progress is None else {"progress": round(state.progress, 3)}
    return fraction | ({"message": state.message} if state.message else {})


def told(state: JobState, source: str) -> Answer:
    """Return what is known of a job: its result when it is done, else how far it is and how to look again."""
    if state.error is not None:
        raise LabrigError.from_dict(state.error)
    if state.state == "done":
        answer: Answer = state.result
        return answer
    return Answer(
        source=source,
        status=state.state,
        data={"job": state.job_id} | ({} if state.finished else _how_far(state)),
        next="" if state.finished else f"get_job(job={state.job_id!r}, wait_s=45)",
    )
