"""Tables of water analyses: a survey of all rows, and one row's saturation indices with their uncertainty."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.canonical import sha256
from labrig.errors import LabrigError, unknown_name
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.files import source_bytes
from labrig.tools.own_files import OwnFiles
from labrig_phreeqc.database.databases import Database, find_database, list_databases
from labrig_phreeqc.server.base import DatabaseArgument, call_limits, toolbox
from labrig_phreeqc.waters.encoding import decoded

if TYPE_CHECKING:
    from labrig_phreeqc.waters.analysis import Analysis
    from labrig_phreeqc.waters.columns import Stated
    from labrig_phreeqc.waters.table import Table

RESULTS = "speciated_waters"
ESTIMATE = "saturation_estimate"
MEASURED_PE, UNMEASURED_PE = 0.5, 2.0
"""Standard deviations of pe: 30 mV of an electrode; and, not measured, from water with iron(2) to water with O2."""

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
    from labrig_phreeqc.waters import survey
    from labrig_phreeqc.waters.report import piper_data, saturation_data, stiff_data, summary, to_csv

    here = session()
    text = _table(path, table)
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
    beyond = [found.out_of_scope] if found.out_of_scope else []
    warnings = (*(each for each in attention if not each.startswith("0 ")), *beyond)
    return Answer(
        source=source,
        status="ok_with_warnings" if warnings else "ok",
        data={"files": {"table": csv_file, "pictures": json_file}, **summary(found)},
        warnings=warnings,
        artifacts=tuple(kept),
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
) -> Answer:
    """Saturation indices of one water with their uncertainty: Monte Carlo over analytical errors in several databases.

    Gives median, interval, share above zero, and how much of the spread is analysis (by constituent), database (by
    redox partition, complexes, activity model, log K), temperature. draw_plot(kind='uncertainty') draws its file.
    """
    from labrig_phreeqc.waters import uncertainty
    from labrig_phreeqc.waters.columns import Stated
    from labrig_phreeqc.waters.errors import ErrorModel
    from labrig_phreeqc.waters.estimates import members_csv, picture_data

    here = session()
    text = _table(path, table)
    waters = await in_thread(_read_whole, text, databases, temperature, Stated(unit, alkalinity_as))
    analysis = _one_of(waters, sample)
    model = ErrorModel(
        relative=error_percent / 100,
        pH=error_pH,
        temperature=error_temperature,
        pe=MEASURED_PE if error_pe is None else error_pe,
        assumed_pe=UNMEASURED_PE if error_pe is None else error_pe,
        by_element=_fractions(error_percent_of, analysis.constituents),
    )
    found = await uncertainty.estimate_saturation(
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
        ESTIMATE,
        {
            "csv": members_csv(found),
            "json": json.dumps(
                {"schema": "labrig.estimate/1", "estimates": [picture_data(each) for each in found]}
            ),
        },
        path,
    )
    first = found[0]
    values = [
        Quantity(
            f"SI({estimate.phase})",
            round(estimate.median, 3),
            "log10(IAP/K)",
            f"median; {100 * level:g} % interval {estimate.interval[0]:.2f} to {estimate.interval[1]:.2f}",
        )
        for estimate in found
    ]
    unused = [f"{each.header}: {each.why}" for each in waters.columns if each.role == "left out"]
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

    from labrig_phreeqc.waters.estimates import sources

    def short(values: Any) -> dict[str, float]:
        return {name: round(value, 3) for name, value in values.items()}

    shares = sources(found)
    data = {
        "phase": found.phase,
        "mean": round(found.mean, 3),
        "sd": round(found.sd, 3),
        "share_above_zero": round(found.share_above_zero, 3),
        "share_interval": [round(each, 3) for each in found.share_interval],
        "as_measured": short(found.nominal),
        "median_by_database": short(found.medians),
        "spread_from": short(shares),
        "standard_error": short({name: found.shares.error[name] for name in shares}),
        "analysis_by_input": short(
            {name: share for name, share in _falling(found.by_input) if share >= 0.001}
        ),
        "database_by_cause": short(found.by_cause),
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
            "Give either path or table" + (", not both" if table else ": both are empty"),
            where="path, table",
            expected="a CSV of the workspace, or its text",
        )
    return table or decoded(source_bytes(path))


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


def _read_whole(text: str, databases: list[str], temperature: float | None, stated: Stated) -> Table:
    """Read a table with the database that has most of its constituents: none is lost for the one named first."""
    from labrig_phreeqc.waters.compatible import INDEPENDENT
    from labrig_phreeqc.waters.table import read_table

    installed = {each.name for each in list_databases()}
    others = [name for name in INDEPENDENT if name in installed]
    best: tuple[int, Table] | None = None
    failure: LabrigError | None = None
    for name in dict.fromkeys([*(find_database(each).name for each in databases), *others]):
        try:
            table = read_table(text, database=name, temperature=temperature, stated=stated)
        except LabrigError as error:
            failure = failure or error
            continue
        used = sum(each.role == "concentration" for each in table.columns)
        if best is None or used > best[0]:
            best = used, table
        if not any("lacks" in each.why for each in table.columns):
            break
    if best is None:
        assert failure is not None
        raise failure
    return best[1]


def _one_of(table: Table, sample: str) -> Analysis:
    """Return the water that is asked for, by its name or as ``line 5``."""
    waters = [each.analysis for each in table.waters]
    names = [each.sample for each in waters]
    if not waters:
        raise LabrigError(
            "No row of the table can be used",
            where="; ".join(f"{each.sample}: {each.reasons[0].words}" for each in table.rejected[:3]),
            try_="speciate_waters explains every row",
        )
    if not sample:
        if len(waters) > 1:
            expected = f"one of {', '.join(dict.fromkeys(names[:12]))}"
            raise LabrigError(f"The table has {len(waters)} waters", where="sample", expected=expected)
        return waters[0]
    found = [each for each in waters if each.sample == sample]
    if not found and (line := re.fullmatch(r"\s*line\s+(\d+)\s*", sample, re.IGNORECASE)):
        found = [each for each in waters if each.row == int(line[1])]
    lost = [each for each in table.rejected if sample in (each.sample, f"line {each.line}")]
    if len(found) > 1 or (found and any(each.sample == sample for each in lost)):
        lines = sorted([each.row for each in found] + [each.line for each in lost])
        raise LabrigError(
            f"{len(lines)} rows are named {sample!r}",
            where=f"lines {', '.join(map(str, lines))}",
            expected=f"which one, such as sample='line {found[0].row}'",
        )
    if not found and lost:
        raise LabrigError(
            f"The row {sample!r} cannot be used", where="; ".join(each.words for each in lost[0].reasons)
        )
    if not found:
        raise unknown_name("sample that can be used", sample, names, where="sample")
    return found[0]


def _fractions(percents: dict[str, float], constituents: Iterable[str]) -> dict[str, float]:
    """Return relative errors by PHREEQC's names from percents by any name of a constituent: SO4, HCO3, S(6)."""
    from labrig_phreeqc.waters.constituents import element_in, find_constituent

    names = list(constituents)
    found: dict[str, float] = {}
    for name, percent in percents.items():
        where = f"error_percent_of: {name}"
        own = {"ph": "error_pH", "temperature": "error_temperature", "temp": "error_temperature"}
        if (argument := own.get(name.strip().casefold())) is not None:
            raise LabrigError(
                f"{name} is not a constituent", where=where, expected=f"its error in {argument}"
            )
        if not 0 <= percent <= 100:
            raise LabrigError(f"The error {percent:g} % cannot be used", where=where, expected="0 to 100 %")
        known = find_constituent(name)
        element = name if name in names else element_in(known[0].element, names) if known else None
        if element is None:
            raise unknown_name("constituent of this water", name, names, where=where)
        if element in found:
            raise LabrigError(f"{element} has two errors", where=where, expected="each constituent once")
        found[element] = percent / 100
    return found


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
