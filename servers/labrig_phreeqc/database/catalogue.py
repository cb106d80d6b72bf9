"""What a database defines: elements, species, phases and rates, read from its text without the engine.

A database file is PHREEQC input, so `read` cuts it with `statements` and reads each block as
PHREEQC 3.8.6 does (``read_master_species``, ``read_species``, ``read_phases``, ``read_rates``): options may be
abbreviated after a hyphen, and of two definitions with one name the later counts. Nothing is filled in: what
the file does not state is None or empty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from labrig_phreeqc.input.statements import Statement, option, statements

Kind = Literal["element", "species", "phase", "rate"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, kw_only=True)
class Element:
    """A line of SOLUTION_MASTER_SPECIES: an element or one of its redox states. Also exchange and surface sites.

    Attributes
    ----------
    name
        As PHREEQC names it: ``S``, ``S(6)``, ``Fe(2)`` (``Fe(+2)`` in the file), ``Alkalinity``.
    master_species
        The species it is computed with, such as ``SO4-2``.
    alkalinity
        Equivalents of alkalinity per mole of the master species; None for sites.
    gfw
        What a mass in mg/L or ppm is counted as, when the input does not say ``as``: a formula or a number, as
        the file has it; empty for sites.
    formula_weight
        The same in g/mol; None where the formula has an element without a weight.
    atomic_weight
        Weight of the element in g/mol; given with elements, not with redox states.
    block, line
        The keyword under which it stands, and the line in the file.
    """

    name: str
    master_species: str
    alkalinity: float | None
    gfw: str
    formula_weight: float | None
    atomic_weight: float | None
    block: str
    line: int

    @property
    def elements(self) -> frozenset[str]:
        """The element without its redox state."""
        return frozenset({self.name.partition("(")[0]})


@dataclass(frozen=True, kw_only=True)
class Reaction:
    """A named equilibrium constant as the database states it, at 1 atm.

    Attributes
    ----------
    name
        Of the species, phase or named expression.
    equation
        The reaction that the constant is for; empty for a named expression.
    log_k
        At 25 degC; None if not stated.
    delta_h, delta_h_unit
        Enthalpy of reaction and its unit, a key of `KILOJOULES` (kJ/mol if the file names none).
    analytic
        A1 to A6 of `log_k_at`; where any of them is not 0, PHREEQC ignores `log_k` and `delta_h`.
    added
        Named expressions that PHREEQC adds (``-add_logk``), each with its coefficient.
    temperature_range
        Lowest and highest temperature in degC that the file states with this entry, or None.
    range_text
        The words in the file that say so, also where they are too many to be one range.
    block, line
        The keyword under which it stands, and the line of its name or equation in the file.
    """

    name: str
    equation: str
    log_k: float | None
    delta_h: float | None
    delta_h_unit: str
    analytic: tuple[float, ...]
    added: tuple[tuple[Reaction, float], ...]
    temperature_range: tuple[float, float] | None
    range_text: str
    block: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Species(Reaction):
    """An aqueous, exchange or surface species.

    Attributes
    ----------
    gamma_option, gamma
        The option that chooses its activity coefficient and its numbers: ``gamma`` (WATEQ Debye-Hueckel: ion size
        in angstrom, b), ``llnl_gamma`` (ion size), ``co2_llnl_gamma``, ``activity_water``, ``davies``. Empty if none
        is given: Davies for an ion, 0.1 times ionic strength for a neutral species.
    elements
        Elements and sites in its formula.
    """

    gamma_option: str
    gamma: tuple[float, ...]
    elements: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Phase(Reaction):
    """A mineral or gas.

    Attributes
    ----------
    formula
        The left-most species of its reaction.
    molar_volume
        cm3/mol, or None.
    elements
        Elements in its formula.
    """

    formula: str
    molar_volume: float | None
    elements: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A kinetic rate in Basic (RATES), or a line of parameters for one (RATE_PARAMETERS_PK, _SVD, _HERMANSKA).

    Attributes
    ----------
    name
        By which KINETICS calls it, or ``RATE_PK("name")`` and its sisters.
    text
        The Basic program, or the line of parameters under the heading of its block.
    comment
        What the file says before the name: source, meaning of the parameters, an example.
    elements
        Elements of the phase with that name.
    block, line
        The keyword under which it stands, and the line of the name in the file.
    """

    name: str
    text: str
    comment: str
    elements: frozenset[str]
    block: str
    line: int


