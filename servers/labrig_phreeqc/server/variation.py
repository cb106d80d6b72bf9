"""Inverse questions: the dose for a value, sweeps of parameters, predominance diagrams; each point is a PHREEQC run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, Picture, Quantity, json_bytes
from labrig.errors import LabrigError
from labrig.plotting.drawing import png_size
from labrig.progress import Progress
from labrig.tables.writing import csv_text
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools import jobs
from labrig.tools.own_files import OwnFiles
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.run import provenance
from labrig_phreeqc.output.series import Column, Series, summary, to_csv
from labrig_phreeqc.runs import execution
from labrig_phreeqc.server.base import DatabaseArgument, RunDatabase, call_limits, input_text, toolbox
from labrig_phreeqc.variation import doses
from labrig_phreeqc.variation.points import MOST_POINTS, Point, Question, evenly, places, require_places
from labrig_phreeqc.variation.treatment import DOSE, treated

WAIT_S = 45.0
"""A call answers within this time; what takes longer goes on as a job."""
DRAWING_WALL_S = 50.0
TOLD = ("pH", "alkalinity as CaCO3", "hardness as CaCO3")
"""What is told at a dose where nothing else is asked for."""

Quantities = Annotated[
    list[str],
    Field(
        max_length=20,
        description="As in read_values: pH, SI(Calcite), total Ca, m(HCO3-), delta(Calcite); also hardness as CaCO3, "
        "alkalinity as CaCO3 (mg/L).",
    ),
]
InputPath = Annotated[str, Field(description="Input file in the workspace; or give input.")]


@toolbox.tool(
    title="Find a dose",
    read_only=False,
    words="how much acid, base, lime, NaOH, HCl, hydrochloric or sulfuric acid, CO2, BaCl2, soda reaches a pH, "
    "hardness, alkalinity or removes sulfate or metals; adjust, raise, lower, neutralise, water treatment, "
    "remineralise, dosing, brewing, aquarium",
)
async def find_dose(
    target: Annotated[
        str,
        Field(
            description="pH, SI(Calcite), hardness as CaCO3 or alkalinity as CaCO3 (mg/L), total Fe (mol/kgw), ..."
        ),
    ],
    target_value: Annotated[float, Field(description="The value it shall have.")],
    reagent: Annotated[
        str, Field(description="Formula: NaOH, Ca(OH)2, HCl, CO2; or write {dose} into the input.")
    ] = "",
    input: Annotated[
        str, Field(description="Input with the water as SOLUTION; the first one gets the reagent.")
    ] = "",
    input_path: InputPath = "",
    most: Annotated[
        float, Field(gt=-1e6, le=1e6, description="Greatest dose: mmol of reagent, or the greatest {dose}.")
    ] = 10.0,
    least: Annotated[float, Field(ge=-1e6, le=1e6, description="Least dose.")] = 0.0,
    equilibrate: Annotated[
        list[str],
        Field(
            max_length=20,
            description="What may precipitate, gases it is open to: 'Calcite', 'CO2(g) -3.4' (log atm), "
            "'Calcite 0 0.1' (SI, mol there).",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    quantities: Quantities = [],  # noqa: B006
    database: RunDatabase = "",
) -> Answer:
    r"""Find the dose of a reagent at which a water has a pH, hardness, alkalinity, saturation index, ...

    Doses are mmol added to the water of the solution (1 kg by default). With {dose} (or {1-dose}) in the input it may
    be anything: a temperature, a fraction of MIX, moles of a mineral. Takes long: goes on as a job (get_job).

    It answers how much NaOH, lime, acid or CO2 (mmol per litre) brings a water, such as acid mine drainage, up or
    down to a target.

    Example: {"target": "pH", "target_value": 8, "reagent": "NaOH",
    "input": "SOLUTION 1\n pH 7\n Ca 1\n Alkalinity 2\nEND"}
    """
    if least >= most:
        raise LabrigError(
            "The range of doses is empty", where=f"least={least:g}, most={most:g}", expected="least < most"
        )
    text, name = await _complete(input_path, input, database)
    if bool(reagent) == bool(places(text)):
        raise LabrigError(
            "Give either a reagent or {dose} in the input" + (", not both" if reagent else ""),
            where="reagent, input",
            expected="reagent='NaOH', or {dose} where a number stands",
        )
    catalogue = await in_thread(read, find_database(name).path)
    if reagent:
        text = treated(text, reagent, equilibrate, [each.name for each in catalogue.phases])
    elif equilibrate:
        raise LabrigError(
            "equilibrate goes with a reagent", where="equilibrate", expected="EQUILIBRIUM_PHASES in the input"
        )
    require_places(text, [DOSE])
    others = [*(quantities or TOLD), *(f"delta({each.split()[0]})" for each in equilibrate if each.strip())]
    question = await in_thread(_question, text, [target, *others], name)
    quantity = next(iter(question.units))
    weight = formula_weight(reagent, {e.name: e.atomic_weight for e in catalogue.elements if e.atomic_weight})

    async def work(progress: Progress) -> Answer:
        found = await doses.find_dose(question, quantity, target_value, least, most, progress)
        return await in_thread(_dosed, found, question, quantity, target_value, reagent, weight, own)

    own = OwnFiles(session().workspace, [input_path])
    return await _as_job("dose", work)


def _dosed(
    found: doses.Dose,
    question: Question,
    quantity: str,
    target: float,
    reagent: str,
    weight: float | None,
    own: OwnFiles,
) -> Answer:
    """Put a dose, or why there is none, into an answer, with the curve that was searched."""
    unit = "mmol" if reagent else ""
    table = _table(question, [DOSE], found.curve, unit)
    file = own.write_somewhere("dose_curve.csv", to_csv(table))
    data: dict[str, Any] = {
        "curve": {"file": file, "columns": [_headed(each) for each in table.columns], "rows": _rows(table)}
    }
    warnings = _failures(found.curve)
    status, values = "ok", []
    if found.found is None:
        known = [each for each in found.curve if each.values.get(quantity) is not None]
        if not known:
            raise LabrigError(
                f"PHREEQC gives no {quantity} at any of {doses.SEARCHED} doses",
                where=warnings[0] if warnings else "input",
                expected="an input that runs with a number in the place of the dose",
                try_="execute_phreeqc with one dose",
                code="engine",
            )
        low, high = (pick(known, key=lambda each: each.values[quantity] or 0.0) for pick in (min, max))
        status = "not_reached"
        warnings.insert(
            0,
            f"{quantity} is not {target:g} {question.units[quantity]} at any dose: it goes from "
            f"{low.values[quantity]:.5g} (at {low.parameters[DOSE]:g}) to {high.values[quantity]:.5g} "
            f"(at {high.parameters[DOSE]:g}); a wider range, another reagent, or other phases in equilibrate"
            + ("; alkalinity as CaCO3 is in mg/L" if quantity == "alkalinity" else ""),
        )
    else:
        dose = found.found.parameters[DOSE]
        values.append(Quantity(f"dose of {reagent}" if reagent else DOSE, _digits(dose), unit or "1"))
        if weight and reagent:
            values.append(Quantity(f"dose of {reagent}", _digits(dose * weight), "mg"))
        values += [
            Quantity(name, None if value is None else _digits(value), question.units[name] or "1")
            for name, value in found.found.values.items()
        ]
        if found.jump:
            status = "not_reached"
            warnings.insert(
                0,
                f"{quantity} jumps over {target:g}, from {found.jump[0]:.5g} to {found.jump[1]:.5g}, at this dose",
            )
        if found.again:
            said = ", ".join(f"{a:g} and {b:g}" for a, b in found.again[:3])
            warnings.append(
                f"{quantity} is {target:g} again between the doses {said}; this is the least dose"
            )
    return Answer(
        source=provenance(question.run) if question.run else "labrig phreeqc",
        status=status if status != "ok" or not warnings else "ok_with_warnings",
        values=tuple(values),
        data=data,
        warnings=tuple(warnings),
        next=f"draw_plot(kind='series', path={file!r}, x={DOSE!r}, quantities=[{quantity!r}])",
    )


@toolbox.tool(
    title="Sweep parameters",
    read_only=False,
    words="titration curve, mixing ratio, blend, fractions, pH series, range of pH, temperature series, cool, heat, "
    "increments, steps, vary, as a function of, sensitivity, undersaturated, solubility curve, adsorption edge",
)
async def sweep_parameters(
    parameter: Annotated[str, Field(description="Name in braces in the input: {T} is T; {1-f} is 1 - f.")],
    values: Annotated[
        list[float],
        Field(min_length=2, max_length=MOST_POINTS, description="Its values; two ends with steps."),
    ],
    quantities: Quantities,
    input: Annotated[
        str, Field(description="Input with {T} where a value of T belongs; or input_path.")
    ] = "",
    input_path: InputPath = "",
    steps: Annotated[int, Field(ge=0, le=500, description="So many values evenly between the two ends.")] = 0,
    parameter_2: Annotated[str, Field(description="A second parameter, for a map.")] = "",
    values_2: Annotated[
        list[float], Field(max_length=500, description="Its values; two ends with steps_2.")
    ] = [],  # noqa: B006
    steps_2: Annotated[int, Field(ge=0, le=500, description="As steps.")] = 0,
    database: RunDatabase = "",
) -> Answer:
    r"""Sweep one or two parameters of an input: each point a run of its own, quantities of its last state as a table.

    For titrations, mixing curves (MIX: 1 {f}, 2 {1-f}), temperature, lime softening, a map over two parameters. At
    most 2,500 points; the table is a CSV for draw_plot. Takes long: goes on as a job (get_job, cancel_job).

    Vary pCO2, pH, a dose or a temperature in steps, cool or heat a brine, blend two waters (seawater and groundwater)
    in increments, and see where calcite or silica gets undersaturated or starts precipitating; also sorption edges
    over pH.

    Example: {"parameter": "t", "values": [10, 25, 40], "quantities": ["pH", "SI(Calcite)"],
    "input": "SOLUTION 1\n temp {t}\n Ca 1\n Alkalinity 2\nEND"}
    """
    text, name = await _complete(input_path, input, database)
    axes = {parameter: _axis(values, steps, "values")}
    if parameter_2:
        axes[parameter_2] = _axis(values_2, steps_2, "values_2")
    elif values_2:
        raise LabrigError("values_2 are of no parameter", where="parameter_2", expected="its name")
    require_places(text, list(axes))
    if not quantities:
        raise LabrigError("No quantity is named", where="quantities", expected='["pH", "SI(Calcite)"]')
    question = await in_thread(_question, text, quantities, name)
    (first, second) = (*axes.values(), [0.0])[:2]
    asked = [dict(zip(axes, pair, strict=False)) for pair in ((a, b) for b in second for a in first)]
    own = OwnFiles(session().workspace, [input_path])

    async def work(progress: Progress) -> Answer:
        found = await question.points(asked, progress)
        return await in_thread(_swept, question, list(axes), found, own)

    return await _as_job("sweep", work)


def _swept(question: Question, parameters: list[str], found: list[Point], own: OwnFiles) -> Answer:
    """Put a sweep into an answer: rows where they fit, else first, last, least and greatest."""
    warnings = _failures(found)
    if len([each for each in found if each.failure]) == len(found):
        raise LabrigError(
            "PHREEQC solves none of the points",
            where=warnings[0],
            expected="an input that runs with numbers in the places of its parameters",
            try_="execute_phreeqc with one value",
            code="engine",
        )
    table = _table(question, parameters, found)
    file = own.write_somewhere("sweep.csv", to_csv(table))
    data: dict[str, Any] = {
        "points": len(found),
        "file": file,
        "columns": [_headed(c) for c in table.columns],
    }
    rows = _rows(table)
    small = json_bytes(rows) < ANSWER_BYTES - 2500
    data |= {"rows": rows} if small else {"summary": summary(table)}
    kind, x = ("map", "") if len(parameters) > 1 else ("series", f", x={parameters[0]!r}")
    first = next(iter(question.units))
    return Answer(
        source=provenance(question.run) if question.run else "labrig phreeqc",
        status="ok_with_warnings" if warnings else "ok",
        data=data,
        warnings=tuple(warnings),
        next=f"draw_plot(kind={kind!r}, path={file!r}{x}, quantities=[{first!r}])",
    )


@toolbox.tool(
    title="Draw a predominance diagram",
    read_only=False,
    picture=True,
    words="Pourbaix diagram, Eh-pH, pe-pH, phase or stability diagram, stability field, corrosion, redox, species "
    "of iron, copper, vanadium, manganese, arsenic, uranium by pH",
)
async def draw_predominance(
    element: Annotated[str, Field(description="As the database names it: Fe, As, U, S, ...")],
    totals_mmol_kgw: Annotated[
        dict[str, float],
        Field(
            min_length=1,
            description='All that is dissolved, the element among it: {"Fe": 0.01, "C": 2, "S": 1}.',
        ),
    ],
    solids: Annotated[
        list[str],
        Field(
            max_length=20,
            description="Solids that may have a field, such as Fe(OH)3(a); default dissolved species only.",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    database: DatabaseArgument = "phreeqc.dat",
    pH_least: Annotated[float, Field(ge=-2, le=16, description="Default 0.")] = 0.0,
    pH_most: Annotated[float, Field(ge=-2, le=16, description="Default 14.")] = 14.0,
    pe_least: Annotated[float, Field(ge=-30, le=40, description="Default -14.")] = -14.0,
    pe_most: Annotated[float, Field(ge=-30, le=40, description="Default 22.")] = 22.0,
    temperature_degC: Annotated[float, Field(ge=0, le=300, description="Of the water.")] = 25.0,
    steps: Annotated[int, Field(ge=5, le=70, description="Points along each axis.")] = 41,
) -> Picture:
    """Draw which species or solid holds most of an element by pH and pe: PHREEQC speciates each point.

    A PNG in the workspace, with the limits of water (O2, H2 at 1 atm), and the grid as CSV.

    This is the Eh-pH (Pourbaix) diagram of arsenic, iron, uranium, ...

    Example: {"element": "Fe", "totals_mmol_kgw": {"Fe": 0.01}, "steps": 5}
    """
    from labrig_phreeqc.variation.predominance import predominance

    for name, least, most in (("pH", pH_least, pH_most), ("pe", pe_least, pe_most)):
        if least >= most:
            raise LabrigError(
                "The range is empty",
                where=f"{name}_least={least:g}, {name}_most={most:g}",
                expected="least < most",
            )
    here = session()
    found = await predominance(
        element,
        totals_mmol_kgw,
        engine=here.state.engine,
        database=database,
        solids=solids,
        pH=(pH_least, pH_most),
        pe=(pe_least, pe_most),
        temperature=temperature_degC,
        steps=steps,
        limits=call_limits(),
        progress=here.progress,
    )
    release = f" {found.database.official}" if found.database.official else ""
    source = (
        f"PHREEQC {here.state.engine.library.distribution}, {found.database.name}{release} "
        f"(sha256 {found.database.sha256[:12]})"
    )
    data = {
        "kind": "predominance",
        "title": f"{element}, {temperature_degC:g} degC",
        "source": source,
        "notes": [
            "mmol/kgw: " + ", ".join(f"{name} {value:g}" for name, value in found.totals.items()),
            "Grey: water is not stable (O2 or H2 above 1 atm)",
        ],
        "pH": list(found.pH),
        "pe": list(found.pe),
        "names": [list(row) for row in found.names],
        "water": [list(row) for row in found.water],
        "solids": sorted(found.solids),
        "temperature": temperature_degC,
    }
    png = await here.state.painter.draw(data, wall_s=DRAWING_WALL_S)
    own = OwnFiles(here.workspace)
    cells = [
        (x, y, name)
        for y, row in zip(found.pe, found.names, strict=True)
        for x, name in zip(found.pH, row, strict=True)
    ]
    table = csv_text(("pH", "pe", "predominant"), cells)
    made = {
        "server": "phreeqc",
        "tool": "draw_predominance",
        "element": element,
        "totals": dict(found.totals),
    }
    words = []
    for file, content, media_type in (
        (own.keep("predominance.png", png), png, "image/png"),
        (own.write_somewhere("predominance.csv", table), table.encode(), "text/csv"),
    ):
        kept = here.artifacts.put(
            file, content, media_type=media_type, made_by=made, inputs={"database": found.database.sha256}
        )
        words.append(f"{file} ({kept.handle})")
    width, height = png_size(png)
    return Picture(
        png,
        "\n".join(
            [
                f"{words[0]}: predominance of {element}, {width} x {height} pixels; fields by size (at pH, pe):",
                *_fields(cells),
                f"{words[1]}: {len(cells)} points",
            ]
        ),
        source=source,
    )


def _fields(cells: list[tuple[float, float, str]]) -> list[str]:
    """Say which fields there are: share of the diagram, and their middle."""
    by_name: dict[str, list[tuple[float, float]]] = {}
    for x, y, name in cells:
        by_name.setdefault(name or "water splits, or no solution", []).append((x, y))
    found = sorted(by_name.items(), key=lambda each: -len(each[1]))
    return [
        f"- {name}: {100 * len(at) / len(cells):.0f} % (pH {min(x for x, _ in at):.1f} to {max(x for x, _ in at):.1f}, "
        f"pe {min(y for _, y in at):.1f} to {max(y for _, y in at):.1f})"
        for name, at in found[:20]
    ]


async def _complete(input_path: str, text: str, database: str) -> tuple[str, str]:
    """Return an input with its includes, and its database."""
    here = session()
    given = execution.accepted(input_text(input_path, text))
    name = await in_thread(execution.database_of, given, database)
    complete, _ = await execution.completed(
        given, name, workspace=here.workspace, engine=here.state.engine, limits=call_limits()
    )
    return complete, name


def _question(text: str, quantities: list[str], database: str) -> Question:
    return Question(text, quantities, database=database, engine=session().state.engine, limits=call_limits())


async def _as_job(kind: str, work: Callable[[Progress], Awaitable[Answer]]) -> Answer:
    """Do work as a job, and answer with its result where it ends soon; a call that is cancelled cancels it."""
    here = session()
    job = here.jobs.start(kind, work, owner=here.owner)
    try:
        state = await here.jobs.get(job, WAIT_S, owner=here.owner, shown=here.progress)
    except asyncio.CancelledError:
        await here.jobs.cancel(job, owner=here.owner)
        raise
    return jobs.told(state, "labrig phreeqc")


def _axis(values: list[float], steps: int, where: str) -> list[float]:
    if not steps:
        if len(values) < 2:
            raise LabrigError("One value is no sweep", where=where, expected="two values or more")
        return values
    if len(values) != 2 or steps < 2:
        raise LabrigError(
            "Steps lie between two ends", where=where, expected="values of two ends, and steps of 2 or more"
        )
    return evenly(values[0], values[1], steps)


def _table(question: Question, parameters: list[str], found: Sequence[Point], unit: str = "") -> Series:
    """Return points as a table: parameters, then quantities."""
    columns = [Column(name, unit, "number") for name in parameters]
    columns += [Column(name, each, "number") for name, each in question.units.items()]
    rows = [
        (
            *(point.parameters[name] for name in parameters),
            *(point.values.get(name) for name in question.units),
        )
        for point in found
    ]
    return Series(tuple(columns), tuple(rows), ())


def _headed(column: Column) -> dict[str, str]:
    return {"name": column.name, "unit": column.unit}


def _rows(table: Series) -> list[list[Any]]:
    return [[_digits(cell) if isinstance(cell, float) else cell for cell in row] for row in table.rows]


def _digits(value: float) -> float:
    return float(f"{value:.6g}")


def _failures(found: Sequence[Point]) -> list[str]:
    """Say at how many points PHREEQC failed, and why at the first."""
    failed = [point for point in found if point.failure]
    if not failed:
        return []
    at = ", ".join(f"{name} {value:g}" for name, value in failed[0].parameters.items())
    return [f"PHREEQC does not solve {len(failed)} of {len(found)} points; at {at}: {failed[0].failure}"]
