"""What tools of simulators share: the common arguments, files that a call names, and a run that is kept.

What a run leaves is one folder artifact (inputs, outputs, what was printed, ``run.json``, ``summary.json``); its output
files are written into ``output_dir`` of the workspace as well, which is where the published tools put them.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.artifacts import Artifact
from labrig.errors import LabrigError, over_limit, unknown_name
from labrig.media_types import media_type_of
from labrig.threads import in_thread
from labrig.toolbox import Session, Tool, session
from labrig.tools.sources import opened_source
from labrig_earth.impact.envelope import OUTPUT_DIR, Common, File, Finished, published
from labrig_earth.impact.records import SUMMARY, summary_of
from labrig_earth.impact.runs import require
from labrig_earth.impact.simulator import Given, Named, Run, Simulator
from labrig_earth.impact.simulators import simulator
from labrig_earth.server.base import toolbox
from labrig_earth.terra.arguments.kinds import Count, Number

MOST_INPUT_BYTES = 32 << 20
MOST_INPUTS = 64
MOST_WRITTEN = 40


def share(
    run_id: Annotated[str, Field(description="Names the run; by default from its inputs.")] = "",
    instance_id: Annotated[str, Field(description="Recorded.")] = "instance-001",
    scenario_name: Annotated[str, Field(description="Recorded.", max_length=200)] = "baseline",
    scenario_description: Annotated[str, Field(description="Recorded.", max_length=2000)] = "",
    assumptions: Annotated[dict[str, Any], Field(description="Recorded.")] = {},  # noqa: B006 - pydantic copies it
    seed: Annotated[Count, Field(ge=0, le=2**31 - 1)] = 0,
    model_version: Annotated[
        str, Field(description="The engine's version that is expected; another is refused.")
    ] = "",
    container_image: Annotated[str, Field(description="Recorded.", max_length=300)] = "",
    threads: Annotated[Count, Field(description="1.")] = 1,
    cpu_cores: Annotated[Number | None, Field(description="Recorded.")] = None,
    memory_gb: Annotated[Number | None, Field(description="Most memory, 1 to 8 GB.")] = None,
    timeout_seconds: Annotated[Count, Field(description="1 to 3600 s.")] = 600,
    output_dir: Annotated[str, Field(description="Folder of the workspace for the outputs.")] = OUTPUT_DIR,
    backend: Annotated[str | None, Field(description="None or the engine; 'proxy' is refused.")] = None,
) -> Common:
    """Return the arguments that all simulators share."""
    return make_common(locals())


def make_common(given: Mapping[str, Any]) -> Common:
    """Return the shared arguments that are given; None stands for one that is left out."""
    return Common(**{name: value for name, value in given.items() if value is not None})


def simulator_tool(
    title: str, *, seed: int, timeout_seconds: int, left_out: Sequence[str] = ()
) -> Callable[[Tool], Tool]:
    """Declare a simulator as a tool; for its parameter `shared` it takes the arguments of `share`.

    Parameters
    ----------
    seed, timeout_seconds
        Their defaults.
    left_out
        Of the shared arguments: those that this simulator does not have.
    """
    usual = {"seed": seed, "timeout_seconds": timeout_seconds}
    shared = [
        each.replace(default=usual.get(each.name, each.default))
        for each in inspect.signature(share, eval_str=True).parameters.values()
        if each.name not in left_out
    ]

    def declare(function: Tool) -> Tool:
        signature = inspect.signature(function, eval_str=True)
        parameters = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for own in signature.parameters.values()
            for each in (shared if own.name == "shared" else [own])
        ]

        @functools.wraps(function)
        async def call(**given: Any) -> Any:
            common = share(**{each.name: given.pop(each.name, each.default) for each in shared})
            return await function(**given, shared=common)

        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in parameters}
        return toolbox.tool(title=title, read_only=False, faithful=True, toolsets=("simulators",))(call)

    return declare


@dataclass(frozen=True)
class Kept:
    """A run that is kept.

    Attributes
    ----------
    done
        As the envelope shows it.
    archive
        The folder artifact.
    """

    done: Finished
    common: Common
    archive: Artifact


async def run_simulator(
    tool: str, files: Mapping[str, Any], options: Mapping[str, Any], common: Common
) -> Published:
    """Run a simulator on files of the workspace, and return its published envelope."""
    kept = await run_and_keep(tool, files, options, common, session())
    return published(kept.done, kept.common)


async def run_and_place(
    tool: str,
    files: Mapping[str, Any],
    options: Mapping[str, Any],
    common: Common,
    wanted: Mapping[str, str],
) -> Published:
    """Run a simulator, and write outputs where the call wants them besides; `wanted` are paths by name of the output.

    Raises
    ------
    LabrigError
        As `run_kept`; ``refused`` for a path that leads out of the workspace, before anything is run.
    """
    here = session()
    asked = {name: path for name, path in wanted.items() if path}
    for path in asked.values():
        if path.startswith("/") or ".." in path.split("/"):
            raise LabrigError(
                "Results are written in the workspace",
                where=f"output path {path}",
                expected="a relative path without '..'",
                code="refused",
            )
    kept = await run_and_keep(tool, files, options, common, here)
    copies = []
    for name, path in asked.items():
        (made,) = [each for each in kept.done.outputs if each.path.endswith(f"/{name}")]
        content = here.workspace.read_bytes(made.path)
        here.workspace.write_bytes(path, content)
        sha = hashlib.sha256(content).hexdigest()
        copies.append(File(path, sha, made.content_type, "as the call asks"))
    return published(replace(kept.done, outputs=(*kept.done.outputs, *copies)), kept.common)


async def run_and_keep(
    tool: str, files: Mapping[str, Any], options: Mapping[str, Any], common: Common, here: Session
) -> Kept:
    """Run a simulator, and keep what it left.

    Parameters
    ----------
    files
        Paths and handles by argument; a list for those that are lists.
    options
        Of this tool alone.

    Raises
    ------
    LabrigError
        What the files, the common arguments and the engine refuse; ``unavailable`` for an engine that is not there.
    """
    asked = simulator(tool)
    allowed = common.checked(asked.backends)
    given, hashes = await in_thread(read_given, tool, files, options)
    options = given.options
    await in_thread(require_engine, asked, given)
    run_id = common.named(tool, options, {role: " ".join(each) for role, each in hashes.items()})
    target = common.folder(tool, run_id)
    async with asked.run(given, Run(here.state.engines, allowed, common.seed)) as done:
        common.require_version(done.version)
        text = summary_of(tool, done, common, options, hashes)
        await in_thread((done.folder / SUMMARY).write_bytes, text)
        outputs, left_out = await in_thread(write_outputs, here, done.folder, target)
        made_by = {"server": "earth", "tool": tool, "engine": done.version, "run_id": run_id}
        archive = await in_thread(
            lambda: here.artifacts.put_path(
                done.folder,
                name=run_id,
                made_by=made_by,
                inputs={
                    f"{role} {number}": sha
                    for role, each in hashes.items()
                    for number, sha in enumerate(each)
                },
            )
        )
        folder = File(
            archive.handle, archive.sha256, "inode/directory", "inputs, outputs and what was printed"
        )
        finished = Finished(
            tool=tool,
            run_id=run_id,
            command=f"{done.version} in a process of its own",
            version=done.version,
            metrics=done.metrics,
            derived=done.derived,
            outputs=(folder, *outputs),
            inputs=[
                File(named.name, sha, media_type_of(named.name), role)
                for role, each in given.files.items()
                for named, sha in zip(each, hashes[role], strict=True)
            ],
            time=done.time,
            warnings=(*done.warnings, *left_out),
            text=done.text,
            wall_s=done.wall_s,
        )
    return Kept(finished, common, archive)


def require_engine(asked: Simulator, given: Given) -> None:
    """Raise ``unavailable`` for an engine that is not there, but first what its reader refuses in the files."""
    try:
        require(asked.engine)
    except LabrigError:
        asked.check(given)
        raise


def read_given(
    tool: str, files: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Given, dict[str, list[str]]]:
    """Read the files that a call names, and return them with their hashes.

    Raises
    ------
    LabrigError
        For an argument that the tool does not have, one that is missing, a file that is not there or too large.
    """
    asked = simulator(tool)
    for name, value in (*files.items(), *options.items()):
        if name in asked.proxies and value is not None:
            raise LabrigError(
                f"{name} only drove a formula in place of {asked.engine.title}, which is not offered",
                where=name,
                expected=f"leave it out; {asked.proxies[name]}",
                code="refused",
            )
    files = {name: value for name, value in files.items() if name not in asked.proxies}
    options = {name: value for name, value in options.items() if name not in asked.proxies}
    for name in (*files, *options):
        if name not in asked.files and name not in asked.options:
            raise unknown_name("argument", str(name), (*asked.files, *asked.options), where=tool)
    read: dict[str, list[Named]] = {}
    hashes: dict[str, list[str]] = {}
    for role in asked.files:
        value = files.get(role)
        paths = value if isinstance(value, (list, tuple)) else [value] if value else []
        if role not in asked.lists and len(paths) != 1:
            raise LabrigError(f"{role} is missing", where=tool, expected=asked.files[role])
        if len(paths) > MOST_INPUTS:
            raise LabrigError(
                f"{len(paths)} files are given", where=role, expected=f"at most {MOST_INPUTS}", code="limit"
            )
        for path in paths:
            if not isinstance(path, str):
                raise LabrigError(f"{role} is no path", where=tool, expected="a path or a handle")
            named = read_named(path)
            read.setdefault(role, []).append(named)
            hashes.setdefault(role, []).append(hashlib.sha256(named.content).hexdigest())
    return Given(read, options), hashes


def read_named(path: str) -> Named:
    with opened_source(path) as source:
        if source.size() > MOST_INPUT_BYTES:
            raise over_limit(f"The file has {source.size():,} bytes", MOST_INPUT_BYTES, "bytes", where=path)
        return Named(source.name, source.read())


def write_outputs(here: Session, folder: Path, target: str) -> tuple[list[File], tuple[str, ...]]:
    """Write the outputs of a run into the workspace; return them, and a warning where there are too many."""
    written = []
    outputs = folder / "outputs"
    found = sorted(each for each in outputs.rglob("*") if each.is_file())
    for path in found[:MOST_WRITTEN]:
        content = path.read_bytes()
        place = f"{target}/{path.relative_to(outputs).as_posix()}"
        here.workspace.write_bytes(place, content)
        written.append(File(place, hashlib.sha256(content).hexdigest(), media_type_of(path.name)))
    if len(found) <= MOST_WRITTEN:
        return written, ()
    return written, (
        f"the first {MOST_WRITTEN} of {len(found)} output files are in the workspace; all are in the folder of the run",
    )
