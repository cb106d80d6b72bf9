"""Candidates for quantities in marked text, each with what an agent needs to choose among them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from labrig.errors import LabrigError
from labrig_papers.properties.facets import facets_of
from labrig_papers.properties.listing import aliases, key, properties
from labrig_papers.properties.matching import fits
from labrig_papers.quantities.cells import power_outside, read_cell, unknown_unit
from labrig_papers.quantities.conditions import CONDITIONS, Placed, conditions_of
from labrig_papers.quantities.scanning import Found, bare_numbers, scan
from labrig_papers.quantities.surroundings import (
    Standing,
    citations_in,
    formulas_near,
    sentence_of,
    standing_of,
)
from labrig_papers.values.reading import Value, has_unit, read_value
from labrig_papers.values.registry import known
from labrig_papers.values.units import BARE, read_unit

MOST_CHARS = 2_000_000
LONGEST_LABEL = 60
TWO_WAYS = "the head of the column has a power of ten outside of its unit: values to be multiplied by it, or that were"
Source = Literal["text", "caption", "table"]


@dataclass(frozen=True)
class Candidate:
    """A value in a text.

    Attributes
    ----------
    page
        As given to `find_quantities`.
    start, end
        Span in the text of the page, qualifier and unit included.
    text
        As printed.
    value
        As read; None with the `problem` where it cannot be (an exponent that lost its place, emu/mol).
    name
        The quantity named last before it in its sentence, empty if none is known.
    quote, quote_start
        Its sentence or row, and where that begins.
    formulas
        Formulas near it, nearest first.
    citations
        Citation marks of the sentence.
    standing
        measured, calculated or cited.
    competing
        Other values of the same dimension and quantity, as ``36 K (MgB_{2}, onset, p. 1, measured)``.
    source
        ``text``, ``caption`` or ``table``.
    column
        Head of the column of a table, whose unit the cell has.
    conditions
        What the words round it state: ``criterion`` (onset, zero, mid), ``orientation`` (c, ab), ``sample``, and the
        ``temperature``, ``field`` and ``pressure`` at which it holds, as printed; in a table ``x`` of a series, and
        ``label``: of its row or column, where that is no formula.
    """

    page: int
    start: int
    end: int
    text: str
    value: Value | None
    problem: str
    name: str
    quote: str
    quote_start: int
    formulas: tuple[str, ...]
    citations: tuple[str, ...]
    standing: Standing
    competing: tuple[str, ...] = ()
    source: Source = "text"
    column: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data; what is empty is left out."""
        fields: dict[str, Any] = {
            "page": self.page,
            "span": [self.start, self.end],
            "text": self.text,
            **({} if self.value is None else {k: v for k, v in self.value.to_dict().items() if k != "text"}),
            "problem": self.problem,
            "name": self.name,
            "quote": self.quote,
            "formulas": list(self.formulas),
            "citations": list(self.citations),
            "standing": self.standing,
            "competing": list(self.competing),
            "source": self.source if self.source != "text" else "",
            "column": self.column,
            "conditions": dict(self.conditions),
        }
        return {key_: each for key_, each in fields.items() if each not in (None, "", [], {})}


