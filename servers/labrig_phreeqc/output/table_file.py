"""A table in a file as a `Series`: selected output as PHREEQC writes it, or a CSV such as `series` makes.

A file of selected output has no units: those of its fixed columns are known, a total or a USER_PUNCH column has none.
Selected output repeats its heading line where the input defines it anew; rows belong to the heading above them. A row
may be shorter than its heading (a USER_PUNCH that punches under a condition, official example 12a) or longer.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.output.series import Cell, Column, Note, Series, left_out

PLACES = ("sim", "state", "soln", "dist_x", "time", "step", "cell", "shift", "line", "simulation")
"""Columns that say which state a row is; they come along with any other."""

_UNITS = {
    "dist_x": "m",
    "time": "s",
    "temp": "degC",
    "alk": "eq/kgw",
    "mu": "mol/kgw",
    "mass_h2o": "kg",
    "charge": "eq",
    "pct_err": "%",
}
_PREFIXES = {
    "m_": "mol/kgw",
    "la_": "log10(activity)",
    "si_": "log10(IAP/K)",
    "d_": "mol",
    "g_": "mol",
    "k_": "mol",
}
_OWN_UNIT = re.compile(r"(.+) \[(.+)\]")
"""As `series` writes it into its CSV."""
_UNIT = re.compile(r"(.+?)[\[(]([^()\[\]]+)[\])]")
_UNITS_IN_BRACKETS = {"mol/kgw", "eq/kgw", "C", "eq", "atm", "mol", "L", "s", "1", "V"}
"""Those of selected output; other words in brackets belong to a name: ``log[Ca]``, ``Ca(mg)``, ``CO[18O]``."""
_NO_PLACE, _NO_LOGARITHM = -99.0, -999.999
MAX_LISTED = 40


def is_table(text: str) -> bool:
    """Tell whether a text is a table with a heading, rather than a PHREEQC output: two lines or more, cut alike.

    The first row of selected output may have fewer or more fields than the heading; a PHREEQC output does not start
    with a line of tabs.
    """
    lines = [line for line in text[:200_000].split("\n") if line.strip()][:2]
    if len(lines) < 2 or lines[0].startswith("-"):
        return False
    delimiter = _delimiter(lines[0])
    heading, row = (line.rstrip("\t\r").split(delimiter) for line in lines)
    if delimiter == "\t" and lines[0][0] != "\t":
        return len(heading) > 1 and any(isinstance(_number(field.strip()), float) for field in row)
    return len(heading) == len(row) > 1


def no_value(heading: str, value: float) -> bool:
    """Tell whether a number of selected output stands for none: -999.999 for a logarithm, -99 for a place."""
    name = heading.casefold()
    if abs(value - _NO_LOGARITHM) < 1e-6:
        return name.startswith(("si_", "la_", "lm_"))
    return value == _NO_PLACE and name.partition("(")[0] in ("time", "step", "dist_x", "reaction")


def read_table(text: str, names: Sequence[str], known: Sequence[str] = ()) -> Series:
    """Return columns of a table, with those that say which state a row is.

    Parameters
    ----------
    text
        Tab-separated (selected output) or comma-separated, with headings.
    names
        Headings, in any case; a unit in brackets at the end may be left out (``Ca`` for ``Ca(mol/kgw)``).
    known
        The headings with their units, where they are known from the run that wrote the file.

    Returns
    -------
    Series
        -999.999 in a column of saturation indices and -99 in a place column, which PHREEQC writes for "none", are None.

    Raises
    ------
    LabrigError
        ``not_found`` where the table has none of the headings, with the nearest; one beside others that it has is left
        out, and a note without rows says so.
    """
    headings: list[str] = []
    rows: list[dict[str, Cell]] = []
    for fields in _records(text):
        if not headings or _is_heading(fields, headings):
            current = [field.strip() for field in fields]
            if not headings and len(known) == len(current):
                current = list(known)
            headings += [name for name in current if name not in headings]
            continue
        beyond = [f"column {number}" for number in range(len(current) + 1, len(fields) + 1)]
        headings += [name for name in beyond if name not in headings]
        rows.append(
            {name: _cell(name, field) for name, field in zip([*current, *beyond], fields, strict=False)}
        )
    places = [name for name in headings if name.casefold() in PLACES]
    chosen, unknown, errors = [], [], []
    for name in names:
        try:
            chosen.append(find_heading(name, headings))
        except LabrigError as error:
            errors.append(error)
            unknown.append(left_out(name, error))
    if not chosen:
        raise errors[0]
    kept = list(dict.fromkeys([*places, *chosen]))
    absent: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        for name in chosen:
            if row.get(name) is None:
                absent.setdefault(name, []).append(number)
    notes = (
        *unknown,
        *(
            Note(name, "no value: it cannot form here, or the cell is empty", tuple(numbers))
            for name, numbers in absent.items()
        ),
    )
    columns = tuple(Column(name, unit_of(name), _type(row.get(name) for row in rows)) for name in kept)
    return Series(columns, tuple(tuple(row.get(name) for name in kept) for row in rows), notes)


def unit_of(heading: str) -> str:
    """Return the unit of a heading of selected output or of our CSV; empty where it has none."""
    if unit := _name_and_unit(heading)[1]:
        return {"C": "degC"}.get(unit, unit)
    prefix = next((each for each in _PREFIXES if heading.startswith(each)), "")
    return _PREFIXES.get(prefix) or _UNITS.get(heading.casefold(), "")


def bare_heading(heading: str) -> str:
    """Return a heading without its unit."""
    return _name_and_unit(heading)[0]


def _name_and_unit(heading: str) -> tuple[str, str]:
    if match := _OWN_UNIT.fullmatch(heading):
        return match[1], match[2]
    match = _UNIT.fullmatch(heading)
    if match and (match[2] in _UNITS_IN_BRACKETS or ("[" in heading and "/" in match[2])):
        return match[1], match[2]
    return heading, ""


def _delimiter(line: str) -> str:
    return "\t" if "\t" in line else ","


def _records(text: str) -> Iterator[list[str]]:
    first = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = _delimiter(first)
    for fields in csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True):
        if any(field.strip() for field in fields):
            yield fields[:-1] if len(fields) > 1 and not fields[-1].strip() and delimiter == "\t" else fields


def _is_heading(fields: Sequence[str], known: Sequence[str]) -> bool:
    """Tell a repeated heading from a row: none of its fields is a number, and some are headings."""
    words = [field.strip() for field in fields if field.strip()]
    return not any(isinstance(_number(word), float) for word in words) and bool(set(words) & set(known))


def _cell(name: str, field: str) -> Cell:
    value = _number(field.strip())
    if isinstance(value, float):
        if not math.isfinite(value) or no_value(name, value):
            return None
        if name.casefold() in PLACES and value.is_integer() and name.casefold() != "time":
            return int(value)
    return value


def _number(word: str) -> Cell:
    if not word:
        return None
    try:
        return float(word)
    except ValueError:
        return word


def _type(cells: Iterator[Cell]) -> str:
    kinds = {type(cell) for cell in cells if cell is not None}
    return "integer" if kinds == {int} else "text" if str in kinds else "number"


def find_heading(name: str, headings: Sequence[str]) -> str:
    """Return the heading that a name means: the same, without its unit, or in another case."""
    wanted = " ".join(name.split())
    bare = {heading: _name_and_unit(heading)[0] for heading in headings}
    ways: tuple[Callable[[str], bool], ...] = (
        lambda heading: heading == wanted,
        lambda heading: bare[heading] == wanted,
        lambda heading: heading.casefold() == wanted.casefold(),
        lambda heading: bare[heading].casefold() == wanted.casefold(),
        lambda heading: heading.casefold() == re.sub(r"^SI\((.+)\)$", r"si_\1", wanted).casefold(),
    )
    for same in ways:
        if hit := next((heading for heading in headings if same(heading)), None):
            return hit
    if not headings:
        raise LabrigError("The table has no heading line", where="path", code="not_found")
    error = unknown_name("column", name, headings, where="quantities")
    error.expected = error.expected or f"one of {', '.join(headings[:MAX_LISTED])}, ..."
    raise error
