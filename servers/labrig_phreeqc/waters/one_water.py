"""One water of a table that holds several, and the errors of its values by any name of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.database.databases import find_database, list_databases
from labrig_phreeqc.waters.analysis import Analysis
from labrig_phreeqc.waters.columns import Stated
from labrig_phreeqc.waters.compatible import INDEPENDENT
from labrig_phreeqc.waters.constituents import element_in, find_constituent
from labrig_phreeqc.waters.table import Table, read_table


def read_whole(text: str, databases: Sequence[str], temperature: float | None, stated: Stated) -> Table:
    """Read a table with the database that has most of its constituents: none is lost for the one named first."""
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


def one_of(table: Table, sample: str) -> Analysis:
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


def relative_errors(percents: Mapping[str, float], constituents: Iterable[str]) -> dict[str, float]:
    """Return relative errors by PHREEQC's names from percents by any name of a constituent: SO4, HCO3, S(6)."""
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
