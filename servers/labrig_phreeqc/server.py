"""The MCP face of the PHREEQC server: tools, their descriptions and annotations. No science."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from labrig import cursor as cursors
from labrig.answer import ANSWER_BYTES, Answer, Published
from labrig.canonical import sha256
from labrig.config import setting
from labrig.errors import LabrigError
from labrig.jobs import JobState, Progress
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig_phreeqc import databases, execution, lookup, protocols, search
from labrig_phreeqc import series as tables
from labrig_phreeqc.engine import Engine
from labrig_phreeqc.execution import RESULT, Execution, Request
from labrig_phreeqc.library import find_library
from labrig_phreeqc.outline import outline, states
from labrig_phreeqc.outline_text import render
from labrig_phreeqc.run import Limits, record

WHOLE_FILE_CHARS = 20_000
"""`read_file` without a range gives files up to this size whole (the authors' released code)."""

EDGE_LINES = 80
"""... and of larger ones the first and last lines, this many each (the same)."""

RANGE_CHARS = 100_000
"""`read_file` with a range gives at most this much (characters)."""

MAX_LISTED = 500
STATES_A_PAGE = 50
MAX_TABLES = 12
MAX_ENTRIES = 8
MAX_COLUMNS = 60
CALL_WALL_S = 50.0
"""A call ends before the 60 s after which most clients stop waiting; longer runs are jobs."""

JOB_WALL_S = 1800.0


@dataclass
class State:
    """What all callers of one server share."""

    engine: Engine


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[State]:
    """Hold the engine over the server's life; it starts its fork server at the first run."""
    async with Engine() as engine:
        yield State(engine)


def doctor() -> list[str]:
    """Say which library and databases would be used, and whether a run succeeds with them."""
    library = find_library()
    found = databases.list_databases()
    _limits("wall_s", CALL_WALL_S)
    return [
        f"test run: {asyncio.run(_trial()) if found else 'not tried'}",
        f"library {library.distribution}: {library.path} (sha256 {library.sha256[:12]})",
        f"{len(found)} databases"
        + (f" in {found[0].path.parent}" if found else ": run `labrig setup phreeqc`"),
    ]


async def _trial() -> str:
    async with Engine() as engine:
        return (await engine.run("SOLUTION 1\nEND", limits=Limits(wall_s=20))).status


toolbox = Toolbox(
    "phreeqc",
    "PHREEQC aqueous geochemistry",
    "Runs PHREEQC 3 (USGS): speciation, saturation indices, equilibrium with minerals and gases, exchange, "
    "surfaces, kinetics, transport. Write an input (write_file), run it (execute_phreeqc), get values with series, "
    "or read result.out with read_file by the line numbers of its outline. look_up tells what a database holds. No "
    "DATABASE line in the input: name it in the call. Mind the warnings: PHREEQC goes on after a misspelt keyword or "
    "an element that the database lacks. Defaults where the input is silent: pH 7, pe 4, 25 degC, mmol/kgw.",
    opens=opens,
    outputs=protocols.NAMES,
    doctor=doctor,
)

BOTH = ("default", "paper")

PathArgument = Annotated[str, Field(description="Relative path in the workspace.")]
SourceArgument = Annotated[str, Field(description="Relative path in the workspace, or an artifact's handle.")]
DatabaseArgument = Annotated[
    str,
    Field(
        description="Database by name, default phreeqc.dat; others: pitzer.dat, wateq4f.dat, llnl.dat, ..."
    ),
]


@toolbox.tool(title="Write a file", read_only=False, destructive=True, faithful=True, toolsets=BOTH)
async def write_file(
    path: PathArgument,
    content: Annotated[str, Field(description="Text of the file; replaces what was there.")],
) -> Published:
    """Write a text file in the workspace, such as a PHREEQC input. An existing file is replaced."""
    session().workspace.write_text(path, content)
    lines = content.count("\n") + (not content.endswith("\n") if content else 0)
    return Published(f"Wrote {path}: {len(content)} characters, {lines} lines.")


@toolbox.tool(title="Read a file", read_only=True, faithful=True, toolsets=BOTH)
async def read_file(
    path: SourceArgument,
    start_line: Annotated[int | None, Field(ge=1, description="First line, from 1.")] = None,
    end_line: Annotated[int | None, Field(ge=1, description="Last line, included.")] = None,
) -> Published:
    """Read a file of the workspace, or the lines start_line to end_line of it.

    Without a range, files up to 20,000 characters come whole, larger ones as their first and last 80 lines.
    A range gives at most 100,000 characters.
    """
    lines = protocols.lines_of(_text(path))
    if start_line is None and end_line is None:
        return Published(_whole_or_edges(lines, path))
    first, last = start_line or 1, end_line or len(lines)
    if first > len(lines):
        raise LabrigError(
            f"The file has {len(lines)} lines", where=f"start_line {first}", expected="a line within it"
        )
    if last < first:
        raise LabrigError(
            "The range is empty", where=f"start_line {first}, end_line {last}", expected="start <= end"
        )
    text = "\n".join(lines[first - 1 : last])
    if len(text) > RANGE_CHARS:
        kept = text[:RANGE_CHARS].rsplit("\n", 1)[0]
        reached = first + kept.count("\n")
        text = f"{kept}\n[... cut at {RANGE_CHARS} characters; go on with start_line {reached + 1} ...]"
    return Published(text)


def _text(path: str) -> str:
    """Return a file of the workspace, or the artifact that a handle names."""
    here = session()
    if path.startswith("sha256:"):
        return here.artifacts.read(path).decode("utf-8", errors="replace")
    return here.workspace.read_text(path)


def _whole_or_edges(lines: list[str], path: str) -> str:
    if sum(map(len, lines)) + len(lines) - 1 <= WHOLE_FILE_CHARS:
        return "\n".join(lines)
    if len(lines) <= 2 * EDGE_LINES:
        return protocols.cut("\n".join(lines), WHOLE_FILE_CHARS, path)
    head, tail = "\n".join(lines[:EDGE_LINES]), "\n".join(lines[-EDGE_LINES:])
    hidden = (
        f"[... lines {EDGE_LINES + 1} to {len(lines) - EDGE_LINES} of {len(lines)} omitted; give a range ...]"
    )
    return protocols.cut(f"{head}\n{hidden}\n{tail}", WHOLE_FILE_CHARS, path)


@toolbox.tool(title="List files", read_only=True, faithful=True, toolsets=BOTH)
async def list_file() -> Published:
    """List the files of the workspace with their sizes in bytes, one a line."""
    entries = session().workspace.entries()
    lines = [f"{entry.path} ({entry.bytes} bytes)" for entry in entries[:MAX_LISTED]]
    if len(entries) > MAX_LISTED:
        lines.append(f"[... {len(entries) - MAX_LISTED} more files ...]")
    return Published("\n".join(lines) or "The workspace is empty.")


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
    done = await _run(Request(text, database, input_path), _limits("wall_s", CALL_WALL_S))
    _, text = protocols.deliver(done.run.output, session().options.output or "toc")
    lines = [f"status: {done.status}"]
    lines += [f"error: {each}" for each in done.run.errors]
    lines += [f"warning: {each}" for each in done.warnings]
    lines += [f"selected output {user}: {name}" for user, name in done.files.items()]
    lines += [f"dump: {done.dump_file}"] if done.dump_file else []
    return Published(
        "\n".join([*lines, execution.summary(done), text]),
        done.run.status,
        done.source,
        {"record": _record(done)},
    )


@toolbox.tool(title="Run PHREEQC", read_only=False)
async def execute_phreeqc(
    input_path: Annotated[str, Field(description="Input file in the workspace; or give input.")] = "",
    input: Annotated[str, Field(description="PHREEQC input as text; or give input_path.")] = "",
    database: DatabaseArgument = "phreeqc.dat",
    output: Annotated[
        str,
        Field(
            description="How the output comes back: auto (default: whole when small, else outline), outline, toc, "
            "toc:50, or raw:N (head and tail, N characters)."
        ),
    ] = "auto",
) -> Answer:
    """Run PHREEQC on a workspace file or on text; at most 50 s (start_phreeqc for longer runs).

    The whole output is written to result.out, selected output to files of its own. Read parts of result.out
    with read_file, by the line ranges in the outline. No DATABASE line in the input: name the database here.
    """
    protocol = protocols.check(session().options.output or output)
    request = Request(_input(input_path, input), database, input_path)
    return _answer(await _run(request, _limits("wall_s", CALL_WALL_S)), protocol)


@toolbox.tool(title="Start a long PHREEQC run", read_only=False, idempotent=False)
async def start_phreeqc(
    input_path: Annotated[str, Field(description="Input file in the workspace; or give input.")] = "",
    input: Annotated[str, Field(description="PHREEQC input as text; or give input_path.")] = "",
    database: DatabaseArgument = "phreeqc.dat",
    wall_s: Annotated[
        float, Field(gt=0, le=JOB_WALL_S, description="Time limit in seconds, up to 1800.")
    ] = 600.0,
) -> Answer:
    """Start a run that takes longer than a call may (transport, kinetics). Gives a job id for get_job.

    Its output goes to a file of its own. A job ends with its server.
    """
    here = session()
    request = Request(_input(input_path, input), database, input_path)
    databases.find_database(database)
    protocol = here.options.output or "auto"

    async def work(progress: Progress) -> dict[str, Any]:
        done = await execution.execute(
            replace(request, result=f"{progress.job_id}.out"),
            workspace=here.workspace,
            artifacts=here.artifacts,
            engine=here.state.engine,
            limits=execution.with_wall(Limits(), wall_s),
            queue_s=wall_s,
        )
        return _answer(done, protocol).to_dict()

    job = here.jobs.start("phreeqc", work, owner=here.owner)
    return Answer(
        source="labrig phreeqc",
        status="started",
        data={"job": job, "output": {"file": f"{job}.out"}},
        next=f"get_job(job={job!r}, wait_s=45)",
    )


@toolbox.tool(title="Get a job", read_only=True)
async def get_job(
    job: Annotated[str, Field(description="Job id.")],
    wait_s: Annotated[
        float, Field(ge=0, le=45, description="Wait up to this many seconds for the end.")
    ] = 0.0,
) -> Answer:
    """Look at a job that start_phreeqc started; when it is done, its result is in the answer."""
    return _job_answer(await session().jobs.get(job, wait_s, owner=session().owner))


@toolbox.tool(title="Cancel a job", read_only=False, destructive=True)
async def cancel_job(job: Annotated[str, Field(description="Job id.")]) -> Answer:
    """Stop a job that start_phreeqc started. A job that has ended stays as it is."""
    return _job_answer(await session().jobs.cancel(job, owner=session().owner))


def _job_answer(state: JobState) -> Answer:
    if state.error is not None:
        raise LabrigError.from_dict(state.error)
    if state.result is not None:
        return Answer.from_dict(state.result)
    return Answer(
        source="labrig phreeqc",
        status=state.state,
        data={"job": state.job_id},
        next="" if state.finished else f"get_job(job={state.job_id!r}, wait_s=45)",
    )


@toolbox.tool(title="Outline an output", read_only=True, toolsets=("default", "outputs"))
async def outline_output(
    path: SourceArgument = RESULT,
    from_line: Annotated[int, Field(ge=1, description="Unfold states from this line on.")] = 1,
    to_line: Annotated[int | None, Field(ge=1, description="... up to this line.")] = None,
    cursor: Annotated[str, Field(description="Cursor of an earlier answer, for its next page.")] = "",
) -> Answer:
    """Outline a PHREEQC output, or unfold every state between two lines of it, page by page.

    The folded outline names line ranges; give one here to see each state in it with pH, pe, ionic strength,
    temperature and its sections.
    """
    text = _text(path)
    built = outline(text)
    source = f"outline of {path} ({len(text)} characters, {len(built.states)} states)"
    if from_line == 1 and to_line is None and not cursor:
        return Answer(source=source, text=render(built))
    last = to_line or built.lines
    if from_line > built.lines or last < from_line:
        raise LabrigError(
            "The range is empty",
            where=f"from_line {from_line}, to_line {last}",
            expected=f"1 to {built.lines}",
        )
    question = [path, from_line, last, len(text)]
    shown, following = cursors.page(states(built, from_line, last), question, cursor, size=STATES_A_PAGE)
    if shown:
        from_line, last = shown[0].first, shown[-1].last
    page = render(built, lines=(from_line, last))
    if not following:
        return Answer(source=source, text=page)
    again = "the same call with this cursor gives the next states"
    return Answer(source=source, text=page, data={"cursor": following}, next=again)


@toolbox.tool(title="List databases", read_only=True)
async def list_databases() -> Answer:
    """List the thermodynamic databases that execute_phreeqc takes by name, and the PHREEQC library in use."""
    library = find_library()
    found = databases.list_databases()
    rows = [{"name": each.name, "about": each.description, "sha256": each.sha256[:12]} for each in found]
    return Answer(
        source=f"PHREEQC {library.distribution} (sha256 {library.sha256[:12]})",
        data={"databases": rows},
        warnings=() if rows else ("No database is installed: run `labrig setup phreeqc`.",),
        record={"databases": {each.name: each.sha256 for each in found}, "library": library.sha256},
    )


@toolbox.tool(title="Values as a table", read_only=True)
async def series(
    quantities: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=20,
            description="pH, pe, temperature, ionic strength, ...; total Ca; m(HCO3-), la(HCO3-); SI(Calcite); "
            "moles(Calcite), delta(Calcite); p(CO2(g)); kin(Quartz).",
        ),
    ],
    path: SourceArgument = RESULT,
    of: Annotated[
        str,
        Field(description="Only states that match words such as 'cell 3', 'sim 2', 'batch'; default all."),
    ] = "",
) -> Answer:
    """Read quantities out of a PHREEQC output, one row for each state (step, time, cell), with units.

    m() molality, a() activity, la() its log10, SI() saturation index, moles() and delta() of a phase, p() gas pressure.
    A long table comes as a CSV artifact with first, last, least and greatest values.
    """
    text = _text(path)
    table = await asyncio.to_thread(tables.series, text, quantities, states=of or None)
    source = f"{path}: {len(table.rows)} states"
    columns = [{"name": each.name, "unit": each.unit} for each in table.columns]
    notes = tuple(f"{each.column}: {each.text}" for each in table.notes[:MAX_TABLES])
    data: dict[str, Any] = {"columns": columns, "rows": [list(row) for row in table.rows]}
    status = "ok_with_warnings" if notes else "ok"
    if len(json.dumps(data).encode()) <= ANSWER_BYTES - 1500:
        return Answer(source=source, status=status, data=data, warnings=notes)
    kept = session().artifacts.put(
        "series.csv",
        tables.to_csv(table).encode(),
        media_type="text/csv",
        made_by={"server": "phreeqc", "tool": "series", "quantities": quantities, "of": of},
        inputs={path: sha256(text)},
    )
    return Answer(
        source=source,
        status=status,
        data={"columns": columns, "rows": len(table.rows), "summary": tables.summary(table)},
        warnings=notes,
        artifacts=(kept.to_dict(),),
        next=f"read_file(path={kept.handle!r}, start_line=, end_line=) for rows, or of= for fewer states",
    )


