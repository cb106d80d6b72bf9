"""One PHREEQC run for one caller: input from the workspace, results into it, with provenance."""

from __future__ import annotations

import asyncio
import contextlib
import json
import posixpath
from dataclasses import dataclass, replace
from functools import partial

from labrig.artifacts import Artifact, ArtifactStore
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.progress import Progress
from labrig.threads import aside
from labrig.tools.lines import lines_of
from labrig.tools.own_files import OwnFiles
from labrig.workspace import Workspace
from labrig_phreeqc.checks.input_notices import InputNotices, input_notices
from labrig_phreeqc.checks.run_notices import MAX_CHARS
from labrig_phreeqc.database import databases
from labrig_phreeqc.engine.engine import QUEUE_S, Engine
from labrig_phreeqc.engine.run import Limits, Run, provenance, record
from labrig_phreeqc.input.screening import Notice, database_named, screen
from labrig_phreeqc.input.statements import declared_files
from labrig_phreeqc.runs.includes import resolve_includes
from labrig_phreeqc.runs.output_files import with_files

_OF_DATABASE = "DATABASE keyword is ignored"
"""IPhreeqc's warning, in whose place a notice says which database is used, where the input names another."""
DATABASE = "phreeqc.dat"
"""What is used where neither the caller nor the input names one."""
RESULT = "result.out"
DUMP = "dump.out"
MAX_INPUT_CHARS = 5_000_000
MAX_FILES = 100
"""Selected outputs that a run may leave as files."""
MOST_HEADINGS, HEADINGS_BYTES = 1_000, 64 << 10
"""Selected outputs of a workspace whose headings are kept, the last ones, and bytes of each; no quota counts them."""


@dataclass(frozen=True)
class Request:
    """What is to be run.

    Attributes
    ----------
    text
        PHREEQC input.
    input_path
        Workspace file it came from, or empty; no output replaces it.
    result
        Workspace file for the output.
    """

    text: str
    database: str
    input_path: str = ""
    result: str = RESULT


