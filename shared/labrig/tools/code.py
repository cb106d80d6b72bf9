"""What `run_python_code` of every server shares: its limits, and how a run becomes its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Pictures
from labrig.sandbox import Limits, Result, Sandbox
from labrig.sandbox.answers import answer, pictured
from labrig.threads import in_thread
from labrig.toolbox import session

CALL_LIMITS = Limits(wall_s=50, cpu_s=50)
"""A call ends before the 60 s after which most clients stop waiting."""
MOST_FILES = 32

SeedArgument = Annotated[
    int, Field(ge=0, le=2**32, description="The same seed gives the same random numbers.")
]


async def answered(
    sandbox: Sandbox, result: Result, code: str, hashes: Mapping[str, str]
) -> Answer | Pictures:
    """Return what a run gave as an answer, with its pictures.

    Keeping a hundred files takes a while, so it is done in a thread, and others are answered meanwhile.
    """
    artifacts = session().artifacts
    packages = ", ".join(f"{name} {version}" for name, version in list(sandbox.imported.items())[:3])

    def answers() -> Answer | Pictures:
        source = f"Python with {packages}"
        found = answer(result, code=code, artifacts=artifacts, source=source, inputs=dict(hashes))
        return pictured(found, result)

    return await in_thread(answers)
