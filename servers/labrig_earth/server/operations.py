"""An operation on files: opened, done by a child, and its result returned as an Answer that has the size of one."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.answer import ANSWER_BYTES, Answer, Image, Pictures, json_bytes, with_fewer_warnings
from labrig.errors import LabrigError
from labrig.progress import Progress
from labrig.storage.contents import content_sha256
from labrig.storage.folder import NEW, Folder, new_name
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig.tools.sources import Source, names_artifact
from labrig_earth.server.base import state, toolbox
from labrig_earth.server.places import open_data, places
from labrig_earth.server.sidecars import georeferencing_beside, is_shape, open_shapefile

if TYPE_CHECKING:
    from labrig_earth.results import Result
    from labrig_earth.work.asking import Given

SCRATCH = "scratch"
"""Folder of the workspace, among those of Labrig's own, in which children write."""

LEFT_BEHIND_S = 3 * 3600
HASHED_BYTES = 64 << 20
"""Files up to this size are hashed in each call; of larger ones the answer names the size."""

MOST_FILES = 400
"""Descriptors of the server and of a child's fork server, of which each holds two for a file: 1,024 are usual."""
MOST_HASHED = 32
MOST_PATTERN = 300
MOST_VALUES = 40

LOOKING = ("find_data",)
"""Operations that look into many files, of which none is converted for that."""
CLUSTERED = ("extract", "aggregate", "combine", "regrid_or_reproject", "zonal_statistics")
"""Operations that a dask scheduler takes, where one is set."""


@dataclass(frozen=True)
class Asked:
    """An operation that a tool wants done.

    Attributes
    ----------
    inputs
        Paths and handles, by what they are for; empty ones are left out.
    arguments
        Of the operation; those of an Answer are left out where they are None or empty.
    next
        What to call next, as a hint.
    """

    operation: str
    inputs: Mapping[str, Sequence[str]]
    arguments: Mapping[str, Any]
    next: str = ""


async def answer_operation(asked: Asked, *, job: bool = False) -> Answer:
    """Have a child do what is asked, and return its result; as a job, return how to ask for it."""
    here = session()
    if not job:
        return await answer_now(asked, here, long=False)

    async def work(progress: Progress) -> Answer:
        progress(0.0, asked.operation)
        return await answer_now(asked, here, long=True)

    started = here.jobs.start(asked.operation, work, owner=here.owner)
    return Answer(
        source="labrig earth",
        data={"job": started},
        next=f'get_job(job="{started}", wait_s=45) gives the result',
    )


async def answer_now(asked: Asked, here: Session, *, long: bool) -> Answer:
    given = {name: value for name, value in asked.arguments.items() if value not in (None, "", [], {})}
    made_by = {"server": "earth", "tool": asked.operation, "arguments": given}
    async with do_operation(replace(asked, arguments=given), here, long=long) as done:
        return await in_thread(make_answer, here, done.result, done.folder, done.hashes, made_by, asked.next)


@dataclass(frozen=True)
class Worked:
    """What a child has done: its result, the folder of its files, and the hashes of what it was given."""

    result: Result
    folder: Folder
    hashes: Mapping[str, str]


@asynccontextmanager
async def do_operation(asked: Asked, here: Session, *, long: bool = False) -> AsyncIterator[Worked]:
    """Have a child do what is asked; its files are there until the block ends."""
    from labrig_earth.indices.computing import finish_index
    from labrig_earth.work import asking

    async with AsyncExitStack() as converted:
        held = converted.enter_context(ExitStack())
        given, hashes, notes = await in_thread(open_inputs, asked.inputs, held)
        if asked.operation not in LOOKING:
            from labrig_earth.grib.converting import convert_grib

            given, more = await convert_grib(given, here.state.engines, converted, long=long)
            notes += more
        folder = await in_thread(lambda: held.enter_context(make_scratch(here)))
        limits = asking.JOB if long else asking.CALL
        scheduler = here.state.scheduler if asked.operation in CLUSTERED else ""
        by = here.state.clustered if scheduler else here.state.workers

        async def work(
            operation: str, files: Mapping[str, Sequence[Given]], arguments: Mapping[str, Any]
        ) -> Result:
            return await asking.run(
                by, operation, files, arguments, folder.descriptor, limits=limits, scheduler=scheduler
            )

        result = await work(asked.operation, given, asked.arguments)
        result = await finish_index(
            result, asked.arguments, folder.descriptor, here.state.engines, work, long=long
        )
        yield Worked(result.noting(warnings=notes), folder, hashes)