Entry = Element | Species | Phase | Rate


@dataclass(frozen=True)
class Catalogue:
    """Everything one database defines, in the order of the file (of two with one name the place of the first)."""

    elements: tuple[Element, ...]
    species: tuple[Species, ...]
    phases: tuple[Phase, ...]
    rates: tuple[Rate, ...]
    expressions: tuple[Reaction, ...]

    def of_kind(self, kind: Kind) -> Sequence[Entry]:
        """Return the entries of one kind."""
        by_kind: dict[Kind, Sequence[Entry]] = {
            "element": self.elements,
            "species": self.species,
            "phase": self.phases,
            "rate": self.rates,
        }
        return by_kind[kind]

    @property
    def counts(self) -> dict[Kind, int]:
        """How many entries there are of each kind."""
        return {kind: len(self.of_kind(kind)) for kind in KINDS}


def read(path: Path) -> Catalogue:
    """Return what a database file defines; a file that has not changed is read once."""
    stat = path.stat()
    return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=32)
def _read(path: Path, _mtime_ns: int, _size: int) -> Catalogue:
    data = path.read_bytes()
    try:
        return parse(data.decode("utf-8"))
    except UnicodeDecodeError:
        return parse(data.decode("cp1252", "replace"))


_MASTER_BLOCKS = ("SOLUTION_MASTER_SPECIES", "EXCHANGE_MASTER_SPECIES", "SURFACE_MASTER_SPECIES")
_PARAMETER_BLOCKS = ("RATE_PARAMETERS_PK", "RATE_PARAMETERS_SVD", "RATE_PARAMETERS_HERMANSKA")

# The options of each block in PHREEQC's order, which decides what an abbreviation means.
_LOG_K = "log_k logk delta_h deltah analytical_expression a_e ae"
_ADD = "add_logk add_log_k add_constant"
_OPTIONS = {
    "SOLUTION_SPECIES": f"no_check check gamma mb mass_balance {_LOG_K} mole_balance llnl_gamma "
    f"co2_llnl_gamma activity_water {_ADD} dw erm_ddl millero vm viscosity",
    "EXCHANGE_SPECIES": f"no_check check mb mass_balance {_LOG_K} mole_balance gamma davies offset llnl_gamma "
    f"{_ADD} vm",
    "SURFACE_SPECIES": f"no_check check mb mass_balance {_LOG_K} mole_balance offset {_ADD} cd_music music vm",
    "PHASES": f"no_check check {_LOG_K} {_ADD} t_c p_c omega vm",
    "NAMED_EXPRESSIONS": f"{_LOG_K} ln_alpha1000 add_logk add_log_k vm",
    "RATES": "start end",
}
_OPTION_LISTS = {block: names.split() for block, names in _OPTIONS.items()}
_ANALYTIC = ("analytical_expression", "a_e", "ae")

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_CHARGE = re.compile(r"(?:\+\d+\.?\d*|-\d+\.?\d*|\++|-+)$")
_SPECIES = re.compile(r"[+-]?[\d.]*((?:\[[^\]]*\]|[^+\-=\[])+?(?:\+[\d.]*|-[\d.]*|\++|-+)?)(?=[+\-=]|$)")
_ELEMENT = re.compile(r"\[[^\]]+\]|[A-Z][a-z_]*")
_DEGREES = r"(-?\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(-?\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"\s*#?\s*-?(?:t_?)?range\b[\s:]*{_DEGREES}", re.IGNORECASE)
_COMMENTED_EQUATION = re.compile(r"\s*#.*\S\s+=\s+\S")
_PART = re.compile(r"(\[[^\]]+\]|[A-Z][a-z_]*|\))(\d+\.?\d*|\.\d+)?|(\()")
_CELSIUS = re.compile(r"\d\s*(?:°\s*|o|deg\.?\s*)?C\b")
_RANGE_CELSIUS = re.compile(rf"{_DEGREES}\s*(?:°\s*|o|deg\.?\s*)?C\b")


