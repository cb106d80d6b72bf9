"""Pictures, as image content and as a PNG file in the workspace."""

from __future__ import annotations

import json
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
from labrig_phreeqc.output.table_file import find_heading
from labrig_phreeqc.plots.series_plot import plot_data
from labrig_phreeqc.runs.execution import RESULT
from labrig_phreeqc.server.base import toolbox
from labrig_phreeqc.server.outputs import table_of

DRAWING_WALL_S = 50.0
DRAWN_IONS = ("Ca", "Mg", "Na", "HCO3", "SO4", "Cl")
"""A water without one of these has no place in a Piper or Stiff diagram; others count as 0 where they are not given."""


@toolbox.tool(title="Draw a plot", read_only=False, picture=True, toolsets=("default", "waters"))
async def draw_plot(
    kind: Annotated[
        Literal["series", "piper", "stiff", "saturation", "uncertainty"],
        Field(
            description="series: values of an output. piper, stiff, saturation: of a JSON of speciate_waters. "
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
    """Draw a plot and keep it as a PNG in the workspace (its name is in the caption)."""
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


def _data(kind: str, text: str, source: str, quantities: list[str], x: str, of: str) -> dict[str, Any]:
    """Return what the child draws."""
    if kind == "series":
        return _series(text, source, quantities, x, of)
    if x or of:
        raise LabrigError(
            "x and of are for series", where=f"kind={kind!r}", expected="path, quantities, title"
        )
    content = _written_by_us(kind, text, source)
    if kind == "uncertainty":
        by_phase = {each["phase"]: each for each in content["estimates"]}
        return dict(_chosen(by_phase, quantities[:1] or list(by_phase)[:1], "phase")[0])
    data, notes = content[kind], []
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
    return {**drawn, "unit": data["unit"]} if kind == "stiff" else drawn


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