@asynccontextmanager
async def fetch_and_decode(
    operation: str,
    arguments: Mapping[str, Any],
    here: Session,
    *,
    exact: Sequence[str] = (),
    below: Sequence[str] = (),
) -> AsyncIterator[tuple[Folder, Result]]:
    """Have a part of what lies at addresses decoded by one child and fetched by another; its file is there until the
    block ends.

    Parameters
    ----------
    exact, below
        See `labrig_earth.catalogue.fetching.carried`.
    """
    from labrig_earth.catalogue.fetching import carried
    from labrig_earth.work import asking

    given = state()
    mode, ledger = given.options.http_mode, given.options.ledger
    with ExitStack() as held:
        folder = await in_thread(lambda: held.enter_context(make_scratch(here)))
        async with carried(given.fetchers, exact=exact, below=below, mode=mode, ledger=ledger) as line:
            by = given.workers
            result = await asking.run(by, operation, {}, arguments, folder.descriptor, line=line)
        yield folder, result


async def draw_operation(asked: Asked) -> Pictures:
    """Have a child draw what is asked, and return its picture with the answer."""
    answer = await answer_now(asked, session(), long=False)
    here = session()
    handle = str(answer.artifacts[0]["handle"])
    data = await in_thread(here.artifacts.read, handle)
    caption = str(answer.data.get("title") or "") or asked.operation.replace("_", " ")
    return Pictures((Image(data, caption, handle),), answer)


def open_inputs(
    inputs: Mapping[str, Sequence[str]], held: ExitStack
) -> tuple[dict[str, list[Given]], dict[str, str], tuple[str, ...]]:
    """Open what a call names, and return it with the hashes of what was hashed, and what lies beside it unread."""
    from labrig_earth.work.asking import Given

    inputs = {role: expand_patterns(paths) if role == "data" else paths for role, paths in inputs.items()}
    given: dict[str, list[Given]] = {}
    hashes: dict[str, str] = {}
    notes: list[str] = []
    names = [name for role in inputs.values() for name in role if name]
    if len(names) > MOST_FILES:
        raise LabrigError(
            f"{len(names)} files are given",
            expected=f"at most {MOST_FILES}",
            try_="a pattern that fewer files fit, or a folder= below the one that is looked at",
            code="limit",
        )
    is_hashed = len(names) <= MOST_HASHED
    for role, paths in inputs.items():
        for path in paths:
            if not path:
                continue
            if is_shape(path):
                opened, source = open_shapefile(path, held)
            else:
                source = held.enter_context(open_data(path))
                opened = Given(source.name, source.descriptor)
            given.setdefault(role, []).append(opened)
            hashes[source.name] = source.sha256 or (hash_source(source) if is_hashed else "")
            notes += [note] if (note := georeferencing_beside(path)) else []
    return given, hashes, tuple(notes)


def expand_patterns(paths: Sequence[str]) -> list[str]:
    """Return paths with patterns (``@root/tas_*.nc``) as the data of the workspace that fit them, by name.

    A text that is a JSON list stands for the paths and patterns in it.

    Raises
    ------
    LabrigError
        ``not_found`` for a pattern that nothing fits; ``bad_input`` for a list of other things than texts.
    """
    found: list[str] = []
    for path in (each for listed in paths for each in split_list(listed)):
        if names_artifact(path) or len(path) > MOST_PATTERN or not any(sign in path for sign in "*?"):
            found.append(path)
            continue
        fitting = sorted(
            name
            for name in places([each.path for each in session().workspace.entries()])[1]
            if fnmatchcase(name, path) and name.count("/") == path.count("/")
        )
        if not fitting:
            raise LabrigError(
                "No file fits this pattern",
                where=path,
                try_="list_files, which names them all",
                code="not_found",
            )
        found += fitting
    return found


def split_list(path: str) -> list[str]:
    """Return the paths of a JSON list, or the path itself."""
    if not path.startswith("["):
        return [path]
    try:
        paths = json.loads(path)
    except ValueError:
        return [path]
    if not isinstance(paths, list) or not paths or not all(isinstance(each, str) and each for each in paths):
        raise LabrigError(
            "A list of data has other things than paths", where="data", expected='["a.nc", "b.nc"]'
        )
    return paths


def hash_source(source: Source) -> str:
    """Return the hash of a file that is not large; an empty text for others, and for folders."""
    if source.kind != "file" or source.size() > HASHED_BYTES:
        return ""
    return content_sha256(source.descriptor)


@contextmanager
def make_scratch(here: Session) -> Iterator[Folder]:
    """Give an empty folder in the workspace for the files of a child, which is gone afterwards."""
    with here.workspace.private(SCRATCH) as top:
        sweep_scratch(top)
        name = new_name()
        try:
            with top.below(name, make=True) as folder:
                yield folder
        finally:
            top.delete(name)


def sweep_scratch(top: Folder) -> None:
    """Remove what a killed server left behind; calls beside this one end and take their own folders away."""
    now = time.time()
    for name in top.names():
        with suppress(FileNotFoundError):
            if name.startswith(NEW) and now - top.about(name).st_mtime > LEFT_BEHIND_S:
                top.delete(name)


