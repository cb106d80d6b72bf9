"""A second solution: papers that search_literature finds are read page by page, and sentences looked for in them.

Formulas are compared by an arithmetic of its own; it knows how made papers speak.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.common.answer_data import data
from labrig_suites.precedent_search.making.papers import sentences
from labrig_suites.precedent_search.solution import Reported, answer, material_of

READ = 3
"""Papers; no made material has more that name it."""
FORMULA = r"(?:[A-Z][a-z]?\d+){3}"
_CLASS = {"yes": "Yes", "criteria": "Yes", "pressure": "Yes", "no": "No", "metal": "No", "beside": "No"}


def another(sample: Sample, arm: Arm) -> Solution:
    """Return a second solution of a material.

    Raises
    ------
    Unsolvable
        For an arm without the papers server, and for a published material.
    """
    material = material_of(sample)
    if arm.server != "papers":
        raise Unsolvable(f"no solution for the arm {arm.name}")
    search = Call("search_literature", {"query": material, "limit": 20})
    return Solution(
        (search, *(Call("read_pages", _nth(number)) for number in range(READ))),
        lambda results: _conclude(material, results),
    )


def _nth(number: int) -> Any:
    def arguments(results: Sequence[str]) -> dict[str, Any]:
        found = [*(data(results[0], "papers") or []), *(data(results[0], "relatives") or [])]
        if not found:
            raise Unsolvable("the search gave no paper to read")
        return {"path": found[min(number, len(found) - 1)]["open"], "format": "plain"}

    return arguments


def _conclude(material: str, results: Sequence[str]) -> str:
    papers = data(results[0], "papers")
    if not isinstance(papers, list):
        raise Unsolvable("the result of the search has no list of papers")
    said: dict[str, list[Reported]] = {"Yes": [], "No": []}
    for paper, result in zip(papers, results[1:], strict=False):
        text = " ".join(result.split())
        if "REFERENCES" not in text:
            raise Unsolvable("a paper was not read to its end")
        for claim, pattern in _patterns():
            for match in pattern.finditer(text):
                if composition(match["m"]) == composition(material):
                    for name in ("t", "u") if "mid" in match[0] or "zero resist" in match[0] else ("t",):
                        kelvin = float(match[name].partition("(")[0].split()[0])
                        said[claim].append(Reported(kelvin, paper["title"], paper["doi"], match[0]))
    claim = next((each for each in ("Yes", "No") if said[each]), "Unknown")
    return answer(material, claim, said.get(claim, []))


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Return the sentences that count, as patterns: class and pattern."""
    value = r"\d+(?:\.\d+)?(?:\(\d\))? K"
    parts = {
        "m": f"(?P<m>{FORMULA})",
        "o": FORMULA,
        "t": f"(?P<t>{value})",
        "u": f"(?P<u>{value})",
        "p": r"[\d.]+ GPa",
    }
    found = []
    for key, claim in _CLASS.items():
        for sentence in sentences()["says"][key]:
            plain = sentence.replace("T_{{c}}", "Tc")
            pieces = re.split(r"\{(\w)\}", plain)
            pattern = "".join(
                parts[each] if place % 2 else re.escape(each) for place, each in enumerate(pieces)
            )
            found.append((claim, re.compile(pattern)))
    return found


def composition(formula: str) -> dict[str, float]:
    """Return atomic fractions of a formula whose amounts are all written, to four decimals."""
    atoms = {symbol: int(amount) for symbol, amount in re.findall(r"([A-Z][a-z]?)(\d+)", formula)}
    return {symbol: round(amount / sum(atoms.values()), 4) for symbol, amount in atoms.items()}
