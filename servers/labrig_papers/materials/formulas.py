"""A composition, or a typed reason why there is none.

pymatgen reads a formula whose amounts are numbers. What papers print before that point (variables, subscripts,
names, isotopes, hydrates, words) is resolved here; where it cannot be, the reason is said, since pymatgen would
read YBCO as yttrium boron carbon oxygen and D2S as H2S.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from labrig.errors import LabrigError
from labrig_papers.materials.elements import LIGHT_ISOTOPES, SYMBOLS
from labrig_papers.materials.names import molecules
from labrig_papers.materials.regions import Region, regions_of
from labrig_papers.materials.variables import (
    AMOUNT,
    PLACEHOLDERS,
    Variables,
    names_in,
    value_of,
    variables_of,
)
from labrig_papers.materials.writing import plain

MOST_CHARS = 400
Status = Literal["resolved", "nominal", "several", "unresolved"]

REASONS = {
    "no_formula": "there is no formula and no known name in the text",
    "label_only": "a label of a sample, whose formula stands elsewhere",
    "variable_without_value": "the formula has a variable whose value is not given",
    "variable_bounded": "a range or a bound of a variable is given, no value",
    "several_values": "several values of a variable are given, so it is several samples",
    "several_materials": "the text names several materials",
    "placeholder": "a symbol stands for several elements and none is named",
    "occupancy_without_amounts": "elements share a site and their amounts are not given",
    "alloy_without_amounts": "elements are joined by a hyphen and their amounts are not given",
    "dopant_without_amount": "a dopant is named, its amount or site is not given in the formula",
    "deviation_without_amount": "what is missing or in excess is named, its amount is not given in the formula",
    "ambiguous_name": "the name stands for several compounds",
    "unknown_acronym": "capital letters that are an acronym, and could be read as elements",
    "isotope_or_amount": "a number is the mass number of an isotope or an amount",
    "zero_for_oxygen": "a zero stands where a symbol is expected, probably an O",
    "lost_sign": "a sign was lost in the text, so an amount is unreadable",
    "not_the_sample": "the formula is of a crucible, a substrate or an ingredient",
    "unreadable": "the formula does not follow the grammar of formulas",
    "negative_amount": "an amount is negative with these values of the variables",
    "word_or_element": "a word at the beginning may be a symbol",
}
"""Why a text has no composition, by short name."""
_LOST = re.compile(r"\d\s?[ÀÁþÂ]\s?[\dxyzδ]|[xyzδ]\s?[ÀÁþÂ]\s?\d")
"""What the fonts of some publishers' PDFs make of − and + between two amounts: 1Àx."""
_WATER = re.compile(r"(?:(?<=[\d)\]])|(?<=[A-Z])|(?<=[A-Z][a-z]))\s+(?:[x×]\s*)?(?=\d+(?:\.\d+)?\s?H2O\b)")
"""What stands for the dot of a hydrate: "MgSO4 7H2O", "CaCl2 x 2 H2O"."""


