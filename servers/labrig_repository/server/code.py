"""Python code of an agent, with the readers as functions in it and files of a folder as inputs."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Pictures
from labrig.errors import LabrigError, over_limit
from labrig.sandbox.inputs import Standing
from labrig.storage.contents import content_sha256
from labrig.threads import in_thread
from labrig.toolbox import session as current
from labrig.tools import reading
from labrig.tools.code import CALL_LIMITS, MOST_FILES, SeedArgument, answered
from labrig.tools.sources import input_names, names_artifact, opened_source
from labrig_repository.folder import listing
from labrig_repository.folder.folder import Folder, translated
from labrig_repository.folder.names import shown
from labrig_repository.server.base import IdArgument, State, named, toolbox
from labrig_repository.server.files import existing, opened
from labrig_repository.server.tables import described, described_together, has_wildcards

MOST_PATHS = 200_000
MOST_BYTES = 8 << 20
"""Of one file through a function; a folder's larger ones are given with `files`."""

MOST_NAME = 80
"""Characters of the name of a session."""

_HASHED_BYTES = 64 << 20
NOT_ON_DISK = (
    "a generated repository has no files on disk: in the code list_directory() gives its paths, read_text_file(path) "
    "and read_binary_file(path) their contents"
)
_READERS = re.compile(r"\b(list_directory|read_text_file|read_binary_file|describe_table)\(")
_LISTING = re.compile(r"\b(r?glob|iterdir|walk|listdir|scandir|exists)\(")


def functions(state: State, default: object) -> dict[str, Callable[..., Any]]:
    """Return the readers as the code finds them: lists and texts; what is refused is raised as HostError."""

    def chosen(id: Any) -> Any:
        return state.repository(default if id == "" else id)

    async def list_directory(prefix: Any = "/*", depth: Any = 1, id: Any = "") -> list[str]:
        """list_directory(prefix='/*', depth=1, id='') -> list of paths; depth=None: all files below."""

        def lists() -> list[str]:
            found = [shown(each.path) for each in listing.list_directory(chosen(id), prefix, depth)]
            if len(found) > MOST_PATHS:
                raise over_limit(f"There are {len(found):,} paths", MOST_PATHS)
            return found

        return await in_thread(lists)

    async def read_text_file(path: Any, head: Any = None, tail: Any = None, id: Any = "") -> str:
        """read_text_file(path, head=None, tail=None, id='') -> str"""

        def reads() -> str:
            with opened(state, default if id == "" else id, path) as (files, found, _):
                return reading.read_text_file(
                    files, found, head=head, tail=tail, most_bytes=MOST_BYTES, whole=True
                ).text

        return await in_thread(reads)

    async def read_binary_file(path: Any, id: Any = "") -> str:
        """read_binary_file(path, id='') -> Base64 text: io.BytesIO(base64.b64decode(...)) is the file."""

        def reads() -> str:
            with opened(state, default if id == "" else id, path) as (files, found, _):
                return reading.read_binary_file(files, found, most_bytes=MOST_BYTES)[0]

        return await in_thread(reads)

    async def describe_table(path: Any, sheet: Any = "", id: Any = "") -> dict[str, Any]:
        """describe_table(path, sheet='', id='') -> dict with rows and columns: name, type, unit, min, max, missing"""
        repository = (
            chosen(id)
            if isinstance(path, str) and not names_artifact(path) and set("*?") & set(path)
            else None
        )
        if repository is not None and has_wildcards(repository, path):
            return await described_together(state, repository, path, sheet=str(sheet))
        with ExitStack() as held:
            place = await in_thread(
                lambda: held.enter_context(opened(state, default if id == "" else id, path))
            )
            return (await described(state, place[0], place[1], str(sheet))).to_dict()

    return named(list_directory, read_text_file, read_binary_file, describe_table)


