"""Running PHREEQC: in a call, as a job, and in the paper's form."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, Published, json_bytes, with_fewer_warnings
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.progress import Progress
from labrig.threads import aside
from labrig.toolbox import session
from labrig.tools import jobs
from labrig_phreeqc.checks import input_check as checking
from labrig_phreeqc.checks.run_notices import run_notices
from labrig_phreeqc.checks.state_notices import state_notices
from labrig_phreeqc.database import databases
from labrig_phreeqc.engine.run import Limits, record
from labrig_phreeqc.output import protocols
from labrig_phreeqc.output.key_values import key_values, saturation
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.table_file import no_value
from labrig_phreeqc.runs import execution
from labrig_phreeqc.runs.execution import Execution, Request
from labrig_phreeqc.server.base import (
    JOB_WALL_S,
    DatabaseArgument,
    RunDatabase,
    call_limits,
    input_text,
    toolbox,
)

MAX_TABLES = 12
MAX_COLUMNS = 60
LEAST_ROOM = 1000
"""Bytes for selected output where many warnings can give way to it."""
MAX_CHECKED = 20
MAX_CHECKED_CHARS = 1_000_000
MAX_SAID = 12


@toolbox.tool(
    name="execute_phreeqc", title="Run PHREEQC", read_only=False, faithful=True, toolsets=("paper",)
)
async def execute_phreeqc_paper(
    input_path: Annotated[str, Field(description="Path of the PHREEQC input file in the workspace.")],
    database: DatabaseArgument = "phreeqc.dat",
) -> Published:
    """Run PHREEQC on an input file of the workspace.

    The whole output is written to result.out; read parts of it with read_file. No DATABASE line in the input.
    """
    text = session().workspace.read_text(input_path)
    done = await _run(Request(text, database, input_path), call_limits())
    _, text = protocols.deliver(done.run.output, session().options.output or "toc")
    lines = [f"status: {done.status}"]
    lines += [f"error: {each}" for each in done.run.errors]
    lines += [f"warning: {each}" for each in done.warnings]
    lines += [f"selected output {user}: {', '.join(names)}" for user, names in done.files.items()]
    lines += [f"dump: {done.dump_file}"] if done.dump_file else []
    return Published(
        "\n".join([*lines, execution.summary(done), text]),
        done.run.status,
        done.source,
        {"record": _record(done)},
        done.run.failed,
    )


@toolbox.tool(
    title="Run PHREEQC",
    read_only=False,
    first=True,
    words="run a PHREEQC input file (pqi), phreeqc.dat, converged; equilibrium, precipitate, dissolve, mix "
    "solutions, seawater, groundwater, add NaOH, HCl, CO2 gas, calcite, gypsum, NaCl brine, density, volume, "
    "kinetics, rate law, pyrite oxidation, titration, evaporation, sorption, saturation index",
)
async def execute_phreeqc(
    input_path: Annotated[str, Field(description="Input file in the workspace; or give input.")] = "",
    input: Annotated[str, Field(description="PHREEQC input as text; or give input_path.")] = "",
    database: RunDatabase = "",
    output: Annotated[
        str,
        Field(
            description="How the output comes back: auto (default: whole when small, else outline), outline, toc, "
            "toc:50, or raw:N (head and tail, N characters)."
        ),
    ] = "auto",
) -> Answer:
    r"""Run PHREEQC on a workspace file or on text; at most 50 s (start_phreeqc for longer runs).

    The whole output is written to result.out, selected output to files of its own. Read parts of result.out
    with read_file, by the line ranges in the outline. Name the database here, or in a DATABASE line.

    It runs all that PHREEQC does: species of a solution, its density, volume and water activity, what precipitates or
    dissolves and what stays in solution, gases that dissolve (CO2), water to which you add an acid or base (NaOH), a
    mix of two solutions (groundwater with seawater), minerals that precipitate (moles in the assemblage), evaporation,
    mixing, sorption on hydrous ferric oxide (SURFACE), exchangers, rate laws (KINETICS: oxidation of pyrite over
    hours), columns (TRANSPORT, ADVECTION), redox, brines, and inverse models (which minerals dissolving or
    precipitating explain how one water becomes another).

    Example: {"input": "SOLUTION 1\n pH 7\n Ca 1\nREACTION 1\n NaOH 1\n 1 mmol in 4 steps\nEND"}
    """
    protocol = protocols.check(session().options.output or output)
    text = input_text(input_path, input)
    request = Request(text, await aside(len(text), execution.database_of, text, database), input_path)
    done = await _run(request, call_limits())
    return await aside(len(done.input) + len(done.run.output), _answer, done, protocol)


@toolbox.tool(
    title="Check an input",
    read_only=True,
    words="charge balance, ion balance, electroneutrality, error in a file, syntax, keyword, why PHREEQC stops, "
    "fails, does not converge, convergence, numerical method failed, warning",
)
async def check_input(
    input_path: Annotated[str, Field(description="Input file in the workspace; or give input.")] = "",
    input: Annotated[str, Field(description="PHREEQC input as text; or give input_path.")] = "",
    database: RunDatabase = "",
) -> Answer:
    r"""Check the solutions of an input before anything reacts.

    It says the charge error, the change of pH that `charge` would make, lines without effect, defaults in effect, what
    masses are counted as, doubtful numbers.

    Use it before a run, or when PHREEQC stops with an error (unknown input, no keyword), and for ion balance,
    electroneutrality and missing alkalinity or bicarbonate.

    Example: {"input": "SOLUTION 1\n pH 7\n Ca 1\n Alkalinity 2\nEND"}
    """
    here = session()
    limits = call_limits()
    text = execution.accepted(input_text(input_path, input))
    if len(text) > MAX_CHECKED_CHARS:
        raise LabrigError(
            f"The input has {len(text):,} characters",
            expected=f"at most {MAX_CHECKED_CHARS:,} to be checked",
            code="limit",
        )
    database = await aside(len(text), execution.database_of, text, database)
    complete, _ = await execution.completed(
        text, database, workspace=here.workspace, engine=here.state.engine, limits=limits
    )
    found = await checking.check_input(complete, database, here.state.engine, limits)
    assumed = found.input_notices
    solutions = [_checked(each) for each in found.solutions]
    data: dict[str, Any] = {
        "solutions": solutions[:MAX_CHECKED],
        "defaults": [str(each) for each in assumed.defaults[:MAX_SAID]],
        "counted_as": list(assumed.counted_as[:MAX_SAID]),
    }
    hidden = {
        "solutions": len(solutions) - MAX_CHECKED + found.unchecked,
        "defaults": len(assumed.defaults) - MAX_SAID,
        "counted_as": len(assumed.counted_as) - MAX_SAID,
    }
    data["not_shown"] = {name: count for name, count in hidden.items() if count > 0}
    warnings = list(dict.fromkeys([*found.ignored, *assumed.doubtful, *found.warnings, *found.doubtful]))
    if not found.solutions:
        warnings.append("The input has no SOLUTION block to check")
    return Answer(
        source=found.source or f"{databases.find_database(database).name}, nothing was run",
        status="ok_with_warnings" if warnings else "ok",
        data={name: each for name, each in data.items() if each},
        warnings=tuple(warnings[:MAX_SAID]),
    )


def _checked(found: checking.CheckedSolution) -> dict[str, Any]:
    """Return one solution as data, the unit in the name, four digits."""
    numbers = {
        "pH": found.pH,
        "pe": found.pe,
        "temperature_degC": found.temperature,
        "ionic_strength_mol_kgw": found.ionic_strength,
        "charge_error_percent": found.charge_error,
        "charge_balance_eq_kgw": found.charge_balance,
        "pH_if_charge": found.neutral_pH,
        "pH_change_by_charge": found.pH_change,
    }
    data: dict[str, Any] = {"solution": found.name, "line": found.line, "status": found.status}
    if found.description:
        data["description"] = found.description[:60]
    data |= {name: float(f"{value:.4g}") for name, value in numbers.items() if value is not None}
    if found.no_neutral_pH:
        data["no_pH_by_charge"] = found.no_neutral_pH
    return data | ({"errors": list(found.errors)} if found.errors else {})


@toolbox.tool(
    title="Start a long PHREEQC run",
    read_only=False,
    idempotent=False,
    words="transport, 1D, column, breakthrough, kinetics, rate law, oxidation of pyrite over hours, days or years, "
    "long or slow simulation, many cells, shifts, reactive transport, advection, diffusion, dispersion",
)
async def start_phreeqc(
    input_path: Annotated[str, Field(description="Input file in the workspace; or give input.")] = "",
    input: Annotated[str, Field(description="PHREEQC input as text; or give input_path.")] = "",
    database: RunDatabase = "",
    wall_s: Annotated[
        float, Field(gt=0, le=JOB_WALL_S, description="Time limit in seconds, up to 1800.")
    ] = 600.0,
) -> Answer:
    r"""Start a run that takes longer than a call may (transport, kinetics). Gives a job id for get_job.

    Its output goes to a file of its own. A job ends with its server.

    It is for column experiments with many cells and shifts, breakthrough curves and long kinetics
    (rate laws, such as the oxidation of pyrite over hours or years).

    Example: {"input": "SOLUTION 1\n pH 7\n Ca 1\n Alkalinity 2\nEND"}
    """
    here = session()
    text = input_text(input_path, input)
    request = Request(text, await aside(len(text), execution.database_of, text, database), input_path)
    databases.find_database(request.database)
    protocol = here.options.output or "auto"

    async def work(progress: Progress) -> Answer:
        done = await execution.execute_phreeqc(
            replace(request, result=f"{progress.job_id}.out"),
            workspace=here.workspace,
            artifacts=here.artifacts,
            engine=here.state.engine,
            limits=execution.with_wall(Limits(), wall_s),
            queue_s=wall_s,
            progress=progress,
        )
        answer = await aside(len(done.input) + len(done.run.output), _answer, done, protocol)
        return replace(answer, record={})  # calls of get_job that were recorded have none

    job = here.jobs.start("phreeqc", work, owner=here.owner)
    return Answer(
        source="labrig phreeqc",
        status="started",
        data={"job": job, "output": {"file": f"{job}.out"}},
        next=f"get_job(job={job!r}, wait_s=45)",
    )


jobs.offer(toolbox, started_by="start_phreeqc, find_dose or sweep_parameters")


async def _run(request: Request, limits: Limits) -> Execution:
    here = session()
    return await execution.execute_phreeqc(
        request,
        workspace=here.workspace,
        artifacts=here.artifacts,
        engine=here.state.engine,
        limits=limits,
        progress=here.progress,
    )


def _record(done: Execution) -> dict[str, Any]:
    return {**record(done.run), "output_sha256": sha256(done.run.output)}


def _answer(done: Execution, protocol: str) -> Answer:
    """Put a run into an Answer: small by itself, everything else by name."""
    run = done.run
    built = outline_output(run.output)
    kind, text = protocols.deliver(run.output, protocol, built)
    data: dict[str, Any] = {"output": {"file": done.result, "kind": kind, "characters": len(run.output)}}
    if run.errors:
        data["errors"] = run.errors
    if run.selected:
        data["selected_output"] = []  # has the room that everything else leaves
    indices = saturation(run, built) if kind == "outline" and run.solved else []
    if indices:
        data["saturation_indices"] = indices
    if done.dump_file:
        data["dump"] = done.dump_file
    known = run_notices(done.input, done.assumed, run, built)
    if known.assumed():
        data["assumed"] = known.assumed()
    warnings = (*done.warnings, *state_notices(run, built), *known.doubtful)
    answer = Answer(
        source=done.source,
        status="ok_with_warnings" if run.status == "ok" and warnings else run.status,
        values=key_values(run, built),
        text=text if run.output else "",
        data=data,
        warnings=warnings,
        artifacts=(done.artifact.to_dict(),) if run.output and done.artifact else (),
        next=_next(done, kind),
        record={"record": _record(done)},
        failed=run.failed,
    )
    if run.selected:
        left = ANSWER_BYTES - json_bytes(answer.to_dict()) - 100
        tables = _tables(done, max(left, LEAST_ROOM if len(warnings) > 5 else 0))
        answer = replace(answer, data={**data, "selected_output": tables})
    if protocol.startswith(("raw", "toc")):
        return answer
    return with_fewer_warnings(answer, where="; those of PHREEQC stand in its output")


def _tables(done: Execution, room: int) -> list[dict[str, Any]]:
    """Return each selected output by name and shape, with its values while there is room (bytes of JSON)."""
    tables: list[dict[str, Any]] = []
    for selected in done.run.selected[:MAX_TABLES]:
        table: dict[str, Any] = {
            "user": selected.user,
            "file": ", ".join(done.files.get(selected.user, [])),
            "columns": selected.columns[:MAX_COLUMNS],
            "rows": len(selected.rows),
        }
        if len(selected.columns) > MAX_COLUMNS:
            table["more_columns"] = len(selected.columns) - MAX_COLUMNS
        tables.append(table)
    room -= json_bytes(tables)
    for table, selected in zip(tables, done.run.selected, strict=False):
        values = [_cells(row, selected.columns) for row in selected.rows[: max(0, room) // 4]]
        more: dict[str, Any] = {"values": values}
        if any(cell is None for row in values for cell in row):
            more["null"] = (
                "no value: empty, or PHREEQC's -999.999 (cannot form here) or -99 (no step, time, place)"
            )
        size = json_bytes(more)
        if len(values) == len(selected.rows) and size <= room and "more_columns" not in table:
            table.update(more)
            room -= size
    if len(done.run.selected) > MAX_TABLES:
        tables.append({"more_tables": len(done.run.selected) - MAX_TABLES})
    return tables


def _cells(row: list[Any], columns: list[str]) -> list[Any]:
    """Return a row for reading: ten significant digits, and null for the number that stands for no value."""
    cells = []
    for cell, column in zip(row, columns, strict=False):
        if isinstance(cell, float):
            cell = None if no_value(column, cell) or not math.isfinite(cell) else float(f"{cell:.10g}")
        cells.append(cell)
    return cells


def _next(done: Execution, kind: str) -> str:
    if done.run.status in ("wall_limit", "cpu_limit"):
        return "start_phreeqc with a larger wall_s, or fewer shifts or steps; a run that is ended leaves no output"
    if not done.run.output or kind == "raw":
        return ""
    return f"read_file(path={done.result!r}, start_line=, end_line=) for any range above"
