"""Python code of an agent, behind the sandbox's walls."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Pictures
from labrig.sandbox import Limits
from labrig.sandbox.answers import answer, pictured
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.sources import input_names, names_artifact, opened_source
from labrig_atlas.server.base import state, toolbox

CALL_LIMITS = Limits(wall_s=50, cpu_s=50)
"""A call ends before the 60 s after which most clients stop waiting."""
MOST_FILES = 32


@toolbox.tool(title="Run Python code", read_only=False, picture=True)
async def run_python_code(
    code: Annotated[str, Field(description="Python source.")],
    files: Annotated[
        list[str],
        Field(
            max_length=MOST_FILES,
            description="Files of the workspace and handles of artifacts, which the code can open as inputs/NAME.",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    seed: Annotated[
        int, Field(ge=0, le=2**32, description="The same seed gives the same random numbers.")
    ] = 0,
) -> Answer | Pictures:
    """Run Python (numpy, pandas, SciPy, matplotlib) in a sandbox: 50 s, 512 MB, no network.

    Each run starts afresh. What the code prints comes back; files and figures that it leaves are artifacts.
    """
    here = session()
    with ExitStack() as held:
        kept = [
            held.enter_context(opened_source(each, kind="any" if names_artifact(each) else "file"))
            for each in dict.fromkeys(files)
        ]
        named = input_names(kept, {})
        inputs: dict[str, Path] = {name: source.place for name, source in named.items()}
        hashes = {name: source.sha256 for name, source in named.items() if source.sha256}
        result = await state().sandbox.run(
            code, inputs=inputs, limits=CALL_LIMITS, owner=here.owner, seed=seed
        )
    packages = ", ".join(f"{name} {version}" for name, version in list(state().sandbox.imported.items())[:3])

    def answers() -> Answer | Pictures:
        answered = answer(
            result, code=code, artifacts=here.artifacts, source=f"Python with {packages}", inputs=hashes
        )
        return pictured(answered, result)

    return await in_thread(answers)  # keeping a hundred files takes a while, in which others are answered
