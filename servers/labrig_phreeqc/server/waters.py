"""Tables of water analyses: a survey of all rows, and one row's saturation indices with their uncertainty."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.files import source_bytes
from labrig.tools.own_files import OwnFiles
from labrig.tools.sources import opened_source
from labrig_phreeqc.database.databases import Database, find_database
from labrig_phreeqc.server.base import DatabaseArgument, call_limits, toolbox
from labrig_phreeqc.waters.encoding import decoded

if TYPE_CHECKING:
    from labrig_phreeqc.waters.estimates import Estimate
    from labrig_phreeqc.waters.survey import Survey

RESULTS = "speciated_waters"
ESTIMATE = "saturation_estimate"
MEASURED_PE, UNMEASURED_PE = 0.5, 2.0
"""Standard deviations of pe: 30 mV of an electrode; and, not measured, from water with iron(2) to water with O2."""

TablePath = Annotated[str, Field(description="CSV or .xlsx in the workspace; or give table.")]
TableText = Annotated[str, Field(description="CSV as text.")]
SheetArgument = Annotated[
    str, Field(description="Sheet of a workbook; default the one most like a table of waters.")
]
Temperature = Annotated[float | None, Field(description="degC, for rows that have none.")]
BelowLimitArgument = Annotated[
    Literal["half", "zero", "limit"], Field(description="What stands for '<0.5': half of it, 0, or 0.5.")
]
UnitArgument = Annotated[str, Field(description="Unit of columns whose heading has none.")]
AlkalinityArgument = Annotated[
    str, Field(description="CaCO3 or HCO3, where an alkalinity in mg/L does not say.")
]


@toolbox.tool(
    title="Speciate waters",
    read_only=False,
    toolsets=("default", "waters"),
    words="saturation index of calcite, gypsum, dolomite, Fe(OH)3; Langelier, LSI, scaling, scale, corrosion, "
    "calcium carbonate stability, aggressive, ion balance, charge balance error, water analysis, lab samples, mg/L, "
    "alkalinity, hardness, ionic strength, activity coefficients, seawater, groundwater, aquifer, aqueous species, "
    "speciation, minerals that may precipitate",
)
async def speciate_waters(
    path: TablePath = "",
    table: TableText = "",
    database: DatabaseArgument = "phreeqc.dat",
    phases: Annotated[
        list[str],
        Field(max_length=60, description="Minerals and gases; default the usual ones for the table."),
    ] = [],  # noqa: B006 - pydantic copies it
    temperature: Temperature = None,
    below_limit: BelowLimitArgument = "half",
    unit: UnitArgument = "",
    alkalinity_as: AlkalinityArgument = "",
    sheet: SheetArgument = "",
) -> Answer:
    r"""Speciate up to 5,000 waters: charge balance, saturation indices, scaling (CaCO3 that would precipitate).

    It takes headings such as `Ca (mg/L)`, `Alkalinity (mg/L as CaCO3)`, `Temp (C)`, `pH`. Unusable rows are explained,
    doubtful ones flagged. Results go to a CSV and to a JSON for draw_plot.

    A row is a water of the lab or field (groundwater, tap water, spring; CSV or xlsx, any units). It says which
    species holds an element, the ion balance error, the saturation state of calcite, aragonite, dolomite and gypsum,
    and whether the water scales.

    Example: {"table": "Sample,pH,Temp (C),Ca (mg/L),Alkalinity (mg/L as CaCO3)\nA,7.9,60,110,240"}
    """
    from labrig_phreeqc.waters import survey
    from labrig_phreeqc.waters.report import piper_data, saturation_data, stiff_data, summary, to_csv

    here = session()
    text, said = await _table(path, table, sheet)
    found = await survey.speciate_waters(
        text,
        engine=here.state.engine,
        database=database,
        phases=phases or None,
        temperature=temperature,
        below_limit=below_limit,
        unit=unit,
        alkalinity_as=alkalinity_as,
        limits=call_limits(),
    )
    source = _source(found.database)
    pictures = {"piper": piper_data(found), "stiff": stiff_data(found), "saturation": saturation_data(found)}
    csv_file, json_file = _keep(
        RESULTS,
        {
            "csv": to_csv(found),
            "json": json.dumps({"schema": "labrig.waters/1", "source": source, **pictures}),
        },
        path,
    )
    kept = [
        here.artifacts.put(
            name,
            here.workspace.read_bytes(name),
            media_type=media_type,
            made_by={"server": "phreeqc", "tool": "speciate_waters", "database": found.database.name},
            inputs={"table": sha256(text), "database": found.database.sha256},
        ).to_dict()
        for name, media_type in ((csv_file, "text/csv"), (json_file, "application/json"))
    ]
    attention = [f"{found.count(each)} rows {each}" for each in ("rejected", "unsolved", "flagged")]
    attention.append(f"{found.count('balanced')} rows without pH or temperature: ion balance only")
    beyond = [found.out_of_scope] if found.out_of_scope else []
    warnings = (
        *(each for each in attention if not each.startswith("0 ")),
        *said,
        *found.table.warnings,
        *beyond,
    )
    return Answer(
        source=source,
        status="ok_with_warnings" if warnings else "ok",
        data={"files": {"table": csv_file, "pictures": json_file}, **summary(found)},
        warnings=warnings,
        artifacts=tuple(kept),
        next=_next_picture(found, json_file),
        record=_record(found.database),
    )


def _next_picture(found: Survey, json_file: str) -> str:
    """Say which pictures the file is for: saturation where any water was speciated."""
    if not found.accepted:
        return ""
    solved = any(row.speciation and not row.speciation.failure for row in found.rows)
    kinds = ("saturation", "piper, stiff") if solved else ("piper", "stiff")
    return f"draw_plot(kind={kinds[0]!r}, path={json_file!r}); also {kinds[1]}"


@toolbox.tool(
    title="Saturation with uncertainty",
    read_only=False,
    toolsets=("waters",),
    words="uncertainty of an SI, error bars, Monte Carlo, analytical error, which database, confidence, compare "
    "databases",
)
async def estimate_saturation(
    phases: Annotated[list[str], Field(min_length=1, max_length=20, description="Such as Calcite, CO2(g).")],
    path: TablePath = "",
    table: TableText = "",
    sample: Annotated[str, Field(description="Which row, by its name; not needed if there is one.")] = "",
    error_percent: Annotated[
        float, Field(ge=0, le=100, description="Relative standard deviation of each concentration, %.")
    ] = 5.0,
    error_percent_of: Annotated[
        dict[str, float], Field(description='The same by constituent: {"Ca": 2, "Alkalinity": 3}.')
    ] = {},  # noqa: B006 - pydantic copies it
    error_pH: Annotated[float, Field(ge=0, le=2, description="Standard deviation of pH.")] = 0.1,
    error_temperature: Annotated[float, Field(ge=0, le=50, description="... of temperature, degC.")] = 0.5,
    error_pe: Annotated[
        float | None,
        Field(ge=0, le=10, description="... of pe. Default 0.5; 2 about pe 4 if it was not measured."),
    ] = None,
    databases: Annotated[
        list[str], Field(max_length=10, description="Default: every independent one that can take the water.")
    ] = [],  # noqa: B006
    members: Annotated[
        int, Field(ge=50, le=3000, description="Random waters, each in every database.")
    ] = 1000,
    seed: Annotated[int, Field(ge=0, le=2**32, description="Same seed, same numbers.")] = 1,
    level: Annotated[float, Field(ge=0.5, le=0.999, description="Probability of the interval.")] = 0.95,
    temperature: Temperature = None,
    unit: UnitArgument = "",
    alkalinity_as: AlkalinityArgument = "",
    sheet: SheetArgument = "",
) -> Answer:
    r"""Estimate saturation indices of a water with uncertainty: Monte Carlo over analytical errors, several databases.

    Gives median, interval, share above zero, and how much of the spread is analysis (by constituent), database (by
    redox partition, complexes, activity model, log K), temperature. draw_plot(kind='uncertainty') draws its file.

    Example: {"table": "Sample,pH,Temp (C),Ca (mg/L),Alkalinity (mg/L as CaCO3)\nA,7.9,60,110,240",
    "phases": ["Calcite"], "databases": ["phreeqc.dat"], "members": 50}
    """
    from labrig_phreeqc.waters import one_water, uncertainty
    from labrig_phreeqc.waters.columns import Stated
    from labrig_phreeqc.waters.errors import ErrorModel
    from labrig_phreeqc.waters.estimates import members_csv, picture_data

    text, said = await _table(path, table, sheet)
    stated = Stated(unit, alkalinity_as)
    waters = await in_thread(one_water.read_whole, text, databases, temperature, stated)
    analysis = one_water.one_of(waters, sample)
    model = ErrorModel(
        relative=error_percent / 100,
        pH=error_pH,
        temperature=error_temperature,
        pe=MEASURED_PE if error_pe is None else error_pe,
        assumed_pe=UNMEASURED_PE if error_pe is None else error_pe,
        by_element=one_water.relative_errors(error_percent_of, analysis.constituents),
    )
    found = await uncertainty.estimate_saturation(
        analysis,
        phases,
        errors=model,
        databases=databases or None,
        members=members,
        seed=seed,
        level=level,
        engine=session().state.engine,
        limits=call_limits(),
    )
    pictures = {"schema": "labrig.estimate/1", "estimates": [picture_data(each) for each in found]}
    files = _keep(ESTIMATE, {"csv": members_csv(found), "json": json.dumps(pictures)}, path)
    unused = [f"{each.header}: {each.why}" for each in waters.columns if each.role == "left out"]
    unused += [*waters.warnings, *said]
    return _estimated(found, unused, *files)


def _estimated(found: Sequence[Estimate], unused: Sequence[str], members_file: str, json_file: str) -> Answer:
    """Return the estimates of a call as an answer; databases that are never used by default are not named."""
    from labrig_phreeqc.waters.compatible import LEFT_OUT

    first = found[0]
    values = [
        Quantity(
            f"SI({each.phase})",
            round(each.median, 3),
            "log10(IAP/K)",
            f"median; {100 * each.level:g} % interval {each.interval[0]:.2f} to {each.interval[1]:.2f}",
        )
        for each in found
    ]
    notes = (
        *(f"{phase} is not estimated: {why}" for phase, why in first.refused.items()),
        *dict.fromkeys(note for each in found for note in each.notes),
        *([f"columns left out: {'; '.join(unused)[:400]}"] if unused else []),
    )
    return Answer(
        source=first.source,
        status="ok_with_warnings" if notes else "ok",
        values=tuple(values),
        data={
            "sample": first.sample,
            "phases": [_estimate(each) for each in found],
            "charge_error_percent": {
                "as_measured": round(first.charge_error[0], 2),
                "members": [round(each, 2) for each in first.charge_error[1]],
            },
            "errors": dict(first.errors),
            "excluded": {name: why for name, why in first.excluded.items() if why != LEFT_OUT.get(name)},
            "files": {"members": members_file, "pictures": json_file},
        },
        warnings=notes,
        next=f"draw_plot(kind='uncertainty', path={json_file!r}, quantities=[{first.phase!r}])",
        record={
            "seed": first.seed,
            "members": first.members,
            "databases": {n: find_database(n).sha256 for n in first.used},
        },
    )


def _estimate(found: Estimate) -> dict[str, Any]:
    """Return one phase's estimate as data, three digits."""
    from labrig_phreeqc.waters.estimates import sources

    def short(values: Mapping[str, float]) -> dict[str, float]:
        return {name: round(value, 3) for name, value in values.items()}

    shares = sources(found)
    inputs = sorted(found.by_input.items(), key=lambda each: -each[1])[:8]
    data = {
        "phase": found.phase,
        "mean": round(found.mean, 3),
        "sd": round(found.sd, 3),
        "share_above_zero": round(found.share_above_zero, 3),
        "share_interval": [round(each, 3) for each in found.share_interval],
        "as_measured": short(found.nominal),
        "median_by_database": short(found.medians),
        "spread_from": short(shares),
        "standard_error": short({name: found.shares.error[name] for name in shares} if found.shares else {}),
        "analysis_by_input": short({name: share for name, share in inputs if share >= 0.001}),
        "database_by_cause": short(found.by_cause),
        "failed_members": {name: count for name, count in found.failed.items() if count},
    }
    return {name: value for name, value in data.items() if value not in ({}, [])}


