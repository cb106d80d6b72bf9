"""What the headings of a laboratory's table mean: constituent, unit, the formula a mass is of, and all else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.columns import Column, Stated, conversion
from labrig_phreeqc.waters.constituents import (
    ALKALIS,
    EQUIVALENTS,
    Known,
    ambiguity,
    element_constituent,
    element_in,
    find_constituent,
    fold,
    lacking_element,
    name_within,
    nearest_name,
    solution_elements,
)
from labrig_phreeqc.waters.drinking_water import is_limited
from labrig_phreeqc.waters.field_parameters import sample_rank, special
from labrig_phreeqc.waters.units import FORMULAS, Unit, find_unit, parse_unit, plain

_TDS = {"tds", "totaldissolvedsolids", "dissolvedsolids", "sdt", "溶解性总固体", "矿化度"}
_HARDNESS = {"totalhardness", "hardness", "hardnesstotal", "gesamtharte", "gesamthaerte", "gh", "durezatotal"}
_HARDNESS |= {"duretetotale", "th", "总硬度"}
_NO_UNIT_WORDS = "- — 1 units unit einheit einheiten unite unites unidad unidades none n/a na text"
_NO_UNIT = frozenset(_NO_UNIT_WORDS.split())
"""What stands in a line of units where there is none."""
_DISSOLVED = re.compile(
    r"(?<![a-z])(?:dissolved|diss?|filtered|filtrate|filtré|gel(?:(?:ö|oe)st)?|dissous|dissoute?s?|disueltos?)(?![a-z])",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"(?<![a-z])(?:totale?s?|tot|gesamt|ges|unfiltered|recoverable)(?![a-z])|fe ?t(?:ot)?(?![a-z])",
    re.IGNORECASE,
)
_BY_CUSTOM_AS_CACO3 = re.compile(r"alkal|alk(?![a-zäöü])|alcal|hardness|härte|dureza|dureté", re.IGNORECASE)
"""Names of what laboratories report as CaCO3 whatever the ion is called (Standard Methods 2320 B, 2340)."""
_SD = re.compile(
    r"(?:^|[\s_(,])(sd|std|stdev|std\.? ?dev\.?|standard deviation|sigma|rsd)(?=$|[\s_),%\[(])", re.IGNORECASE
)
_AS = re.compile(
    r"(?:(?<=\w)|(?<=\)))[\s_,(\[]+(as)[\s_]+([A-Za-z][\w.-]*(?:\([A-Za-z0-9]+\)[\d.]*)?)(?: ?eq(?:uiv\w*)?\.?)?\)?",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_SYMBOLS = ("Ca", "Mg", "Na", "Cl", "Fe", "Mn", "Sr", "Ba")
"""Of two letters that are no words."""
_LETTERS = ("K", "F", "B", "P")
"""Of one letter, which stand for an element beside a unit."""
_EDGE = " \t_.,;:|/"
_HALF_A_UNIT = re.compile(r"(.+?)[\s_.,(\[/]+(?:[mun]?g|[mu]?mol|[mu]?eq|%|percent|pct|r|epm)\b[)\]%]*")


def read_columns(
    headers: Sequence[str], catalogue: Catalogue, stated: Stated, units: Sequence[str] = ()
) -> list[Column]:
    """Say what each column holds.

    Parameters
    ----------
    headers
        As the table has them.
    catalogue
        What the database defines: elements and their weights.
    stated
        What the caller says about columns without a unit.
    units
        The cells of a second heading line that has units, or empty.

    Returns
    -------
    list of Column
        In order. At most one is the ``sample`` and one the ``group``; nothing is taken for granted about a unit.

    Raises
    ------
    LabrigError
        ``bad_input`` or ``not_found`` where what is stated cannot be meant.
    """
    by_header = {header.strip().casefold(): unit for header, unit in (stated.units or {}).items()}
    known = {header.strip().casefold() for header in headers}
    for header in stated.units or {}:
        if header.strip().casefold() not in known:
            raise unknown_name("column", header, headers, where="units")
    if stated.unit and parse_unit(stated.unit) is None:
        raise LabrigError(
            "The unit is not known",
            where=f"unit={stated.unit!r}",
            expected="mg/L, ug/L, mmol/L, meq/L, mg/kg, ppm",
        )
    equivalents = {each.casefold(): each for each in EQUIVALENTS}
    if stated.alkalinity_as.strip().casefold() in equivalents:
        stated = replace(stated, alkalinity_as=equivalents[stated.alkalinity_as.strip().casefold()])
    elif stated.alkalinity_as:
        raise LabrigError(
            "Alkalinity is not reported so",
            where=f"alkalinity_as={stated.alkalinity_as!r}",
            expected=", ".join(EQUIVALENTS),
        )
    columns = []
    for index, header in enumerate(headers):
        below = plain(units[index]).strip("()[] ") if index < len(units) else ""
        extra = by_header.get(header.strip().casefold(), "")
        columns.append(_read(index, header, below, extra, catalogue, stated))
    return _without_sums(_without_totals(_one_each(columns)))


@lru_cache(maxsize=4096)  # each line of a table's head is asked for each delimiter, then once more
def recognised(header: str) -> bool:
    """Tell whether a heading is about the chemistry of a water, whether or not it can be used."""
    text = plain(header)
    if (other := special(Column(0, header), text)) is not None:
        return other.role not in ("sample", "group")
    name, _ = _name(text)
    return bool(_constituent(name) or ambiguity(name) or fold(name) in _TDS | _HARDNESS)


def _read(index: int, header: str, below: str, extra: str, catalogue: Catalogue, stated: Stated) -> Column:
    text = plain(header)
    blank = Column(index, header.strip())
    if below and fold(below) not in _NO_UNIT and not _ends_with(text, below):
        own, second = find_unit(text), parse_unit(below)
        if own is not None and second is not None and own.unit != second.unit:
            return blank.left_out(f"its heading says {own.unit.text}, the line below {second.unit.text}")
        if own is None and (
            second is not None or special(blank, f"{text} ({below})") or not special(blank, text)
        ):
            text = f"{text} ({below})"
    if extra:
        own, given = find_unit(text), parse_unit(extra)
        if own is not None and given is not None and own.unit != given.unit:
            return blank.left_out(f"its heading says {own.unit.text}, the argument {given.unit.text}")
        text = f"{text} ({plain(extra)})"
    name, said = _name(text)
    symbol = said.unit is not None and said.formula in ("", name) and lacking_element(name, has_unit=True)
    if not symbol and (other := special(blank, text)) is not None:
        return other
    error = _SD.search(name)
    if error:
        name = (name[: error.start()] + " " + name[error.end() :]).strip(_EDGE + "()%")
    folded = "" if symbol else fold(name)  # Th in ug/L is thorium and no total hardness, Sc no conductivity
    if why := ambiguity(name):
        both = (said if said.unit else _stated(said, stated)).unit
        if why != ALKALIS or both is None or both.kind == "mass":
            return blank.left_out(why)
        name = "Na"  # of charge 1 as potassium is: the balance and the type of the water are the same
    if folded in _TDS | _HARDNESS:
        return _total(blank, folded, said if said.unit or folded in _HARDNESS else _stated(said, stated))
    meant = _constituent(name, catalogue)
    if meant is None:
        if element := lacking_element(name, has_unit=said.unit is not None):
            return blank.left_out(_lacks(element))
        half = _HALF_A_UNIT.fullmatch(name)
        if half and (of := _constituent(half[1])):
            return blank.left_out(f"its unit is not complete; write {half[1]} (mg/L) or (meq/L)", of[0])
        if said.unit is not None and name:
            return _not_understood(blank, name, error is not None)
        if ion := _find_ion(name, half is not None):
            why = f"it names {ion[0]} and is not understood; write {ion[1].key} (mg/L), (mmol/L) or (meq/L)"
            return blank.left_out(why, ion[1])
        return blank
    known, formula, doubt = meant
    if doubt:
        return blank.left_out(doubt, known)
    if formula and not said.formula:
        said = replace(said, formula=formula)
    if said.unit is None and not (error and "%" in text):
        said = _stated(said, stated)
    if error and said.unit is None and "%" in text:
        return replace(blank, role="error", known=known, factor=0.01)
    column = _concentration(blank, name, known, said, catalogue, stated)
    return replace(column, role="error") if error and column.role == "concentration" else column


def _not_understood(blank: Column, name: str, is_error: bool) -> Column:
    """Leave out a column that has a unit of concentration and whose name nothing is like."""
    near = nearest_name(name)
    shown = name if len(name) <= 60 else name[:57] + "..."
    why = f"{shown} is not a name of a constituent that is known"
    if near is None:
        return blank.left_out(why, unknown=not is_error)
    return blank.left_out(f"{why}; the nearest is {near[0]} ({near[1].key})", near[1], unknown=not is_error)


def _find_ion(name: str, has_unit: bool = False) -> tuple[str, Known] | None:
    """Find a constituent among the words of a heading that as a whole is the name of none: ``SO4 by turbidimetry``."""
    for word in re.findall(r"[^\W_][\w+]*", name.replace("_", " ")):
        known = len(word) > 2 or word in _SYMBOLS or (has_unit and word in _LETTERS)
        found = find_constituent(word) if known else None
        if found is not None:
            return word, found[0]
    return name_within(name)


@dataclass(frozen=True)
class _Said:
    """What a heading says of a concentration: its unit, and a formula."""

    unit: Unit | None
    formula: str = ""


def _stated(said: _Said, stated: Stated) -> _Said:
    """Return what a heading without a unit says with the unit that the caller states."""
    found = parse_unit(stated.unit) if stated.unit else None
    return _Said(found.unit, said.formula or _formula(found.formula or found.after)) if found else said


def _name(text: str) -> tuple[str, _Said]:
    """Take the unit and the formula off a heading."""
    formula = ""
    match = _AS.search(text)
    if match and (match[2].casefold() in FORMULAS or (match[1] == "as" and match[2][0].isupper())):
        formula = _formula(match[2])
        text = _balanced(text[: match.start()] + " " + text[match.end() :])
    found = find_unit(text)
    if found is None:
        return text.strip(_EDGE), _Said(None, formula)
    before = re.sub(r"(?:[\s_(\[{,;:|/.]|(?<=\s)-)+$", "", found.before)
    before = re.sub(r"(?i)[\s_]+in$", "", before)
    after = found.after.strip(_EDGE + ")]}([{")
    if before and after.casefold() in FORMULAS:
        formula, after = formula or FORMULAS[after.casefold()], ""
    elif after and _constituent(before) == _constituent(after):
        after = ""
    name = f"{before} {after}".strip(_EDGE).removeprefix("-")
    return _balanced(name), _Said(found.unit, formula or _formula(found.formula))


def _balanced(text: str) -> str:
    text = re.sub(r"[(\[{]\s*[)\]}]", " ", text).strip()
    if text.count("(") > text.count(")") and not text.endswith(")"):
        text += ")"
    return text


def _formula(text: str) -> str:
    text = text.strip(" _-()[]")
    return FORMULAS.get(text.casefold(), text)


def _constituent(name: str, catalogue: Catalogue | None = None) -> tuple[Known, str, str] | None:
    """Find the constituent, the formula that the name tells, and what is doubtful about it."""
    if (found := find_constituent(name)) is not None:
        return *found, ""
    remarks = _BRACKET.findall(name)
    base = " ".join(_BRACKET.sub(" ", name).split()).strip(_EDGE)
    if remarks and base and (found := find_constituent(base)) is not None:
        known, formula = found
        for remark in remarks:
            again = find_constituent(remark) if remark.strip() else None
            canonical = FORMULAS.get(remark.strip().casefold(), "")
            if canonical and (canonical in known.others or canonical == known.formula):
                formula = canonical
            elif not remark.strip() or (again is not None and again[0].element == known.element):
                continue
            elif find_constituent(f"{base} {remark}") is None:
                return known, formula, f"it is not clear what ({remark}) means"
        return known, formula, ""
    if catalogue is not None and (known_ := element_constituent(name, catalogue)) is not None:
        return known_, "", ""
    return None


def _total(blank: Column, folded: str, said: _Said) -> Column:
    """Read dissolved solids and hardness, which are only compared with."""
    if said.unit is None or said.unit.kind != "mass":
        return blank.left_out(f"it has no unit of mass; write {blank.header} (mg/L)", unknown=True)
    if folded in _TDS:
        return replace(blank, role="TDS", unit=said.unit, factor=said.unit.scale)
    if said.formula != "CaCO3":
        return blank.left_out(
            "it is not said of what it is a mass: (mg/L as CaCO3), if it is that", unknown=True
        )
    return replace(blank, role="hardness", unit=said.unit, formula="CaCO3", factor=said.unit.scale)


def _concentration(
    blank: Column, name: str, known: Known, said: _Said, catalogue: Catalogue, stated: Stated
) -> Column:
    """Find the factor from a value to mmol, or say why there is none."""
    blank = replace(blank, known=known, unit=said.unit)
    names = {each.name for each in solution_elements(catalogue)}
    element = element_in(known.element, names)
    if element is None:
        return blank.left_out(_lacks(known.element))
    if said.unit is None:
        masses = "mg/L as CaCO3" if known.key == "Alkalinity" else "mg/L"
        return blank.left_out(f"it has no unit; write {name} ({masses}), (mmol/L) or (meq/L)")
    unit, formula = said.unit, said.formula
    if unit.kind == "mass" and not formula:
        custom = bool(_BY_CUSTOM_AS_CACO3.search(name))
        formula = "" if custom else _counted_as(name, element, known, catalogue)
        if known.element == "Alkalinity":
            formula = formula or stated.alkalinity_as
        if not formula:
            choice = ("CaCO3", known.formula or "HCO3") if custom else ("N", "NH4")
            if known.element == "Alkalinity" and not custom:
                choice = ("CaCO3", "HCO3")
            text = " or ".join(f"({unit.text} as {each})" for each in choice)
            text += '; or state alkalinity_as="CaCO3"' if known.element == "Alkalinity" else ""
            return blank.left_out(f"it is not said of what it is a mass; write {name} {text}")
    fraction = (
        "dissolved" if _dissolved(blank.header) else "total" if _TOTAL.search(_spaced(blank.header)) else ""
    )
    column = replace(blank, role="concentration", formula=formula, element=element, fraction=fraction)
    factor = conversion(column, unit, formula, catalogue)
    if factor is not None:
        return replace(column, factor=factor)
    if unit.kind == "charge":
        return blank.left_out(f"what 1 meq of {known.key} is depends on pH; give it in mmol or mg")
    return blank.left_out(f"{formula} does not hold {known.key}, or the database has no weight for it")


def _counted_as(name: str, element: str, known: Known, catalogue: Catalogue) -> str:
    """Return of what a mass is a mass; under PHREEQC's own name of a redox state it is what the database says."""
    if name != element or "(" not in name:
        return known.formula
    said = next(each for each in solution_elements(catalogue) if each.name == element)
    return said.gfw if said.gfw[:1].isalpha() else known.formula


