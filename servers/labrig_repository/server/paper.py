"""The paper's five tools, with the results of the authors' released code (utahnlp/infinite-science-gym, 3440a14).

Each result is a JSON object with `status`: ``success``, or a sentence that says what was wrong, with the other fields
null. In the code that runs, the three readers return the same objects.

Where that code does what nobody can have meant, this departs from it. For listings see
`labrig_repository.folder.listing`. Reading:

- ``head=0`` and ``tail=0`` give nothing; there they gave the whole file.
- ``tail=5`` gives five lines of a file that ends with a line end; there it gave four and an empty one.
- Lines keep their line ends, as with the commands head and tail.
- Negative numbers are refused; there ``head=-1`` left out the last line.
- What is not text is refused as text; there an xlsx file came as Base64.
- read_binary_file gives Base64 for every file; there JSON came as it is, and a README failed.

Running: the last expression is evaluated once, there twice. The code is confined by `labrig.sandbox`, so it may import
what it likes, and has no network; there a list of modules was forbidden.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field, StrictInt, StrictStr

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.sandbox import Limits
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools import reading
from labrig_repository.folder import listing
from labrig_repository.folder.names import located, shown
from labrig_repository.server.base import State, named, toolbox

PAPER_LIMITS = Limits(wall_s=60, cpu_s=45, memory_bytes=512 << 20)
"""60 s and 512 MB: the paper, A.8. 45 s of processor time: the released code."""

CALL_PATHS, CODE_PATHS = 2_000, 200_000
"""Paths of one listing, in a conversation and in code."""

CALL_BYTES, CODE_BYTES = 1 << 20, 8 << 20
"""Bytes of one file, in a conversation and in code."""

_ENVIRONMENT = """
import json, platform
from importlib.metadata import distributions
print(json.dumps([platform.python_version(), sorted({f"{d.name}=={d.version}" for d in distributions()})]))
"""
ID = Annotated[StrictInt | StrictStr, Field(description="Id of the repository.")]


def paths_found(state: State, id: object, prefix: object, depth: object, most: int) -> dict[str, Any]:
    """Return ``{status, paths}``; a listing that is cut has ``truncated``, which the released code has not."""
    found = [shown(each.shown) for each in listing.list_directory(state.repository(id), prefix, depth)]
    result: dict[str, Any] = {"status": "success", "paths": found[:most]}
    if len(found) > most:
        result["truncated"] = (
            f"the first {most:,} of {len(found):,} paths; a longer prefix gives fewer, and in run_python_code "
            f"list_directory gives up to {CODE_PATHS:,}"
        )
    return result


def text(state: State, id: object, path: object, head: object, tail: object, most: int) -> dict[str, Any]:
    """Return ``{status, file_content}``."""
    repository = state.repository(id)
    found = reading.read_text_file(
        repository, located(repository, path), head=head, tail=tail, most_bytes=most, whole=True
    )
    return {"status": "success", "file_content": found.text}


def binary(state: State, id: object, path: object, most: int) -> dict[str, Any]:
    """Return ``{status, base64_file_content, mime_type}``."""
    repository = state.repository(id)
    content, media_type = reading.read_binary_file(repository, located(repository, path), most_bytes=most)
    return {"status": "success", "base64_file_content": content, "mime_type": media_type}


async def _said(act: Callable[..., dict[str, Any]], *args: Any, **empty: None) -> dict[str, Any]:
    """Return what a reader returns, or its refusal as a status beside empty fields."""
    try:
        return await in_thread(act, *args)
    except LabrigError as error:
        return {"status": str(error), **empty}


def functions(state: State) -> dict[str, Callable[..., Any]]:
    """Return the readers as the code finds them: the signatures of the tools, results as dictionaries."""

    async def list_directory(id: Any, prefix: Any = "/*", depth: Any = 1) -> dict[str, Any]:
        """list_directory(id, prefix='/*', depth=1) -> {'status': ..., 'paths': [...]}"""
        return await _said(paths_found, state, id, prefix, depth, CODE_PATHS, paths=None)

    async def read_text_file(id: Any, path: Any, head: Any = None, tail: Any = None) -> dict[str, Any]:
        """read_text_file(id, path, head=None, tail=None) -> {'status': ..., 'file_content': ...}"""
        return await _said(text, state, id, path, head, tail, CODE_BYTES, file_content=None)

    async def read_binary_file(id: Any, path: Any) -> dict[str, Any]:
        """read_binary_file(id, path) -> {'status': ..., 'base64_file_content': ..., 'mime_type': ...}"""
        return await _said(binary, state, id, path, CODE_BYTES, base64_file_content=None, mime_type=None)

    return named(list_directory, read_text_file, read_binary_file)


def _published(result: dict[str, Any]) -> Published:
    """Return a result as the text of a tool's answer; a refusal is none of MCP's errors there either."""
    outcome = "success" if result["status"] == "success" else "refused"
    return Published(json.dumps(result, ensure_ascii=False), record={"outcome": outcome})


@toolbox.tool(title="List a directory", read_only=True, faithful=True, toolsets=("paper",))
async def list_directory(
    id: ID,
    prefix: Annotated[str, Field(description="Path; * and ? stand for characters of one part of it.")] = "/*",
    depth: Annotated[int | None, Field(description="Parts of each result at most; null for all files.")] = 1,
) -> Published:
    """List what a prefix names: the contents of a directory, or the names that match its wildcards.

    Paths are relative to the last part of the prefix without a wildcard.
    """
    return _published(await _said(paths_found, session().state, id, prefix, depth, CALL_PATHS, paths=None))


@toolbox.tool(title="Read a text file", read_only=True, faithful=True, toolsets=("paper",))
async def read_text_file(
    id: ID,
    path: Annotated[str, Field(description="Path of the file in the repository.")],
    head: Annotated[int | None, Field(description="Only the first lines, so many.")] = None,
    tail: Annotated[int | None, Field(description="Only the last lines, so many.")] = None,
) -> Published:
    """Read a text file, or its first or its last lines."""
    return _published(await _said(text, session().state, id, path, head, tail, CALL_BYTES, file_content=None))


@toolbox.tool(title="Read a file as Base64", read_only=True, faithful=True, toolsets=("paper",))
async def read_binary_file(
    id: ID, path: Annotated[str, Field(description="Path of the file in the repository.")]
) -> Published:
    """Read a file of any kind: its bytes as Base64, and its media type."""
    return _published(
        await _said(binary, session().state, id, path, CALL_BYTES, base64_file_content=None, mime_type=None)
    )


@toolbox.tool(title="Run Python code", read_only=True, faithful=True, toolsets=("paper",))
async def run_python_code(code: Annotated[str, Field(description="Python source.")]) -> Published:
    """Run Python in a sandbox and return what it printed, within 60 s, 45 s of processor time and 512 MB.

    list_directory, read_text_file and read_binary_file are functions in it, with the arguments of the tools and
    dictionaries as results. Each run starts anew. A last expression is printed where the code prints nothing.
    get_version_metadata tells the packages. There is no network.
    """
    here = session()
    try:
        result = await here.state.sandbox.run(
            code, functions=functions(here.state), limits=PAPER_LIMITS, owner=here.owner
        )
    except LabrigError as error:
        if error.code not in ("bad_input", "limit"):
            raise  # the server cannot run code: no matter of this code
        return _published({"status": "error", "output": "", "error": str(error)})
    failed = result.status != "ok"
    said = {
        "status": "error" if failed else "success",
        "output": result.output + _cut(result.cut.get("output", 0)),
        "error": (result.error if result.status == "error" else f"{result.error}{result.detail}")
        if failed
        else None,
    }
    answer = _published(said)
    record = {
        "outcome": said["status"],
        "ended": result.status,
        "backend": result.backend,
        "notes": list(result.notes),
    }
    return Published(answer.text, record=record)


def _cut(left_out: int) -> str:
    return f"\n[... {left_out:,} bytes of output were left out ...]" if left_out else ""


@toolbox.tool(title="Python and its packages", read_only=True, faithful=True, toolsets=("paper",))
async def get_version_metadata() -> Published:
    """Return the version of Python that code runs in, and its packages with their versions."""
    here = session()
    result = await here.state.sandbox.run(_ENVIRONMENT, owner=here.owner)
    if result.status != "ok":
        raise LabrigError(f"The sandbox did not report its packages: {result.detail}", code="engine")
    python, packages = json.loads(result.output)
    return _published({"status": "success", "python_version": python, "python_packages": packages})