@toolbox.tool(title="Search an output", read_only=True, toolsets=("outputs",))
async def search_output(
    pattern: Annotated[str, Field(min_length=1, description="Text, or a regular expression with regex.")],
    path: SourceArgument = RESULT,
    regex: Annotated[bool, Field(description="Take the pattern as a Python regular expression.")] = False,
    context: Annotated[int, Field(ge=0, le=10, description="Lines before and after; default 2.")] = 2,
    from_line: Annotated[int, Field(ge=1, description="Begin at this line.")] = 1,
) -> Answer:
    """Find text in an output: line numbers, the state each hit lies in, and the lines around it."""
    text = _text(path)
    hits = await asyncio.to_thread(
        search.search, text, pattern, context=context, regex=regex, from_line=from_line, limit=12
    )
    shown = [
        "\n".join(
            [
                f"L{hit.line}" + (f" in {hit.state}" if hit.state else ""),
                *hit.before,
                f"> {hit.text}",
                *hit.after,
            ]
        )
        for hit in hits.hits
    ]
    more = f"search_output with from_line={hits.next_line}" if hits.next_line else ""
    return Answer(
        source=f"{path}: {hits.total} hits", text="\n\n".join(shown), data={"hits": hits.total}, next=more
    )


@toolbox.tool(title="Read a state or section", read_only=True, toolsets=("outputs",))
async def read_section(
    state: Annotated[
        str, Field(description="A state: 'step 4', 'sim 2 step 4', 'cell 3', or a line number.")
    ],
    section: Annotated[
        str, Field(description="A section of it: SI, species, comp, phases, ...; default all.")
    ] = "",
    path: SourceArgument = RESULT,
) -> Answer:
    """Read one state of an output, or one section of it, as PHREEQC printed it."""
    text = _text(path)
    passage = await asyncio.to_thread(search.section_text, text, outline(text), state, section or None)
    where = f"{path} L{passage.first}-{passage.last}: {passage.label}"
    shown = protocols.cut(passage.text, ANSWER_BYTES - 1000, path)
    return Answer(source=where + (f", {passage.section}" if passage.section else ""), text=shown)


