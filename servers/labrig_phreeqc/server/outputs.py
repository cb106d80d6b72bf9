"""Reading outputs: outline, table of values, search, single states and sections."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, json_bytes
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools import cursor as cursors
from labrig.tools.files import SourceArgument, source_text
from labrig.tools.lines import cut_passage
from labrig_phreeqc.output import compare, outline_reading, search
from labrig_phreeqc.output import series as tables
from labrig_phreeqc.output.compare_text import to_text
from labrig_phreeqc.output.outline import states
from labrig_phreeqc.output.outline_text import render
from labrig_phreeqc.output.table_file import PLACES, is_table, read_table
from labrig_phreeqc.runs.execution import RESULT, remembered_headings
from labrig_phreeqc.server.base import toolbox

STATES_A_PAGE = 50
MAX_NOTES = 12


@toolbox.tool(
    title="Outline an output",
    read_only=True,
    toolsets=("default", "outputs"),
    words="large .out file, overview, steps, simulations, sections, states, line ranges",
)
async def outline_output(
    path: SourceArgument = RESULT,
    from_line: Annotated[int, Field(ge=1, description="Unfold states from this line on.")] = 1,
    to_line: Annotated[int | None, Field(ge=1, description="... up to this line.")] = None,
    cursor: Annotated[str, Field(description="Cursor of an earlier answer, for its next page.")] = "",
) -> Answer:
    """Outline a PHREEQC output, or unfold every state between two lines of it, page by page.

    The folded outline names line ranges; give one here to see each state in it with pH, pe, ionic strength,
    temperature and its sections.

    This is the way into a large .out file.

    Example: {}
    """
    text = source_text(path)
    built = outline_reading.outline_output(text)
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


@toolbox.tool(
    title="Read values as a table",
    read_only=True,
    words="out of an .out file: saturation index at a step, block; moles of minerals in the phase assemblage, "
    "initial, final, delta, amount precipitated, dissolved, mass, density, volume, conductivity, activity of water, "
    "ionic strength, molality, concentration of species, total, pH, pe, output of a run",
)
async def read_values(
    quantities: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=20,
            description="pH, ionic strength, ...; total Ca; m(HCO3-), la(HCO3-); SI(Calcite); "
            "moles(Calcite), delta(Calcite); p(CO2(g)); kin(Quartz), dk(Quartz); inverse: transfer, fraction.",
        ),
    ],
    path: SourceArgument = RESULT,
    of: Annotated[
        str,
        Field(description="Only states that match words: 'cell 3', 'sim 2', 'batch'; default all."),
    ] = "",
) -> Answer:
    """Read quantities out of a PHREEQC output, one row for each state (step, time, cell), with units.

    Quantities are m() molality, a() activity, la() its log10, SI() saturation index, moles() and delta() of a phase,
    kin() and dk() (the change) of a kinetic reactant, p() gas pressure; density, volume, activity of water, moles of
    minerals in the assemblage (initial, final, delta).
    Of a file of selected output, name columns instead. A long table comes as a CSV artifact with its first, last,
    least and greatest.

    Example: {"quantities": ["pH", "total Ca", "SI(Calcite)"]}
    """
    text = source_text(path)
    table = await in_thread(table_of, text, quantities, of)
    source = f"{path}: {len(table.rows)} states"
    columns = [{"name": each.name, "unit": each.unit} for each in table.columns]
    notes = tuple(f"{each.column}: {each.text}" for each in table.notes[:MAX_NOTES])
    data: dict[str, Any] = {"columns": columns, "rows": [list(row) for row in table.rows]}
    status = "ok_with_warnings" if notes else "ok"
    if len(json.dumps(data).encode()) <= ANSWER_BYTES - 1500:
        return Answer(source=source, status=status, data=data, warnings=notes)
    kept = session().artifacts.put(
        "series.csv",
        tables.to_csv(table).encode(),
        media_type="text/csv",
        made_by={"server": "phreeqc", "tool": "read_values", "quantities": quantities, "of": of},
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


def table_of(text: str, quantities: list[str], of: str) -> tables.Series:
    """Return a table from an output, or from a file that holds one."""
    if not text.strip():
        raise LabrigError("The file is empty", where="path", expected="an output or a table")
    if is_table(text):
        if of:
            raise LabrigError(
                "A table file has rows, not states", where=f"of={of!r}", expected="no `of` with a table"
            )
        return read_table(text, quantities, remembered_headings(session().workspace, text))
    asked = [each for each in quantities if each.casefold() not in PLACES] or quantities
    try:
        return tables.series(text, asked, states=of or None)
    except LabrigError as error:
        if "shift" in of and error.where.startswith("states="):
            return tables.series(text, asked, states=of.replace("shift", "transport step"))
        error.where = error.where.replace("states=", "of=")
        raise


@toolbox.tool(
    title="Search an output",
    read_only=True,
    toolsets=("outputs",),
    words="find text, word, warning or error in an .out file, line numbers",
)
async def search_output(
    pattern: Annotated[str, Field(min_length=1, description="Text, or a regular expression with regex.")],
    path: SourceArgument = RESULT,
    regex: Annotated[bool, Field(description="Take the pattern as a Python regular expression.")] = False,
    context: Annotated[int, Field(ge=0, le=10, description="Lines before and after; default 2.")] = 2,
    from_line: Annotated[int, Field(ge=1, description="Begin at this line.")] = 1,
) -> Answer:
    """Find text in an output: line numbers, the state each hit lies in, and the lines around it.

    Example: {"pattern": "Calcite"}
    """
    text = source_text(path)
    hits = await in_thread(
        search.search_output, text, pattern, context=context, regex=regex, from_line=from_line, limit=12
    )
    shown = [_hit_lines(hit) for hit in hits.hits]
    fit = cursors.fitting(shown, ANSWER_BYTES - 500)
    if fit == 1 and json_bytes(shown[0]) > ANSWER_BYTES - 500:
        shown[0] = _hit_lines(replace(hits.hits[0], before=(), after=()))
    following = hits.hits[fit].line if fit < len(shown) else hits.next_line
    return Answer(
        source=f"{path}: {hits.total} hits",
        text="\n\n".join(shown[:fit]),
        data={"hits": hits.total},
        next=f"search_output with from_line={following}" if following else "",
    )


def _hit_lines(hit: search.Hit) -> str:
    place = f"L{hit.line}" + (f" in {hit.state}" if hit.state else "")
    return "\n".join([place, *hit.before, f"> {hit.text}", *hit.after])


@toolbox.tool(
    title="Read a state or section",
    read_only=True,
    toolsets=("outputs",),
    words="block of an output, distribution of species, saturation indices, phase assemblage of one step, "
    "simulation or cell",
)
async def read_section(
    state: Annotated[
        str, Field(description="A state: 'step 4', 'sim 2 step 4', 'cell 3', or a line number.")
    ],
    section: Annotated[
        str, Field(description="A section of it: SI, species, comp, phases, ...; default all.")
    ] = "",
    path: SourceArgument = RESULT,
) -> Answer:
    """Read one state of an output, or one section of it, as PHREEQC printed it.

    Of a large .out file it gives the block of one step or cell, such as the saturation index block of step 45.

    Example: {"state": "step 1", "section": "SI"}
    """
    text = source_text(path)
    passage = await in_thread(
        search.read_section, text, outline_reading.outline_output(text), state, section or None
    )
    where = f"{path} L{passage.first}-{passage.last}: {passage.label}"
    shown = cut_passage(passage.text, ANSWER_BYTES - 1000, path, passage.first)
    return Answer(source=where + (f", {passage.section}" if passage.section else ""), text=shown)


@toolbox.tool(
    title="Compare two outputs",
    read_only=True,
    toolsets=("outputs",),
    words="difference, diff of two runs, output files, before and after, versions, databases",
)
async def compare_outputs(
    a: Annotated[str, Field(description="An output: workspace path or an artifact's handle.")],
    b: SourceArgument = RESULT,
    quantities: Annotated[
        list[str], Field(max_length=20, description="Only these, as in series; default all that is printed.")
    ] = [],  # noqa: B006 - pydantic copies it
    relative: Annotated[float, Field(ge=0, le=1, description="Relative difference that is nothing.")] = 1e-3,
) -> Answer:
    """Compare two runs state by state: which numbers differ, where most, and what only one of them prints.

    A later run replaces result.out; the handle in the earlier answer still names its output.

    Example: {"a": "before.out", "b": "result.out", "quantities": ["pH", "total Ca"]}
    """
    found = await in_thread(
        compare.compare_outputs,
        source_text(a),
        source_text(b),
        quantities=quantities or None,
        relative=relative,
    )
    data = {
        "identical": found.identical,
        "agree": found.agree,
        "states": {"a": found.states_a, "b": found.states_b, "paired": found.aligned},
        "differing": found.differing,
        "beyond_tolerance": found.beyond,
    }
    return Answer(source=f"{a} (A) and {b} (B)", text=to_text(found), data=data)
