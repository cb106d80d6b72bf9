"""Python code of an agent, on files of the workspace and on results by their handles; in toolset ``code``."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Pictures
from labrig.sandbox import Limits
from labrig.sandbox.answers import answer, pictured
from labrig.toolbox import session
from labrig.tools.sources import input_names, opened_source
from labrig_earth.server.base import state, toolbox

CALL_LIMITS = Limits(wall_s=50, cpu_s=50)
"""A call ends before the 60 s after which most clients stop waiting."""

MOST_FILES = 32


@toolbox.tool(title="Run Python code", read_only=False, picture=True, toolsets=("code",))
async def run_python_code(
    code: Annotated[str, Field(description="Python source.")],
    files: Annotated[
        list[str],
        Field(
            max_length=MOST_FILES,
            description="Files of the workspace or roots, and handles, which the code opens as inputs/NAME.",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    seed: Annotated[
        int, Field(ge=0, le=2**32, description="The same seed gives the same random numbers.")
    ] = 0,
) -> Answer | Pictures:
    """Run Python (xarray, netCDF4, rasterio, shapely, pyproj, pandas, matplotlib) in a sandbox: 50 s, no network.

    Each run starts afresh. Figures and files that the code leaves are artifacts, whose handles every tool takes as
    data; up to 4 pictures are shown.
    """
    here = session()
    sandbox = state().sandbox
    with ExitStack() as held:
        sources = await asyncio.to_thread(
            lambda: [held.enter_context(opened_source(each, kind="any")) for each in dict.fromkeys(files)]
        )
        named = dict(list(input_names(sources).items())[:MOST_FILES])
        result = await sandbox.run(
            code,
            inputs={name: source.place for name, source in named.items()},
            limits=CALL_LIMITS,
            owner=here.owner,
            seed=seed,
        )
    hashes = {name: source.sha256 for name, source in named.items() if source.sha256}
    packages = ", ".join(f"{name} {version}" for name, version in list(sandbox.imported.items())[:3])

    def answers() -> Answer | Pictures:
        source = f"Python with {packages}"
        answered = answer(result, code=code, artifacts=here.artifacts, source=source, inputs=hashes)
        return pictured(answered, result)

    return await asyncio.to_thread(answers)
