"""What PHREEQC assumes where an input is silent, and where it reads something else than it says.

Everything here comes from the input and the database, without a run: the defaults in effect, the formulas by which
masses become moles, the valence states that a bare element becomes, and numbers that PHREEQC takes without a word
though they cannot be meant. Facts and what is doubtful are lines of text, each with its line numbers, the same for
several lines said once.

The behaviour of the engine behind each doubt was tried with the library that Labrig installs (phreeqcrm 0.0.20); the
tests repeat it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labrig_phreeqc.checks.criteria import PH_RANGE
from labrig_phreeqc.database.catalogue import Catalogue, Element
from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.database.definitions import ActivityModel, Definitions, activity_model, has_volumes
from labrig_phreeqc.database.formulas import formula_weight, without_charge
from labrig_phreeqc.database.isotopes import DATABASE as ISOTOPE_DATABASE
from labrig_phreeqc.database.isotopes import NO_NEUTRONS, PERMIL, Isotope, isotopes
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.database.valences import Network, log_k_or_zero, meant_state, terms, valence_state
from labrig_phreeqc.input.solution import Number, Solution, Total
from labrig_phreeqc.input.solutions import missing_in_mixes, overwritten, solutions

PH, PE, CELSIUS, UNITS, DENSITY = 7.0, 4.0, 25.0, "mmol/kgw", 1.0
"""What PHREEQC takes where the input states nothing (TM 6-A43, SOLUTION)."""

GAS_LIMIT = 2.0
"""log10 of the pressure (atm) of O2 or H2 above which a pe is doubted: 100 atm; a pe in water gives below 1 atm."""

PE_LIMIT = 100.0
"""|pe| from which it is not a pe: 5.9 V at 25 degC."""

MILLIVOLT_RANGE = (50.0, 1500.0)
"""|pe| that may be a redox potential in mV, given as pe."""

VOLT_PER_KELVIN = 1.98416e-4
"""ln(10) R/F in V/K: E = VOLT_PER_KELVIN T pe, 0.05916 V per unit of pe at 25 degC."""

SALT_LIMIT = 5.0
"""Dissolved g/L from which a density of 1 kg/L is doubted: a solution gains about 0.0007 kg/L of density with each,
while the solids take their part of the litre."""

CELSIUS_RANGE = (0.0, 200.0)
HOT_RANGE = (0.0, 300.0)
"""degC. Databases with tabulated activity coefficients (llnl.dat and its kind) have them up to 300; the others state
log K for most phases at 25 only, and vapour pressure and density of water for moderate temperatures."""

DENSITY_RANGE = (0.5, 2.5)
COLD_DATABASES = ("frezchem.dat", "ColdChem.dat")
COLD_RANGE = (-100.0, 25.0)
"""Databases for brines below 0 degC, and where they hold (degC): fitted up to 25 (Marion and Kargel, 2008; Toner and
Catling, 2017)."""

REPORTED_OTHERWISE = frozenset({"C", "N", "P", "S", "Si"})
"""Elements that laboratories report in more than one way (NO3 or N, SO4 or S, SiO2 or Si ...).