def find_quantities(
    pages: Sequence[str],
    dimension: str = "",
    quantity: str = "",
    first_page: int = 1,
    areas: Sequence[Areas] = (),
) -> tuple[Candidate, ...]:
    """Return the quantities in the marked text of pages, in reading order.

    Parameters
    ----------
    pages
        Marked text of each page.
    dimension
        Only those of a named dimension (``temperature``); ``"1"`` gives bare numbers that follow a known name.
    quantity
        Only those whose `Candidate.name` is this.
    first_page
        Number of the first page.
    areas
        Of each page its tables and captions, where they are known: cells then take the unit of their column.

    Raises
    ------
    LabrigError
        If the dimension is unknown or the text is too long.
    """
    dimensions = {each.name for each in known().dimensions} | {"1", "magnetisation"}
    if dimension and dimension not in dimensions:
        raise LabrigError(
            f"There is no dimension {dimension[:60]!r}",
            where="dimension",
            expected="one of " + ", ".join(sorted(dimensions)),
        )
    if sum(map(len, pages)) > MOST_CHARS:
        raise LabrigError(
            "The text is too long", where="pages", expected=f"at most {MOST_CHARS} characters", code="limit"
        )
    found: list[Candidate] = []
    for index, text in enumerate(pages):
        number, here = first_page + index, areas[index] if index < len(areas) else Areas()
        units = list(scan(text))
        taken = [(each.start, each.end) for each in units]
        candidates = [_candidate(text, number, each) for each in units]
        for each in bare_numbers(text):
            if not any(start <= each.start < end for start, end in taken):
                candidate = _candidate(text, number, each)
                if each.problem or candidate.name in _without_unit():
                    candidates.append(candidate)
        inside = [each for each in candidates if not here.in_table(each.start)]
        inside = [replace(each, source="caption") if here.in_caption(each.start) else each for each in inside]
        ordered = sorted([*inside, *_tabled(here, number)], key=lambda candidate: candidate.start)
        found += _with_conditions(text, ordered)
    found = _side_by_side(found)
    return tuple(
        each
        for each in found
        if (not dimension or (each.value is not None and each.value.unit.dimension == dimension))
        and (not quantity or each.name == quantity)
    )


@dataclass(frozen=True)
class TableCell:
    """A cell of the body of a table: its text, where it stands, the head above it, the row and its first words.

    `unit` is what the column of units of its table, or its caption, has for it; `series` is the ``x`` of its row, where
    the rows are compositions of one series.
    """

    text: str
    start: int
    end: int
    head: str
    row: str
    row_start: int
    label: str
    caption: str = ""
    unit: str = ""
    series: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Areas:
    """Where in the text of a page tables and captions stand (half-open ranges), and the cells of the tables."""

    tables: tuple[tuple[int, int], ...] = ()
    captions: tuple[tuple[int, int], ...] = ()
    cells: tuple[TableCell, ...] = ()

    def in_table(self, place: int) -> bool:
        """Tell whether a place is in the body of a table."""
        return any(start <= place < end for start, end in self.tables)

    def in_caption(self, place: int) -> bool:
        """Tell whether a place is in a caption."""
        return any(start <= place < end for start, end in self.captions)


def _tabled(here: Areas, page: int) -> list[Candidate]:
    """Return the values of the tables of a page: those with a unit, and bare ones of quantities that have none."""
    found = []
    for cell in here.cells:
        value = read_cell(cell.text, cell.head)
        name = "" if value is None else _name_before(cell.head, value.unit.dimension, value.unit.canonical)
        problem = ""
        if value is None and power_outside(cell.head) and read_cell(cell.text) is not None:
            problem = TWO_WAYS
        elif value is not None and not has_unit(value) and name not in _without_unit():
            unit = cell.unit or unknown_unit(cell.head)
            if not unit:
                continue
            problem = _unknown(unit)
        if problem:
            found.append(
                Candidate(
                    page, cell.start, cell.end, cell.text, None, problem, _name_before(cell.head, "", ""),
                    cell.row, cell.row_start, (), (), "measured", source="table", column=cell.head,
                    conditions=cell.series,
                )
            )  # fmt: skip
        if value is None or problem:
            continue
        about = f"{cell.label} {cell.row}"
        own = formulas_near(about, 0, len(cell.label))
        formulas = own or formulas_near(cell.caption, 0, 0)
        says = not own and not cell.series and cell.label != cell.text and re.search(r"[A-Za-z]", cell.label)
        series = {"label": cell.label[:LONGEST_LABEL]} if says else cell.series
        cited = citations_in(cell.row)
        found.append(
            Candidate(
                page, cell.start, cell.end, cell.text, value, "", name, cell.row, cell.row_start,
                formulas, cited, "cited" if cited else "measured", source="table", column=cell.head,
                conditions=series,
            )
        )  # fmt: skip
    return found