@dataclass(frozen=True)
class Execution:
    """A finished run and what it left in the workspace.

    Attributes
    ----------
    input
        What was run, includes resolved.
    assumed
        What PHREEQC assumes about its solutions; None for an input that is too large to look at.
    result
        Workspace file of the output; empty when there was no output to write.
    files
        Workspace files that hold selected output: user number -> file names, in the order of its definitions.
    dump_file
        Workspace file that holds the text of DUMP, or empty.
    artifact
        The output as an artifact; its manifest names input, database and library with their hashes. None where there
        was no room for it.
    """

    run: Run
    input: str
    assumed: InputNotices | None
    notices: tuple[str, ...]
    result: str
    files: dict[int, list[str]]
    dump_file: str
    artifact: Artifact | None
    source: str

    @property
    def status(self) -> str:
        """The status of the run; a run with something to say is not merely ok."""
        return "ok_with_warnings" if self.run.status == "ok" and self.warnings else self.run.status

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the caller should know: why it ended, ignored input and other warnings, our notices."""
        detail = (self.run.detail,) if self.run.detail else ()
        of_phreeqc = (each for each in self.run.warnings if not each.startswith(_OF_DATABASE))
        return (*detail, *of_phreeqc, *self.notices)


async def execute_phreeqc(
    request: Request,
    *,
    workspace: Workspace,
    artifacts: ArtifactStore,
    engine: Engine,
    limits: Limits,
    queue_s: float = QUEUE_S,
    progress: Progress | None = None,
) -> Execution:
    """Screen an input, run it, and write the output and the selected outputs to the workspace.

    Parameters
    ----------
    progress
        Is told what is being done. There is no fraction: IPhreeqc says nothing of a run before its end.

    Raises
    ------
    LabrigError
        If the input is refused (see `screening`), too long, or the database cannot be used. A run that
        PHREEQC itself ends with an error is not an exception: see ``run.status``.
    """
    text = accepted(request.text)
    input_path = posixpath.normpath(request.input_path) if request.input_path else ""
    if input_path == request.result:
        raise LabrigError(
            f"The output would replace the input {request.result}",
            where="input_path",
            try_="write the input to another file, such as input.pqi",
            code="refused",
        )
    complete, found = await completed(
        text, request.database, workspace=workspace, engine=engine, limits=limits, queue_s=queue_s
    )
    notices = [str(notice) for notice in found if _worth_saying(notice)]
    tell = progress or Progress()
    tell(message="waits for a place")
    solve = partial(engine.run, database=request.database, limits=limits, queue_s=queue_s)
    looking = asyncio.create_task(_assumed(complete, request.database))  # while PHREEQC solves
    try:
        run = await solve(
            complete, begun=lambda: tell(message=f"PHREEQC runs, for at most {limits.wall_s:g} s")
        )
        assumed = await looking
    finally:
        looking.cancel()
    tell(message="PHREEQC has ended, its output is read")
    run = await with_files(run, complete, solve)
    if run.output:
        workspace.write_text(request.result, run.output)
    writer = _Writer(workspace, {request.result, input_path})
    files = writer.tables(run)
    dump_file = writer.dump(run, complete)
    artifact = writer.artifact(run, complete, request.result, artifacts)
    return Execution(
        run,
        complete,
        assumed,
        (*notices, *writer.notices),
        request.result if run.output else "",
        files,
        dump_file,
        artifact,
        provenance(run),
    )


def database_of(text: str, asked: str) -> str:
    """Return the database of a run: the one that is asked for, else one of ours that the input names."""
    named = "" if asked or "database" not in text.casefold() else database_named(text)
    known = {each.name.casefold(): each.name for each in databases.list_databases()} if named else {}
    return asked or known.get(named.casefold(), DATABASE)


def accepted(text: str) -> str:
    """Return an input without its byte order mark; refuse one that is empty or too long."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise LabrigError(
            "The input is empty", where="input", expected="PHREEQC input, such as SOLUTION 1 ... END"
        )
    if any("\ud800" <= each <= "\udfff" for each in set(text)):
        raise LabrigError("The input holds half a surrogate pair", where="input", expected="Unicode text")
    if len(text) > MAX_INPUT_CHARS:
        raise LabrigError(
            f"The input has {len(text):,} characters", expected=f"at most {MAX_INPUT_CHARS:,}", code="limit"
        )
    return text


async def completed(
    text: str,
    database: str,
    *,
    workspace: Workspace,
    engine: Engine,
    limits: Limits,
    queue_s: float = QUEUE_S,
) -> tuple[str, list[Notice]]:
    """Return an input with the files of the workspace that it includes in their places, and notices about it.

    Raises
    ------
    LabrigError
        ``refused`` for what would read or write other files, see `screening` and `includes`.
    """
    notices = await aside(len(text), screen, text, databases.find_database(database).name)
    solve = partial(engine.run, database=database, limits=limits, queue_s=queue_s)
    complete = await resolve_includes(text, lambda name: _included(workspace, name), solve, limits.wall_s)
    return complete, notices


async def _assumed(text: str, database: str) -> InputNotices | None:
    """Return what PHREEQC assumes about an input, where it is not too large to look at."""
    if len(text) > MAX_CHARS:
        return None
    return await aside(len(text), input_notices, text, databases.find_database(database))


def _worth_saying(notice: Notice) -> bool:
    """Which file holds a table is said where the table is; the rest is said as a warning."""
    return notice.kind != "file"


def _included(workspace: Workspace, name: str) -> str | None:
    """Return the text behind ``INCLUDE$ name``: a workspace file, or a database that is an add-on to others."""
    if workspace.exists(name):
        return workspace.read_text(name)
    if name in databases.ADD_ONS:
        for database in databases.list_databases():
            if database.name == name:
                return database.path.read_text(encoding="utf-8", errors="replace")
    return None