@toolbox.tool(
    title="Run Python code",
    read_only=False,
    picture=True,
    words="statistics, mean, max, average, t-test, correlation, regression, fit, scatter, histogram, plot, group "
    "by, pivot, merge, join, concatenate many csv files, pandas, sqlite, SQL, outliers, duplicates, duplicate files "
    "of the same content, hash, orphans, do site ids match, count, sum per month, resample, small script, compare "
    "values to gold values, precision, recall",
)
async def run_python_code(
    code: Annotated[str, Field(description="Python source.")],
    files: Annotated[
        list[str],
        Field(
            max_length=MOST_FILES,
            description="Handles of artifacts (sha256:..) that the code can open as inputs/NAME. Files of the folder "
            "need not be named.",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    session: Annotated[
        str,
        Field(
            max_length=MOST_NAME,
            description="Name of a session, such as 'main', whose variables, imports and open figures stay for the "
            "next call with it; empty: each run starts afresh. A last expression is shown, as in a notebook.",
        ),
    ] = "",
    id: IdArgument = "",
    seed: SeedArgument = 0,
) -> Answer | Pictures:
    """Run Python (numpy, pandas, SciPy, scikit-learn, xarray, matplotlib) in a sandbox: 50 s, 512 MB, no network.

    The code stands in the folder: pd.read_csv("meta/stations.csv") and Path().rglob("*.csv") read its files; what it
    writes is kept as artifacts and leaves the folder as it is. A generated repository has no files on disk: functions
    read it, or any: list_directory(prefix, depth) -> list, read_text_file(path, head, tail) ->
    str, read_binary_file(path) -> Base64 str, describe_table(path) -> dict. Figures and files that the code leaves
    are artifacts, whose handles later calls take in place of a path; up to 4 pictures (PNG, JPEG) are shown.

    Compute with a few lines of pandas or a small script: mean and max per group, t-test, fits and scatter plots
    (png), duplicate files of the same content, records of a sqlite .db, orphans between two tables (do the site ids
    match), precision and recall against gold values.

    Example: {"code": "print(6 * 7)"}
    """
    here = current()
    state: State = here.state
    with ExitStack() as held:
        inputs, hashes = await in_thread(_inputs, state, id, files, held)
        folder = await in_thread(_standing, state, id, inputs)
        result = await state.sandbox.run(
            code,
            functions=functions(state, id),
            inputs=inputs,
            folder=folder,
            limits=CALL_LIMITS,
            owner=here.owner,
            seed=seed,
            display="always" if session.strip() else "last",
            session=_key(state, id, session),
        )
    looked = _LISTING.search(code) or "FileNotFoundError" in result.error
    if folder is None and id != "" and looked and not _READERS.search(code):
        result = replace(result, notes=(*result.notes, NOT_ON_DISK))
    return await answered(state.sandbox, result, code, hashes)


@toolbox.tool(title="Restart a session of Python", read_only=False)
async def restart_python_session(
    session: Annotated[
        str, Field(min_length=1, max_length=MOST_NAME, description="Name of a session of run_python_code.")
    ],
    id: IdArgument = "",
) -> Answer:
    """End a session of run_python_code, and what it is doing; the next run under its name starts with nothing defined.

    Example: {"session": "main"}
    """
    here = current()
    state: State = here.state
    there_was = state.sandbox.end_session(_key(state, id, session), here.owner)
    said = f"The session {session} has ended" if there_was else f"There was no session {session}"
    return Answer(source="Python sessions of this server", text=f"{said}; its next run starts anew.")


def _key(state: State, id: object, session: str) -> str:
    """Return the name of a session as the sandbox has it: those of two repositories are two."""
    name = session.strip()
    if not name:
        return ""
    return f"{state.repository(id).name if state.folders or id != '' else ''}/{name}"


def _standing(state: State, id: object, inputs: dict[str, Path]) -> Standing | None:
    """Return the folder that the code stands in; None for a generated repository, and where none is served."""
    if id == "" and not state.folders:
        return None
    repository = state.repository(id)
    if not isinstance(repository, Folder):
        return None
    for name in inputs:
        if repository.kind(f"inputs/{name}") is not None:
            raise LabrigError(
                f"The folder has a file inputs/{name} of its own",
                where="files",
                try_="the code without this input, or a copy of it under another name",
            )
    return repository.standing()


def _inputs(
    state: State, id: object, paths: list[str], held: ExitStack
) -> tuple[dict[str, Path], dict[str, str]]:
    """Return files of a folder and artifacts as inputs of a run, and their hashes; `held` keeps them open.

    Files of the folder have their names; an artifact has its own or, where that is taken, another (`input_names`).
    """
    inputs, hashes = _of_folder(state, id, [each for each in paths if not names_artifact(each)], held)
    handles = [each for each in paths if names_artifact(each)]
    kept = [held.enter_context(opened_source(each, kind="any")) for each in dict.fromkeys(handles)]
    for name, source in input_names(kept, inputs).items():
        if len(inputs) < MOST_FILES:  # a further name of an artifact may be one too many
            inputs[name] = source.place
            hashes |= {name: source.sha256} if source.sha256 else {}
    return inputs, hashes


def _of_folder(
    state: State, id: object, paths: list[str], held: ExitStack
) -> tuple[dict[str, Path], dict[str, str]]:
    """Return files of a folder as inputs; `held` keeps them open, so none is exchanged."""
    if not paths:
        return {}, {}
    repository = state.repository(id)
    if not isinstance(repository, Folder):
        raise LabrigError(
            "A generated repository has no files on disk",
            where="files",
            try_="calling read_text_file in the code",
        )
    inputs: dict[str, Path] = {}
    hashes: dict[str, str] = {}
    for path in paths:
        found = existing(repository, path)
        name = shown(found.rpartition("/")[2])
        if name in inputs:
            raise LabrigError(
                f"Two files are named {name}",
                where="files",
                try_="reading one of them with read_text_file in the code",
            )
        inputs[name] = Path(f"/proc/self/fd/{held.enter_context(repository.opened_file(found))}")
        if inputs[name].stat().st_size <= _HASHED_BYTES:
            try:
                with inputs[name].open("rb") as file:
                    hashes[name] = content_sha256(file.fileno())
            except OSError as error:
                raise translated(error, found) from error
    return inputs, hashes