async def _table(path: str, table: str, sheet: str) -> tuple[str, list[str]]:
    """Return a table as text, and which sheets of a workbook are not in it."""
    from labrig.tables.apart import sheets_apart
    from labrig_phreeqc.waters.workbook import MOST_COLUMNS, MOST_ROWS, WORKBOOKS, choose_sheet

    if bool(path) == bool(table):
        raise LabrigError(
            "Give either path or table" + (", not both" if table else ": both are empty"),
            where="path, table",
            expected="a CSV or workbook of the workspace, or the text of a CSV",
        )
    data = b"" if table else source_bytes(path)
    if not data.startswith(WORKBOOKS):
        if sheet:
            raise LabrigError("Only a workbook has sheets", where=f"sheet={sheet!r}", expected="no sheet")
        return table or decoded(data), []
    with opened_source(path) as source:
        sheets = await sheets_apart(
            session().state.readers,
            source.descriptor,
            path,
            sheet=sheet,
            rows=MOST_ROWS,
            columns=MOST_COLUMNS,
        )
    _, text, said = await in_thread(choose_sheet, sheets)
    return text, said


def _keep(stem: str, files: dict[str, str], path: str) -> list[str]:
    """Write files by their suffix under one stem: ``a.csv`` and ``a.json``, or ``a_2.csv`` and ``a_2.json``."""
    workspace = session().workspace
    own = OwnFiles(workspace, [path])
    for number in itertools.count(1):
        names = [f"{stem}{f'_{number}' if number > 1 else ''}.{suffix}" for suffix in files]
        if all(_free(name, path) for name in names) and all(map(own.write, names, files.values())):
            return names
    raise AssertionError("numbers do not end")


def _free(name: str, path: str) -> bool:
    """Tell whether a name is free or holds what we wrote: what is there, written again, changes nothing."""
    workspace = session().workspace
    return not workspace.exists(name) or OwnFiles(workspace, [path]).write(name, workspace.read_bytes(name))


def _source(database: Database) -> str:
    engine = session().state.engine
    library = engine.library
    release = f" {database.official}" if database.official else ""
    return (
        f"PHREEQC {library.distribution} (sha256 {library.sha256[:12]}), "
        f"{database.name}{release} (sha256 {database.sha256[:12]})"
    )


def _record(database: Database) -> dict[str, Any]:
    return {"database": {"name": database.name, "release": database.official, "sha256": database.sha256}}