The official databases differ on C, N, S and Si: sulfate is counted as SO4 in phreeqc.dat and as S in Thermoddem.
"""

TRACE_SHARE = 0.01
"""Share of another valence state, estimated, that is worth a doubt."""


@dataclass(frozen=True)
class Default:
    """Defaults that count for some solutions.

    Attributes
    ----------
    solutions
        Their names, such as ``SOLUTION 1``; with the line where the input has several of that name.
    values
        What counts: ``{"pH": 7.0, "pe": 4.0, "temperature": 25.0, "units": "mmol/kgw", "density": 1.0}``, the
        temperature in degC, the density in kg/L; ``SI(Calcite)`` for a phase without an index.
    """

    solutions: tuple[str, ...]
    values: Mapping[str, float | str]

    def __str__(self) -> str:
        units = {"temperature": " degC", "density": " kg/L"}
        said = [
            f"{name} {value:g}{units.get(name, '')}" if isinstance(value, float) else f"{name} {value}"
            for name, value in self.values.items()
        ]
        names = ", ".join(self.solutions[:3])
        more = f" and {len(self.solutions) - 3} more" if len(self.solutions) > 3 else ""
        return f"{names}{more}: {', '.join(said)}"


@dataclass(frozen=True)
class InputNotices:
    """What an input leaves to PHREEQC.

    Attributes
    ----------
    defaults
        By the same set of defaults.
    counted_as
        Facts: the formula by which a mass is counted, the valence states that a bare element is taken as.
    doubtful
        What probably is not meant.
    """

    defaults: tuple[Default, ...]
    counted_as: tuple[str, ...]
    doubtful: tuple[str, ...]


def input_notices(text: str, database: Database) -> InputNotices:
    """Return what PHREEQC assumes about the solutions of an input.

    Parameters
    ----------
    text
        PHREEQC input, includes resolved.
    database
        The database it is to be run with.

    Returns
    -------
    InputNotices
        Empty for an input without SOLUTION; what PHREEQC refuses or warns of by itself is mostly not repeated.
    """
    found = solutions(text)
    mixes = _Notes()
    for line, mix, number in missing_in_mixes(text):
        mixes.add(line, f"MIX {mix} names solution {number}, which nothing defines: PHREEQC leaves it out")
    if not found:
        return InputNotices((), (), mixes.lines())
    lost = overwritten(found)
    named = Counter(each.name for each in found)
    defaults: dict[tuple[tuple[str, float | str], ...], list[str]] = {}
    facts, doubtful = _Notes(), _Notes()
    definitions = Definitions(read(database.path), text)
    model = activity_model(database.path, text)
    ratios = isotopes(database.path, text)
    for solution in found:
        if solution in lost:
            other = lost[solution]
            doubtful.add(
                solution.line,
                f"{solution.name} is never computed: {other.name} of line {other.line} replaces it",
            )
            continue
        catalogue = definitions.at(solution.simulation)
        here = _Assumed(solution, catalogue, database, model, facts, doubtful, ratios)
        if values := here.defaults():
            label = f"{solution.name} (line {solution.line})" if named[solution.name] > 1 else solution.name
            defaults.setdefault(tuple(values.items()), []).append(label)
        here.look()
    return InputNotices(
        tuple(Default(tuple(names), dict(values)) for values, names in defaults.items()),
        facts.lines(),
        (*doubtful.lines(), *mixes.lines()),
    )


@dataclass
class _Notes:
    """Messages, each with the lines it is about."""

    about: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: int, message: str) -> None:
        self.about.setdefault(message, []).append(line)

    def lines(self) -> tuple[str, ...]:
        return tuple(f"{_lines(numbers)}: {message}" for message, numbers in self.about.items())


def _lines(numbers: Sequence[int]) -> str:
    distinct = sorted(set(numbers))
    if len(distinct) == 1:
        return f"line {distinct[0]}"
    shown = ", ".join(map(str, distinct[:5]))
    return f"lines {shown}" + (f" and {len(distinct) - 5} more" if len(distinct) > 5 else "")


MOST_NETWORKS = 200
"""Of one database that are kept, by element and temperature."""


class _Assumed:
    """One solution, looked at."""

    def __init__(
        self,
        solution: Solution,
        catalogue: Catalogue,
        database: Database,
        model: ActivityModel,
        facts: _Notes,
        doubtful: _Notes,
        ratios: Mapping[str, Isotope],
    ) -> None:
        self.solution = solution
        self.catalogue = catalogue
        self.database = database
        self.model = model
        self.facts = facts
        self.doubtful = doubtful
        self.ratios = ratios
        self.units = solution.units or UNITS
        self.celsius = _value(solution.temperature, CELSIUS)
        self.pH = _value(solution.pH, PH)
        self.pe = _value(solution.pe, PE)
        self.elements = {each.name: each for each in catalogue.elements}
        self.species = {each.name: each for each in catalogue.species}

    def defaults(self) -> dict[str, float | str]:
        """Return the defaults that matter to it."""
        solution = self.solution
        values: dict[str, float | str] = {}
        if solution.pH is None:
            values["pH"] = PH
        if solution.pe is None and solution.redox in ("", "pe"):
            values["pe"] = PE  # a redox couple gives the pe of the others
        if solution.temperature is None:
            values["temperature"] = CELSIUS
        if solution.units is None and any(total.unit is None for total in solution.totals):
            values["units"] = UNITS
        if solution.density is None and "/L" in self.units and solution.totals:
            values["density"] = DENSITY
        known = [each for each in solution.totals if each.name.split()[0] in self.elements]
        constraints = [solution.pH_constraint, solution.pe_constraint, *(each.constraint for each in known)]
        for constraint in constraints:
            if constraint is not None and not constraint.is_charge and constraint.si is None:
                values[f"SI({constraint.phase})"] = 0.0
        return values

    def look(self) -> None:
        """Note the facts and what is doubtful."""
        self.misread()
        self.out_of_range()
        self.contradictions()
        self.equivalents()
        self.density()
        for total in self.solution.totals:
            self.mass(total)
        self.valences()

    def misread(self) -> None:
        solution = self.solution
        for number in solution.numbers:
            if number.unread or "x" in number.text.lower():
                self.doubtful.add(number.line, f"PHREEQC reads {number.text} as {number.value:g}")
            elif not math.isfinite(number.value):
                self.doubtful.add(
                    number.line, f"{number.text} is not a finite number, and PHREEQC computes with it"
                )
        for total in solution.totals:
            if said := self.isotope(total):
                self.doubtful.add(total.line, said)
            elif total.number.value < 0 and total.name not in self.ratios and self.known(total):
                self.doubtful.add(total.line, f"{total.name} is negative, and PHREEQC takes it as 0")
        stated = {total.element for total in solution.totals if total.number.value > 0}
        for isotope, line in solution.isotopes:
            element = isotope.lstrip("0123456789").partition("(")[0]
            if element not in stated | {"H", "O"} and not (element == "C" and "Alkalinity" in stated):
                self.doubtful.add(
                    line,
                    f"the isotope {isotope} of inverse models is given, and the solution has no {element}",
                )
        for total in solution.replaced:
            later = next(each for each in solution.totals if each.name == total.name)
            self.doubtful.add(
                total.line, f"{total.name} is given again in line {later.line}, which alone counts"
            )
        for name, number in solution.repeated:
            alone = self.option_number(name)
            self.doubtful.add(
                number.line, f"{name} is given again in line {alone.line}, which alone counts ({alone.text})"
            )
        for words, line in solution.after_units:
            self.doubtful.add(
                line,
                f"{words!r} after the unit of a solution is dropped: it belongs behind each concentration",
            )
        for words, line in solution.unknown_units:
            self.doubtful.add(
                line, f"PHREEQC has no unit {words!r}; the line has no effect, {self.units} counts"
            )
        for name in solution.unread:
            message = f"column {name!r} is passed over, since elements begin with a capital letter"
            self.doubtful.add(solution.line, message)

    def known(self, total: Total) -> bool:
        """Return whether the database has the elements of a total; PHREEQC warns of those that it lacks."""
        return total.name == "Alkalinity" or all(part in self.elements for part in total.name.split())

    def isotope(self, total: Total) -> str:
        """Return why PHREEQC leaves an isotope out in silence or computes with what no ratio is; empty if neither."""
        name, value, isotope = total.name, total.number.value, self.ratios.get(total.name)
        if isotope is None:
            if not _ISOTOPE.match(name) or name in self.elements:
                return ""
            elsewhere = "" if self.database.name == ISOTOPE_DATABASE else f"; {ISOTOPE_DATABASE} has isotopes"
            return f"{self.database.name} has no {name}, and PHREEQC leaves it out{elsewhere}"
        if isotope.unit == PERMIL and value <= NO_NEUTRONS:
            return f"{name} {value:g} permil is below the least there is, -1000, and PHREEQC leaves it out"
        if isotope.unit != PERMIL and value < 0:
            return f"{name} is negative in {isotope.unit}, of which the least is 0"
        stated = {each.name: each.number.value for each in self.solution.totals}
        if not isotope.total or stated.get(isotope.total, 0.0) > 0:
            return ""
        related = [
            each
            for each, number in stated.items()
            if number > 0 and each.partition("(")[0] == isotope.element
        ]
        if isotope.element == "C" and not related and "Alkalinity" in stated:
            related = ["Alkalinity"]
        has = f"has {' and '.join(related)}" if related else f"has no {isotope.element}"
        return f"PHREEQC leaves {name} out: it is a ratio to {isotope.total}, and the solution {has}"

    def option_number(self, name: str) -> Number:
        """Return the number of an option that counts."""
        number = getattr(self.solution, name)
        assert isinstance(number, Number)
        return number

    def equivalents(self) -> None:
        """Doubt a default unit in equivalents, which PHREEQC counts as moles for all but Alkalinity."""
        if "eq/" not in self.units:
            return
        named: dict[int, list[str]] = {}
        for total in self.solution.totals:
            element = self.elements.get(total.name.split()[0])
            if total.unit is not None or total.name == "Alkalinity" or element is None:
                continue
            if total.name in self.ratios:
                continue
            species = element.master_species
            if species[len(without_charge(species)) :] not in ("+", "-", "+1", "-1"):  # there it is the same
                named.setdefault(total.line, []).append(total.name)
        names = list(dict.fromkeys(name for each in named.values() for name in each))
        for line in named:
            self.doubtful.add(
                line,
                f"units {self.units}: equivalents are counted as moles for {', '.join(names)}: "
                "only Alkalinity is in equivalents",
            )

    def density(self) -> None:
        """Doubt a density of 1 for a solution of which much is salt."""
        solution = self.solution
        density = _value(solution.density, DENSITY)
        if solution.calculate_density or abs(density - DENSITY) > 5e-4 or "/L" not in self.units:
            return
        salt = math.fsum(
            grams
            for total in solution.totals
            if "/L" in (total.unit or self.units) and 0 < (grams := self.grams(total)) < math.inf
        )
        if salt <= SALT_LIMIT:
            return
        stated = "the default density" if solution.density is None else "density"
        remedy = "state the density of the solution"
        if has_volumes(self.database.path) and self.model != "B-dot":
            remedy = "'density 1 calculate' makes PHREEQC compute it"
        line = solution.line if solution.density is None else solution.density.line
        message = (
            f"{salt:.3g} g/L dissolved at {stated} {density:g} kg/L: too little of the litre counts as water"
        )
        self.doubtful.add(line, f"{message}; {remedy}")

    def grams(self, total: Total) -> float:
        """Return a concentration in about g/L or g/kg; 0 for what has no weight."""
        unit = total.unit or self.units
        if total.name == "Alkalinity":  # as bicarbonate
            weight = total.number.value * _size(unit)
            return weight if "g/" in unit else weight * 61.0
        if total.name.split()[0] not in self.elements or total.name in self.ratios:
            return 0.0
        if "g/" in unit:
            return total.number.value * _size(unit)
        return total.number.value * _size(unit) * (self.elements[total.name.split()[0]].formula_weight or 0.0)

    def out_of_range(self) -> None:
        solution = self.solution
        limits = HOT_RANGE if self.model == "B-dot" else CELSIUS_RANGE
        if self.database.name in COLD_DATABASES:
            limits = COLD_RANGE
        for number, name, unit, (low, high) in (
            (solution.pH, "pH", "", PH_RANGE),
            (solution.temperature, "temperature", " degC", limits),
            (solution.density if "/L" in self.units else None, "density", " kg/L", DENSITY_RANGE),
        ):
            if number is None or low <= number.value <= high or not math.isfinite(number.value):
                continue
            message = f"{name} {number.value:g}{unit} is outside {low:g} to {high:g}"
            if name == "temperature" and limits is COLD_RANGE:
                message = (
                    f"{name} {number.value:g}{unit} is outside what {self.database.name} is for (to {high:g})"
                )
            if name == "temperature" and 273 <= number.value < 374:
                message += f"; were it kelvin, it would be {number.value - 273.15:g} degC"
            self.doubtful.add(number.line, message)
        if not self.impossible_pe():
            self.unstable_water()

    def impossible_pe(self) -> bool:
        """Doubt a pe that no water has, and say whether it was."""
        pe = self.solution.pe
        if (
            pe is None
            or self.solution.pe_constraint
            or not math.isfinite(pe.value)
            or abs(pe.value) < PE_LIMIT
        ):
            return False
        self.doubtful.add(pe.line, f"pe {pe.value:g} is that of no water{self.were_it_millivolts()}")
        return True

    def were_it_millivolts(self) -> str:
        """Return what the pe would be if the potential in mV had been given."""
        pe = _value(self.solution.pe, PE)
        low, high = MILLIVOLT_RANGE
        if not low <= abs(pe) <= high or not -100 < self.celsius < 1000:
            return ""
        return f"; were it mV, pe would be {pe / 1000 / (VOLT_PER_KELVIN * (self.celsius + 273.15)):.2f}"

    def unstable_water(self) -> None:
        """A pe at which water would not be stable, by the pressure of O2 or H2 that it implies."""
        solution = self.solution
        if solution.pe is None or solution.pe_constraint or solution.pH_constraint or not self.possible:
            return
        if "O" not in self.elements:
            return
        for gas in ("O2(g)", "H2(g)"):
            pressure = self.log_pressure(gas)
            if pressure is not None and pressure > GAS_LIMIT:
                pe, pH = solution.pe.value, self.pH
                message = (
                    f"pe {pe:g} at pH {pH:g} means {gas} at 10^{pressure:.0f} atm: water is not stable there"
                    f"{self.were_it_millivolts()}"
                )
                self.doubtful.add(solution.pe.line, message)

    def log_pressure(self, gas: str) -> float | None:
        """Return log10 of the pressure (atm) of O2 or H2 by pH and pe, None where the database does not tell.

        Databases write the gas as its dissolved form (phreeqc.dat, which has O2), as water and electrons (minteq.dat,
        which has no O2) or as protons and electrons beside a dissolved form (sit.dat).
        """
        phase = next((each for each in self.catalogue.phases if each.name == gas), None)
        if phase is None:
            return None
        left, _, right = phase.equation.partition("=")
        log_iap = 0.0
        (_, moles), *others = terms(left)
        for name, size in (*((name, -size) for name, size in others), *terms(right)):
            log_a = self.network("O").log_activity(name, self.pH, self.pe)
            if log_a is None:
                return None
            log_iap += size * log_a
        return (log_iap - log_k_or_zero(phase, self.celsius)) / moles

    @property
    def possible(self) -> bool:
        """Whether pH, pe and temperature can be computed with."""
        return abs(self.pH) < 50 and abs(self.pe) < 100 and -100 < self.celsius < 1000

    def contradictions(self) -> None:
        totals = {each.name: each for each in self.solution.totals if each.number.value > 0}
        for name, total in totals.items():
            for part in name.split():
                whole = totals.get(part.partition("(")[0]) if "(" in part else None
                if whole is not None and self.known(total):
                    message = (
                        f"{whole.name} and its valence state {part} are both given, which PHREEQC refuses"
                    )
                    self.doubtful.add(total.line, message)
        carbon = totals.get("C") or totals.get("C(4)")
        if "Alkalinity" in totals and carbon and not self.solution.pH_constraint:
            message = f"Alkalinity and {carbon.name} are both given: PHREEQC adjusts the pH, {self.pH:g} is its start"
            self.doubtful.add(totals["Alkalinity"].line, message)

    def mass(self, total: Total) -> None:
        """Note what a mass is counted as, where the line does not say."""
        unit = total.unit or self.units
        element = self.elements.get(total.name.split()[0])
        if "g/" not in unit or total.as_ or _positive(total.gfw) or not total.number.value > 0:
            return
        if total.name in self.ratios or element is None or not element.formula_weight:
            return
        named = f" as {word}," if (word := self.counted_formula(element)) else " with"
        weight = f"{element.formula_weight:.2f}"
        if total.name == "Alkalinity":
            message = f"Alkalinity in {unit} without 'as' is counted{named} {weight} g/eq"
            self.doubtful.add(total.line, message)
            return
        atomic = self.elements.get(element.name.partition("(")[0])
        own = atomic.atomic_weight if atomic is not None else None
        bare = own is not None and abs(element.formula_weight - own) < 0.005 * own
        if not bare or total.element in REPORTED_OTHERWISE:
            self.facts.add(total.line, f"{total.name} in {unit} is counted{named} {weight} g/mol")

    def counted_formula(self, element: Element) -> str:
        """Return the formula behind a weight: the database's own, or a species that weighs as much."""
        if not _is_number(element.gfw):
            return element.gfw
        allowed = element.elements | {"H", "O"}
        for name in (
            element.master_species,
            *(e.name for e in self.species.values() if e.elements <= allowed),
        ):
            formula = without_charge(name)
            weight = formula_weight(formula, self.weights)
            if weight is not None and abs(weight - float(element.gfw)) < 0.02:
                return formula
        return ""

    @property
    def weights(self) -> dict[str, float]:
        """Atomic weights in g/mol."""
        elements = self.catalogue.elements
        return {each.name: each.atomic_weight for each in elements if each.atomic_weight is not None}

    def valences(self) -> None:
        """Note what bare elements with several valence states become by a pe or a couple."""
        solution = self.solution
        for total in solution.totals:
            couple = solution.redox if not total.redox else ""  # one in its own line is not a surprise
            if couple not in ("", "pe") and total.number.value > 0 and (states := self.several_states(total)):
                among = ", ".join(states)
                self.facts.add(
                    total.line,
                    f"{total.name} without a valence is distributed over {among} by the couple {couple}",
                )
        if solution.pe_constraint or not self.possible:
            return
        stated = f"the pe {self.pe:g} of the input" if solution.pe is not None else f"the default pe {PE:g}"
        plain: dict[str, int] = {}  # valence state that is meant and comes out: line
        for total in solution.totals:
            states = self.states(total)
            molality = self.molality(total) if states else 0.0
            if not 0 < molality < math.inf:
                continue
            shares = self.network(total.name).shares(molality, self.pH, self.pe)
            if not shares:
                continue
            first = max(shares, key=lambda name: shares[name])
            mostly = f", nearly all {first}" if shares[first] > 1 - TRACE_SHARE and first in states else ""
            if shares[first] <= 1 - TRACE_SHARE:
                main = sorted(
                    (name for name in shares if shares[name] >= TRACE_SHARE), key=lambda s: -shares[s]
                )
                mostly = f": about {', '.join(f'{name} {100 * shares[name]:.0f} %' for name in main)}"
            if 1 - shares.get(self.meant(total), 0.0) < TRACE_SHARE:
                plain[first] = total.line
                continue
            among = ", ".join(states)
            counted = f" as {total.as_}" if total.as_ else ""
            message = (
                f"{total.name}{counted} without a valence is distributed over {among} by {stated}{mostly}"
            )
            (self.doubtful if solution.pe is None else self.facts).add(total.line, message)
        if plain and solution.pe is None:
            names = ", ".join(f"{name.partition('(')[0]} is {name}" for name in plain)
            for line in plain.values():
                self.facts.add(line, f"by {stated}, {names}")

    def states(self, total: Total) -> list[str]:
        """Return the valence states over which a total is distributed by pe; empty if there is no such choice."""
        return self.several_states(total) if (total.redox or self.solution.redox) in ("", "pe") else []

    def several_states(self, total: Total) -> list[str]:
        """Return the valence states of a total that states none; empty if there are not several."""
        name = total.name
        if "(" in name or " " in name or name in _NOT_SPLIT or name[0] == "[":
            return []
        states = [each for each in self.elements if each.startswith(f"{name}(")]
        return states if len(states) > 1 else []

    def meant(self, total: Total) -> str:
        """Return the valence state that a line suggests: that of the formula after ``as``, or the database's own."""
        written = meant_state(total.as_, total.name, self.species) if total.as_ else ""
        return written or valence_state(self.elements[total.name].master_species, total.name)

    def molality(self, total: Total) -> float:
        """Return a concentration in about mol/kgw: close enough to tell N2 from 2 NO3-."""
        unit = total.unit or self.units
        value = total.number.value * _size(unit)
        if "g/" not in unit:
            return value
        element = self.elements[total.name.split()[0]]
        counted = formula_weight(total.as_, self.weights) if total.as_ else element.formula_weight
        return value / (_positive(total.gfw) or counted or 100.0)

    def network(self, element: str) -> Network:
        """Return the reactions among the species of an element, which is kept with the database that defines them."""
        kept, key = self.catalogue.networks, (element, self.celsius)
        if key not in kept:
            if len(kept) >= MOST_NETWORKS:
                kept.clear()
            master = self.elements[element].master_species
            kept[key] = Network(element, master, self.species.values(), self.celsius)
        network: Network = kept[key]
        return network


_ISOTOPE = re.compile(r"\[\d+[A-Z][a-z]?\]|[DT](?![a-z])")
"""How isotopes are written in PHREEQC's databases: ``[13C]``, and D and T."""

_NOT_SPLIT = ("E", "H", "O", "D", "T")
"""The electron, water, and its isotopes, which are entered as ratios like those in square brackets."""

_SIZES = {"": 1.0, "m": 1e-3, "u": 1e-6}


def _size(unit: str) -> float:
    """Return the factor of a unit's first letter: 1e-3 for ``mg/L``."""
    return _SIZES[unit.partition("/")[0].removesuffix("g").removesuffix("mol").removesuffix("eq")]


def _value(number: Number | None, default: float) -> float:
    return default if number is None else number.value


def _positive(weight: float | None) -> float | None:
    """Return a formula weight as PHREEQC takes it: one that is not above 0 counts as not given."""
    return weight if weight is not None and weight > 0 else None


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()
