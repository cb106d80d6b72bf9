"""A database read from its text, without the engine.

A database file is PHREEQC input, so `read` cuts it with `statements` and reads each block as PHREEQC 3.8.6 does
(``read_master_species``, ``read_species``, ``read_phases``, ``read_rates``): options may be abbreviated after a hyphen,
and of two definitions with one name the later counts. Nothing is filled in: what the file does not state is None or
empty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from labrig_phreeqc.database.catalogue import Catalogue, Element, Phase, Rate, Reaction, Species
from labrig_phreeqc.database.formulas import (
    NUMBER,
    elements_of,
    formula_weight,
    leading_species,
    normal_charge,
)
from labrig_phreeqc.input.statements import Statement, option, statements


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
_DEGREES = r"(-?\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(-?\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"\s*#?\s*-?(?:t_?)?range\b[\s:]*{_DEGREES}", re.IGNORECASE)
_COMMENTED_EQUATION = re.compile(r"\s*#.*\S\s+=\s+\S")
_CELSIUS = re.compile(r"\d\s*(?:°\s*|o|deg\.?\s*)?C\b")
_RANGE_CELSIUS = re.compile(rf"{_DEGREES}\s*(?:°\s*|o|deg\.?\s*)?C\b")
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
                elements=elements_of(draft.name),
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
                elements=elements_of(formula),
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


def _numbers(text: str) -> list[float]:
    """Return the numbers at the start of a text, as ``sscanf`` reads them."""
    found: list[float] = []
    match = NUMBER.match(text)
    while match is not None:
        found.append(float(match[1]))
        match = NUMBER.match(text, match.end())
    return found


def _enthalpy_unit(word: str) -> str:
    """Return PHREEQC's understanding of an enthalpy's unit: kilo if it begins with k, calories if it has a c."""
    word = word.lower()
    if not word[:1].isalpha():
        return "kJ/mol"
    return ("k" if word.startswith("k") else "") + ("cal/mol" if "c" in word else "J/mol")
