"""One PHREEQC run for one caller: input from the workspace, results into it, with provenance."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from labrig.answer import Quantity
from labrig.artifacts import Artifact, ArtifactStore
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.workspace import Workspace
from labrig_phreeqc import engine as engines
from labrig_phreeqc.engine import Engine, Limits, Run
from labrig_phreeqc.includes import resolve_includes
from labrig_phreeqc.outline import Outline
from labrig_phreeqc.screening import screen

RESULT = "result.out"
DUMP = "dump.out"
MAX_INPUT_CHARS = 5_000_000
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Execution:
    """A finished run and what it left in the workspace.

    Attributes
    ----------
    files
        Workspace files that hold selected output: user number -> file name.
    dump_file
        Workspace file that holds the text of DUMP, or empty.
    artifact
        The output as an artifact; its manifest names input, database and library with their hashes.
    """

    run: Run
    notices: tuple[str, ...]
    files: dict[int, str]
    dump_file: str
    artifact: Artifact
    source: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the caller should know: why it ended, errors, ignored input and other warnings, our notices."""
        detail = (self.run.detail,) if self.run.detail else ()
        return (*detail, *self.run.errors, *self.run.warnings, *self.notices)


async def execute(
    text: str,
    *,
    database: str,
    workspace: Workspace,
    artifacts: ArtifactStore,
    engine: Engine,
    limits: Limits,
) -> Execution:
    """Screen an input, run it, and write ``result.out`` and the selected outputs to the workspace.

    Raises
    ------
    LabrigError
        If the input is refused (see `screening`), too long, or the database cannot be used. A run that
        PHREEQC itself ends with an error is not an exception: see ``run.status``.
    """
    if not text.strip():
        raise LabrigError(
            "The input is empty", where="input", expected="PHREEQC input, such as SOLUTION 1 ... END"
        )
    if len(text) > MAX_INPUT_CHARS:
        raise LabrigError(
            f"The input has {len(text):,} characters", expected=f"at most {MAX_INPUT_CHARS:,}", code="limit"
        )
    notices = [str(notice) for notice in screen(text)]

    async def run_prefix(prefix: str) -> Run:
        return await engine.run(prefix, database=database, limits=limits)

    complete = await resolve_includes(text, lambda name: _read(workspace, name), run_prefix)
    run = await engine.run(complete, database=database, limits=limits)
    workspace.write_text(RESULT, run.output)
    files, dump_file = _write_tables(run, workspace), ""
    if run.dump:
        dump_file = DUMP
        workspace.write_text(DUMP, run.dump)
    record = engines.record(run)
    artifact = artifacts.put(
        RESULT,
        run.output.encode("utf-8"),
        media_type="text/plain",
        made_by={"server": "phreeqc", "engine": record, "status": run.status},
        inputs={"input": sha256(complete), "database": run.database.sha256},
    )
    return Execution(run, tuple(notices), files, dump_file, artifact, engines.provenance(run))


def _write_tables(run: Run, workspace: Workspace) -> dict[int, str]:
    """Write every selected output to a file: the one that ``-file`` names, or one named after its number."""
    for name, text in run.files.items():
        if _may_write(name):
            workspace.write_text(name, text)
    files = {}
    for table in run.selected:
        files[table.user] = table.file
        if not _may_write(table.file):
            files[table.user] = f"selected_output_{table.user}.tsv"
            workspace.write_text(files[table.user], table.text)
    return files


def _may_write(name: str) -> bool:
    """A ``-file`` name is the agent's choice; it must not replace the output itself."""
    return bool(_SAFE.fullmatch(name)) and name != RESULT


def _read(workspace: Workspace, name: str) -> str | None:
    return workspace.read_text(name) if workspace.exists(name) else None


def key_values(output: Outline, most: int = 3) -> tuple[Quantity, ...]:
    """Return pH, pe, ionic strength, temperature and charge error of each state, if there are few states."""
    states = [state for state in output.states if state.pH is not None]
    found = []
    for state in states if len(states) <= most else []:
        for name, value, unit in (
            ("pH", state.pH, "1"),
            ("pe", state.pe, "1"),
            ("ionic strength", state.ionic_strength, "mol/kgw"),
            ("temperature", state.temperature, "degC"),
            ("charge error", state.charge_error, "%"),
        ):
            if value is not None:
                found.append(Quantity(name, value, unit, state.label))
    return tuple(found)


def summary(execution: Execution) -> str:
    """Return one line on the size of the output and where it lies."""
    output = execution.run.output
    return f"{RESULT}: {len(output)} characters, {output.count(chr(10)) + 1} lines"


def with_wall(limits: Limits, wall_s: float) -> Limits:
    """Return limits for a run that may take `wall_s` seconds of wall clock and of CPU."""
    return replace(limits, wall_s=wall_s, cpu_s=max(limits.cpu_s, int(wall_s)))
