"""Units as papers print them: mJ/mol K2, mJ mol-1 K-2, mΩcm, gcm-3, emu/(mol Oe), μ_{B}/f.u., at.%.

A slash divides by all that follows it, as the field writes it: mJ/mol K2 is mJ/(mol K^2). What can be read in
two ways is refused with the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from labrig.errors import LabrigError, nearest
from labrig_papers.materials.elements import SYMBOLS
from labrig_papers.values.registry import COUNTED, PARTS, Atom, Dimension, known, registry
from labrig_papers.values.text import SUPERSCRIPTS, fold, without_latex

MOST_CHARS = 80
_EXPONENT = (
    r"(?:\^\s?\{\s?(?P<braced>[+-]?\d+)\s?\}|(?:\^|\*\*)\s?(?:\((?P<bracketed>[+-]?\d+)\)|(?P<caret>[+-]?\d+))"
    r"|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<flat>-?[1-6])(?!\d|\.\d))"
)


@dataclass(frozen=True)
class Unit:
    """A unit that was understood.

    Attributes
    ----------
    text
        As printed.
    canonical
        The same in one way of writing: ``mJ mol^-1 K^-2``.
    dimension
        Its named dimension (``molar_heat_coefficient``), ``"1"`` for a bare number.
    si
        The SI unit of that dimension.
    factor, offset
        A value in SI is ``factor * value + offset``.
    per
        What is counted in the denominator: ``f.u.``, ``Cu``, ``atom``.
    equivalence
        What was assumed to give it this dimension (``B = mu0 H``), else empty.
    notes
        What else should be known, such as that emu/g was read as a moment per gram.
    """

    text: str
    canonical: str
    dimension: str
    si: str
    factor: float
    offset: float = 0.0
    per: str = ""
    equivalence: str = ""
    notes: tuple[str, ...] = ()


BARE = Unit("", "", "1", "1", 1.0)
"""The unit of a bare number."""


@lru_cache(maxsize=1)
def _symbols() -> tuple[str, ...]:
    """Return every symbol, longest first."""
    return tuple(sorted(known().atoms, key=len, reverse=True))


@lru_cache(maxsize=1)
def atom_pattern() -> str:
    """Return the regular expression of one unit without exponent."""
    return "|".join(re.escape(symbol) for symbol in _symbols())


def _refusal(text: str, why: str, expected: str) -> LabrigError:
    return LabrigError(f"The unit {text[:60]!r} is not used: {why}", where="unit", expected=expected)


@lru_cache(maxsize=4096)
def read_unit(text: str, meaning: str = "") -> Unit:
    """Read a unit.

    Parameters
    ----------
    text
        As printed or as an agent writes it.
    meaning
        ``"susceptibility"`` or ``"moment"`` says what emu/mol, emu/g and emu/cm3 mean; they are used for both.

    Raises
    ------
    LabrigError
        If it is unknown (with the nearest known), or has two meanings (with the reason and what to write).
    """
    printed = text
    text = fold(without_latex(text)).replace("\u2009", " ").strip()
    text = re.sub(
        r"^(?:holes?|electrons?|carriers?)\s?(?:/|per\s)\s?", "1/", text
    )  # what is counted says the name
    if not text or text == "1":
        return BARE
    if len(text) > MOST_CHARS:
        raise _refusal(printed, f"it has {len(text)} characters", f"at most {MOST_CHARS}")
    if text in known().refused:
        why, write = known().refused[text]
        raise _refusal(printed, why, write)
    if _is_formula(text):
        raise _refusal(printed, "it is a chemical formula", "a unit such as K or mJ/mol K^2")
    parts, per, notes = _parts(text, printed)
    above = [atom.symbol for atom, exponent in parts if exponent > 0]
    if "M" in above and len(above) > 1:
        raise _refusal(printed, "M before a unit is mega or molar", "MΩ or mol/L")
    magnetic = [atom for atom, _ in parts if atom.name == "emu"]
    names = {(atom.name, exponent > 0) for atom, exponent in parts}
    susceptibility = False
    if magnetic and not any(atom.name in ("oersted", "gauss", "tesla") for atom, _ in parts):
        divided = [base for base in ("mole", "gram", "meter", "cubic_centimetre") if (base, False) in names]
        if divided:
            susceptibility = meaning == "susceptibility"
            if not meaning and divided[0] == "mole":
                raise _refusal(
                    printed,
                    "emu/mol is a molar susceptibility (meaning emu/(mol Oe)) or a moment per mole",
                    "emu/(mol Oe) or cm^3/mol for a susceptibility, μ_{B}/f.u. or A m^2/mol for a moment",
                )
            if not meaning:
                notes.append("emu is read as a moment; a susceptibility is written with /Oe")
    unit = _resolved(printed, parts, per, tuple(notes), susceptibility)
    if unit.dimension == "other":
        if (apart := re.sub(r"(?<![A-Za-z])mK", "m K", text)) != text and "/" in text:
            metres = read_unit(apart, meaning)
            if metres.dimension != "other":
                return replace(metres, text=printed, notes=(*metres.notes, "mK is read as m K"))
        _refuse_chance(text, printed)
    return unit


def _refuse_chance(text: str, printed: str) -> None:
    """Refuse a word that is units written together by chance: "psk" is no picosecond kelvin, μΩcm is a resistivity."""
    for word in re.findall(r"[A-Za-zμΩÅ]+", text):
        atoms = None if word in known().atoms or not (word.isascii() and word.islower()) else _glued(word)
        if atoms and _resolved(word, [(each, 1) for each in atoms], "", (), False).dimension == "other":
            raise _refusal(printed, f"{word[:30]!r} is unknown", "units parted by a space, such as m K")


def _parts(text: str, printed: str) -> tuple[list[tuple[Atom, int]], str, list[str]]:
    """Return the atoms with their exponents, what is counted, and notes."""
    parts: list[tuple[Atom, int]] = []
    per = ""
    notes: list[str] = []
    at = 0
    below = False
    brackets: list[bool] = []
    while at < len(text):
        if match := re.match(r"\s*(?:/|\bper\b)\s*" if parts or at else r"1?\s*/\s*|per\s+", text[at:]):
            below = True
            at += match.end()
            counted = re.match(r"([A-Z][a-z]?)(?:[\s-]?(?:atom|ion)s?)?(?=$|[\s/)])", text[at:])
            if counted and counted.group(1) in _IONS and counted.group(0) not in known().atoms:
                per = counted.group(0)
                at += counted.end()
            continue
        if match := re.match(r"\s*[·*.×]?\s*\(\s*", text[at:]):
            brackets.append(below)
            at += match.end()
            continue
        if brackets and (match := re.match(r"\s*\)", text[at:])):
            brackets.pop()
            at += match.end()
            continue
        if parts and (
            match := re.match(r"\s*[·*×]\s*|\s*-\s*(?=[A-Za-zΩμÅ])|\s+|\.(?=[A-Za-zΩμ])", text[at:])
        ):
            at += match.end()
        atoms = _atoms_at(text, at, printed)
        at += sum(len(atom.symbol) for atom in atoms)
        exponent = 1
        if match := re.match(_EXPONENT, text[at:]) or re.match(r"\s(?P<flat>-[1-6])(?=$|\s)", text[at:]):
            group = next(value for value in match.groupdict().values() if value is not None)
            exponent = int(group.translate(SUPERSCRIPTS))
            at += match.end()
        if exponent == 0 or abs(exponent) > 9:
            raise _refusal(printed, f"an exponent of {exponent}", "an exponent from -9 to 9")
        if below and exponent < 0:
            raise _refusal(
                printed,
                "a slash and a negative exponent behind it: divided once or twice",
                "mJ/mol K^2 or mJ mol^-1 K^-2",
            )
        for atom in atoms[:-1]:
            parts.append((atom, -1 if below else 1))
        parts.append((atoms[-1], -exponent if below else exponent))
    if brackets:
        raise _refusal(printed, "a bracket that is not closed", "emu/(mol Oe)")
    counted_atoms = [(atom, exponent) for atom, exponent in parts if atom.name in COUNTED]
    for atom, exponent in counted_atoms:
        if exponent != -1:
            raise _refusal(printed, f"{atom.symbol!r} is counted in the denominator only", "μ_{B}/f.u.")
        per = per or atom.preferred
    return [part for part in parts if part[0].name not in COUNTED], per, notes


_IONS = frozenset(
    re.findall(
        r"\w+",
        "Li Be Na Mg Al Si Ca Sc Ti Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Rb Sr Zr Nb Mo Ru Rh Pd Ag Cd In Sn Sb Te Cs "
        "Ba La Ce Pr Nd Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta Re Os Ir Pt Au Hg Tl Pb Bi Th Pu U",
    )
)
"""Elements that a moment or a charge is counted by; single letters that are units too (K, V, Y, C) are none."""


def _is_formula(text: str) -> bool:
    """Tell whether a word is a formula and no unit: H2 is no square henry, KCl neither kelvin nor coulomb."""
    plain = re.sub(r"_\{?(\d+)\}?", r"\1", text)
    parts = re.findall(r"([A-Z][a-z]?)(\d*)", plain)
    if "".join(symbol + number for symbol, number in parts) != plain or plain in known().atoms:
        return False
    elements = all(symbol in SYMBOLS for symbol, _ in parts)
    return elements and (len(parts) > 1 or bool(parts[0][1]))


def _atoms_at(text: str, at: int, printed: str) -> list[Atom]:
    """Return the unit that begins at a position, or those that are written together there (mΩcm)."""
    rest = text[at:]
    atoms = known().atoms
    for symbol in _symbols():  # names with spaces or signs, and whole words
        if rest.startswith(symbol) and not re.match(r"[A-Za-zΩμÅ_]", rest[len(symbol) :]):
            return [atoms[symbol]]
    word = re.match(r"[A-Za-zΩμÅ°%˚]+", rest)
    if word is None:
        raise _refusal(printed, f"{rest[:12]!r} is no unit", "units and exponents such as mJ mol^-1 K^-2")
    found = _glued(word.group(0))
    if found:
        return found
    refused = known().refused.get(word.group(0))
    if refused is None and (match := re.match(r"[A-Za-z.]+", rest)):
        refused = known().refused.get(match.group(0))
    if refused:
        raise _refusal(printed, refused[0], refused[1])
    near = nearest(word.group(0), known().atoms)
    raise _refusal(
        printed,
        f"{word.group(0)[:30]!r} is unknown",
        "did you mean " + " or ".join(near) + "?" if near else "",
    )


def _glued(word: str) -> list[Atom] | None:
    """Return the fewest atoms that a word without spaces is made of, or None; two ways of as few are none."""
    atoms = known().atoms
    best: dict[int, list[list[Atom]]] = {0: [[]]}
    for end in range(1, min(len(word), 24) + 1):
        options: list[list[Atom]] = []
        for start in range(max(0, end - 10), end):
            atom = atoms.get(word[start:end])
            if atom is not None and len(atom.symbol) <= 10:
                options += [[*before, atom] for before in best.get(start, [])]
        if options:
            fewest = min(map(len, options))
            best[end] = [option for option in options if len(option) == fewest][:3]
    options = best.get(len(word), [])
    return options[0] if len(options) == 1 and len(options[0]) <= 4 else None


def _resolved(
    printed: str, parts: list[tuple[Atom, int]], per: str, notes: tuple[str, ...], susceptibility: bool
) -> Unit:
    units = registry()
    if len(parts) == 1 and parts[0][0].name == "degree_celsius" and parts[0][1] == 1:
        return Unit(printed, "°C", "temperature", "K", 1.0, 273.15)
    expression: Any = units.Quantity(1.0, "")
    for atom, exponent in parts:
        name = "kelvin" if atom.name == "degree_celsius" else atom.name  # per degree: a difference
        expression = expression * (units.Quantity(atom.scale, name) ** exponent)
    if susceptibility:
        expression = expression / units.Quantity(1.0, "oersted")
    canonical = " ".join(_power(atom.preferred, exponent) for atom, exponent in parts)
    if per:
        canonical = f"{canonical}/{per}".strip()
    volume_moment = any(a.name == "emu" for a, _ in parts) and any(
        (a.name == "meter" and e == -3) or (a.name in ("litre", "cubic_centimetre") and e == -1)
        for a, e in parts
    )
    base = expression.to_base_units()
    if not parts:
        return Unit(printed, canonical, "1", "1", 1.0, 0.0, per, "", notes)
    if volume_moment and not susceptibility and str(base.dimensionality) == "[current] / [length]":
        return Unit(printed, canonical, "magnetisation", "A/m", float(base.magnitude), 0.0, per, "", notes)
    for dimension, signature, size in _dimensions():
        if base.dimensionality == signature:
            factor = float(
                f"{float(base.magnitude) / size * dimension.factor:.15g}"
            )  # without the noise of its making
            si = next(each.si for each in known().dimensions if each.name == dimension.name)
            return Unit(printed, canonical, dimension.name, si, factor, 0.0, per, dimension.says, notes)
    if base.dimensionless:
        return Unit(printed, canonical, "1", "1", float(base.magnitude), 0.0, per, "", notes)
    si, factor = _si_of(base)
    return Unit(printed, canonical, "other", si, factor, 0.0, per, "", notes)


_OF_SI = {
    "gram": "kg",
    "meter": "m",
    "second": "s",
    "kelvin": "K",
    "ampere": "A",
    "mole": "mol",
    "radian": "rad",
}


def _si_of(base: Any) -> tuple[str, float]:
    """Return the unit of SI of a quantity in base units, whose mass is in grams, and the value in it."""
    powers = {str(name): float(power) for name, power in base.unit_items()}
    text = " ".join(
        _OF_SI.get(name, name) + ("" if power == 1 else f"^{power:g}")
        for name, power in sorted(powers.items(), key=lambda item: (item[1] < 0, item[0]))
    )
    return text, float(f"{float(base.magnitude) * 1e-3 ** powers.get('gram', 0):.15g}")


def _power(symbol: str, exponent: int) -> str:
    return symbol if exponent == 1 else f"{symbol}^{exponent}"


@lru_cache(maxsize=1)
def _dimensions() -> tuple[tuple[Dimension, Any, float], ...]:
    """Return each dimension with its signature and what its SI unit is in base units of the registry."""
    units = registry()
    found = []
    for dimension in known().dimensions:
        if dimension.si in PARTS:
            quantity = units.Quantity(1.0, dimension.si)
        else:
            quantity = units.Quantity(1.0, "")
            for atom, exponent in _parts(dimension.si, dimension.si)[0]:
                quantity = quantity * (units.Quantity(atom.scale, atom.name) ** exponent)
        base = quantity.to_base_units()
        found.append((dimension, base.dimensionality, float(base.magnitude)))
    return tuple(found)
