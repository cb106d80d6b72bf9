"""Rows of a laboratory's table: each becomes an analysis in moles, or is rejected with its reasons."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labrig_phreeqc.checks.criteria import MEASURED_PH_RANGE
from labrig_phreeqc.waters import summaries
from labrig_phreeqc.waters.analysis import Analysis, Basis
from labrig_phreeqc.waters.balance import ALKALINITY_END
from labrig_phreeqc.waters.cells import (
    SHARES,
    BelowLimit,
    Cell,
    Decimal,
    decimal_mark,
    missing_code,
    read_cell,
)
from labrig_phreeqc.waters.columns import CHECKS, NUMERIC, Column, Role
from labrig_phreeqc.waters.measurements import Measurement, choose, constituents, grams, per_litre
from labrig_phreeqc.waters.notices import Notice
from labrig_phreeqc.waters.remarks import Remarks
from labrig_phreeqc.waters.sheet import Sheet

MAX_CELL = 500
"""Characters of a cell that are kept."""
TEMPERATURE_RANGE = (-10.0, 350.0)
PLAUSIBLE_DEGC = (-2.0, 45.0)
"""Temperatures that a column without a unit holds if it is in degC: above, it may be in degF."""
NO_DEGF = 113.0
"""The same of PLAUSIBLE_DEGC in degF: above, a temperature without a unit is neither."""
DENSITY_RANGE = (0.9, 1.6)
"""kg/L; outside, the column is in another unit than it says."""
_TYPE = re.compile(r"(?:sample|qc|proben?)?[ _-]?(?:type|kind|art)|qc|qa/?qc", re.IGNORECASE)
"""Headings of a column that says of each row whether it is a sample."""
MAJOR = ("Ca", "Mg", "Na", "K", "Alkalinity", "C(4)", "C", "S(6)", "S", "Cl")
"""Elements without which a row is not computed where their cell cannot be read; of others the cell is left out."""


def is_degC(value: float) -> bool:
    """Tell whether a temperature without a unit can be in degC."""
    return PLAUSIBLE_DEGC[0] <= value <= PLAUSIBLE_DEGC[1]


def is_mistake(value: float) -> bool:
    """Tell whether a temperature without a unit can be neither in degC nor in degF."""
    return value > NO_DEGF


@dataclass(frozen=True)
class Water:
    """A row that can be computed.

    Attributes
    ----------
    analysis
        The water.
    measured
        The numbers behind its constituents.
    checks
        What was measured of the whole water: ``conductivity`` in uS/cm, ``TDS`` in mg/L, ``hardness`` in mg/L as CaCO3.
    notices
        What is odd already on reading.
    group
        The text of the group column.
    """

    analysis: Analysis
    measured: tuple[Measurement, ...]
    checks: Mapping[str, float] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    group: str = ""


@dataclass(frozen=True)
class Rejected:
    """A row that cannot be computed, and all the reasons."""

    sample: str
    line: int
    reasons: tuple[Notice, ...]
    group: str = ""


@dataclass(frozen=True)
class _Doubts:
    """What is wrong with the cells of a row.

    Attributes
    ----------
    reasons
        Why the row is rejected.
    left_out, unusable
        Cells that the row does without, and their columns.
    checks
        Checks that are not used.
    """

    reasons: list[Notice]
    left_out: list[Notice]
    checks: list[Notice]
    unusable: set[int]


class RowReader:
    """Reads rows; `remarks` are about all of them."""

    def __init__(
        self, columns: Sequence[Column], sheet: Sheet, temperature: float | None, below_limit: BelowLimit
    ) -> None:
        self.columns = columns
        self.named = next((each for each in columns if each.role == "sample"), None)
        self.grouped = next((each for each in columns if each.role == "group"), None)
        self.remarks = Remarks()
        self.width = len(columns)
        self.delimiter = sheet.delimiter
        self.temperature = temperature
        self.temperature_is_used = False
        self.below_limit = below_limit
        texts = {
            column.index: [cells[column.index] for _, cells in sheet.rows if column.index < len(cells)]
            for column in columns
            if column.role in NUMERIC
        }
        default = Decimal("," if sheet.delimiter == ";" else ".", sheet.delimiter == ";")
        whole = decimal_mark((text for column in texts.values() for text in column), default)
        self.decimals = {index: decimal_mark(column, whole) for index, column in texts.items()}
        bases = {each.unit.basis for each in columns if each.role == "concentration" and each.unit}
        self.basis: Basis = "L" if "L" in bases else min(bases)
        self.mixed = len(bases) > 1

    def no_samples(self, rows: Sequence[tuple[int, list[str]]]) -> Mapping[int, str]:
        """Return which rows sum others up or are blanks or limits, by their place, with what each is."""
        groups = {_text(cells, self.grouped) for _, cells in rows} - {""}
        found = dict(summaries.no_samples([self._label(cells) for _, cells in rows], groups))
        for column in (each for each in self.columns if each.role in ("text", "group")):
            if _TYPE.fullmatch(column.header.strip()):
                found |= summaries.no_samples([_text(cells, column) for _, cells in rows])
        self.remarks.summaries = [
            self._label(rows[number][1]) or f"line {rows[number][0]}" for number in sorted(found)
        ]
        return found

    def _label(self, cells: list[str]) -> str:
        """Return the name of a row; without one its first text, where tables write "Mean" below the dates."""
        texts = (each for each in self.columns if each.role in ("text", "group", "left out"))
        return _text(cells, self.named) or next((text for each in texts if (text := _text(cells, each))), "")

    def rejected(self, line: int, cells: list[str], what: str) -> Rejected:
        """Reject a row that is no sample."""
        name = self._label(cells)
        words = f"{name[:60]!r} is {what} and no sample; rename it if it is one"
        return Rejected(name or f"line {line}", line, (Notice("row", "", words),), _text(cells, self.grouped))

    def row(self, line: int, cells: list[str]) -> Water | Rejected:
        """Read one row."""
        sample, group = _text(cells, self.named) or f"line {line}", _text(cells, self.grouped)
        if reasons := self._shape(cells):
            return Rejected(sample, line, tuple(reasons), group)
        read_ = {
            column.index: read_cell(cells[column.index], self.decimals[column.index])
            for column in self.columns
            if column.role in NUMERIC
        }
        doubts = self._doubts(read_)
        pH, temperature = self._first("pH", read_), self._temperature(read_)
        density = self._first("density", read_)
        reasons = [*doubts.reasons, *_find_impossible(pH, temperature), *_no_density(density)]
        present = [
            column
            for column in self.columns
            if column.role == "concentration"
            and not read_[column.index].empty
            and column.index not in doubts.unusable
        ]
        if not any(read_[each.index].value is not None or read_[each.index].why for each in present):
            reasons.append(Notice("row", "", "no concentration has a value"))
        if reasons:
            return Rejected(sample, line, (*reasons, *doubts.left_out), group)

        acidity = math.nan if pH is None else pH[1]
        read_ = {index: Cell() if index in doubts.unusable else cell for index, cell in read_.items()}
        measured = [
            measurement
            for column in present
            if (measurement := self._measurement(column, read_[column.index], acidity))
        ]
        if self.mixed:
            scaled = per_litre(measured, density[1] if density else None)
            if scaled is None:
                why = f"{grams(measured):.3g} g/L are dissolved: mg/L and mg/kg need the density to be put together"
                return Rejected(sample, line, (Notice("density", "", why),), group)
            measured = scaled
        counting, carbonate, odd = choose(measured, self.columns, self.remarks)
        analysis = Analysis(
            sample=sample,
            pH=acidity,
            temperature=math.nan if temperature is None else temperature,
            constituents=constituents(counting, read_, self.columns, self.basis),
            pe=None if temperature is None else self._pe(read_, temperature),
            density=density[1] if density else None,
            basis=self.basis,
            row=line,
            other=self._other(cells),
            carbonate=carbonate,
        )
        notices = (*doubts.checks, *doubts.left_out, *odd)
        return Water(analysis, tuple(counting), self._checks(read_), notices, group)

    def _doubts(self, cells: Mapping[int, Cell]) -> _Doubts:
        """Return what is wrong with the cells of a row, one by one."""
        found = _Doubts([], [], [], set())
        for column in self.columns:
            cell = cells.get(column.index)
            if not (why := _objection(column, cell) if cell else ""):
                continue
            name = column.header
            if column.role in CHECKS:
                found.checks.append(Notice("check", name, f"{name}: {why}; it is not used"))
            elif column.role == "error" or (column.role == "concentration" and column.element not in MAJOR):
                found.unusable.add(column.index)
                found.left_out.append(Notice("value", name, f"{name}: {why}; the cell is left out"))
            else:
                found.reasons.append(Notice("value", name, f"{name}: {why}"))
        return found

    def _checks(self, cells: Mapping[int, Cell]) -> dict[str, float]:
        """Return the numbers of a row that its analysis is checked against, by their role."""
        return {
            str(column.role): cell.value * column.factor
            for column in self.columns
            if column.role in CHECKS
            and (cell := cells[column.index]).value is not None
            and not cell.below
            and not cell.why
        }

    def _other(self, cells: list[str]) -> dict[str, str]:
        """Return the texts of a row that are no numbers of its analysis, by their heading."""
        return {
            column.header or f"column {column.index + 1}": text
            for column in self.columns
            if column.role in ("text", "group", "left out") and (text := _text(cells, column))
        }

    def _shape(self, cells: list[str]) -> list[Notice]:
        used = len(cells)
        while used > self.width and not cells[used - 1].strip():
            used -= 1
        if used == self.width:
            return []
        words = f"the line has {used} cells and the heading {self.width}"
        if used < self.width:
            words += "; a cell without a value needs its separator"
        elif self.delimiter == ",":
            words += "; a comma inside a cell needs quotation marks around it"
        return [Notice("row", "", words)]

    def _first(self, role: Role, cells: Mapping[int, Cell]) -> tuple[Column, float] | None:
        """Return the first value of a role, the field's before the laboratory's."""
        columns = sorted(
            (each for each in self.columns if each.role == role),
            key=lambda each: ("field", "", "lab").index(each.place),
        )
        for column in columns:
            cell = cells[column.index]
            if cell.value is not None and not cell.below and not cell.why:
                if len(columns) > 1:
                    self.remarks.said[f"{role}: {column.header} counts"] += 1
                return column, cell.value * column.factor + column.offset
        return None

    def _temperature(self, cells: Mapping[int, Cell]) -> float | None:
        found = self._first("temperature", cells)
        if found is not None and found[0].assumed and is_mistake(found[1]):
            self.remarks.said[f"{found[0].header}: {found[1]:g} is no temperature of a water; not used"] += 1
            found = None
        if found is not None:
            return round(found[1], 6)
        if self.temperature is not None:
            self.temperature_is_used = True
            self.remarks.said[f"temperature: {self.temperature:g} degC as stated"] += 1
        return self.temperature

    def _pe(self, cells: Mapping[int, Cell], temperature: float) -> float | None:
        if (pe := self._first("pe", cells)) is not None:
            return pe[1]
        if (Eh := self._first("Eh", cells)) is not None:
            return pe_of(Eh[1], temperature)
        return None

    def _measurement(self, column: Column, cell: Cell, pH: float) -> Measurement | None:
        if cell.estimated:
            self.remarks.estimated[column.header] += 1
        if not cell.below:
            assert cell.value is not None
            return Measurement(column, cell.value, cell.value * column.factor)
        if cell.value is None:
            self.remarks.unstated[column.header] += 1
            return None
        if column.element == "Alkalinity" and pH < ALKALINITY_END:  # any share would contradict the pH
            self.remarks.said[
                f"{column.header} below its limit is taken as 0 where pH is below {ALKALINITY_END:g}, "
                f"the end of the titration"
            ] += 1
            return None
        self.remarks.censored[column.header] += 1
        share = SHARES[self.below_limit]
        return Measurement(column, cell.value, cell.value * column.factor * share, censored=True)

    def notes(self, rows: Sequence[Water | Rejected]) -> list[str]:
        """Say what holds for the table as a whole."""
        names = [each.analysis.sample if isinstance(each, Water) else each.sample for each in rows]
        comma = any(self.decimals[each.index].mark == "," for each in self.columns if each.role in NUMERIC)
        return self.remarks.notes(names, self.below_limit, self.columns, comma=comma)


def pe_of(Eh: float, temperature: float) -> float:
    """Return pe = Eh F / (R T ln 10), for Eh in V against hydrogen and a temperature in degC (CODATA 2018)."""
    return Eh * 96485.33212 / (8.314462618 * (temperature + 273.15) * math.log(10))


def _text(cells: Sequence[str], column: Column | None) -> str:
    if column is None or column.index >= len(cells):
        return ""
    return " ".join(cells[column.index].split())[:MAX_CELL]


def _objection(column: Column, cell: Cell) -> str:
    """Say why a cell cannot be used, or nothing."""
    if cell.why:
        return cell.why
    if cell.below and column.role not in ("concentration", "error"):
        return "it is only a limit"
    negative = cell.value is not None and cell.value < 0
    if negative and column.role not in ("pH", "temperature", "pe", "Eh"):
        assert cell.value is not None
        if missing_code(cell.value):
            return f"{cell.value:g} looks like a code for a missing value; leave the cell empty"
        return f"{cell.value:g} is negative; if it stands for a limit of detection, write <{-cell.value:g}"
    return ""


def _find_impossible(pH: tuple[Column, float] | None, temperature: float | None) -> list[Notice]:
    found = []
    if pH is not None and not MEASURED_PH_RANGE[0] <= pH[1] <= MEASURED_PH_RANGE[1]:
        words = f"impossible pH {pH[1]:g}"
        if missing_code(pH[1]):
            words += "; it looks like a code for a missing value"
        elif temperature is not None and 4 <= temperature <= 10 and pH[1] < 45:
            words += f"; pH and temperature ({temperature:g}) may have changed places"
        elif 40 <= pH[1] <= 100:
            words += f"; it would be possible as {pH[1] / 10:g}"
        found.append(Notice("pH", pH[0].header, words))
    if temperature is not None and not TEMPERATURE_RANGE[0] <= temperature <= TEMPERATURE_RANGE[1]:
        found.append(Notice("temperature", "", f"impossible temperature {temperature:g} degC"))
    return found


def _no_density(density: tuple[Column, float] | None) -> list[Notice]:
    if density is None or DENSITY_RANGE[0] <= density[1] <= DENSITY_RANGE[1]:
        return []
    name = density[0].header
    return [Notice("density", name, f"{name}: {density[1]:g} kg/L is not a water")]