def _unknown(unit: str) -> str:
    """Return what is wrong with a value whose unit cannot be read: why, as the reader of units says it."""
    try:
        read_unit(unit)
    except LabrigError as error:
        return error.what
    return f"The unit {unit!r} is not known"


@lru_cache(maxsize=1)
def _without_unit() -> frozenset[str]:
    """Return the quantities whose values have no unit."""
    own = {each.quantity for each in properties() if each.dimension == "1"}
    return frozenset(
        own
        | {
            "normalized_jump",
            "residual_resistivity_ratio",
            "gl_parameter",
            "electron_phonon_coupling",
            "anisotropy",
            "figure_of_merit",
            "effective_mass",
            "gruneisen_parameter",
            "dielectric_constant",
            "refractive_index",
            "ph",
            "coulomb_pseudopotential",
        }
    )


@lru_cache(maxsize=1)
def _named() -> re.Pattern[str]:
    names = sorted((alias for alias in aliases() if alias), key=len, reverse=True)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, names))})(?=s?(?![a-z0-9]))")


_NOT_SUPERCONDUCTING = re.compile(
    r"\bno (?:\w+ ){0,2}(?:superconduct\w*|transition)\b|\bnot superconduct\w*|\bnon-?superconduct\w*"
    r"|\babsence of superconduct\w*",
    re.IGNORECASE,
)
_AXIS = re.compile(
    r"(?<![A-Za-z])[abc]\s?(?:[=≈~]|is|of)\s*$|(?<![A-Za-z])[abc] (?:and|,) [abc] (?:=|are|of)\s*$"
)
_CHANGE = re.compile(
    r"\b(?:increas|decreas|rais|lower|reduc|suppress|enhanc|shift|rise|rose|drop|fall|fell|differ|widen|chang)\w*"
    r"\s(?:\w+\s){0,2}by\s*$",
    re.IGNORECASE,
)
"""What is said of a change is no value of the quantity."""
_KAPPA = re.compile(r"κ(?:_\{[^}]*\})?(?:\(0\))?\s?[=≈~∼]\s?$")
_MU_STAR = re.compile(r"μ\s?\^?\{?\s?[*∗⋆]\s?\}?\s?[=≈~∼]\s?$")
_AT = re.compile(r"\b(?:at|near|above|below)\s?(?:T\s?[=≈~∼]\s?)?$")
_BOUND = re.compile(r"(?:above|below|near)\s", re.IGNORECASE)
_OF_LIGHT = re.compile(r"\bwavelength|\bradiation\b|K_?\{?α", re.IGNORECASE)
_AXIS_HEAD = re.compile(r"\s*[abc]\s*[(\[,]")
_POINTS = re.compile(r"\b(?:midpoint|onset|zero[ -]resistance)\b", re.IGNORECASE)
_OF_PERCENT = frozenset({"meissner_fraction", "isotope_ratio", "elongation", "porosity"})
_SPELLED = re.compile(r"(?<![\w\\])(?:rho|kappa|sigma|xi|lambda|gamma|Delta|theta|Theta|chi)(?=[\s_(\[,]|$)")
_GAP = re.compile(
    r"^\s*\\?(?:[Δ∆]|Delta)(?:_\{?\w{1,3}\}?)?(?:\(0\))?\s*[(\[,]|[Δ∆](?:_\{?\w{1,3}\}?)?\s?[=≈~∼]\s?$"
)
_ALONE = {
    "thermopower": "thermopower",
    "thermal_conductivity": "thermal_conductivity",
    "resistivity": "resistivity",
    "conductivity": "electrical_conductivity",
    "mobility": "hall_mobility",
    "hall_coefficient": "hall_coefficient",
    "power_factor": "power_factor",
}
"""Dimensions that one quantity alone has."""


