"""Pictures, as image content and as a PNG file in the workspace."""

from __future__ import annotations

import csv
import json
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Picture
from labrig.canonical import sha256
from labrig.errors import LabrigError, unknown_name
from labrig.plotting.drawing import png_size
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.files import source_text
from labrig.tools.own_files import OwnFiles
from labrig.workspace import Workspace
from labrig_phreeqc.engine.run import provenance, record
from labrig_phreeqc.input.screening import file_name
from labrig_phreeqc.output.table_file import bare_heading, find_heading, is_table, read_table
from labrig_phreeqc.plots.series_plot import plot_data
from labrig_phreeqc.runs import execution, user_graph
from labrig_phreeqc.runs.execution import RESULT
from labrig_phreeqc.server.base import RunDatabase, call_limits, input_text, toolbox
from labrig_phreeqc.server.outputs import table_of

DRAWING_WALL_S = 50.0
MOST_TOLD = 20
"""Curves of a USER_GRAPH that its caption tells."""
DRAWN_IONS = ("Ca", "Mg", "Na", "HCO3", "SO4", "Cl")
"""A water without one of these has no place in a Piper or Stiff diagram; others count as 0 where they are not given."""

_PART = {"durov": "piper", "schoeller": "piper", "gibbs": "piper"}
"""Which part of a results file a kind is drawn from, where it has none of its own."""


@toolbox.tool(
    title="Draw a plot",
    read_only=False,
    picture=True,
    toolsets=("default", "waters"),
    words="Piper diagram, Durov, Schoeller, Gibbs, Stiff, water type, facies, hydrochemistry, groundwater samples, "
    "curve of pH, concentration or saturation against time, steps or distance, chart",
)
async def draw_plot(
    kind: Annotated[
        Literal[
            "series", "map", "piper", "durov", "schoeller", "gibbs", "stiff", "saturation", "uncertainty"
        ],
        Field(
            description="series: values of an output. map: of a sweep. "
            "piper to saturation: of a JSON of speciate_waters. "
            "uncertainty: of estimate_saturation."
        ),
    ],
    path: Annotated[
        str,
        Field(
            description="Workspace file or handle; series: an output (default result.out) or selected output."
        ),
    ] = "",
    quantities: Annotated[
        list[str],
        Field(max_length=20, description="As in the tool series; else phases or samples."),
    ] = [],  # noqa: B006 - pydantic copies it
    x: Annotated[
        str,
        Field(description="Axis of series: time, step, cell, a quantity; default what varies."),
    ] = "",
    of: Annotated[str, Field(description="States of series, as in the tool.")] = "",
    title: Annotated[str, Field(max_length=120, description="Heading of the picture.")] = "",
) -> Picture:
    """Draw a plot and keep it as a PNG in the workspace (its name is in the caption).

    Piper, Durov, Schoeller, Gibbs and Stiff diagrams (polygons) show the facies or type of waters, springs and wells:
    Na-HCO3, Ca-SO4, Na-Cl.

    Example: {"kind": "series", "quantities": ["pH"], "x": "step"}
    """
    source = path or (RESULT if kind == "series" else "")
    if not source:
        raise LabrigError(
            f"A {kind} plot needs the file it is made of",
            where="path",
            expected="the results file that "
            + ("estimate_saturation" if kind == "uncertainty" else "speciate_waters")
            + " wrote",
        )
    text = source_text(source)
    try:
        data = await in_thread(_data, kind, text, source, quantities, x, of)
    except (AttributeError, KeyError, TypeError):  # the right heading, and something else below it
        raise _no_file(kind, source) from None
    notes = data.get("notes", [])
    here = session()
    png = await here.state.painter.draw(
        {"kind": kind, **data, **({"title": title} if title else {})}, wall_s=DRAWING_WALL_S
    )
    file = OwnFiles(here.workspace).keep(f"{kind}.png", png)
    kept = here.artifacts.put(
        file,
        png,
        media_type="image/png",
        made_by={"server": "phreeqc", "tool": "draw_plot", "kind": kind, "quantities": quantities, "x": x},
        inputs={source: sha256(text)},
    )
    width, height = png_size(png)
    words = [f"{file}: {kind} of {source}, {width} x {height} pixels ({kept.handle})", *notes]
    return Picture(png, "\n".join(words), source=data.get("source", ""))