@toolbox.tool(title="Look into a database", read_only=True)
async def look_up(
    query: Annotated[str, Field(description="Name, element or part of a name; empty counts what there is.")],
    database: DatabaseArgument = "phreeqc.dat",
    kind: Annotated[
        Literal["", "element", "species", "phase", "rate"], Field(description="Only this kind; default all.")
    ] = "",
    temperature: Annotated[float, Field(ge=-50, le=1000, description="degC, for log K; default 25.")] = 25.0,
) -> Answer:
    """Look up elements, species, minerals, gases and rate laws of a database, with log K and its stated range.

    For an element it says what a mass in mg/L is counted as when the input has no `as`.
    """
    chosen = databases.find_database(database)
    found = await asyncio.to_thread(lookup.look_up, chosen, query, kind)
    exact: list[dict[str, Any]] = []
    warnings: list[str] = []
    for entry in found.exact[:MAX_ENTRIES]:
        data, said = lookup.described(entry, temperature)
        exact.append(data)
        warnings += said
    related = {each: [one.name for one in entries] for each, entries in found.related.items() if entries}
    return Answer(
        source=f"{chosen.name} {chosen.official or ''} (sha256 {chosen.sha256[:12]})".replace("  ", " "),
        status="ok_with_warnings" if warnings else "ok",
        data={"exact": exact, "related": related, "counts": found.counts, "nearest": found.nearest},
        warnings=tuple(warnings),
    )