class _Draft:
    """A reaction while its options are read."""

    def __init__(self, statement: Statement, name: str, equation: str) -> None:
        self.name, self.equation = name, " ".join(equation.split())
        self.block, self.line = statement.block, statement.line
        self.log_k: float | None = None
        self.delta_h: float | None = None
        self.unit = "kJ/mol"
        self.analytic: tuple[float, ...] = ()
        self.additions: list[tuple[str, float]] = []
        self.range: tuple[float, float] | None = None
        self.range_text = ""
        self.gamma_option = ""
        self.gamma: tuple[float, ...] = ()
        self.volume: float | None = None

    def take(self, name: str, rest: str) -> None:
        """Take one option by its full name."""
        numbers = _numbers(rest.replace("=", " "))
        match name:
            case "log_k" | "logk":
                self.log_k = numbers[0] if numbers else None
            case "delta_h" | "deltah" if numbers:
                words = rest.replace("=", " ").split()
                self.delta_h, self.unit = numbers[0], _enthalpy_unit(words[1] if len(words) > 1 else "")
            case "analytical_expression" | "a_e" | "ae":
                self.analytic = (*numbers, *[0.0] * 6)[:6]
            case "ln_alpha1000":
                self.analytic = tuple(each / (1000 * math.log(10)) for each in (*numbers, *[0.0] * 6)[:6])
            case "add_logk" | "add_log_k" if rest:
                named, *after = rest.split()
                self.additions.append((named, next(iter(_numbers(" ".join(after))), 1.0)))
            case "add_constant" if numbers:
                self.additions.append(("", numbers[0]))
            case "gamma" | "llnl_gamma" | "co2_llnl_gamma" | "activity_water" | "davies":
                self.gamma_option, self.gamma = name, tuple(numbers)
            case "vm" if numbers:
                unit = next((each for each in ("cm3", "dm3", "m3") if each in rest.lower()), "cm3")
                self.volume = numbers[0] * {"cm3": 1.0, "dm3": 1e3, "m3": 1e6}[unit]

    def note(self, own: str, below: Sequence[str]) -> None:
        """Take the first temperature range that a statement or a comment line right below it states.

        Parameters
        ----------
        own
            An unknown option, or the comment of an analytical expression, where a range in degC is enough.
        below
            The lines between this statement and the next, where it must say ``Range``.
        """
        if self.range_text:
            return
        match = _RANGE.match(own) or _RANGE_CELSIUS.search(own)
        if match is not None:
            self.range_text = own.strip()
            if len(_CELSIUS.findall(own)) <= 1:
                self.range = float(match[1]), float(match[2])
            return
        for line in below:
            if not line.strip() or _COMMENTED_EQUATION.match(line):
                return  # what follows is about the next entry, or one that is commented out
            match = _RANGE.match(line)
            if match is not None:
                self.range, self.range_text = (float(match[1]), float(match[2])), line.strip("# \t\r")
                return

    def rests_on(self, expressions: Mapping[str, Reaction]) -> bool:
        """Return whether everything it adds is among the expressions."""
        return all(name.casefold() in expressions for name, _ in self.additions)

    def fields(self, expressions: Mapping[str, Reaction]) -> dict[str, Any]:
        """Return the fields of `Reaction`."""
        return {
            "name": self.name,
            "equation": self.equation,
            "log_k": self.log_k,
            "delta_h": self.delta_h,
            "delta_h_unit": self.unit,
            "analytic": self.analytic,
            "added": tuple(
                (expressions.get(name.casefold()) or replace(_UNITY, name=name, log_k=None), coefficient)
                for name, coefficient in self.additions
            ),
            "temperature_range": self.range,
            "range_text": self.range_text,
            "block": self.block,
            "line": self.line,
        }


_UNITY = Reaction(
    name="constant",
    equation="",
    log_k=1.0,
    delta_h=None,
    delta_h_unit="kJ/mol",
    analytic=(),
    added=(),
    temperature_range=None,
    range_text="",
    block="",
    line=0,
)


def parse(text: str) -> Catalogue:
    """Return what the text of a database defines."""
    reader = _Reader(text)
    reader.run()
    return reader.catalogue()