class _Writer:
    """Writes what a run left beside its output."""

    def __init__(self, workspace: Workspace, taken: set[str]) -> None:
        self._workspace = workspace
        self._files = OwnFiles(workspace, taken)
        self.notices: list[str] = []

    def tables(self, run: Run) -> dict[int, list[str]]:
        """Write every selected output to the files that ``-file`` names, or to one named after its number."""
        if len(run.selected) > MAX_FILES:
            self.notices.append(f"{len(run.selected)} selected outputs: the first {MAX_FILES} are written")
        files: dict[int, list[str]] = {}
        for table in run.selected[:MAX_FILES]:
            for named, text in (table.files or {table.file: table.text}).items():
                if not text.strip() and not run.solved:
                    continue  # nothing came of it, and an earlier run's file may lie there
                name = named
                if not named or not self._files.write(named, text):
                    name = self._files.write_somewhere(f"selected_output_{table.user}.tsv", text)
                    if named:
                        taken = self._workspace.exists(named)
                        why = "is taken and stays as it is" if taken else "is not a name that is written here"
                        self.notices.append(f"-file {named} {why}: the text is in {name}")
                files.setdefault(table.user, []).append(name)
                if not table.files:
                    remember_headings(self._workspace, text, table.columns)
        return files

    def dump(self, run: Run, text: str) -> str:
        """Write the text of DUMP to the file that its ``-file`` names, or to `DUMP`."""
        if not run.dump:
            return ""
        named = [each.name for each in declared_files(text) if each.block == "DUMP"]
        if named and self._files.write(named[-1], run.dump):
            return named[-1]
        return self._files.write_somewhere(DUMP, run.dump)

    def artifact(self, run: Run, text: str, name: str, artifacts: ArtifactStore) -> Artifact | None:
        """Keep the output as an artifact; where there is no room for it, the run is answered all the same."""
        try:
            return artifacts.put(
                name,
                run.output.encode("utf-8"),
                media_type="text/plain",
                made_by={"server": "phreeqc", "engine": record(run), "status": run.status},
                inputs={"input": sha256(text), "database": run.database.sha256},
            )
        except LabrigError as error:
            if error.code != "limit":
                raise
            self.notices.append(f"{name} is no artifact: {error}")
            return None


def remember_headings(workspace: Workspace, text: str, headings: list[str]) -> None:
    """Keep the headings of a selected output with their units, which its text does not have."""
    said = json.dumps(headings).encode()
    if len(said) > HEADINGS_BYTES:
        return  # the columns have the names that PHREEQC printed, without units
    with workspace.private("headings") as folder:
        names = folder.names()
        if len(names) >= MOST_HEADINGS:
            with contextlib.suppress(FileNotFoundError):  # another run of the caller does the same
                for name in sorted(names, key=lambda name: folder.about(name).st_mtime_ns)[: len(names) // 4]:
                    folder.delete(name)
        folder.write_whole(f"{sha256(text)}.json", said)


def remembered_headings(workspace: Workspace, text: str) -> list[str]:
    """Return the headings that a run knew of a text, or none."""
    try:
        with workspace.private("headings") as folder:
            return [str(each) for each in json.loads(folder.read(f"{sha256(text)}.json"))]
    except (OSError, ValueError, TypeError):
        return []


def summary(execution: Execution) -> str:
    """Return one line on the size of the output and where it lies."""
    output = execution.run.output
    if not output:
        return f"{RESULT}: no output; the file of an earlier run, if any, is as it was"
    return f"{execution.result}: {len(output)} characters, {len(lines_of(output))} lines"


def with_wall(limits: Limits, wall_s: float) -> Limits:
    """Return limits for a run that may take `wall_s` seconds of wall clock and of CPU."""
    return replace(limits, wall_s=wall_s, cpu_s=max(limits.cpu_s, int(wall_s)))