def _input(input_path: str, text: str) -> str:
    if bool(input_path) == bool(text):
        raise LabrigError(
            "Give either input_path or input" + (", not both" if text else ""),
            where="input_path, input",
            expected="a file of the workspace, or the input as text",
        )
    return text or session().workspace.read_text(input_path)


def _limits(key: str, wall_s: float) -> Limits:
    text = setting("phreeqc", key, str(wall_s))
    try:
        seconds = float(text)
        if not 0 < seconds <= JOB_WALL_S:
            raise ValueError
    except ValueError:
        raise LabrigError(
            f"The setting phreeqc.{key} cannot be used", where=text, expected=f"seconds, up to {JOB_WALL_S:g}"
        ) from None
    return execution.with_wall(Limits(), seconds)


async def _run(request: Request, limits: Limits) -> Execution:
    here = session()
    return await execution.execute(
        request, workspace=here.workspace, artifacts=here.artifacts, engine=here.state.engine, limits=limits
    )


def _record(done: Execution) -> dict[str, Any]:
    return {**record(done.run), "output_sha256": done.artifact.sha256}


def _answer(done: Execution, protocol: str) -> Answer:
    """Put a run into an Answer: small by itself, everything else by name."""
    run = done.run
    kind, text = protocols.deliver(run.output, protocol)
    built = outline(run.output)
    data: dict[str, Any] = {"output": {"file": done.result, "kind": kind, "characters": len(run.output)}}
    if run.errors:
        data["errors"] = run.errors
    if run.selected:
        data["selected_output"] = _tables(done, ANSWER_BYTES - len(text.encode()) - 1500)
    indices = execution.saturation(run, built) if kind == "outline" and run.solved else []
    if indices:
        data["saturation_indices"] = indices
    if done.dump_file:
        data["dump"] = done.dump_file
    warnings = (*done.warnings, *execution.doubts(run, built))
    return Answer(
        source=done.source,
        status="ok_with_warnings" if run.status == "ok" and warnings else run.status,
        values=execution.key_values(run, built),
        text=text if run.output else "",
        data=data,
        warnings=warnings,
        artifacts=(done.artifact.to_dict(),) if run.output else (),
        next=_next(done, kind),
        record={"record": _record(done)},
    )