@toolbox.tool(
    title="Draw USER_GRAPH",
    read_only=False,
    picture=True,
    toolsets=("default", "outputs"),
    words="USER_GRAPH, chart, curve, plot of the input, -axis_titles, experimental points, tsv",
)
async def draw_user_graph(
    input_path: Annotated[str, Field(description="Input file in the workspace; or give input.")] = "",
    input: Annotated[str, Field(description="PHREEQC input as text; or give input_path.")] = "",
    database: RunDatabase = "",
    graph: Annotated[
        int,
        Field(ge=-1, le=99_999, description="Number of the USER_GRAPH; default the first that has points."),
    ] = -1,
) -> Picture:
    r"""Run an input and draw what its USER_GRAPH blocks plot: a PNG in the workspace, and all points as CSV.

    Axes, scales, titles, curves, colours and symbols are those of the input, with the points of its -plot_tsv_file.

    Example: {"input": "SOLUTION 1\nREACTION 1\n HCl\n 1 2 mmol\nUSER_GRAPH\n 10 GRAPH_X RXN\n 20 GRAPH_Y MU\nEND"}
    """
    here = session()
    text = execution.accepted(input_text(input_path, input))
    name = await in_thread(execution.database_of, text, database)
    limits, engine = call_limits(), here.state.engine
    complete, _ = await execution.completed(
        text, name, workspace=here.workspace, engine=engine, limits=limits
    )
    punched, charts = await in_thread(user_graph.punched, complete)
    if not charts.definitions:
        raise LabrigError(
            "The input has no USER_GRAPH",
            where="input",
            expected="USER_GRAPH with a program",
            try_="draw_plot",
        )
    run = await engine.run(punched, database=name, limits=limits)
    found = await in_thread(user_graph.curves, run, charts)
    if not found:
        raise LabrigError(
            f"USER_GRAPH plots no point: the run ended with {run.status}",
            where="; ".join(run.errors[:3]) or run.detail or "no state is plotted",
            expected="GRAPH_X and GRAPH_Y, or PLOT_XY, in a program that a calculation runs",
        )
    graphs = list(dict.fromkeys(curve.graph for curve in found))
    if graph >= 0 and graph not in graphs:
        raise unknown_name(
            "USER_GRAPH with points", str(graph), [str(each) for each in graphs], where="graph"
        )
    chosen = graph if graph >= 0 else graphs[0]
    points, notes = await in_thread(
        user_graph.read_measured, charts, chosen, partial(_beside, here.workspace)
    )
    found += points
    of = [curve for curve in found if curve.graph == chosen]
    source = provenance(run)
    data = {"kind": "user_graph", **user_graph.picture(of, charts.of(chosen)), "source": source}
    png = await here.state.painter.draw(data, wall_s=DRAWING_WALL_S)
    own = OwnFiles(here.workspace)
    made = {"server": "phreeqc", "tool": "draw_user_graph", "engine": record(run), "graph": chosen}
    inputs = {"input": sha256(complete), "database": run.database.sha256}
    files = []
    for file, content, media_type in (
        (own.keep("user_graph.png", png), png, "image/png"),
        (
            own.write_somewhere("user_graph.csv", table := user_graph.to_csv(found)),
            table.encode(),
            "text/csv",
        ),
    ):
        kept = here.artifacts.put(file, content, media_type=media_type, made_by=made, inputs=inputs)
        files.append(f"{file} ({kept.handle})")
    width, height = png_size(png)
    others = [str(each) for each in graphs if each != chosen]
    words = [
        f"{files[0]}: USER_GRAPH {chosen}, {len(of)} curves, {width} x {height} pixels",
        *user_graph.told(of)[:MOST_TOLD],
        f"{files[1]}: {sum(len(curve.points) for curve in found)} points of all curves",
        *notes,
        *([f"other graphs of this input: {', '.join(others)}"] if others else []),
        *run.errors[:3],
    ]
    return Picture(png, "\n".join(words), source=source)


def _beside(workspace: Workspace, path: str) -> str | None:
    """Return the text of the workspace file that an input names, in whatever folder and letters, as on Windows."""
    name = file_name(path).casefold()
    found = next((each.path for each in workspace.entries() if each.path.casefold() == name), None)
    return None if found is None else workspace.read_text(found)


