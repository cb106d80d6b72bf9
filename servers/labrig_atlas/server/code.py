"""Python code of an agent, behind the sandbox's walls."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Pictures
from labrig.toolbox import session
from labrig.tools.code import CALL_LIMITS, MOST_FILES, SeedArgument, answered
from labrig.tools.sources import input_names, names_artifact, opened_source
from labrig_atlas.server.base import state, toolbox


@toolbox.tool(
    title="Run Python code",
    read_only=False,
    picture=True,
    words="arithmetic, calculator, minus, times, plus, divided, per cent, percentage, change, compound interest, "
    "average, calculate, compute, unit conversion, days between two dates",
)
async def run_python_code(
    code: Annotated[str, Field(description="Python source.")],
    files: Annotated[
        list[str],
        Field(
            max_length=MOST_FILES,
            description="Files of the workspace and handles of artifacts, which the code can open as inputs/NAME.",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    seed: SeedArgument = 0,
) -> Answer | Pictures:
    """Run Python (numpy, pandas, SciPy, matplotlib) in a sandbox: 50 s, 512 MB, no network.

    Each run starts afresh. What the code prints comes back; files and figures that it leaves are artifacts.

    Calculate in Python what is not to be done in the head: per cent of a number, minus, times, over; compound
    interest over years; unit conversions (mg/L to mmol/L, nitrate as N, hardness in °dH).

    Example: {"code": "print(6 * 7)"}
    """
    sandbox = state().sandbox
    with ExitStack() as held:
        kept = [
            held.enter_context(opened_source(each, kind="any" if names_artifact(each) else "file"))
            for each in dict.fromkeys(files)
        ]
        named = input_names(kept, {})
        inputs: dict[str, Path] = {name: source.place for name, source in named.items()}
        hashes = {name: source.sha256 for name, source in named.items() if source.sha256}
        result = await sandbox.run(code, inputs=inputs, limits=CALL_LIMITS, owner=session().owner, seed=seed)
    return await answered(sandbox, result, code, hashes)