@dataclass(frozen=True)
class Formula:
    """What a text says of a composition.

    Attributes
    ----------
    text
        As printed.
    status
        ``resolved``; ``nominal`` where something was assumed (see `assumptions`); ``several`` where the text names
        several samples, whose formulas are the `alternatives`; ``unresolved`` with a reason.
    formula
        Every amount as a number, symbols in the order printed: ``La1.85Sr0.15CuO4``.
    composition
        Amounts per formula unit by element.
    isotopes
        Mass numbers that are printed, by element; D is hydrogen 2.
    generic
        The formula with its variables.
    variables
        The values that were used.
    assumptions
        What was assumed: δ = 0, an approximate x.
    descriptors
        Words that describe the sample: film, single crystal, overdoped.
    reason, why
        Short name (a key of `REASONS`) and sentence.
    needs
        Variables or symbols whose values would resolve it.
    alternatives
        Formulas that it may be.
    """

    text: str
    status: Status
    formula: str = ""
    composition: Mapping[str, float] = field(default_factory=dict)
    isotopes: Mapping[str, int] = field(default_factory=dict)
    generic: str = ""
    variables: Mapping[str, float] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    descriptors: tuple[str, ...] = ()
    reason: str = ""
    why: str = ""
    needs: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the formula as plain data; what is empty is left out."""
        fields: dict[str, Any] = {
            "text": self.text,
            "status": self.status,
            "formula": self.formula,
            "composition": dict(self.composition),
            "isotopes": dict(self.isotopes),
            "generic": self.generic if self.generic != self.formula else "",
            "variables": dict(self.variables),
            "assumptions": list(self.assumptions),
            "descriptors": list(self.descriptors),
            "reason": self.reason,
            "why": self.why,
            "needs": list(self.needs),
            "alternatives": list(self.alternatives),
        }
        return {key: each for key, each in fields.items() if each not in ("", [], {})}


class _Unresolved(Exception):
    def __init__(
        self,
        reason: str,
        detail: str = "",
        needs: tuple[str, ...] = (),
        alternatives: tuple[str, ...] = (),
        complete: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.detail, self.needs, self.alternatives = reason, detail, needs, alternatives
        self.complete = complete


def normalize_formula(text: str, variables: Mapping[str, float] | None = None, context: str = "") -> Formula:
    """Return the composition that a text names.

    Parameters
    ----------
    text
        A formula, a name or a description of one sample, as printed.
    variables
        Values of variables (``{"x": 0.15}``); they go before those of the text.
    context
        The sentence or row around it, from which missing values of variables, or for a label such as "x = 0.15" the
        formula, are taken if it names exactly one.

    Returns
    -------
    Formula
        A text without a composition is a result too, with its reason.

    Raises
    ------
    LabrigError
        If the text is empty or too long, or a value is no finite number.
    """
    if not isinstance(text, str) or not text.strip():
        raise LabrigError(
            "The formula is empty", where="formula", expected="a formula such as La_{2-x}Sr_{x}CuO_{4}"
        )
    for where, given in (("formula", text), ("context", context)):
        if len(given) > MOST_CHARS * (10 if where == "context" else 1):
            raise LabrigError(
                f"The {where} has {len(given)} characters",
                where=where,
                expected="one sample and its sentence",
            )
    if lost := _LOST.search(text):
        why = f"{REASONS['lost_sign']}: {lost[0]!r}"
        return Formula(text, "unresolved", reason="lost_sign", why=why)
    given_values = _checked(variables or {})
    said, rest = variables_of(_WATER.sub("·", plain(text)))
    around, around_rest = variables_of(plain(context)) if context.strip() else (Variables(), "")
    found = regions_of(rest)
    own = [region for region in found.regions if not region.other]
    from_context = False
    if not own and not found.regions and (said.values or re.fullmatch(r"[\d.\s]+", rest.strip() or "x")):
        generics = _distinct(region for region in regions_of(around_rest).regions if not region.other)
        own = [region for region in generics if set(_letters(region)) & set(said.values)]
        from_context = bool(own)
    base = Formula(text, "unresolved", descriptors=found.words)
    try:
        if found.dopant:
            host = own[0].text if own else ""
            raise _Unresolved("dopant_without_amount", f"{found.dopant!r}" + (f" in {host}" if host else ""))
        region = _one(own, found.regions, said, rest)
        resolved = _resolved(region, base, given_values, said, around)
        if found.deviation and not re.search(r"\d\.\d", resolved.formula):
            raise _Unresolved("deviation_without_amount", f"{found.deviation!r} in {region.text}")
    except _Unresolved as unresolved:
        why = REASONS[unresolved.reason] + (f": {unresolved.detail}" if unresolved.detail else "")
        generic = own[0].named.formula if own and own[0].named else own[0].text if own else ""
        several = (
            unresolved.reason == "several_values" and len(unresolved.alternatives) > 1 and unresolved.complete
        )
        return replace(
            base,
            status="several" if several else "unresolved",
            generic=generic,
            reason=unresolved.reason,
            why=why,
            needs=unresolved.needs,
            alternatives=unresolved.alternatives,
        )
    if from_context:
        used = ", ".join(f"{name} = {value:g}" for name, value in resolved.variables.items())
        assumed = f"{region.text} with {used}: the formula is from the context"
        resolved = replace(resolved, status="nominal", assumptions=(*resolved.assumptions, assumed))
    return resolved


def _checked(variables: Mapping[str, float]) -> dict[str, float]:
    values = {}
    for name, value in variables.items():
        number = (
            float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")
        )
        if not -100 < number < 100:
            raise LabrigError(
                f"The value of {name!r} is {value!r}",
                where="variables",
                expected="a number between -100 and 100",
            )
        values["δ" if name in ("d", "delta") else name] = number
    return values


def _letters(region: Region) -> list[str]:
    formula = region.named.formula if region.named else region.text
    return [name for part in _amounts(formula) for name in names_in(part)]


def _distinct(regions: Any) -> list[Region]:
    kept: dict[str, Region] = {}
    for region in regions:
        kept.setdefault(
            region.named.formula if region.named and region.named.formula else region.text, region
        )
    return list(kept.values())


def _one(own: list[Region], every: tuple[Region, ...], said: Variables, rest: str) -> Region:
    """Return the one formula of a text; a formula and the name for it are one."""
    regions = _distinct(own)
    if said.values and len(regions) == 1 and regions[0].text in SYMBOLS and regions[0].named is None:
        raise _Unresolved("label_only", f"of the element {regions[0].text}", ("formula",))  # "Sr x = 0.14"
    if not regions:
        if every:
            told = {"word": "word_or_element", "label": "label_only"}
            reason = next((told[word] for word in told if word in every[0].other), "not_the_sample")
            raise _Unresolved(reason, f"{every[0].text} ({every[0].other})")
        if said.values or said.bounds or re.fullmatch(r"[\d.\s,()*=<>~-]+", rest.strip() or "0"):
            raise _Unresolved("label_only", needs=("formula",))
        raise _Unresolved("no_formula")
    formulas = [region for region in regions if region.named is None]
    if len(formulas) == 1 and all(region.named for region in regions if region is not formulas[0]):
        return formulas[0]  # HgBa2CuO4+δ (Hg-1201)
    if len(regions) > 1:
        raise _Unresolved("several_materials", alternatives=tuple(region.text for region in regions))
    return regions[0]


def _resolved(
    region: Region, base: Formula, given: dict[str, float], said: Variables, around: Variables
) -> Formula:
    if region.named is not None and region.named.ambiguous:
        raise _Unresolved("ambiguous_name", region.named.name, alternatives=region.named.ambiguous)
    generic = region.named.formula if region.named else region.text
    if region.named is None:
        _refuse_acronym(region.text)
    assumptions = [f"{region.named.name} is {generic}"] if region.named is not None else []
    if region.number is not None:
        generic = re.sub(r"O\d+[+-]δ$", f"O{region.number:g}", generic)
    generic = _without_placeholder(generic, given, said, around)
    values, told = _values_of(generic, given, said, around)
    assumptions += told
    written, isotopes = _written(generic, values)
    composition = _composition(written)
    return replace(
        base,
        status="nominal" if any("=" in each for each in assumptions) else "resolved",
        formula=_canonical(written, composition),
        composition=composition,
        isotopes=isotopes,
        generic=generic,
        variables={name: values[name] for name in _variables(generic)},
        assumptions=tuple(assumptions),
    )


def _without_placeholder(generic: str, given: dict[str, float], said: Variables, around: Variables) -> str:
    """Return a formula with the element named for its placeholder, where it has one."""
    placeholder = _placeholder(generic, said, around)
    if placeholder is None:
        return generic
    name, elements = placeholder
    if len(elements) != 1:
        written_out = [generic.replace(name, symbol, 1) for symbol in elements if symbol in SYMBOLS]
        alternatives = tuple(_alternatives(each, given, "", [0.0]) for each in written_out)
        complete = len(written_out) == len(elements) and all(alternatives)
        flat = tuple(each[0] for each in alternatives) if complete else tuple(written_out)
        raise _Unresolved("several_values" if elements else "placeholder", name, (name,), flat, complete)
    return generic.replace(name, elements[0], 1)


def _variables(generic: str) -> list[str]:
    return sorted({letter for amount in _amounts(generic) for letter in names_in(amount)})


def _values_of(
    generic: str, given: dict[str, float], said: Variables, around: Variables
) -> tuple[dict[str, float], list[str]]:
    """Return the value of each variable, and what was assumed of those that the formula's own text does not give."""
    assumptions: list[str] = []
    values, needed = dict(given), _variables(generic)
    for name in needed:
        if name in values:
            continue
        options = said.values.get(name) or ([] if name in said.bounds else around.values.get(name, []))
        if len(options) > 1:
            found = _alternatives(generic, values, name, options)
            listed = ", ".join(f"{each:g}" for each in options)
            complete = len(found) == len(options) and name in said.values
            raise _Unresolved("several_values", f"{name} = {listed}", (name,), found, complete)
        if options:
            values[name] = options[0]
            if name not in said.values:
                assumptions.append(f"{name} = {options[0]:g} is from the context")
            if name in said.approximate or (name not in said.values and name in around.approximate):
                assumptions.append(f"{name} = {options[0]:g} is approximate")
        elif name in said.bounds:
            raise _Unresolved("variable_bounded", said.bounds[name], (name,))
        elif name == "δ" or _is_oxygen_excess(generic, name):
            values[name] = 0.0
            assumptions.append(f"{name} = 0: no value is given")
        else:
            missing = tuple(
                each for each in needed if each not in values and each != "δ" and not said.values.get(each)
            )
            raise _Unresolved("variable_without_value", f"{', '.join(missing)} in {generic}", missing)
    return values, assumptions