def _tables(done: Execution, room: int) -> list[dict[str, Any]]:
    """Return each selected output by name and shape, with its values while there is room (bytes of JSON)."""
    tables: list[dict[str, Any]] = []
    for selected in done.run.selected[:MAX_TABLES]:
        table: dict[str, Any] = {
            "user": selected.user,
            "file": done.files[selected.user],
            "columns": selected.columns[:MAX_COLUMNS],
            "rows": len(selected.rows),
        }
        if len(selected.columns) > MAX_COLUMNS:
            table["more_columns"] = len(selected.columns) - MAX_COLUMNS
        values = [_cells(row, selected.columns) for row in selected.rows[: room // 4]]
        size = len(json.dumps(values, ensure_ascii=False))
        if len(values) == len(selected.rows) and size <= room and "more_columns" not in table:
            table["values"] = values
            room -= size
            if any(cell is None for row in values for cell in row):
                table["null"] = (
                    "no value: the cell is empty, or the phase cannot form here (PHREEQC writes -999.999)"
                )
        tables.append(table)
    if len(done.run.selected) > MAX_TABLES:
        tables.append({"more_tables": len(done.run.selected) - MAX_TABLES})
    return tables


def _cells(row: list[Any], columns: list[str]) -> list[Any]:
    """Return a row for reading: ten significant digits, and null for the number that stands for no value."""
    cells = []
    for cell, column in zip(row, columns, strict=False):
        if isinstance(cell, float):
            absent = column.lower().startswith("si_") and abs(cell + 999.999) < 1e-6
            cell = None if absent or not math.isfinite(cell) else float(f"{cell:.10g}")
        cells.append(cell)
    return cells


def _next(done: Execution, kind: str) -> str:
    if done.run.status in ("wall_limit", "cpu_limit"):
        return "start_phreeqc with a larger wall_s, or fewer shifts or steps; a run that is ended leaves no output"
    if not done.run.output or kind == "raw":
        return ""
    return f"read_file(path={done.result!r}, start_line=, end_line=) for any range above"
