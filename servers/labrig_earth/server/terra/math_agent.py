"""Of group basic: the math agent, which is the sandbox in the profile of the server; files that are streamed to it.

The public program sends a question to a service that writes and runs code. Here code is run as it is, and a question in
words goes to the operator's model, which writes it. Streamed files stay over restarts, by caller, as artifacts.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.canonical import content_hash
from labrig.errors import LabrigError, over_limit
from labrig.sandbox import Limits
from labrig.sandbox.results import Result
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig.tools.sources import safe_name
from labrig_earth.catalogue.language_model import ask_model, require_model
from labrig_earth.server.base import MODEL, state, toolbox
from labrig_earth.server.places import open_data
from labrig_earth.server.terra.basic import GROUP, TOOLSETS
from labrig_earth.server.terra.common import between, publish_payload, require_active, require_within
from labrig_earth.terra.arguments.kinds import Count, Mapped, Text

FOLDER = "math_agent"
"""Among Labrig's own of the workspace: which files a caller has streamed."""
ARTIFACTS = "./data/code_agent_artifacts"
MOST_FILES, MOST_TURNS, MOST_QUERY, MOST_BYTES = 32, 8, 50_000, 64 << 20
MOST_OUTPUT = 20_000
RUN_S = 20.0
TOKENS = 2000
ORDER = (
    "Write a Python program that answers the task and prints the answer with its unit. numpy, scipy, pandas, xarray, "
    "rasterio, shapely and pyproj are there, no network. Answer with the program alone, in one code block."
)
_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)\n?```", re.DOTALL)

Elsewhere = Annotated[Text, Field(description="Refused.")]


@toolbox.tool(title="Give a file to the math agent", read_only=False, faithful=True, toolsets=TOOLSETS)
async def stream_data_to_math_agent(
    file_path: Annotated[str, Field(description="A file of the workspace or roots, or a handle.")],
    upload_url: Elsewhere = "",
    metadata: Mapped = {},  # noqa: B006 - pydantic copies it
    headers: Mapped = {},  # noqa: B006
) -> Published:
    """Give the math agent a file, which its code opens as inputs/NAME."""
    here = session()
    require_active(GROUP, here)
    _refuse_elsewhere(upload_url=upload_url, headers=headers)
    if len(json.dumps(metadata)) > 10_000:
        raise LabrigError("The metadata are too long", where="metadata", expected="at most 10,000 characters")

    def put() -> tuple[str, int, str]:
        with open_data(file_path) as source:
            if source.kind != "file":
                raise LabrigError("This is a folder", where=file_path, expected="a file")
            if source.size() > MOST_BYTES:
                raise over_limit(f"The file has {source.size():,} bytes", MOST_BYTES, where=file_path)
            made_by = {"server": "earth", "tool": "stream_data_to_math_agent", "metadata": metadata}
            name = PurePosixPath(safe_name(source.name)).name
            kept = here.artifacts.put_path(source.descriptor, made_by=made_by, name=name)
            return kept.handle, source.size(), name

    handle, size, name = await in_thread(put)
    listed = await in_thread(remember_file, here, handle, name)
    payload = {
        "file_name": name,
        "file_size_bytes": size,
        "upload_url": None,
        "response": {"file_id": handle, "filename": name, "path": f"inputs/{name}", "files": listed},
        "method": "kept as an artifact, which the code of run_math_agent can read and not change",
    }
    record = {"operation": "stream_data_to_math_agent", "inputs": {name: handle.removeprefix("sha256:")}}
    return publish_payload(payload, source="labrig earth", record=record)


@toolbox.tool(title="Ask the math agent", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def run_math_agent(
    query: Annotated[str, Field(max_length=MOST_QUERY, description="Python, or words for a model.")],
    variables: Annotated[Mapped, Field(description="Globals of the code, by name.")] = {},  # noqa: B006
    max_turns: Annotated[
        Count | None, between(1, MOST_TURNS), Field(description="Programs a model may try.")
    ] = None,
    base_url: Elsewhere = "",
    route: Elsewhere = "",
    headers: Mapped = {},  # noqa: B006
    artifact_dir: Text = ARTIFACTS,
    max_artifact_bytes: Annotated[Count, between(1, 1 << 40)] = 1000 * 1024 * 1024,
) -> Published:
    """Run code in a sandbox, on the files streamed to it; a question in words is written as code by the model."""
    here = session()
    require_active(GROUP, here)
    _refuse_elsewhere(base_url=base_url, route=route, headers=headers)
    folder = require_within(artifact_dir or ARTIFACTS, "artifact_dir")
    if not query.strip():
        raise LabrigError("The query is empty", where="query", expected="Python code, or a question in words")
    named = write_variables(variables)
    files = await in_thread(list_streamed, here)
    code, turns = code_of(query), 0
    sources: list[Any] = []
    if code is not None:
        turns, result = 1, await _run(here, named + code, files)
    else:
        code, result, turns, sources = await write_code(here, query, variables, named, files, max_turns or 1)
    kept, skipped = await in_thread(put_files, here, result, folder, max_artifact_bytes)
    payload: dict[str, Any] = {
        "result": result.output[:MOST_OUTPUT].strip(),
        "status": "ok" if result.status == "ok" else "error",
        "code": code,
        "turns": turns,
        "inputs": [f"inputs/{each.name}" for each in files],
        "artifacts": kept,
        "method": f"Python in the sandbox ({result.backend}), {RUN_S:g} s a run, no network",
    }
    if result.status != "ok":
        payload["error"] = (result.error[-4000:] or result.detail)[:4000]
        payload["ended"] = result.status
    warnings = [*result.notes, *skipped]
    if len(result.output) > MOST_OUTPUT:
        warnings.append(f"{MOST_OUTPUT:,} of {len(result.output):,} characters of output are shown")
    if warnings:
        payload["warnings"] = warnings
    record = {
        "operation": "run_math_agent",
        "inputs": {each.name: each.handle.removeprefix("sha256:") for each in files},
        "outputs": {each["saved_path"]: each["sha256"] for each in kept},
        "sources": sources,
    }
    return publish_payload(payload, source="labrig earth, sandbox", record=record, warned=bool(warnings))


def code_of(query: str) -> str | None:
    """Return the code of a query: what stands between fences, or all of it where it is Python; None for words."""
    fenced = _FENCED.findall(query)
    if fenced:
        return "\n".join(fenced)
    try:
        tree = ast.parse(query)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    words = all(isinstance(each, ast.Expr) and _is_word(each.value) for each in tree.body)
    return None if words else query


def _is_word(node: ast.expr) -> bool:
    """Tell whether an expression may be a word of a sentence: a name, or a text in quotes."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


@dataclass(frozen=True)
class Streamed:
    """A file that was streamed: its handle, and its name in ``inputs``."""

    handle: str
    name: str


def _refuse_elsewhere(**given: Any) -> None:
    """Refuse arguments that would lead to another service."""
    for name, value in given.items():
        if value:
            raise LabrigError(
                "The math agent is the sandbox of this server, and no other service is asked",
                where=name,
                expected=f"no {name}",
                code="refused",
            )


def write_variables(variables: dict[str, Any]) -> str:
    """Return code that sets variables; LabrigError for invalid names."""
    for name in variables:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
            raise LabrigError(
                f"This is no name: {name[:60]!r}", where="variables", expected="names of Python"
            )
    try:
        text = json.dumps(variables, allow_nan=False)
    except ValueError:
        raise LabrigError("A variable is not finite", where="variables", expected="values of JSON") from None
    if len(text) > 1_000_000:
        raise LabrigError(
            "The variables are too long", where="variables", try_="a file, streamed", code="limit"
        )
    return f"import json as _json\nglobals().update(_json.loads({text!r}))\ndel _json\n" if variables else ""


async def write_code(
    here: Session,
    query: str,
    variables: dict[str, Any],
    named: str,
    files: list[Streamed],
    most: int,
) -> tuple[str, Result, int, list[Any]]:
    """Have the model write code until it runs; return the code, its result, how many programs it took, and sources."""
    configured = str(toolbox.setting(here.state.options, MODEL.name))
    require_model(configured, "write the code of a question in words; Python is run without one")
    had = {"variables": variables, "files": [f"inputs/{each.name}" for each in files]}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": ORDER},
        {"role": "user", "content": f"{query}\n\n{json.dumps(had)[:20_000]}"},
    ]
    sources: list[Any] = []
    turn = 0
    while True:
        turn += 1
        found = await ask_model(state().client, configured, messages, TOKENS)
        sources.append(found.source)
        code = found.text if (fenced := code_of(found.text)) is None else fenced
        result = await _run(here, named + code, files)
        if result.status == "ok" or turn >= most:
            return code, result, turn, sources
        messages += [
            {"role": "assistant", "content": found.text},
            {"role": "user", "content": f"It failed:\n{(result.error or result.detail)[-2000:]}\nMend it."},
        ]


async def _run(here: Session, code: str, files: list[Streamed]) -> Result:
    with ExitStack() as held:
        sources = await in_thread(lambda: [held.enter_context(open_data(each.handle)) for each in files])
        inputs = {each.name: source.place for each, source in zip(files, sources, strict=True)}
        found: Result = await state().sandbox.run(
            code, inputs=inputs, limits=Limits(wall_s=RUN_S, cpu_s=RUN_S), owner=here.owner
        )
    return found


def _list_name(here: Session) -> str:
    return f"{content_hash({'owner': here.owner})[:16]}.json"


def list_streamed(here: Session) -> list[Streamed]:
    """Return the files that this caller has streamed."""
    with here.workspace.private(FOLDER) as folder:
        name = _list_name(here)
        listed = json.loads(folder.read(name)) if folder.has(name) else []
    return [Streamed(str(each["handle"]), str(each["name"])) for each in listed]


def remember_file(here: Session, handle: str, name: str) -> list[str]:
    """Add a file to those of a caller, in place of one of its name, and return all names."""
    files = [each for each in list_streamed(here) if each.name != name]
    if len(files) >= MOST_FILES:
        raise LabrigError(
            f"{len(files)} files are there", where="file_path", expected=f"at most {MOST_FILES}", code="limit"
        )
    files.append(Streamed(handle, name))
    listed = [{"handle": each.handle, "name": each.name} for each in files]
    with here.workspace.private(FOLDER) as folder:
        folder.write_whole(_list_name(here), json.dumps(listed).encode())
    return [each.name for each in files]


def put_files(
    here: Session, result: Result, folder: PurePosixPath, most: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """Put the files that code left into the workspace; return what is said of each, and what was left out."""
    import hashlib

    kept, skipped = [], []
    for name, content in result.files.items():
        if len(content) > most:
            skipped.append(f"{name} has {len(content):,} bytes, more than max_artifact_bytes")
            continue
        target = str(folder / name)
        here.workspace.write_bytes(target, content)
        sha256 = hashlib.sha256(content).hexdigest()
        kept.append({"filename": name, "saved_path": target, "size_bytes": len(content), "sha256": sha256})
    return kept, skipped