def _lacks(element: str) -> str:
    limited = "; its drinking-water limits are not compared" if is_limited(element) else ""
    return f"the database lacks {element}{limited}"


def _ends_with(text: str, unit: str) -> bool:
    """Tell whether a heading says already what the line of units says: ``Temperature (°F)``."""
    return re.search(rf"(?<![a-z0-9]){re.escape(unit)}[)\] ]*$", text, re.IGNORECASE) is not None


def _spaced(header: str) -> str:
    return plain(header).replace("_", " ")


def _dissolved(header: str) -> bool:
    return bool(_DISSOLVED.search(re.sub(r"unfiltered", "", _spaced(header), flags=re.IGNORECASE)))


def _one_each(columns: list[Column]) -> list[Column]:
    """Keep one column as the sample's name and one as its group; the others are text."""
    samples = [each for each in columns if each.role == "sample"]
    if samples:
        best = min(samples, key=lambda each: (sample_rank(each.header), each.index))
        columns = [
            replace(column, role="text") if column in samples and column is not best else column
            for column in columns
        ]
    groups = [each for each in columns if each.role == "group"]
    return [replace(each, role="text") if each in groups[1:] else each for each in columns]


def _without_totals(columns: list[Column]) -> list[Column]:
    """Leave out the redox states of an element whose total is there too: PHREEQC takes one or the other."""
    used = {each.element for each in columns if each.role == "concentration"}
    found = []
    for column in columns:
        total = column.element.partition("(")[0]
        if column.role in ("concentration", "error") and total != column.element and total in used:
            why = f"total {total} is in the table too and counts; leave that out to keep its states apart"
            column = column.left_out(why)
        found.append(column)
    return found


def is_sum_of_alkalis(column: Column) -> bool:
    """Tell whether a column of concentrations holds sodium and potassium together; it is read as sodium."""
    return column.role == "concentration" and ambiguity(_name(plain(column.header))[0]) == ALKALIS


def _without_sums(columns: list[Column]) -> list[Column]:
    """Leave out the sum of sodium and potassium where one of them is there too."""
    one = next(
        (
            each.header
            for each in columns
            if each.role == "concentration" and each.element in ("Na", "K") and not is_sum_of_alkalis(each)
        ),
        "",
    )
    why = f"{one} is in the table too and counts"
    return [each.left_out(why) if one and is_sum_of_alkalis(each) else each for each in columns]
