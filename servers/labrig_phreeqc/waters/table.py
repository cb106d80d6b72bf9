"""A laboratory's table read: its columns, its unit basis, and its rows, most of which become analyses."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from labrig.errors import LabrigError
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.waters.analysis import DILUTE_G_PER_L
from labrig_phreeqc.waters.cells import SHARES, BelowLimit, Decimal, decimal_mark, read_cell
from labrig_phreeqc.waters.columns import Column, Stated
from labrig_phreeqc.waters.constituents import fold
from labrig_phreeqc.waters.headings import is_sum_of_alkalis, read_columns
from labrig_phreeqc.waters.rows import (
    MAJOR,
    TEMPERATURE_RANGE,
    Rejected,
    RowReader,
    Water,
    is_degC,
    is_mistake,
)
from labrig_phreeqc.waters.sheet import Sheet, sheet
from labrig_phreeqc.waters.units import parse_unit

MOST_MISTAKES = 0.2
"""Of a column of temperatures that no water can have in degC or degF: a decimal point is lost."""


@dataclass(frozen=True)
class Table:
    """A table read.

    Attributes
    ----------
    columns
        What each column was taken for.
    rows
        One for each row of the table, in its order.
    notes
        What was assumed, skipped or left out.
    censored
        Values below a limit, by heading.
    warnings
        Measured values in whose place an argument stands.
    """

    columns: tuple[Column, ...]
    rows: tuple[Water | Rejected, ...]
    notes: tuple[str, ...]
    censored: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def waters(self) -> list[Water]:
        """The rows that can be computed."""
        return [each for each in self.rows if isinstance(each, Water)]

    @property
    def rejected(self) -> list[Rejected]:
        """The rows that cannot."""
        return [each for each in self.rows if isinstance(each, Rejected)]


def read_table(
    text: str,
    *,
    database: str = "phreeqc.dat",
    temperature: float | None = None,
    below_limit: BelowLimit = "half",
    stated: Stated | None = None,
) -> Table:
    """Read a table of water analyses.

    Parameters
    ----------
    text
        CSV with a heading line: comma, semicolon, tab or bar between cells, decimal point or comma.
    database
        Whose elements and atomic weights are used.
    temperature
        degC for rows without one.
    below_limit
        What stands for a value below a limit of detection.
    stated
        What the caller says about columns that do not say their unit.

    Returns
    -------
    Table
        Every row is in it, as a water or rejected.

    Raises
    ------
    LabrigError
        ``bad_input`` where it is not such a table, ``limit`` where it is too large.
    """
    if below_limit not in SHARES:
        raise LabrigError(
            "There is no such choice", where=f"below_limit={below_limit!r}", expected=", ".join(SHARES)
        )
    if temperature is not None and not TEMPERATURE_RANGE[0] <= temperature <= TEMPERATURE_RANGE[1]:
        raise LabrigError(
            "There is no such water",
            where=f"temperature={temperature}",
            expected="{:g} to {:g} degC".format(*TEMPERATURE_RANGE),
        )
    cells = sheet(text)
    catalogue = read(find_database(database).path)
    stated, units_said = _unit_of_rows(cells, stated or Stated())
    columns = read_columns(cells.headers, catalogue, stated, cells.units)
    columns, notes = _one_basis(columns)
    columns, warnings, assumed = _temperatures(columns, cells, temperature)
    notes += assumed
    _require(columns)
    reader = RowReader(columns, cells, temperature, below_limit)
    no_samples = reader.no_samples(cells.rows)
    rows = tuple(
        reader.rejected(line, row, no_samples[number]) if number in no_samples else reader.row(line, row)
        for number, (line, row) in enumerate(cells.rows)
    )
    notes += _unused(columns, temperature, reader)
    notes = [
        *cells.notes,
        *units_said,
        *notes,
        *_missing(columns, temperature),
        *_left_out(columns),
        *(
            f"{each.header} counts as sodium: how much of it is potassium is not known"
            for each in columns
            if is_sum_of_alkalis(each)
        ),
        *reader.notes(rows),
    ]
    return Table(tuple(columns), rows, tuple(notes), dict(reader.remarks.censored), tuple(warnings))


def _left_out(columns: Sequence[Column]) -> list[str]:
    """Name the columns of major ions, and those that are not understood, which do not count."""
    return [
        f"{column.header} is left out: {column.why}"
        for column in columns
        if column.role == "left out" and (column.unknown or (column.known and column.known.element in MAJOR))
    ][:8]


def _one_basis(columns: list[Column]) -> tuple[list[Column], list[str]]:
    """Leave out columns per kilogram of water where others are per litre or kilogram of solution."""
    used = Counter(each.unit.basis for each in columns if each.role == "concentration" and each.unit)
    notes = []
    if used["kgw"] and len(used) > 1:
        fewer = {"kgw"} if used["kgw"] <= used["L"] + used["kgs"] else {"L", "kgs"}
        why = "amounts per kg of water and per L or kg of solution cannot be put together without the density"
        columns = [
            column.left_out(why)
            if column.role in ("concentration", "error") and column.unit and column.unit.basis in fewer
            else column
            for column in columns
        ]
    if used["L"] and used["kgs"]:
        notes.append(
            "amounts per litre and per kilogram of solution (ppm is mg/kg) are put together with the density of the "
            f"row; where it has none and less than {DILUTE_G_PER_L:g} g/L, with 1 kg/L"
        )
    return columns, notes


def _unit_of_rows(cells: Sheet, stated: Stated) -> tuple[Stated, list[str]]:
    """Take the unit from a column ``units`` that says the same in every row, as tables for SOLUTION_SPREAD have it."""
    place = next(
        (n for n, name in enumerate(cells.headers) if fold(name) in ("unit", "units", "einheit")), None
    )
    said = (
        {row[place].strip() for _, row in cells.rows if len(row) > place} - {""}
        if place is not None
        else set()
    )
    if stated.unit or place is None or len(said) != 1 or parse_unit(*said) is None:
        return stated, []
    (unit,) = said
    return replace(stated, unit=unit), [
        f"{cells.headers[place]} says {unit} in every row, for columns without a unit"
    ]


def _missing(columns: Sequence[Column], temperature: float | None) -> list[str]:
    """Say what a table without pH or temperature cannot give; a balance needs neither."""
    roles = {each.role for each in columns}
    if "pH" not in roles:
        near = _nearest(columns, r"ph(?![a-z])", "ph")
        return [f"no column holds the pH: no saturation indices, no scaling{f' ({near})' if near else ''}"]
    if "temperature" in roles or temperature is not None:
        return []
    near = _nearest(columns, r".*temp|t(?![a-z])", "temperature")
    return [
        f"no column holds the temperature: no saturation indices, no scaling{f' ({near})' if near else ''}; "
        "temperature=... in degC, if one holds for all rows"
    ]


def _temperatures(
    columns: list[Column], cells: Sheet, temperature: float | None
) -> tuple[list[Column], list[str], list[str]]:
    """Take a temperature without a unit for degC where all its values can be that, and say so.

    Returns the columns, what is said where `temperature` stands for values that were measured, and other notes.
    """
    warnings, notes = [], []
    said = any(each.role == "temperature" and not each.assumed for each in columns)
    for number, column in enumerate(columns):
        if column.role != "temperature" or not column.assumed:
            continue
        texts = [row[column.index] for _, row in cells.rows if column.index < len(row)]
        decimal = decimal_mark(texts, Decimal("," if cells.delimiter == ";" else ".", cells.delimiter == ";"))
        values = [value for text in texts if (value := read_cell(text, decimal).value) is not None]
        spread = f"{min(values):g} to {max(values):g}" if values else "none"
        likely = [value for value in values if not is_mistake(value)]
        if (
            likely
            and not said
            and all(map(is_degC, likely))
            and len(values) - len(likely) <= MOST_MISTAKES * len(values)
        ):
            spread = f"{min(likely):g} to {max(likely):g}"
            notes.append(f"{column.header} has no unit; its values, {spread}, are taken as degC")
            continue
        why = f"it has no unit; write {column.header} (degC) or (degF)"
        columns[number] = column = column.left_out(why if said else f"{why}: its values are {spread}")
        if temperature is not None and values and not said:
            warnings.append(
                f"{column.header} has no unit and is left out: {temperature:g} degC stands in place of its "
                f"{len(values)} measured values ({spread}); write {column.header} (degC) or (degF)"
            )
    return columns, warnings, notes


def _unused(columns: Sequence[Column], temperature: float | None, reader: RowReader) -> list[str]:
    """Say that the temperature of the caller stands in no row, since each has its own."""
    header = next((each.header for each in columns if each.role == "temperature"), None)
    if temperature is None or header is None or reader.temperature_is_used:
        return []
    return [f"temperature={temperature:g} is not used: every row that is computed has its own, in {header}"]


def _require(columns: Sequence[Column]) -> None:
    left_out = "; ".join(f"{each.header}: {each.why}" for each in columns if each.role == "left out")[:600]
    if not any(each.role == "concentration" for each in columns):
        raise LabrigError(
            "No column holds a concentration that can be used",
            where=left_out,
            expected="a constituent and its unit in each heading: Ca (mg/L)",
            try_='unit="mg/L" if that holds for all columns without a unit',
        )


def _nearest(columns: Sequence[Column], pattern: str, name: str) -> str:
    """Name the heading that looks most like what is missing, or nothing."""
    idle = {each.header.casefold(): each for each in reversed(columns) if each.role in ("text", "left out")}
    likely = [each for text, each in idle.items() if re.match(pattern, text)]
    likely += [idle[text] for text in difflib.get_close_matches(name, list(idle), 1)]
    if not likely:
        return ""
    column = likely[0]
    return f"heading nearest to it: {column.header}" + (f": {column.why}" if column.why else "")
