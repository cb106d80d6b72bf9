"""The reference solution: validate_precedent, and the answer that its reports come to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.common.answer_data import data
from labrig_suites.precedent_search.arms import CORPUS

CLAIM = {
    "superconducting": "Yes",
    "contradicting": "Yes",
    "not superconducting": "No",
    "unknown": "Unknown",
}
SAYS = {"Yes": "superconducting", "No": "not superconducting"}


def solution(sample: Sample, arm: Arm) -> Solution:
    """Return the reference solution of a material; the truth is not looked at.

    Raises
    ------
    Unsolvable
        For an arm without validate_precedent, and for a published material, which comes without papers, unless the
        arm has a corpus of the user's own.
    """
    material = material_of(sample, arm.serve.settings.get("corpus", CORPUS))
    if arm.server != "papers" or (arm.serve.tools and "validate_precedent" not in arm.serve.tools):
        raise Unsolvable(f"no solution for the arm {arm.name}")

    def conclude(results: Sequence[str]) -> str:
        (result,) = results
        state = re.search(r"^state = (.+)$", result, re.MULTILINE)
        reports = data(result, "reports")
        if state is None or state[1] not in CLAIM or not isinstance(reports, list):
            raise Unsolvable("the result has no state")
        claim = CLAIM[state[1]]
        own = [each for each in reports if each["standing"] == "measured"] or reports
        said = [
            Reported(
                each["kelvin"], each["title"], each.get("doi", ""), each["quote"], each.get("pressure", "")
            )
            for each in own
            if each["says"] == SAYS.get(claim) and "kelvin" in each
        ]
        return answer(material, claim, said)

    return Solution((Call("validate_precedent", {"material": material}),), conclude)


class Reported:
    """A value with its paper."""

    def __init__(self, kelvin: float, title: str, doi: str, quote: str, pressure: str = "") -> None:
        self.kelvin, self.pressure = kelvin, pressure
        self.source = {"title": title, "authors": [], "doi": doi, "quoted_span": quote}


def material_of(sample: Sample, corpus: str = CORPUS) -> str:
    """Return the material that a prompt names; an Unsolvable says that there are no papers to look into."""
    found = re.search(r"\*\*(.+?)\*\*", sample.brief.prompt)
    if found is None or (corpus == CORPUS and CORPUS not in sample.brief.files):
        raise Unsolvable(
            "no solution for a material that comes without papers; --server-set corpus=FILE (whole path) gives yours"
        )
    return found[1]


def answer(material: str, claim: str, said: Iterable[Reported]) -> str:
    """Return an answer in the published form."""
    said = list(said)
    properties: list[Mapping[str, Any]] = [
        {
            "material": material,
            "property_name": "is_superconducting",
            "value_string": claim,
            "source_dois": [each.source for each in said],
        }
    ]
    properties += [
        {
            "material": material,
            "property_name": "tc" if claim == "Yes" else "tcn",
            "value_string": f"{each.kelvin:.9g}",
            "conditions": {"pressure": each.pressure} if each.pressure else {},
            "source_dois": [each.source],
        }
        for each in said
    ]
    form = {"properties": properties, "superconductors_mentioned": [], "electronic_or_magnetic_phases": []}
    return json.dumps({**form, "missing_or_notable_information": ""}, ensure_ascii=False)
