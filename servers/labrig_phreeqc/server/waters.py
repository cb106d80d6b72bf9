"""Tables of water analyses: a survey of all rows, and one row's saturation indices with their uncertainty."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.canonical import sha256
from labrig.errors import LabrigError, unknown_name
from labrig.own_files import OwnFiles
from labrig.toolbox import session
from labrig_phreeqc.databases import Database, find_database
from labrig_phreeqc.server.base import DatabaseArgument, call_limits, source_text, toolbox

RESULTS = "speciated_waters"
ESTIMATE = "saturation_estimate"

TablePath = Annotated[str, Field(description="CSV in the workspace; or give table.")]
TableText = Annotated[str, Field(description="CSV as text.")]
Temperature = Annotated[float | None, Field(description="degC, for rows that have none.")]
BelowLimitArgument = Annotated[
    Literal["half", "zero", "limit"], Field(description="What stands for '<0.5': half of it, 0, or 0.5.")
]
UnitArgument = Annotated[str, Field(description="Unit of columns whose heading has none.")]
AlkalinityArgument = Annotated[
    str, Field(description="CaCO3 or HCO3, where an alkalinity in mg/L does not say.")
]


@toolbox.tool(title="Speciate waters", read_only=False, toolsets=("default", "waters"))
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
) -> Answer:
    """Speciate up to 5,000 waters: charge balance, saturation indices, scaling (CaCO3 that would precipitate).

    Headings such as `Ca (mg/L)`, `Alkalinity (mg/L as CaCO3)`, `Temp (C)`, `pH`. Unusable rows are explained, doubtful
    ones flagged. Results go to a CSV and to a JSON for draw_plot.
    """
    from labrig_phreeqc.waters.report import piper_data, saturation_data, stiff_data, summary, to_csv
    from labrig_phreeqc.waters.survey import survey

    here = session()
    text = _table(path, table)
    found = await survey(
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
        {
            f"{RESULTS}.csv": to_csv(found),
            f"{RESULTS}.json": json.dumps({"schema": "labrig.waters/1", "source": source, **pictures}),
        },
        path,
    )
    kept = here.artifacts.put(
        csv_file,
        here.workspace.read_bytes(csv_file),
        media_type="text/csv",
        made_by={"server": "phreeqc", "tool": "speciate_waters", "database": found.database.name},
        inputs={"table": sha256(text), "database": found.database.sha256},
    )
    attention = [f"{found.count(each)} rows {each}" for each in ("rejected", "unsolved", "flagged")]
    warnings = tuple(each for each in attention if not each.startswith("0 "))
    return Answer(
        source=source,
        status="ok_with_warnings" if warnings else "ok",
        data={"files": {"table": csv_file, "pictures": json_file}, **summary(found)},
        warnings=warnings,
        artifacts=(kept.to_dict(),),
        next=f"draw_plot(kind='saturation', path={json_file!r}); also piper, stiff" if found.accepted else "",
        record=_record(found.database),
    )


@toolbox.tool(title="Saturation with uncertainty", read_only=False, toolsets=("waters",))
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
) -> Answer:
    """Saturation indices of one water with their uncertainty: Monte Carlo over analytical errors in several databases.

    Gives median, interval, share above zero, and how much of the spread is analysis (by constituent), database,
    temperature. draw_plot(kind='uncertainty') draws the file it writes.
    """
    from labrig_phreeqc.waters.columns import Stated
    from labrig_phreeqc.waters.errors import ErrorModel
    from labrig_phreeqc.waters.table import read_table
    from labrig_phreeqc.waters.uncertainty import estimate, members_csv, picture_data

    here = session()
    text = _table(path, table)
    waters = await asyncio.to_thread(
        read_table,
        text,
        database=databases[0] if databases else "phreeqc.dat",
        temperature=temperature,
        stated=Stated(unit, alkalinity_as, None),
    )
    names = [each.analysis.sample for each in waters.waters]
    if not names:
        raise LabrigError(
            "No row of the table can be used",
            where="; ".join(f"{each.sample}: {each.reasons[0].words}" for each in waters.rejected[:3]),
            try_="speciate_waters explains every row",
        )
    if not sample and len(names) > 1:
        raise LabrigError(
            f"The table has {len(names)} waters", where="sample", expected=f"one of {', '.join(names[:12])}"
        )
    if sample and sample not in names:
        raise unknown_name("sample that can be used", sample, names, where="sample")
    analysis = waters.waters[names.index(sample) if sample else 0].analysis
    model = ErrorModel(
        relative=error_percent / 100,
        pH=error_pH,
        temperature=error_temperature,
        by_element={name: percent / 100 for name, percent in error_percent_of.items()},
    )
    found = await estimate(
        analysis,
        phases,
        errors=model,
        databases=databases or None,
        members=members,
        seed=seed,
        level=level,
        engine=here.state.engine,
        limits=call_limits(),
    )
    members_file, json_file = _keep(
        {
            f"{ESTIMATE}.csv": members_csv(found),
            f"{ESTIMATE}.json": json.dumps(
                {"schema": "labrig.estimate/1", "estimates": [picture_data(each) for each in found]}
            ),
        },
        path,
    )
    first = found[0]
    values = [
        Quantity(
            f"SI({each.phase})",
            round(each.median, 3),
            "log10(IAP/K)",
            f"median; {100 * level:g} % interval {each.interval[0]:.2f} to {each.interval[1]:.2f}",
        )
        for each in found
    ]
    notes = tuple(dict.fromkeys(note for each in found for note in each.notes))
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
            "excluded": _excluded(first.excluded),
            "files": {"members": members_file, "pictures": json_file},
        },
        warnings=notes,
        next=f"draw_plot(kind='uncertainty', path={json_file!r}, quantities=[{first.phase!r}])",
        record={
            "seed": seed,
            "members": members,
            "databases": {n: find_database(n).sha256 for n in first.used},
        },
    )


def _estimate(found: Any) -> dict[str, Any]:
    """Return one phase's estimate as data, three digits."""

    def short(values: Any) -> dict[str, float]:
        return {name: round(value, 3) for name, value in values.items()}

    data = {
        "phase": found.phase,
        "mean": round(found.mean, 3),
        "sd": round(found.sd, 3),
        "share_above_zero": round(found.share_above_zero, 3),
        "share_interval": [round(each, 3) for each in found.share_interval],
        "as_measured": short(found.nominal),
        "median_by_database": short(found.medians),
        "spread_from": short(found.shares.by_source()) if found.shares else {},
        "standard_error": short(found.shares.error) if found.shares else {},
        "analysis_by_input": short(
            {name: share for name, share in _falling(found.by_input) if share >= 0.001}
        ),
        "failed_members": {name: count for name, count in found.failed.items() if count},
    }
    return {name: value for name, value in data.items() if value not in ({}, [])}


def _falling(shares: Any) -> list[tuple[str, float]]:
    return sorted(shares.items(), key=lambda each: -each[1])[:8]


def _excluded(reasons: Any) -> dict[str, str]:
    """Return why databases were not used, without those that never are by default."""
    from labrig_phreeqc.waters.compatible import LEFT_OUT

    return {name: reason for name, reason in reasons.items() if reason != LEFT_OUT.get(name)}


def _table(path: str, table: str) -> str:
    if bool(path) == bool(table):
        raise LabrigError(
            "Give either path or table" + (", not both" if table else ""),
            where="path, table",
            expected="a CSV of the workspace, or its text",
        )
    return table or source_text(path)


def _keep(files: dict[str, str], path: str) -> list[str]:
    own = OwnFiles(session().workspace, [path])
    return [own.write_somewhere(name, text) for name, text in files.items()]


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