def _name_before(text: str, dimension: str, unit: str) -> str:
    """Return the quantity that is named last in a text, of those that a unit may be of."""
    if dimension == "length" and (_AXIS.search(text) or _AXIS_HEAD.match(text)):
        return "lattice_constant"
    if _CHANGE.search(text):
        return ""
    if dimension == "1" and _KAPPA.search(text):
        return "gl_parameter"
    if dimension == "1" and _MU_STAR.search(text):
        return "coulomb_pseudopotential"
    if dimension == "temperature" and _NOT_SUPERCONDUCTING.search(text):
        return "lowest_temperature"
    if dimension == "length" and _OF_LIGHT.search(text):
        return ""
    text = _SPELLED.sub(lambda letter: "\\" + letter[0], text)
    if dimension == "energy" and _GAP.search(text):
        return "energy_gap"
    # Of H^{∥c}_{c2} and H_{c2}^{c} the raised part is a condition: the name is H_{c2}.
    plain = re.sub(r"(?<=[A-Za-zΔ∆])\^\{[^{}]*\}(?=_\{)", "", text.replace("’", "'"))
    plain = re.sub(r"(_\{[^{}]*\})\^\{[^{}]*\}", r"\1", plain)
    plain = re.sub(r"(?<=[ρS])_\{\d{1,3}(?: ?K)?\}", "", plain)  # of ρ_{300} the index is a condition
    named = [aliases()[each.group(0)].lstrip("!") for each in _named().finditer(key(plain))]
    at = (
        dimension == "temperature" and _AT.search(text) is not None
    )  # of "a gap of 1.5 meV at 2 K" 2 K is no gap
    fitting = (
        each
        for each in reversed(named)
        if _may_be(each, dimension) and not (at and "temperature" not in _dimensions_of(each))
    )
    name = next((each for each in fitting if unit != "%" or each in _OF_PERCENT), "")
    if name == "thermodynamic_critical_field" and re.search(r"\bcoerciv", text):
        return "coercivity"  # both are written H_c
    if not name and dimension == "temperature_per_pressure" and "critical_temperature" in named:
        return "tc_by_pressure"
    if not name and dimension == "energy" and re.search(r"\bgaps?\b", text):
        return "energy_gap"
    if not name and dimension == "temperature" and re.search(r"\bwidth\b", text):
        return "transition_width"
    name = name or _ALONE.get(dimension, "")
    return name or ("critical_temperature" if dimension == "temperature" and _POINTS.search(text) else "")


def _candidate(text: str, page: int, found: Found) -> Candidate:
    sentence = sentence_of(text, found.start, found.end)
    quote = text[sentence.start : sentence.end].strip()
    before = text[max(sentence.start, found.start - 100) : found.start]
    if bound := _BOUND.match(found.text):
        before += bound.group(0)
    value, problem = found.value, found.problem
    unit = value.unit if value is not None else BARE
    name = _name_before(before, unit.dimension if value is not None else "", unit.canonical)
    if not name and (behind := _FOR.match(text, found.end)):
        name = _name_before(behind[1], unit.dimension if value is not None else "", unit.canonical)
    if value is None and "emu/mol" in problem and name in _SUSCEPTIBILITIES:
        # The text names what it is, so the unit has one meaning.
        value, problem = read_value(found.text, "susceptibility"), ""
    at = max(0, found.start - sentence.start)
    return Candidate(
        page,
        found.start,
        found.end,
        found.text,
        value,
        problem,
        name,
        quote,
        sentence.start,
        formulas_near(text, found.start, found.end),
        citations_in(quote),
        standing_of(text[sentence.start : sentence.end], at),
    )


_FOR = re.compile(r"\s(?:for|as)\s(?:the\s)?([^.,;\n]{1,40})")
"""What a value is of may stand behind it: "a value of 5 nm for the coherence length"."""
_SUSCEPTIBILITIES = frozenset({"susceptibility_constant", "curie_constant"})