def _refuse_acronym(text: str) -> None:
    if re.fullmatch(r"[A-Z]{3,}", text) and text not in ("UOS", "KCN"):
        raise _Unresolved("unknown_acronym", text)
    if len(text) == 2 and text.isupper() and text in ("SC", "HF", "NO", "CO", "PC", "OK", "IV", "II", "VI"):
        raise _Unresolved("unknown_acronym", text)


def _placeholder(generic: str, said: Variables, around: Variables) -> tuple[str, list[str]] | None:
    """Return the symbol that stands for elements with the elements named for it, None where there is none."""
    symbols = "|".join(sorted(SYMBOLS, key=len, reverse=True))
    rest = re.sub(r"<\d+>|BED[TO]-TTF|TMTSF|TMTTF|BETS|TTF|TCNQ|\bET\b|dmit", " ", generic)
    for name in PLACEHOLDERS:
        stands = re.sub(
            rf"(?:{symbols})(?![a-z])",
            lambda match: match.group(0) if match.group(0) in PLACEHOLDERS else " ",
            rest,
        )
        if len(name) == 2:
            found = name in rest and name[0] + name[1] not in SYMBOLS
        else:
            found = re.search(rf"(?<![A-Z]){name}(?![a-z])", stands) is not None and name not in SYMBOLS
        if found:
            return name, said.elements.get(name) or around.elements.get(name) or []
    return None


