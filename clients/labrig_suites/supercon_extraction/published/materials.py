"""Materials as the published scorer reads them: words behind a formula fall, amounts with a variable are worked out.

Oxygen takes a variable that is not stated as its ideal (x is 1, z and δ are 0); other amounts need a stated x. A site
that several elements share, (Sr,Ca)14, is shared in equal parts. What then is no formula is right for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from labrig_suites.supercon_extraction.grading.formulas import MOST_CHARS, composition

OXYGEN = {"x": 1.0, "X": 1.0, "z": 0.0, "δ": 0.0}
OTHERS = {"x": 0.0, "y": 0.0, "z": 0.0, "δ": 0.0}
PAPER_RTOL = 0.1
"""Of pymatgen's `almost_equals`, which the published scorer calls without another one."""
_STATED = re.compile(r"\(\s*[xyzδ]\s*=\s*[\d.]+\s*(?:,\s*[xyzδ]\s*=\s*[\d.]+\s*)*\)")
_FORMULA = re.compile(r"[A-Z][a-zA-Z0-9()\-+δ.,/]*")
_VARIABLE_OXYGEN = re.compile(r"O(?:([xXzδ])\b|\(([^)]+)\)|(\d+[+-][xyzδ]))")
_AMOUNTS = (
    re.compile(r"(?P<element>[A-Z][a-z]?)\((?P<sum>[^)]+)\)"),
    re.compile(r"(?P<element>[A-Z][a-z]?)(?P<sum>\d+[+-][xyz])(?=[A-Z]|$)"),
)
_PARAMETER = re.compile(
    r"[A-Z][a-z]?\([^)]*[xyz][^)]*\)[A-Z]|[A-Z][a-z]?[xyz][A-Z]|[A-BD-NP-Z][a-z]?\d+[+-][xyz](?=[A-Z]|$)"
)
_SHARED = re.compile(r"\(([A-Z][a-z]?(?:\s*,\s*[A-Z][a-z]?)+)\)(\d+(?:\.\d+)?)")
_TERM = r"(?:\d+(?:\.\d+)?|\.\d+|[xyzXδ])"
_SUM = re.compile(rf"{_TERM}(?:\s*[+-]\s*{_TERM})*")
_TERMS = re.compile(rf"([+-]?)\s*({_TERM})")


def same_composition(said: str, true: str) -> bool:
    """Tell whether two materials have the same amounts, each within a tenth of their mean, unscaled."""
    one, other = resolved(said), resolved(true)
    if one is None or other is None:
        return False
    return all(
        abs(one.get(symbol, 0.0) - other.get(symbol, 0.0))
        <= 1e-8 + PAPER_RTOL * (one.get(symbol, 0.0) + other.get(symbol, 0.0)) / 2
        for symbol in {*one, *other}
    )


@lru_cache(maxsize=4096)
def resolved(text: str) -> Mapping[str, float] | None:
    """Return the amounts of a material, None where the published scorer takes it for no formula.

    >>> resolved("La2-xSrxCuO4 (x=0.15) thin films")
    {'La': 1.85, 'Sr': 0.15, 'Cu': 1.0, 'O': 4.0}
    """
    plain = re.sub("[−–—]", "-", text.strip())
    plain = re.sub(r"(\d|\))\s+([A-Z])", r"\1\2", plain)
    stated: dict[str, float] = {}
    if found := _STATED.search(plain):
        stated = {
            name: float(value) for name, value in re.findall(r"([xyzδ])\s*=\s*(\d+\.?\d*|\.\d+)", found[0])
        }
        plain = f"{plain[: found.start()]}{plain[found.end() :]}".strip()
    begins = _FORMULA.match(plain)
    formula = begins[0].rstrip(".,") if begins else plain
    if len(formula) > MOST_CHARS:
        return None
    parameters = bool(_PARAMETER.search(formula))
    if parameters and "x" not in stated:
        return None
    formula = _VARIABLE_OXYGEN.sub(
        lambda each: _worked_out("O", each[each.lastindex or 0], OXYGEN | stated), formula
    )
    formula = _SHARED.sub(_share, formula)
    if parameters:
        values = OTHERS | stated
        for pattern in _AMOUNTS:
            formula = pattern.sub(lambda each: _worked_out(each["element"], each["sum"], values), formula)
        for name, value in values.items():
            formula = re.sub(rf"([A-Z][a-z]?){name}(?![a-z])", rf"\g<1>{value:g}", formula)
    return composition(formula)


def _worked_out(element: str, amount: str, values: Mapping[str, float]) -> str:
    """Return an element with its amount, in brackets as before where that cannot be worked out."""
    terms = _TERMS.findall(amount) if _SUM.fullmatch(amount) else []
    if not terms or any(term.isalpha() and term not in values for _, term in terms):
        return f"{element}({amount})"
    numbers = (float(sign + "1") * (values[term] if term in values else float(term)) for sign, term in terms)
    return f"{element}{sum(numbers):.9g}"


def _share(found: re.Match[str]) -> str:
    elements = [each.strip() for each in found[1].split(",")]
    return "".join(f"{each}{float(found[2]) / len(elements):.9g}" for each in elements)