@lru_cache(maxsize=1)
def _dimensions() -> dict[str, frozenset[str]]:
    """Return the dimensions that the values of each quantity of the list have."""
    found: dict[str, set[str]] = {}
    for each in properties():
        found.setdefault(each.quantity, set()).add(each.dimension)
    return {quantity: frozenset(each) for quantity, each in found.items()}


_HEATS = frozenset(
    {"molar_heat", "mass_heat", "volume_heat", "molar_heat_coefficient", "molar_phonon_coefficient"}
)
_OF_OTHERS: dict[str, frozenset[str]] = {
    "critical_current": frozenset({"current"}),
    "thermodynamic_critical_field": frozenset({"magnetic_field"}),
    "irreversibility_field": frozenset({"magnetic_field"}),
    "mean_free_path": frozenset({"length"}),
    "plasma_frequency": frozenset({"frequency", "energy", "inverse_length"}),
    "fermi_velocity": frozenset({"velocity"}),
    "spin_density_wave_temperature": frozenset({"temperature"}),
    "pseudogap": frozenset({"energy", "temperature"}),
    "band_gap": frozenset({"energy"}),
    "heat_capacity": _HEATS,
    "thermal_expansion": frozenset({"inverse_temperature"}),
    "bulk_modulus": frozenset({"pressure"}),
    "hall_mobility": frozenset({"mobility"}),
    "power_factor": frozenset({"power_factor"}),
    "lorenz_number": frozenset({"lorenz_number"}),
    "electrical_conductivity": frozenset({"conductivity"}),
    "ionic_conductivity": frozenset({"conductivity"}),
    "thermal_diffusivity": frozenset({"diffusivity"}),
    "phonon_coefficient": frozenset({"molar_phonon_coefficient"}),
    "curie_weiss_temperature": frozenset({"temperature"}),
    "binding_energy": frozenset({"energy", "molar_energy"}),
    "elongation": frozenset({"fraction"}),
    "porosity": frozenset({"fraction", "volume_fraction"}),
    "activation_energy": frozenset({"energy", "molar_energy", "temperature"}),
    "surface_roughness": frozenset({"length"}),
    "fracture_strength": frozenset({"pressure"}),
    "compressive_strength": frozenset({"pressure"}),
    "flexural_strength": frozenset({"pressure"}),
    "resistivity_coefficient": frozenset({"resistivity_coefficient"}),
    "melting_temperature": frozenset({"temperature"}),
    "glass_transition_temperature": frozenset({"temperature"}),
    "coercivity": frozenset({"magnetic_field"}),
    "remanence": frozenset({"magnetic_field", "magnetisation", "mass_magnetisation"}),
    "saturation_magnetisation": frozenset(
        {"magnetic_field", "magnetisation", "mass_magnetisation", "magnetic_moment", "molar_moment"}
    ),
    "yield_strength": frozenset({"pressure"}),
    "tensile_strength": frozenset({"pressure"}),
    "grain_size": frozenset({"length"}),
    "film_thickness": frozenset({"length"}),
    "surface_area": frozenset({"area_per_mass"}),
    "specific_capacity": frozenset({"charge_per_mass"}),
    "polarisation": frozenset({"polarisation"}),
    "piezoelectric_coefficient": frozenset({"piezoelectric_coefficient"}),
    "salinity": frozenset({"practical_salinity", "weight_fraction", "fraction"}),
}
"""Dimensions of quantities that the list of properties does not have."""


def _dimensions_of(quantity: str) -> frozenset[str]:
    """Return the dimensions that values of a quantity have, none where that is not known."""
    return _OF_OTHERS.get(quantity) or _dimensions().get(quantity) or frozenset()


def _may_be(quantity: str, dimension: str) -> bool:
    """Tell whether a value of a dimension may be of a quantity: 3.78 Å is no space group, 2.1 T/K no temperature."""
    if quantity in _without_unit():
        of_mass = quantity == "effective_mass" and dimension == "mass"  # in units of that of the electron
        return dimension in ("", "1", "fraction") or of_mass
    known_ones = _dimensions_of(quantity)
    if dimension == "energy" and known_ones:
        return "energy" in known_ones  # a gap may be printed in kelvin, a temperature not in meV
    return not known_ones or not dimension or any(fits(each, dimension) for each in known_ones)