def _amounts(generic: str) -> list[str]:
    symbols = "|".join(sorted(SYMBOLS, key=len, reverse=True))
    return [amount for amount in AMOUNT.findall(re.sub(symbols, " ", generic)) if amount]


def _is_oxygen_excess(generic: str, name: str) -> bool:
    """Return whether a variable is only the small excess of an oxygen amount of four or more (CuO4+x, Cu3O7-y)."""
    places = [amount for amount in _amounts(generic) if name in names_in(amount)]
    return len(places) == 1 and re.search(rf"O(?:[4-9]|1\d)[+-]{name}$", generic) is not None


def _alternatives(generic: str, values: dict[str, float], name: str, options: list[float]) -> tuple[str, ...]:
    given = {"δ": 0.0, **values, name or "δ": 0.0}
    if any(each not in given for amount in _amounts(generic) for each in names_in(amount)):
        return ()
    found = []
    for option in options[:8]:
        try:
            written, _ = _written(generic, {"δ": 0.0, **values, name or "δ": option})
            found.append(_canonical(written, _composition(written)))
        except _Unresolved:
            continue
    return tuple(found)


def _written(generic: str, values: dict[str, float]) -> tuple[str, dict[str, int]]:
    """Return the formula with every amount as a number, and the isotopes that it names."""
    isotopes: dict[str, int] = {}
    parts = re.split(r"[·*]", generic)
    written = []
    for part in parts:
        factor = 1.0
        if len(parts) > 1 and (match := AMOUNT.match(part)) and match.end():
            factor, part = value_of(match.group(0), values), part[match.end() :]
        text = _part(part, values, isotopes)
        written.append(text if factor == 1.0 else f"({text}){factor:.9g}")
    return "".join(written), isotopes