def _data(kind: str, text: str, source: str, quantities: list[str], x: str, of: str) -> dict[str, Any]:
    """Return what the child draws."""
    if kind == "series":
        return _series(text, source, quantities, x, of)
    if kind == "map":
        return _map(text, source, quantities)
    if x or of:
        raise LabrigError(
            "x and of are for series", where=f"kind={kind!r}", expected="path, quantities, title"
        )
    content = _written_by_us(kind, text, source)
    if kind == "uncertainty":
        by_phase = {each["phase"]: each for each in content["estimates"]}
        return dict(_chosen(by_phase, quantities[:1] or list(by_phase)[:1], "phase")[0])
    data, notes = content[_PART.get(kind, kind)], []
    if kind == "saturation":
        by_phase = {each["name"]: each for each in data["phases"]}
        minerals = [
            name for name in by_phase if not name.endswith("(g)")
        ]  # an index of a gas saturates nothing
        phases = _chosen(by_phase, quantities or minerals or list(by_phase), "phase")
        if not any(index is not None for each in phases for index in each["SI"]):
            raise LabrigError(
                "No row has a saturation index of what is asked for",
                where=f"{len(data['samples'])} rows; {', '.join(each['name'] for each in phases[:5]) or 'no phases'}",
                expected="phases that the elements of the table can form",
                try_="speciate_waters says what is wrong with each row",
            )
        return {"samples": data["samples"], "phases": phases, "source": content["source"]}
    by_sample = {each["name"]: each for each in data["samples"]}
    samples = _chosen(by_sample, quantities, "sample") if quantities else data["samples"]
    whole = [each for each in samples if all(ion in each["meq"] for ion in DRAWN_IONS)]
    left_out = [] if quantities else list(data["left_out"])
    left_out += [each["name"] for each in samples if each not in whole]
    if left_out:
        some = f"{', '.join(left_out[:5])}{', ...' if left_out[5:] else ''}"
        notes.append(f"{len(left_out)} rows were rejected or lack a major ion, and are not drawn: {some}")
    if not whole:
        raise LabrigError(
            f"No row has all of {', '.join(DRAWN_IONS)}, so that none can be drawn",
            where=f"{len(left_out)} rows: {', '.join(left_out[:5])}{', ...' if left_out[5:] else ''}",
            expected="rows with a value of each; 0 is one",
            try_="kind='saturation', which needs none of them",
        )
    drawn = {"samples": whole, "source": content["source"], "notes": notes}
    return {**drawn, "unit": data["unit"]} if kind in ("stiff", "schoeller", "gibbs") else drawn


def _map(text: str, source: str, quantities: list[str]) -> dict[str, Any]:
    """Return what a map is made of: the first two columns of a table, and the quantity."""
    if len(quantities) != 1:
        raise LabrigError(
            f"A map shows one quantity, not {len(quantities)}", where="quantities", expected='["SI(Calcite)"]'
        )
    if not is_table(text):
        raise LabrigError(
            "This is no table", where=f"path={source!r}", expected="the CSV that sweep_parameters wrote"
        )
    head = next(csv.reader(text.splitlines()))
    table = read_table(text, [*head[:2], *quantities])
    asked = [
        find_heading(name, [column.name for column in table.columns]) for name in (*head[:2], *quantities)
    ]
    units = {column.name: column.unit for column in table.columns}
    data = {
        axis: {"name": bare_heading(name), "unit": units[name], "values": table.column(name)}
        for axis, name in zip("xyz", asked, strict=True)
    }
    return {**data, "title": quantities[0], "source": source}


def _written_by_us(kind: str, text: str, source: str) -> dict[str, Any]:
    """Read a file of speciate_waters or estimate_saturation."""
    schema = "labrig.estimate/1" if kind == "uncertainty" else "labrig.waters/1"
    try:
        content = json.loads(text)
        if content["schema"] == schema:
            return dict(content)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise _no_file(kind, source)


def _no_file(kind: str, source: str) -> LabrigError:
    tool = "estimate_saturation" if kind == "uncertainty" else "speciate_waters"
    return LabrigError(
        f"This is not a file for a {kind} plot",
        where=f"path={source!r}",
        expected=f"the JSON file that {tool} names under files.pictures",
    )


def _chosen(known: dict[str, Any], names: list[str], kind: str) -> list[Any]:
    for name in names:
        if name not in known:
            raise unknown_name(f"{kind} in this file", name, known, where="quantities")
    return [known[name] for name in names]


def _series(text: str, source: str, quantities: list[str], x: str, of: str) -> dict[str, Any]:
    if not quantities:
        raise LabrigError(
            "Nothing to draw is named", where="quantities", expected='names such as "pH", "SI(Calcite)"'
        )
    own = ("time", "step", "shift", "cell", "dist_x", "state", "simulation", "sim", "line", "soln")
    asked = list(dict.fromkeys([*quantities, *([x] if x and x not in own else [])]))
    table = table_of(text, asked, of)
    columns = [column.name for column in table.columns]
    data = plot_data(table, find_heading(x, columns) if x and x not in columns else x)
    return {**data, "title": ", ".join(quantities), "source": source}