def make_answer(
    here: Session,
    result: Result,
    folder: Folder,
    hashes: Mapping[str, str],
    made_by: Mapping[str, Any],
    hint: str,
) -> Answer:
    """Keep the files of a result, and return it within the size of an Answer."""
    inputs = {name: sha256 for name, sha256 in hashes.items() if sha256}
    kept = []
    for name in result.files:
        place = Path(f"/proc/self/fd/{folder.descriptor}")
        place = place if place.exists() else here.workspace.folder
        kept.append(
            here.artifacts.put_path(place / name, made_by={**made_by, "method": result.method}, inputs=inputs)
        )
    about: dict[str, Any] = {
        "method": result.method,
        "crs": result.crs if len(result.crs) < 60 else result.crs[:60] + "..",
        "grid": result.grid,
        "cells": result.cells,
        "valid_cells": result.valid_cells,
        "assumed": list(result.assumed),
    }
    data = {name: value for name, value in about.items() if value not in ("", None, [])} | dict(result.data)
    artifacts = tuple(each.to_dict() for each in kept)
    answer = Answer(
        source=line_of_sources(hashes),
        status="ok_with_warnings" if result.warnings else "ok",
        values=result.values,
        data=data,
        warnings=result.warnings,
        artifacts=artifacts,
        next=hint or ("the handle stands for the file in every tool" if artifacts else ""),
        record={"operation": made_by["tool"], "inputs": dict(inputs)},
    )
    if len(answer.values) <= MOST_VALUES and json_bytes(answer.to_dict()) <= ANSWER_BYTES - 200:
        return answer
    whole = json.dumps(result.to_dict(), ensure_ascii=False, indent=1).encode("utf-8", "replace")
    listed = here.artifacts.put("result.json", whole, media_type="application/json", made_by=dict(made_by))
    return fit_answer(replace(answer, artifacts=(*artifacts, listed.to_dict())))


def fit_answer(answer: Answer, whole: str = "result.json") -> Answer:
    """Return an answer cut to the size of one: fewer values and warnings, then shorter lists, the longest first.

    Parameters
    ----------
    whole
        Where all of it is.
    """
    cut = f"{len(answer.values) - MOST_VALUES} more values" if len(answer.values) > MOST_VALUES else ""
    answer = replace(answer, values=answer.values[:MOST_VALUES])
    note = {"not_shown": f"all of it is in {whole}" + (f" ({cut})" if cut else "")}
    answer = with_fewer_warnings(replace(answer, data={**answer.data, **note}), ANSWER_BYTES - 300)
    data: Any = answer.data
    while json_bytes(replace(answer, data=data).to_dict()) > ANSWER_BYTES - 200:
        shorter = shorten(data)
        if shorter == data:
            break
        data = shorter
    answer = replace(answer, data=data)
    while json_bytes(answer.to_dict()) > ANSWER_BYTES - 100 and answer.values:
        answer = replace(answer, values=tuple(answer.values[: len(answer.values) // 2]))
    while json_bytes(answer.to_dict()) > ANSWER_BYTES - 100 and answer.warnings:
        answer = replace(
            answer, warnings=tuple(each[:200] for each in answer.warnings[: len(answer.warnings) // 2])
        )
    return answer


def shorten(value: Any) -> Any:
    """Return data with the largest of its parts cut: lists and mappings to half their entries, texts to half."""
    if isinstance(value, str):
        return value if len(value) < 40 else value[: len(value) // 2] + ".."
    if isinstance(value, list):
        return value[: len(value) // 2]
    if not isinstance(value, dict) or not value:
        return value
    sizes = {key: json_bytes(each) for key, each in value.items() if isinstance(each, (dict, list, str))}
    if not sizes:
        return dict(list(value.items())[: len(value) // 2])
    largest = max(sizes, key=lambda key: sizes[key])
    if sizes[largest] * 4 < sum(sizes.values()) and len(value) > 4:  # many of a size: fewer of them
        return dict(list(value.items())[: len(value) // 2])
    return {**value, largest: shorten(value[largest])}


def line_of_sources(hashes: Mapping[str, str]) -> str:
    """Return one line of provenance: files with the beginnings of their hashes, and what computed."""
    shown = [
        f"{name[:60]} (sha256 {sha[:12]})" if sha else f"{name[:60]} (not hashed)"
        for name, sha in hashes.items()
    ]
    files = ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")
    return f"{files}; {name_libraries()}".removeprefix("; ")


def name_libraries() -> str:
    try:
        return f"labrig earth {toolbox.version} with xarray {version('xarray')}"
    except PackageNotFoundError:
        return f"labrig earth {toolbox.version}"
