"""The two published tools for Python: code runs in the sandbox, and a configured model writes it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig.sandbox import Limits
from labrig.toolbox import session
from labrig_atlas.published.writing import python_generate_code as generated
from labrig_atlas.server.base import MODEL, atlas, state, toolbox
from labrig_atlas.server.paper import OPTIONAL, PAPER, as_json

MOST_S = 50.0
"""A call ends before the 60 s after which most clients stop waiting."""
USUAL_S = 30.0
"""Of the published command-line tool."""
OUTPUT_BYTES = 40_000
"""That are kept of stdout, and of stderr."""


@toolbox.tool(title="Run Python code", read_only=True, faithful=True, toolsets=PAPER)
async def python_execute_code(
    code: Annotated[str, Field(description="Python source.")],
    timeout_seconds: Annotated[
        float, OPTIONAL, Field(ge=0.1, description="At most 50 s are given.")
    ] = USUAL_S,
) -> Published:
    """Run Python code and return stdout, stderr and exit_code. It runs in a sandbox, without a network."""
    here = session()
    wall_s = min(timeout_seconds, MOST_S)
    result = await state().sandbox.run(
        code,
        limits=Limits(wall_s=wall_s, cpu_s=max(1.0, wall_s), output_bytes=OUTPUT_BYTES),
        owner=here.owner,
    )
    said = {
        "stdout": result.output,
        "stderr": result.error + (f"\n{result.detail}" if result.detail and result.status != "error" else ""),
        "exit_code": 0 if result.status == "ok" else result.exit_code or 1,
    }
    return Published(as_json(said), record={"ended": result.status, "backend": result.backend})


@toolbox.tool(title="Generate Python code", read_only=True, faithful=True, toolsets=PAPER, open_world=True)
async def python_generate_code(
    description: Annotated[str, Field(description="What the code is to do.")],
    model: Annotated[str, OPTIONAL, Field(description="Another model of the configured service.")] = "",
    extra_instructions: Annotated[str, OPTIONAL] = "",
) -> Published:
    """Have a model write Python code. The operator must have configured one (atlas.model and its key)."""
    configured = str(session().setting(MODEL.name))
    result, record = await generated(atlas().client, configured, description, model, extra_instructions)
    return Published(as_json(result), record=record)