def _with_conditions(text: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates of a page in order, each with what the words round it state: onset or zero, direction."""
    told = []
    before = 0
    held = conditions_of([_placed(each) for each in found], text)
    for index, each in enumerate(found):
        if each.source == "table":
            stated = facets_of(each.column)
            at = {key: stated[key] for key in CONDITIONS if key in stated and key not in _own(each)}
        else:
            low = max(before, each.quote_start, each.start - 120)
            high = min(found[index + 1].start if index + 1 < len(found) else len(text), each.end + 60)
            behind = _CLAUSE_END.split(text[each.end : max(each.end, high)], maxsplit=1)[0]
            said = re.sub(r"\^\{(ab|c)\}", r" ∥ \1 ", f"{text[low : each.start]} {behind}")
            stated = facets_of(_SCRIPT.sub(r" \1\2 ", said))
            if not _IN_BRACKETS.search(text[max(0, each.start - 24) : each.start]):
                before = each.end + len(behind)  # of ρ_{ab}(300 K) = 0.43 mΩ cm both values are of one symbol
            at = held[index]
        words = {key: stated[key] for key in _TOLD if key in stated}
        of_row = {key: value for key, value in each.conditions.items() if key not in _own(each)}
        told.append(replace(each, conditions={**of_row, **words, **at}))
    return told


def _placed(each: Candidate) -> Placed:
    dimension = each.value.unit.dimension if each.value is not None else ""
    return Placed(each.start, each.end, each.text, dimension, each.quote_start, each.source == "table")


def _own(each: Candidate) -> frozenset[str]:
    """Return the conditions that a value of this dimension is not under, since it is one itself."""
    dimension = each.value.unit.dimension if each.value is not None else ""
    return frozenset(key for key, known_one in CONDITIONS.items() if known_one == dimension)


_TOLD = ("criterion", "orientation", "sample")
_SCRIPT = re.compile(r"\^\{([^{}]*)\}|_\{(?:c\s?,\s?)?(?=[a-z]{3})([^{}]*)\}")
_IN_BRACKETS = re.compile(r"[\w}]\([^()]*$")
_CLAUSE_END = re.compile(r"[,;.]\s|\s(?:and|while|whereas|but)\s")


def _named_value(each: Candidate) -> str:
    """Return a value as it stands beside others: with unit, material, page and standing."""
    printed = " ".join(each.text.split())
    if each.source == "table" and each.value is not None and each.column:
        printed = (
            f"{printed} {each.value.unit.canonical}"
            if printed[-1:].isdigit() or printed[-1:] == ")"
            else printed
        )
    conditions = [value if name in _TOLD else f"{name} {value}" for name, value in each.conditions.items()]
    about = [*each.formulas[:1], *conditions, f"p. {each.page}", each.standing]
    return f"{printed} ({', '.join(about)})"


def _side_by_side(found: list[Candidate], most: int = 6) -> list[Candidate]:
    """Return the candidates, each with the other values of its dimension and quantity, those of its material first."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for each in found:
        if each.value is not None:
            groups.setdefault((each.value.unit.dimension, each.name), []).append(each)
    placed = []
    for each in found:
        others: list[tuple[bool, str]] = []
        if each.value is not None and each.name:
            for other in groups[each.value.unit.dimension, each.name]:
                if other is not each and other.value is not None and other.value.si() != each.value.si():
                    others.append((other.formulas[:1] != each.formulas[:1], _named_value(other)))
        ranked = dict.fromkeys(text for _, text in sorted(others, key=lambda pair: pair[0]))
        placed.append(replace(each, competing=tuple(ranked)[:most]))
    return placed
