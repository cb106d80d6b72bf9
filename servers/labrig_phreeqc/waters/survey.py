"""A table of waters, surveyed: each row read, balanced, speciated and looked at, and nothing dropped in silence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from labrig.errors import LabrigError, unknown_name
from labrig.threads import in_thread
from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.database.databases import Database, find_database
from labrig_phreeqc.database.definitions import has_volumes
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.waters.analysis import DILUTE_G_PER_L, HOT, LABORATORY, Analysis, cooled_for_analysis
from labrig_phreeqc.waters.balance import Balance, balance, dissolved_solids
from labrig_phreeqc.waters.carbonate import excluded, langelier
from labrig_phreeqc.waters.cells import BelowLimit
from labrig_phreeqc.waters.columns import Stated
from labrig_phreeqc.waters.compatible import out_of_scope
from labrig_phreeqc.waters.diagnosis import diagnose
from labrig_phreeqc.waters.drinking_water import Limit, exceeded
from labrig_phreeqc.waters.notices import Notice
from labrig_phreeqc.waters.redox import divided_by_pe, inert_share, redox_active
from labrig_phreeqc.waters.rows import Water
from labrig_phreeqc.waters.speciation import Speciation, speciate
from labrig_phreeqc.waters.table import Table, read_table

_OF_INTEREST = """Calcite|Aragonite|Dolomite,Dolomite(ordered)|Magnesite|Gypsum|Anhydrite|Barite|Celestite,Celestine
Strontianite|Witherite|Fluorite|Siderite|Rhodochrosite|Vivianite|Hydroxyapatite,Hydroxyapatite(Natur)
Fe(OH)3(a),Ferrihydrite,Ferrihydrite(2L),Ferrihydrite(am),Fe(OH)3|Goethite|Gibbsite|Kaolinite|Quartz|Chalcedony
SiO2(a),SiO2(am),SiO2(am-gel),Amorphous_silica|Brucite|Halite|CO2(g)"""
OF_INTEREST = [names.split(",") for names in re.split(r"[|\n]", _OF_INTEREST)]
"""Phases that are looked at in natural waters and for scaling, each with the names that databases give it."""

INERT_SHARE = 0.05
"""Share of the equivalents from which what takes no part on the way to calcite leaves no precipitation potential."""

MAX_PHASES = 60
CALCITE = "Calcite"
CACO3_MG = 100.0869
"""mg in a mmol."""

Status = Literal["ok", "flagged", "balanced", "unsolved", "rejected"]


@dataclass(frozen=True)
class Row:
    """What is known of one row of the table.

    Attributes
    ----------
    sample, line, group
        Its name, its line in the table, the text of the group column.
    reasons
        Why it is rejected; empty where it is not.
    notices
        What is wrong or odd with it.
    beyond
        In which ways it is outside what the database is for, see `compatible.out_of_scope`.
    remark
        Why it has no precipitation potential, where the reason is not that it has no calcium or carbonate.
    water, balance, speciation
        None where it is rejected.
    solids
        Sum of the constituents, mg per basis.
    precipitation
        Calcium carbonate precipitation potential: mg/L as CaCO3 that the water loses (negative: takes up) on its way to
        equilibrium with calcite, closed to gases and without redox reactions. None without calcium or carbonate, and
        where more than `INERT_SHARE` of the equivalents are redox-active: iron would hydrolyse as the pH rises.
    langelier
        The Langelier index, see `carbonate.langelier`.
    above_limits
        The limits of drinking water that it exceeds.
    """

    sample: str
    line: int
    group: str = ""
    reasons: tuple[Notice, ...] = ()
    notices: tuple[Notice, ...] = ()
    beyond: tuple[str, ...] = ()
    remark: str = ""
    water: Water | None = None
    balance: Balance | None = None
    speciation: Speciation | None = None
    solids: float | None = None
    precipitation: float | None = None
    langelier: float | None = None
    above_limits: tuple[Limit, ...] = ()

    @property
    def status(self) -> Status:
        """``rejected``; ``unsolved`` by PHREEQC; ``flagged`` where something is doubtful; ``ok``.

        ``balanced`` is a row without pH or temperature of which nothing else is doubtful.
        """
        if self.speciation is None:
            return "rejected"
        unmeasured = self.speciation.analysis.unmeasured
        if self.speciation.failure and not unmeasured:
            return "unsolved"
        return "flagged" if self.notices or self.beyond else "balanced" if unmeasured else "ok"

    @property
    def doubtful(self) -> list[str]:
        """Findings and what is beyond the database, each in words."""
        return [*self.beyond, *(each.text() for each in self.notices)]


@dataclass(frozen=True)
class Survey:
    """What came of a table.

    Attributes
    ----------
    table
        How it was read: columns, what was left out and why.
    rows
        One for each row of the table, in its order.
    phases
        Whose saturation indices were computed.
    database
        With which.
    charge_limit
        Charge error above which a row is flagged, percent.
    notes
        What was assumed and left out, for the table as a whole.
    """

    table: Table
    rows: tuple[Row, ...]
    phases: tuple[str, ...]
    database: Database
    charge_limit: float
    notes: tuple[str, ...]

    @property
    def accepted(self) -> list[Row]:
        """Rows that were computed, or that PHREEQC could not solve."""
        return [each for each in self.rows if each.status != "rejected"]

    def count(self, status: Status) -> int:
        """Return how many rows ended so."""
        return sum(each.status == status for each in self.rows)

    @property
    def out_of_scope(self) -> str:
        """Which rows are beyond the database, with what is said of the first; empty where none is."""
        rows = [each for each in self.rows if each.beyond]
        if not rows:
            return ""
        names = ", ".join(each.sample[:40] for each in rows[:3]) + (", ..." if rows[3:] else "")
        said = "; ".join(rows[0].beyond)
        return f"{len(rows)} rows are outside what {self.database.name} is for ({names}), {rows[0].sample[:40]}: {said}"


async def speciate_waters(
    text: str,
    *,
    engine: Engine,
    database: str = "phreeqc.dat",
    phases: Sequence[str] | None = None,
    temperature: float | None = None,
    below_limit: BelowLimit = "half",
    unit: str = "",
    alkalinity_as: str = "",
    units: Mapping[str, str] | None = None,
    charge_limit: float = CHARGE_ERROR_PERCENT,
    precipitation: bool = True,
    limits: Limits | None = None,
) -> Survey:
    """Read a laboratory's table and compute every water in it.

    Parameters
    ----------
    text
        The table as CSV, see `table.read_table`.
    database
        Name of an installed database.
    phases
        Minerals and gases; by default those of `OF_INTEREST` that the elements of the table can form.
    temperature
        degC for rows without one.
    below_limit
        What stands for values below a limit of detection: ``half`` of it, ``zero``, the ``limit``.
    unit, alkalinity_as, units
        What the headings do not say, see `columns.Stated`.
    charge_limit
        Charge error above which a row is flagged, percent.
    precipitation
        Whether to compute the calcium carbonate precipitation potential, which takes twice the time.
    limits
        What one run may use; a run has up to 100 waters.

    Raises
    ------
    LabrigError
        Where the table, a phase or the database cannot be used, and what `Engine.run` raises.
    """
    chosen = find_database(database)
    catalogue = read(chosen.path)
    if not charge_limit > 0:
        raise LabrigError(
            "There is no such limit", where=f"charge_limit={charge_limit}", expected="percent above 0"
        )
    wanted = None if phases is None else _named(phases, catalogue, chosen)
    table = await in_thread(
        read_table,
        text,
        database=chosen.name,
        temperature=temperature,
        below_limit=below_limit,
        stated=Stated(unit, alkalinity_as, units),
    )
    if wanted is None:
        wanted = usual_phases(table, catalogue)
    waters = [each.analysis for each in table.waters]
    solved = await _speciated(waters, wanted, catalogue, chosen, precipitation, engine, limits)
    errors = [each.charge_error for each in solved]
    notices = await in_thread(diagnose, table, catalogue, charge_limit=charge_limit, speciated=errors)
    weights = {each.name: each.atomic_weight for each in catalogue.elements if each.atomic_weight}
    active = redox_active(catalogue)
    rows: list[Row] = []
    number = 0
    for row in table.rows:
        if isinstance(row, Water):
            rows.append(_row(row, notices[number], solved[number], weights, chosen, active))
            number += 1
        else:
            rows.append(Row(row.sample, row.line, row.group, reasons=row.reasons))
    if phases is not None:
        table = replace(table, notes=(*table.notes, *_cannot_form(table, wanted, catalogue)))
    notes = (*table.notes, *_notes(table, rows, wanted, catalogue, chosen))
    return Survey(table, tuple(rows), tuple(wanted), chosen, charge_limit, notes)


async def _speciated(
    waters: Sequence[Analysis],
    phases: Sequence[str],
    catalogue: Catalogue,
    database: Database,
    precipitation: bool,
    engine: Engine,
    limits: Limits | None,
) -> list[Speciation]:
    """Speciate the waters, and bring to equilibrium with calcite those that can be."""
    precipitation = precipitation and any(each.name == CALCITE for each in catalogue.phases)
    solved: dict[int, Speciation] = {
        number: Speciation(analysis, failure=why)
        for number, analysis in enumerate(waters)
        if (why := _unmeasured(analysis) or excluded(analysis))
    }
    for precipitate in ("", CALCITE):
        part = [
            number
            for number, analysis in enumerate(waters)
            if number not in solved and (precipitation and _has_calcite(analysis)) == bool(precipitate)
        ]
        if not part:
            continue
        found = await speciate(
            [waters[number] for number in part],
            phases,
            engine=engine,
            database=database.name,
            precipitate=precipitate,
            limits=limits,
        )
        solved |= dict(zip(part, found, strict=True))
    return [solved[number] for number in range(len(waters))]


def _unmeasured(analysis: Analysis) -> str:
    """Say what is missing for a speciation, or nothing."""
    return f"no {' and no '.join(analysis.unmeasured)}" if analysis.unmeasured else ""


def usual_phases(table: Table, catalogue: Catalogue) -> list[str]:
    """Return the phases of `OF_INTEREST` that a database has and the elements of a table can form."""
    present = _present(table)
    by_name = {each.name: each for each in catalogue.phases}
    found = []
    for names in OF_INTEREST:
        known = next((by_name[name] for name in names if name in by_name), None)
        if known is not None and known.elements <= present:
            found.append(known.name)
    return found


def _present(table: Table) -> set[str]:
    present = {each.element.partition("(")[0] for each in table.columns if each.role == "concentration"}
    return present | {"H", "O"} | ({"C"} if "Alkalinity" in present else set())


def _cannot_form(table: Table, phases: Sequence[str], catalogue: Catalogue) -> list[str]:
    """Say why phases that were asked for have no index in any row."""
    by_name = {each.name: each for each in catalogue.phases}
    absent = {each: sorted(by_name[each].elements - _present(table)) for each in phases}
    return [
        f"no index of {phase}: the table has no {', '.join(lacking)} that can be used"
        for phase, lacking in absent.items()
        if lacking
    ]


def _named(phases: Sequence[str], catalogue: Catalogue, database: Database) -> list[str]:
    by_fold = {each.name.casefold(): each.name for each in catalogue.phases}
    if len(phases) > MAX_PHASES:
        raise LabrigError(
            f"{len(phases)} phases were asked for", where="phases", expected=f"at most {MAX_PHASES}"
        )
    for phase in phases:
        if phase.casefold() not in by_fold:
            raise unknown_name(f"phase in {database.name}", phase, by_fold.values(), where="phases")
    return list(dict.fromkeys(by_fold[phase.casefold()] for phase in phases))


def _has_calcite(analysis: Analysis) -> bool:
    names = analysis.constituents
    return "Ca" in names and any(each in names for each in ("Alkalinity", "C(4)", "C"))


def _row(
    water: Water,
    notices: tuple[Notice, ...],
    solved: Speciation,
    weights: Mapping[str, float],
    database: Database,
    active: Collection[str],
) -> Row:
    analysis = water.analysis
    its = balance(analysis)
    precipitation, remark = None, ""
    solids = dissolved_solids(analysis, weights)
    index = None
    dilute = solids < 1e3 * DILUTE_G_PER_L
    if solved.ionic_strength is not None and (analysis.basis == "L" or dilute):
        index = langelier(analysis, solved.ionic_strength)
    if CALCITE in solved.delta:
        share, names = inert_share(analysis, (its.cations + its.anions) / 2, active)
        if share > INERT_SHARE:
            remark = (
                f"no precipitation potential: {', '.join(names[:4])}, {100 * share:.0f} % of the equivalents, would "
                "take part and is left out of it"
            )
        else:
            precipitation = _precipitation(analysis, solved, solids)
    return Row(
        sample=analysis.sample,
        line=analysis.row,
        group=water.group,
        notices=notices,
        beyond=tuple(out_of_scope(database, analysis, solved.ionic_strength)),
        remark=remark,
        water=water,
        balance=its,
        speciation=solved,
        solids=solids,
        precipitation=precipitation,
        langelier=index,
        above_limits=tuple(exceeded(analysis, weights)),
    )


def _precipitation(analysis: Analysis, solved: Speciation, solids: float) -> float | None:
    """Return mg/L as CaCO3 of what PHREEQC gives in mol per kilogram of water."""
    if CALCITE not in solved.delta:
        return None
    density = analysis.density or solved.density or 1.0
    grams = solids * 1e-6  # kg per basis
    match analysis.basis:
        case "L":
            water = density - grams
        case "kgs":
            water = density * (1 - grams)
        case "kgw":
            water = density / (1 + grams)
    return solved.delta[CALCITE] * 1e3 * water * CACO3_MG


def _notes(
    table: Table, rows: Sequence[Row], phases: Sequence[str], catalogue: Catalogue, database: Database
) -> list[str]:
    notes = []
    waters = [each for each in rows if each.water is not None]
    without = sum(
        each.water is not None and each.water.analysis.pe is None and not each.water.analysis.unmeasured
        for each in waters
    )
    redox = divided_by_pe({each.element for each in table.columns if each.role == "concentration"}, catalogue)
    by_name = {each.name: each for each in catalogue.phases}
    touched = [each for each in phases if by_name[each].elements & redox]
    if without and redox:
        which = f"; {', '.join(touched)} depend on it" if touched else ""
        notes.append(
            f"rows without pe and Eh: {without}; PHREEQC takes pe 4 to divide {', '.join(sorted(redox))} among "
            f"redox states{which}"
        )
    saline = [
        row
        for row in waters
        if row.water is not None
        and row.water.analysis.density is None
        and row.water.analysis.basis == "L"
        and (row.solids or 0.0) > 1e3 * DILUTE_G_PER_L
    ]
    if saline and not has_volumes(database.path):
        notes.append(
            f"rows with more than {DILUTE_G_PER_L:g} g/L and no density: {len(saline)}, which {database.name} cannot "
            "compute: 1 kg/L stands for it"
        )
    if has_volumes(database.path) and (
        hot := sum(each.water is not None and cooled_for_analysis(each.water.analysis) for each in waters)
    ):
        notes.append(
            f"rows above {HOT:g} degC without a density: {hot}; their litre is taken at {LABORATORY:g} degC, where "
            "laboratories measure"
        )
    if without_potential := [each for each in waters if each.remark]:
        some = ", ".join(each.sample[:40] for each in without_potential[:3])
        more = ", ..." if without_potential[3:] else ""
        notes.append(f"{some}{more}: {without_potential[0].remark}")
    if unmeasured := [why for each in waters if each.water and (why := _unmeasured(each.water.analysis))]:
        which = ", ".join(f"{n} with {why}" for why, n in Counter(unmeasured).items())
        notes.append(
            f"rows that cannot be speciated: {which}; charge balance, water type, Piper and Stiff need neither"
        )
    unsolved = sum(each.status == "unsolved" for each in rows)
    if unsolved:
        notes.append(f"rows that PHREEQC could not solve: {unsolved}; their ion balance stands")
    return notes