def _part(part: str, values: dict[str, float], isotopes: dict[str, int]) -> str:
    out: list[str] = []
    at = depth = 0
    last = ""
    while at < len(part):
        rest = part[at:]
        if match := re.match(r"<(\d+)>(D|[A-Z][a-z]?)", rest):
            symbol = match[2] if match[2] in SYMBOLS else match[2][0]
            isotopes["H" if symbol == "D" else symbol] = int(match[1])
            at += match.end(1) + 1
            continue
        molecule = next((name for name in molecules() if rest.startswith(name)), "")
        if molecule and not re.match(r"[a-z]", rest[len(molecule) :] or " "):
            out.append(f"({molecules()[molecule]})")
            at += len(molecule)
            last = "symbol"
        elif match := re.match(r"[A-Z][a-z]?", rest):
            symbol = match.group(0) if match.group(0) in SYMBOLS else match.group(0)[0]
            if symbol == "D":
                isotopes["H"] = 2
                out.append("H")
            elif symbol in SYMBOLS:
                out.append(symbol)
            else:
                raise _Unresolved("unreadable", f"{rest[:6]!r} in {part}")
            at += len(symbol)
            last = symbol
        elif rest[0] in "([":
            depth += 1
            out.append("(")
            at += 1
            last = ""
            continue
        elif rest[0] in ")]":
            depth -= 1
            if depth < 0:
                raise _Unresolved("unreadable", f"a bracket too many in {part}")
            out.append(")")
            at += 1
            last = "symbol"
        elif re.match(r"/0+(?!\d)", rest):
            raise _Unresolved("unreadable", f"a division by zero in {part}")
        elif rest[0] in ",/":
            raise _Unresolved("occupancy_without_amounts", part)
        elif rest[0] in "-+":
            raise _Unresolved("alloy_without_amounts", part)
        else:
            raise _Unresolved("unreadable", f"{rest[:6]!r} in {part}")
        match = AMOUNT.match(part, at)
        if match and match.end() > at:
            amount = match.group(0).rstrip("-+")
            at += len(amount)
            value = _amount(amount, values, part, part[at:], last)
            if value == 0.0 or re.match(r"0\d", amount):
                if not names_in(amount):
                    raise _Unresolved("zero_for_oxygen", part)
                _drop(out)
            else:
                out.append(f"{value:.9g}" if value != 1.0 else "")
        if at < len(part) and re.match(r"d(?![a-z])", part[at:]):
            raise _Unresolved("lost_sign", part)
    if depth:
        raise _Unresolved("unreadable", f"a bracket too few in {part}")
    return "".join(out)


def _amount(amount: str, values: dict[str, float], part: str, rest: str, last: str) -> float:
    if re.match(r"\d+(?:δ|d(?![a-z]))", amount) or (
        re.fullmatch(r"\d{2,}", amount) and re.match(r"[δd](?![a-z])", rest)
    ):
        raise _Unresolved("lost_sign", part)
    following = re.match(r"[A-Z][a-z]?", rest)
    if following and last and not names_in(amount) and following.group(0)[:1] in LIGHT_ISOTOPES:
        symbol = following.group(0) if following.group(0) in SYMBOLS else following.group(0)[0]
        if any(amount.endswith(mass) for mass in LIGHT_ISOTOPES.get(symbol, ())) and "." not in amount:
            raise _Unresolved("isotope_or_amount", f"{amount}{symbol} in {part}")
    value = value_of(amount, values)
    if value < 0:
        raise _Unresolved("negative_amount", f"{amount} in {part}")
    return value


def _drop(out: list[str]) -> None:
    """Take back the last symbol or group, whose amount is zero."""
    if out[-1] != ")":
        out.pop()
        return
    depth = 0
    while out:
        piece = out.pop()
        depth += (piece == ")") - (piece == "(")
        if depth == 0:
            return


def _composition(written: str) -> dict[str, float]:
    from pymatgen.core import Composition

    try:
        amounts = Composition(written).get_el_amt_dict()
    except Exception as error:  # pymatgen raises several kinds
        raise _Unresolved("unreadable", f"{written} ({error})"[:200]) from error
    composition = {
        str(symbol): round(float(amount), 9) for symbol, amount in amounts.items() if amount > 1e-12
    }
    if not composition:
        raise _Unresolved("unreadable", written)
    return composition


def _canonical(written: str, composition: Mapping[str, float]) -> str:
    """Return the formula with groups multiplied out, in the order in which the symbols are printed."""
    order: list[str] = []
    for symbol in re.findall(r"[A-Z][a-z]?", written):
        if symbol in composition and symbol not in order:
            order.append(symbol)
    order += [symbol for symbol in composition if symbol not in order]
    return "".join(f"{symbol}{_number(composition[symbol])}" for symbol in order)


def _number(amount: float) -> str:
    return "" if amount == 1.0 else f"{amount:.6g}"