class _Reader:
    """One pass over the statements of a database; what is open is what the next statement may belong to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.statements = list(statements(text))
        self.elements: dict[str, Element] = {}
        self.species: dict[str, _Draft] = {}
        self.phases: dict[str, _Draft] = {}
        self.named: dict[str, _Draft] = {}
        self.rates: dict[tuple[str, str], Rate] = {}
        self.draft: _Draft | None = None  # takes the options that follow
        self.phase: Statement | None = None  # waits for its equation
        self.rate: Rate | None = None  # waits for its commands
        self.commands: tuple[int, int] | None = None  # where they stand in the text
        self.heading = ""  # the comments at the head of a block of rate parameters

    def run(self) -> None:
        """Read every statement."""
        end = 0
        ends = [each.start for each in self.statements[1:]] + [len(self.text)]
        for statement, following in zip(self.statements, ends, strict=False):
            before = self.text[end : statement.start].strip()
            end = statement.end
            if statement.is_keyword:
                self.close()
            elif statement.block in _MASTER_BLOCKS:
                self.take_master(statement)
            elif statement.block in _PARAMETER_BLOCKS:
                self.take_parameters(statement, before)
            elif statement.block == "RATES":
                self.take_rate(statement, before)
            elif statement.block in _OPTION_LISTS:
                self.take_reaction(statement, self.text[statement.end : following].split("\n"))
        self.close()

    def close(self) -> None:
        """End the block."""
        self.close_rate()
        self.draft, self.phase, self.heading = None, None, ""

    def close_rate(self) -> None:
        if self.rate is not None:
            basic = self.text[slice(*self.commands)].strip("\n") if self.commands else ""
            self.rates[self.rate.block, self.rate.name.casefold()] = replace(self.rate, text=basic)
        self.rate, self.commands = None, None

    def take_master(self, statement: Statement) -> None:
        name, words = statement.first.replace("(+", "("), statement.rest.split()
        if not words:
            return
        aqueous = statement.block == "SOLUTION_MASTER_SPECIES"
        numbers = [next(iter(_numbers(word)), None) for word in words]
        self.elements[name] = Element(
            name=name,
            master_species=normal_charge(words[0]),
            alkalinity=numbers[1] if aqueous and len(words) > 1 else None,
            gfw=words[2] if aqueous and len(words) > 2 else "",
            formula_weight=None,
            atomic_weight=numbers[3] if aqueous and len(words) > 3 and "(" not in name else None,
            block=statement.block,
            line=statement.line,
        )

    def take_parameters(self, statement: Statement, before: str) -> None:
        self.heading = self.heading or before
        own = self.text[statement.start : statement.end].strip()
        rate = _rate(statement, "", f"{self.heading}\n{own}".strip())
        self.rates[rate.block, rate.name.casefold()] = rate

    def take_rate(self, statement: Statement, before: str) -> None:
        match option(statement, _OPTION_LISTS["RATES"]):
            case "end":
                self.close_rate()
            case "" if self.rate is None:
                self.rate = _rate(statement, before, "")
            case "":
                start = self.commands[0] if self.commands else statement.start
                self.commands = start, statement.end

    def take_reaction(self, statement: Statement, below: Sequence[str]) -> None:
        """Take a name, an equation or an option, with the lines between it and the next statement."""
        name = option(statement, _OPTION_LISTS[statement.block])
        if name or re.match(r"-[A-Za-z]", statement.first):
            if self.draft is not None:
                self.draft.take(name, statement.rest)
                comment = self.text[statement.start : statement.end].partition("#")[2]
                self.draft.note(statement.text if not name else comment if name in _ANALYTIC else "", below)
        elif statement.block == "PHASES" and self.phase is None:
            self.draft, self.phase = None, statement
        elif self.phase is not None:
            self.draft, self.phase = _Draft(self.phase, self.phase.first, statement.text), None
            self.phases[self.draft.name.casefold()] = self.draft
        elif statement.block == "NAMED_EXPRESSIONS":
            self.draft = _Draft(statement, statement.first, "")
            self.named[self.draft.name.casefold()] = self.draft
        elif "=" in statement.text:
            target = normal_charge(leading_species(statement.text.partition("=")[2]))
            self.draft = _Draft(statement, target, statement.text) if target else None
            if self.draft is not None:
                self.species[target] = self.draft

    def catalogue(self) -> Catalogue:
        """Return what was read, with what one definition says about another put in its place."""
        expressions: dict[str, Reaction] = {"": _UNITY}
        pending = dict(self.named)
        while ready := [key for key, draft in pending.items() if draft.rests_on(expressions)]:
            expressions |= {key: Reaction(**pending.pop(key).fields(expressions)) for key in ready}
        species = [
            Species(
                **draft.fields(expressions),
                gamma_option=draft.gamma_option,
                gamma=draft.gamma,
                elements=_elements(draft.name),
            )
            for draft in self.species.values()
        ]
        phases: dict[str, Phase] = {}
        for key, draft in self.phases.items():
            formula = re.sub(r"\([sgSG]\)", "", leading_species(draft.equation))
            phases[key] = Phase(
                **draft.fields(expressions),
                formula=formula,
                molar_volume=draft.volume,
                elements=_elements(formula),
            )
        known = self.elements.values()
        weights = {each.name: each.atomic_weight for each in known if each.atomic_weight is not None}
        return Catalogue(
            tuple(replace(each, formula_weight=formula_weight(each.gfw, weights)) for each in known),
            tuple(species),
            tuple(phases.values()),
            tuple(
                replace(rate, elements=phases[name].elements) if name in phases else rate
                for (_, name), rate in self.rates.items()
            ),
            tuple(each for key, each in expressions.items() if key),
        )


def _rate(statement: Statement, comment: str, text: str) -> Rate:
    return Rate(
        name=statement.first,
        text=text,
        comment=comment,
        elements=frozenset(),
        block=statement.block,
        line=statement.line,
    )


def formula_weight(formula: str, weights: Mapping[str, float]) -> float | None:
    """Return the weight of a formula in g/mol, such as ``Ca0.5(CO3)0.5`` or ``CaSO4:2H2O``; a number is itself.

    Parameters
    ----------
    formula
        Elements, brackets, and parts joined by ``:``, each with a leading number.
    weights
        Weight of each element in g/mol.

    Returns
    -------
    float or None
        None where an element has no weight or the formula cannot be read.
    """
    try:
        return float(formula)
    except ValueError:
        pass
    total = 0.0
    for part in formula.split(":"):
        leading = _NUMBER.match(part)
        weight = _weight(part[leading.end() :] if leading else part, weights)
        if weight is None:
            return None
        total += weight * (float(leading[1]) if leading else 1)
    return total if formula else None


def _weight(formula: str, weights: Mapping[str, float]) -> float | None:
    stack = [0.0]
    position = 0
    while position < len(formula):
        match = _PART.match(formula, position)
        if match is None:
            return None
        position = match.end()
        if match[3]:
            stack.append(0.0)
            continue
        if match[1] == ")":
            if len(stack) < 2:
                return None
            weight: float | None = stack.pop()
        else:
            weight = weights.get(match[1])
        if weight is None:
            return None
        stack[-1] += weight * float(match[2] or 1)
    return stack[0] if len(stack) == 1 else None


def _numbers(text: str) -> list[float]:
    """Return the numbers at the start of a text, as ``sscanf`` reads them."""
    found: list[float] = []
    match = _NUMBER.match(text)
    while match is not None:
        found.append(float(match[1]))
        match = _NUMBER.match(text, match.end())
    return found


def _enthalpy_unit(word: str) -> str:
    """Return PHREEQC's understanding of an enthalpy's unit: kilo if it begins with k, calories if it has a c."""
    word = word.lower()
    if not word[:1].isalpha():
        return "kJ/mol"
    return ("k" if word.startswith("k") else "") + ("cal/mol" if "c" in word else "J/mol")


def leading_species(side: str) -> str:
    """Return the first species of one side of an equation, its coefficient left out."""
    squeezed = "".join(side.split())
    match = _SPECIES.match(squeezed)
    return match[1] if match else squeezed


def normal_charge(name: str) -> str:
    """Write a charge as PHREEQC does: ``SO4--`` as ``SO4-2``, ``Na+1`` as ``Na+``."""
    match = _CHARGE.search(name)
    if match is None:
        return name
    sign, size = match[0][0], match[0].lstrip("+-")
    value = float(size) if size else float(len(match[0]))
    return name[: match.start()] + (f"{sign}{value:g}" if value > 1 or value % 1 else sign if value else "")


def without_charge(name: str) -> str:
    """Return a species name without its charge: ``SO4`` of ``SO4-2``."""
    return _CHARGE.sub("", name)


def _elements(formula: str) -> frozenset[str]:
    return frozenset(_ELEMENT.findall(formula))
